interface Range {
  readonly min: bigint | number;
  readonly max: bigint | number;
}

/** The smallest and the largest value of each type of whole numbers in XML Schema. */
export const integerRanges = {
  byte: { min: -128, max: 127 },
  short: { min: -32_768, max: 32_767 },
  int: { min: -2_147_483_648, max: 2_147_483_647 },
  long: { min: -9_223_372_036_854_775_808n, max: 9_223_372_036_854_775_807n },
  unsignedByte: { min: 0, max: 255 },
  unsignedShort: { min: 0, max: 65_535 },
  unsignedInt: { min: 0, max: 4_294_967_295 },
  unsignedLong: { min: 0, max: 18_446_744_073_709_551_615n },
  integer: { min: -Infinity, max: Infinity },
  negativeInteger: { min: -Infinity, max: -1 },
  nonPositiveInteger: { min: -Infinity, max: 0 },
  nonNegativeInteger: { min: 0, max: Infinity },
  positiveInteger: { min: 1, max: Infinity },
} as const;

/** The types that the contract uses. */
export type IntegerType = 'short' | 'int' | 'long';

/** True when a whole number is within the type's range. A number must be a safe integer. */
export function isInRange(type: IntegerType, value: bigint | number): boolean {
  const { min, max }: Range = integerRanges[type];
  return value >= min && value <= max;
}

/** True when both names are those of types of whole numbers, and the outer type has all values of the inner type. */
export function isRangeWithin(inner: string, outer: string): boolean {
  const ranges: Readonly<Record<string, Range | undefined>> = integerRanges;
  const [narrow, wide] = [ranges[inner], ranges[outer]];
  return narrow !== undefined && wide !== undefined && narrow.min >= wide.min && narrow.max <= wide.max;
}

/** The limit for the text of an integer, in characters. V8's matcher runs out of stack on megabytes of digits. */
const MAX_LENGTH = 1000;

/**
 * Returns the value of an integer's text, or undefined when the text is not a number of the type. White space around
 * it, a plus sign and leading zeros are legal (XML Schema part 2, section 3.3.13). A long is a bigint and never passes
 * through a double.
 */
export function parseInteger(type: IntegerType, text: string): bigint | number | undefined {
  const token = collapse(text);
  return token.length > MAX_LENGTH || !/^[+-]?0*[0-9]{1,19}$/.test(token) ? undefined : integerOf(type, token);
}

/** True when a text is written as a whole number, of whatever size. */
export function isIntegerText(text: string): boolean {
  return /^\s*[+-]?\d+\s*$/.test(text);
}

/** Returns the value of digits with or without a sign, or undefined when the value is outside the type's range. */
export function integerOf(type: IntegerType, digits: string): bigint | number | undefined {
  if (type === 'long') {
    const value = BigInt(digits);
    // 18 digits are always in range.
    return digits.length < 19 || isInRange(type, value) ? value : undefined;
  }
  // Adding 0 turns -0 into 0.
  const value = Number(digits) + 0;
  return digits.length < 5 || isInRange(type, value) ? value : undefined;
}

/** Removes XML's white space around a text. */
export function collapse(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isBlank(text.charCodeAt(start))) start++;
  while (end > start && isBlank(text.charCodeAt(end - 1))) end--;
  return text.slice(start, end);
}

/** True for a character of XML's white space. */
export function isBlank(unit: number | undefined): boolean {
  return unit === 0x20 || unit === 0x09 || unit === 0x0a || unit === 0x0d;
}
