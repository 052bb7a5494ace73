import { createReadStream, type Stats } from 'node:fs';
import { stat } from 'node:fs/promises';
import { finished } from 'node:stream/promises';
import { CsvError, type Options, parse } from 'csv-parse';
import type { InputEvents, RawRow, RowChunk } from './input';
import { InputError } from './input-error';

/** Reads the rows of a CSV file. Problems are reported; after a quote that cannot be understood no row is read. */
export async function* readCsv(path: string, { onColumns, onProblem }: InputEvents): AsyncIterable<RowChunk> {
  let columns: readonly string[] | undefined;
  let row = 0;
  try {
    for await (const records of parseCsv(readBytes(path), { bom: true, skipEmptyLines: true })) {
      if (columns === undefined && records.length > 0) {
        columns = records.shift() as readonly string[];
        for (const message of problemsOfHeader(columns)) onProblem({ message });
        onColumns(columns);
      }
      const names = columns ?? [];
      yield records.map((cells) => {
        row += 1;
        const values = readRow(names, cells);
        if (typeof values !== 'string') return values;
        onProblem({ row, message: values });
        return undefined;
      });
    }
    if (columns === undefined) onProblem({ message: 'the file has no header' });
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const last = Number(error.records);
    onProblem({ row: last > 0 ? last : undefined, message: `${error.message}; no later row was read` });
  }
}

/** Parses the pieces of a file. Records may have any number of cells. @throws {CsvError} */
export async function* parseCsv(
  pieces: AsyncIterable<Buffer | string>,
  options: Options,
): AsyncGenerator<string[][], void> {
  const parser = parse({ ...options, relaxColumnCount: true });
  const end = finished(parser).catch((error: unknown) => error);
  let records: string[][] = [];
  parser.on('data', (record: string[]) => records.push(record));
  for await (const piece of pieces) {
    parser.write(piece);
    if (parser.errored) break;
    const parsed = records;
    // The parser goes on while the consumer works.
    records = [];
    yield parsed;
  }
  parser.end();
  const error = await end;
  if (error) throw error;
  yield records;
}

/** Reads the bytes of a CSV file. @throws {InputError} when the path leads to something else, such as a workbook */
export async function* readBytes(path: string): AsyncIterable<Buffer> {
  try {
    const problem = problemOf(await stat(path));
    if (problem !== undefined) throw new InputError([{ message: `${path} ${problem}` }]);
    let isFirst = true;
    for await (const bytes of createReadStream(path, { highWaterMark: 1 << 18 }) as AsyncIterable<Buffer>) {
      const isWorkbook = isFirst && workbooks.includes(bytes.toString('hex', 0, 4));
      if (isWorkbook) throw new InputError([{ message: `${path} ${WORKBOOK}` }]);
      isFirst = false;
      yield bytes;
    }
  } catch (error) {
    const { syscall, message } = error as NodeJS.ErrnoException;
    if (syscall === undefined) throw error;
    throw new InputError([{ message: `the input cannot be read: ${message}` }]);
  }
}

/** The first bytes of .xlsx, which is a ZIP file, and of .xls. */
const workbooks: readonly string[] = ['504b0304', 'd0cf11e0'];
const WORKBOOK = 'is a workbook of a spreadsheet program: save it there as "CSV UTF-8", and name that file';

function problemOf(found: Stats): string | undefined {
  if (found.isDirectory()) return 'is a folder: name a CSV file in it';
  return found.isFile() ? undefined : 'is a pipe or a device, which can be read only once: save the rows to a file';
}

/** Node reads bytes that are not UTF-8 as this character. */
const REPLACEMENT = '\ufffd';

function* problemsOfHeader(columns: readonly string[]): Generator<string> {
  const advice = 'bulk prepare makes a clean list of such a file';
  if (columns.length === 1 && /[;\t]/.test(columns[0] as string))
    yield `the values are not separated by commas; ${advice}`;
  for (const [index, column] of columns.entries()) {
    const first = columns.indexOf(column);
    if (column === '') yield `column ${index + 1} has no name; ${advice}`;
    else if (first < index) yield `columns ${first + 1} and ${index + 1} have the same name, ${column}; ${advice}`;
  }
}

/** The values of a row by column, or what is wrong with the row. */
function readRow(columns: readonly string[], cells: readonly string[]): RawRow | string {
  if (cells.length !== columns.length) return `${countOf(cells, 'value')} for ${countOf(columns, 'column')}`;
  const values: Record<string, string> = {};
  for (let index = 0; index < columns.length; index++) {
    const [column, cell] = [columns[index] as string, cells[index] as string];
    if (cell.includes(REPLACEMENT)) return `${column}: the text has U+FFFD; save the file as UTF-8`;
    values[column] = cell;
  }
  return values;
}

function countOf({ length }: readonly string[], noun: string): string {
  return `${length} ${noun}${length === 1 ? '' : 's'}`;
}
