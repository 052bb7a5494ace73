import { CsvError } from 'csv-parse';
import { wrongOption } from '../../options/table';
import { parseCsv, readBytes } from '../rows/csv';
import { InputError } from '../rows/input-error';

/** A row of an export. */
export interface ExportRow {
  /** The line of the file in which the row begins, counted from 1. */
  readonly line: number;
  readonly cells: readonly string[];
}

/** How the text of an export is read. */
export interface ExportFormat {
  /** Default: comma, semicolon or tab, whichever the first line has. */
  readonly delimiter?: string | undefined;
  /** A label of the Encoding Standard. Default: UTF-8. */
  readonly encoding?: string | undefined;
}

/**
 * Reads the rows of a CSV file of any program. The first one is the header, if the file has a header. A byte order mark
 * decides on the encoding, as in the Encoding Standard.
 *
 * @param onEmptyRow called for a row without any text. Programs write such rows below a table. They are left out.
 * @throws {InputError} when the file cannot be read; {ConfigurationError}
 */
export async function* readExport(
  path: string,
  { delimiter, encoding }: ExportFormat,
  onEmptyRow?: () => void,
): AsyncGenerator<ExportRow, void> {
  const texts = readText(path, encoding);
  const start = (await texts.next()).value ?? '';
  const options = {
    delimiter: delimiter ?? recogniseDelimiter(path, start),
    recordDelimiter: ['\r\n', '\n', '\r'],
  };
  let line = 1;
  try {
    for await (const records of parseCsv(rest(start, texts), options)) {
      for (const cells of records) {
        // Excel reads the delimiter in a line of its own, which is no row.
        const isDelimiter = line === 1 && /^sep=.?$/.test(cells.join(''));
        if (cells.every((cell) => cell.trim() === '')) onEmptyRow?.();
        else if (!isDelimiter) yield { line, cells };
        line += 1 + countLineEnds(cells);
      }
    }
  } catch (error) {
    throw error instanceof CsvError ? new InputError([{ message: `${path}: ${error.message}` }]) : error;
  }
}

/**
 * The number of bytes that are parsed at once. The rows of a larger piece outlive V8's collections of young objects.
 */
const PIECE = 1 << 14;

/** Reads a file as text. */
async function* readText(path: string, encoding = 'utf-8'): AsyncGenerator<string, void> {
  // Node's own decoder is wrong for windows-1252, euc-kr, big5 and others, and lacks some encodings of the standard.
  const { getBOMEncoding, TextDecoder } = await import('@exodus/bytes/encoding.js');
  let decoder: InstanceType<typeof TextDecoder> | undefined;
  for await (const bytes of readBytes(path)) {
    try {
      decoder ??= new TextDecoder(getBOMEncoding(bytes) ?? encoding);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      throw wrongOption('encoding', `${JSON.stringify(encoding)} is no encoding: give a name such as windows-1256`);
    }
    for (let offset = 0; offset < bytes.length; offset += PIECE)
      yield decoder.decode(bytes.subarray(offset, offset + PIECE), { stream: true });
  }
  if (decoder) yield decoder.decode();
}

async function* rest(start: string, texts: AsyncIterable<string>): AsyncGenerator<string, void> {
  yield start;
  yield* texts;
}

const DELIMITERS = [',', ';', '\t'] as const;

/** Finds the delimiter in the first line that has text. @throws {ConfigurationError} when two may be meant */
function recogniseDelimiter(path: string, text: string): string {
  const named = /^sep=(.)/.exec(text)?.[1];
  if (named !== undefined) return named;
  const [header = ''] = text.replace(/"[^"]*"/g, 'x').match(/^.*[^\s,;].*$/m) ?? [];
  const counts = DELIMITERS.map((delimiter) => ({ delimiter, count: header.split(delimiter).length - 1 }));
  const [one, other] = counts.sort((a, b) => b.count - a.count) as [(typeof counts)[0], (typeof counts)[0]];
  if (one.count > 0 && one.count === other.count)
    throw wrongOption('delimiter', `the header of ${path} has several kinds of delimiters: name the right one`);
  return one.delimiter;
}

/** The text of a cell. Programs write a text as the formula `="0912"`, so that spreadsheet programs keep it. */
export function textOf(cell = ''): string {
  return cell.replace(/^="((?:[^"]|"")*)"$/, (_, text: string) => text.replaceAll('""', '"'));
}

function countLineEnds(cells: readonly string[]): number {
  return cells.reduce((sum, cell) => sum + (cell.match(/\r\n|\r|\n/g)?.length ?? 0), 0);
}
