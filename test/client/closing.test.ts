import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { gzipSync } from 'node:zlib';
import { ConfigurationError, ConnectionError, MessagingClient } from '../../src';
import { cleanUp } from '../support/clean-up';
import { API_KEY, clientOf } from '../support/client';
import { holdClock, isSettled, turns } from '../support/clock';
import { SAMPLES } from '../support/contract';
import { credit, NAMESPACE, responseOf, sentRecords } from '../support/envelopes';
import { pem } from '../support/fixtures';
import { httpResponse } from '../support/http-response';
import { collect, errorOf, failureOf } from '../support/outcomes';
import { RawServer, serve } from '../support/raw-server';
import { blockThreads } from '../support/threads';

const simple = SAMPLES.SendSimpleByApikey;

describe('close({ withinMs })', () => {
  test('close cancels running and waiting calls after withinMs', async () => {
    const service = await RawServer.start({});
    const client = clientOf(service, { maxConnections: 1, timeoutMs: 0 });
    const hung = errorOf(ConnectionError, client.remainCredit());
    await service.until(() => service.requests.length === 1);
    const waiting = errorOf(ConnectionError, client.sendSimple(simple));
    await turns();
    const clock = holdClock();
    const closed = client.close({ withinMs: 100 });
    await clock.advance(99);
    expect(await isSettled(Promise.race([hung, waiting, closed]))).toBe(false);
    await clock.advance(1);
    expect(await hung).toMatchObject({ code: 'CLOSED', outcome: 'unknown' });
    expect(await waiting).toMatchObject({ code: 'CLOSED', outcome: 'not-sent' });
    expect((await hung).message).toMatch(/^RemainCreditByApiKey: .*the client was closed before the call ended/);
    await closed;
    await service.until(() => service.open === 0);
    expect(service.requests).toHaveLength(1);
  });

  test('close cancels a call whose connection is still being made', async () => {
    const service = await RawServer.start({});
    const client = clientOf({ baseUrl: `https://127.0.0.1:${service.port}` });
    const call = errorOf(ConnectionError, client.sendSimple(simple));
    await service.until(() => service.bytes > 0);
    await client.close({ withinMs: 0 });
    expect(await call).toMatchObject({ code: 'CLOSED', outcome: 'not-sent' });
    await service.until(() => service.open === 0);
  });

  test.each([10_000, 0])(
    'close ends although the service accepts no more connections (connectTimeoutMs %i)',
    async (connectTimeoutMs) => {
      const tls = createTlsServer({ cert: pem('server.pem'), key: pem('server.key') }, (socket) => socket.resume());
      const sockets: Socket[] = [];
      const service = createServer((socket) => {
        sockets.push(socket.on('error', () => {}));
        // The others get no response to their handshake.
        if (sockets.length === 1) tls.emit('connection', socket);
      }).listen(0, '127.0.0.1');
      await once(service, 'listening');
      cleanUp(() => {
        for (const socket of sockets) socket.destroy();
        service.close();
      });
      const { port } = service.address() as AddressInfo;
      const client = clientOf(
        { baseUrl: `https://127.0.0.1:${port}` },
        { connectTimeoutMs, timeoutMs: 0, tls: { ca: pem('authority.pem') } },
      );
      const abort = new AbortController();
      const call = failureOf(client.remainCredit({}, { signal: abort.signal }));
      await once(tls, 'secureConnection');
      await turns();
      abort.abort();
      expect(await call).toMatchObject({ name: 'AbortError', outcome: 'unknown' });
      // The socket of the call is closed by now.
      await once(sockets[0] as Socket, 'close');
      await turns();
      await client.close({ withinMs: 0 });
      expect(sockets).toHaveLength(1);
    },
  );

  const compressed = (level: number) => (body: string) => ({
    headers: { 'Content-Encoding': 'gzip' },
    body: gzipSync(body, { level }),
  });
  const packs = [
    ['plain', (body: string) => ({ body })],
    // Level 0 keeps the body long, so that it cannot arrive as a whole before it is read.
    ['compressed', compressed(0)],
    ['compressed and arrived', compressed(9)],
  ] as const;

  test.each(packs)('close cancels a stream of a %s response that nobody reads any more', async (_, pack) => {
    const service = await serve(pack(responseOf('SelectlatestByApikey', sentRecords(1, 20_000))));
    const client = clientOf(service);
    const streams = [1, 2, 3].map(() => client.selectLatestStream({ pagesize: 20_000 }));
    for (const stream of streams) expect(await stream.next()).toMatchObject({ done: false });
    await client.close({ withinMs: 0 });
    for (const stream of streams) {
      expect(await errorOf(ConnectionError, collect(stream))).toMatchObject({ code: 'CLOSED', outcome: 'unknown' });
    }
    await service.until(() => service.open === 0);
  });

  test.each(packs)('close does not wait for a stream of a %s response that waits for its consumer', async (_, pack) => {
    const service = await serve(pack(responseOf('SelectlatestByApikey', sentRecords(1, 20_000))));
    const client = clientOf(service, { timeoutMs: 0 });
    const stream = client.selectLatestStream({ pagesize: 20_000 });
    expect(await stream.next()).toMatchObject({ done: false });
    await turns(50);
    await client.close();
    expect(await errorOf(ConnectionError, collect(stream))).toMatchObject({ code: 'CLOSED', outcome: 'unknown' });
    await service.until(() => service.open === 0);
  });

  test('a stream that waits for its consumer after close has begun ends as well', async () => {
    const service = await RawServer.start({});
    const client = clientOf(service, { timeoutMs: 0 });
    const stream = client.selectLatestStream({ pagesize: 20_000 });
    const first = stream.next();
    await service.until(() => service.requests.length === 1);
    const closed = client.close();
    service.requests[0]?.socket.write(httpResponse(responseOf('SelectlatestByApikey', sentRecords(1, 20_000))));
    expect(await first).toMatchObject({ done: false });
    await closed;
    expect(await errorOf(ConnectionError, collect(stream))).toMatchObject({ code: 'CLOSED', outcome: 'unknown' });
  });

  test('close lets a consumer that keeps up read a stream to its end', async () => {
    const service = await RawServer.start({});
    const client = clientOf(service);
    const records = collect(client.selectLatestStream({ pagesize: 20_000 }));
    await service.until(() => service.requests.length === 1);
    const closed = client.close();
    service.requests[0]?.socket.write(httpResponse(responseOf('SelectlatestByApikey', sentRecords(1, 20_000))));
    expect(await records).toHaveLength(20_000);
    await closed;
  });

  test('close resolves after each call, also when a compressed response has arrived and is not read yet', async () => {
    const body = gzipSync(responseOf('SelectlatestByApikey', sentRecords(1, 20_000)));
    const service = await RawServer.start(({ socket }) => {
      socket.write(httpResponse({ headers: { 'Content-Encoding': 'gzip' }, body }));
    });
    const client = clientOf(service);
    const order: string[] = [];
    const { release } = blockThreads();
    const call = client.selectLatest({ pagesize: 20_000 }).then((records) => order.push(`${records.length} records`));
    await service.until(() => service.requests.length === 1);
    // The whole body is in the decompressor.
    await turns(50);
    const closed = client.close().then(() => order.push('closed'));
    await turns(50);
    release();
    await Promise.all([call, closed]);
    expect(order).toEqual(['20000 records', 'closed']);
  });

  test('close lets a call finish that ends within withinMs, and leaves no timer', async () => {
    const service = await RawServer.start({});
    const client = clientOf(service, { timeoutMs: 0 });
    const call = client.remainCredit();
    await service.until(() => service.requests.length === 1);
    holdClock();
    const closed = client.close({ withinMs: 60_000 });
    expect(jest.getTimerCount()).toBe(1);
    service.requests[0]?.socket.write(httpResponse(credit(5)));
    expect(await call).toBe(5n);
    await closed;
    expect(jest.getTimerCount()).toBe(0);
  });

  test('close with withinMs may follow a close that waits', async () => {
    const service = await RawServer.start({});
    const client = clientOf(service, { timeoutMs: 0 });
    const call = errorOf(ConnectionError, client.remainCredit());
    await service.until(() => service.requests.length === 1);
    const closed = client.close();
    await client.close({ withinMs: 0 });
    expect(await call).toMatchObject({ code: 'CLOSED' });
    await closed;
  });

  test('close with a wrong withinMs rejects with a ConfigurationError, and closes nothing', async () => {
    const client = clientOf(await serve(credit(5)));
    const error = await errorOf(ConfigurationError, client.close({ withinMs: -1 }));
    expect(error.message).toBe('withinMs: -1 is not a whole number from 0 to 2147483647');
    expect(await client.remainCredit()).toBe(5n);
  });
});

test('await using closes the client at the end of the block', async () => {
  const service = await serve(credit(5));
  let used: MessagingClient;
  {
    await using client = new MessagingClient({
      baseUrl: service.baseUrl,
      namespace: NAMESPACE,
      apiKey: API_KEY,
      successStatuses: [200],
    });
    used = client;
    expect(await client.remainCredit()).toBe(5n);
  }
  await service.until(() => service.open === 0);
  expect(await errorOf(ConnectionError, used.remainCredit())).toMatchObject({ code: 'CLOSED', outcome: 'not-sent' });
});
