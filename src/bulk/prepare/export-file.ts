import { parse } from 'csv-parse/sync';
import { wrongOption } from '../../options/table';
import { type CsvRecord, MisplacedQuote, parseCsv } from '../rows/csv';
import { type Decoder, encodingOfUtf16, readTextFile } from '../rows/text-file';
import type { PrepareSettings } from './options';

/** A row of an export, or lines of it that cannot be read. */
export interface ExportRow extends CsvRecord {
  /** True for a line with a quote that is out of place. It has one cell, the whole line. */
  readonly isBroken?: boolean;
}

type FileSettings = Pick<PrepareSettings, 'encoding'> & Partial<Pick<PrepareSettings, 'delimiter' | 'escape'>>;

/**
 * Reads the rows of a CSV file of any program. The first one is the header, if the file has a header. A byte order mark
 * decides on the encoding, as in the Encoding Standard. Rows without any text, which programs write below a table, are
 * skipped.
 *
 * @throws {InputError} when the file cannot be read; {ConfigurationError}
 */
export async function* readExport(path: string, settings: FileSettings): AsyncGenerator<ExportRow, void> {
  const { encoding } = settings;
  const delimiter = settings.delimiter ?? (await recogniseDelimiter(path, encoding));
  const options = { delimiter, ...(settings.escape && { escape: '\\' }) };

  try {
    for await (const records of parseCsv(readText(path, encoding), options)) {
      for (const record of records) {
        if (isRow(record)) yield record;
      }
    }
  } catch (error) {
    if (!(error instanceof MisplacedQuote)) throw error;
    // From here on each line is read by itself, so that the row with the quote is left out and the others stay.
    for await (const record of readLines(readText(path, encoding), error.line, options))
      if (isRow(record)) yield record;
  }
}

/** False for a row without text, and for the line in which Excel reads the delimiter. */
function isRow({ line, cells }: ExportRow): boolean {
  return cells.some((cell) => cell.trim() !== '') && !(line === 1 && /^sep=.?$/i.test(cells.join('')));
}

/** The number of lines that a value may have in a file with misplaced quotes. */
const MAX_VALUE_LINES = 20;

/**
 * Reads the records of a file with misplaced quotes, from a line on. A line that is no record by itself begins a value
 * of several lines, or is broken.
 */
async function* readLines(
  pieces: AsyncIterable<string>,
  from: number,
  options: { readonly delimiter: string; readonly escape?: string },
): AsyncGenerator<ExportRow, void> {
  let line = 1;
  let waiting: string[] = [];
  function* take(isEnd: boolean): Generator<ExportRow> {
    while (waiting.length > 0 && (isEnd || waiting.length > MAX_VALUE_LINES)) {
      const { cells, lines } = firstRecord(waiting, options);
      yield cells === undefined ? { line, cells: [waiting[0] as string], isBroken: true } : { line, cells };
      waiting = waiting.slice(lines);
      line += lines;
    }
  }
  for await (const text of splitLines(pieces)) {
    if (line + waiting.length < from) {
      line += 1;
      continue;
    }
    waiting.push(text);
    yield* take(false);
  }
  yield* take(true);
}

/** Reads the record with which lines begin, and says how many lines it takes. */
function firstRecord(lines: readonly string[], options: { readonly delimiter: string; readonly escape?: string }) {
  for (let count = 1; count <= Math.min(lines.length, MAX_VALUE_LINES); count++) {
    const text = lines.slice(0, count).join('\n');
    if (count > 1 && !text.includes('"')) break;
    // Some programs put blanks around a quoted value.
    for (const trim of [false, true]) {
      try {
        const [cells = [''], ...others] = parse(text, { ...options, trim, relaxColumnCount: true }) as string[][];
        if (others.length === 0) return { cells, lines: count };
      } catch {
        // This many lines are no record.
      }
    }
  }
  return { cells: undefined, lines: 1 };
}

async function* splitLines(pieces: AsyncIterable<string>): AsyncGenerator<string, void> {
  let rest = '';
  for await (const piece of pieces) {
    const text = rest + piece;
    // The line feed of a CRLF may be in the next piece.
    const whole = text.endsWith('\r') ? text.slice(0, -1) : text;
    const lines = whole.split(/\r\n|\r|\n/);
    rest = (lines.pop() ?? '') + text.slice(whole.length);
    yield* lines;
  }
  if (rest !== '') yield rest.replace(/\r$/, '');
}

/** Reads a file as text. */
async function* readText(path: string, encoding: string): AsyncGenerator<string, void> {
  // Node's own decoder is wrong for windows-1252, euc-kr, big5 and others, and lacks some encodings of the standard.
  const { getBOMEncoding, TextDecoder } = await import('@exodus/bytes/encoding.js');
  yield* readTextFile(path, (start): Decoder => {
    try {
      return new TextDecoder(getBOMEncoding(start) ?? encodingOfUtf16(start) ?? encoding);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      throw wrongOption('encoding', `${JSON.stringify(encoding)} is no encoding: give a name such as windows-1256`);
    }
  });
}

/** Finds the delimiter in the first line that has text. @throws {ConfigurationError} when two may be meant */
async function recogniseDelimiter(path: string, encoding: string): Promise<string> {
  let text = '';
  for await (text of readText(path, encoding)) break;
  const named = /^sep=(.)/i.exec(text)?.[1];
  if (named !== undefined) return named;
  const [header = ''] = text.replace(/"[^"]*"/g, 'x').match(/^.*[^\s,;].*$/m) ?? [];
  const counts = [',', ';', '\t'].map((delimiter) => ({ delimiter, count: header.split(delimiter).length - 1 }));
  const [one, other] = counts.sort((a, b) => b.count - a.count) as [(typeof counts)[0], (typeof counts)[0]];
  if (one.count > 0 && one.count === other.count)
    throw wrongOption('delimiter', `the header of ${path} has several kinds of delimiters: name the right one`);
  return one.delimiter;
}

/** The text of a cell. Programs write a text as the formula `="0912"`, so that spreadsheet programs keep it. */
export function textOf(cell = ''): string {
  return cell.replace(/^="((?:[^"]|"")*)"$/, (_, text: string) => text.replaceAll('""', '"'));
}
