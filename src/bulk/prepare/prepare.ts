import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import { renameFile, writeNewFile } from '../../internal/atomic-file';
import { formatCsvRow } from '../../internal/csv';
import { areShared, digitsIn, furtherDigits, receptorLikeness } from '../../messages/person';
import { wrongOption } from '../../options/table';
import { findTextProblem } from '../../xml/escape';
import { journalPathOf } from '../journal-path';
import { digestValues } from '../rows/digests';
import { InputError } from '../rows/input-error';
import { findMergedRow, type LineForm } from '../rows/merged-rows';
import { type Columns, findReceptors, isNamed, leftOutColumns, readColumns, wrongEncoding } from './columns';
import { type ExcludedReceptors, readExcluded } from './excluded';
import { type ExportRow, readExport, textOf } from './export-file';
import { checkPrepareOptions, type PrepareOptions, type PrepareSettings } from './options';
import { type Receptor, type ReceptorReader, receptorReader } from './receptors';

/** The list that was made of an export. */
export type PreparedList = Awaited<ReturnType<typeof prepareList>>;

/**
 * Makes a list that `run` accepts from an export of an office program, and a file of the rows that it leaves out. Both
 * get their names when they are complete. The second file exists only when rows are left out.
 *
 * @throws {ConfigurationError} for wrong options; {InputError} when a file cannot be read, or no row is left
 */
export async function prepareList(options: PrepareOptions) {
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
  const exported = readExport(settings.input, settings);
  const [list, rest] = [to, leftOutFile].map((path) => `${path}.${process.pid}.new`) as [string, string];
  try {
    const header = await headerOf(exported, settings.headerLine);
    if (header === undefined) throw new InputError([{ message: `${settings.input} has no header` }]);
    const columns = readColumns(header.cells, settings, await lookAhead(header, settings));
    const rows = new PreparedRows(settings, columns, read, excluded);
    await writeNewFile(list, async (put) => {
      await writeNewFile(rest, async (putLeftOut) => {
        put(formatCsvRow(rows.columns, '\n'));
        // Spreadsheet programs, in which these rows are corrected, recognise UTF-8 by this mark.
        putLeftOut(`\ufeff${formatCsvRow([...columns.all.map(({ name }) => name), ...leftOutColumns], '\n')}`);
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
    const { written, leftOut, remarks, hasBackslashes } = rows;
    return { to, leftOutFile, columns: rows.columns, written, leftOut, hasBackslashes, ...remarks, excluded };
  } catch (error) {
    throw (error as NodeJS.ErrnoException).syscall ? wrongOption('to', (error as Error).message) : error;
  } finally {
    await exported.return();
    await Promise.all([rm(list, { force: true }), rm(rest, { force: true })]);
  }
}

/** Reads the row that begins in the line of the header, or in a later line with text. */
async function headerOf(exported: AsyncIterator<ExportRow, void>, headerLine: number): Promise<ExportRow | undefined> {
  for (let next = await exported.next(); !next.done; next = await exported.next()) {
    if (next.value.line >= headerLine) return next.value;
  }
  return undefined;
}

/** The number of lines in which a header is looked for that is not in the first line. */
const SEARCHED_LINES = 50;

/** Finds the unnamed columns that have values, and a later line that looks like the header. */
async function lookAhead({ line, cells }: ExportRow, settings: PrepareSettings) {
  const filled = new Set<number>();
  let headerLine: number | undefined;
  const unnamed = cells.flatMap((cell, index) => (isNamed(cell) ? [] : index));
  const isNamedSo = (row: readonly string[]) => findReceptors(row, settings.receptorColumn) !== undefined;
  if (unnamed.length === 0 && isNamedSo(cells)) return { filled, headerLine };
  for await (const row of readExport(settings.input, settings)) {
    settings.signal?.throwIfAborted();
    if (row.line <= line) continue;
    if (headerLine === undefined && row.line <= SEARCHED_LINES && isNamedSo(row.cells)) headerLine = row.line;
    for (const index of unnamed) if (isNamed(row.cells[index])) filled.add(index);
    if (filled.size === unnamed.length && row.line > SEARCHED_LINES) break;
  }
  return { filled, headerLine };
}

/** Excel leaves out empty cells at the end of a row. Cells that no column has are kept in the reason. */
function leftOutRow({ all }: Columns, { line, cells }: ExportRow, reason: string): string {
  return formatCsvRow([...all.map(({ index }) => cells[index] || undefined), line, reason], '\n');
}

function describeEmpty(leftOut: ReadonlyMap<string, number>): string {
  if (leftOut.size === 0) return 'the file has no rows';
  return `no row is left: ${[...leftOut].map(([reason, count]) => `${reason} (${count})`).join('; ')}`;
}

/** The number of lines that are kept of one remark. */
const MAX_LINES = 10;

/** Rows of the list for one remark: their number, and the first of them. */
class Remark {
  count = 0;
  readonly first: { readonly line: number; readonly text: string }[] = [];

  add(line: number, text: string): void {
    this.count += 1;
    if (this.first.length < MAX_LINES) this.first.push({ line, text });
  }
}

/** The rows of a list, while they are written. */
class PreparedRows {
  readonly columns: readonly string[];
  written = 0;
  /** True when each row with a quote out of place has a quote after a backslash, as MySQL writes it. */
  hasBackslashes = false;
  #broken = 0;
  #backslashes = 0;
  /** The number of rows that were left out, by reason. */
  readonly leftOut = new Map<string, number>();
  readonly remarks = {
    /** Rows whose receptor an earlier row has. */
    repeated: new Remark(),
    /** Rows whose receptor may be another way to write that of an earlier row, or an excluded one. */
    similar: new Remark(),
    /** Rows whose receptor may not get messages, with the reason. */
    doubtful: new Remark(),
  };
  /** The line of the first row with the digits of a receptor, or with the digest of a row. */
  readonly #lines = new Map<string | bigint, number>();
  readonly #persons = new Persons();
  readonly #form: LineForm;

  constructor(
    private readonly settings: PrepareSettings,
    private readonly given: Columns,
    private readonly read: ReceptorReader,
    private readonly excluded: ExcludedReceptors,
  ) {
    this.columns = ['receptor', ...given.others.map(({ name }) => name)];
    this.#form = {
      delimiter: settings.delimiter ?? /[,;\t]/,
      width: given.width,
      receptors: [given.receptor.index],
    };
    if (settings.country === undefined) for (const digits of excluded.keys()) this.#persons.add(digits);
  }

  /** Writes a row, or returns the reason why it is left out. */
  add({ line, cells, isBroken }: ExportRow, put: (text: string) => void): string | undefined {
    const { receptor: column, others, width } = this.given;
    if (isBroken) {
      this.#broken += 1;
      if (cells[0]?.includes('\\"')) this.#backslashes += 1;
      this.hasBackslashes = this.#broken === this.#backslashes;
      return this.#leaveOut('a quote is out of place', cells[0]);
    }
    const merged = findMergedRow(cells, this.#form);
    if (merged !== undefined) return this.#leaveOut('a value has a line that looks like a row of its own', merged);
    const receptor = this.read(textOf(cells[column.index]));
    if ('problem' in receptor) return this.#leaveOut(receptor.problem);
    const file = this.excluded.get(receptor.digits);
    if (file !== undefined) return this.#leaveOut(`the receptor is in ${file}`);
    const surplus = cells.slice(width).filter((cell) => cell !== '');
    if (surplus.length > 0) return this.#leaveOut('the row has more cells than the header', surplus.join(', '));
    const values = others.map(({ index }) => textOf(cells[index]) || undefined);
    const problem = this.#findTextProblem(line, values);
    if (problem !== undefined) return this.#leaveOut(problem);
    const text = formatCsvRow([receptor.text, ...values], '\n');
    const repeats = this.#findEqual(line, receptor, text);
    if (repeats !== undefined) {
      const what = this.settings.unique === 'row' ? 'is equal' : 'has the same receptor';
      return this.#leaveOut(`an earlier row ${what}`, `line ${repeats}`);
    }
    if (receptor.doubt !== undefined) this.remarks.doubtful.add(line, `${receptor.text} (${receptor.doubt})`);
    put(text);
    this.written += 1;
    return undefined;
  }

  #leaveOut(reason: string, detail?: string): string {
    this.leftOut.set(reason, (this.leftOut.get(reason) ?? 0) + 1);
    return detail === undefined ? reason : `${reason} (${detail})`;
  }

  /** Finds a text that no message can carry. @throws {ConfigurationError} for text in another encoding */
  #findTextProblem(line: number, values: readonly (string | undefined)[]): string | undefined {
    for (const [index, value = ''] of values.entries()) {
      const name = JSON.stringify(this.columns[index + 1]);
      if (value.includes('\ufffd')) {
        throw wrongEncoding(`line ${line}, column ${name}`);
      }
      if (findTextProblem(value) !== undefined) return `column ${name} has a character that no message can carry`;
    }
    return undefined;
  }

  /** Finds the line of the earlier row for which a row is left out, and notes rows that only seem to be equal. */
  #findEqual(line: number, { text, digits }: Receptor, row: string): number | undefined {
    const { unique, country } = this.settings;
    if (unique === 'row') {
      const digest = digestValues([row]);
      const equal = this.#lines.get(digest);
      if (equal !== undefined) return equal;
      this.#lines.set(digest, line);
    }
    const same = this.#lines.get(digits);
    if (same !== undefined) {
      if (unique === 'receptor') return same;
      this.remarks.repeated.add(line, text);
      return undefined;
    }
    this.#lines.set(digits, line);
    if (country !== undefined) return undefined;
    if (!this.#persons.add(digits)) this.remarks.similar.add(line, text);
    return undefined;
  }
}

/** The persons of receptors. */
class Persons {
  /** The further digits of the receptors with the same last digits, with commas: an array would take more memory. */
  readonly #further = new Map<string, string>();

  /** Adds a receptor. False when it may be of the same person as an earlier one. */
  add(receptor: string): boolean {
    const [last, digits] = [receptorLikeness(receptor), digitsIn(furtherDigits(receptor))];
    const known = this.#further.get(last);
    this.#further.set(last, known === undefined ? digits : `${known},${digits}`);
    return !known?.split(',').some((others) => areShared(digits, others));
  }
}
