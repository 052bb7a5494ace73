import { pbkdf2 } from 'node:crypto';
import { getEventListeners } from 'node:events';
import type { Socket } from 'node:net';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import {
  type CallOptions,
  ConnectionError,
  FaultError,
  HttpError,
  type MessagingClient,
  ResponseError,
  StatusError,
  TimeoutError,
} from '../../src';
import {
  abortReasonOf,
  clientOf,
  collect,
  delay,
  errorOf,
  failureOf,
  faultOf,
  gate,
  httpAnswer,
  receivedRecord,
  responseOf,
  Service,
  sentRecord,
  sentRecords,
  serve,
  transports,
  ways,
} from './support';

type Stream = AsyncIterableIterator<{ readonly messageid: bigint }>;

/** The four streams, each with a record as its operation lists them. */
const streams = [
  {
    method: 'selectOutboxStream',
    operation: 'SelectoutboxByApikey',
    record: sentRecord,
    open: (client: MessagingClient, options?: CallOptions): Stream =>
      client.selectOutboxStream({ startUnixdate: 0n, endUnixdate: 1n }, options),
  },
  {
    method: 'selectStream',
    operation: 'SelectByApikey',
    record: sentRecord,
    open: (client: MessagingClient, options?: CallOptions): Stream => client.selectStream({ messageid: [1n] }, options),
  },
  {
    method: 'selectLatestStream',
    operation: 'SelectlatestByApikey',
    record: sentRecord,
    open: (client: MessagingClient, options?: CallOptions): Stream =>
      client.selectLatestStream({ pagesize: 1 }, options),
  },
  {
    method: 'receiveStream',
    operation: 'ReceiveByApikey',
    record: receivedRecord,
    open: (client: MessagingClient, options?: CallOptions): Stream =>
      client.receiveStream({ lineNumber: '3000', isread: 0 }, options),
  },
] as const;

const latest = (client: MessagingClient, options?: CallOptions) => client.selectLatestStream({ pagesize: 1 }, options);

/** An answer with these records, in the two parts before and after the end of the list. */
function parts(records: string, status = 200): [Buffer, Buffer] {
  const bytes = httpAnswer({ body: responseOf('SelectlatestByApikey', records, { status }) });
  const end = bytes.indexOf('</SelectlatestByApikeyResult>');
  return [bytes.subarray(0, end), bytes.subarray(end)];
}

describe.each(ways)('with $transport and SOAP $soapVersion', ({ keepAlive, soapVersion }) => {
  describe.each(streams)('$method', ({ operation, record, open }) => {
    const start = async (answer: (socket: Socket) => void): Promise<MessagingClient> =>
      clientOf(await Service.start(({ socket }) => answer(socket)), { keepAlive, soapVersion });

    test('gives records before the body ends', async () => {
      const received = gate();
      const bytes = httpAnswer({
        body: responseOf(operation, Array.from({ length: 40 }, (_, id) => record(id)).join(''), {
          version: soapVersion,
        }),
      });
      const client = await start(async (socket) => {
        socket.write(bytes.subarray(0, bytes.length / 2));
        await received.opened;
        socket.write(bytes.subarray(bytes.length / 2));
      });
      const ids: bigint[] = [];
      for await (const { messageid } of open(client)) {
        ids.push(messageid);
        received.open();
      }
      expect(ids).toEqual(Array.from({ length: 40 }, (_, id) => BigInt(id)));
    });

    test('gives whole records', async () => {
      const client = await start((socket) =>
        socket.write(httpAnswer({ body: responseOf(operation, record(1), { version: soapVersion }) })),
      );
      const [first] = await collect(open(client));
      const common = { messageid: 1n, message: 'text 1', date: 1700000000n };
      expect(first).toEqual(
        operation === 'ReceiveByApikey'
          ? { ...common, sender: '09120000001', receptor: '3000' }
          : { ...common, sender: '3000', receptor: '09120000001', status: 1, statustext: 'sent', cost: 120 },
      );
    });

    test.each([
      ['empty', ''],
      ['absent', undefined],
    ])('ends at once for a list that is %s', async (_, result) => {
      const client = await start((socket) =>
        socket.write(httpAnswer({ body: responseOf(operation, result, { version: soapVersion }) })),
      );
      expect(await open(client).next()).toEqual({ done: true, value: undefined });
    });

    test('sends nothing before the first record is asked for, and one request in all', async () => {
      const bytes = httpAnswer({ body: responseOf(operation, record(1), { version: soapVersion }) });
      const service = await Service.start(({ socket }) => socket.write(bytes));
      const client = clientOf(service, { keepAlive, soapVersion });
      const stream = open(client);
      open(client);
      // A request that had been sent would be there before this one.
      await client.call('RemainCreditByApiKey', {}).catch(() => undefined);
      expect(service.requests.map(({ body }) => body.includes('RemainCreditByApiKey'))).toEqual([true]);
      expect(await collect(stream)).toHaveLength(1);
      expect(service.requests).toHaveLength(2);
    });

    test('rejects with a refusing status after the records', async () => {
      const client = await start((socket) =>
        socket.write(
          httpAnswer({
            body: responseOf(operation, record(1) + record(2), {
              status: 418,
              statusmessage: 'no',
              version: soapVersion,
            }),
          }),
        ),
      );
      const stream = open(client);
      expect((await stream.next()).value).toMatchObject({ messageid: 1n });
      expect((await stream.next()).value).toMatchObject({ messageid: 2n });
      expect(await errorOf(StatusError, stream.next())).toMatchObject({
        operation,
        status: 418,
        statusmessage: 'no',
        outcome: 'rejected',
      });
      expect(await stream.next()).toEqual({ done: true, value: undefined });
    });
  });

  test('a fault rejects the first record', async () => {
    const service = await serve({ status: 500, body: faultOf('Server', 'no', '', soapVersion) });
    const error = await errorOf(FaultError, latest(clientOf(service, { keepAlive, soapVersion })).next());
    expect(error).toMatchObject({ reason: 'no', operation: 'SelectlatestByApikey' });
  });

  test('an HTTP status with an ordinary list rejects', async () => {
    const service = await serve({ status: 500, body: responseOf('SelectlatestByApikey', sentRecords(1, 3)) });
    await errorOf(HttpError, collect(latest(clientOf(service, { keepAlive, soapVersion }))));
  });

  const broken: [
    string,
    (socket: Socket, head: Buffer, tail: Buffer) => void,
    abstract new (...args: never[]) => Error,
  ][] = [
    ['is cut off by a reset', (socket, head) => socket.write(head, () => socket.resetAndDestroy()), ConnectionError],
    ['ends before its Content-Length', (socket, head) => socket.end(head), ConnectionError],
    [
      'has one byte too few',
      (socket, head, tail) => socket.end(Buffer.concat([head, tail.subarray(0, -1)])),
      ConnectionError,
    ],
    ['ends with the connection before the list does', (socket, head) => socket.end(withoutLength(head)), ResponseError],
    [
      'ends with the connection after the list',
      (socket, head, tail) => socket.end(withoutLength(Buffer.concat([head, tail.subarray(0, 35)]))),
      ResponseError,
    ],
    [
      'ends with the connection before the last tag is complete',
      (socket, head, tail) => socket.end(withoutLength(Buffer.concat([head, tail.subarray(0, -1)]))),
      ResponseError,
    ],
    [
      'has no status',
      (socket, head, tail) =>
        socket.end(
          withoutLength(Buffer.concat([head, Buffer.from(tail.toString().replace(/<status>.*<\/status>/, ''))])),
        ),
      ResponseError,
    ],
    [
      'has a broken record at its end',
      (socket, head, tail) =>
        socket.end(withoutLength(Buffer.concat([head, Buffer.from(sentRecord(9).replace('>120<', '>many<')), tail]))),
      ResponseError,
    ],
    [
      'has rubbish after the envelope',
      (socket, head, tail) => socket.end(withoutLength(Buffer.concat([head, tail, Buffer.from('<more/>')]))),
      ResponseError,
    ],
  ];

  test.each(broken)('an answer that %s rejects, and never ends as if complete', async (_, answer, type) => {
    const [head, tail] = parts(sentRecords(1, 5));
    const service = await Service.start(({ socket }) => answer(socket, head, tail));
    const ids: bigint[] = [];
    const error = await failureOf(
      (async () => {
        for await (const { messageid } of latest(clientOf(service, { keepAlive, soapVersion }))) ids.push(messageid);
      })(),
    );
    expect(error).toBeInstanceOf(type);
    expect(error).toMatchObject({ outcome: 'unknown', operation: 'SelectlatestByApikey' });
    expect(ids).toEqual([1n, 2n, 3n, 4n, 5n].slice(0, ids.length));
  });

  test('leaving the loop ends the call and closes the connection', async () => {
    const [head] = parts(sentRecords(1, 100));
    const service = await Service.start(({ socket }) => socket.write(head));
    const client = clientOf(service, { keepAlive, soapVersion });
    const abort = new AbortController();
    const stream = latest(client, { signal: abort.signal });
    for await (const { messageid } of stream) {
      if (messageid === 3n) break;
    }
    await service.until(() => service.requests[0]?.socket.destroyed === true);
    expect(getEventListeners(abort.signal, 'abort')).toHaveLength(0);
    expect(await stream.next()).toEqual({ done: true, value: undefined });
    await client.close();
    expect(service.requests).toHaveLength(1);
  });

  test('an exception in the loop ends the call and closes the connection', async () => {
    const [head] = parts(sentRecords(1, 100));
    const service = await Service.start(({ socket }) => socket.write(head));
    const reason = new Error('the disk is full');
    const loop = (async () => {
      for await (const record of latest(clientOf(service, { keepAlive, soapVersion }))) {
        if (record.messageid === 2n) throw reason;
      }
    })();
    expect(await failureOf(loop)).toBe(reason);
    await service.until(() => service.requests[0]?.socket.destroyed === true);
  });
});

/** An answer whose length the end of the connection gives. */
function withoutLength(bytes: Buffer): Buffer {
  return Buffer.from(bytes.toString().replace(/Content-Length: \d+/, 'Connection: close'));
}

/** Writes records for as long as the connection takes them. `written` is in bytes that the client's side has taken. */
async function endlessService(): Promise<{ service: Service; written(): number; stalled(): Promise<number> }> {
  let written = 0;
  const service = await Service.start(async ({ socket }) => {
    socket.write(
      `HTTP/1.1 200 OK\r\nContent-Type: text/xml\r\nConnection: close\r\n\r\n${responseOf('SelectlatestByApikey', '').replace(/<\/SelectlatestByApikeyResult>.*$/, '')}`,
    );
    const block = Buffer.from(sentRecords(1, 500));
    let goOn = () => {};
    socket.on('drain', () => goOn()).on('close', () => goOn());
    while (!socket.destroyed) {
      const flowing = socket.write(block);
      written += block.length;
      if (!flowing) {
        await new Promise<void>((resolve) => {
          goOn = resolve;
        });
      }
    }
  });
  return {
    service,
    written: () => written,
    /** Waits until nothing was taken for a while, and gives how much was until then. */
    async stalled() {
      let before = -1;
      while (before !== written) {
        before = written;
        await delay(150);
      }
      return written;
    },
  };
}

describe.each(transports)('back-pressure, with $transport', ({ keepAlive }) => {
  test('makes the service wait while the consumer does, and lets it go on afterwards', async () => {
    const { service, written, stalled } = await endlessService();
    const stream = latest(clientOf(service, { keepAlive }));
    expect((await stream.next()).done).toBe(false);
    const first = await stalled();
    // What the kernel and the streams of both sides hold.
    expect(first).toBeLessThan(24 * 2 ** 20);
    for (let count = 0; count < 60_000; count++) await stream.next();
    expect(written()).toBeGreaterThan(first);
    const second = await stalled();
    expect(second).toBeLessThan(first + 60_000 * sentRecord(1).length * 1.2 + 8 * 2 ** 20);
    await stream.return?.();
    await service.until(() => service.requests[0]?.socket.destroyed === true);
  });

  test('keeps memory bounded while a large list goes by', async () => {
    const { service } = await endlessService();
    const stream = latest(clientOf(service, { keepAlive, maxResponseBytes: 2 ** 40 }));
    let count = 0;
    let start = 0;
    let most = 0;
    let cost = 0;
    for await (const record of stream) {
      count++;
      cost += record.cost;
      if (count === 20_000) start = process.memoryUsage().rss;
      if (count % 2000 === 0) most = Math.max(most, process.memoryUsage().rss);
      if (count === 300_000) break;
    }
    expect(cost).toBe(300_000 * 120);
    // All of them at once would take several times as much.
    expect(most - start).toBeLessThan(64 * 2 ** 20);
  }, 20_000);

  test('costs no record of a compressed answer', async () => {
    const body = gzipSync(responseOf('SelectlatestByApikey', sentRecords(1, 30_000)));
    const service = await serve({ headers: { 'Content-Encoding': 'gzip' }, body });
    const client = clientOf(service, { keepAlive });
    let sum = 0n;
    for await (const { messageid } of latest(client)) {
      sum += messageid;
      if (messageid % 10_000n === 0n) await delay(30);
    }
    expect(sum).toBe(450_015_000n);
  });

  test('loses no record when the consumer asks for many at once', async () => {
    const service = await serve(responseOf('SelectlatestByApikey', sentRecords(1, 2000)));
    const stream = latest(clientOf(service, { keepAlive }));
    const results = await Promise.all(Array.from({ length: 2005 }, () => stream.next()));
    expect(results.filter(({ done }) => !done).map(({ value }) => value.messageid)).toEqual(
      Array.from({ length: 2000 }, (_, index) => BigInt(index + 1)),
    );
    expect(results.slice(2000).every(({ done }) => done)).toBe(true);
  });
});

describe.each(transports)('the end of a stream, with $transport', ({ keepAlive }) => {
  test('an abort rejects the record that is waited for with the reason of the signal', async () => {
    const [head] = parts(sentRecords(1, 3));
    const service = await Service.start(({ socket }) => socket.write(head));
    const abort = new AbortController();
    const reason = new Error('changed my mind');
    const stream = latest(clientOf(service, { keepAlive }), { signal: abort.signal });
    for (let count = 0; count < 3; count++) expect((await stream.next()).done).toBe(false);
    const next = abortReasonOf(stream.next());
    abort.abort(reason);
    expect(await next).toBe(reason);
    expect(getEventListeners(abort.signal, 'abort')).toHaveLength(0);
    await service.until(() => service.requests[0]?.socket.destroyed === true);
  });

  test('an abort between two records rejects, and never ends the stream as if it were complete', async () => {
    const [head] = parts(sentRecords(1, 3));
    const service = await Service.start(({ socket }) => socket.write(head));
    const abort = new AbortController();
    const stream = latest(clientOf(service, { keepAlive }), { signal: abort.signal });
    await stream.next();
    abort.abort();
    expect(await abortReasonOf(collect(stream))).toBe(abort.signal.reason);
  });

  test('a signal that is aborted already rejects the first record, and nothing is sent', async () => {
    const service = await serve('');
    const client = clientOf(service, { keepAlive });
    const stream = latest(client, { signal: AbortSignal.abort('no') });
    expect(await abortReasonOf(stream.next())).toBe('no');
    await client.close();
    expect(service.connections).toBe(0);
  });

  test('a signal that is aborted before the first record is asked for sends nothing', async () => {
    const service = await serve('');
    const client = clientOf(service, { keepAlive });
    const abort = new AbortController();
    const stream = latest(client, { signal: abort.signal });
    abort.abort('no');
    expect(await abortReasonOf(stream.next())).toBe('no');
    await client.close();
    expect(service.connections).toBe(0);
  });

  test('a stream that is left before its first record sends nothing', async () => {
    const service = await serve('');
    const client = clientOf(service, { keepAlive });
    const stream = latest(client);
    await stream.return?.();
    expect(await stream.next()).toEqual({ done: true, value: undefined });
    await client.close();
    expect(service.connections).toBe(0);
  });

  test('timeoutMs runs out while the service is slow', async () => {
    const [head] = parts(sentRecords(1, 3));
    const service = await Service.start(({ socket }) => socket.write(head));
    const stream = latest(clientOf(service, { keepAlive, timeoutMs: 120 }));
    const error = await errorOf(TimeoutError, collect(stream));
    expect(error).toMatchObject({ timeoutMs: 120, outcome: 'unknown', operation: 'SelectlatestByApikey' });
    await service.until(() => service.requests[0]?.socket.destroyed === true);
  });

  test.each(['identity', 'gzip'])(
    'timeoutMs does not run while the consumer of an answer in %s is slow',
    async (encoding) => {
      const count = 20_000;
      const body = responseOf('SelectlatestByApikey', sentRecords(1, count));
      const service = await serve({
        headers: { 'Content-Encoding': encoding },
        body: encoding === 'gzip' ? gzipSync(body) : body,
      });
      const stream = latest(clientOf(service, { keepAlive, timeoutMs: 600 }));
      const started = performance.now();
      let seen = 0;
      for await (const _ of stream) {
        if (seen++ % 4000 === 0) await delay(200);
      }
      expect(seen).toBe(count);
      expect(performance.now() - started).toBeGreaterThan(950);
    },
  );

  test('timeoutMs goes on with what was left once the consumer is back', async () => {
    const [head] = parts(sentRecords(1, 3000));
    const service = await Service.start(({ socket }) => socket.write(head));
    const stream = latest(clientOf(service, { keepAlive, timeoutMs: 400 }));
    await stream.next();
    await delay(600);
    const started = performance.now();
    await errorOf(TimeoutError, collect(stream));
    expect(performance.now() - started).toBeLessThan(1200);
  });

  test('idleTimeoutMs does not run while the consumer is slow, and does afterwards', async () => {
    const [head] = parts(sentRecords(1, 20_000));
    const service = await Service.start(({ socket }) => socket.write(head));
    const stream = latest(clientOf(service, { keepAlive, timeoutMs: 0, idleTimeoutMs: 200 }));
    await stream.next();
    await delay(500);
    let seen = 1;
    const rest = (async () => {
      for await (const _ of stream) seen++;
    })();
    const error = await errorOf(TimeoutError, rest);
    expect(error.timeoutMs).toBe(200);
    expect(seen).toBe(20_000);
  });

  test.each([
    ['plain', { body: responseOf('SelectlatestByApikey', sentRecords(1, 20_000)) }],
    [
      'compressed',
      {
        headers: { 'Content-Encoding': 'gzip' },
        body: gzipSync(responseOf('SelectlatestByApikey', sentRecords(1, 20_000))),
      },
    ],
  ])(
    'idleTimeoutMs does not run out over a %s answer that has arrived, however slow the consumer',
    async (_, answer) => {
      const stream = latest(clientOf(await serve(answer), { keepAlive, idleTimeoutMs: 100 }));
      await stream.next();
      await delay(400);
      expect(await collect(stream)).toHaveLength(19_999);
    },
  );

  test('idleTimeoutMs does not run out while the process is too busy to unpack what has come', async () => {
    const body = gzipSync(responseOf('SelectlatestByApikey', sentRecords(1, 20_000)));
    const service = await serve({ headers: { 'Content-Encoding': 'gzip' }, body });
    const stream = latest(clientOf(service, { keepAlive, idleTimeoutMs: 100 }));
    await stream.next();
    await delay(200);
    // All four threads on which zlib and others work.
    const busy = Array.from({ length: 4 }, () => promisify(pbkdf2)('password', 'salt', 300_000, 64, 'sha512'));
    expect(await collect(stream)).toHaveLength(19_999);
    await Promise.all(busy);
  });

  test('close waits for a stream that is under way', async () => {
    const [head, tail] = parts(sentRecords(1, 3));
    const service = await Service.start(({ socket }) => socket.write(head));
    const client = clientOf(service, { keepAlive });
    const stream = latest(client);
    await stream.next();
    const closed = client.close();
    service.requests[0]?.socket.write(tail);
    expect(await collect(stream)).toHaveLength(2);
    await closed;
  });

  test('a stream that nobody goes on with neither fails the process nor blocks other calls', async () => {
    const service = await Service.start(({ socket }) =>
      socket.write(parts(sentRecords(1, 3))[0], () => socket.destroy()),
    );
    const client = clientOf(service, { keepAlive });
    await latest(client).next();
    const unhandled = jest.fn();
    process.on('unhandledRejection', unhandled);
    await service.until(() => service.closed === 1);
    await delay(20);
    process.off('unhandledRejection', unhandled);
    expect(unhandled).not.toHaveBeenCalled();
  });
});
