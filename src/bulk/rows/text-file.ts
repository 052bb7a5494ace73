import { createReadStream, type Stats } from 'node:fs';
import { stat } from 'node:fs/promises';
import { encodingOfMark } from '../../xml/encoding';
import { InputError } from './input-error';

/** The number of bytes that are decoded at once. Rows of a larger piece outlive V8's collections of young objects. */
const PIECE = 1 << 14;

/** Decodes the pieces of a file, without its byte order mark. */
export interface Decoder {
  decode(bytes?: Uint8Array, options?: { readonly stream: boolean }): string;
}

/**
 * Reads a file as text.
 *
 * @param decoderOf makes the decoder from the first bytes of the file
 * @throws {InputError} when the path leads to something else, such as a workbook or a web page
 */
export async function* readTextFile(path: string, decoderOf: (start: Buffer) => Decoder): AsyncGenerator<string, void> {
  let decoder: Decoder | undefined;
  /** What may be the end of the file with the mark that DOS programs write there. */
  let held = '';
  let isStart = true;
  for await (const bytes of readBytes(path)) {
    if (isStart && WORKBOOKS.includes(bytes.toString('hex', 0, 4)))
      throw new InputError([{ message: `${path} ${WORKBOOK}` }]);
    decoder ??= decoderOf(bytes);
    for (let offset = 0; offset < bytes.length; offset += PIECE) {
      const text = held + decoder.decode(bytes.subarray(offset, offset + PIECE), { stream: true });
      if (isStart) refuseOtherKinds(path, text);
      isStart = false;
      const end = endOf(text);
      held = text.slice(end);
      yield text.slice(0, end);
    }
  }
  held += decoder?.decode() ?? '';
  yield held.slice(0, endOf(held));
}

/** The place of the mark that DOS programs write at the end of a file, with the line ends around it. */
function endOf(text: string): number {
  const mark = text.lastIndexOf('\x1a');
  // A pattern for all of it would be tried at each line end of a file that has many.
  if (mark < 0 || text.slice(mark + 1).replace(/[\r\n]/g, '') !== '') return text.length;
  let end = mark;
  while (text[end - 1] === '\n' || text[end - 1] === '\r') end -= 1;
  return end;
}

/** Reads the bytes of a file. @throws {InputError} */
async function* readBytes(path: string): AsyncIterable<Buffer> {
  try {
    const problem = problemOf(await stat(path));
    if (problem !== undefined) throw new InputError([{ message: `${path} ${problem}` }]);
    yield* createReadStream(path, { highWaterMark: 1 << 18 }) as AsyncIterable<Buffer>;
  } catch (error) {
    const { syscall, message } = error as NodeJS.ErrnoException;
    if (syscall === undefined) throw error;
    throw new InputError([{ message: `the input cannot be read: ${message}` }]);
  }
}

function problemOf(found: Stats): string | undefined {
  if (found.isDirectory()) return 'is a folder: name a CSV file in it';
  return found.isFile() ? undefined : 'is a pipe or a device, which can be read only once: save the rows to a file';
}

/** The first bytes of .xlsx, which is a ZIP file, and of .xls. */
const WORKBOOKS: readonly string[] = ['504b0304', 'd0cf11e0'];
const WORKBOOK = 'is a workbook of a spreadsheet program: save it there as "CSV UTF-8", and name that file';

/** The beginnings of files that people take for CSV, with what to do. */
const otherKinds: readonly (readonly [start: RegExp, is: string])[] = [
  [
    /^\s*(?:<!--(?:(?!-->).)*-->\s*)*<(?:!doctype|html|head|table|meta|\?xml)\b/is,
    'is a web page or XML, which some programs save as .xls: open it in a spreadsheet program, save it as "CSV UTF-8", and name that file',
  ],
  [/^\s*BEGIN:VCARD/i, 'is a vCard: import it into a spreadsheet program, save it as "CSV UTF-8", and name that file'],
  [/^\s*(?:\[\s*[[{]|\{\s*")/, 'is JSON: convert it to CSV in UTF-8, and name that file'],
  [/^\s*%PDF-/, 'is a PDF: ask for the same table as CSV'],
];

function refuseOtherKinds(path: string, start: string): void {
  const [, is] = otherKinds.find(([pattern]) => pattern.test(start)) ?? [];
  if (is !== undefined) throw new InputError([{ message: `${path} ${is}` }]);
}

/** Names the kind of UTF-16 of a file by its byte order mark, or by the zero in its first character. */
export function encodingOfUtf16(start: Buffer): 'utf-16le' | 'utf-16be' | undefined {
  const mark = encodingOfMark(start);
  if (mark !== undefined) return mark === 'utf-8' ? undefined : mark;
  if (start.length > 1 && start[1] === 0) return 'utf-16le';
  return start.length > 1 && start[0] === 0 ? 'utf-16be' : undefined;
}
