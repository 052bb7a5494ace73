import { TimeoutError } from '../../src';
import { collectBulk, enqueueBulk, type WorkOptions, workBulk } from '../../src/bulk/queue';
import { Claims } from '../../src/bulk/queue/claims';
import { timers } from '../../src/internal/timers';
import { cleanUp } from '../support/clean-up';
import { isFull } from '../support/loops';
import { startLimitedService } from './limited-service';
import { claimKeys, shareRedis } from './queue-support';
import { advanceClock, clientOf, csvOf, damageOf, fields, startService } from './support';

/** As a gateway writes it that limits requests. */
const busy = { http: { status: 429, headers: { 'retry-after': '1' }, body: 'too many requests' } };

const limitedRows = isFull ? 3000 : 100;

const shared = shareRedis();

async function prepare(rows: number) {
  const { sandbox, client } = await startService();
  const { input, journal } = csvOf(rows);
  const link = { redis: shared.server.url, queue: 'test' };
  await enqueueBulk({ ...link, client, input, fields });
  return {
    sandbox,
    client,
    work: (more: Partial<WorkOptions> = {}) => workBulk({ ...link, client, untilEmpty: true, ...more }),
    collect: async () => (await collectBulk({ redis: link.redis, journal, takeBack: true })).counts,
  };
}

test('a worker puts rows that were pushed back into the queue, and sends them after the pause', async () => {
  const { sandbox, work, collect } = await prepare(5);
  sandbox.reply('SendSimpleByApikey', busy, { times: 4 });
  const pauses: number[] = [];
  const onPause = (ms: number) => {
    pauses.push(ms);
    advanceClock(ms);
  };
  const onProgress = jest.fn();
  const worked = await work({ onPause, onProgress, stopAfterFailures: 1 });
  expect(worked).toMatchObject({ total: 5, sent: 5, pending: 0, rejected: 0, stopped: undefined });
  expect([pauses, onProgress.mock.calls.length]).toEqual([[1000, 1000, 1000, 1000], 5]);
  expect(await collect()).toMatchObject({ sent: 5 });
  expect(damageOf(sandbox, 5)).toEqual({ twice: 0, lost: 0 });
});

test('a worker whose requests are pushed back together goes on with half of them, and sends all rows', async () => {
  const { sandbox, work, collect } = await prepare(60);
  sandbox.reply('SendSimpleByApikey', { delayMs: 0 }, { times: 20 });
  sandbox.reply('SendSimpleByApikey', { ...busy, delayMs: 20 }, { times: 16 });
  expect(await work()).toMatchObject({ total: 60, sent: 60, stopped: undefined });
  expect(await collect()).toMatchObject({ sent: 60 });
  expect(damageOf(sandbox, 60)).toEqual({ twice: 0, lost: 0 });
});

test('a worker that ends during a pause leaves the rows in the queue, without a claim', async () => {
  const { sandbox, work, collect } = await prepare(3);
  sandbox.reply('SendSimpleByApikey', { http: { ...busy.http, headers: { 'retry-after': '300' } } });
  const controller = new AbortController();
  const onPause = () => setImmediate(() => controller.abort());
  expect(await work({ onPause, signal: controller.signal })).toMatchObject({ total: 0 });
  const [key] = await claimKeys(shared.redis);
  expect(await shared.redis.hGet(key as string, 'held')).toBe('0');
  expect(await shared.redis.lLen('bull:test:wait')).toBe(3);
  expect(await collect()).toMatchObject({ pending: 3, unknown: 0 });
});

test('only HTTP status 429 for 30 minutes ends a worker, and its rows stay in the queue', async () => {
  const { sandbox, work, collect } = await prepare(2);
  sandbox.reply('SendSimpleByApikey', { http: { ...busy.http, headers: {} } }, { times: Number.POSITIVE_INFINITY });
  const stopped = 'the service has only responded with HTTP status 429 for 30 minutes';
  expect(await work({ onPause: advanceClock, redisTimeoutMs: 1e7 })).toMatchObject({ total: 0, stopped });
  expect(await collect()).toMatchObject({ pending: 2, rejected: 0 });
});

test('two workers of a service that allows 40 requests in a second send each row once', async () => {
  const { sandbox, work, collect } = await prepare(limitedRows);
  const service = await startLimitedService(sandbox.baseUrl, 40);
  const client = clientOf(sandbox, service.baseUrl);
  const workers = await Promise.all([work({ client }), work({ client })]);
  expect(workers.reduce((sum, { sent }) => sum + sent, 0)).toBe(limitedRows);
  expect(await collect()).toMatchObject({ sent: limitedRows, rejected: 0, pending: 0 });
  expect(damageOf(sandbox, limitedRows)).toEqual({ twice: 0, lost: 0 });
  expect(service.counts.accepted).toBe(limitedRows);
  if (isFull) console.log(`${service.counts.refused} of ${limitedRows} refused`);
});

describe('a request that has not begun in time', () => {
  const notBegun = () => new TimeoutError({ operation: 'SendSimpleByApikey', outcome: 'not-sent', timeoutMs: 1000 });

  test('its batch goes back to the queue and is sent, and it is no failure', async () => {
    const { sandbox, client, work, collect } = await prepare(3);
    jest.spyOn(client, 'sendSimple').mockRejectedValueOnce(notBegun());
    const onProgress = jest.fn();
    const worked = await work({ onProgress, stopAfterFailures: 1 });
    expect(worked).toMatchObject({ total: 3, sent: 3, stopped: undefined });
    expect(onProgress).toHaveBeenCalledTimes(3);
    expect(await collect()).toMatchObject({ sent: 3 });
    expect(damageOf(sandbox, 3)).toEqual({ twice: 0, lost: 0 });
  });

  test('it is a failure when the next request of its batch has not begun either, as at a service that is out of reach', async () => {
    const { client, work, collect } = await prepare(3);
    const sending = jest.spyOn(client, 'sendSimple').mockRejectedValue(notBegun());
    const stopped = 'the first request failed and no row is sent, so a setting may be wrong';
    expect(await work()).toMatchObject({ total: 1, pending: 1, stopped });
    expect(sending).toHaveBeenCalledTimes(2);
    expect(await collect()).toMatchObject({ pending: 3, unknown: 0 });
  });

  test('a worker that stood still after a claim goes on, however often', async () => {
    const { sandbox, work, collect } = await prepare(3);
    let [stops, ahead] = [0, 0];
    jest.spyOn(timers, 'systemTime').mockImplementation(() => Date.now() + ahead);
    const { claim } = Claims.prototype;
    jest.spyOn(Claims.prototype, 'claim').mockImplementation(async function (this: Claims, ...args) {
      const claimed = await claim.apply(this, args);
      // After the look at the time that follows the claim.
      if (stops++ < 5) setImmediate(() => (ahead += 1_000_000));
      return claimed;
    });
    cleanUp(() => jest.restoreAllMocks());
    expect(await work({ stopAfterFailures: 1 })).toMatchObject({ total: 3, sent: 3, stopped: undefined });
    expect(await collect()).toMatchObject({ sent: 3 });
    expect(damageOf(sandbox, 3)).toEqual({ twice: 0, lost: 0 });
  });
});
