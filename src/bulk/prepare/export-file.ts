import { CsvError } from 'csv-parse';
import { wrongOption } from '../../options/table';
import { parseCsv, readBytes } from '../rows/csv';
import { InputError } from '../rows/input-error';
import type { PrepareSettings } from './options';

/** A row of an export. */
export interface ExportRow {
  /** The line of the file in which the row begins, counted from 1. */
  readonly line: number;
  readonly cells: readonly string[];
}

/**
 * Reads the rows of a CSV file of any program. The first one is the header, if the file has a header. A byte order mark
 * decides on the encoding, as in the Encoding Standard. Rows without any text, which programs write below a table, are
 * skipped.
 *
 * @throws {InputError} when the file cannot be read; {ConfigurationError}
 */
export async function* readExport(
  path: string,
  { delimiter, encoding }: Pick<PrepareSettings, 'encoding'> & Partial<Pick<PrepareSettings, 'delimiter'>>,
): AsyncGenerator<ExportRow, void> {
  const options = {
    delimiter: delimiter ?? (await recogniseDelimiter(path, encoding)),
    recordDelimiter: ['\r\n', '\n', '\r'],
  };
  let line = 1;
  try {
    for await (const records of parseCsv(readText(path, encoding), options)) {
      for (const cells of records) {
        // Excel reads the delimiter in a line of its own, which is no row.
        const isDelimiter = line === 1 && /^sep=.?$/.test(cells.join(''));
        if (!isDelimiter && cells.some((cell) => cell.trim() !== '')) yield { line, cells };
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
async function* readText(path: string, encoding: string): AsyncGenerator<string, void> {
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

/** Finds the delimiter in the first line that has text. @throws {ConfigurationError} when two may be meant */
async function recogniseDelimiter(path: string, encoding: string): Promise<string> {
  let text = '';
  for await (text of readText(path, encoding)) break;
  const named = /^sep=(.)/.exec(text)?.[1];
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

function countLineEnds(cells: readonly string[]): number {
  return cells.reduce((sum, cell) => sum + (cell.match(/\r\n|\r|\n/g)?.length ?? 0), 0);
}
