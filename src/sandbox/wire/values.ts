import { detach } from '../../internal/strings';
import type { Field } from '../../soap/elements/legacy-fields';
import { collapse, type IntegerType, integerRanges, parseInteger } from '../../xml/integers';

/** .NET's names of the integer types. */
const systemTypes = { short: 'Int16', int: 'Int32', long: 'Int64' } as const;

export function isIntegerType(type: string): type is IntegerType {
  return Object.hasOwn(integerRanges, type);
}

/**
 * The value of an element's text.
 *
 * @throws {ArgumentError} with what .NET says about a text that is not of the type
 */
export function readValue({ type, values }: Field, text: string): unknown {
  if (values && !values.includes(text))
    throw new ArgumentError(`Instance validation error: '${text}' is not a valid value.`);
  if (type === 'boolean') {
    const token = collapse(text);
    if (!/^(?:true|false|1|0)$/.test(token))
      throw new ArgumentError(`The string '${token}' is not a valid Boolean value.`);
    return token === 'true' || token === '1';
  }
  if (!isIntegerType(type)) return detach(text);
  const value = parseInteger(type, text);
  if (value === undefined) throw new ArgumentError(integerError(type, text));
  return value;
}

/** A text is not a value of its element's type. */
export class ArgumentError extends Error {}

/** What .NET says about a text that is not an integer of the type. */
function integerError(type: IntegerType, text: string): string {
  const token = collapse(text);
  // Two patterns: with a single one, V8's backtracking overflows the stack on megabytes of digits.
  return /^[+-]?[0-9]/.test(token) && !/[^0-9]/.test(token.slice(1))
    ? `Value was either too large or too small for an ${systemTypes[type]}.`
    : 'Input string was not in a correct format.';
}
