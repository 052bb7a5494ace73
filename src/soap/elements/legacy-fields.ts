import * as generated from '../../../generated/operations';

// The shape of the operation table before it had kinds. Code that still reads this shape moves to `Element` folder by folder.

/** An element of a request, a response or a record. */
export interface Field {
  readonly name: string;
  /** XSD type or record of the element, or of the items of a list. */
  readonly type: 'string' | 'boolean' | 'long' | 'int' | 'short' | generated.RecordName;
  /** For an enumeration: the strings that it, or each item, may be. */
  readonly values?: readonly string[];
  /** For a list: the name of its repeated child element. */
  readonly item?: string;
  /** True where the WSDL allows the element to be absent. */
  readonly optional: boolean;
  /** True where a number, boolean or enumeration, or each item of a list, may be null: an element with xsi:nil. */
  readonly nillable?: boolean;
}

/** The elements of an operation, in the contract's order. The first of the response is the result. */
export interface Operation {
  readonly request: readonly Field[];
  readonly response: readonly [result: Field, status: Field, statusmessage: Field];
}

export type OperationName = generated.OperationName;
export type RecordName = generated.RecordName;
export { service } from '../../../generated/operations';

export const operations = Object.fromEntries(
  Object.entries(generated.operations as Record<string, generated.Operation>).map(([name, { request, response }]) => [
    name,
    { request: request.map(toField), response: response.map(toField) },
  ]),
) as unknown as Record<OperationName, Operation>;

export const records = Object.fromEntries(
  Object.entries(generated.records).map(([name, fields]) => [name, fields.map(toField)]),
) as unknown as Record<RecordName, readonly Field[]>;

export function isClientElement(name: string): boolean {
  return name === 'apikey' || name === 'status' || name === 'statusmessage';
}

export function toField(element: generated.Element): Field {
  const { name, optional = false } = element;
  const value = element.kind === 'list' ? element.item : element;
  const field: { -readonly [K in keyof Field]: Field[K] } = { name, type: typeOf(value), optional };
  if (value.kind === 'enumeration') field.values = value.values;
  if (element.kind === 'list') field.item = element.item.name;
  if (value.nillable) field.nillable = true;
  return field;
}

function typeOf(element: generated.ItemElement): Field['type'] {
  switch (element.kind) {
    case 'record':
      return element.record;
    case 'integer':
      return element.type;
    case 'boolean':
      return 'boolean';
    default:
      return 'string';
  }
}
