import { abbreviate } from '../../internal/strings';
import { isInRange } from '../../xml/integers';

/** A value that is not of its type. The message begins with the name of the field. */
export class FieldError extends TypeError {
  /** @param field the path of the field, such as `reply.fault.code`; empty for the whole value */
  constructor(field: string, what: string) {
    super(field === '' ? what : `${field}: ${what}`);
    this.name = 'FieldError';
  }
}

/** Says that a field has a wrong value or none. @param what what the field must be */
export function wrongField(field: string, value: unknown, what: string): FieldError {
  return new FieldError(
    field,
    value === undefined ? `missing; it must be ${what}` : `${formatField(value)} is not ${what}`,
  );
}

/** Writes a value for an error message, shortened. */
function formatField(value: unknown): string {
  if (typeof value === 'string') return abbreviate(JSON.stringify(value), 40);
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' && value !== null ? 'an object' : String(value);
}

export function checkText(field: string, value: unknown): asserts value is string {
  if (typeof value !== 'string') throw wrongField(field, value, 'a string');
}

export function checkInt(field: string, value: unknown): asserts value is number {
  if (!Number.isInteger(value) || !isInRange('int', value as number)) throw wrongField(field, value, 'an xsd:int');
}

/** @param known the names that are allowed */
export function checkFields(field: string, value: unknown, known: readonly string[]): asserts value is object {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw wrongField(field, value, 'an object');
  const unknown = Object.keys(value).find((name) => !known.includes(name));
  if (unknown !== undefined) {
    throw new FieldError(fieldPath(field, unknown), `unknown field; the fields are ${known.join(', ')}`);
  }
}

/** The path of a field inside another field. */
export function fieldPath(field: string, name: string): string {
  return field === '' ? name : `${field}.${name}`;
}
