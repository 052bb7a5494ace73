import type { ApiReceive } from '../../../generated/v1/definitions/ApiReceive';
import type { ApiSelect } from '../../../generated/v1/definitions/ApiSelect';
import type { HttpResponse } from '../http';
import { jsonTextResponse, writeJson } from './json';

/** True when the id, the sender, the receptor or the text has a part. @param text in lower case */
export function holds({ messageid, sender, receptor, message }: ApiSelect | ApiReceive, text: string): boolean {
  return text === '' || [String(messageid), sender, receptor, message].some((one) => one?.toLowerCase().includes(text));
}

/** Bounds the size of a response, in UTF-16 units. */
const MAX_CHARACTERS = 16_777_216;

/**
 * Responds with the newest items that match: at most `limit`, and fewer when they grow too long for one response.
 *
 * @param name the name of the list
 * @param all oldest first
 * @param write returns the JSON of an item, or false for an item that does not match
 * @param counts further fields of the response
 */
export function listResponse<T>(
  name: string,
  all: T[],
  { limit, before }: { readonly limit: number; readonly before?: bigint | undefined },
  idOf: (item: T) => bigint,
  write: (item: T) => string | false,
  counts: object = {},
): HttpResponse {
  const texts: string[] = [];
  let characters = 0;
  let last: bigint | undefined;
  /** The `before` of the next page; null on the last page. */
  let next: bigint | null = null;
  for (const item of all.reverse()) {
    const id = idOf(item);
    const text = (before === undefined || id < before) && write(item);
    if (text === false) continue;
    if (last !== undefined && (texts.length >= limit || characters > MAX_CHARACTERS)) {
      next = last;
      break;
    }
    texts.push(text);
    characters += text.length;
    last = id;
  }
  return jsonTextResponse(200, `{"${name}":[${texts.join(',')}],${writeJson({ next, ...counts }).slice(1)}`);
}
