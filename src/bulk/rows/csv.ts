import { createReadStream, type Stats } from 'node:fs';
import { stat } from 'node:fs/promises';
import { finished } from 'node:stream/promises';
import { CsvError, type Options, type Parser, parse } from 'csv-parse';
import type { InputEvents, RawRow, RowChunk } from './input';
import { InputError } from './input-error';

/** Reads the rows of a CSV file. Problems are reported; after a quote that cannot be understood no row is read. */
export async function* readCsv(path: string, events: InputEvents): AsyncIterable<RowChunk> {
  const rows = new CsvRows(events);
  try {
    for await (const records of parseCsv(readBytes(path), { bom: true, skipEmptyLines: true }))
      yield rows.read(records);
    rows.finish();
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    rows.fail(error);
  }
}

/** Parses the pieces of a file. Records may have any number of cells. @throws {CsvError} */
export async function* parseCsv(
  pieces: AsyncIterable<Buffer | string>,
  options: Options,
): AsyncGenerator<string[][], void> {
  const parser = parse({ ...options, relaxColumnCount: true });
  const end = finished(parser).catch((error: unknown) => error);
  for await (const piece of pieces) {
    parser.write(piece);
    if (parser.errored) break;
    yield readAll(parser);
  }
  // csv-parse emits the last record on `end()`, and only while someone reads.
  const rest: string[][] = [];
  parser.on('data', (record: string[]) => rest.push(record));
  parser.end();
  const error = await end;
  if (error) throw error;
  yield rest;
}

function readAll(parser: Parser): string[][] {
  const records: string[][] = [];
  for (let record = parser.read(); record !== null; record = parser.read()) records.push(record);
  return records;
}

/** Reads the bytes of a CSV file. @throws {InputError} when the path leads to something else, such as a workbook */
export async function* readBytes(path: string): AsyncIterable<Buffer> {
  try {
    const problem = problemOf(await stat(path));
    if (problem !== undefined) throw new InputError([{ row: undefined, message: `${path} ${problem}` }]);
    let isFirst = true;
    for await (const bytes of createReadStream(path, { highWaterMark: 1 << 18 }) as AsyncIterable<Buffer>) {
      const isWorkbook = isFirst && workbooks.includes(bytes.toString('hex', 0, 4));
      if (isWorkbook) throw new InputError([{ row: undefined, message: `${path} ${WORKBOOK}` }]);
      isFirst = false;
      yield bytes;
    }
  } catch (error) {
    const { syscall, message } = error as NodeJS.ErrnoException;
    if (syscall === undefined) throw error;
    throw new InputError([{ row: undefined, message: `the input cannot be read: ${message}` }]);
  }
}

/** The first bytes of .xlsx, which is a ZIP file, and of .xls. */
const workbooks: readonly string[] = ['504b0304', 'd0cf11e0'];
const WORKBOOK = 'is a workbook of a spreadsheet program: save it there as "CSV UTF-8", and name that file';

/** The reason why a path is no file that can be read more than once. */
function problemOf(found: Stats): string | undefined {
  if (found.isDirectory()) return 'is a folder: name a CSV file in it';
  return found.isFile() ? undefined : 'is a pipe or a device, which can be read only once: save the rows to a file';
}

/** Node reads bytes that are not UTF-8 as this character. */
const REPLACEMENT = '\ufffd';

/** Makes rows of records. The first record is the header. */
class CsvRows {
  readonly #events: InputEvents;
  #columns: readonly string[] | undefined;
  #row = 0;

  constructor(events: InputEvents) {
    this.#events = events;
  }

  read(records: readonly (readonly string[])[]): RowChunk {
    const [header, ...others] = records;
    if (this.#columns !== undefined || header === undefined) return records.map((cells) => this.#readRow(cells));
    this.#columns = header;
    this.#checkHeader(header);
    this.#events.onColumns(header);
    return others.map((cells) => this.#readRow(cells));
  }

  fail({ message, records }: CsvError): void {
    const row = Number(records) > 0 ? Number(records) : undefined;
    this.#events.onProblem({ row, message: `${message}; no later row was read` });
  }

  finish(): void {
    if (this.#columns === undefined) this.#events.onProblem({ row: undefined, message: 'the file has no header' });
  }

  #checkHeader(columns: readonly string[]): void {
    const tell = (problem: string) =>
      this.#events.onProblem({ row: undefined, message: `${problem}; bulk prepare makes a clean list of such a file` });
    if (columns.length === 1 && /[;\t]/.test(columns[0] as string)) tell('the values are not separated by commas');
    for (const [index, column] of columns.entries()) {
      const first = columns.indexOf(column);
      if (column === '') tell(`column ${index + 1} has no name`);
      else if (first < index) tell(`columns ${first + 1} and ${index + 1} have the same name, ${column}`);
    }
  }

  #readRow(cells: readonly string[]): RawRow | undefined {
    const row = ++this.#row;
    const columns = this.#columns as readonly string[];
    if (cells.length !== columns.length) {
      this.#events.onProblem({ row, message: `${countOf(cells, 'value')} for ${countOf(columns, 'column')}` });
      return undefined;
    }
    const values: Record<string, unknown> = {};
    for (let index = 0; index < columns.length; index++) {
      const [column, cell] = [columns[index] as string, cells[index] as string];
      if (cell.includes(REPLACEMENT)) {
        const message = `${column}: the text has U+FFFD; save the file as UTF-8`;
        this.#events.onProblem({ row, message });
        return undefined;
      }
      values[column] = cell;
    }
    return values;
  }
}

function countOf({ length }: readonly string[], noun: string): string {
  return `${length} ${noun}${length === 1 ? '' : 's'}`;
}
