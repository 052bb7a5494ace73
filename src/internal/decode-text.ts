import { encodingOfMark } from '../xml/encoding';

/** Bytes are no text. The message completes a sentence that begins with the name of their file. */
export class NotText extends Error {}

/**
 * Decodes the text of a file: UTF-8, or UTF-16 with a byte order mark, as `>` of Windows PowerShell 5 writes it. The
 * mark is left out.
 *
 * @throws {NotText}
 */
export function decodeText(bytes: Buffer): string {
  const encoding = encodingOfMark(bytes) ?? 'utf-8';
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    throw new NotText(`is not ${encoding === 'utf-8' ? 'UTF-8' : 'UTF-16'}`);
  }
}
