import { declaredEncoding, encodingOfMark } from '../xml/encoding';
import type { RawDocument } from './fetch';
import { ContractError } from './problems';

/**
 * The text of an XML document. A byte order mark counts first, then the charset of the Content-Type, then what the first bytes and
 * the XML declaration say (XML 1.0, appendix F; RFC 7303).
 *
 * @throws {ContractError} when the bytes are not text in that encoding
 */
export function decodeXml({ bytes, charset }: RawDocument, file: string): string {
  const encoding = encodingOfMark(bytes) ?? charset ?? encodingOfStart(bytes) ?? declaredEncoding(bytes) ?? 'utf-8';
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    throw new ContractError([{ kind: 'broken', file, line: 1, text: `not text in the encoding ${encoding}` }]);
  }
}

/** UTF-16 without a mark: the first "<" shows in which order its bytes come. */
function encodingOfStart(bytes: Buffer): string | undefined {
  if (bytes[0] === 0x3c && bytes[1] === 0) return 'utf-16le';
  if (bytes[0] === 0 && bytes[1] === 0x3c) return 'utf-16be';
  return undefined;
}
