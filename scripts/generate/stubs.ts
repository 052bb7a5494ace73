import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defaultOptions, generate, type Options, parseWsdl } from 'wsdl-tsclient';
import type { Contract, Field } from './contract';

/**
 * Runs wsdl-tsclient and corrects what it gets wrong: long is not a number, required fields are not optional, a type is
 * not named after the first element that uses it, two ports do not make two of each method, node-soap's properties are
 * spelled as in the WSDL, and a type is not exported like a value.
 *
 * @returns the text of each file by its path
 */
export async function writeStubs(contract: Contract, wsdlPath: string): Promise<Map<string, string>> {
  const options: Options = { ...defaultOptions, quiet: true };
  const parsed = await parseWsdl(wsdlPath, options);
  const [service] = parsed.services;
  const [port] = parsed.ports;
  if (!service || !port) throw new Error('wsdl-tsclient found no service with a port');
  // Both ports bind one portType: generating from one alone gives each method once.
  parsed.ports = [port];
  correctTypes(contract, port.methods);

  const folder = await mkdtemp(join(tmpdir(), 'messaging-stubs-'));
  try {
    await silently(() => generate(parsed, folder, options));
    const files = new Map<string, string>();
    for (const file of (await readdir(folder, { recursive: true })).sort()) {
      if (file.endsWith('.ts')) files.set(file.replaceAll('\\', '/'), await readFile(join(folder, file), 'utf8'));
    }
    return correctText(files, contract, { port: port.name, service: service.name });
  } finally {
    await rm(folder, { recursive: true });
  }
}

type Port = Awaited<ReturnType<typeof parseWsdl>>['ports'][number];
type Definition = NonNullable<Port['methods'][number]['paramDefinition']>;

function correctTypes(contract: Contract, methods: Port['methods']): void {
  for (const operation of contract.operations) {
    const method = methods.find(({ name }) => name === operation.name);
    for (const [fields, definition] of [
      [operation.request, method?.paramDefinition],
      [operation.response, method?.returnDefinition],
    ] as const) {
      if (!definition) throw new Error(`wsdl-tsclient found no request or no response of ${operation.name}`);
      correctDefinition(contract, definition, fields);
    }
  }
}

function correctDefinition(contract: Contract, definition: Definition, fields: readonly Field[]): void {
  for (const property of definition.properties) {
    const field = fields.find(({ name }) => name === property.name);
    if (!field) throw new Error(`wsdl-tsclient invented ${definition.name}.${property.name}`);
    property.description = describe(field);
    if (property.kind === 'PRIMITIVE') {
      if (field.type === 'long') property.type = 'bigint';
      continue;
    }
    property.sourceName = describe(field);
    property.ref.name = field.list?.name ?? field.type;
    property.ref.docs = [property.ref.name];
    if (field.list)
      correctDefinition(contract, property.ref, [{ name: field.list.item, type: field.type, optional: false }]);
    const record = contract.records.find(({ name }) => name === property.ref.name);
    if (record) correctDefinition(contract, property.ref, record.fields);
  }
}

function describe(field: Field): string {
  const type = ['string', 'long', 'int', 'short'].includes(field.type) ? `xsd:${field.type}` : field.type;
  return field.list ? `list of ${type}` : type;
}

function correctText(
  files: Map<string, string>,
  contract: Contract,
  names: { port: string; service: string },
): Map<string, string> {
  const corrected = new Map<string, string>();
  for (const [file, text] of files) {
    let result = text.replace(/^\n+/, '');
    if (file.startsWith('definitions/')) {
      for (const field of requiredFields(contract, file.slice('definitions/'.length, -'.ts'.length))) {
        result = replace(result, `    ${field}?: `, `    ${field}: `);
      }
      result = result.replaceAll(/^import \{/gm, 'import type {');
    } else if (file.startsWith('ports/')) {
      result = result.replaceAll(/^import \{/gm, 'import type {');
    } else if (file.startsWith('services/')) {
      result = result.replaceAll(/^import \{/gm, 'import type {');
      const ports = contract.ports.map((port) => `    readonly ${port}: ${names.port};\n`).join('');
      result = replace(result, `    readonly ${names.port}: ${names.port};\n`, ports);
    } else if (file === 'client.ts') {
      result = writeClient(contract, names.service);
    } else if (file === 'index.ts') {
      result = result.replaceAll(/^export \{ (\w+) \}/gm, 'export type { $1 }');
      result = replace(
        result,
        'export { createClientAsync, MessagingV1Client }',
        'export type { MessagingV1Client, MethodTypes, StubMethods }',
      );
    }
    corrected.set(file, result);
  }
  return corrected;
}

/**
 * The stub's methods as a mapped type over their own names: TypeScript follows the call of a method that is only known as
 * `${operation}Async` through such a type, and not through an interface that writes each method out.
 */
function writeClient(contract: Contract, service: string): string {
  const names = contract.operations.map(({ name }) => name);
  const imports = names
    .flatMap((name) => [name, `${name}Response`])
    .map((type) => `import type { ${type} } from "./definitions/${type}";\n`);
  const types = names.map((name) => `    ${name}Async: { request: ${name}; response: ${name}Response };\n`);
  return `import type { Client as SoapClient } from "soap";
${imports.join('')}import type { ${service} } from "./services/${service}";

/** Request and response of each method of the stub, by the method's name. */
export interface MethodTypes {
${types.join('')}}

/** The stub's methods and nothing else. Options: what a call hands to the HTTP client. */
export type StubMethods<Options = object> = {
    readonly [M in keyof MethodTypes]: (
        request: MethodTypes[M]["request"],
        options?: Options,
    ) => Promise<[response: MethodTypes[M]["response"], rawResponse: unknown, soapHeader: unknown, rawRequest: unknown]>;
};

/** node-soap's Client once it has read the WSDL. By its own type it has a method of any name: call it through StubMethods. */
export interface MessagingV1Client extends SoapClient, StubMethods {
    readonly ${contract.service}: ${service};
}
`;
}

/** The names of the fields that a definition always has, by the name of its type. */
function requiredFields(contract: Contract, type: string): string[] {
  const operation = contract.operations.find(({ name }) => type === name || type === `${name}Response`);
  if (operation) return names(type === operation.name ? operation.request : operation.response);
  const list = contract.lists.find(({ name }) => name === type);
  // A list that is there holds an array, though the WSDL allows it to have no items.
  if (list) return [list.item];
  return names(contract.records.find(({ name }) => name === type)?.fields ?? []);
}

function names(fields: readonly Field[]): string[] {
  return fields.filter(({ optional }) => !optional).map(({ name }) => name);
}

/** Replaces text that must be there: another version of wsdl-tsclient that writes differently is noticed, not half corrected. */
function replace(text: string, from: string, to: string): string {
  if (!text.includes(from)) throw new Error(`wsdl-tsclient no longer writes ${JSON.stringify(from)}`);
  return text.replace(from, () => to);
}

/** `generate` prints the path of each temporary file, and its logger cannot be reached from outside. */
async function silently(run: () => Promise<void>): Promise<void> {
  const { log } = console;
  console.log = () => {};
  try {
    await run();
  } finally {
    console.log = log;
  }
}
