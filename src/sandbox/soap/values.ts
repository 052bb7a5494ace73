import { detach } from '../../internal/strings';
import type { IntegerElement } from '../../soap/element';
import { type PlainValue, parseValue, type ValueElement } from '../../soap/values';
import { collapse } from '../../xml/integers';

/** .NET's names of the integer types. */
const systemTypes = { short: 'Int16', int: 'Int32', long: 'Int64' } as const;

/**
 * Reads the text of an element as an argument of the operation.
 *
 * @throws {ArgumentError} with .NET's own words for a text that is not of the element's type
 */
export function readArgument(element: ValueElement, text: string): PlainValue {
  const value = parseValue(element, text);
  if (value === undefined) throw new ArgumentError(describeProblem(element, text));
  return typeof value === 'string' ? detach(value) : value;
}

/** A text that is not a value of its element's type. */
export class ArgumentError extends Error {}

/** Says what .NET says about a text that is not of the element's type. */
function describeProblem(element: ValueElement, text: string): string {
  switch (element.kind) {
    case 'enumeration':
      return `Instance validation error: '${text}' is not a valid value.`;
    case 'boolean':
      return `The string '${collapse(text)}' is not a valid Boolean value.`;
    case 'integer':
      return describeInteger(element, collapse(text));
    case 'text':
      return 'Input string was not in a correct format.';
  }
}

function describeInteger({ type }: IntegerElement, token: string): string {
  // Two patterns: with a single one, V8's backtracking overflows the stack on megabytes of digits.
  return /^[+-]?[0-9]/.test(token) && !/[^0-9]/.test(token.slice(1))
    ? `Value was either too large or too small for an ${systemTypes[type]}.`
    : 'Input string was not in a correct format.';
}
