import { type Field, type OperationName, operations } from '../../generated/operations';
import { type ErrorContext, RequestError } from '../errors';
import { escapeText, findForbiddenCharacter, formatCodePoint } from './xml';
import { type IntegerType, integerRanges, isInRange } from './xsd';

/** Text that is written as it is; anything else is looked at more closely. */
const PLAIN = /^[^&<>\r\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]*$/;

/**
 * Writes an operation's element with its children in the order of the table, checking each value on the way, so that what
 * is not right throws before a byte leaves. A child that the request does not have is left out.
 *
 * @param xmlns the namespace as an attribute's value
 * @param request the typed stub's request: lists wrapped as on the wire
 * @throws {RequestError} for a value of another type than the contract's, out of its range, or not writable as XML 1.0
 */
export function writeOperation(
  context: ErrorContext,
  operation: OperationName,
  xmlns: string,
  request: Readonly<Record<string, unknown>>,
): string {
  let xml = `<${operation} xmlns="${xmlns}">`;
  for (const field of operations[operation].request as readonly Field[]) {
    const value = request[field.name];
    if (value === undefined) continue;
    const content =
      field.item === undefined
        ? writeValue(context, field, value)
        : writeList(context, field, field.item, (value as Record<string, unknown>)[field.item]);
    xml += `<${field.name}>${content}</${field.name}>`;
  }
  return `${xml}</${operation}>`;
}

function writeList(context: ErrorContext, field: Field, item: string, values: unknown): string {
  if (!Array.isArray(values)) {
    throw new RequestError(
      context,
      field.name,
      `${field.name}: a list of ${field.type} is needed, not ${describe(values)}`,
    );
  }
  if (values.length === 0) return '';
  if (field.type === 'string' && arePlain(values)) return `<${item}>${values.join(`</${item}><${item}>`)}</${item}>`;
  const written = new Array<string>(values.length);
  for (let index = 0; index < values.length; index++) written[index] = writeValue(context, field, values[index], index);
  return `<${item}>${written.join(`</${item}><${item}>`)}</${item}>`;
}

/** Whether all are texts that are written as they are: looking at them joined costs a third of one by one. */
function arePlain(values: readonly unknown[]): boolean {
  // By index, since an array's own methods pass over its holes.
  for (let index = 0; index < values.length; index++) if (typeof values[index] !== 'string') return false;
  return PLAIN.test(values.join(''));
}

function writeValue(context: ErrorContext, field: Field, value: unknown, index?: number): string {
  // The table's generator refuses records in requests.
  return field.type === 'string'
    ? writeText(context, field, value, index)
    : writeInteger(context, field, field.type as IntegerType, value, index);
}

function writeText(context: ErrorContext, field: Field, value: unknown, index?: number): string {
  if (typeof value !== 'string') throw wrongType(context, field, value, index);
  if (PLAIN.test(value)) return value;
  const forbidden = findForbiddenCharacter(value);
  if (forbidden) {
    const place = placeOf(field, index);
    const character = formatCodePoint(forbidden.codePoint);
    throw new RequestError(context, place, `${place}: XML 1.0 cannot carry ${character}, at index ${forbidden.index}`);
  }
  return escapeText(value);
}

function writeInteger(context: ErrorContext, field: Field, type: IntegerType, value: unknown, index?: number): string {
  if (typeof value !== 'bigint' && typeof value !== 'number') throw wrongType(context, field, value, index);
  const exact = typeof value === 'bigint' || Number.isSafeInteger(value);
  if (!exact || !isInRange(type, value)) {
    const place = placeOf(field, index);
    const { min, max } = integerRanges[type];
    const reason = exact
      ? `is not within xsd:${type} (${min} to ${max})`
      : 'is not a safe integer: give a whole number, as a bigint beyond 2^53';
    throw new RequestError(context, place, `${place}: ${value} ${reason}`);
  }
  return String(value);
}

function wrongType(context: ErrorContext, field: Field, value: unknown, index?: number): RequestError {
  const place = placeOf(field, index);
  const needed = field.type === 'string' ? 'a string' : `an xsd:${field.type} (bigint or safe integer)`;
  return new RequestError(context, place, `${place}: ${needed} is needed, not ${describe(value)}`);
}

/** The field, with the index for an entry of a list: receptor[2]. */
function placeOf(field: Field, index: number | undefined): string {
  return index === undefined ? field.name : `${field.name}[${index}]`;
}

/** A value's kind, and never the value itself: it may be a secret in the wrong place. */
function describe(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
