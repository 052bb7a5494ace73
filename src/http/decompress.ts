import type { Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib';

/**
 * Returns the coding of a body in its own spelling; several codings count as one unknown coding. Returns undefined
 * without a coding, and for `utf-8`, because some servers mix up two headers.
 *
 * @param header the Content-Encoding. A repeated header has a list
 */
export function contentCoding(header: string | readonly string[]): string | undefined {
  return codingsOf(header, /^(?:identity|utf-8)?$/i);
}

/** Returns the codings of a body beside its chunks, which HTTP has undone; undefined when there are none. */
export function transferCoding(header: string | readonly string[]): string | undefined {
  return codingsOf(header, /^(?:identity|chunked)?$/i);
}

function codingsOf(header: string | readonly string[], harmless: RegExp): string | undefined {
  const names = String(header)
    .split(',')
    .map((name) => name.trim());
  return names.filter((name) => !harmless.test(name)).join(', ') || undefined;
}

/**
 * Creates a stream that undoes a content coding, or returns undefined for an unknown coding.
 *
 * @param first the first byte of the body: "deflate" means zlib's format, but some servers leave out its header
 */
export function createDecompressor(coding: string, first: number): Transform | undefined {
  switch (coding.toLowerCase()) {
    case 'gzip':
    case 'x-gzip':
      return createGunzip();
    case 'deflate':
      return (first & 0x0f) === 8 ? createInflate() : createInflateRaw();
    case 'br':
      return createBrotliDecompress();
    default:
      return undefined;
  }
}
