import { getEventListeners, once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { Worker } from 'node:worker_threads';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { ConnectionError, type MessagingClient, type MessagingOptions, TimeoutError } from '../../src';
import {
  abortReasonOf,
  afterTest,
  clientOf,
  credit,
  delay,
  errorOf,
  failureOf,
  httpAnswer,
  message,
  pem,
  responseOf,
  Service,
  sentRecord,
  transports,
  ways,
} from './support';

const serverTls = { cert: pem('server.pem'), key: pem('server.key') };

/** An address where nothing listens. */
async function closedService(): Promise<{ baseUrl: string }> {
  const service = await Service.start({});
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
  afterTest(() => worker.terminate());
  const [port] = (await once(worker, 'message')) as [number];
  const fillers = Array.from({ length: 4 }, () => connect(port, '127.0.0.1').on('error', () => {}));
  const closeFillers = () => {
    for (const socket of fillers) socket.destroy();
  };
  afterTest(closeFillers);
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
async function silentTls(): Promise<Service & { baseUrl: string }> {
  const service = await Service.start({});
  return Object.defineProperty(service, 'baseUrl', { value: `https://127.0.0.1:${service.port}` });
}

const ends: { how: string; end: (socket: Socket) => void }[] = [
  { how: 'closed', end: (socket) => socket.end() },
  { how: 'reset', end: (socket) => socket.resetAndDestroy() },
];

const whole = httpAnswer({ body: credit(5) });

/** Where in an answer a connection can break, with the bytes that come before. */
const cuts = [
  { phase: 'after the request', bytes: '' },
  { phase: 'in the status line', bytes: 'HTTP/1.1 20' },
  { phase: 'in the middle of the headers', bytes: whole.subarray(0, 40) },
  { phase: 'after the headers', bytes: whole.subarray(0, whole.indexOf('\r\n\r\n') + 4) },
  { phase: 'in the middle of the body', bytes: whole.subarray(0, whole.length - 60) },
  { phase: 'one byte before its end', bytes: whole.subarray(0, whole.length - 1) },
  {
    phase: 'after a body shorter than its Content-Length',
    bytes: httpAnswer({ body: credit(5), headers: { 'Content-Length': '100000' } }),
  },
  {
    phase: 'before the last chunk',
    bytes: httpAnswer({
      headers: { 'Transfer-Encoding': 'chunked' },
      body: `${credit(5).length.toString(16)}\r\n${credit(5)}\r\n`,
    }),
  },
];

describe.each(transports)('a connection that cannot be made, with $transport', ({ keepAlive }) => {
  test('a refused connection is a ConnectionError, not sent', async () => {
    const client = clientOf(await closedService(), { keepAlive });
    const error = await errorOf(ConnectionError, client.sendSimple(message));
    expect(error).toMatchObject({ code: 'ECONNREFUSED', outcome: 'not-sent', operation: 'SendSimpleByApikey' });
    expect(error.message).toMatch(/^SendSimpleByApikey: cannot connect: .*ECONNREFUSED/);
  });

  test('a host name that does not exist is a ConnectionError, not sent, and quick', async () => {
    const client = clientOf({ baseUrl: 'http://service.invalid' }, { keepAlive });
    const started = performance.now();
    const error = await errorOf(ConnectionError, client.sendSimple(message));
    expect(error.outcome).toBe('not-sent');
    expect(['ENOTFOUND', 'EAI_AGAIN']).toContain(error.code);
    expect(error.message).toContain('service.invalid');
    expect(performance.now() - started).toBeLessThan(5000);
  });

  test('a certificate of an unknown authority is a ConnectionError, and no byte of the request is decrypted', async () => {
    const service = await Service.start({ tls: serverTls });
    const error = await errorOf(ConnectionError, clientOf(service, { keepAlive }).sendSimple(message));
    expect(error).toMatchObject({ outcome: 'not-sent', code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE' });
    await service.until(() => service.closed === 1);
    expect(service).toMatchObject({ connections: 1, bytes: 0 });
  });

  test('a certificate for another host is a ConnectionError, and no byte of the request is decrypted', async () => {
    const service = await Service.start({ tls: { cert: pem('provider.pem'), key: pem('provider.key') } });
    const client = clientOf(service, { keepAlive, tls: { ca: pem('authority.pem') } });
    const error = await errorOf(ConnectionError, client.sendSimple(message));
    expect(error).toMatchObject({ outcome: 'not-sent', code: 'ERR_TLS_CERT_ALTNAME_INVALID' });
    await service.until(() => service.closed === 1);
    expect(service).toMatchObject({ connections: 1, bytes: 0 });
  });

  test('a service that speaks plain HTTP where TLS is expected never sees the request', async () => {
    const service = await Service.start({ onConnection: (socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n') });
    const client = clientOf({ baseUrl: `https://127.0.0.1:${service.port}` }, { keepAlive });
    const error = await errorOf(ConnectionError, client.sendSimple(message));
    expect(error.outcome).toBe('not-sent');
    expect(service.requests).toHaveLength(0);
  });

  test('a connection that is reset during the handshake of TLS is a ConnectionError, not sent', async () => {
    const service = await Service.start({
      onConnection: (socket) => socket.once('data', () => socket.resetAndDestroy()),
    });
    const client = clientOf({ baseUrl: `https://127.0.0.1:${service.port}` }, { keepAlive });
    const error = await errorOf(ConnectionError, client.sendSimple(message));
    expect(error).toMatchObject({ outcome: 'not-sent', code: 'ECONNRESET' });
    expect(service.connections).toBe(1);
  });

  test('a connection that is reset as soon as it is made is never called not sent once a byte was written', async () => {
    const service = await Service.start({ onConnection: (socket) => socket.resetAndDestroy() });
    const error = await errorOf(ConnectionError, clientOf(service, { keepAlive }).sendSimple(message));
    // The reset may be seen before the connection, and then nothing was written.
    expect(error.message).toMatch(
      error.outcome === 'not-sent' ? /: cannot connect: / : /: the connection failed waiting for the answer: /,
    );
    expect(service).toMatchObject({ connections: 1, requests: [] });
  });
});

describe.each(ways)('a connection that breaks, with $transport and SOAP $soapVersion', ({ keepAlive, soapVersion }) => {
  const rows = ends.flatMap((end) => cuts.map((cut) => ({ ...end, ...cut })));

  test.each(rows)('is $how $phase: the outcome is unknown, and the request went out once', async ({ end, bytes }) => {
    const service = await Service.start(({ socket }) => {
      socket.write(bytes, () => end(socket));
    });
    const client = clientOf(service, { keepAlive, soapVersion });
    const error = await errorOf(ConnectionError, client.remainCredit());
    expect(error.outcome).toBe('unknown');
    expect(error.code).toMatch(/^[A-Z_]+$/);
    expect(error.message).toMatch(
      /^RemainCreditByApiKey: the connection failed (waiting for the answer|reading the answer): /,
    );
    // Whatever is sent again would come before the next call.
    await errorOf(ConnectionError, client.sendSimple(message));
    expect(service.requests.map(({ body }) => body.includes('SendSimpleByApikey'))).toEqual([false, true]);
  });
});

/** Each phase in which a call can wait, with what has reached the service by then. */
const phases = [
  { phase: 'while TCP connects', outcome: 'not-sent', requests: 0, begin: waitForTcp },
  { phase: 'during the handshake of TLS', outcome: 'not-sent', requests: 0, begin: waitForTls },
  { phase: 'waiting for the headers', outcome: 'unknown', requests: 1, begin: (): Promise<Phase> => waitAfter('') },
  {
    phase: 'in the middle of the headers',
    outcome: 'unknown',
    requests: 1,
    begin: (): Promise<Phase> => waitAfter(whole.subarray(0, 30)),
  },
  {
    phase: 'in the middle of the body',
    outcome: 'unknown',
    requests: 1,
    begin: (): Promise<Phase> => waitAfter(whole.subarray(0, -40)),
  },
] as const;

interface Phase {
  readonly baseUrl: string;
  /** Fulfilled once a call has come to the phase. */
  readonly reached: Promise<unknown>;
  /** How many requests reached the service in all, once the call has been given up. */
  countRequests(): Promise<number>;
}

async function waitForTcp(): Promise<Phase> {
  const { baseUrl, release } = await fullListener();
  return {
    baseUrl,
    // A connection that is not made cannot be seen; the event loop has tried it by then.
    reached: delay(50),
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
    reached: service.until(() => service.bytes > 0),
    async countRequests() {
      return service.requests.length;
    },
  };
}

async function waitAfter(bytes: string | Buffer): Promise<Phase> {
  const service = await Service.start(({ socket }) => socket.write(bytes));
  return {
    baseUrl: service.baseUrl,
    reached: service.until(() => service.requests.length > 0),
    async countRequests() {
      // Giving up closes the connection, so that the service knows.
      await service.until(() => service.requests.every(({ socket }) => socket.destroyed));
      return service.requests.length;
    },
  };
}

describe.each(transports)('a time limit, with $transport', ({ keepAlive }) => {
  const limits: { limit: keyof MessagingOptions; options: Partial<MessagingOptions>; phases: readonly string[] }[] = [
    {
      limit: 'timeoutMs',
      options: { timeoutMs: 150, connectTimeoutMs: 0 },
      phases: phases.map(({ phase }) => phase),
    },
    {
      limit: 'connectTimeoutMs',
      options: { timeoutMs: 20_000, connectTimeoutMs: 150 },
      phases: phases.slice(0, 2).map(({ phase }) => phase),
    },
    {
      limit: 'idleTimeoutMs',
      options: { timeoutMs: 20_000, idleTimeoutMs: 150 },
      phases: phases.slice(2).map(({ phase }) => phase),
    },
  ];
  const rows = limits.flatMap(({ limit, options, phases: names }) =>
    phases.filter(({ phase }) => names.includes(phase)).map((row) => ({ limit, options, ...row })),
  );

  test.each(rows)('$limit runs out $phase: $outcome', async ({ options, outcome, requests, begin }) => {
    const { baseUrl, countRequests } = await begin();
    const client = clientOf({ baseUrl }, { ...options, keepAlive });
    const started = performance.now();
    const error = await errorOf(TimeoutError, client.sendSimple(message));
    const took = performance.now() - started;
    expect(error).toMatchObject({ outcome, timeoutMs: 150, operation: 'SendSimpleByApikey' });
    expect(error.message).toMatch(/^SendSimpleByApikey: timed out after 150 ms /);
    expect(took).toBeGreaterThan(140);
    expect(took).toBeLessThan(1000);
    expect(await countRequests()).toBe(requests);
  });

  test('the timeoutMs of a call wins over the one of the client', async () => {
    const service = await Service.start({});
    const client = clientOf(service, { keepAlive, timeoutMs: 20_000 });
    expect((await errorOf(TimeoutError, client.remainCredit({}, { timeoutMs: 60 }))).timeoutMs).toBe(60);
    const impatient = clientOf(service, { keepAlive, timeoutMs: 60 });
    const patient = impatient.remainCredit({}, { timeoutMs: 0 });
    await service.until(() => service.requests.length === 2);
    await errorOf(TimeoutError, impatient.remainCredit());
    for (const { socket } of service.requests) socket.write(httpAnswer({ body: credit(7) }));
    expect(await patient).toBe(7n);
  });

  test('idleTimeoutMs does not run out while bytes keep arriving', async () => {
    const service = await Service.start(async ({ socket }) => {
      for (let index = 0; index < whole.length; index += 40) {
        socket.write(whole.subarray(index, index + 40));
        await delay(80);
      }
    });
    const started = performance.now();
    expect(await clientOf(service, { keepAlive, idleTimeoutMs: 400 }).remainCredit()).toBe(5n);
    expect(performance.now() - started).toBeGreaterThan(600);
  });

  test('idleTimeoutMs does not count the time that it takes to unpack and read, and runs out in the middle', async () => {
    const list = responseOf('SelectlatestByApikey', sentRecord(1).repeat(100_000));
    const pack = (encoding: string, body: Buffer) => httpAnswer({ headers: { 'Content-Encoding': encoding }, body });
    // 30 MB packed so tightly that all is there at once, and so that unpacking it holds up what comes.
    const [tight, loose] = [pack('br', brotliCompressSync(list)), pack('gzip', gzipSync(list))];
    const answers = [tight, loose, loose.subarray(0, loose.length - 100)];
    const service = await Service.start(({ socket }) => socket.write(answers.shift() as Buffer));
    const client = clientOf(service, { keepAlive, idleTimeoutMs: 60 });
    expect(await client.selectLatest({ pagesize: 1 })).toHaveLength(100_000);
    expect(await client.selectLatest({ pagesize: 1 })).toHaveLength(100_000);
    const error = await errorOf(TimeoutError, client.selectLatest({ pagesize: 1 }));
    expect(error.message).toMatch(/after 60 ms of silence reading the answer/);
  });

  test('idleTimeoutMs does not run out while the process is too busy to read what has come', async () => {
    const service = await Service.start(async ({ socket }) => {
      socket.write(whole.subarray(0, 400));
      const end = performance.now() + 150;
      while (performance.now() < end);
      await delay(20);
      socket.write(whole.subarray(400));
    });
    expect(await clientOf(service, { keepAlive, idleTimeoutMs: 50 }).remainCredit()).toBe(5n);
  });

  test('idleTimeoutMs does not count the time that it takes to connect', async () => {
    const service = await silentTls();
    const client = clientOf(service, { keepAlive, idleTimeoutMs: 50, connectTimeoutMs: 300 });
    expect((await errorOf(TimeoutError, client.remainCredit())).timeoutMs).toBe(300);
  });

  test('connectTimeoutMs and timeoutMs stop counting once they are met', async () => {
    const service = await Service.start(async ({ socket }) => {
      await delay(300);
      socket.write(whole);
    });
    const client = clientOf(service, { keepAlive, connectTimeoutMs: 100, timeoutMs: 5000 });
    expect(await client.remainCredit()).toBe(5n);
  });
});

describe('waiting for a free connection', () => {
  async function busyClient(): Promise<{ service: Service; client: MessagingClient; first: Promise<bigint> }> {
    const service = await Service.start({});
    const client = clientOf(service, { maxConnections: 1 });
    const first = client.remainCredit();
    await service.until(() => service.requests.length === 1);
    return { service, client, first };
  }

  /** Answers all that waits, and whatever comes later. */
  function answerAll(service: Service): void {
    for (const socket of service.sockets) {
      socket.on('data', () => socket.write(whole));
      socket.write(whole);
    }
  }

  test('a call that times out there is not sent, not even later', async () => {
    const { service, client, first } = await busyClient();
    const error = await errorOf(TimeoutError, client.sendSimple(message, { timeoutMs: 80 }));
    expect(error).toMatchObject({ outcome: 'not-sent', timeoutMs: 80 });
    expect(error.message).toContain('waiting for a connection');
    answerAll(service);
    expect(await first).toBe(5n);
    await client.close();
    expect(service.requests.map(({ body }) => body.includes('SendSimpleByApikey'))).toEqual([false]);
  });

  test('a call that is aborted there is not sent, not even later, and the next call is', async () => {
    const { service, client, first } = await busyClient();
    const abort = new AbortController();
    const second = client.sendSimple(message, { signal: abort.signal });
    abort.abort('enough');
    expect(await abortReasonOf(second)).toBe('enough');
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

describe.each(transports)('an abort, with $transport', ({ keepAlive }) => {
  test.each(phases)('$phase rejects with the reason of the signal', async ({ requests, begin }) => {
    const { baseUrl, reached, countRequests } = await begin();
    const abort = new AbortController();
    const reason = new Error('changed my mind');
    const call = clientOf({ baseUrl }, { keepAlive }).sendSimple(message, { signal: abort.signal });
    await reached;
    expect(getEventListeners(abort.signal, 'abort')).toHaveLength(1);
    abort.abort(reason);
    expect(await abortReasonOf(call)).toBe(reason);
    expect(getEventListeners(abort.signal, 'abort')).toHaveLength(0);
    expect(await countRequests()).toBe(requests);
  });

  test('in the same turn as the call sends nothing', async () => {
    const service = await Service.start({});
    const abort = new AbortController();
    const client = clientOf(service, { keepAlive });
    const call = client.sendSimple(message, { signal: abort.signal });
    abort.abort();
    expect(await abortReasonOf(call)).toBe(abort.signal.reason);
    await client.close();
    expect(service.requests).toHaveLength(0);
  });

  test('before the call rejects at once and makes no connection', async () => {
    const service = await Service.start({});
    const reason = new Error('too late');
    const client = clientOf(service, { keepAlive });
    expect(await abortReasonOf(client.sendSimple(message, { signal: AbortSignal.abort(reason) }))).toBe(reason);
    await client.close();
    expect(service.connections).toBe(0);
  });

  test.each([
    ['a string', 'enough'],
    ['a number', 0],
    ['an empty string', ''],
    ['null', null],
    ['an object', { code: 1 }],
  ])(
    'rejects with a reason that is %s',
    async (_, reason) => {
      const service = await Service.start({});
      const abort = new AbortController();
      const call = clientOf(service, { keepAlive }).remainCredit({}, { signal: abort.signal });
      const failure = abortReasonOf(call);
      await service.until(() => service.requests.length === 1);
      abort.abort(reason);
      expect(await failure).toBe(reason);
    },
    2000,
  );

  test('by AbortSignal.timeout rejects with its TimeoutError', async () => {
    const service = await Service.start({});
    const signal = AbortSignal.timeout(50);
    expect(await abortReasonOf(clientOf(service, { keepAlive }).remainCredit({}, { signal }))).toBe(signal.reason);
  });

  test('after the answer changes nothing, and no listener is left', async () => {
    const service = await Service.start(({ socket }) => socket.write(whole));
    const abort = new AbortController();
    const client = clientOf(service, { keepAlive });
    for (let count = 0; count < 20; count++) {
      expect(await client.remainCredit({}, { signal: abort.signal })).toBe(5n);
    }
    expect(getEventListeners(abort.signal, 'abort')).toHaveLength(0);
    abort.abort();
    expect(await client.remainCredit()).toBe(5n);
  });

  test('leaves no listener behind when a call fails in another way', async () => {
    const abort = new AbortController();
    const client = clientOf(await closedService(), { keepAlive });
    await errorOf(ConnectionError, client.remainCredit({}, { signal: abort.signal }));
    // @ts-expect-error a request that the types forbid
    await failureOf(client.sendSimple({ ...message, message: 5 }, { signal: abort.signal }));
    expect(getEventListeners(abort.signal, 'abort')).toHaveLength(0);
  });

  test('of one call leaves the others alone', async () => {
    const service = await Service.start(({ socket, body }) => {
      if (body.includes('SelectlatestByApikey')) {
        socket.write(
          httpAnswer({
            body: credit(1)
              .replaceAll('RemainCreditByApiKey', 'SelectlatestByApikey')
              .replace('>1<', `>${sentRecord(1)}<`),
          }),
        );
      }
    });
    const client = clientOf(service, { keepAlive });
    const abort = new AbortController();
    const first = client.remainCredit({}, { signal: abort.signal });
    await service.until(() => service.requests.length === 1);
    const second = client.selectLatest({ pagesize: 1 });
    abort.abort();
    expect(await abortReasonOf(first)).toBe(abort.signal.reason);
    expect(await second).toHaveLength(1);
  });
});
