import { abbreviate } from '../internal/strings';

/** A value that is not what its type says. The message begins with the name of the field. */
export class FieldError extends TypeError {
  /** @param field its path, as in `reply.fault.code`; empty for the whole value */
  constructor(field: string, what: string) {
    super(field === '' ? what : `${field}: ${what}`);
    this.name = 'FieldError';
  }
}

/** A value for an error message, shortened. */
function formatValue(value: unknown): string {
  if (typeof value === 'string') return abbreviate(JSON.stringify(value), 40);
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' && value !== null ? 'an object' : String(value);
}

export function checkText(field: string, value: unknown): asserts value is string {
  if (typeof value !== 'string') throw wrong(field, value, 'a string');
}

/** @param known the names that are allowed */
export function checkFields(field: string, value: unknown, known: readonly string[]): asserts value is object {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw wrong(field, value, 'an object');
  const unknown = Object.keys(value).find((name) => !known.includes(name));
  if (unknown !== undefined) throw new FieldError(within(field, unknown), `unknown; known are ${known.join(', ')}`);
}

/** @param what what the field must be */
export function wrong(field: string, value: unknown, what: string): FieldError {
  return new FieldError(
    field,
    value === undefined ? `missing; it must be ${what}` : `${formatValue(value)} is not ${what}`,
  );
}

/** The path of a field inside another. */
export function within(field: string, name: string): string {
  return field === '' ? name : `${field}.${name}`;
}
