/**
 * Replaces each bigint with a string, for `JSON.stringify`. A JSON number would lose digits of a long.
 *
 * @example
 * const json = JSON.stringify(await client.selectLatest({ pagesize: 10 }), bigintReplacer);
 */
export function bigintReplacer(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? value.toString() : value;
}
