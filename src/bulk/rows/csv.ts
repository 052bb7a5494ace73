import { createReadStream } from 'node:fs';
import { finished } from 'node:stream/promises';
import { CsvError, type Parser, parse } from 'csv-parse';
import { InputError } from './input-error';
import type { RawRow, RowChunk, SourceEvents } from './raw-rows';

/** The rows of a CSV file. What is wrong is reported; after a quote that cannot be understood no row is read. */
export async function* readCsv(path: string, events: SourceEvents): AsyncIterable<RowChunk> {
  const rows = new CsvRows(events);
  let given = 0;
  try {
    for await (const records of parseFile(path)) {
      given += records.length;
      yield rows.read(records);
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    yield rows.read(await recordsBeforeFailure(path, given));
    rows.fail(error);
  }
  rows.finish();
}

const options = { bom: true, relaxColumnCount: true, skipEmptyLines: true } as const;

async function* parseFile(path: string): AsyncIterable<string[][]> {
  const parser = parse(options);
  const end = finished(parser).catch((error: unknown) => error);
  for await (const bytes of readFile(path)) {
    parser.write(bytes);
    if (parser.errored) break;
    yield takeAll(parser);
  }
  // The last record comes with the end, which asks for a reader.
  const rest: string[][] = [];
  parser.on('data', (record: string[]) => rest.push(record));
  parser.end();
  const error = await end;
  if (error) throw error;
  yield rest;
}

function takeAll(parser: Parser): string[][] {
  const records: string[][] = [];
  for (let record = parser.read(); record !== null; record = parser.read()) records.push(record);
  return records;
}

/**
 * A parser that fails drops the records before the failure that nobody has taken. A callback gets them; it takes twice as
 * long, so it is used here only.
 */
async function recordsBeforeFailure(path: string, skip: number): Promise<string[][]> {
  const records: string[][] = [];
  let count = 0;
  const onRecord = (record: string[]): undefined => {
    count += 1;
    if (count > skip) records.push(record);
  };
  const parser = parse({ ...options, onRecord });
  const end = finished(parser.resume()).catch(() => undefined);
  for await (const bytes of readFile(path)) {
    parser.write(bytes);
    if (parser.errored) break;
  }
  parser.end();
  await end;
  return records;
}

async function* readFile(path: string): AsyncIterable<Buffer> {
  try {
    yield* createReadStream(path, { highWaterMark: 1 << 18 });
  } catch (error) {
    const { syscall, message } = error as NodeJS.ErrnoException;
    if (syscall === undefined) throw error;
    throw new InputError([{ row: undefined, message: `the input cannot be read: ${message}` }], 1);
  }
}

/** What bytes that are not UTF-8 are read as. */
const REPLACEMENT = '\ufffd';

/** Records as rows: the first is the header. */
class CsvRows {
  readonly #events: SourceEvents;
  #columns: readonly string[] | undefined;
  #row = 0;

  constructor(events: SourceEvents) {
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
    this.#events.onProblem({ row, message: `${message}; nothing after it was read` });
  }

  finish(): void {
    if (this.#columns === undefined) this.#events.onProblem({ row: undefined, message: 'the file has no header' });
  }

  #checkHeader(columns: readonly string[]): void {
    for (const [index, column] of columns.entries()) {
      const first = columns.indexOf(column);
      if (column === '') this.#events.onProblem({ row: undefined, message: `column ${index + 1} has no name` });
      else if (first < index) {
        const message = `columns ${first + 1} and ${index + 1} have the same name, ${column}`;
        this.#events.onProblem({ row: undefined, message });
      }
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
        const message = `${column}: it holds U+FFFD, as text does that was not saved as UTF-8`;
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
