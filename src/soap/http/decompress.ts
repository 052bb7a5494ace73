import type { Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib';

/**
 * The coding that a Content-Encoding names, in lower case; undefined for none. Several are given as one, which is unknown: no service
 * compresses twice.
 */
export function contentCoding(contentEncoding: string): string | undefined {
  const names = contentEncoding.split(',').map((name) => name.trim().toLowerCase());
  return names.filter((name) => name !== '' && name !== 'identity').join(', ') || undefined;
}

/**
 * A stream that undoes a content coding, or undefined for an unknown one.
 *
 * @param first the first byte of the body: "deflate" means zlib's format, but some servers leave out its header
 */
export function decompressor(encoding: string, first: number): Transform | undefined {
  switch (encoding) {
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
