import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import { renameFile, writeNewFile } from '../../internal/atomic-file';
import { formatCsvRow } from '../../internal/csv';
import { wrongOption } from '../../options/table';
import { findTextProblem } from '../../xml/escape';
import { journalPathOf } from '../journal-path';
import { digestTexts } from '../rows/digests';
import { bulkFields } from '../rows/fields';
import { InputError } from '../rows/input-error';
import { type Columns, leftOutColumns, readColumns } from './columns';
import { type ExcludedReceptors, readExcluded } from './excluded';
import { type ExportRow, readExport, textOf } from './export-file';
import { checkPrepareOptions, type PrepareOptions, type PrepareSettings } from './options';
import { type DigitsKey, keyOf, type Receptor, type ReceptorReader, receptorReader } from './receptors';

/** Lines of the export for one remark. */
export interface Lines {
  count: number;
  /** The first ten. */
  readonly first: { readonly line: number; readonly text: string }[];
}

/** The list that was made of an export. */
export interface PreparedList {
  /** The absolute path of the list. */
  readonly to: string;
  /** The absolute path of the file of the rows that were left out. It exists only when there are such rows. */
  readonly leftOutFile: string;
  readonly written: number;
  /** The number of rows that were left out, by reason. */
  readonly leftOut: ReadonlyMap<string, number>;
  /** Names of columns that had to change, and the new names. */
  readonly renamed: ReadonlyMap<string, string>;
  /** The columns of the list. */
  readonly columns: readonly string[];
  /** The columns that `run` sends as fields, when all columns are written. */
  readonly fieldColumns: readonly string[];
  /** Rows without any text, which are skipped. */
  readonly emptyRows: number;
  /** Rows with fewer cells than the header. The missing cells are empty. */
  readonly shortRows: Lines;
  /** Written rows whose receptor an earlier row has. */
  readonly repeated: Lines;
  /** Written rows whose receptor ends in the nine digits of another receptor, of an earlier row or an excluded one. */
  readonly similar: Lines;
  /** Written rows whose receptor may not get messages, with the reason. */
  readonly doubtful: Lines;
  /** The number of receptors of each file of `exclude`, and the number of them that the export has. */
  readonly excluded: ReadonlyMap<string, { readonly receptors: number; readonly found: number }>;
}

/**
 * Makes a list that `run` accepts from an export of an office program, and a file of the rows that it leaves out. Both
 * get their names when they are complete.
 *
 * @throws {ConfigurationError} for wrong options; {InputError} when a file cannot be read, or no row is left
 */
export async function prepareList(options: PrepareOptions): Promise<PreparedList> {
  const settings = checkPrepareOptions(options);
  const to = resolve(settings.to);
  const leftOutFile = `${to.replace(/\.csv$/i, '')}.left-out.csv`;
  const refuseExisting = () => {
    const existing = [to, leftOutFile, journalPathOf(to)].find((path) => existsSync(path));
    if (existing !== undefined) throw wrongOption('to', `${existing} exists: name a new file, or move that file away`);
  };
  refuseExisting();
  const read = await receptorReader(settings);
  const excluded = await readExcluded(settings, read);
  let emptyRows = 0;
  const exported = readExport(settings.input, settings, () => {
    emptyRows += 1;
  });
  try {
    const header = await exported.next();
    if (header.done) throw new InputError([{ message: `${settings.input} has no header` }]);
    const columns = readColumns(header.value.cells, settings);
    const rows = new PreparedRows(settings, columns, read, excluded);
    const [list, rest] = [to, leftOutFile].map((path) => `${path}.${process.pid}.new`) as [string, string];
    try {
      await writeNewFile(list, async (put) => {
        await writeNewFile(rest, async (putLeftOut) => {
          put(formatCsvRow(rows.columns));
          // Spreadsheet programs, in which these rows are corrected, recognise UTF-8 by this mark.
          putLeftOut(`\ufeff${formatCsvRow([...columns.all.map(({ name }) => name), ...leftOutColumns])}`);
          for await (const row of exported) {
            settings.signal?.throwIfAborted();
            const reason = rows.add(row, put);
            if (reason !== undefined) putLeftOut(leftOutRow(columns, row, reason));
          }
        });
      });
      if (rows.written === 0) throw new InputError([{ message: describeEmpty(rows.leftOut) }]);
      refuseExisting();
      // In this order, a list never exists without the rows that it lacks.
      if (rows.leftOut.size > 0) await renameFile(rest, leftOutFile);
      await renameFile(list, to);
    } catch (error) {
      throw (error as NodeJS.ErrnoException).syscall ? wrongOption('to', (error as Error).message) : error;
    } finally {
      await Promise.all([rm(list, { force: true }), rm(rest, { force: true })]);
    }
    return { ...rows.summary(), to, leftOutFile, renamed: columns.renamed, emptyRows };
  } finally {
    await exported.return();
  }
}

/** Excel leaves out empty cells at the end of a row. Cells that no column has are kept in the reason. */
function leftOutRow({ all }: Columns, { line, cells }: ExportRow, reason: string): string {
  return formatCsvRow([...all.map(({ index }) => cells[index] || undefined), line, reason]);
}

function describeEmpty(leftOut: ReadonlyMap<string, number>): string {
  if (leftOut.size === 0) return 'the file has no rows';
  return `no row is left: ${[...leftOut].map(([reason, count]) => `${reason} (${count})`).join('; ')}`;
}

/** The number of last digits by which receptors are compared when their country is not known. */
const SIMILAR_DIGITS = 9;

type Remark = 'shortRows' | 'repeated' | 'similar' | 'doubtful';

/** The rows of a list, while they are written. */
class PreparedRows {
  readonly columns: readonly string[];
  readonly leftOut = new Map<string, number>();
  written = 0;
  readonly #settings: PrepareSettings;
  readonly #columns: Columns;
  readonly #read: ReceptorReader;
  readonly #excluded: ExcludedReceptors;
  readonly #foundExcluded = new Set<string>();
  /** The line of the first row with a receptor, or with the digest of a row. */
  readonly #lines = new Map<DigitsKey | bigint, number>();
  /** The keys of the last digits of receptors. */
  readonly #endings = new Set<DigitsKey>();
  readonly #remarks: Record<Remark, Lines> = {
    shortRows: { count: 0, first: [] },
    repeated: { count: 0, first: [] },
    similar: { count: 0, first: [] },
    doubtful: { count: 0, first: [] },
  };

  constructor(settings: PrepareSettings, columns: Columns, read: ReceptorReader, excluded: ExcludedReceptors) {
    this.#settings = settings;
    this.#columns = columns;
    this.#read = read;
    this.#excluded = excluded;
    this.columns = ['receptor', ...columns.others.map(({ name }) => name)];
    if (settings.country === undefined) for (const digits of excluded.keys()) this.#endings.add(endingOf(digits));
  }

  /** Writes a row, or returns the reason why it is left out. */
  add(row: ExportRow, put: (text: string) => void): string | undefined {
    const { line, cells } = row;
    const receptor = this.#read(textOf(cells[this.#columns.receptor]));
    if ('problem' in receptor) return this.#leaveOut(receptor.problem);
    const file = this.#excluded.get(receptor.digits);
    if (file !== undefined) {
      this.#foundExcluded.add(receptor.digits);
      return this.#leaveOut(`the receptor is in ${file}`);
    }
    const surplus = cells.slice(this.#columns.width).filter((cell) => cell !== '');
    if (surplus.length > 0) return this.#leaveOut('the row has more cells than the header', surplus.join(', '));
    const values = this.#columns.others.map(({ index }) => textOf(cells[index]) || undefined);
    const problem = this.#findTextProblem(line, values);
    if (problem !== undefined) return this.#leaveOut(problem);
    const text = formatCsvRow([receptor.text, ...values]);
    const repeats = this.#findEqual(line, receptor, text);
    if (repeats !== undefined) {
      const what = this.#settings.unique === 'row' ? 'is equal' : 'has the same receptor';
      return this.#leaveOut(`an earlier row ${what}`, `line ${repeats}`);
    }
    if (cells.length < this.#columns.width) this.#remark('shortRows', line, receptor);
    if (receptor.doubt !== undefined) this.#remark('doubtful', line, receptor, ` (${receptor.doubt})`);
    put(text);
    this.written += 1;
    return undefined;
  }

  summary() {
    const { columns: picked } = this.#settings;
    const names = new Set(bulkFields('sendSimple').map(({ name }) => name));
    const files = [...this.#excluded.values()];
    const found = [...this.#foundExcluded].map((key) => this.#excluded.get(key));
    const countOf = (paths: readonly (string | undefined)[], path: string) =>
      paths.filter((other) => other === path).length;
    return {
      ...this.#remarks,
      written: this.written,
      leftOut: this.leftOut,
      columns: this.columns,
      fieldColumns: picked ? [] : this.columns.slice(1).filter((name) => names.has(name)),
      excluded: new Map(
        this.#settings.exclude.map((path) => [path, { receptors: countOf(files, path), found: countOf(found, path) }]),
      ),
    };
  }

  #leaveOut(reason: string, detail?: string): string {
    this.leftOut.set(reason, (this.leftOut.get(reason) ?? 0) + 1);
    return detail === undefined ? reason : `${reason} (${detail})`;
  }

  /** Finds a text that no message can carry. @throws {InputError} for text that was read in the wrong encoding */
  #findTextProblem(line: number, values: readonly (string | undefined)[]): string | undefined {
    for (const [index, value = ''] of values.entries()) {
      const name = JSON.stringify(this.columns[index + 1]);
      if (value.includes('\ufffd')) {
        const message = `line ${line}: column ${name} has bytes that are no text in this encoding: name the right encoding`;
        throw new InputError([{ message }]);
      }
      const problem = findTextProblem(value);
      if (problem !== undefined) return `column ${name} has a character that no message can carry`;
    }
    return undefined;
  }

  /** Finds the line of the earlier row for which a row is left out, and notes rows that only seem to be equal. */
  #findEqual(line: number, receptor: Receptor, text: string): number | undefined {
    const { unique, country } = this.#settings;
    if (unique === 'row') {
      const digest = digestTexts(text);
      const equal = this.#lines.get(digest);
      if (equal !== undefined) return equal;
      this.#lines.set(digest, line);
    }
    const key = keyOf(receptor.digits);
    const same = this.#lines.get(key);
    if (same !== undefined) {
      if (unique === 'receptor') return same;
      this.#remark('repeated', line, receptor);
      return undefined;
    }
    this.#lines.set(key, line);
    if (country !== undefined) return undefined;
    const ending = endingOf(receptor.digits);
    if (this.#endings.has(ending)) this.#remark('similar', line, receptor);
    else this.#endings.add(ending);
    return undefined;
  }

  #remark(kind: Remark, line: number, { text }: Receptor, note = ''): void {
    const lines = this.#remarks[kind];
    lines.count += 1;
    if (lines.first.length < MAX_LINES) lines.first.push({ line, text: text + note });
  }
}

/** The number of lines that are kept of one remark. */
const MAX_LINES = 10;

function endingOf(digits: string): DigitsKey {
  return keyOf(digits.slice(-SIMILAR_DIGITS));
}
