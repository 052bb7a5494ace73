import { FieldError, wrong } from './checks';

/** The parameters of a query by name. @throws {FieldError} for an unknown or a repeated one */
export function readQuery(query: string, known: readonly string[]): ReadonlyMap<string, string> {
  const parameters = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(query)) {
    if (!known.includes(name)) {
      throw new FieldError(
        name,
        known.length === 0 ? 'unknown parameter' : `unknown parameter; known are ${known.join(', ')}`,
      );
    }
    if (parameters.has(name)) throw new FieldError(name, 'given twice');
    parameters.set(name, value);
  }
  return parameters;
}

/** Default 100. */
export function readLimit(query: ReadonlyMap<string, string>): number {
  const text = query.get('limit') ?? '100';
  if (!/^0*[1-9]\d{0,8}$/.test(text)) throw wrong('limit', text, 'a positive whole number');
  return Number(text);
}

/** The id that a parameter holds, or undefined without the parameter. */
export function readId(query: ReadonlyMap<string, string>, name: string): bigint | undefined {
  const text = query.get(name);
  if (text !== undefined && !/^\d{1,19}$/.test(text)) throw wrong(name, text, 'an id');
  return text === undefined ? undefined : BigInt(text);
}

/** Bounds the size of an answer, in UTF-16 units. */
const MAX_CHARACTERS = 16_777_216;

/**
 * The first items that match: at most `limit`, and no more than an answer should hold.
 *
 * @returns the items, and whether more would follow
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
