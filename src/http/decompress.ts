import type { Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib';

/**
 * Returns the coding in its own spelling, so that the mask finds a key in it; several codings count as one unknown
 * coding. Returns undefined when there is no coding.
 */
export function contentCoding(contentEncoding: string): string | undefined {
  const names = contentEncoding.split(',').map((name) => name.trim());
  return names.filter((name) => name !== '' && name.toLowerCase() !== 'identity').join(', ') || undefined;
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
