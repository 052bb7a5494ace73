import type { ApiReceive } from '../../../generated/v1/definitions/ApiReceive';
import type { ApiSelect } from '../../../generated/v1/definitions/ApiSelect';
import type { HttpResponse } from '../http';
import { jsonTextResponse, writeJson } from './json';
import type { Filter } from './parameters';

/** Makes a function that is true for a message that a filter finds. */
export function matcherOf(filter: Filter): (record: ApiSelect | ApiReceive) => boolean {
  const { search, sender, receptor, message, startUnixdate, endUnixdate } = filter;
  // A list of 100,000 messages asks for each of them.
  const checks: ((record: ApiSelect | ApiReceive) => boolean)[] = [];
  if (search !== '') checks.push((record) => holds(record, search));
  if (sender !== '') checks.push((record) => hasPart(record.sender, sender));
  if (receptor !== '') checks.push((record) => hasPart(record.receptor, receptor));
  if (message !== '') checks.push((record) => hasPart(record.message, message));
  if (startUnixdate !== undefined || endUnixdate !== undefined) checks.push(({ date }) => isInTime(date, filter));
  return checks.length === 0 ? () => true : (record) => checks.every((check) => check(record));
}

/** True when the id, the sender, the receptor or the text has a part. */
function holds({ messageid, sender, receptor, message }: ApiSelect | ApiReceive, part: string): boolean {
  if (hasPart(message, part) || hasPart(receptor, part) || hasPart(sender, part)) return true;
  // Writing an id takes longer than looking for a part of a text.
  return /^\d+$/.test(part) && String(messageid).includes(part);
}

/** True when a text has a part. @param part in lower case */
export function hasPart(text: string | undefined, part: string): boolean {
  return part === '' || text?.toLowerCase().includes(part) === true;
}

export function isInTime(date: bigint, { startUnixdate, endUnixdate }: Filter): boolean {
  return (startUnixdate === undefined || date >= startUnixdate) && (endUnixdate === undefined || date <= endUnixdate);
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
