import { MAX_DELAY_MS } from '../internal/signals';
import { showValue, wholeNumber } from '../options/checks';
import { refuseValue } from '../options/table';

// The values of fields that come from outside: from TypeScript, the control interface and the data file. The tables of
// src/options say which fields an object has, and check it.

/** Reads an xsd:int. */
export const readInt = wholeNumber(-2_147_483_648, 2_147_483_647);

/** Reads a number of milliseconds that a timer can wait. */
export const readMs = wholeNumber(0, MAX_DELAY_MS);

export function readString(value: unknown): string {
  return typeof value === 'string' ? value : refuseValue(`${showValue(value)} is not a string`);
}

/** Reads a text that a response can carry. A response that lists half a surrogate pair would be a fault. */
export function readResponseText(value: unknown): string {
  const text = readString(value);
  return text.isWellFormed() ? text : refuseValue('the text has half a surrogate pair, which XML cannot carry');
}

/** Makes a reader that also takes null. */
export function orNull<T>(read: (value: unknown) => T): (value: unknown) => T | null {
  return (value) => (value === null ? null : read(value));
}

/** Reads an xsd:long: a bigint, a safe integer, or decimal digits, because a JSON number loses digits beyond 2^53. */
export function readLong(value: unknown): bigint {
  const isDigits = typeof value === 'string' && /^-?\d{1,19}$/.test(value);
  const isWhole = isDigits || typeof value === 'bigint' || Number.isSafeInteger(value);
  const long = isWhole ? BigInt(value as string | number | bigint) : undefined;
  return long !== undefined && BigInt.asIntN(64, long) === long
    ? long
    : refuseValue(
        `${showValue(value)} is not a whole number of 64 bits (beyond 2^53, give a bigint or a string of digits)`,
      );
}
