import { encodingOf } from '../../xml/encoding';
import { ContractError } from '../model/problems';
import type { RawDocument } from './fetch';

/**
 * Decodes the bytes of an XML document.
 *
 * @throws {ContractError} when the bytes are not text in their encoding
 */
export function decodeXml({ bytes, charset }: RawDocument, file: string): string {
  const encoding = encodingOf(bytes, charset);
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    throw new ContractError([{ kind: 'broken', file, line: 1, text: `not text in the encoding ${encoding}` }]);
  }
}
