import type { ContentType } from '../../internal/content-type';
import { createDecoder, decodeBytes, encodingOf, encodingOfMark, isAsciiLabel } from '../../xml/encoding';

/**
 * Decodes the body of a request. A byte order mark wins over the charset parameter. Without both, text/xml is ASCII
 * whatever the XML declaration says, and the encoding of application/soap+xml follows from its first bytes and its
 * declaration. An unknown charset counts as absent.
 */
export function decodeBody(body: Buffer, { mediaType, parameters }: ContentType): string {
  const given = parameters.get('charset')?.trim();
  const charset = nameOf(given) && given;
  if (!charset && !encodingOfMark(body) && mediaType.startsWith('text/')) return decodeAscii(body);
  const label = encodingOf(body, charset);
  const name = nameOf(label);
  if (isAsciiLabel(label)) return decodeAscii(body);
  // The Encoding Standard reads ISO 8859-1 as windows-1252.
  if (name === 'windows-1252' && !label.includes('1252')) return body.toString('latin1');
  return decodeBytes(body, name ?? 'utf-8');
}

/** Returns the name of an encoding, or undefined for an unknown label. */
function nameOf(label: string | undefined): string | undefined {
  // Making a decoder takes longer than the usual body.
  if (label && /^utf-?8$/i.test(label)) return 'utf-8';
  try {
    return label ? createDecoder(label).encoding : undefined;
  } catch {
    return undefined;
  }
}

/** One question mark for each byte above 127. */
function decodeAscii(body: Buffer): string {
  return body.toString('latin1').replace(/[\x80-\xff]/g, '?');
}
