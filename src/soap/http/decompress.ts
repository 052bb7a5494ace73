import type { Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib';

/**
 * Reads the coding that a Content-Encoding names, as it is written there: in lower case, the mask would not find a key in it. No
 * coding gives undefined. Several codings are given as one unknown coding, since no service compresses twice.
 */
export function contentCoding(contentEncoding: string): string | undefined {
  const names = contentEncoding.split(',').map((name) => name.trim());
  return names.filter((name) => name !== '' && name.toLowerCase() !== 'identity').join(', ') || undefined;
}

/**
 * Creates a stream that undoes a content coding. An unknown coding gives undefined.
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
