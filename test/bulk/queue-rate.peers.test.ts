import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { ConfigurationError } from '../../src';
import { enqueueBulk, workBulk } from '../../src/bulk/queue';
import { Claims, newClaim } from '../../src/bulk/queue/claims';
import { openConnection, shareRedis } from './queue-support';
import { changeClient, csvOf, fields, startService } from './support';

describe('Redis', () => {
  const shared = shareRedis();

  /** Claims batches of these sizes in turn, with three workers that keep a rate together, and lists the claims. */
  async function claimFor(ms: number, { rate, sizes }: { readonly rate: number; readonly sizes: readonly number[] }) {
    const opening = `of ${rate}`;
    const key = `messaging-bulk:rate:${rate}`;
    const claimed: { readonly micros: number; readonly rows: number }[] = [];
    const end = performance.now() + ms;
    let n = 0;
    const work = async () => {
      const connection = await openConnection(shared.server);
      const claims = new Claims(connection, opening);
      await claims.allow('test');
      for (let turn = 0; performance.now() < end; ) {
        const rows = sizes[turn % sizes.length] as number;
        const result = await claims.claim(n++, newClaim(), { key, rowsPerSecond: rate, rows });
        if (typeof result === 'number') await sleep(Math.min(result, 20));
        else {
          turn += 1;
          const [seconds, micros] = (await shared.redis.sendCommand(['TIME'])) as [string, string];
          claimed.push({ micros: Number(seconds) * 1e6 + Number(micros), rows });
        }
      }
    };
    await Promise.all([work(), work(), work()]);
    return claimed;
  }

  /** The rows of each second of the clock of Redis, without the first and the last one, which were not whole. */
  function rowsOfSeconds(claimed: readonly { readonly micros: number; readonly rows: number }[]): number[] {
    const seconds = new Map<number, number>();
    for (const { micros, rows } of claimed) {
      const second = Math.floor(micros / 1e6);
      seconds.set(second, (seconds.get(second) ?? 0) + rows);
    }
    return [...seconds.values()].slice(1, -1);
  }

  test.each([
    ['of one row', { rate: 100, sizes: [1] }],
    ['of a size that does not divide the rate', { rate: 50, sizes: [7] }],
    ['of different sizes', { rate: 60, sizes: [1, 13, 4] }],
  ])('in each second of its clock, batches %s are claimed up to the rate', async (_, way) => {
    const seconds = rowsOfSeconds(await claimFor(3500, way));
    expect(seconds.length).toBeGreaterThan(0);
    // The clock is read after the claim, so a claim at the end of a second may be counted in the next one.
    const most = way.rate + 2 * Math.max(...way.sizes);
    for (const rows of seconds) {
      expect(rows).toBeLessThanOrEqual(most);
      expect(rows).toBeGreaterThan(way.rate / 2);
    }
  });

  test('the claims of a second are spread over it', async () => {
    const claimed = await claimFor(2500, { rate: 50, sizes: [1] });
    const tenths = new Map<number, number>();
    // What the first second allows until its middle may be claimed at once.
    const first = Math.floor((claimed[0]?.micros ?? 0) / 1e6);
    for (const { micros } of claimed) {
      const tenth = Math.floor(micros / 1e5);
      if (Math.floor(micros / 1e6) > first) tenths.set(tenth, (tenths.get(tenth) ?? 0) + 1);
    }
    expect(tenths.size).toBeGreaterThan(10);
    expect([...tenths.values()].filter((count) => count > 15)).toEqual([]);
  });

  test('a claim that is sent again counts once, and one that waits leaves nothing', async () => {
    const claims = new Claims(await openConnection(shared.server), 'run');
    await claims.allow('test');
    const rate = { key: 'messaging-bulk:rate:test', rowsPerSecond: 0.001, rows: 1 };
    const claim = newClaim();
    for (let time = 0; time < 3; time++) expect(await claims.claim(1, claim, rate)).toBe('claimed');
    expect(await shared.redis.hGet(rate.key, 'rows')).toBe('1');
    expect(await claims.claim(2, newClaim(), rate)).toBeGreaterThan(1000);
    expect(await shared.redis.hGet('messaging-bulk:run', '2')).toBeNull();
  });

  test('after the clock of Redis was set back, claims go on', async () => {
    const claims = new Claims(await openConnection(shared.server), 'run');
    await claims.allow('test');
    const rate = { key: 'messaging-bulk:rate:test', rowsPerSecond: 10, rows: 1 };
    await shared.redis.hSet(rate.key, { window: '99999999999', rows: '10' });
    expect(await claims.claim(1, newClaim(), rate)).toBe('claimed');
  });

  test('two workers with 16 requests at a time keep a rate together', async () => {
    const [rate, seconds] = [100, 3];
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
    await Promise.all([work(), work()]);
    expect(sandbox.messages).toHaveLength(rate * seconds);
    expect(performance.now() - started).toBeGreaterThan((seconds - 1) * 1000);
    // The rows of two neighbouring seconds may come together.
    const most = Math.max(...arrivals.map((at) => arrivals.filter((each) => each >= at && each < at + 1000).length));
    expect(most).toBeLessThanOrEqual(2 * rate);
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
    await expect(refused).rejects.toThrow(
      /^rowsPerSecond: a batch has 4 rows, which is more than may start in a second/,
    );
    expect(sandbox.messages).toHaveLength(0);
    expect(await workBulk({ ...link, rowsPerSecond: 4, untilEmpty: true })).toMatchObject({ sent: 4 });
  });
});
