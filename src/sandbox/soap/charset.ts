import type { ContentType } from '../../internal/content-type';
import { encodingOf, encodingOfMark } from '../../xml/encoding';

/**
 * Decodes the body of a request. A byte order mark wins over the charset parameter. Without both, text/xml is ASCII
 * whatever the XML declaration says, and the encoding of application/soap+xml follows from its first bytes and its
 * declaration.
 */
export function decodeBody(body: Buffer, { mediaType, parameters }: ContentType): string {
  // An unknown charset counts as absent.
  const charset = decoderOf(parameters.get('charset')) && parameters.get('charset')?.trim();
  if (!charset && !encodingOfMark(body) && mediaType.startsWith('text/')) return decodeAscii(body);
  const decode = decoderOf(encodingOf(body, charset)) ?? decodeUtf8;
  return decode(body);
}

type Decoder = (body: Buffer) => string;

function decodeUtf8(body: Buffer): string {
  return body.toString('utf8');
}

/** One question mark for each byte above 127. */
function decodeAscii(body: Buffer): string {
  return body.toString('latin1').replace(/[\x80-\xff]/g, '?');
}

function decodeLatin1(body: Buffer): string {
  return body.toString('latin1');
}

function decoderOf(label: string | undefined): Decoder | undefined {
  const name = label?.trim().toLowerCase();
  if (!name) return undefined;
  if (name === 'utf-8' || name === 'utf8') return decodeUtf8;
  try {
    const decoder = new TextDecoder(name);
    // TextDecoder reads ASCII and ISO 8859-1 as windows-1252.
    if (decoder.encoding === 'windows-1252' && !name.includes('1252')) {
      return /ascii|ansi/.test(name) ? decodeAscii : decodeLatin1;
    }
    return (body) => decoder.decode(body);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_ENCODING_NOT_SUPPORTED') return undefined;
    throw error;
  }
}
