/** A declaration is shorter than this number of bytes. */
const DECLARATION_BYTES = 200;

/** The encoding that a byte order mark stands for (XML 1.0, appendix F), or undefined when there is no mark. */
export function encodingOfMark(bytes: Buffer): 'utf-8' | 'utf-16be' | 'utf-16le' | undefined {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return 'utf-8';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  return undefined;
}

/** The order of the bytes of UTF-16 without a mark, which the "<" that comes first shows (XML 1.0, appendix F). */
export function encodingOfStart(bytes: Buffer): 'utf-16be' | 'utf-16le' | undefined {
  if (bytes[0] === 0 && bytes[1] === 0x3c) return 'utf-16be';
  if (bytes[0] === 0x3c && bytes[1] === 0) return 'utf-16le';
  return undefined;
}

/** The encoding that an XML declaration in an ASCII-compatible encoding names, as it is written there. */
export function declaredEncoding(bytes: Buffer): string | undefined {
  const start = bytes.toString('latin1', 0, DECLARATION_BYTES);
  return /^<\?xml[^>]*?\sencoding\s*=\s*["']([A-Za-z][\w.-]*)["']/.exec(start)?.[1];
}
