/** The integer types of XML Schema that the contract uses, with their ranges. */
export const integerRanges = {
  short: { min: -32_768n, max: 32_767n },
  int: { min: -2_147_483_648n, max: 2_147_483_647n },
  long: { min: -9_223_372_036_854_775_808n, max: 9_223_372_036_854_775_807n },
} as const;

export type IntegerType = keyof typeof integerRanges;

/** The first number beyond each range, since comparing a number with a bigint is slow. */
const limits = { short: 2 ** 15, int: 2 ** 31, long: 2 ** 63 } as const;

/** True when a whole number is within the type's range. A number must be a safe integer. */
export function isInRange(type: IntegerType, value: bigint | number): boolean {
  if (typeof value === 'number') return value >= -limits[type] && value < limits[type];
  return value >= integerRanges[type].min && value <= integerRanges[type].max;
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

function isBlank(unit: number): boolean {
  return unit === 0x20 || unit === 0x09 || unit === 0x0a || unit === 0x0d;
}
