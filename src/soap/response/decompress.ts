import type { Transform } from 'node:stream';

/**
 * A stream that undoes a Content-Encoding, or undefined for an unknown one.
 *
 * @param first the first byte of the body: "deflate" means zlib's format, but some servers leave out its header
 */
export function decompressor(encoding: string, first: number): Transform | undefined {
  // Loaded when an answer needs it: most never do.
  const { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } =
    require('node:zlib') as typeof import('node:zlib');
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
