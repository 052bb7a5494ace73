import { getEventListeners, once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { Worker } from 'node:worker_threads';
import { gzipSync } from 'node:zlib';
import {
  ConnectionError,
  FaultError,
  HttpError,
  type MessagingClient,
  type MessagingOptions,
  TimeoutError,
} from '../../src';
import { cleanUp } from '../support/clean-up';
import { clientOf } from '../support/client';
import { delay, holdClock, isSettled, turns } from '../support/clock';
import { SAMPLES } from '../support/contract';
import { credit, envelope, faultOf, responseOf, sentRecord, sentRecords } from '../support/envelopes';
import { pem } from '../support/fixtures';
import { httpResponse } from '../support/http-response';
import { errorOf, expectAbort, failureOf } from '../support/outcomes';
import { RawServer, serve } from '../support/raw-server';
import { blockThreads } from '../support/threads';

const simple = SAMPLES.SendSimpleByApikey;
const advance = SAMPLES.SendAdvance;
const serverTls = { cert: pem('server.pem'), key: pem('server.key') };

/** An address where nothing listens. */
async function closedService(): Promise<{ baseUrl: string }> {
  const service = await RawServer.start({});
  const { baseUrl } = service;
  await service.close();
  return { baseUrl };
}

/**
 * A listener that accepts nothing, with its queue of connections full, so that a further one is never made. It needs a
 * thread whose event loop stands still. `release` lets it accept, and gives the bytes that it then reads.
 */
async function fullListener(): Promise<{ baseUrl: string; release(): Promise<number> }> {
  const stop = new Int32Array(new SharedArrayBuffer(4));
  const worker = new Worker(
    `const { parentPort, workerData } = require('node:worker_threads');
    let bytes = 0;
    const server = require('node:net').createServer((socket) => {
      socket.on('error', () => {});
      socket.on('data', (chunk) => { bytes += chunk.length; });
      socket.on('close', () => server.getConnections((_, count) => { if (count === 0) parentPort.postMessage(bytes); }));
    });
    server.listen(0, '127.0.0.1', 1, () => {
      parentPort.postMessage(server.address().port);
      setImmediate(() => Atomics.wait(workerData, 0, 0));
    });`,
    { eval: true, workerData: stop },
  );
  cleanUp(() => worker.terminate());
  const [port] = (await once(worker, 'message')) as [number];
  const fillers = Array.from({ length: 4 }, () => connect(port, '127.0.0.1').on('error', () => {}));
  const closeFillers = () => {
    for (const socket of fillers) socket.destroy();
  };
  cleanUp(closeFillers);
  // A backlog of 1 holds two connections; the other two keep waiting, and so does whoever comes later.
  await Promise.all(fillers.slice(0, 2).map((socket) => once(socket, 'connect')));
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    async release() {
      const report = once(worker, 'message');
      closeFillers();
      Atomics.store(stop, 0, 1);
      Atomics.notify(stop, 0);
      return ((await report) as [number])[0];
    },
  };
}

/** A service that lets the handshake of TLS wait forever. */
async function silentTls(): Promise<RawServer & { baseUrl: string }> {
  const service = await RawServer.start({});
  return Object.defineProperty(service, 'baseUrl', { value: `https://127.0.0.1:${service.port}` });
}

const ends: { how: string; end: (socket: Socket) => void; cause: RegExp }[] = [
  { how: 'closed', end: (socket) => socket.end(), cause: /: the connection was closed \(ECONNRESET\)$/ },
  { how: 'reset', end: (socket) => socket.resetAndDestroy(), cause: /\b[A-Z_]+\)?$/ },
];

const whole = httpResponse(credit(5));

/** Where in a response a connection can break, with the bytes that come before. */
const cuts = [
  { phase: 'after the request', bytes: '' },
  { phase: 'in the status line', bytes: 'HTTP/1.1 20' },
  { phase: 'in the middle of the headers', bytes: whole.subarray(0, 40) },
  { phase: 'after the headers', bytes: whole.subarray(0, whole.indexOf('\r\n\r\n') + 4) },
  { phase: 'in the middle of the body', bytes: whole.subarray(0, whole.length - 60) },
  { phase: 'one byte before its end', bytes: whole.subarray(0, whole.length - 1) },
  {
    phase: 'after a body shorter than its Content-Length',
    bytes: httpResponse({ body: credit(5), headers: { 'Content-Length': '100000' } }),
  },
  {
    phase: 'before the last chunk',
    bytes: httpResponse({
      headers: { 'Transfer-Encoding': 'chunked' },
      body: `${credit(5).length.toString(16)}\r\n${credit(5)}\r\n`,
    }),
  },
  {
    phase: 'before the last chunk of a response with Connection: close',
    bytes: httpResponse({
      headers: { 'Transfer-Encoding': 'chunked', Connection: 'close' },
      body: `${credit(5).length.toString(16)}\r\n${credit(5)}\r\n`,
    }),
  },
];

describe('a connection that cannot be made', () => {
  test('a refused connection is a ConnectionError with the outcome not-sent', async () => {
    const error = await errorOf(ConnectionError, clientOf(await closedService()).sendSimple(simple));
    expect(error).toMatchObject({ code: 'ECONNREFUSED', outcome: 'not-sent', operation: 'SendSimpleByApikey' });
    expect(error.message).toMatch(/^SendSimpleByApikey: cannot connect: .*ECONNREFUSED/);
  });

  test('a host name that does not exist is a ConnectionError with the outcome not-sent', async () => {
    const client = clientOf({ baseUrl: 'http://service.invalid' });
    const error = await errorOf(ConnectionError, client.sendSimple(simple));
    expect(error.outcome).toBe('not-sent');
    expect(['ENOTFOUND', 'EAI_AGAIN']).toContain(error.code);
    expect(error.message).toContain('service.invalid');
  });

  test('a certificate of an unknown authority is a ConnectionError, and no byte of the request is decrypted', async () => {
    const service = await RawServer.start({ tls: serverTls });
    const error = await errorOf(ConnectionError, clientOf(service).sendSimple(simple));
    expect(error).toMatchObject({ outcome: 'not-sent', code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE' });
    await service.until(() => service.closed === 1);
    expect(service).toMatchObject({ connections: 1, bytes: 0 });
  });

  test('a certificate for another host is a ConnectionError, and no byte of the request is decrypted', async () => {
    const service = await RawServer.start({ tls: { cert: pem('provider.pem'), key: pem('provider.key') } });
    const client = clientOf(service, { tls: { ca: pem('authority.pem') } });
    const error = await errorOf(ConnectionError, client.sendSimple(simple));
    expect(error).toMatchObject({ outcome: 'not-sent', code: 'ERR_TLS_CERT_ALTNAME_INVALID' });
    await service.until(() => service.closed === 1);
    expect(service).toMatchObject({ connections: 1, bytes: 0 });
  });

  test('a service that speaks plain HTTP where TLS is expected never sees the request', async () => {
    const service = await RawServer.start({ onConnection: (socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n') });
    const client = clientOf({ baseUrl: `https://127.0.0.1:${service.port}` });
    const error = await errorOf(ConnectionError, client.sendSimple(simple));
    expect(error.outcome).toBe('not-sent');
    expect(service.requests).toHaveLength(0);
  });

  test('a connection that is reset during the handshake of TLS is a ConnectionError with the outcome not-sent', async () => {
    const service = await RawServer.start({
      onConnection: (socket) => socket.once('data', () => socket.resetAndDestroy()),
    });
    const client = clientOf({ baseUrl: `https://127.0.0.1:${service.port}` });
    const error = await errorOf(ConnectionError, client.sendSimple(simple));
    expect(error).toMatchObject({ outcome: 'not-sent', code: 'ECONNRESET' });
    expect(service.connections).toBe(1);
  });

  test('a connection that is reset as soon as it is made never has the outcome not-sent once a byte was written', async () => {
    const service = await RawServer.start({ onConnection: (socket) => socket.resetAndDestroy() });
    const error = await errorOf(ConnectionError, clientOf(service).sendSimple(simple));
    // The reset may be seen before the connection, and then nothing was written.
    expect(error.message).toMatch(
      error.outcome === 'not-sent' ? /: cannot connect: / : /: the connection failed waiting for the response: /,
    );
    expect(service).toMatchObject({ connections: 1, requests: [] });
  });
});

describe('a connection that breaks', () => {
  const rows = ends.flatMap((end) => cuts.map((cut) => ({ ...end, ...cut })));

  test.each(rows)(
    'a connection that is $how $phase has an unknown outcome, and the request was sent once',
    async ({ end, bytes, cause }) => {
      const service = await RawServer.start(({ socket }) => {
        socket.write(bytes, () => end(socket));
      });
      const client = clientOf(service);
      const error = await errorOf(ConnectionError, client.remainCredit());
      expect(error.outcome).toBe('unknown');
      expect(error.code).toMatch(/^[A-Z_]+$/);
      expect(error.message).toMatch(
        /^RemainCreditByApiKey: the connection failed (waiting for the response|reading the response): /,
      );
      expect(error.message).toMatch(cause);
      // Whatever is sent again would come before the next call.
      await errorOf(ConnectionError, client.sendSimple(simple));
      expect(service.requests.map(({ body }) => body.includes('SendSimpleByApikey'))).toEqual([false, true]);
    },
  );
});

interface Phase {
  readonly baseUrl: string;
  /** Fulfilled once a call has come to the phase. */
  reached(): Promise<unknown>;
  /** How many requests reached the service in all, once the call has been given up. */
  countRequests(): Promise<number>;
}

/** Each phase in which a call can wait, with what has reached the service by then. */
const phases: readonly {
  readonly phase: string;
  readonly outcome: 'not-sent' | 'unknown';
  readonly requests: number;
  readonly begin: () => Promise<Phase>;
}[] = [
  { phase: 'while TCP connects', outcome: 'not-sent', requests: 0, begin: waitForTcp },
  { phase: 'during the handshake of TLS', outcome: 'not-sent', requests: 0, begin: waitForTls },
  { phase: 'while the client waits for the headers', outcome: 'unknown', requests: 1, begin: () => waitAfter('') },
  {
    phase: 'in the middle of the headers',
    outcome: 'unknown',
    requests: 1,
    begin: () => waitAfter(whole.subarray(0, 30)),
  },
  {
    phase: 'in the middle of the body',
    outcome: 'unknown',
    requests: 1,
    begin: () => waitAfter(whole.subarray(0, -40)),
  },
];

async function waitForTcp(): Promise<Phase> {
  const { baseUrl, release } = await fullListener();
  return {
    baseUrl,
    // A connection that is not made cannot be seen; the event loop has tried it by then.
    reached: () => turns(20),
    async countRequests() {
      expect(await release()).toBe(0);
      return 0;
    },
  };
}

async function waitForTls(): Promise<Phase> {
  const service = await silentTls();
  return {
    baseUrl: service.baseUrl,
    reached: () => service.until(() => service.bytes > 0),
    async countRequests() {
      return service.requests.length;
    },
  };
}

async function waitAfter(bytes: string | Buffer): Promise<Phase> {
  const service = await RawServer.start(({ socket }) => socket.write(bytes));
  return {
    baseUrl: service.baseUrl,
    async reached() {
      await service.until(() => service.requests.length > 0);
      await turns();
    },
    async countRequests() {
      // Giving up closes the connection, so that the service knows.
      await service.until(() => service.requests.every(({ socket }) => socket.destroyed));
      return service.requests.length;
    },
  };
}

describe('a time limit', () => {
  const packed = httpResponse({
    headers: { 'Content-Encoding': 'gzip' },
    body: gzipSync(responseOf('SelectlatestByApikey', sentRecords(1, 20_000))),
  });
  const limits: { limit: keyof MessagingOptions; options: Partial<MessagingOptions>; of: typeof phases }[] = [
    { limit: 'timeoutMs', options: { timeoutMs: 150, connectTimeoutMs: 0 }, of: phases },
    { limit: 'connectTimeoutMs', options: { timeoutMs: 20_000, connectTimeoutMs: 150 }, of: phases.slice(0, 2) },
    { limit: 'idleTimeoutMs', options: { timeoutMs: 20_000, idleTimeoutMs: 150 }, of: phases.slice(2) },
  ];
  const rows = limits.flatMap(({ of, ...limit }) => of.map((phase) => ({ ...limit, ...phase })));

  test.each(rows)(
    '$limit runs out $phase with the outcome $outcome, and not sooner',
    async ({ options, outcome, requests, begin }) => {
      const { baseUrl, reached, countRequests } = await begin();
      const clock = holdClock();
      const call = clientOf({ baseUrl }, options).sendSimple(simple);
      const failure = errorOf(TimeoutError, call);
      await reached();
      await clock.advance(149);
      expect(await isSettled(failure)).toBe(false);
      await clock.advance(1);
      const error = await failure;
      expect(error).toMatchObject({ outcome, timeoutMs: 150, operation: 'SendSimpleByApikey' });
      expect(error.message).toMatch(/^SendSimpleByApikey: timed out.* 150 ms /);
      expect(await countRequests()).toBe(requests);
    },
  );

  test('the timeoutMs of a call takes precedence over the timeoutMs of the client', async () => {
    const clock = holdClock();
    const service = await RawServer.start({});
    const client = clientOf(service, { timeoutMs: 60 });
    const calls = {
      shorter: errorOf(TimeoutError, client.remainCredit({}, { timeoutMs: 20 })),
      own: errorOf(TimeoutError, client.remainCredit()),
      endless: client.remainCredit({}, { timeoutMs: 0 }),
    };
    await service.until(() => service.requests.length === 3);
    await clock.advance(20);
    expect(await calls.shorter).toMatchObject({ timeoutMs: 20 });
    expect(await isSettled(calls.own)).toBe(false);
    await clock.advance(40);
    expect(await calls.own).toMatchObject({ timeoutMs: 60 });
    await clock.advance(1_000_000);
    for (const { socket } of service.requests) socket.write(httpResponse(credit(7)));
    expect(await calls.endless).toBe(7n);
  });

  test('idleTimeoutMs does not run out while bytes keep arriving', async () => {
    const clock = holdClock();
    const service = await RawServer.start({});
    const call = clientOf(service, { timeoutMs: 0, idleTimeoutMs: 400 }).remainCredit();
    await service.until(() => service.requests.length === 1);
    const body = whole.indexOf('\r\n\r\n') + 4;
    for (let start = 0, end = body; start < whole.length; start = end, end += 40) {
      service.requests[0]?.socket.write(whole.subarray(start, end));
      await turns();
      await clock.advance(399);
    }
    expect(await call).toBe(5n);
  });

  test('idleTimeoutMs does not count the time that decompressing takes', async () => {
    const clock = holdClock();
    const { release } = blockThreads();
    const service = await RawServer.start(({ socket }) => socket.write(packed.subarray(0, -100)));
    const call = clientOf(service, { timeoutMs: 0, idleTimeoutMs: 60 }).selectLatest({ pagesize: 1 });
    await service.until(() => service.requests.length === 1);
    await turns();
    await clock.advance(10_000);
    release();
    service.requests[0]?.socket.write(packed.subarray(-100));
    expect(await call).toHaveLength(20_000);
  });

  test('idleTimeoutMs runs out when a compressed response stops arriving', async () => {
    const clock = holdClock();
    const service = await RawServer.start(({ socket }) => socket.write(packed.subarray(0, -100)));
    const client = clientOf(service, { timeoutMs: 0, idleTimeoutMs: 60 });
    const failure = errorOf(TimeoutError, client.selectLatest({ pagesize: 1 }));
    await clock.advanceUntilSettled(failure, 30);
    expect((await failure).message).toMatch(/timed out: no byte came for 60 ms while reading the response/);
  });

  test('idleTimeoutMs does not run out while the process is too busy to read the bytes that arrived', async () => {
    holdClock();
    const service = await RawServer.start({});
    const call = clientOf(service, { idleTimeoutMs: 50 }).remainCredit();
    await service.until(() => service.requests.length === 1);
    service.requests[0]?.socket.write(whole.subarray(0, 400));
    await turns();
    // Where the event loop runs timers, before it looks at sockets.
    await delay(0);
    service.requests[0]?.socket.write(whole.subarray(400));
    jest.advanceTimersByTime(150);
    expect(await call).toBe(5n);
  });

  test('idleTimeoutMs does not run out while the service takes a large request slowly', async () => {
    const clock = holdClock();
    const service = await RawServer.start({ onConnection: (socket) => socket.pause() });
    // More than the buffers of a socket take.
    const message = 'x'.repeat(20_000_000);
    const call = clientOf(service, { timeoutMs: 0 }).sendAdvance({ ...advance, message }, { idleTimeoutMs: 400 });
    await service.until(() => service.connections === 1);
    await turns(50);
    await clock.advance(10_000);
    expect(await isSettled(call)).toBe(false);
    for (const socket of service.sockets) socket.resume();
    await service.until(() => service.requests.length === 1);
    await turns(50);
    await clock.advance(399);
    expect(await isSettled(call)).toBe(false);
    service.requests[0]?.socket.write(httpResponse(responseOf('SendAdvance', '7')));
    expect(await call).toBe(7n);
  });

  test('the idleTimeoutMs of a call takes precedence over the idleTimeoutMs of the client', async () => {
    const clock = holdClock();
    const service = await RawServer.start({});
    const client = clientOf(service, { timeoutMs: 0, idleTimeoutMs: 60 });
    const shorter = errorOf(TimeoutError, client.remainCredit({}, { idleTimeoutMs: 20 }));
    const endless = client.remainCredit({}, { idleTimeoutMs: 0 });
    await service.until(() => service.requests.length === 2);
    await clock.advance(20);
    expect(await shorter).toMatchObject({ timeoutMs: 20 });
    await clock.advance(1_000_000);
    for (const { socket } of service.requests) if (!socket.destroyed) socket.write(whole);
    expect(await endless).toBe(5n);
  });

  test('idleTimeoutMs does not count the time that it takes to connect', async () => {
    const clock = holdClock();
    const service = await silentTls();
    const failure = errorOf(
      TimeoutError,
      clientOf(service, { idleTimeoutMs: 50, connectTimeoutMs: 300 }).remainCredit(),
    );
    await service.until(() => service.bytes > 0);
    await clock.advance(300);
    expect(await failure).toMatchObject({ timeoutMs: 300, outcome: 'not-sent' });
  });

  test('connectTimeoutMs stops counting once the connection is made', async () => {
    const clock = holdClock();
    const service = await RawServer.start({});
    const call = clientOf(service, { connectTimeoutMs: 100, timeoutMs: 5000 }).remainCredit();
    await service.until(() => service.requests.length === 1);
    await clock.advance(4999);
    service.requests[0]?.socket.write(whole);
    expect(await call).toBe(5n);
  });
});

describe('waiting for a free connection', () => {
  async function busyClient(): Promise<{ service: RawServer; client: MessagingClient; first: Promise<bigint> }> {
    const service = await RawServer.start({});
    const client = clientOf(service, { maxConnections: 1 });
    const first = client.remainCredit();
    await service.until(() => service.requests.length === 1);
    return { service, client, first };
  }

  /** Responds to the waiting requests and to all later ones. */
  function respondToAll(service: RawServer): void {
    for (const socket of service.sockets) {
      socket.on('data', () => socket.write(whole));
      socket.write(whole);
    }
  }

  test('a call that times out while it waits for a connection is never sent', async () => {
    const { service, client, first } = await busyClient();
    const clock = holdClock();
    const failure = errorOf(TimeoutError, client.sendSimple(simple, { timeoutMs: 80 }));
    await turns();
    await clock.advance(80);
    const error = await failure;
    expect(error).toMatchObject({ outcome: 'not-sent', timeoutMs: 80 });
    expect(error.message).toContain('waiting for a connection');
    respondToAll(service);
    expect(await first).toBe(5n);
    await client.close();
    expect(service.requests.map(({ body }) => body.includes('SendSimpleByApikey'))).toEqual([false]);
  });

  test('a call that is aborted while it waits for a connection is never sent, and the next call is', async () => {
    const { service, client, first } = await busyClient();
    const abort = new AbortController();
    const second = client.sendSimple(simple, { signal: abort.signal });
    await turns();
    abort.abort('enough');
    await expectAbort(second, abort.signal, 'not-sent');
    expect(getEventListeners(abort.signal, 'abort')).toHaveLength(0);
    const third = client.remainCredit();
    for (const { socket } of service.requests) socket.write(whole);
    expect(await first).toBe(5n);
    await service.until(() => service.requests.length === 2);
    service.requests[1]?.socket.write(whole);
    expect(await third).toBe(5n);
    expect(service.requests.some(({ body }) => body.includes('SendSimpleByApikey'))).toBe(false);
  });
});

describe('an abort', () => {
  test.each(phases)('an abort $phase gives up the call', async ({ outcome, requests, begin }) => {
    const { baseUrl, reached, countRequests } = await begin();
    const abort = new AbortController();
    const call = clientOf({ baseUrl }).sendSimple(simple, { signal: abort.signal });
    await reached();
    expect(getEventListeners(abort.signal, 'abort')).toHaveLength(1);
    abort.abort(new Error('changed my mind'));
    await expectAbort(call, abort.signal, outcome);
    expect(getEventListeners(abort.signal, 'abort')).toHaveLength(0);
    expect(await countRequests()).toBe(requests);
  });

  test('an abort in the same turn as the call sends nothing', async () => {
    const service = await RawServer.start({});
    const abort = new AbortController();
    const client = clientOf(service);
    const call = client.sendSimple(simple, { signal: abort.signal });
    abort.abort();
    await expectAbort(call, abort.signal, 'not-sent');
    await client.close();
    expect(service.requests).toHaveLength(0);
  });

  test('an abort before the call rejects at once and makes no connection', async () => {
    const service = await RawServer.start({});
    const signal = AbortSignal.abort(new Error('too late'));
    const client = clientOf(service);
    await expectAbort(client.sendSimple(simple, { signal }), signal, 'not-sent');
    await client.close();
    expect(service.connections).toBe(0);
  });

  test.each([
    ['a string', 'enough'],
    ['a number', 0],
    ['an empty string', ''],
    ['null', null],
    ['an object', { code: 1 }],
  ])('an abort may have a reason that is %s', async (_, reason) => {
    const service = await RawServer.start({});
    const abort = new AbortController();
    const call = clientOf(service).remainCredit({}, { signal: abort.signal });
    await service.until(() => service.requests.length === 1);
    abort.abort(reason);
    await expectAbort(call, abort.signal, 'unknown');
  });

  test('an abort may come from AbortSignal.timeout', async () => {
    const service = await RawServer.start({});
    const signal = AbortSignal.timeout(50);
    await expectAbort(clientOf(service).remainCredit({}, { signal }), signal);
  });

  test('an abort after the response changes nothing, and no listener is left', async () => {
    const service = await RawServer.start(({ socket }) => socket.write(whole));
    const abort = new AbortController();
    const client = clientOf(service);
    for (let count = 0; count < 20; count++) {
      expect(await client.remainCredit({}, { signal: abort.signal })).toBe(5n);
    }
    expect(getEventListeners(abort.signal, 'abort')).toHaveLength(0);
    abort.abort();
    expect(await client.remainCredit()).toBe(5n);
  });

  test('a signal has no listener after a call that fails in another way', async () => {
    const abort = new AbortController();
    const client = clientOf(await closedService());
    await errorOf(ConnectionError, client.remainCredit({}, { signal: abort.signal }));
    // @ts-expect-error a request that the types forbid
    await failureOf(client.sendSimple({ ...simple, message: 5 }, { signal: abort.signal }));
    expect(getEventListeners(abort.signal, 'abort')).toHaveLength(0);
  });

  test('an abort of one call does not affect other calls', async () => {
    const service = await RawServer.start(({ socket, body }) => {
      if (body.includes('SelectlatestByApikey')) {
        socket.write(httpResponse(responseOf('SelectlatestByApikey', sentRecord(1))));
      }
    });
    const client = clientOf(service);
    const abort = new AbortController();
    const first = client.remainCredit({}, { signal: abort.signal });
    await service.until(() => service.requests.length === 1);
    const second = client.selectLatest({ pagesize: 1 });
    abort.abort();
    await expectAbort(first, abort.signal, 'unknown');
    expect(await second).toHaveLength(1);
  });
});

describe('a service that contradicts itself', () => {
  const success = responseOf('SendSimpleByApikey', '<long>77</long>');
  const refusal = responseOf('SendSimpleByApikey', '', { status: 418 });
  const body = (xml: string) => xml.split(/<\/?soap:Body>/)[1] as string;
  const fault = body(faultOf('Client', 'no', '', '1.1'));

  test.each([400, 404, 409, 429])(
    'the outcome of a success with the HTTP status %d is unknown, and that of a refusal is rejected',
    async (status) => {
      for (const [xml, outcome] of [
        [success, 'unknown'],
        [refusal, 'rejected'],
      ] as const) {
        const error = await errorOf(HttpError, clientOf(await serve({ status, body: xml })).sendSimple(simple));
        expect(error).toMatchObject({ httpStatus: status, outcome });
      }
    },
  );

  test.each([
    ['after a success', envelope(body(success) + fault), 'unknown'],
    ['before a success', envelope(fault + body(success)), 'unknown'],
    ['after a refusal', envelope(body(refusal) + fault), 'rejected'],
    ['before another fault', envelope(fault + fault), 'rejected'],
  ])('the outcome of a fault of the client %s is right', async (_, xml, outcome) => {
    const error = await errorOf(FaultError, clientOf(await serve(xml)).sendSimple(simple));
    expect(error).toMatchObject({ code: 'Client', reason: 'no', outcome });
  });
});
