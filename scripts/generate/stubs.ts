import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generate } from 'wsdl-tsclient';
import { Logger } from 'wsdl-tsclient/dist/src/utils/logger';
import { describeType } from '../../src/contract/model/describe';
import type { ModelField, Type } from '../../src/contract/model/model';
import type { NamedContract } from './methods';
import { IDENTIFIER } from './tables';

type ParsedWsdl = Parameters<typeof generate>[0];
type Definition = NonNullable<ParsedWsdl['ports'][number]['methods'][number]['paramDefinition']>;
type Property = Definition['properties'][number];

/**
 * Lets wsdl-tsclient write the stub from our model: the client, its service, its port and the types. Its own reading
 * turns an xsd:long into a number, names a type after the first element of the type, and does not know enumerations.
 *
 * @returns the text of each file by its path
 */
export async function writeStubs(contract: NamedContract): Promise<Map<string, string>> {
  const definitions = new DefinitionMap();
  const methods = contract.operations.map(({ name, documentation, request, response }) => ({
    name,
    // The name of a parameter.
    paramName: 'request',
    paramDefinition: definitions.get(name, request.fields, documentation),
    returnDefinition: definitions.get(`${name}Response`, response.fields),
  }));
  const ports = [{ name: contract.portType, sourceName: contract.portType, methods }];
  const services = [{ name: contract.service, sourceName: contract.service, ports }];
  const folder = await mkdtemp(join(tmpdir(), 'messaging-stubs-'));
  try {
    // It would print the path of each temporary file.
    Logger.disabled();
    // The class has more members, which only its own reading uses.
    await generate({ name: contract.service, ports, services } as ParsedWsdl, folder, {});
    const files = new Map<string, string>();
    const text = async (path: string) => readFile(join(folder, path), 'utf8');
    files.set('client.ts', correctText(withoutFactory(await text('client.ts')), []));
    for (const path of [`services/${contract.service}.ts`, `ports/${contract.portType}.ts`]) {
      files.set(path, correctText(await text(path), []));
    }
    for (const [name, required] of definitions.required) {
      const path = `definitions/${name}.ts`;
      files.set(path, correctText(await text(path), required));
    }
    return files;
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** The definitions of wsdl-tsclient by their names. A type of several elements is one definition. */
class DefinitionMap {
  readonly #byName = new Map<string, Definition>();
  /** The names of the required properties of each definition. */
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
    const { name, type, documentation } = field;
    const description = commentOf(documentation, describeType(type));
    // wsdl-tsclient itself quotes only names with a hyphen or a dot.
    const base = { name: /[-.]/.test(name) ? name : quoted(name), sourceName: description, description, isArray };
    if (type.kind === 'list') return { ...base, kind: 'REFERENCE', ref: this.get(nameOf(type), [type.item], '', true) };
    if (type.kind === 'record') return { ...base, kind: 'REFERENCE', ref: this.get(nameOf(type), type.fields) };
    return { ...base, kind: 'PRIMITIVE', type: typeScriptOf(type) + (field.nillable ? ' | null' : '') };
  }
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

function commentOf(documentation: string, name: string): string {
  return (documentation ? `${documentation} (${name})` : name).replaceAll('*/', '*\\/');
}

/** Returns the name of a type. The names have been checked (names.ts). */
function nameOf({ name }: { readonly name: string | undefined }): string {
  if (name === undefined) throw new Error('an inline type has no name');
  return name;
}

function quoted(name: string): string {
  return IDENTIFIER.test(name) ? name : `"${name}"`;
}

/** Corrects a definition: wsdl-tsclient makes every property optional, and imports a type as a value. */
function correctText(text: string, required: readonly string[]): string {
  let result = text.trimStart().replaceAll(/^import \{/gm, 'import type {');
  for (const name of required) {
    // With the line break: a value of an enumeration may hold the text of a property.
    const [from, to] = [`\n    ${quoted(name)}?: `, `\n    ${quoted(name)}: `];
    if (!result.includes(from)) throw new Error(`wsdl-tsclient no longer writes ${JSON.stringify(from)}`);
    result = result.replace(from, () => to);
  }
  return result;
}

/**
 * Removes the function that creates a client from the text of the WSDL. Such a client reads an xsd:long as a number,
 * although its type says bigint. src/client/node-soap creates the client.
 */
function withoutFactory(text: string): string {
  const result = text.replace(/\n\/\*\* Create .*$/s, '').replace(', createClientAsync as soapCreateClientAsync', '');
  if (result.includes('createClientAsync')) throw new Error('wsdl-tsclient writes another createClientAsync');
  return result;
}
