import { getEventListeners } from 'node:events';
import {
  AbortError,
  ConfigurationError,
  ConnectionError,
  FaultError,
  HttpError,
  MessagingClient,
  type MessagingError,
  RequestError,
  ResponseError,
  StatusError,
  TimeoutError,
  type TrackedStatus,
  TrackingTimeout,
  type TrackOptions,
} from '../../src';
import { type Tracking, track } from '../../src/client/track';
import { cleanUp } from '../support/clean-up';
import { API_KEY, clientOf } from '../support/client';
import { holdClock, isSettled, turns } from '../support/clock';
import { usedHeap } from '../support/cost';
import { faultOf, NAMESPACE, responseOf } from '../support/envelopes';
import { type HttpResponse, httpResponse } from '../support/http-response';
import { testInFull } from '../support/loops';
import { collect, errorOf, failureOf } from '../support/outcomes';
import { ownSignal } from '../support/own-signal';
import { RawServer } from '../support/raw-server';
import { openSandbox } from '../support/sandbox';

const FINAL = 10;
const finalStatuses = [FINAL, 11];

/** What a service does with one request: it responds with statuses or whole, or not at all. */
type Step = readonly number[] | HttpResponse | 'silence' | 'reset';

function bytesOf(step: readonly number[] | HttpResponse): Buffer {
  if (!('length' in step)) return httpResponse(step);
  return httpResponse(responseOf('GetStatusByApikey', step.map((status) => `<int>${status}</int>`).join('')));
}

/** A service that records the ids of each request. The last step is repeated. */
async function serveStatuses(...steps: readonly Step[]) {
  const asked: (readonly bigint[])[] = [];
  const server = await RawServer.start(({ body, socket }) => {
    asked.push([...body.matchAll(/<long>(-?\d+)<\/long>/g)].map(([, id = '']) => BigInt(id)));
    const step = steps[Math.min(asked.length, steps.length) - 1] as Step;
    if (step === 'reset') socket.resetAndDestroy();
    else if (step !== 'silence') socket.write(bytesOf(step));
  });
  return { asked, server, baseUrl: server.baseUrl };
}

/** Options for tests in real time, in which nothing depends on how long a pause takes. */
const quick = (more: TrackOptions = {}): TrackOptions => ({ finalStatuses, everyMs: 1, maxEveryMs: 1, ...more });

const change = (messageid: bigint, status: number, previous?: number): TrackedStatus => ({
  messageid,
  status,
  previous,
  final: finalStatuses.includes(status),
});

describe('changes', () => {
  test('track gives each change with the status before it, asks no more for a message whose status is final, and ends when all are final', async () => {
    const service = await serveStatuses([1, 1], [2, 1], [2, FINAL], [2], [11]);
    const changes = await collect(clientOf(service).track([1n, 2n], quick()));
    expect(changes).toEqual([
      ...[change(1n, 1), change(2n, 1), change(1n, 2, 1), change(2n, FINAL, 1), change(1n, 11, 2)],
    ]);
    expect(service.asked).toEqual([[1n, 2n], [1n, 2n], [1n, 2n], [1n], [1n]]);
  });

  test('track gives a change before it asks for the next batch', async () => {
    const service = await serveStatuses([FINAL], 'silence');
    const changes = clientOf(service).track([1n, 2n], quick({ batchSize: 1 }));
    expect(await changes.next()).toEqual({ done: false, value: change(1n, FINAL) });
    expect(service.asked).toEqual([[1n]]);
    await changes.return?.();
  });

  test('track asks for batchSize ids per request, and sends one request at a time', async () => {
    let open = 0;
    let most = 0;
    const asked: number[] = [];
    const tracking = trackingOf(async (ids) => {
      most = Math.max(most, ++open);
      await turns();
      open--;
      asked.push(ids.length);
      return ids.map(() => FINAL);
    });
    const ids = Array.from({ length: 1201 }, (_, id) => id);
    expect(await collect(track(ids, () => ({ ...tracking, batchSize: 500 })))).toHaveLength(1201);
    expect(asked).toEqual([500, 500, 201]);
    expect(most).toBe(1);
  });

  test('track asks for an id that is given twice once, and reports it once', async () => {
    const service = await serveStatuses([FINAL, FINAL]);
    const changes = await collect(clientOf(service).track([1n, 1, 2n, 1n], quick()));
    expect(changes).toEqual([change(1n, FINAL), change(2n, FINAL)]);
    expect(service.asked).toEqual([[1n, 2n]]);
  });

  test('track of no ids ends without a request', async () => {
    const service = await serveStatuses([]);
    expect(await collect(clientOf(service).track([], quick()))).toEqual([]);
    expect(service.asked).toEqual([]);
  });

  test('track sends nothing before the first change is asked for', async () => {
    const service = await serveStatuses([FINAL]);
    clientOf(service).track([1n], quick());
    await turns();
    expect(service.asked).toEqual([]);
  });

  test('track follows messages of the sandbox until they are delivered', async () => {
    const sandbox = await openSandbox();
    const client = new MessagingClient({ ...sandbox.clientOptions, finalStatuses });
    cleanUp(() => client.close());
    const request = { sender: '3000', message: 'hello', unixdate: 0n, msgmode: 1 };
    const ids = await client.sendSimple({ ...request, receptor: ['09120000001', '09120000002'] });
    const seen: TrackedStatus[] = [];
    for await (const each of client.track(ids, { everyMs: 1 })) {
      seen.push(each);
      if (seen.length === 2) for (const id of ids) sandbox.setStatus(id, FINAL);
    }
    expect(seen).toEqual([...ids.map((id) => change(id, 1)), ...ids.map((id) => change(id, FINAL, 1))]);
  });

  testInFull('track of 10,000 ids takes a limited amount of memory', async () => {
    const ids = Array.from({ length: 10_000 }, (_, id) => BigInt(id) + 9007199254740993n);
    let round = 0;
    const tracking = trackingOf(async (batch) => {
      if (batch[0] === ids[0]) round++;
      return batch.map(() => (round < 3 ? round : FINAL));
    });
    const before = usedHeap();
    let count = 0;
    let largest = 0;
    for await (const { final } of track(ids, () => ({ ...tracking, batchSize: 500 }))) {
      if (final && count % 2500 === 0) largest = Math.max(largest, usedHeap() - before);
      count++;
    }
    expect(count).toBe(30_000);
    expect(largest).toBeLessThan(2.5 * 2 ** 20);
  });
});

/** A tracking without a service, for tests that hold the clock. */
function trackingOf(getStatus: Tracking['getStatus'], more: Partial<Tracking> = {}): Tracking {
  const rest = { everyMs: 1, maxEveryMs: 1, withinMs: 0, signal: undefined, onFailure: undefined };
  return { getStatus, finalStatuses: new Set(finalStatuses), batchSize: 500, ...rest, ...more };
}

describe('the end', () => {
  test('after withinMs, track rejects with a TrackingTimeout that lists the ids without a final status', async () => {
    const clock = holdClock();
    const tracking = trackingOf(async (ids) => ids.map((id) => (id === 2n ? FINAL : 1)), { withinMs: 60_000 });
    const seen: TrackedStatus[] = [];
    const loop = (async () => {
      for await (const each of track([1n, 2n, 3n], () => ({ ...tracking, everyMs: 5_000 }))) seen.push(each);
    })();
    loop.catch(() => undefined);
    await clock.advance(59_999);
    expect(await isSettled(loop)).toBe(false);
    await clock.advance(1);
    const error = await errorOf(TrackingTimeout, loop);
    expect(error).toMatchObject({ outcome: 'not-sent', pending: [1n, 3n] });
    expect(error.message).toBe('GetStatusByApikey: 2 of 3 messages have no final status after 60000 ms');
    expect(seen).toHaveLength(3);
    expect(jest.getTimerCount()).toBe(0);
  });

  test('withinMs ends a request that is under way', async () => {
    const service = await serveStatuses('silence');
    const loop = collect(clientOf(service).track([1n], quick({ withinMs: 50 })));
    expect(await errorOf(TrackingTimeout, loop)).toMatchObject({ pending: [1n] });
    await service.server.until(() => service.server.open === 0);
  });

  test('a change that was seen before the time ran out is given before the TrackingTimeout', async () => {
    const clock = holdClock();
    const tracking = trackingOf(async (ids) => ids.map(() => 1), { withinMs: 1_000 });
    const changes = track([1n, 2n], () => tracking);
    await changes.next();
    await clock.advance(2_000);
    expect(await changes.next()).toEqual({ done: false, value: change(2n, 1) });
    await errorOf(TrackingTimeout, changes.next());
  });

  test('an abort ends a pause at once, with no timer and no listener left', async () => {
    const clock = holdClock();
    const abort = new AbortController();
    const tracking = trackingOf(async () => [1], { everyMs: 60_000, withinMs: 600_000, signal: abort.signal });
    const loop = collect(track([1n], () => tracking));
    loop.catch(() => undefined);
    await clock.advance(1_000);
    // The pause, and the limit of the tracking.
    expect(jest.getTimerCount()).toBe(2);
    abort.abort(new Error('enough'));
    const error = await errorOf(AbortError, loop);
    expect(error).toMatchObject({ outcome: 'not-sent', operation: 'GetStatusByApikey', cause: abort.signal.reason });
    expect(jest.getTimerCount()).toBe(0);
    expect(getEventListeners(abort.signal, 'abort')).toHaveLength(0);
  });

  test("a signal of the caller's own class ends a pause and a request without an event", async () => {
    for (const [step, options] of [
      [[1], { everyMs: 60_000 }],
      ['silence', {}],
    ] as const) {
      const service = await serveStatuses(step);
      const signal = ownSignal();
      const loop = collect(clientOf(service).track([1n], quick({ ...options, signal })));
      await service.server.until(() => service.asked.length === 1);
      await turns();
      signal.abort('enough');
      expect(await errorOf(AbortError, loop)).toMatchObject({ cause: 'enough' });
      expect(signal.listeners.size).toBe(0);
    }
  });

  test('an abort ends a request that is under way', async () => {
    const service = await serveStatuses('silence');
    const abort = new AbortController();
    const loop = collect(clientOf(service).track([1n], quick({ signal: abort.signal })));
    await service.server.until(() => service.asked.length === 1);
    abort.abort(new Error('enough'));
    expect(await errorOf(AbortError, loop)).toMatchObject({ outcome: 'unknown', cause: abort.signal.reason });
    expect(getEventListeners(abort.signal, 'abort')).toHaveLength(0);
    await service.server.until(() => service.server.open === 0);
  });

  test('an abort between two changes of one response rejects in place of the second', async () => {
    const service = await serveStatuses([1, 1]);
    const abort = new AbortController();
    const changes = clientOf(service).track([1n, 2n], quick({ signal: abort.signal }));
    await changes.next();
    abort.abort();
    await errorOf(AbortError, changes.next());
  });

  test('a signal that is aborted before the start keeps every request from being sent', async () => {
    const service = await serveStatuses([1]);
    const signal = AbortSignal.abort();
    await errorOf(AbortError, collect(clientOf(service).track([1n], quick({ signal }))));
    expect(service.asked).toEqual([]);
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });

  test('leaving the loop leaves no timer and no listener', async () => {
    holdClock();
    const { signal } = new AbortController();
    const tracking = trackingOf(async () => [1], { withinMs: 600_000, signal });
    for await (const _ of track([1n], () => tracking)) break;
    expect(jest.getTimerCount()).toBe(0);
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });

  test('return ends a pause at once, and the change that was asked for is the end', async () => {
    const clock = holdClock();
    const { signal } = new AbortController();
    const tracking = trackingOf(async () => [1], { everyMs: 60_000, withinMs: 600_000, signal });
    const changes = track([1n], () => tracking);
    await changes.next();
    const next = changes.next();
    await clock.advance(1_000);
    // The pause, and the limit of the tracking.
    expect(jest.getTimerCount()).toBe(2);
    await changes.return?.();
    expect(await next).toEqual({ done: true, value: undefined });
    expect(jest.getTimerCount()).toBe(0);
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });

  test('return ends a request that is under way', async () => {
    const service = await serveStatuses('silence');
    const changes = clientOf(service).track([1n], quick());
    const next = changes.next();
    await service.server.until(() => service.asked.length === 1);
    await changes.return?.();
    expect(await next).toEqual({ done: true, value: undefined });
    await service.server.until(() => service.server.open === 0);
  });
});

const status418 = { body: responseOf('GetStatusByApikey', '', { status: 418, statusmessage: 'no' }) };
const fault = (code: string, status = 500) => ({ status, body: faultOf(code, 'no', '', '1.1') });

describe('failures', () => {
  test.each<[string, HttpResponse, typeof StatusError | typeof FaultError | typeof HttpError]>([
    ['a status that is no success', status418, StatusError],
    ['a fault that blames the request', fault('Client'), FaultError],
    ['HTTP 403', { status: 403, body: 'no' }, HttpError],
  ])('a refusal ends the tracking: %s', async (_, response, type) => {
    const service = await serveStatuses(response);
    const failures: unknown[] = [];
    const tracking = clientOf(service).track([1n], quick({ onFailure: (error) => failures.push(error) }));
    expect((await errorOf<MessagingError>(type, collect(tracking))).outcome).toBe('rejected');
    expect(service.asked).toHaveLength(1);
    expect(failures).toEqual([]);
  });

  test.each<[string, Step, abstract new (...args: never[]) => MessagingError]>([
    ['a fault of the service', fault('Server'), FaultError],
    ['HTTP 429', { status: 429, body: 'slower' }, HttpError],
    ['HTTP 429 with a fault', fault('Client', 429), FaultError],
    ['HTTP 503', { status: 503, body: 'busy' }, HttpError],
    ['a reset connection', 'reset', ConnectionError],
    ['a response that is no XML', { body: 'hello' }, ResponseError],
    ['a response that does not come', 'silence', TimeoutError],
  ])(
    'a failure that may pass is given to onFailure, and the same ids are asked for again: %s',
    async (_, step, type) => {
      const service = await serveStatuses(step, [FINAL, FINAL]);
      const failures: [MessagingError, readonly bigint[]][] = [];
      const client = clientOf(service, step === 'silence' ? { timeoutMs: 200 } : {});
      const onFailure: TrackOptions['onFailure'] = (error, ids) => failures.push([error, ids]);
      expect(await collect(client.track([1n, 2n], quick({ onFailure })))).toHaveLength(2);
      expect(failures).toEqual([[expect.any(type), [1n, 2n]]]);
      expect(service.asked).toEqual([
        [1n, 2n],
        [1n, 2n],
      ]);
    },
  );

  test('a failure of one batch does not keep the next batch from being asked for', async () => {
    const service = await serveStatuses(fault('Server'), [FINAL], [FINAL]);
    const changes = await collect(clientOf(service).track([1n, 2n], quick({ batchSize: 1 })));
    expect(changes).toEqual([change(2n, FINAL), change(1n, FINAL)]);
    expect(service.asked).toEqual([[1n], [2n], [1n]]);
  });

  test.each([
    [1, [1]],
    [3, [1, 1, 1]],
    [0, []],
  ])(
    'a response with %i statuses for 2 ids rejects with a ResponseError: nothing is guessed',
    async (count, statuses) => {
      const service = await serveStatuses(statuses);
      const error = await errorOf(ResponseError, collect(clientOf(service).track([1n, 2n], quick())));
      expect(error.message).toBe(`GetStatusByApikey: the response has ${count} statuses for 2 ids`);
      expect(service.asked).toHaveLength(1);
    },
  );

  test('track rejects when the client is closed', async () => {
    const service = await serveStatuses([1]);
    const client = clientOf(service);
    const changes = client.track([1n], quick());
    await changes.next();
    await client.close();
    expect(await errorOf(ConnectionError, changes.next())).toMatchObject({ code: 'CLOSED' });
  });

  test.each<[string, (error: Error) => TrackOptions['onFailure']]>([
    [
      'throws',
      (mine) => () => {
        throw mine;
      },
    ],
    ['rejects with', (mine) => () => Promise.reject(mine)],
  ])('an error that onFailure %s ends the tracking', async (_, onFailure) => {
    const service = await serveStatuses(fault('Server'));
    const mine = new Error('mine');
    const options = quick({ onFailure: onFailure(mine) });
    expect(await failureOf(collect(clientOf(service).track([1n], options)))).toBe(mine);
  });

  test('the stack of each error of track names the line of the loop', async () => {
    async function loopAsTheCallerDoes(client: MessagingClient, more: TrackOptions): Promise<void> {
      for await (const _ of client.track([1n], quick(more)));
    }
    const silent = clientOf(await serveStatuses('silence'));
    const refusing = clientOf(await serveStatuses(status418));
    const short = clientOf(await serveStatuses([]));
    const waiting = clientOf(await serveStatuses([1]));
    for (const [client, more] of [
      [silent, { withinMs: 20 }],
      [waiting, { withinMs: 50, everyMs: 60_000 }],
      [refusing, {}],
      [short, {}],
      [silent, { everyMs: -1 }],
    ] as const) {
      const { stack } = (await failureOf(loopAsTheCallerDoes(client, more))) as Error;
      expect(stack).toMatch(/loopAsTheCallerDoes .*track\.test\.ts:\d+/);
    }
  });
});

describe('options', () => {
  const options = { baseUrl: 'http://127.0.0.1:9', namespace: NAMESPACE, apiKey: API_KEY, successStatuses: [200] };

  test('track without final statuses rejects with a ConfigurationError that names the option and its variable', async () => {
    const loop = collect(new MessagingClient(options).track([1n]));
    expect((await errorOf(ConfigurationError, loop)).message).toBe('finalStatuses (MESSAGING_FINAL_STATUSES): missing');
  });

  test('the final statuses of track win over those of the client', async () => {
    const service = await serveStatuses([5]);
    const client = clientOf(service, { finalStatuses: [1] });
    expect(await collect(client.track([1n], { finalStatuses: [5] }))).toHaveLength(1);
  });

  test('a client takes its final statuses from MESSAGING_FINAL_STATUSES', async () => {
    const service = await serveStatuses([5]);
    process.env.MESSAGING_FINAL_STATUSES = '4,5';
    cleanUp(() => delete process.env.MESSAGING_FINAL_STATUSES);
    const client = MessagingClient.fromEnv({ ...options, baseUrl: service.baseUrl });
    cleanUp(() => client.close());
    expect(await collect(client.track([1n]))).toHaveLength(1);
  });

  test('wrong and unknown options of track reject with one ConfigurationError that names all of them, without the API key', async () => {
    const wrong = {
      everyMs: 0,
      withinMs: -1,
      batchSize: API_KEY,
      onFailure: 1,
      often: true,
    } as unknown as TrackOptions;
    const changes = new MessagingClient(options).track([1n], wrong);
    const { message } = await errorOf(ConfigurationError, changes.next());
    for (const name of ['everyMs', 'withinMs', 'batchSize', 'onFailure', 'often'])
      expect(message).toContain(`${name}: `);
    expect(message).not.toContain(API_KEY);
  });

  test.each<[string, unknown, string]>([
    ['a single id', 1n, 'messageid: a list of xsd:long is needed'],
    ['no list', undefined, 'messageid: a list of xsd:long is needed'],
    ['a text', [1n, '2'], 'messageid[1]: an xsd:long (bigint or safe integer) is needed, not a string'],
    [
      'an unsafe integer',
      [2 ** 53],
      'messageid[0]: 9007199254740992 is not a safe integer: give a whole number, as a bigint beyond 2^53',
    ],
    [
      'a bigint beyond xsd:long',
      [2n ** 63n],
      'messageid[0]: 9223372036854775808 is not within xsd:long (-9223372036854775808 to 9223372036854775807)',
    ],
  ])('track rejects with a RequestError for %s in place of ids', async (_, ids, message) => {
    const changes = new MessagingClient({ ...options, finalStatuses }).track(ids as bigint[]);
    expect((await errorOf(RequestError, changes.next())).message).toBe(`GetStatusByApikey: ${message}`);
  });

  test('a wrong list of ids leaves no timer and no listener', async () => {
    holdClock();
    const { signal } = new AbortController();
    const tracking = trackingOf(async () => [1], { withinMs: 1_000, signal });
    await errorOf(RequestError, collect(track(['1'] as never, () => tracking)));
    expect(jest.getTimerCount()).toBe(0);
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });
});
