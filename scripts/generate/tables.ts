import { type ModelField, type RecordType, splitAddress } from '../../src/contract/model/model';
import type { Element, ItemElement } from '../../src/soap/element';
import type { NamedContract } from './methods';
import { clientElements } from './rules';

/** Writes the text of generated/operations.ts, the table that client, command line and sandbox work from. */
export function writeTable(contract: NamedContract): string {
  const operations = contract.operations.map(({ name, request, response }) => [
    name,
    {
      request: request.fields.map((field) => elementOf(field, clientElements.has(field.name), field.omittable)),
      response: response.fields.map((field) => elementOf(field)),
    },
  ]);
  const records = recordsOf(contract).map(({ name, fields }) => [name, fields.map((field) => elementOf(field))]);
  const names = records.map(([name]) => print(name));
  const omittable = contract.operations.flatMap(({ name, request }) => {
    const fields = request.fields.filter((field) => field.omittable).map((field) => print(field.name));
    return fields.length > 0 ? `  ${propertyName(name)}: ${fields.join(' | ')};\n` : [];
  });
  const methods = contract.operations.map(({ name, method }) => [name, method]);
  const { '1.1': first, '1.2': second } = contract.bindings;
  const address = first?.address ?? '';
  const service = {
    name: contract.service,
    ports: { '1.1': first?.port, '1.2': second?.port },
    namespace: contract.namespace,
    address,
    path: splitAddress(address)?.path,
  };
  return `import type { Element, Operation } from '../src/soap/element';

export type OperationName = keyof typeof operations;
export type RecordName = ${names.join(' | ') || 'never'};
/** The elements of requests that the client fills in itself. */
export type ClientElement = ${[...clientElements].map((name) => print(name)).join(' | ')};

/** The elements of requests that callers may leave out, by operation. */
export type OmittableElements = ${omittable.length > 0 ? `{\n${omittable.join('')}}` : 'Record<never, never>'};

export const operations = ${print(Object.fromEntries(operations), 3)} satisfies Record<string, Operation>;

/** The client's method of each operation. */
export const methods = ${print(Object.fromEntries(methods), 1)} as const satisfies Record<OperationName, string>;

export const records: Record<RecordName, readonly Element[]> = ${print(Object.fromEntries(records), 2)};

/**
 * The WSDL's service, its ports by SOAP version, and its own namespace and address. The client posts to the base URL
 * followed by the path, which includes the query.
 */
export const service = ${print(service, 1)} as const;
`;
}

/** Writes the text of generated/documentation.ts. It is a file of its own because no call needs it. */
export function writeDocumentation(contract: NamedContract): string {
  const operations = contract.operations.map(({ name, documentation, request, response }) => [
    name,
    { summary: documentation, request: documentationOf(request.fields), response: documentationOf(response.fields) },
  ]);
  const records = recordsOf(contract).map(({ name, fields }) => [name, documentationOf(fields)]);
  return `import type { OperationName, RecordName } from './operations';

/** The documentation of an operation, and of its elements by name. An undocumented element is not listed. */
export interface OperationDocumentation {
  readonly summary: string;
  readonly request: Readonly<Record<string, string>>;
  readonly response: Readonly<Record<string, string>>;
}

export const operationDocumentation: Readonly<Record<OperationName, OperationDocumentation>> = ${print(
    Object.fromEntries(operations),
    3,
  )};

/** The documentation of the elements of records, by name. */
export const recordDocumentation: Readonly<Record<RecordName, Readonly<Record<string, string>>>> = ${print(
    Object.fromEntries(records),
    2,
  )};
`;
}

function documentationOf(fields: readonly ModelField[]): object {
  const documented = fields.filter(({ documentation }) => documentation !== '');
  return Object.fromEntries(documented.map(({ name, documentation }) => [name, documentation]));
}

/** Returns the records of all results, each once. */
function recordsOf({ operations }: NamedContract): RecordType[] {
  const types = operations.flatMap(({ response }) => response.fields).map(({ type }) => type);
  const records = types.map((type) => (type.kind === 'list' ? type.item.type : type));
  return [...new Map(records.flatMap((type) => (type.kind === 'record' ? [[type.name, type]] : []))).values()];
}

function elementOf(field: ModelField, filledByClient = false, omittable = false): Element {
  const marks = {
    ...(field.optional && { optional: true }),
    ...(filledByClient && { filledByClient }),
    ...(omittable && { omittable }),
  };
  return { name: field.name, ...contentOf(field), ...marks } as Element;
}

function contentOf(field: ModelField): Partial<Element> {
  const { type } = field;
  switch (type.kind) {
    case 'record':
      return { kind: 'record', record: type.name ?? '' };
    case 'list':
      return { kind: 'list', item: { name: type.item.name, ...contentOf(type.item) } as ItemElement };
    case 'unsupported':
      // The reader has reported the type, so that no file is generated.
      throw new Error(`the type ${type.name} cannot be generated`);
    default:
      return { ...type, ...(field.nillable && { nillable: true }) };
  }
}

/**
 * Writes plain data as TypeScript.
 *
 * @param levels the number of outer levels that have a line for each member
 */
function print(value: unknown, levels = 0, indent = ''): string {
  if (typeof value === 'string') return literal(value);
  if (typeof value !== 'object' || value === null) return String(value);
  const inner = `${indent}  `;
  const members = Array.isArray(value)
    ? value.map((item) => print(item, levels - 1, inner))
    : Object.entries(value).map(([key, member]) => `${propertyName(key)}: ${print(member, levels - 1, inner)}`);
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  if (members.length === 0) return open + close;
  if (levels > 0) return `${open}\n${members.map((member) => `${inner}${member},\n`).join('')}${indent}${close}`;
  return Array.isArray(value) ? `[${members.join(', ')}]` : `{ ${members.join(', ')} }`;
}

/** Matches a name that every version of TypeScript accepts as a property without quotes. */
export const IDENTIFIER = /^[A-Za-z_]\w*$/;

function propertyName(name: string): string {
  return IDENTIFIER.test(name) ? name : literal(name);
}

/** Writes a string as a TypeScript literal in single quotes. */
function literal(text: string): string {
  const escaped = JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'");
  return `'${escaped}'`;
}
