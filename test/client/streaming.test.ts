import { getEventListeners } from 'node:events';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import {
  ConnectionError,
  FaultError,
  HttpError,
  type MessagingClient,
  ResponseError,
  StatusError,
  type StreamOptions,
  TimeoutError,
} from '../../src';
import { clientOf } from '../support/client';
import { delay, gate, type HeldClock, holdClock, isSettled, turns } from '../support/clock';
import { usedHeap } from '../support/cost';
import { faultOf, receivedRecord, responseOf, sentRecord, sentRecords } from '../support/envelopes';
import { httpResponse } from '../support/http-response';
import { testInFull } from '../support/loops';
import { collect, errorOf, expectAbort, failureOf } from '../support/outcomes';
import { ownSignal } from '../support/own-signal';
import { RawServer, serve } from '../support/raw-server';

type Stream = AsyncIterableIterator<{ readonly messageid: bigint }>;

const sent = { message: 'text 1', status: 1, statustext: 'sent', sender: '3000', receptor: '09120000001', cost: 120 };
const received = { message: 'text 1', sender: '09120000001', receptor: '3000' };

/** The four streams, each with a record as its operation lists them. */
const streams = [
  {
    method: 'selectOutboxStream',
    operation: 'SelectoutboxByApikey',
    record: sentRecord,
    fields: sent,
    open: (client: MessagingClient): Stream => client.selectOutboxStream({ startUnixdate: 0n, endUnixdate: 1n }),
  },
  {
    method: 'selectStream',
    operation: 'SelectByApikey',
    record: sentRecord,
    fields: sent,
    open: (client: MessagingClient): Stream => client.selectStream({ messageid: [1n] }),
  },
  {
    method: 'selectLatestStream',
    operation: 'SelectlatestByApikey',
    record: sentRecord,
    fields: sent,
    open: (client: MessagingClient): Stream => client.selectLatestStream({ pagesize: 1 }),
  },
  {
    method: 'receiveStream',
    operation: 'ReceiveByApikey',
    record: receivedRecord,
    fields: received,
    open: (client: MessagingClient): Stream => client.receiveStream({ lineNumber: '3000', isread: 0 }),
  },
] as const;

const latest = (client: MessagingClient, options?: StreamOptions) =>
  client.selectLatestStream({ pagesize: 1 }, options);
const latestOf = (records: string | undefined, options?: { status?: number; statusmessage?: string }) =>
  responseOf('SelectlatestByApikey', records, options);
const packed = (records: string) => ({ headers: { 'Content-Encoding': 'gzip' }, body: gzipSync(latestOf(records)) });
const numbers = (first: number, count: number) => Array.from({ length: count }, (_, index) => BigInt(first + index));

/** A response with these records, in the two parts before and after the end of the list. */
function parts(records: string): [Buffer, Buffer] {
  const bytes = httpResponse(latestOf(records));
  const end = bytes.indexOf('</SelectlatestByApikeyResult>');
  return [bytes.subarray(0, end), bytes.subarray(end)];
}

/** A service that writes the records and leaves the list open. */
function serveOpenList(count: number): Promise<RawServer> {
  const [head] = parts(sentRecords(1, count));
  return RawServer.start(({ socket }) => socket.write(head));
}

/** What ends a call at the service's side: its connection is closed. */
function closed(service: RawServer): Promise<void> {
  return service.until(() => service.requests[0]?.socket.destroyed === true);
}

describe.each(streams)('$method', ({ method, operation, record, fields, open }) => {
  test.each(['1.1', '1.2'] as const)(
    `${method} gives whole records before the body ends, in SOAP %s`,
    async (version) => {
      const received = gate();
      const list = Array.from({ length: 40 }, (_, id) => record(id)).join('');
      const bytes = httpResponse(responseOf(operation, list, { version }));
      const service = await RawServer.start(async ({ socket }) => {
        socket.write(bytes.subarray(0, bytes.length / 2));
        await received.opened;
        socket.write(bytes.subarray(bytes.length / 2));
      });
      const records: { messageid: bigint }[] = [];
      for await (const record of open(clientOf(service, { soapVersion: version }))) {
        records.push(record);
        received.open();
      }
      expect(records.map(({ messageid }) => messageid)).toEqual(numbers(0, 40));
      expect(records[1]).toEqual({ messageid: 1n, date: 1700000000n, ...fields });
      expect(service.requests.map(({ body }) => body.includes(`<${operation} `))).toEqual([true]);
    },
  );
});

describe('a stream', () => {
  test.each([
    ['empty', ''],
    ['absent', undefined],
  ])('a stream of a list that is %s ends at once', async (_, result) => {
    const stream = latest(clientOf(await serve(latestOf(result))));
    expect(await stream.next()).toEqual({ done: true, value: undefined });
  });

  test('a stream sends nothing before its first record is asked for, and then one request', async () => {
    const service = await serve(latestOf(sentRecord(1)));
    const client = clientOf(service);
    const stream = latest(client);
    latest(client);
    // A request that had been sent would be there before this one.
    await client.call('RemainCreditByApiKey', {}).catch(() => undefined);
    expect(service.requests.map(({ body }) => body.includes('RemainCreditByApiKey'))).toEqual([true]);
    expect(await collect(stream)).toHaveLength(1);
    expect(service.requests).toHaveLength(2);
  });

  test('a stream gives its records, and then rejects for a refusing status', async () => {
    const service = await serve(latestOf(sentRecords(1, 2), { status: 418, statusmessage: 'no' }));
    const stream = latest(clientOf(service));
    expect((await stream.next()).value).toMatchObject({ messageid: 1n });
    expect((await stream.next()).value).toMatchObject({ messageid: 2n });
    expect(await errorOf(StatusError, stream.next())).toMatchObject({
      operation: 'SelectlatestByApikey',
      status: 418,
      statusmessage: 'no',
      outcome: 'rejected',
    });
    expect(await stream.next()).toEqual({ done: true, value: undefined });
  });

  test('a stream rejects its first record for a fault', async () => {
    const service = await serve({ status: 500, body: faultOf('Server', 'no', '', '1.1') });
    const error = await errorOf(FaultError, latest(clientOf(service)).next());
    expect(error).toMatchObject({ reason: 'no', operation: 'SelectlatestByApikey' });
  });

  test('a stream rejects for an HTTP status other than 200 with an ordinary list', async () => {
    const service = await serve({ status: 500, body: latestOf(sentRecords(1, 3)) });
    await errorOf(HttpError, collect(latest(clientOf(service))));
  });

  test('a stream loses no record when its consumer asks for many at once', async () => {
    const service = await serve(latestOf(sentRecords(1, 2000)));
    const stream = latest(clientOf(service));
    const results = await Promise.all(Array.from({ length: 2005 }, () => stream.next()));
    expect(results.slice(0, 2000).map(({ value }) => value.messageid)).toEqual(numbers(1, 2000));
    expect(results.slice(2000)).toEqual(new Array(5).fill({ done: true, value: undefined }));
  });
});

describe('a response that goes wrong after some records', () => {
  interface Broken {
    readonly how: string;
    /** Whether the end of the connection is the end of the body. */
    readonly open?: true;
    /** What the service does once its records have been read; `tail` is what a good response would go on with. */
    readonly end: (socket: Socket, tail: Buffer) => void;
    readonly type: abstract new (...args: never[]) => Error;
  }
  const broken: Broken[] = [
    { how: 'is cut off by a reset', end: (socket) => socket.resetAndDestroy(), type: ConnectionError },
    { how: 'ends before its Content-Length', end: (socket) => socket.end(), type: ConnectionError },
    { how: 'has one byte too few', end: (socket, tail) => socket.end(tail.subarray(0, -1)), type: ConnectionError },
    { how: 'ends before the list does', open: true, end: (socket) => socket.end(), type: ResponseError },
    {
      how: 'ends after the list',
      open: true,
      end: (socket, tail) => socket.end(tail.subarray(0, 35)),
      type: ResponseError,
    },
    {
      how: 'ends before the last tag is complete',
      open: true,
      end: (socket, tail) => socket.end(tail.subarray(0, -1)),
      type: ResponseError,
    },
    {
      how: 'has no status',
      open: true,
      end: (socket, tail) => socket.end(tail.toString().replace(/<status>.*<\/status>/, '')),
      type: ResponseError,
    },
    {
      how: 'has a broken record at its end',
      open: true,
      end: (socket, tail) => socket.end(sentRecord(9).replace('>120<', '>many<') + tail),
      type: ResponseError,
    },
    {
      how: 'has rubbish after the envelope',
      open: true,
      end: (socket, tail) => socket.end(`${tail}<more/>`),
      type: ResponseError,
    },
  ];

  test.each(broken)(
    'a stream whose response $how gives the records before, and then rejects',
    async ({ open, end, type }) => {
      const [head, tail] = parts(sentRecords(1, 5));
      const service = await RawServer.start(({ socket }) =>
        socket.write(open ? head.toString().replace(/Content-Length: \d+/, 'Connection: close') : head),
      );
      const stream = latest(clientOf(service));
      for (const id of numbers(1, 5)) expect(await stream.next()).toMatchObject({ value: { messageid: id } });
      end(service.requests[0]?.socket as Socket, tail);
      const error = await failureOf(stream.next());
      expect(error).toBeInstanceOf(type);
      expect(error).toMatchObject({ outcome: 'unknown', operation: 'SelectlatestByApikey' });
      expect(await stream.next()).toEqual({ done: true, value: undefined });
    },
  );
});

describe('a record that cannot be read', () => {
  const good = (id: number) => sentRecord(id);
  const broken: [string, string, string][] = [
    [
      'a number that is none',
      good(2).replace('>120<', '>many<'),
      '"many" is not an xsd:int (in PLACE[1]/cost); messageid is 2',
    ],
    [
      'a field that is missing',
      good(2).replace('<cost>120</cost>', ''),
      'cost is missing (in PLACE[1]); messageid is 2',
    ],
    ['nothing in it', '<ApiSelect/>', 'messageid is missing (in PLACE[1])'],
    ['a wrong id', good(2).replace('>2<', '>x<'), '"x" is not an xsd:long (in PLACE[1]/messageid)'],
    [
      'an element inside a text, with elements in it',
      good(2).replace('text 2', 'a<b><c/>d</b>e'),
      'unexpected element "b" in namespace "http://messaging.example/" (in PLACE[1]/message); messageid is 2',
    ],
    [
      'a field in another namespace',
      good(2).replace('<message>', '<message xmlns="urn:x">'),
      'message is in namespace "urn:x", not "http://messaging.example/" (in PLACE[1]); messageid is 2',
    ],
    [
      'content elsewhere',
      '<ApiSelect href="#id1"/>',
      'ApiSelect refers to its content by href, which is not supported (in LIST/after ApiSelect[0])',
    ],
    [
      'content although it is nil',
      good(2).replace('<ApiSelect>', '<ApiSelect xsi:nil="true">'),
      'unexpected element "messageid" in namespace "http://messaging.example/" (in PLACE[1])',
    ],
    ['a text although it is nil', '<ApiSelect xsi:nil="true">x</ApiSelect>', 'unexpected text "x" (in PLACE[1])'],
    [
      'another name',
      `<more>${good(2)}</more>`,
      'the list contains "more" in namespace "http://messaging.example/", not ApiSelect (in LIST/after ApiSelect[0])',
    ],
  ];

  test.each(broken)('a stream with onUnreadable leaves out a record with %s, and goes on', async (_, xml, words) => {
    const list = 'Envelope/Body/SelectlatestByApikeyResponse/SelectlatestByApikeyResult';
    const message = words.replace('LIST', list).replace('PLACE', `${list}/ApiSelect`);
    const bytes = httpResponse(latestOf(good(1) + xml + good(3) + xml + good(4)));
    for (const size of [bytes.length, 7]) {
      const service = await RawServer.start(async ({ socket }) => {
        for (let start = 0; start < bytes.length; start += size) {
          await new Promise((resolve) => socket.write(bytes.subarray(start, start + size), resolve));
        }
      });
      const errors: ResponseError[] = [];
      const records = await collect(latest(clientOf(service), { onUnreadable: (error) => errors.push(error) }));
      expect(records.map(({ messageid }) => messageid)).toEqual([1n, 3n, 4n]);
      expect(errors).toHaveLength(2);
      expect(errors[0]).toBeInstanceOf(ResponseError);
      expect(errors[0]).toMatchObject({ operation: 'SelectlatestByApikey', outcome: 'unknown', body: '' });
      expect(errors[0]?.message).toBe(`SelectlatestByApikey: ${message}`);
    }
    const strict = latest(clientOf(await serve(latestOf(good(1) + xml + good(3)))));
    expect(await strict.next()).toMatchObject({ value: { messageid: 1n } });
    await errorOf(ResponseError, strict.next());
  });

  test('a stream with onUnreadable checks the status after the list', async () => {
    const body = latestOf(`<ApiSelect/>${good(1)}`, { status: 418, statusmessage: 'no' });
    const onUnreadable = jest.fn();
    const stream = latest(clientOf(await serve(body)), { onUnreadable });
    expect(await stream.next()).toMatchObject({ value: { messageid: 1n } });
    expect(await errorOf(StatusError, stream.next())).toMatchObject({ status: 418 });
    expect(onUnreadable).toHaveBeenCalledTimes(1);
  });

  test.each([
    ['text between the records', latestOf(`${good(1)}text${good(2)}`), 'unexpected text "text"'],
    [
      'XML that is not well-formed',
      latestOf(`${good(1)}<ApiSelect><message>a & b</message></ApiSelect>`),
      'not well-formed XML',
    ],
    [
      'elements that are nested too deep',
      latestOf(`${good(1)}<ApiSelect>${'<a>'.repeat(200)}`),
      'nested more than 100 deep',
    ],
    ['no status after the list', latestOf(good(1)).replace('<status>200</status>', ''), 'status is missing'],
    [
      'a fault after the response',
      latestOf(good(1)).replace(
        '</soap:Body>',
        `${faultOf('Server', 'no', '', '1.1').replace(/.*<soap:Body>|<\/soap:Body>.*/g, '')}</soap:Body>`,
      ),
      'fault Server (no)',
    ],
  ])('a stream with onUnreadable still rejects for %s', async (_, body, words) => {
    const onUnreadable = jest.fn();
    const stream = latest(clientOf(await serve(body)), { onUnreadable });
    expect(await stream.next()).toMatchObject({ value: { messageid: 1n } });
    expect(((await failureOf(collect(stream))) as Error).message).toContain(words);
    expect(onUnreadable).not.toHaveBeenCalled();
  });

  test('a stream that onUnreadable leaves gives no record, and is done for ever', async () => {
    const [head] = parts(`${good(1)}<ApiSelect/><ApiSelect/>${good(3)}`);
    const service = await RawServer.start(({ socket }) => socket.write(head));
    const onUnreadable = jest.fn(() => void stream.return?.());
    const stream: Stream = latest(clientOf(service), { onUnreadable });
    for (let count = 0; count < 3; count++) expect(await stream.next()).toEqual({ done: true, value: undefined });
    expect(onUnreadable).toHaveBeenCalledTimes(1);
  });

  test('an error that onUnreadable throws ends the stream and the call', async () => {
    const reason = new Error('the disk is full');
    const [head] = parts(`${good(1)}<ApiSelect/>${good(3)}`);
    const service = await RawServer.start(({ socket }) => socket.write(head));
    const client = clientOf(service);
    const onUnreadable = () => {
      throw reason;
    };
    expect(await failureOf(collect(latest(client, { onUnreadable })))).toBe(reason);
    await closed(service);
  });
});

describe('leaving the loop', () => {
  test('leaving the loop over a stream ends the call and closes the connection', async () => {
    const service = await serveOpenList(100);
    const client = clientOf(service);
    const abort = new AbortController();
    const stream = latest(client, { signal: abort.signal });
    for await (const { messageid } of stream) {
      if (messageid === 3n) break;
    }
    await closed(service);
    expect(getEventListeners(abort.signal, 'abort')).toHaveLength(0);
    expect(await stream.next()).toEqual({ done: true, value: undefined });
    await client.close();
    expect(service.requests).toHaveLength(1);
  });

  test('an exception in the loop over a stream ends the call and closes the connection', async () => {
    const service = await serveOpenList(100);
    const reason = new Error('the disk is full');
    const loop = (async () => {
      for await (const record of latest(clientOf(service))) {
        if (record.messageid === 2n) throw reason;
      }
    })();
    expect(await failureOf(loop)).toBe(reason);
    await closed(service);
  });

  test('leaving a stream before its first record sends nothing', async () => {
    const service = await serve('');
    const client = clientOf(service);
    const stream = latest(client);
    await stream.return?.();
    expect(await stream.next()).toEqual({ done: true, value: undefined });
    await client.close();
    expect(service.connections).toBe(0);
  });
});

/** Writes records for as long as the connection takes them. `written` is in bytes that the client's side has taken. */
async function endlessService(): Promise<{ service: RawServer; written(): number; stalled(): Promise<number> }> {
  let written = 0;
  const service = await RawServer.start(async ({ socket }) => {
    socket.write(
      `HTTP/1.1 200 OK\r\nContent-Type: text/xml\r\nConnection: close\r\n\r\n${latestOf('').replace(/<\/SelectlatestByApikeyResult>.*$/, '')}`,
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
        await delay(50);
      }
      return written;
    },
  };
}

describe('back-pressure', () => {
  test('a stream makes the service wait while its consumer waits, and then continues', async () => {
    const { service, written, stalled } = await endlessService();
    const stream = latest(clientOf(service));
    expect((await stream.next()).done).toBe(false);
    const first = await stalled();
    // What the kernel and the streams of both sides hold.
    expect(first).toBeLessThan(24 * 2 ** 20);
    let count = 0;
    for (; count < 30_000 || written() === first; count++) await stream.next();
    const second = await stalled();
    expect(second).toBeLessThan(first + count * sentRecord(1).length * 1.2 + 8 * 2 ** 20);
    await stream.return?.();
    await closed(service);
  });

  testInFull('a stream of a large list needs a bounded amount of memory', async () => {
    const { service } = await endlessService();
    const stream = latest(clientOf(service, { maxResponseBytes: 2 ** 40 }));
    let count = 0;
    let start = 0;
    for await (const _ of stream) {
      count++;
      if (count === 5_000) start = usedHeap();
      if (count === 30_000) break;
    }
    // 25,000 of them at once would take twice as much.
    expect(usedHeap() - start).toBeLessThan(3.5 * 2 ** 20);
  });

  test('a slow consumer loses no record of a compressed response', async () => {
    const stream = latest(clientOf(await serve(packed(sentRecords(1, 20_000)))));
    let sum = 0n;
    for await (const { messageid } of stream) {
      sum += messageid;
      if (messageid % 5_000n === 0n) await delay(10);
    }
    expect(sum).toBe(200_010_000n);
  });
});

describe('an abort', () => {
  test('an abort rejects the record of a stream that is waited for', async () => {
    const service = await serveOpenList(3);
    const abort = new AbortController();
    const stream = latest(clientOf(service), { signal: abort.signal });
    for (let count = 0; count < 3; count++) expect((await stream.next()).done).toBe(false);
    const next = stream.next();
    abort.abort(new Error('changed my mind'));
    await expectAbort(next, abort.signal, 'unknown');
    expect(getEventListeners(abort.signal, 'abort')).toHaveLength(0);
    await closed(service);
  });

  test('an abort between two records rejects the next record, and never ends the stream as if it were complete', async () => {
    const abort = new AbortController();
    const stream = latest(clientOf(await serveOpenList(3)), { signal: abort.signal });
    await stream.next();
    abort.abort();
    await turns();
    await expectAbort(collect(stream), abort.signal, 'unknown');
  });

  test.each([
    ['has arrived as a whole', async () => serve(latestOf(sentRecords(1, 600)))],
    ['is still arriving', () => serveOpenList(600)],
  ])('an abort in the loop over a response that %s ends the loop at once', async (_, start) => {
    const abort = new AbortController();
    let seen = 0;
    const loop = (async () => {
      for await (const _ of latest(clientOf(await start()), { signal: abort.signal })) {
        if (++seen === 10) abort.abort(new Error('enough'));
      }
    })();
    await expectAbort(loop, abort.signal, 'unknown');
    expect(seen).toBe(10);
    expect(getEventListeners(abort.signal, 'abort')).toHaveLength(0);
  });

  test('an abort after the last record changes nothing', async () => {
    const abort = new AbortController();
    const stream = latest(clientOf(await serve(latestOf(sentRecord(1)))), { signal: abort.signal });
    expect(await stream.next()).toMatchObject({ done: false });
    await turns(50);
    abort.abort();
    expect(await stream.next()).toEqual({ done: true, value: undefined });
  });

  test("a signal of the caller's own class may call its listeners without an event", async () => {
    const service = await serveOpenList(3);
    const signal = ownSignal();
    const stream = latest(clientOf(service), { signal });
    for (let count = 0; count < 3; count++) await stream.next();
    const next = stream.next();
    signal.abort('enough');
    await expectAbort(next, signal, 'unknown');
    expect(signal.listeners.size).toBe(0);
  });

  test.each([
    ['before the creation', true],
    ['before the first record', false],
  ])('an abort %s of a stream rejects the first record, and nothing is sent', async (_, early) => {
    const service = await serve('');
    const client = clientOf(service);
    const abort = new AbortController();
    if (early) abort.abort('no');
    const stream = latest(client, { signal: abort.signal });
    abort.abort('no');
    await expectAbort(stream.next(), abort.signal, 'not-sent');
    await client.close();
    expect(service.connections).toBe(0);
  });
});

describe('time limits of a stream', () => {
  /**
   * Reads with a pause after each 4,000 records, in which the time goes on once the source of the records has paused.
   */
  async function readSlowly(stream: Stream, clock: HeldClock, paused: () => Promise<void>): Promise<number> {
    let seen = 0;
    for await (const _ of stream) {
      if (seen++ % 4000 === 0) {
        await paused();
        await clock.advance(200);
      }
    }
    return seen;
  }

  test('the timeoutMs of a stream runs out while the service is slow', async () => {
    const clock = holdClock();
    const service = await serveOpenList(3);
    const failure = errorOf(TimeoutError, collect(latest(clientOf(service, { timeoutMs: 120 }))));
    await service.until(() => service.requests.length === 1);
    await clock.advance(119);
    expect(await isSettled(failure)).toBe(false);
    await clock.advance(1);
    expect(await failure).toMatchObject({ timeoutMs: 120, outcome: 'unknown', operation: 'SelectlatestByApikey' });
    await closed(service);
  });

  test('the timeoutMs of a stream does not run while the consumer is slow', async () => {
    const clock = holdClock();
    const service = await serve(latestOf(sentRecords(1, 20_000)));
    const stream = latest(clientOf(service, { timeoutMs: 600 }));
    expect(await readSlowly(stream, clock, () => turns(50))).toBe(20_000);
  });

  test('the timeoutMs of a stream does not run while the consumer of a compressed response is slow', async () => {
    const clock = holdClock();
    const service = await serve(packed(sentRecords(1, 20_000)));
    const pause = jest.spyOn(Readable.prototype, 'pause');
    const stream = latest(clientOf(service, { timeoutMs: 600 }));
    const paused = async () => {
      const calls = pause.mock.calls.length;
      while (pause.mock.calls.length === calls) await turns();
    };
    expect(await readSlowly(stream, clock, paused)).toBe(20_000);
    pause.mockRestore();
  });

  test('the timeoutMs of a stream continues with the remaining time when the consumer continues', async () => {
    const clock = holdClock();
    const service = await RawServer.start({});
    const stream = latest(clientOf(service, { timeoutMs: 400 }));
    const first = stream.next();
    await service.until(() => service.requests.length === 1);
    await clock.advance(100);
    service.requests[0]?.socket.write(parts(sentRecords(1, 3000))[0]);
    await first;
    await turns(50);
    await clock.advance(600);
    const failure = errorOf(TimeoutError, collect(stream));
    await turns(50);
    await clock.advance(299);
    expect(await isSettled(failure)).toBe(false);
    await clock.advance(1);
    expect(await failure).toMatchObject({ timeoutMs: 400 });
  });

  test('the idleTimeoutMs of a stream runs only while the consumer waits for records', async () => {
    const clock = holdClock();
    const service = await serveOpenList(20_000);
    const stream = latest(clientOf(service, { timeoutMs: 0, idleTimeoutMs: 200 }));
    await stream.next();
    await turns(50);
    await clock.advance(5000);
    let seen = 1;
    const failure = errorOf(
      TimeoutError,
      (async () => {
        for await (const _ of stream) seen++;
      })(),
    );
    await clock.advanceUntilSettled(failure, 100);
    expect(await failure).toMatchObject({ timeoutMs: 200 });
    expect(seen).toBe(20_000);
  });

  test.each([
    ['plain', { body: latestOf(sentRecords(1, 20_000)) }],
    ['compressed', packed(sentRecords(1, 20_000))],
  ])(
    'the idleTimeoutMs of a stream does not run out over a %s response, however slow the consumer is',
    async (_, response) => {
      const clock = holdClock();
      const stream = latest(clientOf(await serve(response), { idleTimeoutMs: 100 }));
      await stream.next();
      await turns(50);
      await clock.advance(5000);
      expect(await collect(stream)).toHaveLength(19_999);
    },
  );
});

test('close waits for a stream that is under way', async () => {
  const [head, tail] = parts(sentRecords(1, 3));
  const service = await RawServer.start(({ socket }) => socket.write(head));
  const client = clientOf(service);
  const stream = latest(client);
  await stream.next();
  const close = client.close();
  expect(await isSettled(close)).toBe(false);
  service.requests[0]?.socket.write(tail);
  expect(await collect(stream)).toHaveLength(2);
  await close;
});

test('a failed stream whose records nobody asks for does not fail the process', async () => {
  const [head] = parts(sentRecords(1, 3));
  const service = await RawServer.start(({ socket }) => socket.write(head, () => socket.destroy()));
  const unhandled = jest.fn();
  process.on('unhandledRejection', unhandled);
  await latest(clientOf(service)).next();
  await service.until(() => service.closed === 1);
  await turns(50);
  process.off('unhandledRejection', unhandled);
  expect(unhandled).not.toHaveBeenCalled();
});
