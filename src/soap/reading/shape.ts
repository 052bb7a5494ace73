import { type Field, type OperationName, operations, type RecordName, records } from '../../../generated/operations';
import type { IntegerType } from '../xsd';

/** What an element holds, as the readers need it: the operation table with its names resolved. */
export type Shape = TextShape | NumberShape | ListShape | RecordShape;

export interface TextShape {
  readonly kind: 'text';
}

export interface NumberShape {
  readonly kind: 'number';
  readonly type: IntegerType;
}

/** A parent element with repeated children (contract, section 4, rule 8). */
export interface ListShape {
  readonly kind: 'list';
  readonly itemName: string;
  readonly item: TextShape | NumberShape | RecordShape;
}

/** Elements side by side: one of the records, or a response element. */
export interface RecordShape {
  readonly kind: 'record';
  readonly fields: readonly FieldShape[];
}

export interface FieldShape {
  readonly name: string;
  readonly shape: Shape;
  readonly optional: boolean;
}

/** A response element: `<Operation>Response` with result, status and statusmessage. */
export interface ResponseShape extends RecordShape {
  readonly namespace: string;
  readonly operation: OperationName;
  /** `<Operation>Response` */
  readonly name: string;
}

export function responseShape(namespace: string, operation: OperationName): ResponseShape {
  const [result, ...statuses] = operations[operation].response.map(fieldShape);
  return {
    kind: 'record',
    namespace,
    operation,
    name: `${operation}Response`,
    // A refusing status wins over a missing result, so whether that is an error is seen once all is read.
    fields: [{ ...(result as FieldShape), optional: true }, ...statuses],
  };
}

function fieldShape(field: Field): FieldShape {
  const item = valueShape(field.type);
  const shape: Shape = field.item === undefined ? item : { kind: 'list', itemName: field.item, item };
  return { name: field.name, shape, optional: field.optional };
}

function valueShape(type: Field['type']): TextShape | NumberShape | RecordShape {
  if (type === 'string') return { kind: 'text' };
  if (type === 'long' || type === 'int' || type === 'short') return { kind: 'number', type };
  return recordShape(type);
}

function recordShape(name: RecordName): RecordShape {
  return { kind: 'record', fields: records[name].map(fieldShape) };
}
