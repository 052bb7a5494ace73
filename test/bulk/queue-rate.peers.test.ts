import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { ConfigurationError } from '../../src';
import { enqueueBulk, workBulk } from '../../src/bulk/queue';
import { Claims } from '../../src/bulk/queue/claims';
import { isFull } from '../support/loops';
import { openConnection, shareRedis } from './queue-support';
import { changeClient, csvOf, fields, startService } from './support';

/** The whole seconds in which the claims of a rate are counted. */
const SECONDS = isFull ? 3 : 1;

describe('Redis', () => {
  const shared = shareRedis();
  const first = { n: 1, range: [1, 1], opening: 'run' } as const;

  /** Three workers claim batches of these sizes in turn, and keep a rate together, in whole seconds of Redis' clock. */
  async function claimedOf({ rate, sizes }: { readonly rate: number; readonly sizes: readonly number[] }) {
    const key = `messaging-bulk:rate:${rate}`;
    const claimed: { readonly second: number; readonly fraction: number; readonly rows: number }[] = [];
    const seen = new Set<number>();
    let n = 0;
    const readTime = async () => {
      const [seconds, micros] = (await shared.redis.sendCommand(['TIME'])) as [string, string];
      return { second: Number(seconds), fraction: Number(micros) / 1e6 };
    };
    const readRows = async () => Number(await shared.redis.hGet(key, 'rows'));
    const work = async () => {
      const connection = await openConnection(shared.server);
      const claims = new Claims(connection, `of ${rate}`);
      await claims.openFor('test', 5000);
      // The first and the last second are not whole.
      for (let turn = 0; seen.size < SECONDS + 2; ) {
        const rows = sizes[turn % sizes.length] as number;
        const before = await readTime();
        const batch = { n: n++, range: [1, rows], opening: `of ${rate}` } as const;
        const result = await claims.claim(batch, '', { key, rowsPerSecond: rate });
        const used = await readRows();
        const { second, fraction } = await readTime();
        if (typeof result === 'number') {
          // A claim waits only when the rate is used up to now.
          if (second === before.second) expect(used + rows).toBeGreaterThan(rate * before.fraction);
          await sleep(Math.min(result, 20));
        } else {
          turn += 1;
          expect(used).toBeLessThanOrEqual(rate);
          seen.add(second);
          claimed.push({ second, fraction, rows });
        }
      }
    };
    await Promise.all([work(), work(), work()]);
    return claimed;
  }

  test.each([
    ['of one row', { rate: 100, sizes: [1] }],
    ['of a size that does not divide the rate', { rate: 50, sizes: [7] }],
    ['of different sizes', { rate: 60, sizes: [1, 13, 4] }],
  ])(
    'in each second of its clock, batches %s are claimed up to the rate, and spread over the second',
    async (_, way) => {
      const claimed = await claimedOf(way);
      // The clock is read after the claim, so the last claim of each worker may be counted in the next second.
      const late = 3 * Math.max(...way.sizes);
      const rowsOf = new Map<number, number>();
      for (const { second, fraction, rows } of claimed) {
        const before = rowsOf.get(second) ?? 0;
        expect(before).toBeLessThanOrEqual(way.rate * fraction + late);
        expect(before + rows).toBeLessThanOrEqual(way.rate + late);
        rowsOf.set(second, before + rows);
      }
    },
  );

  test('a claim whose reply was lost counts once, and one that waits leaves nothing', async () => {
    const connection = await openConnection(shared.server);
    const claims = new Claims(connection, 'run');
    await claims.openFor('test', 5000);
    const rate = { key: 'messaging-bulk:rate:test', rowsPerSecond: 0.001 };
    const evaluate = connection.redis.eval.bind(connection.redis);
    const lost = jest.spyOn(connection.redis, 'eval').mockImplementationOnce(async (...call) => {
      await evaluate(...call);
      throw new Error('the reply is lost');
    });
    expect(await claims.claim(first, '', rate)).toMatchObject({ n: 1, tick: 1 });
    expect(lost).toHaveBeenCalledTimes(2);
    expect(await shared.redis.hGet(rate.key, 'rows')).toBe('1');
    expect(await claims.claim({ ...first, n: 2 }, '', rate)).toBeGreaterThan(1000);
    expect(await shared.redis.hGet('messaging-bulk:run', '2')).toBeNull();
    expect(await claims.count()).toEqual({ heldRows: 1, heldBatches: 1, claimedRows: 1, silentRows: 0 });
  });

  test('after the clock of Redis was set back, claims go on', async () => {
    const claims = new Claims(await openConnection(shared.server), 'run');
    await claims.openFor('test', 5000);
    const rate = { key: 'messaging-bulk:rate:test', rowsPerSecond: 10 };
    await shared.redis.hSet(rate.key, { window: '99999999999', rows: '10' });
    expect(await claims.claim(first, '', rate)).toMatchObject({ n: 1 });
  });

  test('two workers with 16 requests at a time keep a rate together', async () => {
    const [rate, seconds] = [40, 4];
    const { sandbox, client } = await startService();
    const link = { redis: shared.server.url, queue: 'test' };
    await enqueueBulk({ ...link, client, input: csvOf(rate * seconds).input, fields });
    const started = performance.now();
    const arrivals: number[] = [];
    const timed = changeClient(client, {
      sendSimple: (...request) => {
        arrivals.push(performance.now());
        return client.sendSimple(...request);
      },
    });
    const work = () => workBulk({ ...link, client: timed, rowsPerSecond: rate, untilEmpty: true });
    const results = await Promise.all([work(), work()]);
    const rowsIn = (state: 'sent' | 'pending') => results.reduce((sum, counts) => sum + counts[state], 0);
    expect(sandbox.messages).toHaveLength(rowsIn('sent'));
    // On a busy machine, a request may not begin in the second after its claim. Its row stays pending.
    expect(rowsIn('sent') + rowsIn('pending')).toBe(rate * seconds);
    // The first rows may come at the end of a second, and the last one is claimed a row's time before the end of another.
    expect(performance.now() - started).toBeGreaterThan((seconds - 1) * 1000 - 1000 / rate);
    // The rows of two neighbouring seconds may come together, with those that have waited for this process.
    const most = Math.max(...arrivals.map((at) => arrivals.filter((each) => each >= at && each < at + 1000).length));
    expect(most).toBeLessThanOrEqual(2 * rate + 2 * 16);
  });

  test('a worker whose rate is less than a batch of its queue is refused at its start, and the batch stays', async () => {
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
    await expect(refused).rejects.toThrow(/^rowsPerSecond: 3 is less than the rows that share a request \(4\)/);
    expect(sandbox.messages).toHaveLength(0);
    expect(await workBulk({ ...link, rowsPerSecond: 4, untilEmpty: true })).toMatchObject({ sent: 4 });
  });
});
