import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generate } from 'wsdl-tsclient';
import { describeType } from '../../src/contract/model/describe';
import type { Contract, ModelField, Type } from '../../src/contract/model/model';
import { writeClient, writeMethods } from './client';
import { reservedWords } from './reserved-words';

type ParsedWsdl = Parameters<typeof generate>[0];
type Method = ParsedWsdl['ports'][number]['methods'][number];
type Definition = NonNullable<Method['paramDefinition']>;
type Property = Definition['properties'][number];

/**
 * Lets wsdl-tsclient write the types of the stub from our model. Its own reading turns an xsd:long into a number, names a type after
 * the first element of the type, and does not know enumerations.
 *
 * @returns the text of each file by its path
 */
export async function writeStubs(contract: Contract): Promise<Map<string, string>> {
  const definitions = new DefinitionMap();
  const methods = contract.operations.map(
    ({ name, documentation, request, response }): Method => ({
      name,
      paramName: isParameter(name) ? name : 'request',
      paramDefinition: definitions.get(name, request.fields, documentation),
      returnDefinition: definitions.get(`${name}Response`, response.fields),
    }),
  );
  const port = { name: pascalCase(contract.portType), sourceName: contract.portType, methods };
  const service = { name: pascalCase(contract.service), sourceName: contract.service, ports: [port] };
  const folder = await mkdtemp(join(tmpdir(), 'messaging-stubs-'));
  try {
    // The class has more members, which only its own reading uses.
    const parsed = { name: `Messaging${service.name}`, ports: [port], services: [service] } as ParsedWsdl;
    await silently(() => generate(parsed, folder, {}));
    const files = new Map<string, string>();
    for (const file of (await readdir(folder, { recursive: true })).sort()) {
      if (!file.endsWith('.ts')) continue;
      const path = file.replaceAll('\\', '/');
      files.set(path, correctText(path, await readFile(join(folder, file), 'utf8'), definitions));
    }
    const ports = Object.values(contract.bindings).map((binding) => `    readonly ${binding.port}: ${port.name};\n`);
    edit(files, `services/${service.name}.ts`, `    readonly ${port.name}: ${port.name};\n`, ports.join(''));
    edit(
      files,
      'index.ts',
      `createClientAsync, ${parsed.name}Client } from "./client";`,
      `${parsed.name}Client } from "./client";\nexport type { MethodTypes, StubMethods } from "./methods";`,
    );
    files.set('methods.ts', writeMethods(contract));
    return files.set('client.ts', writeClient(contract, parsed.name, service.name));
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** The definitions of wsdl-tsclient by their names. A type of several elements is one definition. */
class DefinitionMap {
  readonly #byName = new Map<string, Definition>();
  readonly required = new Map<string, readonly string[]>();

  get(name: string, fields: readonly ModelField[], documentation = '', repeated = false): Definition {
    const known = this.#byName.get(name);
    if (known) return known;
    const properties = fields.map((field) => this.#property(field, repeated));
    const definition = { name, sourceName: name, docs: [commentOf(documentation, name)], properties };
    this.#byName.set(name, definition);
    // A list always has its array, even when the WSDL allows it to have no items.
    const required = fields.filter(({ optional }) => repeated || !optional).map((field) => field.name);
    this.required.set(name, required);
    return definition;
  }

  #property(field: ModelField, isArray: boolean): Property {
    const { name, type } = field;
    const description = docOf(field);
    const base = { name: quoted(name), sourceName: description, description, isArray };
    if (type.kind === 'list') return { ...base, kind: 'REFERENCE', ref: this.get(nameOf(type), [type.item], '', true) };
    if (type.kind === 'record') return { ...base, kind: 'REFERENCE', ref: this.get(nameOf(type), type.fields) };
    return { ...base, kind: 'PRIMITIVE', type: primitiveOf(field) };
  }
}

/** Quotes a property name. wsdl-tsclient itself quotes only names with a hyphen or a dot. */
function quoted(name: string): string {
  return IDENTIFIER.test(name) || /[-.]/.test(name) ? name : `"${name}"`;
}

/** Matches a name that every version of TypeScript accepts as a property without quotes. */
const IDENTIFIER = /^[A-Za-z_]\w*$/;

/** True for an operation whose name wsdl-tsclient can turn into a parameter's name, in camel case and without underscores. */
function isParameter(operation: string): boolean {
  const word = operation.replaceAll('_', '').toLowerCase();
  return !operation.startsWith('_') && !reservedWords.has(word) && !['arguments', 'callback', 'eval'].includes(word);
}

function primitiveOf({ type, nillable }: ModelField): string {
  return typeScriptOf(type) + (nillable ? ' | null' : '');
}

function typeScriptOf(type: Type): string {
  switch (type.kind) {
    case 'text':
      return 'string';
    case 'boolean':
      return 'boolean';
    case 'integer':
      return type.type === 'long' ? 'bigint' : 'number';
    case 'enumeration':
      return type.values.map((value) => JSON.stringify(value)).join(' | ');
    default:
      throw new Error(`a ${type.kind} is not a primitive`);
  }
}

/** The comment of a property: its documentation in the contract, and its type. */
function docOf({ documentation, type }: ModelField): string {
  return commentOf(documentation, describeType(type));
}

function commentOf(documentation: string, name: string): string {
  return (documentation ? `${documentation} (${name})` : name).replaceAll('*/', '*\\/');
}

/** Gives the name of a type. The names have been checked (check-names.ts). */
function nameOf({ name }: { readonly name: string | undefined }): string {
  if (name === undefined) throw new Error('an inline type has no name');
  return name;
}

/** Gives the TypeScript name of a service or a portType. */
export function pascalCase(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}

/** Corrects a generated file: wsdl-tsclient makes every property optional, and exports a type as a value. */
function correctText(path: string, text: string, definitions: DefinitionMap): string {
  let result = text.replace(/^\n+/, '').replaceAll(/^(import|export) \{/gm, '$1 type {');
  const type = /^definitions\/(.*)\.ts$/.exec(path)?.[1];
  for (const field of definitions.required.get(type ?? '') ?? []) {
    const name = IDENTIFIER.test(field) ? field : `"${field}"`;
    result = replace(result, `    ${name}?: `, `    ${name}: `);
  }
  return result;
}

function edit(files: Map<string, string>, path: string, from: string, to: string): void {
  files.set(path, replace(files.get(path) ?? '', from, to));
}

/** Replaces a text that must exist. A version of wsdl-tsclient that writes another text is an error. */
function replace(text: string, from: string, to: string): string {
  if (!text.includes(from)) throw new Error(`wsdl-tsclient no longer writes ${JSON.stringify(from)}`);
  return text.replace(from, () => to);
}

/** Runs without output of console.log: `generate` prints the path of each temporary file, and has no option against it. */
async function silently(run: () => Promise<void>): Promise<void> {
  const { log } = console;
  console.log = () => {};
  try {
    await run();
  } finally {
    console.log = log;
  }
}
