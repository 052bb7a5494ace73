import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SaxesParser } from 'saxes';
import { type Field, operations, records } from '../../generated/operations';
import { MessagingClient, type MessagingOptions, type OperationName, type SoapVersion } from '../../src';
import { methods } from '../../src/client';
import { type EnvelopeContent, ReadError } from '../../src/soap/response/answer';
import { type ReadingPlan, ResponseReader, readingPlan } from '../../src/soap/response/response-reader';
import { SaxReader } from '../../src/soap/response/sax-reader';
import { formatWsdl } from '../../src/soap/wsdl-text';
import type { MessagingRequest } from '../../src/types';
import type { Stack } from '../interop/support';

export const NAMESPACE = 'http://messaging.example/';
export const API_KEY = 'key & <secret>';
export const VERSIONS: readonly SoapVersion[] = ['1.1', '1.2'];
export const OPERATIONS = Object.keys(operations) as OperationName[];
/** Each operation with each version, for `test.each`. */
export const EVERY_CALL: readonly [OperationName, SoapVersion][] = OPERATIONS.flatMap((operation) =>
  VERSIONS.map((version): [OperationName, SoapVersion] => [operation, version]),
);

export const ENVELOPE_NAMESPACES: Readonly<Record<SoapVersion, string>> = {
  '1.1': 'http://schemas.xmlsoap.org/soap/envelope/',
  '1.2': 'http://www.w3.org/2003/05/soap-envelope',
};
export const XSI = 'http://www.w3.org/2001/XMLSchema-instance';
export const XSD = 'http://www.w3.org/2001/XMLSchema';

export const xmllint: Stack = { name: 'xmllint', packages: 'libxml2-utils', probe: ['xmllint', '--version'] };

/** The requests of the fixtures in test/fixtures/requests, as a caller gives them. */
export const SAMPLES: { readonly [O in OperationName]: MessagingRequest<O> } = {
  SelectoutboxByApikey: { startUnixdate: -9223372036854775808n, endUnixdate: 9223372036854775807n },
  SelectByApikey: { messageid: [9007199254740993n, -1, 0n] },
  SelectlatestByApikey: { pagesize: 2147483647 },
  ReceiveByApikey: { lineNumber: '3000 & 3001', isread: -32768 },
  SendArrayByApikey: {
    sender: ['3000', '3001'],
    message: ['یک', 'دو & <two>'],
    receptor: ['09120000003', '09120000004'],
    unixdate: 9007199254740993n,
    msgmode: [0, -2147483648],
  },
  SendSimpleByApikey: {
    sender: '3000',
    message: 'سلام می\u200cخواهم 😀 <b>&',
    receptor: ['09120000001', '09120000002'],
    unixdate: 1700000000,
    msgmode: 1,
  },
  SendAdvance: {
    sender: '3000',
    message: '  متن پیشرفته  ',
    encoding: 2,
    receptor: '09120000005',
    unixdate: 4102444800n,
    messagemode: 1,
    fallbackurl: 'http://x.example/?a=1&b=2',
    clientmessageid: 'c-1',
  },
  GetStatusByApikey: { messageid: [9007199254740993n, 9223372036854775807n] },
  CancelByApikey: { messageid: [9007199254740993n] },
  RemainCreditByApiKey: {},
};

/** A field that a caller fills, with its type and whether it is a list. */
export interface CallerField {
  readonly operation: OperationName;
  readonly name: string;
  readonly type: 'string' | 'long' | 'int' | 'short';
  readonly list: boolean;
}

/** The rows of the contract's operation table (section 4): the request elements, in order. */
const CONTRACT_TABLE: Readonly<Record<OperationName, string>> = {
  SelectoutboxByApikey: 'apikey: string; startUnixdate: long; endUnixdate: long',
  SelectByApikey: 'apikey: string; messageid: list of long',
  SelectlatestByApikey: 'apikey: string; pagesize: int',
  ReceiveByApikey: 'apikey: string; lineNumber: string; isread: short',
  SendArrayByApikey:
    'apikey: string; sender: list of string; message: list of string; receptor: list of string; unixdate: long; ' +
    'msgmode: list of int',
  SendSimpleByApikey:
    'apikey: string; sender: string; message: string; receptor: list of string; unixdate: long; msgmode: int',
  SendAdvance:
    'apikey: string; sender: string; message: string; encoding: int; receptor: string; unixdate: long; ' +
    'messagemode: int; fallbackurl: string; clientmessageid: string',
  GetStatusByApikey: 'apikey: string; messageid: list of long',
  CancelByApikey: 'apikey: string; messageid: list of long',
  RemainCreditByApiKey: 'apikey: string',
};

/** The request elements of an operation as the contract lists them, apikey, status and statusmessage included. */
export function contractFields(operation: OperationName): CallerField[] {
  return `${CONTRACT_TABLE[operation]}; status: int; statusmessage: string`.split('; ').map((entry) => {
    const [name = '', type = ''] = entry.split(': ');
    return {
      operation,
      name,
      type: type.replace('list of ', '') as CallerField['type'],
      list: type.startsWith('list of '),
    };
  });
}

/** Every field of every operation that a caller may fill. */
export const CALLER_FIELDS: readonly CallerField[] = OPERATIONS.flatMap(contractFields).filter(
  ({ name }) => name !== 'apikey',
);

/** A request as it came off the socket. */
export interface RawRequest {
  readonly line: string;
  /** Names as they were spelled. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string;
}

export interface RawServer {
  readonly baseUrl: string;
  readonly requests: RawRequest[];
  /** How many connections were ever made. */
  readonly connections: number;
  close(): Promise<void>;
}

const servers: RawServer[] = [];
const clients: MessagingClient[] = [];
// A test that fails does not reach its last lines, and what it leaves open would keep jest from ending.
afterAll(async () => {
  await Promise.allSettled(servers.map((server) => server.close()));
  await Promise.allSettled(clients.map((client) => client.close()));
});

/** A server on a free loopback port that gives the bytes it is told to, and keeps what it was sent. */
export async function startServer(answer: (request: RawRequest) => Buffer | Promise<Buffer>): Promise<RawServer> {
  const requests: RawRequest[] = [];
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = createServer((socket) => {
    connections++;
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    // A client that gives up in the middle of an answer resets the connection.
    socket.on('error', () => {});
    let received = Buffer.alloc(0);
    socket.on('data', async (chunk) => {
      received = Buffer.concat([received, chunk]);
      const request = takeRequest(received);
      if (!request) return;
      received = Buffer.alloc(0);
      requests.push(request);
      socket.write(await answer(request));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  const rawServer: RawServer = {
    baseUrl: `http://127.0.0.1:${address.port}`,
    requests,
    get connections() {
      return connections;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  servers.push(rawServer);
  return rawServer;
}

/** The request, once all of it is there; the client sends one at a time on a connection. */
function takeRequest(bytes: Buffer): RawRequest | undefined {
  const end = bytes.indexOf('\r\n\r\n');
  if (end < 0) return undefined;
  const [line = '', ...rest] = bytes.toString('latin1', 0, end).split('\r\n');
  const headers = rest.map((header) => {
    const colon = header.indexOf(':');
    return [header.slice(0, colon), header.slice(colon + 1).trim()] as const;
  });
  const length = Number(headers.find(([name]) => name.toLowerCase() === 'content-length')?.[1]);
  const body = bytes.subarray(end + 4);
  return body.length < length ? undefined : { line, headers, body: body.toString('utf8') };
}

/** The bytes of an HTTP response. */
export function httpResponse(
  body: Buffer | string,
  { status = 200, contentType = 'text/xml; charset=utf-8' }: { status?: number; contentType?: string } = {},
): Buffer {
  const bytes = Buffer.from(body);
  const head = `HTTP/1.1 ${status} Status\r\nContent-Type: ${contentType}\r\nContent-Length: ${bytes.length}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head, 'latin1'), bytes]);
}

/** The raw HTTP response of a real service from test/fixtures/asmx. */
export function answerFixture(name: string): { readonly raw: Buffer; readonly body: Buffer } {
  const raw = readFileSync(join(__dirname, '../fixtures/asmx', `${name}.response.http`));
  return { raw, body: raw.subarray(raw.indexOf('\r\n\r\n') + 4) };
}

/** Content of the result element with which each operation succeeds. */
export const RESULTS: Readonly<Record<OperationName, string>> = {
  SelectoutboxByApikey: '',
  SelectByApikey: '',
  SelectlatestByApikey: '',
  ReceiveByApikey: '',
  SendArrayByApikey: '<long>9007199254740993</long>',
  SendSimpleByApikey: '<long>9007199254740993</long>',
  SendAdvance: '9007199254740993',
  GetStatusByApikey: '<int>1</int>',
  CancelByApikey: '<int>13</int>',
  RemainCreditByApiKey: '1000',
};

/** Answers every operation with success, in the version and the namespace of its request. */
export function answerSuccess({ body }: RawRequest): Buffer {
  const [, operation = '', namespace = ''] = /Body><([A-Za-z]+) xmlns="([^"]*)"/.exec(body) ?? [];
  const result = RESULTS[operation as OperationName];
  const payload =
    `<${operation}Response xmlns="${namespace}"><${operation}Result>${result}</${operation}Result>` +
    `<status>200</status><statusmessage>ok</statusmessage></${operation}Response>`;
  return httpResponse(envelope(payload, body.includes('<soap12:') ? '1.2' : '1.1'));
}

export function createClient(server: RawServer, options: Partial<MessagingOptions> = {}): MessagingClient {
  const client = new MessagingClient({
    baseUrl: server.baseUrl,
    namespace: NAMESPACE,
    apiKey: API_KEY,
    successStatuses: [200],
    ...options,
  } as MessagingOptions<Record<never, never>>);
  clients.push(client);
  return client;
}

/** Calls the method of an operation; no type fits the requests of all ten. */
export function invoke(client: MessagingClient, operation: OperationName, request: object): Promise<unknown> {
  const method = client[methods[operation]] as unknown as (request: object) => Promise<unknown>;
  return method.call(client, request);
}

/** What a promise rejects with. */
export async function rejection(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error('the promise did not reject');
}

/** An envelope in the spelling of an ASP.NET service. */
export function envelope(body: string, version: SoapVersion = '1.1'): string {
  return (
    `<?xml version="1.0" encoding="utf-8"?><soap:Envelope xmlns:soap="${ENVELOPE_NAMESPACES[version]}" ` +
    `xmlns:xsi="${XSI}" xmlns:xsd="${XSD}"><soap:Body>${body}</soap:Body></soap:Envelope>`
  );
}

/** The envelope of an operation's response with this content. */
export function responseEnvelope(operation: OperationName, content: string, version: SoapVersion = '1.1'): string {
  return envelope(`<${operation}Response xmlns="${NAMESPACE}">${content}</${operation}Response>`, version);
}

/** What a reader made of some bytes. An exception that is no ReadError is no answer, and fails the test. */
export type Reading = { readonly answer: EnvelopeContent } | { readonly error: string };

const plans = new Map<OperationName, ReadingPlan>();

function planOf(operation: OperationName): ReadingPlan {
  let plan = plans.get(operation);
  if (!plan) {
    plan = readingPlan(NAMESPACE, operation);
    plans.set(operation, plan);
  }
  return plan;
}

/**
 * Reads an answer as a call does.
 *
 * @param cuts where the chunks end
 */
export function readAnswer(
  operation: OperationName,
  body: Buffer | string,
  { charset, cuts = [] }: { charset?: string; cuts?: readonly number[] } = {},
): Reading {
  const bytes = Buffer.from(body);
  return reading(() => {
    const reader = new ResponseReader(planOf(operation), charset);
    let start = 0;
    for (const end of [...cuts, bytes.length]) {
      if (end > start) reader.write(bytes.subarray(start, end));
      start = Math.max(start, end);
    }
    return reader.end();
  });
}

/** Reads an answer in UTF-8 with the full reader alone. */
export function readFully(operation: OperationName, body: Buffer | string): Reading {
  return reading(() => {
    let text: string;
    try {
      text = new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(body));
    } catch {
      throw new ReadError('the body is not valid utf-8');
    }
    const reader = new SaxReader(planOf(operation).schema, [], 0);
    reader.write(text);
    return reader.end();
  });
}

function reading(read: () => EnvelopeContent): Reading {
  try {
    return { answer: read() };
  } catch (error) {
    if (error instanceof ReadError) return { error: error.message };
    throw error;
  }
}

/** The response that an answer holds; its result list, if it is one, bare. */
export function responseIn(operation: OperationName, result: Reading): Record<string, unknown> {
  if ('error' in result) throw new Error(`an answer was expected, not an error: ${result.error}`);
  if (!('response' in result.answer)) throw new Error('a response was expected, not a fault');
  const response = { ...result.answer.response };
  const field: Field = operations[operation].response[0];
  const { [field.name]: value, ...rest } = response;
  if (value === undefined) return rest;
  return { ...rest, result: field.item === undefined ? value : (value as Record<string, unknown>)[field.item] };
}

/** What is wrong with the types of a response, by the operation table; empty when nothing is. */
export function typeErrors(operation: OperationName, response: Record<string, unknown>): string[] {
  const [result, ...rest] = operations[operation].response as readonly Field[];
  return fieldErrors([{ ...(result as Field), optional: true }, ...rest], response, operation);
}

function fieldErrors(fields: readonly Field[], value: unknown, path: string): string[] {
  if (typeof value !== 'object' || value === null) return [`${path} is no object`];
  const record = value as Record<string, unknown>;
  const unknownNames = Object.keys(record).filter((name) => !fields.some((field) => field.name === name));
  return [
    ...unknownNames.map((name) => `${path} has an unknown ${name}`),
    ...fields.flatMap((field) => {
      const place = `${path}.${field.name}`;
      const given = record[field.name];
      if (given === undefined) return field.optional ? [] : [`${place} is missing`];
      if (field.item === undefined) return valueErrors(field.type, given, place);
      const items = (given as Record<string, unknown>)[field.item];
      if (!Array.isArray(items)) return [`${place} is no list`];
      return items.flatMap((item, index) => valueErrors(field.type, item, `${place}[${index}]`));
    }),
  ];
}

function valueErrors(type: Field['type'], value: unknown, place: string): string[] {
  switch (type) {
    case 'string':
      return typeof value === 'string' ? [] : [`${place} is no string`];
    case 'boolean':
      return typeof value === 'boolean' ? [] : [`${place} is no boolean`];
    case 'long':
      return typeof value === 'bigint' && BigInt.asIntN(64, value) === value ? [] : [`${place} is no long`];
    case 'int':
    case 'short':
      return typeof value === 'number' && Number.isInteger(value) && (value | 0) === value && !Object.is(value, -0)
        ? []
        : [`${place} is no int`];
    default:
      return fieldErrors(records[type], value, place);
  }
}

/** An element as an independent parser reads it. */
interface XmlElement {
  readonly prefix: string;
  readonly local: string;
  readonly uri: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: XmlElement[];
  text: string;
}

/** The root element of a document, read with saxes as it comes out of its box. */
export function parseXml(xml: string): XmlElement {
  const parser = new SaxesParser({ xmlns: true });
  const document = { children: [] as XmlElement[], text: '' };
  const open: { children: XmlElement[]; text: string }[] = [document];
  parser.on('error', (error) => {
    throw error;
  });
  parser.on('opentag', ({ prefix, local, uri, attributes }) => {
    const values = Object.fromEntries(Object.values(attributes).map(({ name, value }) => [name, value]));
    const element: XmlElement = { prefix, local, uri, attributes: values, children: [], text: '' };
    open.at(-1)?.children.push(element);
    open.push(element);
  });
  const addText = (text: string) => {
    (open.at(-1) as { text: string }).text += text;
  };
  parser.on('text', addText);
  parser.on('cdata', addText);
  parser.on('closetag', () => open.pop());
  parser.write(xml).close();
  return document.children[0] as XmlElement;
}

/** The operation element inside the Body of a request. */
export function payloadOf(xml: string): XmlElement {
  return parseXml(xml).children[0]?.children[0] as XmlElement;
}

/** Runs xmllint on documents and gives what it wrote to each stream. */
export function runXmllint(
  documents: readonly string[],
  args: (folder: string) => readonly string[],
): { readonly stdout: string; readonly stderr: string } {
  const folder = mkdtempSync(join(tmpdir(), 'messaging-xmllint-'));
  try {
    const paths = documents.map((document, index) => {
      const path = join(folder, `${index}.xml`);
      writeFileSync(path, document);
      return path;
    });
    return spawnSync('xmllint', [...args(folder), ...paths], { encoding: 'utf8', maxBuffer: 2 ** 26 });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/**
 * What xmllint has to say against the operation elements of some requests, by the schema in the WSDL; empty when nothing.
 */
export function schemaErrors(namespace: string, requests: readonly string[]): string {
  const wsdl = formatWsdl(namespace, 'http://127.0.0.1/soap/v1.asmx');
  const [, declarations = ''] = /<wsdl:definitions\s([^>]*)>/.exec(wsdl) ?? [];
  const [schema = ''] = /<xsd:schema[\s\S]*<\/xsd:schema>/.exec(wsdl) ?? [];
  const payloads = requests.map((request) => /Body>([\s\S]*)<\/soap(?:12)?:Body>/.exec(request)?.[1] ?? '');
  const { stderr } = runXmllint(payloads, (folder) => {
    const path = join(folder, 'schema.xsd');
    const prefixes = declarations.replace(/targetNamespace="[^"]*"/, '');
    writeFileSync(path, schema.replace('<xsd:schema ', `<xsd:schema ${prefixes} `));
    return ['--noout', '--schema', path];
  });
  return stderr.replace(/^.*\.xml validates\n/gm, '');
}

/** Whether XML 1.0 can carry a character: the production Char of its section 2.2. */
export function isXmlCharacter(codePoint: number): boolean {
  return (
    codePoint === 0x9 ||
    codePoint === 0xa ||
    codePoint === 0xd ||
    (codePoint >= 0x20 && codePoint <= 0xd7ff) ||
    (codePoint >= 0xe000 && codePoint <= 0xfffd) ||
    (codePoint >= 0x10000 && codePoint <= 0x10ffff)
  );
}

/** Texts that have broken clients: each must arrive as it was given. */
export const HOSTILE_TEXTS: Readonly<Record<string, string>> = {
  'Persian with ZWNJ': 'سلام می\u200cخواهم؛ نیم\u200cفاصله',
  emoji: '😀👨\u200d👩\u200d👧 🇮🇷',
  markup: '<b a="1">&amp;</b><!-- x --><?pi?>',
  'a closing operation element': '</message></SendSimpleByApikey>',
  'an element that would be a second receptor': '</message><receptor><string>1</string></receptor><message>',
  ']]>': 'a]]>b',
  'a CDATA section': '<![CDATA[<apikey>stolen</apikey>]]>',
  'nested CDATA ends': '<![CDATA[a]]]]><![CDATA[>b]]>',
  'entity-like text': '&lt;&#65;&unknown;&',
  quotes: `"double" 'single'`,
  'blanks around': '  a  ',
  'only blanks': '   ',
  nothing: '',
  tab: '\ta\tb\t',
  LF: '\na\nb\n',
  CR: '\ra\rb\r',
  CRLF: '\r\na\r\nb\r\n',
  'U+0085': '\u0085a\u0085',
  'U+2028': '\u2028a\u2029',
  'a byte order mark': '\ufeffa\ufeff',
  'the last characters of the planes': '\ud7ff\ue000\ufffd\u{1ffff}\u{10ffff}',
  'DEL and C1': '\u007f\u0080\u009f',
  '100,000 characters': 'سلام <&>\r\n'.repeat(10_000),
};

/** Seeded random numbers (mulberry32), so that a failure can be repeated. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  /** A whole number from 0 to below the limit. */
  below(limit: number): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296) * limit);
  }

  pick<T>(values: readonly T[]): T {
    return values[this.below(values.length)] as T;
  }
}
