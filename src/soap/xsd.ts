/** The integer types of XML Schema that the contract uses, with their ranges. */
export const integerRanges = {
  short: { min: -32_768n, max: 32_767n },
  int: { min: -2_147_483_648n, max: 2_147_483_647n },
  long: { min: -9_223_372_036_854_775_808n, max: 9_223_372_036_854_775_807n },
} as const;

export type IntegerType = keyof typeof integerRanges;

/**
 * The value of an integer's text, or undefined if the text is none of the type. Blanks around it, a plus sign and leading
 * zeros are legal (XML Schema part 2, section 3.3.13). A long is a bigint and never passes through a double.
 */
export function parseInteger(type: IntegerType, text: string): bigint | number | undefined {
  const match = /^[ \t\r\n]*([+-]?)([0-9]+)[ \t\r\n]*$/.exec(text);
  if (!match) return undefined;
  const [, sign, digits = ''] = match;
  const magnitude = digits.replace(/^0+(?=.)/, '');
  // 19 digits hold every long; the check keeps a megabyte of digits from becoming a bigint.
  if (magnitude.length > 19) return undefined;
  const value = sign === '-' ? -BigInt(magnitude) : BigInt(magnitude);
  const { min, max } = integerRanges[type];
  if (value < min || value > max) return undefined;
  return type === 'long' ? value : Number(value);
}
