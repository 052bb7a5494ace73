import { setMaxListeners } from 'node:events';
import { performance } from 'node:perf_hooks';
import { enqueueBulk, workBulk } from '../../src/bulk/queue';
import { SharedRateLimiter } from '../../src/bulk/queue/shared-rate-limiter';
import { describeStack, redis as redisStack } from '../support/stack';
import { connectTo, shareRedis } from './queue-support';
import { csvOf, fields, startService } from './support';

describeStack(redisStack, () => {
  const shared = shareRedis();

  const { signal } = new AbortController();
  setMaxListeners(0, signal);

  test('the turns of two workers are spread evenly over time, in rows and not in jobs', async () => {
    const limiters = [connectTo(shared.server), connectTo(shared.server)].map(
      (link) => new SharedRateLimiter(link, 'test', 100),
    );
    const planned = async () => Number(await shared.redis.get('messaging-bulk:rate:test')) / 1000;
    await limiters[0]?.waitForSlot(1, signal);
    const first = await planned();
    // 40 rows take 400 ms, which is not so far ahead that a turn is refused.
    const turns = limiters.flatMap((limiter) => Array.from({ length: 10 }, () => limiter.waitForSlot(2, signal)));
    await Promise.all(turns);
    // What was late is made up for, and a machine that stands still for longer is not hurried.
    expect((await planned()) - first).toBeGreaterThanOrEqual(400);
  });

  test('a turn that is far ahead is not planned, so one that is given up delays nobody', async () => {
    const slow = new SharedRateLimiter(shared.redis, 'test', 0.01);
    await slow.waitForSlot(1, signal);
    const before = await shared.redis.get('messaging-bulk:rate:test');
    const controller = new AbortController();
    const waiting = slow.waitForSlot(1, controller.signal);
    setTimeout(() => controller.abort(), 50);
    await waiting;
    expect(await shared.redis.get('messaging-bulk:rate:test')).toBe(before);
  });

  test.each([
    ['longer than any timer', 1e-7],
    ['longer than Redis can count', Number.MIN_VALUE],
  ])('while a pause is %s, Redis is not asked again and again', async (_, rate) => {
    const slow = new SharedRateLimiter(shared.redis, 'test', rate);
    await slow.waitForSlot(1, signal);
    const evaluate = jest.spyOn(shared.redis, 'eval');
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 100);
    await slow.waitForSlot(1, controller.signal);
    expect(evaluate).toHaveBeenCalledTimes(1);
    evaluate.mockRestore();
  });

  test('two workers with 16 requests at a time keep a rate together', async () => {
    const [rate, seconds] = [100, 2];
    const { sandbox, client } = await startService();
    const times: number[] = [];
    const sendSimple: typeof client.sendSimple = (...args) => {
      times.push(performance.now());
      return client.sendSimple(...args);
    };
    const link = { redis: shared.server.url, queue: 'test' };
    await enqueueBulk({ ...link, client, input: csvOf(rate * seconds).input, fields });
    const sender = { sendSimple, sendArray: client.sendArray };
    const work = () => workBulk({ ...link, client: sender, rowsPerSecond: rate, untilEmpty: true });
    await Promise.all([work(), work()]);
    expect(sandbox.messages).toHaveLength(rate * seconds);
    // In any stretch of time not more than its share, the 200 ms that are made up for, and the turns that waited while the machine stood still.
    const most = Math.max(...times.map((from) => times.filter((time) => time >= from && time < from + 1000).length));
    expect(most).toBeLessThanOrEqual(rate + rate * 0.2 + 32);
  });
});
