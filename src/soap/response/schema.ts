import type { IntegerType } from '../../xml/integers';
import { type Field, type OperationName, operations, type RecordName, records } from '../elements/legacy-fields';

/** What an element holds, as the readers need it: the operation table with its names resolved. */
export type Schema = ItemSchema | ListSchema;

/** What a list may hold. */
export type ItemSchema = TextSchema | ValueSchema | RecordSchema;

/** What is never empty, so that an element without a right value is an error. */
export type ValueSchema = NumberSchema | BooleanSchema | EnumerationSchema;

export interface TextSchema {
  readonly kind: 'text';
}

export interface NumberSchema {
  readonly kind: 'number';
  readonly type: IntegerType;
}

export interface BooleanSchema {
  readonly kind: 'boolean';
}

export interface EnumerationSchema {
  readonly kind: 'enumeration';
  readonly values: readonly string[];
}

/** A parent element with repeated children (contract, section 4, rule 8). */
export interface ListSchema {
  readonly kind: 'list';
  readonly itemName: string;
  readonly item: ItemSchema;
  /** Whether an item may be nil, which is null. */
  readonly nillable: boolean;
}

/** Elements side by side: one of the records, or a response element. */
export interface RecordSchema {
  readonly kind: 'record';
  readonly fields: readonly FieldSchema[];
}

export interface FieldSchema {
  readonly name: string;
  readonly schema: Schema;
  readonly optional: boolean;
  /** Whether the element may be nil, which is null. */
  readonly nillable: boolean;
}

/** A response element, with result, status and statusmessage. */
export interface ResponseSchema extends RecordSchema {
  readonly namespace: string;
  readonly name: string;
}

/** The name of an operation's response element (contract, section 4, rule 2). */
export function responseNameOf(operation: string): string {
  return `${operation}Response`;
}

export function responseSchema(namespace: string, operation: OperationName): ResponseSchema {
  const [result, ...statuses] = operations[operation].response.map(fieldSchema);
  return {
    kind: 'record',
    namespace,
    name: responseNameOf(operation),
    // A refusing status wins over a missing result, so whether that is an error is seen once all is read.
    fields: [{ ...(result as FieldSchema), optional: true }, ...statuses],
  };
}

function fieldSchema({ name, type, values, item: itemName, optional, nillable = false }: Field): FieldSchema {
  const item: ItemSchema = values ? { kind: 'enumeration', values } : itemSchema(type);
  if (itemName === undefined) return { name, schema: item, optional, nillable };
  return { name, schema: { kind: 'list', itemName, item, nillable }, optional, nillable: false };
}

function itemSchema(type: Field['type']): ItemSchema {
  if (type === 'string') return { kind: 'text' };
  if (type === 'boolean') return { kind: 'boolean' };
  if (type === 'long' || type === 'int' || type === 'short') return { kind: 'number', type };
  return recordSchema(type);
}

function recordSchema(name: RecordName): RecordSchema {
  return { kind: 'record', fields: records[name].map(fieldSchema) };
}
