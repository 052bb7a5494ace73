import { once } from 'node:events';
import { createServer } from 'node:net';
import { AbortError, ConnectionError, type MessagingOptions, TimeoutError } from '../../src';
import { cleanUp } from '../support/clean-up';
import { clientOf } from '../support/client';
import { holdClock, isSettled, turns } from '../support/clock';
import { SAMPLES } from '../support/contract';
import { credit, faultOf, responseOf } from '../support/envelopes';
import { httpResponse } from '../support/http-response';
import { errorOf, failureOf } from '../support/outcomes';
import { RawServer } from '../support/raw-server';

const simple = SAMPLES.SendSimpleByApikey;
/** No timer but the pause between two attempts. */
const endless = { timeoutMs: 0, connectTimeoutMs: 0 };

/** A service that breaks the handshake of TLS, so that each attempt is one connection and provably not sent. */
async function unreachable(): Promise<{ baseUrl: string; service: RawServer }> {
  const service = await RawServer.start({
    onConnection: (socket) => socket.once('data', () => socket.resetAndDestroy()),
  });
  return { baseUrl: `https://127.0.0.1:${service.port}`, service };
}

/** Waits until the attempt has failed and the pause has begun. */
async function pauseAfter(service: RawServer, attempts: number): Promise<void> {
  await service.until(() => service.closed === attempts);
  while (jest.getTimerCount() === 0) await turns();
}

describe('retries', () => {
  test.each([
    [1, [200, 400, 800, 1600, 3200, 5000, 5000]],
    [0, [100, 200, 400, 800, 1600, 2500, 2500]],
  ])('retries follow pauses that double up to 5 seconds, with jitter (random: %i)', async (random, pauses) => {
    jest.spyOn(Math, 'random').mockReturnValue(random);
    cleanUp(() => jest.restoreAllMocks());
    const clock = holdClock();
    const { baseUrl, service } = await unreachable();
    const failure = errorOf(ConnectionError, clientOf({ baseUrl }, { ...endless, retries: 7 }).sendSimple(simple));
    let attempts = 1;
    for (const pause of pauses) {
      await pauseAfter(service, attempts);
      await clock.advance(pause - 1);
      expect(service.connections).toBe(attempts);
      await clock.advance(1);
      attempts++;
    }
    expect(await failure).toMatchObject({ outcome: 'not-sent', code: 'ECONNRESET' });
    expect(service.connections).toBe(8);
  });

  test('the retries of a call take precedence over the retries of the client', async () => {
    jest.spyOn(Math, 'random').mockReturnValue(0);
    cleanUp(() => jest.restoreAllMocks());
    for (const [ofClient, ofCall] of [
      [0, 1],
      [5, 1],
    ] as const) {
      const { baseUrl, service } = await unreachable();
      const call = clientOf({ baseUrl }, { retries: ofClient }).sendSimple(simple, { retries: ofCall });
      await errorOf(ConnectionError, call);
      expect(service.connections).toBe(1 + ofCall);
    }
  });

  test('a client without the option retries tries nothing again', async () => {
    const { baseUrl, service } = await unreachable();
    await errorOf(ConnectionError, clientOf({ baseUrl }).sendSimple(simple));
    expect(service.connections).toBe(1);
  });

  test('a retry reaches a service that has come up, once', async () => {
    const first = await RawServer.start({});
    const { port, baseUrl } = first;
    await first.close();
    const call = clientOf({ baseUrl }, { retries: 100, timeoutMs: 0 }).remainCredit();
    expect(await isSettled(call)).toBe(false);
    let requests = 0;
    const service = createServer((socket) => {
      socket.on('data', () => {
        requests++;
        socket.end(httpResponse({ headers: { Connection: 'close' }, body: credit(5) }));
      });
    }).listen(port, '127.0.0.1');
    cleanUp(() => service.close());
    await once(service, 'listening');
    expect(await call).toBe(5n);
    expect(requests).toBe(1);
  });

  test('a retry sends the lists as they were at the call, although the caller has changed them', async () => {
    const first = await RawServer.start({});
    const { port, baseUrl } = first;
    await first.close();
    const receptor = ['09120000001'];
    const call = clientOf({ baseUrl }, { retries: 100, timeoutMs: 0 }).sendSimple({ ...simple, receptor });
    receptor[0] = '09999999999';
    receptor.push('09888888888');
    expect(await isSettled(call)).toBe(false);
    let sent = '';
    const service = createServer((socket) => {
      socket.on('data', (bytes) => {
        sent += bytes;
        socket.end(
          httpResponse({ headers: { Connection: 'close' }, body: responseOf('SendSimpleByApikey', '<long>1</long>') }),
        );
      });
    }).listen(port, '127.0.0.1');
    cleanUp(() => service.close());
    await once(service, 'listening');
    expect(await call).toEqual([1n]);
    expect(sent).toContain('<receptor><string>09120000001</string></receptor>');
  });

  test('a retry follows a connection that was not made in time', async () => {
    const clock = holdClock();
    const service = await RawServer.start({});
    const options = { retries: 1, timeoutMs: 0, connectTimeoutMs: 50 };
    const call = clientOf({ baseUrl: `https://127.0.0.1:${service.port}` }, options).remainCredit();
    const failure = errorOf(TimeoutError, call);
    await service.until(() => service.connections === 1);
    await clock.advance(50);
    await pauseAfter(service, 1);
    await clock.advance(200);
    await service.until(() => service.connections === 2);
    await clock.advance(50);
    expect(await failure).toMatchObject({ outcome: 'not-sent', timeoutMs: 50 });
  });

  test.each<[string, object]>([
    ['timeoutMs', { timeoutMs: 1000 }],
    ['startWithinMs', { timeoutMs: 0, startWithinMs: 900 }],
  ])('no retry begins after %s is over', async (_, options) => {
    // Pauses of 200 and 400 ms. Others could let an attempt begin right before the limit, and then run into it.
    jest.spyOn(Math, 'random').mockReturnValue(1);
    cleanUp(() => jest.restoreAllMocks());
    const clock = holdClock();
    const { baseUrl, service } = await unreachable();
    const start = performance.now();
    const client = clientOf({ baseUrl }, { retries: 100, connectTimeoutMs: 0 });
    const failure = errorOf(ConnectionError, client.sendSimple(simple, options));
    await clock.advanceUntilSettled(failure, 5);
    expect(await failure).toMatchObject({ outcome: 'not-sent', code: 'ECONNRESET' });
    expect(performance.now() - start).toBeLessThan(1000);
    expect(service.connections).toBe(3);
  });

  test('all retries share one timeoutMs', async () => {
    const clock = holdClock();
    let attempts = 0;
    const service = await RawServer.start({
      onConnection(socket) {
        if (attempts++ === 0) socket.once('data', () => socket.resetAndDestroy());
      },
    });
    const client = clientOf({ baseUrl: `https://127.0.0.1:${service.port}` }, { retries: 1, connectTimeoutMs: 0 });
    const failure = errorOf(TimeoutError, client.remainCredit({}, { timeoutMs: 1000 }));
    await service.until(() => service.closed === 1);
    while (service.connections < 2) await clock.advance(10);
    const elapsed = 1000 - 10;
    await clock.advance(elapsed);
    expect(await failure).toMatchObject({ outcome: 'not-sent', timeoutMs: 1000 });
  });

  test('an abort during the pause ends the retries', async () => {
    holdClock();
    const { baseUrl, service } = await unreachable();
    const abort = new AbortController();
    const call = clientOf({ baseUrl }, { ...endless, retries: 5 }).remainCredit({}, { signal: abort.signal });
    const failure = errorOf(AbortError, call);
    await pauseAfter(service, 1);
    abort.abort('enough');
    expect(await failure).toMatchObject({ outcome: 'not-sent', cause: 'enough' });
    expect(service.connections).toBe(1);
    expect(jest.getTimerCount()).toBe(0);
  });

  test('close during the pause ends the retries', async () => {
    holdClock();
    const { baseUrl, service } = await unreachable();
    const client = clientOf({ baseUrl }, { ...endless, retries: 5 });
    const failure = errorOf(ConnectionError, client.remainCredit());
    await pauseAfter(service, 1);
    await client.close();
    expect(await failure).toMatchObject({ outcome: 'not-sent', code: 'CLOSED' });
    expect(service.connections).toBe(1);
  });

  const respondWith = (response: Buffer) => () => RawServer.start(({ socket }) => socket.write(response));
  const others: [string, () => Promise<RawServer>, Partial<MessagingOptions>][] = [
    ['a refusing status', respondWith(httpResponse(responseOf('SendSimpleByApikey', '', { status: 418 }))), {}],
    ['a fault of the caller', respondWith(httpResponse({ status: 500, body: faultOf('Client', 'no', '', '1.1') })), {}],
    [
      'a fault of the service',
      respondWith(httpResponse({ status: 500, body: faultOf('Server', 'no', '', '1.1') })),
      {},
    ],
    ['HTTP 404', respondWith(httpResponse({ status: 404 })), {}],
    ['HTTP 429', respondWith(httpResponse({ status: 429, headers: { 'Retry-After': '0' } })), {}],
    ['HTTP 503', respondWith(httpResponse({ status: 503, headers: { 'Retry-After': '0' } })), {}],
    ['a response that is no envelope', respondWith(httpResponse('hello')), {}],
    ['a reset after the request', () => RawServer.start(({ socket }) => socket.resetAndDestroy()), {}],
    ['a close after the request', () => RawServer.start(({ socket }) => socket.end()), {}],
    ['a time limit after the request', () => RawServer.start({}), { timeoutMs: 150 }],
    ['silence after the request', () => RawServer.start({}), { idleTimeoutMs: 150 }],
  ];

  test.each(others)('no retry follows %s', async (_, start, options) => {
    const service = await start();
    const clock = holdClock();
    const client = clientOf(service, { retries: 3, ...options } as object);
    const failure = failureOf(client.sendSimple(simple));
    await service.until(() => service.requests.length === 1);
    await clock.advanceUntilSettled(failure, 150);
    expect(await failure).not.toMatchObject({ outcome: 'not-sent' });
    await client.close();
    expect(service.requests).toHaveLength(1);
  });
});
