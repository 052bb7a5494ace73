import { type ErrorContext, RequestError } from '../../errors';
import { escapeText, findForbiddenCharacter, formatCodePoint } from '../../xml/escape';
import { type IntegerType, integerRanges, isInRange } from '../../xml/integers';
import type { Field } from '../elements/legacy-fields';
import type { ItemTags, RequestPlan } from './build-request';

/** Text that needs no escaping and holds no forbidden character. */
const PLAIN = /^[^&<>\r\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]*$/;

/**
 * Writes an operation's element with its children in the order of the operation table. It checks each value, so that an invalid
 * one throws before a byte leaves. A child that the request does not have is left out.
 *
 * @param request the typed stub's request: lists wrapped as on the wire
 * @throws {RequestError} for a value of another type than the contract's, out of its range, or not writable as XML 1.0
 */
export function writeOperation(
  context: ErrorContext,
  plan: RequestPlan,
  request: Readonly<Record<string, unknown>>,
): string {
  let xml = plan.startTag;
  for (const field of plan.fields) {
    const value = request[field.name];
    if (value === undefined) continue;
    if (value === null && field.nillable) {
      // node-soap declares the prefix on the envelope.
      xml += `<${field.name} xsi:nil="true"/>`;
      continue;
    }
    const content =
      field.itemTags === undefined
        ? writeValue(context, field, value)
        : writeList(context, field, field.itemTags, (value as Record<string, unknown>)[field.itemTags.name]);
    xml += field.startTag + content + field.endTag;
  }
  return xml + plan.endTag;
}

function writeList(context: ErrorContext, field: Field, item: ItemTags, values: unknown): string {
  if (!Array.isArray(values)) {
    const message = `${field.name}: a list of ${field.type} is needed, not ${kindOf(values)}`;
    throw new RequestError({ ...context, field: field.name, message });
  }
  let xml = '';
  for (let start = 0; start < values.length; start += PART) {
    const part = values.length <= PART ? values : values.slice(start, start + PART);
    const texts =
      field.type === 'string' && !field.values && arePlain(part) ? part : writeItems(context, field, part, start);
    xml += (start === 0 ? item.startTag : item.between) + texts.join(item.between);
  }
  return values.length === 0 ? '' : xml + item.endTag;
}

/** A list is joined in parts, since V8 takes the memory of each text beyond 128 KiB from the system, and returns it. */
const PART = 256;

/** Whether no text needs escaping. Testing them joined takes a third of the time of testing each. */
function arePlain(values: readonly unknown[]): boolean {
  // By index, since an array's own methods pass over its holes.
  for (let index = 0; index < values.length; index++) if (typeof values[index] !== 'string') return false;
  return PLAIN.test(values.join(''));
}

/** @param start index of the first value in the whole list */
function writeItems(context: ErrorContext, field: Field, values: readonly unknown[], start: number): string[] {
  const texts = new Array<string>(values.length);
  for (let index = 0; index < values.length; index++) {
    texts[index] = writeValue(context, field, values[index], start + index);
  }
  return texts;
}

function writeValue(context: ErrorContext, field: Field, value: unknown, index?: number): string {
  if (field.type === 'string') return writeText(context, field, value, index);
  if (field.type === 'boolean') return writeBoolean(context, field, value, index);
  // The table's generator refuses records in requests.
  return writeInteger(context, field, field.type as IntegerType, value, index);
}

function writeBoolean(context: ErrorContext, field: Field, value: unknown, index?: number): string {
  if (typeof value !== 'boolean') throw wrongType(context, field, value, index);
  return String(value);
}

function writeText(context: ErrorContext, field: Field, value: unknown, index?: number): string {
  if (typeof value !== 'string') throw wrongType(context, field, value, index);
  if (field.values && !field.values.includes(value)) {
    const place = placeOf(field, index);
    throw new RequestError({
      ...context,
      field: place,
      message: `${place}: must be one of ${field.values.join(', ')}`,
    });
  }
  if (PLAIN.test(value)) return value;
  const forbidden = findForbiddenCharacter(value);
  if (forbidden) {
    const place = placeOf(field, index);
    const character = formatCodePoint(forbidden.codePoint);
    const message = `${place}: XML 1.0 cannot carry ${character}, at index ${forbidden.index}`;
    throw new RequestError({ ...context, field: place, message });
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
    throw new RequestError({ ...context, field: place, message: `${place}: ${value} ${reason}` });
  }
  return String(value);
}

function wrongType(context: ErrorContext, field: Field, value: unknown, index?: number): RequestError {
  const place = placeOf(field, index);
  const isPlain = field.type === 'string' || field.type === 'boolean';
  const needed = isPlain ? `a ${field.type}` : `an xsd:${field.type} (bigint or safe integer)`;
  return new RequestError({ ...context, field: place, message: `${place}: ${needed} is needed, not ${kindOf(value)}` });
}

/** The field, with the index for an entry of a list: receptor[2]. */
function placeOf(field: Field, index: number | undefined): string {
  return index === undefined ? field.name : `${field.name}[${index}]`;
}

/** A value's kind. The value itself is not shown: it may be a secret in the wrong place. */
function kindOf(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
