import { finished } from 'node:stream/promises';
import { CsvError, type Options, parse } from 'csv-parse';
import type { InputEvents, RawRow, RowChunk } from './input';
import { InputError } from './input-error';
import { type Decoder, encodingOfUtf16, readTextFile } from './text-file';

/** A record of a CSV file. */
export interface CsvRecord {
  /** The line in which the record begins, counted from 1. */
  readonly line: number;
  readonly cells: readonly string[];
}

/** A quote where RFC 4180 allows none, or one that never ends. */
export class MisplacedQuote extends Error {
  override name = 'MisplacedQuote';

  /** @param line the line in which the record with the quote begins */
  constructor(readonly line: number) {
    super(`line ${line}: a quote is out of place; a quote inside a value is doubled: "a ""b"" c"`);
  }
}

/**
 * Parses CSV. A record ends with CRLF, LF or CR, mixed in one file too. Within quotes a line end belongs to the value,
 * as LF. A record may have any number of cells. Empty lines are left out.
 *
 * @throws {MisplacedQuote}
 */
export async function* parseCsv(
  pieces: AsyncIterable<string>,
  options: Pick<Options, 'delimiter' | 'escape' | 'trim'> = {},
): AsyncGenerator<readonly CsvRecord[], void> {
  // Otherwise the parser makes an error of each empty line, which takes a thousand times as long as to skip it.
  const skipEmptyLines = true;
  const parser = parse({ ...options, skipEmptyLines, recordDelimiter: ['\r\n', '\n', '\r'], relaxColumnCount: true });
  const end = finished(parser, { readable: false }).catch((error: unknown) => error);
  let records: CsvRecord[] = [];
  /** The line of the next record, without the empty lines before it. */
  let line = 1;
  // Not from its `data` events: they come later than the count of empty lines.
  parser.push = (cells: string[] | null) => {
    if (cells === null) return true;
    if (cells.length > 1 || cells[0] !== '') records.push({ line: line + parser.info.empty_lines, cells });
    line += 1;
    for (let index = 0; index < cells.length; index++) {
      const cell = cells[index] as string;
      if (!cell.includes('\n') && !cell.includes('\r')) continue;
      const lines = cell.split(/\r\n|\r|\n/);
      line += lines.length - 1;
      cells[index] = lines.join('\n');
    }
    return true;
  };
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
  yield records;
  if (error) throw error instanceof CsvError ? new MisplacedQuote(line + parser.info.empty_lines) : error;
}

/** Reads the rows of a CSV file in UTF-8. Problems are reported; after a misplaced quote no row is read. */
export async function* readCsv(path: string, { onColumns, onProblem }: InputEvents): AsyncIterable<RowChunk> {
  let columns: readonly string[] | undefined;
  let row = 0;
  try {
    for await (const records of parseCsv(readTextFile(path, (start) => utf8Decoder(path, start)))) {
      const rows: (RawRow | undefined)[] = [];
      const lines: number[] = [];
      for (const { cells, line } of records) {
        if (columns === undefined) {
          columns = cells;
          for (const message of problemsOfHeader(columns)) onProblem({ message, mendedBy: {} });
          onColumns(columns);
          continue;
        }
        row += 1;
        const values = readRow(columns, cells);
        if (typeof values === 'string') onProblem({ row, line, message: values, mendedBy: {} });
        rows.push(typeof values === 'string' ? undefined : values);
        lines.push(line);
      }
      yield { rows, lines };
    }
    if (columns === undefined) onProblem({ message: 'the file has no header' });
  } catch (error) {
    if (!(error instanceof MisplacedQuote)) throw error;
    const message = `${error.message.replace(/^line \d+: /, '')}; no later row was read`;
    onProblem({ row: columns && row + 1, line: error.line, message, mendedBy: {} });
  }
}

/** @throws {InputError} for a file in UTF-16 */
function utf8Decoder(path: string, start: Buffer): Decoder {
  const encoding = encodingOfUtf16(start);
  if (encoding === undefined) return new TextDecoder();
  throw new InputError([{ message: `${path} is in UTF-16: a list is in UTF-8`, mendedBy: { encoding } }]);
}

function* problemsOfHeader(columns: readonly string[]): Generator<string> {
  const [first = ''] = columns;
  if (/^sep=.?$/i.test(first)) yield 'the first line names a delimiter for spreadsheet programs, and is no header';
  else if (columns.length === 1 && /[;\t]/.test(first)) yield 'the values are not separated by commas';
  for (const [index, column] of columns.entries()) {
    const earlier = columns.indexOf(column);
    if (column === '') yield `column ${index + 1} has no name`;
    else if (earlier < index) yield `columns ${earlier + 1} and ${index + 1} have the same name, ${column}`;
  }
}

/** The values of a row by column, or what is wrong with the row. */
function readRow(columns: readonly string[], cells: readonly string[]): RawRow | string {
  if (cells.length !== columns.length) return `${countOf(cells, 'value')} for ${countOf(columns, 'column')}`;
  const values: Record<string, string> = {};
  for (let index = 0; index < columns.length; index++) values[columns[index] as string] = cells[index] as string;
  return values;
}

function countOf({ length }: readonly string[], noun: string): string {
  return `${length} ${noun}${length === 1 ? '' : 's'}`;
}
