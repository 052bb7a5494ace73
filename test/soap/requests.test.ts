import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { OperationName, SoapVersion } from '../../src';
import { version as packageVersion } from '../../src/version';
import { describeStack } from '../interop/support';
import {
  API_KEY,
  answerSuccess,
  CALLER_FIELDS,
  contractFields,
  createClient,
  ENVELOPE_NAMESPACES,
  EVERY_CALL,
  invoke,
  NAMESPACE,
  OPERATIONS,
  parseXml,
  payloadOf,
  type RawRequest,
  type RawServer,
  rejection,
  SAMPLES,
  schemaErrors,
  startServer,
  VERSIONS,
  XSD,
  XSI,
  xmllint,
} from './support';

// Many calls, on a machine that may have other work.
jest.setTimeout(60_000);

const PREFIXES: Readonly<Record<SoapVersion, string>> = { '1.1': 'soap', '1.2': 'soap12' };
const CONTENT_TYPES: Readonly<Record<SoapVersion, string>> = {
  '1.1': 'text/xml; charset=utf-8',
  '1.2': 'application/soap+xml; charset=utf-8',
};
/** With and without a final slash, another scheme, quotes. */
const URIS = [
  'http://provider.example/',
  'http://provider.example',
  'urn:provider:messaging#',
  "http://provider.example/?a='1'",
];
/** With characters that XML must escape; xmllint itself misreads "&" in the name of a namespace. */
const NAMESPACES = [...URIS, 'http://provider.example/?a=1&b=2', 'http://provider.example/<a>]]>&lt;&'];

let server: RawServer;
beforeAll(async () => {
  server = await startServer(answerSuccess);
});

/** What the service gets for a call. */
async function requestOf(
  operation: OperationName,
  soapVersion: SoapVersion,
  { request = SAMPLES[operation] as object, ...options } = {} as Partial<Parameters<typeof createClient>[1]> & {
    request?: object;
  },
): Promise<RawRequest> {
  const client = createClient(server, { soapVersion, ...options });
  try {
    await invoke(client, operation, request);
  } finally {
  }
  return server.requests.at(-1) as RawRequest;
}

function headerOf({ headers }: RawRequest, wanted: string): string | undefined {
  return headers.find(([name]) => name.toLowerCase() === wanted.toLowerCase())?.[1];
}

/** The request line, the contract's headers and the body of a fixture. */
function readFixture(operation: OperationName, soapVersion: SoapVersion) {
  const name = `${operation}.${soapVersion.replace('.', '')}.http`;
  const text = readFileSync(join(__dirname, '../fixtures/requests', name), 'utf8');
  const [head = '', body = ''] = text.split('\n\n');
  const [line, ...headers] = head.split('\n');
  return { line, headers, body: body.replace(/\n$/, '') };
}

describe.each(EVERY_CALL)('%s in SOAP %s', (operation, soapVersion) => {
  test('sends the bytes that the contract shows', async () => {
    const expected = readFixture(operation, soapVersion);
    const request = await requestOf(operation, soapVersion);
    expect(request.line).toBe(expected.line);
    expect(request.headers.map(([name, value]) => `${name}: ${value}`)).toEqual(
      expect.arrayContaining(expected.headers),
    );
    expect(request.body).toBe(expected.body);
  });

  test('sends the same bytes over a connection of its own', async () => {
    const request = await requestOf(operation, soapVersion, { keepAlive: false });
    expect(request.line).toBe('POST /soap/v1.asmx HTTP/1.1');
    expect(request.body).toBe(readFixture(operation, soapVersion).body);
  });

  test('posts to /soap/v1.asmx (section 4, rule 1)', async () => {
    expect((await requestOf(operation, soapVersion)).line).toBe('POST /soap/v1.asmx HTTP/1.1');
  });

  test('has one element in the Body, named after the operation, in the namespace (rule 2)', async () => {
    const { children } = parseXml((await requestOf(operation, soapVersion)).body);
    expect(children.map(({ local }) => local)).toEqual(['Body']);
    expect(children[0]?.children.map(({ local, uri }) => [local, uri])).toEqual([[operation, NAMESPACE]]);
  });

  test('has the Content-Type, SOAPAction and envelope of its version (rules 3 and 4)', async () => {
    const request = await requestOf(operation, soapVersion);
    expect(headerOf(request, 'Content-Type')).toBe(CONTENT_TYPES[soapVersion]);
    expect(headerOf(request, 'SOAPAction')).toBe(soapVersion === '1.1' ? `"${NAMESPACE}${operation}"` : undefined);
    const envelope = parseXml(request.body);
    expect(envelope).toMatchObject({
      prefix: PREFIXES[soapVersion],
      local: 'Envelope',
      uri: ENVELOPE_NAMESPACES[soapVersion],
    });
    expect(envelope.children[0]).toMatchObject({
      prefix: PREFIXES[soapVersion],
      uri: ENVELOPE_NAMESPACES[soapVersion],
    });
  });

  test('declares the xsi and xsd namespaces on the envelope, and uses no xsi:nil (rule 5)', async () => {
    const { body } = await requestOf(operation, soapVersion);
    expect(parseXml(body).attributes).toMatchObject({ 'xmlns:xsi': XSI, 'xmlns:xsd': XSD });
    expect(body).not.toMatch(/nil/);
  });

  test('has the children of the operation table in its order, status and statusmessage last (rule 6)', async () => {
    const payload = payloadOf((await requestOf(operation, soapVersion)).body);
    expect(payload.children.map(({ local }) => local)).toEqual(contractFields(operation).map(({ name }) => name));
    expect(new Set(payload.children.map(({ uri }) => uri))).toEqual(new Set([NAMESPACE]));
  });

  test('repeats the child named after its type in a list (rule 8)', async () => {
    const payload = payloadOf((await requestOf(operation, soapVersion)).body);
    for (const { name, type, list } of contractFields(operation)) {
      const element = payload.children.find(({ local }) => local === name);
      const given = (SAMPLES[operation] as Readonly<Record<string, unknown>>)[name];
      const items = list ? (given as unknown[]).map(() => type) : [];
      expect(element?.children.map(({ local }) => local)).toEqual(items);
    }
  });

  test('carries the API key in the apikey element and no other credential (section 5)', async () => {
    const request = await requestOf(operation, soapVersion);
    const [apikey] = payloadOf(request.body).children;
    expect(apikey).toMatchObject({ local: 'apikey', text: API_KEY });
    const allowed = ['host', 'connection', 'content-type', 'content-length', 'user-agent', 'soapaction'];
    const names = request.headers.map(([name]) => name.toLowerCase());
    expect(names.filter((name) => !allowed.includes(name))).toEqual([]);
    expect(new Set(names).size).toBe(names.length);
    expect(headerOf(request, 'User-Agent')).toBe(`messaging-soap/${packageVersion}`);
  });

  test('sends the same bytes whatever the order of the keys', async () => {
    const scrambled = Object.fromEntries(
      Object.entries({ ...SAMPLES[operation], statusmessage: '', status: 0 }).reverse(),
    );
    const request = await requestOf(operation, soapVersion, { request: scrambled });
    expect(request.body).toBe(readFixture(operation, soapVersion).body);
  });

  test.each(NAMESPACES)('takes the namespace %s to the letter', async (namespace) => {
    const request = await requestOf(operation, soapVersion, { namespace });
    expect(payloadOf(request.body)).toMatchObject({ local: operation, uri: namespace });
    expect(headerOf(request, 'SOAPAction')).toBe(soapVersion === '1.1' ? `"${namespace}${operation}"` : undefined);
  });
});

test.each([
  ['', '/soap/v1.asmx'],
  ['/', '/soap/v1.asmx'],
  ['/tenant', '/tenant/soap/v1.asmx'],
  ['/tenant//', '/tenant/soap/v1.asmx'],
])('a base URL that ends in "%s" is posted to at %s', async (ending, path) => {
  const { line } = await requestOf('RemainCreditByApiKey', '1.1', { baseUrl: server.baseUrl + ending });
  expect(line).toBe(`POST ${path} HTTP/1.1`);
});

test.each(CALLER_FIELDS.filter(({ list }) => list))(
  'an empty list of $name of $operation is an element without children',
  async ({ operation, name }) => {
    const request = { ...SAMPLES[operation], [name]: [] };
    const { body } = await requestOf(operation, '1.2', { request });
    const element = payloadOf(body).children.find(({ local }) => local === name);
    expect(element).toMatchObject({ children: [], text: '', attributes: {} });
  },
);

const OPTIONAL = CALLER_FIELDS.filter(({ type, list }) => list || type === 'string');
const REQUIRED = CALLER_FIELDS.filter((field) => !OPTIONAL.includes(field));

describe('a list longer than what is joined at once', () => {
  const LENGTHS = [255, 256, 257, 511, 512, 513, 1025];
  /** Mostly plain, with some that are written another way. */
  const textAt = (index: number) => (index % 85 === 0 ? `<&>\r${index}😀` : `متن ${index}`);

  test.each(LENGTHS)('is written whole and in order: %d items', async (length) => {
    const message = Array.from({ length }, (_, index) => textAt(index));
    const msgmode = Array.from({ length }, (_, index) => index);
    const request = { ...(SAMPLES.SendArrayByApikey as object), message, msgmode };
    const { body } = await requestOf('SendArrayByApikey', '1.1', { request });
    const itemsOf = (name: string) =>
      payloadOf(body)
        .children.find(({ local }) => local === name)
        ?.children.map(({ local, text }) => [local, text]);
    expect(itemsOf('message')).toEqual(message.map((text) => ['string', text]));
    expect(itemsOf('msgmode')).toEqual(msgmode.map((mode) => ['int', String(mode)]));
  });

  test.each([254, 255, 256, 300, 512])('is refused for its item %d, by its index in the whole list', async (index) => {
    const client = createClient(server);
    const list = (at: number, wrong: unknown) => Array.from({ length: 600 }, (_, each) => (each === at ? wrong : 'a'));
    const refused = async (message: unknown[]) =>
      await rejection(client.sendArray({ ...SAMPLES.SendArrayByApikey, message: message as string[] }));
    expect(await refused(list(index, 7))).toMatchObject({ name: 'RequestError', field: `message[${index}]` });
    expect(await refused(list(index, '\0'))).toMatchObject({ name: 'RequestError', field: `message[${index}]` });
    const holey = list(index, 'a');
    delete holey[index];
    expect(await refused(holey)).toMatchObject({ name: 'RequestError', field: `message[${index}]` });
  });
});

test('large texts reach the service whole, also several at a time', async () => {
  const client = createClient(server);
  // Around the sizes at which a request is encoded in another way.
  const texts = [3_000, 4_000, 5_000, 523_000, 524_288, 530_000].map(
    (length) => `${'م😀a'.repeat(length / 4)}${length}`,
  );
  const first = server.requests.length;
  await Promise.all(texts.map((message) => client.sendAdvance({ ...SAMPLES.SendAdvance, message })));
  const received = server.requests.slice(first).map(({ body }) => payloadOf(body).children[2]?.text ?? '');
  expect(received.sort()).toEqual([...texts].sort());
});

test.each(OPTIONAL)('null leaves $name of $operation out, and nothing else', async ({ operation, name }) => {
  const { body } = await requestOf(operation, '1.1', { request: { ...SAMPLES[operation], [name]: null } });
  const names = contractFields(operation).map((field) => field.name);
  expect(payloadOf(body).children.map(({ local }) => local)).toEqual(names.filter((known) => known !== name));
  expect(body).not.toMatch(/nil/);
});

test.each(REQUIRED)(
  'null cannot leave out $name of $operation, which the WSDL requires',
  async ({ operation, name }) => {
    const before = server.requests.length;
    const error = await rejection(requestOf(operation, '1.1', { request: { ...SAMPLES[operation], [name]: null } }));
    expect(error).toMatchObject({ name: 'RequestError', field: name, outcome: 'not-sent' });
    expect(server.requests).toHaveLength(before);
  },
);

test('an apikey that a request inherits does not replace the one of the client', async () => {
  const request = Object.assign(Object.create({ apikey: 'inherited' }), SAMPLES.RemainCreditByApiKey);
  const { body } = await requestOf('RemainCreditByApiKey', '1.1', { request });
  expect(payloadOf(body).children[0]).toMatchObject({ local: 'apikey', text: API_KEY });
});

test('an apikey with markup, blanks and line ends reaches the service as it is', async () => {
  const apiKey = ' <apikey>&amp;]]>"\'\r\n\tکلید ';
  const { body } = await requestOf('RemainCreditByApiKey', '1.1', { apiKey });
  expect(payloadOf(body).children[0]?.text).toBe(apiKey);
});

test('the status and statusmessage of a request are sent when given', async () => {
  const { body } = await requestOf('RemainCreditByApiKey', '1.1', {
    request: { status: -2147483648, statusmessage: '<&>' },
  });
  const [, status, statusmessage] = payloadOf(body).children;
  expect([status?.text, statusmessage?.text]).toEqual(['-2147483648', '<&>']);
});

describeStack(xmllint, () => {
  test.each(URIS)('every request is valid by the schema in the WSDL, in the namespace %s', async (namespace) => {
    const bodies: string[] = [];
    for (const [operation, soapVersion] of EVERY_CALL) {
      bodies.push((await requestOf(operation, soapVersion, { namespace })).body);
      const emptied = contractFields(operation)
        .filter(({ list }) => list)
        .map(({ name }) => [name, []]);
      const request = { ...SAMPLES[operation], ...Object.fromEntries(emptied) };
      bodies.push((await requestOf(operation, soapVersion, { namespace, request })).body);
      const left = OPTIONAL.filter((field) => field.operation === operation).map(({ name }) => [name, null]);
      const bare = { ...SAMPLES[operation], ...Object.fromEntries(left) };
      bodies.push((await requestOf(operation, soapVersion, { namespace, request: bare })).body);
    }
    expect(bodies).toHaveLength(OPERATIONS.length * VERSIONS.length * 3);
    expect(schemaErrors(namespace, bodies)).toBe('');
  });

  test('the schema refuses a request whose children are in another order', async () => {
    const { body } = await requestOf('SelectlatestByApikey', '1.1');
    const swapped = body.replace(/(<pagesize>.*<\/pagesize>)(<status>.*<\/status>)/, '$2$1');
    expect(schemaErrors(NAMESPACE, [swapped])).toContain('fails to validate');
  });
});
