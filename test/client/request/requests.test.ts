import type { OperationName, SoapVersion } from '../../../src';
import { version as packageVersion } from '../../../src/internal/version';
import { API_KEY, clientOf, invoke, respondWithSuccess } from '../../support/client';
import { CALLER_FIELDS, EVERY_CALL, requestFields, requestFixture, SAMPLES } from '../../support/contract';
import { VERSIONS } from '../../support/envelopes';
import { failureOf } from '../../support/outcomes';
import { type RawRequest, type RawServer, serve } from '../../support/raw-server';
import { payloadOf } from '../../support/xml';

/** With and without a final slash, another scheme, quotes, and characters that XML must escape. */
const NAMESPACES = [
  'http://provider.example/',
  'http://provider.example',
  'urn:provider:messaging#',
  "http://provider.example/?a='1'",
  'http://provider.example/?a=1&b=2',
  'http://provider.example/<a>]]>&lt;&',
];

let server: RawServer;
beforeAll(async () => {
  server = await serve(respondWithSuccess);
});

/** What the service gets for a call. */
async function requestOf(
  operation: OperationName,
  soapVersion: SoapVersion,
  { request = SAMPLES[operation] as object, ...options } = {} as Partial<Parameters<typeof clientOf>[1]> & {
    request?: object;
  },
): Promise<RawRequest> {
  await invoke(clientOf(server, { soapVersion, ...options }), operation, request);
  return server.requests.at(-1) as RawRequest;
}

/** What HTTP itself wants, and the name of the client. */
const OTHER_HEADERS = ['connection', 'content-length', 'host', 'user-agent'];

describe.each(EVERY_CALL)('%s in SOAP %s', (operation, soapVersion) => {
  test(`${operation} in SOAP ${soapVersion} sends the bytes that the contract shows, and no other header`, async () => {
    const expected = requestFixture(operation, soapVersion);
    const request = await requestOf(operation, soapVersion);
    expect(request.requestLine).toBe(expected.line);
    const ofContract = request.headerLines.filter(
      (line) => !OTHER_HEADERS.includes(line.split(':')[0]?.toLowerCase() ?? ''),
    );
    expect([...ofContract].sort()).toEqual([...expected.headers].sort());
    expect(request.headers['user-agent']).toBe(`messaging-soap/${packageVersion}`);
    expect(request.body).toBe(expected.body);
  });

  test(`${operation} in SOAP ${soapVersion} sends the same bytes for any order of the fields`, async () => {
    const scrambled = Object.fromEntries(
      Object.entries({ ...SAMPLES[operation], statusmessage: '', status: 0 }).reverse(),
    );
    const request = await requestOf(operation, soapVersion, { request: scrambled });
    expect(request.body).toBe(requestFixture(operation, soapVersion).body);
  });
});

describe.each(VERSIONS)('SOAP %s', (soapVersion) => {
  test(`a client without keepAlive sends the same bytes in SOAP ${soapVersion}`, async () => {
    const request = await requestOf('SendSimpleByApikey', soapVersion, { keepAlive: false });
    expect(request.requestLine).toBe('POST /soap/v1.asmx HTTP/1.1');
    expect(request.body).toBe(requestFixture('SendSimpleByApikey', soapVersion).body);
  });

  test.each(NAMESPACES)(`SOAP ${soapVersion} requests use the namespace %s unchanged`, async (namespace) => {
    const request = await requestOf('SendSimpleByApikey', soapVersion, { namespace });
    expect(payloadOf(request.body)).toMatchObject({ local: 'SendSimpleByApikey', uri: namespace });
    const action = soapVersion === '1.1' ? `"${namespace}SendSimpleByApikey"` : undefined;
    expect(request.headers.soapaction).toBe(action);
  });
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

  test.each(LENGTHS)('a list of %d items is written whole and in order', async (length) => {
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

  test.each([254, 255, 256, 300, 512])(
    'an error for item %d of a long list has the index in the whole list',
    async (index) => {
      const client = clientOf(server);
      const list = (at: number, wrong: unknown) =>
        Array.from({ length: 600 }, (_, each) => (each === at ? wrong : 'a'));
      const refused = async (message: unknown[]) =>
        await failureOf(client.sendArray({ ...SAMPLES.SendArrayByApikey, message: message as string[] }));
      expect(await refused(list(index, 7))).toMatchObject({ name: 'RequestError', field: `message[${index}]` });
      expect(await refused(list(index, '\0'))).toMatchObject({ name: 'RequestError', field: `message[${index}]` });
      const holey = list(index, 'a');
      delete holey[index];
      expect(await refused(holey)).toMatchObject({ name: 'RequestError', field: `message[${index}]` });
    },
  );
});

test('large texts reach the service whole, also several at a time', async () => {
  const client = clientOf(server);
  // Around the sizes at which a request is encoded in another way.
  const texts = [3_000, 4_000, 5_000, 523_000, 524_288, 530_000].map(
    (length) => `${'م😀a'.repeat(length / 4)}${length}`,
  );
  const first = server.requests.length;
  await Promise.all(texts.map((message) => client.sendAdvance({ ...SAMPLES.SendAdvance, message })));
  const received = server.requests.slice(first).map(({ body }) => payloadOf(body).children[2]?.text ?? '');
  expect(received.sort()).toEqual([...texts].sort());
});

test.each(OPTIONAL)('null leaves $name of $operation out, and no other element', async ({ operation, name }) => {
  const { body } = await requestOf(operation, '1.1', { request: { ...SAMPLES[operation], [name]: null } });
  const names = requestFields(operation).map((field) => field.name);
  expect(payloadOf(body).children.map(({ local }) => local)).toEqual(names.filter((known) => known !== name));
  expect(body).not.toMatch(/nil/);
});

test.each(REQUIRED)(
  'null cannot leave out $name of $operation, which the WSDL requires',
  async ({ operation, name }) => {
    const before = server.requests.length;
    const error = await failureOf(requestOf(operation, '1.1', { request: { ...SAMPLES[operation], [name]: null } }));
    expect(error).toMatchObject({ name: 'RequestError', field: name, outcome: 'not-sent' });
    expect(server.requests).toHaveLength(before);
  },
);

test("an apikey that a request inherits does not replace the client's API key", async () => {
  const request = Object.assign(Object.create({ apikey: 'inherited' }), SAMPLES.RemainCreditByApiKey);
  const { body } = await requestOf('RemainCreditByApiKey', '1.1', { request });
  expect(payloadOf(body).children[0]).toMatchObject({ local: 'apikey', text: API_KEY });
});

test('an API key with markup, blanks and line ends reaches the service unchanged', async () => {
  const apiKey = '<apikey>&amp; ]]>"\'\r\n\tکلید';
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
