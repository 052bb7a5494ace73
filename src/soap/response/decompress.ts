import type { Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib';

/**
 * A stream that undoes a Content-Encoding, or undefined for an unknown one.
 *
 * @param first the first byte of the body: "deflate" means zlib's format, but some servers leave out its header
 */
export function decompressor(encoding: string, first: number): Transform | undefined {
  switch (encoding.trim().toLowerCase()) {
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
