import { type Field, isClientElement, operations } from '../../soap/elements/legacy-fields';
import { findForbiddenCharacter, formatCodePoint } from '../../xml/escape';
import { type IntegerType, integerRanges, isInRange, parseInteger } from '../../xml/integers';
import type { PlanOptions } from '../journal/records';

/** The operations that send rows, as the client's methods are called, with the contract's names. */
export const bulkOperations = {
  sendSimple: 'SendSimpleByApikey',
  sendArray: 'SendArrayByApikey',
} as const satisfies Record<PlanOptions['operation'], keyof typeof operations>;

export type BulkOperation = keyof typeof bulkOperations;

/** A field's value in one row: an entry where the operation takes a list. Null leaves the element out. */
export type FieldValue = string | number | bigint | null;

/** The fields of a row, in the contract's order. */
export function bulkFields(operation: BulkOperation): readonly Field[] {
  return operations[bulkOperations[operation]].request.filter(({ name }) => !isClientElement(name));
}

/** A value that cannot be sent. */
export class ValueError extends Error {}

/**
 * A value as it is sent.
 *
 * @param isText whether the value comes from a file, where numbers are texts too
 * @throws {ValueError} when the contract's type refuses it
 */
export function checkValue(field: Field, value: unknown, isText: boolean): FieldValue {
  if (value === null && field.optional && field.item === undefined) return null;
  if (field.type !== 'string') return checkNumber(field.type as IntegerType, value, isText);
  const text = checkText(value);
  // What a service does with it is not shown in the contract, and nobody means it.
  if (field.name === 'receptor' && text.trim() === '') throw new ValueError('it is empty');
  return text;
}

function checkText(value: unknown): string {
  if (typeof value !== 'string') throw new ValueError(`a string is needed, not ${kindOf(value)}`);
  const forbidden = findForbiddenCharacter(value);
  if (forbidden === undefined) return value;
  throw new ValueError(`XML 1.0 cannot carry ${formatCodePoint(forbidden.codePoint)}, at index ${forbidden.index}`);
}

function checkNumber(type: IntegerType, value: unknown, isText: boolean): bigint | number {
  const { min, max } = integerRanges[type];
  if (isText) {
    const number = parseInteger(type, value as string);
    if (number !== undefined) return number;
    throw new ValueError(`${JSON.stringify(value)} is not a whole number from ${min} to ${max}`);
  }
  if (typeof value !== 'bigint' && typeof value !== 'number') {
    throw new ValueError(`an xsd:${type} (bigint or safe integer) is needed, not ${kindOf(value)}`);
  }
  const isExact = typeof value === 'bigint' || Number.isSafeInteger(value);
  if (!isExact || !isInRange(type, value)) throw new ValueError(`${value} is not a whole number from ${min} to ${max}`);
  return type === 'long' ? BigInt(value) : Number(value);
}

function kindOf(value: unknown): string {
  return value === null || value === undefined ? String(value) : Array.isArray(value) ? 'a list' : `a ${typeof value}`;
}
