import { MAX_DELAY_MS } from '../../internal/signals';
import { FieldError, wrongField } from '../service/field-error';

/** Reads the parameters of a query. @throws {FieldError} for an unknown or a repeated parameter */
export function readQuery(query: string, known: readonly string[]): ReadonlyMap<string, string> {
  const parameters = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(query)) {
    if (!known.includes(name)) {
      const rest = known.length === 0 ? '' : `; the parameters are ${known.join(', ')}`;
      throw new FieldError(name, `unknown parameter${rest}`);
    }
    if (parameters.has(name)) throw new FieldError(name, 'given twice');
    parameters.set(name, value);
  }
  return parameters;
}

/** Default 100. */
export function readLimit(query: ReadonlyMap<string, string>): number {
  const text = query.get('limit') ?? '100';
  if (!/^0*[1-9]\d{0,8}$/.test(text)) throw wrongField('limit', text, 'a positive whole number');
  return Number(text);
}

/** The time to wait for a message, in milliseconds. Default 0. */
export function readWait(query: ReadonlyMap<string, string>): number {
  const text = query.get('wait') ?? '0';
  if (!/^\d{1,10}$/.test(text) || Number(text) > MAX_DELAY_MS) {
    throw wrongField('wait', text, `a whole number of milliseconds from 0 to ${MAX_DELAY_MS}`);
  }
  return Number(text);
}

/** The status that messages must have, or undefined for every status. */
export function readStatus(query: ReadonlyMap<string, string>): number | undefined {
  const text = query.get('status') ?? '';
  if (!/^(?:-?\d{1,10})?$/.test(text)) throw wrongField('status', text, 'a status');
  return text === '' ? undefined : Number(text);
}

/** The id that a parameter holds, or undefined without the parameter. */
export function readId(query: ReadonlyMap<string, string>, name: string): bigint | undefined {
  const text = query.get(name);
  if (text !== undefined && !/^\d{1,19}$/.test(text)) throw wrongField(name, text, 'an id');
  return text === undefined ? undefined : BigInt(text);
}

/** Bounds the size of a response, in UTF-16 units. */
const MAX_CHARACTERS = 16_777_216;

/**
 * The first items that match: at most `limit`, and fewer when they grow too long for one response.
 *
 * @returns the items, and true as `isLast` when no more items follow
 */
export function takePage<T>(
  items: Iterable<T>,
  limit: number,
  matches: (item: T) => boolean,
  lengthOf: (item: T) => number,
): { readonly page: T[]; readonly isLast: boolean } {
  const page: T[] = [];
  let characters = 0;
  for (const item of items) {
    if (!matches(item)) continue;
    if (page.length >= limit || characters > MAX_CHARACTERS) return { page, isLast: false };
    page.push(item);
    characters += lengthOf(item);
  }
  return { page, isLast: true };
}
