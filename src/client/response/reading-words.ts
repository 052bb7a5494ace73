import type { Masker } from '../../internal/mask';
import { abbreviate } from '../../internal/text';

/** The body is not the promised envelope. The message says what is wrong and in which element, without the API key. */
export class ReadError extends Error {}

/** Quotes a text of the response. It is masked before it is cut, because half an API key would pass the mask. */
export function quote(text: string, { mask }: Masker): string {
  return JSON.stringify(abbreviate(mask(text), 40));
}

/** Says that an encoding is unknown. Leaves out an odd name: it may be a part of a key, which no mask finds. */
export function unknownEncoding(where: string, name: string, masker: Masker): string {
  return /^[\w.-]{1,20}$/.test(name) ? `unknown ${where}: ${quote(name, masker)}` : `unknown ${where}`;
}
