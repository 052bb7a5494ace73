import { declaredEncoding, encodingOfMark, encodingOfStart } from '../../xml/encoding';
import { ContractError } from '../model/problems';
import type { RawDocument } from './fetch';

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
