import { type ClientElement, operations } from '../../../generated/operations';
import { isCheckedPart, mistakeIn } from '../../messages/mistakes';
import { refuseValue } from '../../options/table';
import type { Element } from '../../soap/element';
import { explainText, findValueProblem, parseValue, type ValueElement } from '../../soap/values';
import type { MessagingRequest } from '../../types';

/** The operations that send rows: the client's methods with the contract's names. */
export const bulkOperations = {
  sendSimple: 'SendSimpleByApikey',
  sendArray: 'SendArrayByApikey',
  sendAdvance: 'SendAdvance',
} as const satisfies Readonly<Record<string, keyof typeof operations>>;

export type BulkOperation = keyof typeof bulkOperations;
type Operation = (typeof bulkOperations)[BulkOperation];

/** A row has an item of each list, and an item cannot be left out. */
type RowValue<T> = [Extract<T, readonly unknown[]>] extends [never] ? T : Extract<T, readonly unknown[]>[number];

/** Values for all rows, by the contract's names. Null leaves an element out, where the contract allows it. */
export type BulkFields = {
  readonly [K in FieldName]?:
    | { [O in Operation]: K extends keyof MessagingRequest<O> ? RowValue<MessagingRequest<O>[K]> : never }[Operation]
    | undefined;
};

type FieldName = Exclude<{ [O in Operation]: keyof MessagingRequest<O> }[Operation], ClientElement>;

/** The field whose value the program makes, one for each row, when none is given. */
export const ID_FIELD = 'clientmessageid';

/** The fields by whose values a service may cut its listings. No operation has all of them. */
export const KIND_FIELDS: readonly string[] = ['unixdate', 'msgmode', 'messagemode', 'encoding'];

/** A field's value in one row, or an item where the operation takes a list. Null leaves it out, or makes it nil. */
export type FieldValue = string | number | bigint | boolean | null;

/** A field of a row. */
export interface RowField {
  readonly name: string;
  /** The element of the value of one row. */
  readonly element: ValueElement;
  /** True when the request has a list with an item for each row. */
  readonly isList: boolean;
  /** True where a row may leave the field out, or where it may be nil. */
  readonly allowsNull: boolean;
  /** True for a field that no row needs to give. */
  readonly omittable: boolean;
}

/** The fields of a row, in the contract's order. */
export function bulkFields(operation: BulkOperation): readonly RowField[] {
  const { request }: { readonly request: readonly Element[] } = operations[bulkOperations[operation]];
  return request.filter(({ filledByClient }) => !filledByClient).map(fieldOf);
}

/** The fields that a row had when its list began. A field that the contract has no more is a text. */
export function recordedFields(operation: BulkOperation, names: readonly string[]): readonly RowField[] {
  const known = new Map(bulkFields(operation).map((field) => [field.name, field]));
  return names.map(
    (name) =>
      known.get(name) ?? { name, element: { name, kind: 'text' }, isList: false, allowsNull: true, omittable: false },
  );
}

function fieldOf(element: Element): RowField {
  const isList = element.kind === 'list';
  const value = isList ? element.item : element;
  // The generator accepts no records in a request.
  if (value.kind === 'record') throw new Error(`${element.name} is a record`);
  const allowsNull = value.nillable === true || (!isList && element.optional === true);
  return { name: element.name, element: value, isList, allowsNull, omittable: element.omittable === true };
}

/**
 * The value of a field as it is sent.
 *
 * @param how.isText true for a value from a file, where every value is a text
 * @param how.asIs true to accept an empty text, and a receptor that is no number
 * @throws {WrongValue} when the contract's type refuses the value
 */
export function checkValue(
  { name, element, allowsNull }: RowField,
  given: unknown,
  { isText, asIs }: { readonly isText: boolean; readonly asIs: boolean },
): FieldValue {
  if (given === null && allowsNull) return null;
  const value = isText ? parseValue(element, given as string) : given;
  if (value === undefined && isText) refuseValue(`${JSON.stringify(given)} ${explainText(element, given as string)}`);
  const problem = findValueProblem(element, value);
  if (problem !== undefined) refuseValue(problem);
  const mistake = !asIs && isCheckedPart(name) ? mistakeIn(name, String(value)) : undefined;
  if (mistake !== undefined) refuseValue(mistake);
  if (element.kind !== 'integer') return value as string | boolean;
  return element.type === 'long' ? BigInt(value as number) : Number(value);
}

/** A row as it is sent: the values of bulkFields, in their order. The program makes the id that is undefined. */
export type RowValues = readonly (FieldValue | undefined)[];

/** The fields by which a listed message is matched to a row. An absent text is null. */
export interface MessageKey {
  readonly sender?: string | null | undefined;
  readonly receptor?: string | null | undefined;
  readonly message?: string | null | undefined;
}

/** Makes a function that picks the message's fields from a row. */
export function messageReader(fields: readonly RowField[]): (values: RowValues) => MessageKey {
  const names = fields.map(({ name }) => name);
  const [sender, receptor, message] = (['sender', 'receptor', 'message'] as const).map((name) => names.indexOf(name));
  const text = (values: RowValues, index: number | undefined) => values[index as number] as string | null;
  return (values) => ({
    sender: text(values, sender),
    receptor: text(values, receptor),
    message: text(values, message),
  });
}
