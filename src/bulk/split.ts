import { existsSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import { renameFile, writeNewFile } from '../internal/atomic-file';
import { formatCsvRow } from '../internal/csv';
import { wrongOption } from '../options/table';
import { journalPathOf } from './journal-path';
import { List } from './list';
import { checkRowOptions, type RowOptions } from './options';
import type { CheckedRows } from './rows/checked-rows';
import type { RawRow } from './rows/input';
import { type ListRecord, type MovedRecord, rangesOf, rowsOf } from './state/records';

/** The rows that are moved, and the file that gets them. */
interface SplitOptions {
  readonly states: readonly ('pending' | 'rejected')[];
  /** The path of a CSV file that does not exist. */
  readonly to: string;
}

/**
 * Moves rows of a list into a new file. The file is written beside its name, then the journal records the move, then
 * the file gets its name. So a crash leaves the rows in this list, or in a file that has no name yet, and the same call
 * finishes it. Resolves with the number of rows.
 *
 * @param known the list as its journal was read
 * @throws {ConfigurationError} when there are no such rows, or the new file cannot be written; {InputError} when the
 * file has changed; {JournalError}; {JournalWriteError}
 */
export async function splitList(options: RowOptions, { states, to }: SplitOptions, known: List): Promise<number> {
  const list = await List.check(checkRowOptions(options), known);
  // A list of which nothing was sent may have been changed, and its journal knows other rows.
  list.refuseOtherRows();
  const target = resolve(to);
  for (const path of [target, journalPathOf(target)])
    if (existsSync(path)) throw wrongOption('to', `${path} exists: name a new file`);
  const journal = await list.open();
  try {
    const { table, moves } = journal.state;
    const unfinished = unfinishedMoves(list).find((move) => move.to === target);
    if (unfinished) {
      await renameFile(unfinished.part, target);
      return [...rowsOf(unfinished.ranges)].length;
    }
    const rows = [...table.filter((row) => states.some((state) => state === table.state(row)))];
    if (rows.length === 0) throw wrongOption('to', `no row of this list is ${states.join(' or ')}`);
    // No other move has the same, so none takes this file for its own.
    const part = `${target}.${(journal.state.list as ListRecord).sha256.slice(0, 8)}-${moves.length + 1}`;
    await writeNewFile(part, (put) => writeRows(list.rows, new Set(rows), put)).catch((error: Error) => {
      throw 'syscall' in error ? wrongOption('to', error.message) : error;
    });
    const fromJournal = (path: string) => relative(dirname(list.path), path);
    await journal.commit({
      t: 'moved',
      ranges: rangesOf(rows),
      states,
      to: fromJournal(target),
      part: fromJournal(part),
    });
    await renameFile(part, target);
    return rows.length;
  } finally {
    await list.close();
  }
}

/** The moves of rows whose new file has no name yet, with absolute paths. The folder may have been moved since. */
export function unfinishedMoves({ path, state }: List): MovedRecord[] {
  const absolute = (relativePath: string) => resolve(dirname(path), relativePath);
  return state.moves
    .map((move) => ({ ...move, to: absolute(move.to), part: absolute(move.part) }))
    .filter(({ part }) => existsSync(part));
}

async function writeRows(rows: CheckedRows, moved: ReadonlySet<number>, put: (text: string) => void): Promise<void> {
  for await (const chunk of rows.read()) {
    for (const read of chunk) {
      const { row, columnNames } = read;
      const columns = read.columns as RawRow;
      rows.valuesOf(read);
      if (row === 1) put(formatCsvRow(columnNames, '\n'));
      if (moved.has(row))
        put(
          formatCsvRow(
            columnNames.map((name) => columns[name]),
            '\n',
          ),
        );
    }
  }
}
