import {
  ConfigurationError,
  ConnectionError,
  FaultError,
  HttpError,
  MessagingClient,
  MessagingError,
  RequestError,
  ResponseError,
  StatusError,
  TimeoutError,
} from '../../src';
import { createMasker } from '../../src/internal/mask';
import { API_KEY, clientOf } from '../support/client';
import { SAMPLES } from '../support/contract';
import { cpuTime } from '../support/cost';
import { credit, envelope, faultOf, NAMESPACE, responseOf, sentRecord } from '../support/envelopes';
import { callWithoutResponse, collect, errorOf, failureOf } from '../support/outcomes';
import { RawServer, serve } from '../support/raw-server';

const simple = SAMPLES.SendSimpleByApikey;

interface Case {
  readonly name: string;
  readonly type: abstract new (...args: never[]) => MessagingError;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly message: string | RegExp;
  fail(): Promise<unknown>;
}

const cases: Case[] = [
  {
    name: 'ConfigurationError',
    type: ConfigurationError,
    fields: {
      outcome: 'not-sent',
      operation: undefined,
      problems: [{ option: 'apiKey', variable: 'MESSAGING_API_KEY', message: 'missing' }],
    },
    message: 'apiKey (MESSAGING_API_KEY): missing',
    fail: async () =>
      new MessagingClient({
        baseUrl: 'http://x.example',
        namespace: NAMESPACE,
        apiKey: undefined,
        successStatuses: [200],
      }),
  },
  {
    name: 'RequestError',
    type: RequestError,
    fields: { outcome: 'not-sent', operation: 'SendSimpleByApikey', field: 'receptor[1]' },
    message: 'SendSimpleByApikey: receptor[1]: XML 1.0 cannot carry U+0001, at index 2',
    fail: async () => clientOf(await serve('')).sendSimple({ ...simple, receptor: ['1', 'ab\x01'] }),
  },
  {
    name: 'StatusError',
    type: StatusError,
    fields: {
      outcome: 'rejected',
      operation: 'SendSimpleByApikey',
      status: 418,
      statusmessage: 'no & never',
      result: [9007199254740993n],
    },
    message: 'SendSimpleByApikey: service returned status 418 (no & never)',
    fail: async () =>
      clientOf(
        await serve(
          responseOf('SendSimpleByApikey', '<long>9007199254740993</long>', {
            status: 418,
            statusmessage: 'no &amp; never',
          }),
        ),
      ).sendSimple(simple),
  },
  {
    name: 'FaultError',
    type: FaultError,
    fields: {
      outcome: 'rejected',
      operation: 'SendSimpleByApikey',
      code: 'Client',
      reason: 'no',
      detail: '<a>why &lt;</a><b />',
      httpStatus: 500,
      headers: { 'content-type': 'text/xml; charset=utf-8', 'content-length': '370' },
    },
    message: 'SendSimpleByApikey: service returned fault Client (no; why <)',
    fail: async () =>
      clientOf(await serve({ status: 500, body: faultOf('Client', 'no', '<a>why &lt;</a><b/>', '1.1') })).sendSimple(
        simple,
      ),
  },
  {
    name: 'HttpError',
    type: HttpError,
    fields: {
      outcome: 'rejected',
      operation: 'SendSimpleByApikey',
      httpStatus: 404,
      headers: { 'content-type': 'text/plain', 'content-length': '8', 'retry-after': '5' },
      body: 'not here',
    },
    message: 'SendSimpleByApikey: service returned HTTP status 404 (not here); check the base URL',
    fail: async () => {
      const headers = { 'Content-Type': 'text/plain', 'Retry-After': '5' };
      return clientOf(await serve({ status: 404, headers, body: 'not here' })).sendSimple(simple);
    },
  },
  {
    name: 'ConnectionError',
    type: ConnectionError,
    fields: { outcome: 'unknown', operation: 'SendSimpleByApikey', code: 'ECONNRESET' },
    message: /^SendSimpleByApikey: the connection failed waiting for the response: .*ECONNRESET/,
    fail: async () => clientOf(await RawServer.start(({ socket }) => socket.resetAndDestroy())).sendSimple(simple),
  },
  {
    name: 'TimeoutError',
    type: TimeoutError,
    fields: { outcome: 'unknown', operation: 'SendSimpleByApikey', timeoutMs: 40 },
    message: 'SendSimpleByApikey: timed out after 40 ms waiting for the response',
    fail: () => callWithoutResponse(40, (client) => client.sendSimple(simple)),
  },
  {
    name: 'ResponseError',
    type: ResponseError,
    fields: { outcome: 'unknown', operation: 'SendSimpleByApikey', body: 'hello' },
    message: /^SendSimpleByApikey: not well-formed XML: /,
    fail: async () => clientOf(await serve('hello')).sendSimple(simple),
  },
];

describe.each(cases)('$name', ({ name, type, fields, message: words, fail }) => {
  test(`a ${name} has its class, its fields and a message that says what happened`, async () => {
    const error = await errorOf(type, fail());
    expect(error).toBeInstanceOf(MessagingError);
    expect(error).toBeInstanceOf(Error);
    expect(error.name).toBe(name);
    expect(error).toMatchObject(fields);
    expect(Object.keys(error).sort()).toEqual([...new Set(['operation', ...Object.keys(fields)])].sort());
    expect(error.message).toMatch(typeof words === 'string' ? new RegExp(`^${RegExpEscape(words)}$`) : words);
    expect(String(error)).toBe(`${name}: ${error.message}`);
    expect(error.stack).toContain(error.message);
  });

  test(`JSON holds all fields of a ${name}, with a bigint as a string`, async () => {
    const error = await errorOf(type, fail());
    const json = JSON.parse(JSON.stringify({ error })) as { error: Record<string, unknown> };
    const plain = Object.entries(fields)
      .filter(([, value]) => value !== undefined)
      .map(([field, value]) => [field, field === 'result' ? (value as unknown[]).map(String) : value]);
    expect(json.error).toEqual({ name, message: error.message, ...Object.fromEntries(plain) });
  });
});

describe('the result in a StatusError', () => {
  const refusal = { status: 403, statusmessage: 'invalid apikey' };

  test.each([
    ['an absent list', responseOf('SelectlatestByApikey', undefined, refusal), []],
    ['an empty list', responseOf('SelectlatestByApikey', '', refusal), []],
  ])('the result in a StatusError is [] for %s', async (_, body, result) => {
    const error = await errorOf(StatusError, clientOf(await serve(body)).selectLatest({ pagesize: 1 }));
    expect(error.result).toEqual(result);
  });

  test('the result in a StatusError is the list of records, and JSON holds their longs as strings', async () => {
    const body = responseOf('SelectlatestByApikey', sentRecord(7), refusal);
    const error = await errorOf(StatusError, clientOf(await serve(body)).selectLatest({ pagesize: 1 }));
    expect(error.result).toMatchObject([{ messageid: 7n, message: 'text 7', cost: 120 }]);
    expect(JSON.parse(JSON.stringify(error))).toMatchObject({
      result: [{ messageid: '7', cost: 120, date: '1700000000' }],
    });
  });

  test('the result in a StatusError is undefined when the response has no single long', async () => {
    const error = await errorOf(
      StatusError,
      clientOf(await serve(responseOf('RemainCreditByApiKey', undefined, refusal))).remainCredit(),
    );
    expect(error).toMatchObject({ status: 403, statusmessage: 'invalid apikey', result: undefined });
    expect(JSON.parse(JSON.stringify(error))).not.toHaveProperty('result');
  });
});

describe('the status check', () => {
  test('a status that is not in successStatuses rejects with StatusError', async () => {
    for (const [status, passes] of [
      [1, true],
      [-3, true],
      [0, false],
      [200, false],
      [-2147483648, false],
    ] as const) {
      const service = await serve(responseOf('RemainCreditByApiKey', '5', { status }));
      const call = clientOf(service, { successStatuses: [1, -3] }).remainCredit();
      if (passes) expect(await call).toBe(5n);
      else expect(await errorOf(StatusError, call)).toMatchObject({ status, result: 5n });
    }
  });

  test('call does not check the status', async () => {
    const service = await serve(responseOf('RemainCreditByApiKey', '5', { status: 418, statusmessage: 'teapot' }));
    expect(await clientOf(service).call('RemainCreditByApiKey', {})).toEqual({
      result: 5n,
      status: 418,
      statusmessage: 'teapot',
    });
  });

  test('call resolves with a refusal that has no single long', async () => {
    const service = await serve(responseOf('SendAdvance', undefined, { status: 418, statusmessage: '' }));
    const response = await clientOf(service).call('SendAdvance', {
      ...{ sender: '1', message: 'm', encoding: 0, receptor: '2', unixdate: 0n, messagemode: 1 },
      ...{ fallbackurl: '', clientmessageid: '' },
    });
    expect(response).toEqual({ result: undefined, status: 418, statusmessage: '' });
  });

  test.each(['call', 'remainCredit'] as const)(
    '%s rejects a success without its single long with a ResponseError',
    async (how) => {
      const body = responseOf('RemainCreditByApiKey', undefined);
      const client = clientOf(await serve(body));
      const call = how === 'call' ? client.call('RemainCreditByApiKey', {}) : client.remainCredit();
      const error = await errorOf(ResponseError, call);
      expect(error).toMatchObject({ outcome: 'unknown', body });
      expect(error.message).toBe('RemainCreditByApiKey: RemainCreditByApiKeyResult is missing');
    },
  );

  test.each([
    ['absent', responseOf('SendSimpleByApikey', undefined)],
    ['empty', responseOf('SendSimpleByApikey', '')],
    [
      'nil',
      responseOf('SendSimpleByApikey', '').replace(
        '<SendSimpleByApikeyResult>',
        '<SendSimpleByApikeyResult xsi:nil="true">',
      ),
    ],
  ])('a success whose list is %s resolves with []', async (_, body) => {
    const client = clientOf(await serve(body));
    expect(await client.sendSimple(simple)).toEqual([]);
    expect(await client.call('SendSimpleByApikey', simple)).toEqual({ result: [], status: 200, statusmessage: 'ok' });
  });

  test('a missing statusmessage is empty, and the message then has no brackets', async () => {
    const body = responseOf('RemainCreditByApiKey', '0', { status: 5 }).replace(
      '<statusmessage>ok</statusmessage>',
      '',
    );
    const error = await errorOf(StatusError, clientOf(await serve(body)).remainCredit());
    expect(error).toMatchObject({ status: 5, statusmessage: '' });
    expect(error.message).toBe('RemainCreditByApiKey: service returned status 5');
  });

  test.each([
    ['missing', ''],
    ['empty', '<status></status>'],
    ['not a number', '<status>ok</status>'],
    ['out of range', '<status>2147483648</status>'],
    ['a fraction', '<status>200.0</status>'],
  ])('a status that is %s is a ResponseError', async (_, status) => {
    const body = credit(5).replace('<status>200</status>', status);
    const error = await errorOf(ResponseError, clientOf(await serve(body)).remainCredit());
    expect(error).toMatchObject({ outcome: 'unknown', body });
    expect(error.message).toContain('status');
  });
});

describe('the body in an error', () => {
  test.each([
    ['HttpError', 502],
    ['ResponseError', 200],
  ])('the body in an error has at most 1,000 characters (%s)', async (name, status) => {
    const body = `<html>${'سلام '.repeat(5000)}</html>`;
    const error = await failureOf(clientOf(await serve({ status, body })).remainCredit());
    expect(error).toMatchObject({ name, body: body.slice(0, 1000) });
  });

  test('the body in an error does not end in half a character', async () => {
    const body = `<html>${'x'.repeat(993)}${'👋'.repeat(100)}`;
    const error = await errorOf(HttpError, clientOf(await serve({ status: 502, body })).remainCredit());
    expect(error.body).toBe(body.slice(0, 999));
  });

  test.each([
    ['windows-1256', 'text/html; charset=windows-1256', Buffer.from([0xd3, 0xe1, 0xc7, 0xe3])],
    ['quoted UTF-8', 'text/html; charset="utf-8"', Buffer.from('سلام')],
    ['UTF-16 with a byte order mark', 'text/html', Buffer.from('\ufeffسلام', 'utf16le')],
  ])('the body in an error is read in the encoding of the service: %s', async (_, type, body) => {
    const service = await serve({ status: 502, headers: { 'Content-Type': type }, body });
    expect((await errorOf(HttpError, clientOf(service).remainCredit())).body).toBe('سلام');
  });

  test('an error shows a body in an unknown encoding', async () => {
    const headers = { 'Content-Type': 'text/html; charset=klingon' };
    const service = await serve({ status: 502, headers, body: 'hello' });
    expect((await errorOf(HttpError, clientOf(service).remainCredit())).body).toBe('hello');
  });
});

test.each([
  ['heads', '<head>'.repeat(1300)],
  ['heads, and half an end tag', `${'<head>'.repeat(1300)}</head${' '.repeat(8000)}`],
  ['heads, styles and scripts', '<head><style><script>'.repeat(780)],
  ['characters that begin a tag', '<'.repeat(16_384)],
])('an error page that consists of %s is read in time', (_, page) => {
  const context = { operation: 'SendSimpleByApikey', ...createMasker(API_KEY) };
  const cost = cpuTime(() => {
    for (let count = 0; count < 100; count++) new HttpError({ ...context, httpStatus: 502, body: page });
  });
  // A time that grows with the square of the page would be seconds.
  expect(cost).toBeLessThan(500);
});

describe('a wrong request', () => {
  test('one error names all fields that have a wrong type', async () => {
    const request = { sender: 1, message: 'hi', receptor: ['1', 2], unixdate: '0', msgmode: 1.5 };
    const client = clientOf({ baseUrl: 'http://127.0.0.1:1' });
    const error = await errorOf(RequestError, client.sendSimple(request as never));
    expect(error.field).toBe('sender');
    expect(error.message).toBe(
      'SendSimpleByApikey: sender: a string is needed, not a number; receptor[1]: a string is needed, not a number; ' +
        'unixdate: an xsd:long (bigint or safe integer) is needed, not a string; ' +
        'msgmode: 1.5 is not a safe integer: give a whole number, as a bigint beyond 2^53',
    );
  });

  const calls: [string, (client: MessagingClient) => unknown][] = [
    // @ts-expect-error a field of the wrong type
    ['a field of the wrong type', (client) => client.sendSimple({ ...simple, msgmode: 'x' })],
    // @ts-expect-error an operation that does not exist
    ['an unknown operation', (client) => client.call('DropAllMessages', {})],
    ['an operation named like a method of every object', (client) => client.call('toString' as never, {} as never)],
    // @ts-expect-error no text
    ['an operation that is null', (client) => client.call(null, {})],
    // @ts-expect-error no text
    ['an operation that is a number', (client) => client.call(5, {})],
    // @ts-expect-error a field that no request has
    ['an unknown field', (client) => client.getStatus({ messageid: [1n], verbose: true })],
    // @ts-expect-error no request
    ['no request', (client) => client.sendSimple()],
    // @ts-expect-error a null request
    ['a null request', (client) => client.sendSimple(null)],
    // @ts-expect-error a list for a request
    ['a list as the request', (client) => client.sendSimple([])],
    ['a key of its own', (client) => client.remainCredit({ apikey: 'mine' } as never)],
    // @ts-expect-error a text for a list
    ['a text where a list belongs', (client) => client.getStatus({ messageid: '12' })],
    // @ts-expect-error null for a number
    ['null where the WSDL requires an element', (client) => client.sendSimple({ ...simple, unixdate: null })],
    ['a number that is out of range', (client) => client.receive({ lineNumber: '3000', isread: 40_000 })],
    ['an unsafe number', (client) => client.getStatus({ messageid: [2 ** 53] })],
  ];

  test.each(calls)('%s rejects with a RequestError, and nothing is sent', async (_, call) => {
    const service = await RawServer.start({});
    const client = clientOf(service);
    // A synchronous throw would fail here.
    const promise = call(client) as Promise<unknown>;
    expect(promise).toBeInstanceOf(Promise);
    expect((await errorOf(RequestError, promise)).outcome).toBe('not-sent');
    expect(service.connections).toBe(0);
  });

  test('a wrong request rejects the first record of a stream, and creating the stream does not throw', async () => {
    const service = await RawServer.start({});
    // @ts-expect-error a field of the wrong type
    const stream = clientOf(service).selectLatestStream({ pagesize: 'all' });
    expect((await errorOf(RequestError, stream.next())).field).toBe('pagesize');
    expect(await stream.next()).toEqual({ done: true, value: undefined });
    // @ts-expect-error a request that is none
    await errorOf(RequestError, collect(clientOf(service).receiveStream(null)));
  });

  test('the error for an unknown operation lists the operations', async () => {
    const client = clientOf({ baseUrl: 'http://127.0.0.1:1' });
    // @ts-expect-error an operation that does not exist
    const error = await errorOf(RequestError, client.call('SendSimple', {}));
    expect(error.message).toMatch(/^SendSimple: unknown operation .*SendSimpleByApikey.*RemainCreditByApiKey/);
  });

  test('the error for a missing operation lists the operations', async () => {
    const client = clientOf({ baseUrl: 'http://127.0.0.1:1' });
    // @ts-expect-error no operation
    const error = await errorOf(RequestError, client.call());
    expect(error.message).toMatch(/^unknown operation \(operations: SendSimpleByApikey, .*RemainCreditByApiKey.*\)$/);
    expect(error.operation).toBeUndefined();
  });

  test('the error for an unknown field lists the fields', async () => {
    const client = clientOf({ baseUrl: 'http://127.0.0.1:1' });
    // @ts-expect-error a field that no request has
    const error = await errorOf(RequestError, client.getStatus({ messageid: [1n], verbose: true }));
    expect(error.message).toBe('GetStatusByApikey: unknown field verbose (fields: messageid, status, statusmessage)');
    expect(error.field).toBe('verbose');
  });

  test.each([-1, 1.5, Number.NaN, 2 ** 31, '50'])(
    'a call with a timeoutMs of %p rejects before anything is sent',
    async (timeoutMs) => {
      const service = await RawServer.start({});
      const call = clientOf(service).remainCredit({}, { timeoutMs: timeoutMs as number });
      const error = await errorOf(ConfigurationError, call);
      expect(error.message).toContain('timeoutMs');
      expect(service.connections).toBe(0);
    },
  );
});

test('a response of another operation is a ResponseError that names both', async () => {
  const body = credit(5).replaceAll('RemainCreditByApiKey', 'CancelByApikey');
  const error = await errorOf(ResponseError, clientOf(await serve(body)).remainCredit());
  expect(error.message).toContain('CancelByApikeyResponse');
  expect(error.message).toContain('RemainCreditByApiKeyResponse');
});

test('an envelope without a response is a ResponseError', async () => {
  const error = await errorOf(ResponseError, clientOf(await serve(envelope(''))).remainCredit());
  expect(error.message).toBe('RemainCreditByApiKey: the envelope contains no RemainCreditByApiKeyResponse');
});

function RegExpEscape(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}

test('a request without several fields rejects with one error that names all of them', async () => {
  const client = clientOf(await serve(''));
  const error = await errorOf(RequestError, client.sendSimple({ sender: '3000', message: 'hello' } as never));
  expect(error).toMatchObject({
    field: 'receptor',
    message:
      "SendSimpleByApikey: receptor, unixdate, msgmode are missing: give them in the request or in the client's defaults",
  });
});
