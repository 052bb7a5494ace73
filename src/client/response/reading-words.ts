import { type Masker, maskStart } from '../../internal/mask';
import { abbreviate } from '../../internal/text';

/** The body is not the promised envelope. The message says what is wrong and in which element, without the API key. */
export class ReadError extends Error {}

/** Quotes a text of the response. It is masked before it is cut, because half an API key would pass the mask. */
export function quote(text: string, masker: Masker): string {
  return JSON.stringify(abbreviate(maskStart(text, MASKED_CHARACTERS, masker), 40));
}

/** The characters of a text that are masked: more than a message shows, because a mask may shorten the text. */
const MASKED_CHARACTERS = 16_384;

/**
 * Says that an encoding is unknown. Leaves out an odd name: it may be a part of a key, which no mask finds.
 *
 * @param name the name, or the names, as the service wrote them
 */
export function unknownEncoding(where: string, name: string, masker: Masker): string {
  return ENCODINGS.test(name) ? `unknown ${where}: ${quote(name, masker)}` : `unknown ${where}`;
}

const ENCODINGS = /^[\w.-]{1,20}(?: ?, ?[\w.-]{1,20}){0,2}$/;
