import { AsyncLocalStorage } from 'node:async_hooks';
import { channel, subscribe, unsubscribe } from 'node:diagnostics_channel';
import { gzipSync } from 'node:zlib';
import {
  type CallTrace,
  ConnectionError,
  FaultError,
  MessagingError,
  RequestError,
  StatusError,
  type WireMessage,
} from '../../src';
import { cleanUp } from '../support/clean-up';
import { API_KEY, clientOf } from '../support/client';
import { turns } from '../support/clock';
import { SAMPLES } from '../support/contract';
import { credit, faultOf, responseOf, sentRecords } from '../support/envelopes';
import { httpResponse } from '../support/http-response';
import { collect, errorOf } from '../support/outcomes';
import { RawServer, serve } from '../support/raw-server';

const simple = SAMPLES.SendSimpleByApikey;
const WIRE = 'messaging-soap:wire';
const events = ['start', 'end', 'asyncStart', 'asyncEnd', 'error'] as const;

/** Notes what is published on a channel, as it is at that moment, until the test is over. */
function listen<T>(name: string, note: (message: T) => void): void {
  const listener = (message: unknown) => note(message as T);
  subscribe(name, listener);
  cleanUp(() => unsubscribe(name, listener));
}

/** The traces of calls, by event in order. */
function listenToCalls(): { event: (typeof events)[number]; object: CallTrace; copy: CallTrace }[] {
  const seen: { event: (typeof events)[number]; object: CallTrace; copy: CallTrace }[] = [];
  for (const event of events) {
    listen<CallTrace>(`tracing:messaging-soap:call:${event}`, (object) =>
      seen.push({ event, object, copy: { ...object } }),
    );
  }
  return seen;
}

function listenToWire(): WireMessage[] {
  const messages: WireMessage[] = [];
  listen<WireMessage>(WIRE, (message) => messages.push(message));
  return messages;
}

describe('the tracing channel messaging-soap:call', () => {
  test('the tracing channel carries one object for each call, and fills each field as soon as it is known', async () => {
    const body = gzipSync(credit(5, '1.2'));
    const service = await serve({ headers: { 'Content-Encoding': 'gzip' }, body });
    const seen = listenToCalls();
    const client = clientOf({ baseUrl: `${service.baseUrl}/` }, { soapVersion: '1.2' });
    expect(await client.remainCredit()).toBe(5n);
    expect(seen.map(({ event }) => event)).toEqual(['start', 'end', 'asyncStart', 'asyncEnd']);
    expect(new Set(seen.map(({ object }) => object)).size).toBe(1);
    const known = {
      operation: 'RemainCreditByApiKey',
      soapVersion: '1.2',
      url: `${service.baseUrl}/soap/v1.asmx`,
    };
    expect(seen[0]?.copy).toStrictEqual(known);
    expect(seen.at(-1)?.copy).toEqual({
      ...known,
      httpStatus: 200,
      status: 200,
      outcome: 'done',
      requestBytes: Buffer.byteLength(service.requests[0]?.body as string),
      responseBytes: body.length,
    });
  });

  test.each<[string, () => Promise<{ baseUrl: string }>, abstract new (...args: never[]) => MessagingError, object]>([
    [
      'a refusing status',
      () => serve(responseOf('SendSimpleByApikey', '', { status: 418 })),
      StatusError,
      { httpStatus: 200, status: 418, outcome: 'rejected' },
    ],
    [
      'a fault',
      () => serve({ status: 500, body: faultOf('Server', 'no', '', '1.1') }),
      FaultError,
      { httpStatus: 500, outcome: 'unknown' },
    ],
    [
      'a connection that breaks',
      () => RawServer.start(({ socket }) => socket.resetAndDestroy()),
      ConnectionError,
      { outcome: 'unknown' },
    ],
    [
      'a connection that is not made',
      async () => ({ baseUrl: 'http://127.0.0.1:1' }),
      ConnectionError,
      { outcome: 'not-sent' },
    ],
  ])('the tracing channel reports %s with its error', async (_, start, type, fields) => {
    const service = await start();
    const seen = listenToCalls();
    const error = await errorOf(type, clientOf(service).sendSimple(simple));
    expect(seen.map(({ event }) => event)).toEqual(['start', 'end', 'error', 'asyncStart', 'asyncEnd']);
    const { copy } = seen.find(({ event }) => event === 'error') as (typeof seen)[number];
    expect(copy).toEqual({
      operation: 'SendSimpleByApikey',
      soapVersion: '1.1',
      url: `${service.baseUrl}/soap/v1.asmx`,
      requestBytes: expect.any(Number),
      ...('httpStatus' in fields ? { responseBytes: expect.any(Number) } : {}),
      ...fields,
      error,
    });
    expect(copy.error).toBe(error);
  });

  test('the tracing channel reports a request that is refused before anything is sent', async () => {
    const seen = listenToCalls();
    const error = await errorOf(RequestError, clientOf(await serve('')).sendSimple({ ...simple, sender: '\u0000' }));
    const { copy } = seen.find(({ event }) => event === 'error') as (typeof seen)[number];
    expect(copy.error).toBe(error);
    expect(copy).toMatchObject({ operation: 'SendSimpleByApikey', outcome: 'not-sent' });
    expect(copy).not.toHaveProperty('requestBytes');
  });

  test('the tracing channel carries one object for a stream, and none of its records', async () => {
    const service = await serve(responseOf('SelectlatestByApikey', sentRecords(1, 5000)));
    const seen = listenToCalls();
    expect(await collect(clientOf(service).selectLatestStream({ pagesize: 5000 }))).toHaveLength(5000);
    expect(seen.filter(({ event }) => event === 'start')).toHaveLength(1);
    expect(Object.keys(seen.at(-1)?.copy as object).sort()).toEqual([
      'httpStatus',
      'operation',
      'outcome',
      'requestBytes',
      'responseBytes',
      'result',
      'soapVersion',
      'status',
      'url',
    ]);
    // Node itself puts the promise's value there.
    expect(seen.at(-1)?.copy).toHaveProperty('result', undefined);
  });

  test('leaving the loop over a stream is no failure on the tracing channel', async () => {
    const service = await serve(responseOf('SelectlatestByApikey', sentRecords(1, 5000)));
    const seen = listenToCalls();
    for await (const _ of clientOf(service).selectLatestStream({ pagesize: 5000 })) break;
    while (seen.at(-1)?.event !== 'asyncEnd') await turns();
    expect(seen.map(({ event }) => event)).toEqual(['start', 'end', 'asyncStart', 'asyncEnd']);
    expect(seen.at(-1)?.copy).toMatchObject({ operation: 'SelectlatestByApikey', httpStatus: 200, outcome: 'left' });
    expect(seen.at(-1)?.copy).not.toHaveProperty('error');
  });

  test.each([
    ['null', null],
    ['an object that cannot be converted to a text', Object.create(null)],
  ])('the tracing channel carries a call whose operation is %s', async (_, operation) => {
    const seen = listenToCalls();
    await errorOf(RequestError, clientOf(await serve('')).call(operation as never, {} as never));
    expect(seen.at(-1)?.copy).toMatchObject({ operation: 'object', outcome: 'not-sent' });
  });

  test('the tracing channel carries one object for a call that is tried again', async () => {
    const service = await RawServer.start({
      onConnection: (socket) => socket.once('data', () => socket.resetAndDestroy()),
    });
    const seen = listenToCalls();
    const client = clientOf({ baseUrl: `https://127.0.0.1:${service.port}` }, { retries: 1 });
    await errorOf(ConnectionError, client.remainCredit());
    expect(service.connections).toBe(2);
    expect(seen.filter(({ event }) => event === 'start')).toHaveLength(1);
    expect(seen.at(-1)?.copy).toMatchObject({ outcome: 'not-sent' });
  });
});

describe('the channel messaging-soap:wire', () => {
  test('the wire channel carries each request and each response as they crossed the wire, without the key', async () => {
    const envelope = responseOf('SendSimpleByApikey', '<long>9007199254740993</long>', { statusmessage: 'سلام' });
    const service = await serve({ headers: { 'Content-Encoding': 'gzip', 'X-Id': '7' }, body: gzipSync(envelope) });
    const messages = listenToWire();
    await clientOf(service).sendSimple({ ...simple, message: 'سلام' });
    const [{ requestLine, headerLines, body } = { requestLine: '', headerLines: [], body: '' }] = service.requests;
    const [request, response] = messages as [WireMessage, WireMessage];
    expect(messages).toHaveLength(2);
    expect(Object.keys(request).sort()).toEqual(['body', 'direction', 'head', 'operation']);
    expect(request).toMatchObject({ operation: 'SendSimpleByApikey', direction: 'request' });
    const lines = headerLines.filter((line) => !/^connection:/i.test(line));
    expect(request.head).toBe([requestLine, ...lines, ''].join('\r\n'));
    expect(request.body).toBe(body.replace(/<apikey>.*<\/apikey>/, '<apikey>***</apikey>'));
    expect(body).toContain(API_KEY.replace('&', '&amp;').replace('<', '&lt;').replace('>', '&gt;'));
    expect(response).toMatchObject({ operation: 'SendSimpleByApikey', direction: 'response', body: envelope });
    expect(response.head).toMatch(/^HTTP\/1\.1 200 OK\r\n(.+\r\n)*$/);
    expect(response.head).toContain('x-id: 7\r\n');
  });

  test('the wire channel carries a request before its response arrives, and no request that never began', async () => {
    const service = await RawServer.start({});
    const messages = listenToWire();
    const client = clientOf(service, { maxConnections: 1 });
    const abort = new AbortController();
    const calls = [
      client.remainCredit({}, { signal: abort.signal }),
      client.sendSimple(simple, { signal: abort.signal }),
    ];
    await service.until(() => service.requests.length === 1);
    expect(messages.map(({ operation, direction }) => [operation, direction])).toEqual([
      ['RemainCreditByApiKey', 'request'],
    ]);
    abort.abort();
    await Promise.allSettled(calls);
    expect(messages).toHaveLength(1);
  });

  test('the wire channel carries an error page in the encoding that the service used', async () => {
    const headers = { 'Content-Type': 'text/html; charset=windows-1256' };
    const service = await serve({ status: 502, headers, body: Buffer.from([0xd3, 0xe1, 0xc7, 0xe3]) });
    const messages = listenToWire();
    await errorOf(MessagingError, clientOf(service).remainCredit());
    expect(messages[1]).toMatchObject({ direction: 'response', body: 'سلام' });
    expect(messages[1]?.head).toMatch(/^HTTP\/1\.1 502 Bad Gateway\r\n/);
  });

  test('the wire channel carries the part of a broken response that arrived', async () => {
    const service = await RawServer.start(({ socket }) => {
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: 9000\r\n\r\n${'-'.repeat(2000)}`, () =>
        socket.resetAndDestroy(),
      );
    });
    const messages = listenToWire();
    await errorOf(ConnectionError, clientOf(service).remainCredit());
    expect(messages[1]?.body).toMatch(/^-{100,}$/);
  });

  test('the wire channel carries at most a mebibyte of a body', async () => {
    const service = await serve(responseOf('SelectlatestByApikey', sentRecords(1, 10_000)));
    const messages = listenToWire();
    expect(await clientOf(service).selectLatest({ pagesize: 10_000 })).toHaveLength(10_000);
    await clientOf(await serve(credit(5)))
      .call('SendSimpleByApikey', { ...simple, message: 'x'.repeat(2_000_000) })
      .catch(() => undefined);
    const lengths = messages.map(({ body }) => body.length);
    expect(lengths[1]).toBeGreaterThan(1_000_000);
    expect(lengths[2]).toBeGreaterThan(1_000_000);
    expect(Math.max(...lengths)).toBeLessThanOrEqual(1_048_576);
  });
});

test('functions of a user are called in the asynchronous context of their own call, also on a connection of another call', async () => {
  const calls = new AsyncLocalStorage<string>();
  const seen: [what: string, call: string | undefined][] = [];
  const service = await RawServer.start(({ body, socket }) => {
    socket.write(
      httpResponse(
        body.includes('RemainCredit')
          ? credit(5)
          : responseOf('SelectlatestByApikey', `${sentRecords(1, 1)}<ApiSelect/>`),
      ),
    );
  });
  const client = clientOf(service, { maxConnections: 1 });
  await calls.run('first', () => client.remainCredit());
  listen<WireMessage>(WIRE, ({ direction }) => seen.push([direction, calls.getStore()]));
  listen<CallTrace>('tracing:messaging-soap:call:asyncEnd', () => seen.push(['trace', calls.getStore()]));
  const onUnreadable = () => seen.push(['record', calls.getStore()]);
  await calls.run('second', () => collect(client.selectLatestStream({ pagesize: 1 }, { onUnreadable })));
  expect(service.connections).toBe(1);
  expect(seen).toEqual([
    ['request', 'second'],
    ['record', 'second'],
    ['response', 'second'],
    ['trace', 'second'],
  ]);
});

test('the client publishes nothing while nobody listens', async () => {
  const start = channel('tracing:messaging-soap:call:start');
  const spies = [
    jest.spyOn(channel(WIRE), 'publish'),
    jest.spyOn(start, 'publish'),
    jest.spyOn(start, 'runStores' as 'publish'),
  ];
  cleanUp(() => jest.restoreAllMocks());
  expect(await clientOf(await serve(credit(5))).remainCredit()).toBe(5n);
  for (const spy of spies) expect(spy).not.toHaveBeenCalled();
});
