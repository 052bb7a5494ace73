import { splitAddress } from '../../src/contract/model/addresses';
import { type Contract, type ModelField, mayBeNull, type RecordType } from '../../src/contract/model/model';
import { clientElements } from './client-elements';
import { literal } from './literal';

/** Writes the text of generated/operations.ts, the table that the client, the command line and the sandbox work from. */
export function writeTable(contract: Contract): string {
  const operations = contract.operations.map(
    ({ name, request, response }) =>
      `  ${name}: {\n    request: [\n${rows(request.fields, 6, true)}    ],\n    response: [\n${rows(response.fields, 6)}    ],\n  },\n`,
  );
  const records = recordsOf(contract).map(({ name, fields }) => `  ${name}: [\n${rows(fields, 4)}  ],\n`);
  const recordNames = recordsOf(contract).map(({ name }) => literal(name ?? ''));
  const { '1.1': first, '1.2': second } = contract.bindings;
  return `/** An element of a request, a response or a record, or an item of a list. Its \`kind\` says what it contains. */
export type Element = TextElement | BooleanElement | IntegerElement | EnumerationElement | RecordElement | ListElement;

interface AnyElement {
  /** The local name, in the namespace of the service. */
  readonly name: string;
  /** True when the WSDL allows the element to be absent. Items of a list have no \`optional\`, because a list may be empty. */
  readonly optional?: true;
  /** True when the element may be null, which is xsi:nil on the wire. Text, records and lists are absent instead. */
  readonly nillable?: true;
  /** True for an element of a request that the client fills in itself. */
  readonly filledByClient?: true;
}

/** An xsd:string. */
export interface TextElement extends AnyElement {
  readonly kind: 'text';
}

/** An xsd:boolean. */
export interface BooleanElement extends AnyElement {
  readonly kind: 'boolean';
}

/** A whole number. Its \`type\` is a type of XML Schema, which defines the range. */
export interface IntegerElement extends AnyElement {
  readonly kind: 'integer';
  readonly type: 'long' | 'int' | 'short';
}

/** One of the listed strings. */
export interface EnumerationElement extends AnyElement {
  readonly kind: 'enumeration';
  readonly values: readonly string[];
}

/** Elements side by side. */
export interface RecordElement extends AnyElement {
  readonly kind: 'record';
  readonly record: RecordName;
}

/** A parent element that contains only repeated items. */
export interface ListElement extends AnyElement {
  readonly kind: 'list';
  readonly item: ItemElement;
}

/** An item of a list. */
export type ItemElement = Exclude<Element, ListElement>;

/** The elements of an operation, in the contract's order. The first of the response is the result. */
export interface Operation {
  readonly request: readonly Element[];
  readonly response: readonly [result: Element, status: Element, statusmessage: Element];
}

export type OperationName = keyof typeof operations;
export type RecordName = ${recordNames.join(' | ') || 'never'};
/** The elements of requests that the client fills in itself. */
export type ClientElement = ${[...clientElements].map(literal).join(' | ')};

export const operations = {
${operations.join('')}} satisfies Record<string, Operation>;

export const records: Record<RecordName, readonly Element[]> = {
${records.join('')}};

/**
 * The WSDL's service, its ports by SOAP version, and its own namespace and address. The client posts to the base URL followed by
 * the path, which includes the query.
 */
export const service = {
  name: ${literal(contract.service)},
  ports: { '1.1': ${literal(first?.port ?? '')}, '1.2': ${literal(second?.port ?? '')} },
  namespace: ${literal(contract.namespace)},
  address: ${literal(first?.address ?? '')},
  path: ${literal(splitAddress(first?.address ?? '')?.path ?? '')},
} as const;
`;
}

/** Gives the records of all results, each once. */
export function recordsOf({ operations }: Contract): RecordType[] {
  const records = new Map<string | undefined, RecordType>();
  for (const { type } of operations.flatMap(({ response }) => response.fields)) {
    const record = type.kind === 'list' ? type.item.type : type;
    if (record.kind === 'record' && !records.has(record.name)) records.set(record.name, record);
  }
  return [...records.values()];
}

function rows(fields: readonly ModelField[], indent: number, isRequest = false): string {
  return fields.map((field) => `${' '.repeat(indent)}${row(field, isRequest)},\n`).join('');
}

function row(field: ModelField, isRequest: boolean): string {
  const optional = field.optional ? ', optional: true' : '';
  const filled = isRequest && clientElements.has(field.name) ? ', filledByClient: true' : '';
  return `{ name: ${literal(field.name)}, ${content(field)}${optional}${filled} }`;
}

function content(field: ModelField): string {
  const { type } = field;
  const nillable = mayBeNull(field) ? ', nillable: true' : '';
  switch (type.kind) {
    case 'text':
      return `kind: 'text'`;
    case 'boolean':
      return `kind: 'boolean'${nillable}`;
    case 'integer':
      return `kind: 'integer', type: ${literal(type.type)}${nillable}`;
    case 'enumeration':
      return `kind: 'enumeration', values: [${type.values.map(literal).join(', ')}]${nillable}`;
    case 'record':
      return `kind: 'record', record: ${literal(type.name ?? '')}`;
    case 'list':
      return `kind: 'list', item: { name: ${literal(type.item.name)}, ${content(type.item)} }`;
    case 'unsupported':
      // The reader has reported the type, so that no file is generated.
      throw new Error(`the type ${type.name} cannot be generated`);
  }
}
