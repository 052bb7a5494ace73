import type { ContentType } from '../../internal/content-type';
import { decodeBytes, encodingOf, encodingOfMark, isAsciiLabel, standardNameOf } from '../../xml/encoding';

/**
 * Decodes the body of a request. A byte order mark wins over the charset parameter. Without both, text/xml is ASCII
 * whatever the XML declaration says, and the encoding of application/soap+xml follows from its first bytes and its
 * declaration. An unknown charset counts as absent.
 */
export function decodeBody(body: Buffer, { mediaType, parameters }: ContentType): string {
  const given = parameters.get('charset')?.trim();
  const charset = given && standardNameOf(given) && given;
  if (!charset && !encodingOfMark(body) && mediaType.startsWith('text/')) return decodeAscii(body);
  const label = encodingOf(body, charset);
  const name = standardNameOf(label);
  if (isAsciiLabel(label)) return decodeAscii(body);
  // The Encoding Standard reads ISO 8859-1 as windows-1252.
  if (name === 'windows-1252' && !label.includes('1252')) return body.toString('latin1');
  return decodeBytes(body, name ?? 'utf-8');
}

/** One question mark for each byte above 127. */
function decodeAscii(body: Buffer): string {
  return body.toString('latin1').replace(/[\x80-\xff]/g, '?');
}
