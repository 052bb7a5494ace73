import { Option } from 'commander';
import { type BulkRow, type BulkStatus, type RowState, readBulk, rowStates } from '../../../bulk';
import type { Element } from '../../../soap/element';
import type { CliCommand, Context } from '../../commander/command';
import { formatJson } from '../../output/json';
import { ResultPrinter, type ResultType } from '../../output/result-printer';
import { addOutputOptions } from '../../settings/global-options';
import { UsageError } from '../../terminal/failure';
import { addFileArgument, type BulkCall, setAction } from './bulk-command';
import { addJournalPath, journalOf } from './options';
import { advise, summaryOf } from './report';

const columns: readonly Element[] = [
  { name: 'row', kind: 'integer', type: 'int' },
  { name: 'state', kind: 'text' },
  { name: 'batch', kind: 'integer', type: 'int' },
  { name: 'ids', kind: 'text' },
  { name: 'error', kind: 'text' },
];
const rowType: ResultType = { columns, isRecord: true, isList: true, isCounted: false };

/** Defines the command that shows what a journal knows. */
export function defineBulkStatus(command: CliCommand, context: Context): void {
  addFileArgument(command)
    .description('Shows the number of rows in each state, or lists the rows in a state, and says what to do next.')
    .addExamples(['bulk status list.csv', 'bulk status list.csv --state unknown --output csv']);
  const state = new Option('--state <state>', 'list the rows that are in this state').choices(rowStates);
  addJournalPath(command).addOption(state);
  addOutputOptions(
    command,
    columns.map(({ name }) => name),
  );
  setAction(command, context, async (call) => {
    const status = await readBulk(journalOf(call.file, call.flags));
    if (call.flags.state === undefined) await printCounts(call, status);
    else await printRows(call, status.rows(call.flags.state as RowState));
    advise(call, status);
  });
}

async function printRows({ flags, context }: BulkCall, rows: Iterable<BulkRow>): Promise<void> {
  const printer = new ResultPrinter(rowType, flags, context);
  const isJson = printer.format === 'json' || printer.format === 'ndjson';
  await printer.print(isJson ? rows : flatten(rows));
  await printer.end();
}

/** Puts the ids of a row in one cell. */
function* flatten(rows: Iterable<BulkRow>): Generator<object> {
  for (const row of rows) yield { ...row, ids: row.ids.join(' '), error: row.notFound ? 'not found' : row.error };
}

async function printCounts({ flags, context: { stdout } }: BulkCall, { counts }: BulkStatus): Promise<void> {
  const { output = 'table', columns: chosen, csvSafe } = flags;
  if (chosen !== undefined || csvSafe) throw new UsageError(`${csvSafe ? '--csv-safe' : '--columns'} needs --state`);
  if (output === 'table') await stdout.write(`${summaryOf(counts)}\n`);
  else if (output === 'csv') await stdout.write(csvOf(counts));
  else await stdout.write(`${formatJson(counts)}\n`);
  await stdout.finish();
}

/** A line for each state; the number of all rows is no state. */
function csvOf({ total: _, ...states }: BulkStatus['counts']): string {
  const lines = Object.entries(states).map(([name, count]) => `${name},${count}\r\n`);
  return `state,rows\r\n${lines.join('')}`;
}
