import { type Field, type OperationName, operations, type RecordName, records } from '../../../generated/operations';
import type { IntegerType } from '../../xml/integers';

/** What an element holds, as the readers need it: the operation table with its names resolved. */
export type Schema = TextSchema | NumberSchema | ListSchema | RecordSchema;

export interface TextSchema {
  readonly kind: 'text';
}

export interface NumberSchema {
  readonly kind: 'number';
  readonly type: IntegerType;
}

/** A parent element with repeated children (contract, section 4, rule 8). */
export interface ListSchema {
  readonly kind: 'list';
  readonly itemName: string;
  readonly item: TextSchema | NumberSchema | RecordSchema;
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
}

/** A response element: `<Operation>Response` with result, status and statusmessage. */
export interface ResponseSchema extends RecordSchema {
  readonly namespace: string;
  readonly operation: OperationName;
  /** `<Operation>Response` */
  readonly name: string;
}

export function responseSchema(namespace: string, operation: OperationName): ResponseSchema {
  const [result, ...statuses] = operations[operation].response.map(fieldSchema);
  return {
    kind: 'record',
    namespace,
    operation,
    name: `${operation}Response`,
    // A refusing status wins over a missing result, so whether that is an error is seen once all is read.
    fields: [{ ...(result as FieldSchema), optional: true }, ...statuses],
  };
}

function fieldSchema(field: Field): FieldSchema {
  const item = valueSchema(field.type);
  const schema: Schema = field.item === undefined ? item : { kind: 'list', itemName: field.item, item };
  return { name: field.name, schema, optional: field.optional };
}

function valueSchema(type: Field['type']): TextSchema | NumberSchema | RecordSchema {
  if (type === 'string') return { kind: 'text' };
  if (type === 'long' || type === 'int' || type === 'short') return { kind: 'number', type };
  return recordSchema(type);
}

function recordSchema(name: RecordName): RecordSchema {
  return { kind: 'record', fields: records[name].map(fieldSchema) };
}
