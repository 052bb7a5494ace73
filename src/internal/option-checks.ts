import { refuseValue } from './option-table';

// Functions that read the value of an option, for several tables of options.

/** Writes a value for a message. It shows no object, because converting an object to a text may throw. */
export function showValue(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'function' || (typeof value === 'object' && value !== null)) return `the ${typeof value}`;
  return String(value);
}

export function wholeNumber(min: number, max = Number.MAX_SAFE_INTEGER): (value: unknown) => number {
  return (value) =>
    typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max
      ? value
      : refuseValue(`${showValue(value)} is not a whole number ${rangeText(min, max)}`);
}

function rangeText(min: number, max: number): string {
  return max === Number.MAX_SAFE_INTEGER ? `from ${min}` : `from ${min} to ${max}`;
}

export function trueOrFalse(value: unknown): boolean {
  return typeof value === 'boolean' ? value : refuseValue(`${showValue(value)} is neither true nor false`);
}

/** Reads a text that is not empty. @param what names the text, such as `a path` */
export function nonEmptyText(what: string): (value: unknown) => string {
  return (value) => (typeof value === 'string' && value !== '' ? value : refuseValue(`${what} is needed`));
}

export function oneOf<T extends string>(choices: readonly T[]): (value: unknown) => T {
  return (value) =>
    choices.find((choice) => choice === value) ??
    refuseValue(`${showValue(value)} is neither ${choices.map(showValue).join(' nor ')}`);
}

/** An option that is checked where it is used. */
export function unchecked<T>(): { readonly read: (value: unknown) => T } {
  return { read: (value) => value as T };
}
