import { collapse, type IntegerType, integerRanges } from '../../xml/integers';

/** .NET's names of the integer types. */
const systemTypes = { short: 'Int16', int: 'Int32', long: 'Int64' } as const;

/** Copies a text. V8's substrings longer than 12 characters refer to the whole string, so a message would keep its request. */
export function detach(text: string): string {
  return text.length < 13 ? text : Buffer.from(text).toString();
}

export function isIntegerType(type: string): type is IntegerType {
  return Object.hasOwn(integerRanges, type);
}

/** What .NET says about a text that is not an integer of the type. */
export function integerError(type: IntegerType, text: string): string {
  const token = collapse(text);
  // Two patterns: with a single one, V8's backtracking overflows the stack on megabytes of digits.
  return /^[+-]?[0-9]/.test(token) && !/[^0-9]/.test(token.slice(1))
    ? `Value was either too large or too small for an ${systemTypes[type]}.`
    : 'Input string was not in a correct format.';
}
