import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { kebabCase } from '../../src/cli/fields/option-names';
import type { ModelField, Type } from '../../src/contract/model/model';
import { listsRecords, type NamedContract, type NamedOperation } from './methods';
import { clientElements } from './rules';

/** The lines between which a document has its table of operations. */
const [START, END] = ['<!-- operations: written by npm run generate -->', '<!-- end of operations -->'];

type Row = (operation: NamedOperation) => readonly string[];

/** The documents that have a table of operations, each with the headings and the cells of a row. */
const tables: readonly (readonly [path: string, headings: readonly string[], row: Row])[] = [
  [
    'README.md',
    ['method', 'command', 'what it does', 'result'],
    ({ method, documentation, response }) => [
      `\`${method}\``,
      `\`${kebabCase(method)}\``,
      documentation,
      `\`${resultOf(response.fields)}\``,
    ],
  ],
  [
    'docs/api.md',
    ['method', 'operation', 'fields of the request', 'result'],
    ({ method, name, request, response }) => [
      listsRecords(response.fields) ? `\`${method}\`, \`${method}Stream\`` : `\`${method}\``,
      name,
      request.fields
        .filter((field) => !clientElements.has(field.name))
        .map((field) => `${field.name}${field.omittable ? '?' : ''}: ${nameOf(field.type, false)}`)
        .join(', ') || 'none',
      `\`${resultOf(response.fields)}\``,
    ],
  ],
];

/** A document without the two lines of its table. */
export class MissingMarks extends Error {}

/**
 * Returns the text of each document that has a table of operations, with the table of this contract.
 *
 * @throws {MissingMarks}
 */
export async function writeDocuments(root: string, { operations }: NamedContract): Promise<Map<string, string>> {
  const documents = new Map<string, string>();
  for (const [path, headings, row] of tables) {
    const text = await readFile(join(root, path), 'utf8');
    const [start, end] = [text.indexOf(START), text.indexOf(END)];
    if (start < 0 || end < start) {
      throw new MissingMarks(`${path} has no table of operations: write these two lines into it:\n${START}\n${END}`);
    }
    const rows = [headings, headings.map(() => '---'), ...operations.map(row)];
    const lines = rows.map((cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`);
    documents.set(path, `${text.slice(0, start)}${START}\n${lines.join('\n')}\n${text.slice(end)}`);
  }
  return documents;
}

function resultOf([result]: readonly ModelField[]): string {
  return result === undefined ? '' : nameOf(result.type, true);
}

/** Names a type as TypeScript does, or with the contract's names for numbers. */
function nameOf(type: Type, inTypeScript: boolean): string {
  switch (type.kind) {
    case 'list':
      return `${nameOf(type.item.type, inTypeScript)}[]`;
    case 'record':
      return type.name ?? '';
    case 'integer':
      if (!inTypeScript) return type.type;
      return type.type === 'long' ? 'bigint' : 'number';
    case 'text':
    case 'enumeration':
      return 'string';
    case 'boolean':
      return 'boolean';
    case 'unsupported':
      // The reader has reported the type, so that nothing is written.
      return type.name;
  }
}
