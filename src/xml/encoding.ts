import { TextDecoder } from 'node:util';
import { isBlank } from './integers';

/** The number of bytes that are searched for a declaration. Every declaration is shorter. */
const DECLARATION_BYTES = 200;

/**
 * Finds the encoding of an XML document (XML 1.0, appendix F; RFC 7303). A byte order mark counts first, then the
 * charset of the Content-Type, then the first bytes, then the XML declaration. A document without all of these is in
 * UTF-8.
 *
 * @param charset the charset of the Content-Type, if there is one. An unknown label such as UTF_8 counts as absent
 * @returns `utf-8`, or the label of another encoding as the document or the header spells it
 */
export function encodingOf(bytes: Buffer, charset?: string): string {
  const mark = encodingOfMark(bytes);
  if (mark) return mark;
  if (charset && isKnownEncoding(charset)) {
    return /^utf-16$/i.test(charset) ? (encodingOfStart(bytes) ?? charset) : nameOf(charset);
  }
  const start = encodingOfStart(bytes);
  if (start) return start;
  const declared = declaredEncoding(bytes) ?? 'utf-8';
  // A declaration that is readable as ASCII is not in UTF-16. .NET writes such documents through a string.
  return /^utf-16/i.test(declared) ? 'utf-8' : nameOf(declared);
}

/** The encoding that a byte order mark names, or undefined when there is no mark. */
export function encodingOfMark(bytes: Buffer): 'utf-8' | 'utf-16be' | 'utf-16le' | undefined {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return 'utf-8';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  return undefined;
}

/** The order of the bytes of UTF-16 without a mark. The "<" at the start of every document shows this order. */
function encodingOfStart(bytes: Buffer): 'utf-16be' | 'utf-16le' | undefined {
  if (bytes[0] === 0 && bytes[1] === 0x3c) return 'utf-16be';
  if (bytes[0] === 0x3c && bytes[1] === 0) return 'utf-16le';
  return undefined;
}

/** The encoding that an XML declaration in an ASCII-compatible encoding names, in the spelling of the declaration. */
export function declaredEncoding(bytes: Buffer): string | undefined {
  const start = bytes.toString('latin1', 0, DECLARATION_BYTES);
  return /^<\?xml[^>]*?\sencoding\s*=\s*["']([A-Za-z][\w.-]*)["']/.exec(start)?.[1];
}

/** Keeps the spelling of a label, so that a mask finds a key in it. Only UTF-8 gets one spelling. */
function nameOf(label: string): string {
  return /^utf-?8$/i.test(label) ? 'utf-8' : label;
}

export function isKnownEncoding(label: string): boolean {
  return standardNameOf(label) !== undefined;
}

/** The name of an encoding in the Encoding Standard; undefined for an unknown label. */
export function standardNameOf(label: string): string | undefined {
  // Making a decoder takes longer than reading a small text.
  if (nameOf(label) === 'utf-8') return 'utf-8';
  try {
    return createDecoder(label).encoding;
  } catch {
    return undefined;
  }
}

/** The labels of ASCII. The Encoding Standard takes ASCII for windows-1252, but services that name it write UTF-8. */
const ASCII = /^(?:(?:us-)?ascii|ansi_x3\.4-1968)$/i;

export function isAsciiLabel(label: string): boolean {
  return ASCII.test(label);
}

/**
 * Creates a decoder for an encoding. It must be given `stream: true` for all bytes, and is then called without bytes:
 * otherwise Node 20 reads windows-1252 as ISO 8859-1.
 *
 * @param fatal true for a decoder that throws a TypeError for bytes that are no text; they become U+FFFD otherwise
 * @throws {RangeError} for an unknown label
 */
export function createDecoder(label: string, { fatal = false } = {}): TextDecoder {
  return new TextDecoder(isAsciiLabel(label) ? 'utf-8' : label, { fatal });
}

/** Reads UTF-8 as a whole. Making a decoder takes longer than reading a small text. */
const UTF8 = new TextDecoder();

/** Decodes bytes as `createDecoder` does. @param isCut true to leave out a character that is cut at the end */
export function decodeBytes(bytes: Buffer, label: string, { fatal = false, isCut = false } = {}): string {
  if (label === 'utf-8' && !fatal && !isCut) return UTF8.decode(bytes);
  const decoder = createDecoder(label, { fatal });
  const text = decoder.decode(bytes, { stream: true });
  return isCut ? text : text + decoder.decode();
}

const MARK = Buffer.from('\ufeff');

/**
 * Removes blanks in front of a document. XML allows none before its declaration, but scripts send them: a line break
 * after the end of a part, or a byte order mark in front of another part. A mark stays.
 */
export function withoutBlanksInFront(bytes: Buffer): Buffer {
  let [start, isMarked] = [0, false];
  for (;;) {
    // A zero follows a blank in UTF-16.
    if (isBlank(bytes[start]) && bytes[start + 1] !== 0) start += 1;
    else if (bytes.subarray(start, start + MARK.length).equals(MARK)) [start, isMarked] = [start + MARK.length, true];
    else break;
  }
  if (start === (isMarked ? MARK.length : 0)) return bytes;
  return isMarked ? Buffer.concat([MARK, bytes.subarray(start)]) : bytes.subarray(start);
}
