import type { Contract, Field } from './contract';

/** The text of generated/operations.ts: the operation table that codec, command line and sandbox are driven by. */
export function writeTable(contract: Contract): string {
  const operations = contract.operations.map(
    ({ name, request, response }) =>
      `  ${name}: {\n    request: [\n${rows(request, 6)}    ],\n    response: [\n${rows(response, 6)}    ],\n  },\n`,
  );
  const records = contract.records.map(({ name, fields }) => `  ${name}: [\n${rows(fields, 4)}  ],\n`);
  return `/** An element of a request, a response or a record. */
export interface Field {
  readonly name: string;
  /** XSD type or record of the element, or of the items of a list. */
  readonly type: 'string' | 'long' | 'int' | 'short' | RecordName;
  /** For a list: the name of its repeated child element. */
  readonly item?: string;
  /** True where the WSDL allows the element to be absent. */
  readonly optional: boolean;
}

/** The elements of an operation, in the contract's order. The first of the response is the result. */
export interface Operation {
  readonly request: readonly Field[];
  readonly response: readonly [result: Field, status: Field, statusmessage: Field];
}

export type OperationName = keyof typeof operations;
export type RecordName = ${contract.records.map(({ name }) => quote(name)).join(' | ')};

export const operations = {
${operations.join('')}} satisfies Record<string, Operation>;

export const records: Record<RecordName, readonly Field[]> = {
${records.join('')}};

/** The WSDL's service, its ports by SOAP version, and the placeholders that are replaced at run time. */
export const service = {
  name: ${quote(contract.service)},
  ports: { '1.1': ${quote(contract.ports[0])}, '1.2': ${quote(contract.ports[1])} },
  namespace: ${quote(contract.namespace)},
  address: ${quote(contract.address)},
} as const;
`;
}

function rows(fields: readonly Field[], indent: number): string {
  return fields
    .map(({ name, type, list, optional }) => {
      const item = list ? `, item: ${quote(list.item)}` : '';
      return `${' '.repeat(indent)}{ name: ${quote(name)}, type: ${quote(type)}${item}, optional: ${optional} },\n`;
    })
    .join('');
}

function quote(text: string | undefined): string {
  return `'${text}'`;
}
