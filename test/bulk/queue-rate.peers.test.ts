import { setMaxListeners } from 'node:events';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { ConfigurationError } from '../../src';
import { enqueueBulk, workBulk } from '../../src/bulk/queue';
import { SharedRateLimiter } from '../../src/bulk/queue/shared-rate-limiter';
import { openConnection, shareRedis } from './queue-support';
import { csvOf, fields, startService } from './support';

const keyOf = (queue: string) => `messaging-bulk:rate:${queue}`;
const KEY = keyOf('test');

describe('Redis', () => {
  const shared = shareRedis();

  const { signal } = new AbortController();
  setMaxListeners(0, signal);

  const open = async (rate: number, queue = 'test') =>
    new SharedRateLimiter(await openConnection(shared.server), queue, rate);

  /**
   * The slots that were planned, each with its beginning in microseconds and its rows. Old ones are forgotten, so look
   * often.
   */
  async function watchSlots(until: Promise<unknown>, queue = 'test') {
    const slots = new Map<number, number>();
    let isOver = false;
    const over = until.finally(() => {
      isOver = true;
    });
    do {
      for (const slot of await shared.redis.zRange(keyOf(queue), 0, -1)) {
        const [start, rows] = slot.split(':').map(Number) as [number, number];
        slots.set(start, rows);
      }
      await sleep(50);
    } while (!isOver);
    await over;
    return [...slots];
  }

  function mostInASecond(slots: readonly (readonly [number, number])[]): number {
    const rowsFrom = (start: number) =>
      slots.filter(([other]) => other >= start && other < start + 1_000_000).reduce((sum, [, rows]) => sum + rows, 0);
    return Math.max(...slots.map(([start]) => rowsFrom(start)));
  }

  test('in no second of the clock of Redis more rows are granted than the rate, whatever the sizes of the batches', async () => {
    const ways = [
      { queue: 'one row', rate: 100, sizes: [1] },
      { queue: 'a size that does not divide the rate', rate: 50, sizes: [7] },
      { queue: 'different sizes', rate: 60, sizes: [1, 13, 4] },
    ];
    const most = ways.map(async ({ queue, rate, sizes }) => {
      const limiters = await Promise.all([1, 2, 3].map(() => open(rate, queue)));
      const end = performance.now() + 3000;
      const work = async (limiter: SharedRateLimiter, first: number) => {
        for (let turn = first; performance.now() < end; turn++)
          await limiter.reserve(sizes[turn % sizes.length] as number, signal);
      };
      const working = Promise.all(limiters.flatMap((limiter) => [work(limiter, 0), work(limiter, 1)]));
      return mostInASecond(await watchSlots(working, queue)) / rate;
    });
    for (const part of await Promise.all(most)) {
      expect(part).toBeLessThanOrEqual(1);
      expect(part).toBeGreaterThan(0.5);
    }
  });

  test('the slots of two workers are spread evenly over time, in rows and not in batches', async () => {
    const limiters = [await open(100), await open(100)];
    await limiters[0]?.reserve(1, signal);
    const turns = limiters.flatMap((limiter) => Array.from({ length: 10 }, () => limiter.reserve(2, signal)));
    const slots = (await watchSlots(Promise.all(turns))).map(([start]) => start).sort((a, b) => a - b);
    const gaps = slots.slice(2).map((start, index) => start - (slots[index + 1] as number));
    expect(gaps).toHaveLength(19);
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(20_000);
  });

  test('a slot that is not used within 50 ms is void', async () => {
    const limiter = await open(1000);
    const slot = await limiter.reserve(1, signal);
    await sleep(500);
    expect(await slot?.begin(signal)).toBe(false);
    // The next slot is planned for as long a way to its use.
    const early = await limiter.reserve(1, signal);
    const before = performance.now();
    await early?.begin(signal);
    expect(performance.now() - before).toBeGreaterThan(300);
  });

  test('a slot that is far ahead is not planned, so one that is given up delays nobody', async () => {
    const slow = await open(0.01);
    await slow.reserve(1, signal);
    const before = await shared.redis.zRange(KEY, 0, -1);
    const controller = new AbortController();
    const waiting = slow.reserve(1, controller.signal);
    setTimeout(() => controller.abort(), 50);
    expect(await waiting).toBeUndefined();
    expect(await shared.redis.zRange(KEY, 0, -1)).toEqual(before);
  });

  test('when the clock of Redis was set back, the next slot begins within seconds', async () => {
    const limiter = await open(10);
    const [seconds] = (await shared.redis.sendCommand(['TIME'])) as [string];
    await shared.redis.zAdd(KEY, { score: 0, value: `${Number(seconds) + 3600}000000:1` });
    const before = performance.now();
    expect(await limiter.reserve(1, signal)).toBeDefined();
    expect(performance.now() - before).toBeLessThan(60_000);
    expect(await limiter.reserve(1, signal)).toBeDefined();
  });

  test.each([
    ['longer than any timer', 1e-7],
    ['longer than Redis can count', Number.MIN_VALUE],
  ])('while a pause is %s, Redis is not asked again and again', async (_, rate) => {
    const connection = await openConnection(shared.server);
    const slow = new SharedRateLimiter(connection, 'test', rate);
    await slow.reserve(1, signal);
    const evaluate = jest.spyOn(connection.redis, 'eval');
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 100);
    await slow.reserve(1, controller.signal);
    expect(evaluate).toHaveBeenCalledTimes(1);
    evaluate.mockRestore();
  });

  test('two workers with 16 requests at a time keep a rate together', async () => {
    const [rate, seconds] = [100, 3];
    const { sandbox, client } = await startService();
    const link = { redis: shared.server.url, queue: 'test' };
    await enqueueBulk({ ...link, client, input: csvOf(rate * seconds).input, fields });
    const work = () => workBulk({ ...link, client, rowsPerSecond: rate, untilEmpty: true });
    const slots = await watchSlots(Promise.all([work(), work()]));
    expect(sandbox.messages).toHaveLength(rate * seconds);
    expect(mostInASecond(slots)).toBeLessThanOrEqual(rate);
  });

  test('a batch with more rows than may start in a second is refused, and stays in the queue', async () => {
    const { sandbox, client } = await startService();
    const link = { redis: shared.server.url, queue: 'test', client };
    await enqueueBulk({
      ...link,
      input: csvOf(4, undefined, ['receptor']).input,
      fields: { ...fields, message: 'Hello' },
      batchSize: 4,
    });
    const refused = workBulk({ ...link, rowsPerSecond: 3, untilEmpty: true });
    await expect(refused).rejects.toThrow(ConfigurationError);
    await expect(refused).rejects.toThrow(
      /^rowsPerSecond: a batch has 4 rows, which is more than may start in a second/,
    );
    expect(sandbox.messages).toHaveLength(0);
    expect(await workBulk({ ...link, rowsPerSecond: 4, untilEmpty: true })).toMatchObject({ sent: 4 });
  });
});
