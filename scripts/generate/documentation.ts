import type { Contract, ModelField } from '../../src/contract/model/model';
import { literal } from './literal';
import { recordsOf } from './table';

/** Writes the text of generated/documentation.ts. It is a file of its own because no call needs it. */
export function writeDocumentation(contract: Contract): string {
  const operations = contract.operations.map(
    ({ name, documentation, request, response }) =>
      `  ${name}: {\n    summary: ${literal(documentation)},\n    request: {\n${texts(request.fields, 6)}    },\n` +
      `    response: {\n${texts(response.fields, 6)}    },\n  },\n`,
  );
  const records = recordsOf(contract).map(({ name, fields }) => `  ${name}: {\n${texts(fields, 4)}  },\n`);
  return `import type { OperationName, RecordName } from './operations';

/** The documentation of an operation, and of its elements by name. An undocumented element is not listed. */
export interface OperationDocumentation {
  readonly summary: string;
  readonly request: Readonly<Record<string, string>>;
  readonly response: Readonly<Record<string, string>>;
}

export const operationDocumentation: Readonly<Record<OperationName, OperationDocumentation>> = {
${operations.join('')}};

/** The documentation of the elements of records, by name. */
export const recordDocumentation: Readonly<Record<RecordName, Readonly<Record<string, string>>>> = {
${records.join('')}};
`;
}

function texts(fields: readonly ModelField[], indent: number): string {
  return fields
    .filter(({ documentation }) => documentation !== '')
    .map(({ name, documentation }) => `${' '.repeat(indent)}${literal(name)}: ${literal(documentation)},\n`)
    .join('');
}
