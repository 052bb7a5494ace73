import type { Contract, ModelField, RecordType } from '../../src/contract/model';
import { mayBeNull } from '../../src/contract/values';
import { literal } from './literal';

/** The text of generated/operations.ts: the operation table that codec, command line and sandbox are driven by. */
export function writeTable(contract: Contract): string {
  const operations = contract.operations.map(
    ({ name, request, response }) =>
      `  ${name}: {\n    request: [\n${rows(request.fields, 6)}    ],\n    response: [\n${rows(response.fields, 6)}    ],\n  },\n`,
  );
  const records = recordsOf(contract).map(({ name, fields }) => `  ${name}: [\n${rows(fields, 4)}  ],\n`);
  const recordNames = recordsOf(contract).map(({ name }) => literal(name ?? ''));
  const { '1.1': first, '1.2': second } = contract.bindings;
  return `/** An element of a request, a response or a record. */
export interface Field {
  readonly name: string;
  /** XSD type or record of the element, or of the items of a list. */
  readonly type: 'string' | 'boolean' | 'long' | 'int' | 'short' | RecordName;
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

export type OperationName = keyof typeof operations;
export type RecordName = ${recordNames.join(' | ') || 'never'};

export const operations = {
${operations.join('')}} satisfies Record<string, Operation>;

export const records: Record<RecordName, readonly Field[]> = {
${records.join('')}};

/** The WSDL's service, its ports by SOAP version, and the placeholders that are replaced at run time. */
export const service = {
  name: ${literal(contract.service)},
  ports: { '1.1': ${literal(first?.port ?? '')}, '1.2': ${literal(second?.port ?? '')} },
  namespace: ${literal(contract.namespace)},
  address: ${literal(first?.address ?? '')},
} as const;
`;
}

/** The records of all results, each once. */
export function recordsOf({ operations }: Contract): RecordType[] {
  const records = new Map<string | undefined, RecordType>();
  for (const { type } of operations.flatMap(({ response }) => response.fields)) {
    const record = type.kind === 'list' ? type.item.type : type;
    if (record.kind === 'record' && !records.has(record.name)) records.set(record.name, record);
  }
  return [...records.values()];
}

function rows(fields: readonly ModelField[], indent: number): string {
  return fields.map((field) => `${' '.repeat(indent)}${row(field)},\n`).join('');
}

function row(field: ModelField): string {
  const { name, type, optional } = field;
  const value = type.kind === 'list' ? type.item.type : type;
  const typeName = value.kind === 'simple' || value.kind === 'record' ? value.name : 'string';
  const values = value.kind === 'enumeration' ? `, values: [${value.values.map(literal).join(', ')}]` : '';
  const item = type.kind === 'list' ? `, item: ${literal(type.item.name)}` : '';
  const nil = mayBeNull(type.kind === 'list' ? type.item : field) ? ', nillable: true' : '';
  return `{ name: ${literal(name)}, type: ${literal(typeName ?? '')}${values}${item}, optional: ${optional}${nil} }`;
}
