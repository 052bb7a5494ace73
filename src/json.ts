/**
 * A replacer for `JSON.stringify` that writes a bigint as a string: JSON numbers would lose digits of a long.
 *
 * `JSON.stringify(records, bigintReplacer)`
 */
export function bigintReplacer(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? value.toString() : value;
}
