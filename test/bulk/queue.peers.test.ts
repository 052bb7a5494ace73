import { existsSync, readFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { Queue } from 'bullmq';
import { SocketTimeoutError } from 'redis';
import { ConfigurationError } from '../../src';
import { openBulk, readBulk } from '../../src/bulk';
import {
  collectBulk,
  type EnqueueOptions,
  enqueueBulk,
  RedisError,
  type WorkOptions,
  workBulk,
} from '../../src/bulk/queue';
import { Claims, type HeldClaim } from '../../src/bulk/queue/claims';
import { outcomeOf } from '../../src/bulk/queue/outcome-of';
import { cleanUp } from '../support/clean-up';
import {
  claimKeys,
  dumpOf,
  expireLeases,
  expireLocks,
  openConnection,
  shareRedis,
  startRedis,
  startWorker,
} from './queue-support';
import { advanceClock, csvOf, damageOf, endOf, fields, onePass, printed, sentTo, startService } from './support';

const AOF = ['--appendonly', 'yes'];

describe('Redis', () => {
  const shared = shareRedis();

  /** A service, a file, and what works on them with a queue of its own. */
  async function prepare(rows: number, options: Partial<EnqueueOptions> = {}, columns?: readonly string[]) {
    const { sandbox, client } = await startService();
    const { input, journal } = csvOf(rows, undefined, columns);
    const link = { client, redis: shared.server.url, queue: 'test' };
    const list = { ...link, input, fields, ...options };
    return {
      ...{ sandbox, client, input, journal },
      enqueue: (more: Partial<EnqueueOptions> = {}) =>
        enqueueBulk({ ...list, baselinePagesize: 1000, ...more }).then(({ counts }) => counts),
      work: (more: Partial<WorkOptions> = {}) => workBulk({ ...link, untilEmpty: true, ...more }),
      collect: async (more: object = {}) => {
        const given = { redis: shared.server.url, journal, takeBack: true, ...more };
        const { counts, collected, queued, silent } = await collectBulk(given);
        return { counts, collected, queued, silent };
      },
      open: () => openBulk({ client, input, fields, ...options }),
    };
  }

  /** Expects that each command refuses a Redis, and writes nothing. Gives the list that was refused. */
  async function expectRefusal(
    link: { readonly redis: string; readonly acceptLoss?: boolean },
    message: RegExp,
  ): Promise<Awaited<ReturnType<typeof prepare>>> {
    const refuses = async (command: (given: typeof link) => Promise<unknown>) => {
      const error = await command(link).catch((failure: unknown) => failure);
      expect(error).toBeInstanceOf(ConfigurationError);
      expect(String(error)).toMatch(message);
    };
    // Only a list that is in a queue can be collected.
    const [list, queued] = [await prepare(1), await prepare(1)];
    await queued.enqueue({ client: list.client });
    const journal = readFileSync(queued.journal, 'utf8');
    await refuses(list.enqueue);
    await refuses(list.work);
    expect(existsSync(list.journal)).toBe(false);
    await refuses(queued.collect);
    expect(readFileSync(queued.journal, 'utf8')).toBe(journal);
    return list;
  }

  /** Looks for unknown rows once requests have settled, and marks those that are not found. */
  async function reconcile(open: () => ReturnType<typeof openBulk>) {
    const bulk = await open();
    advanceClock(60_000);
    const result = await bulk.reconcile();
    await bulk.close();
    return result;
  }

  test('rows that are sent by send-advance keep their own ids in the queue', async () => {
    const { client } = await startService();
    const { input, journal } = csvOf(3);
    const link = { redis: shared.server.url, queue: 'test', client };
    const advance = { sender: '3000', message: 'Hello', unixdate: 0n, messagemode: 1, encoding: 0, fallbackurl: null };
    await enqueueBulk({ ...link, input, operation: 'sendAdvance', fields: advance });
    expect(await workBulk({ ...link, untilEmpty: true })).toMatchObject({ sent: 3 });
    expect(await collectBulk({ journal })).toMatchObject({ collected: 3, counts: { sent: 3 } });
  });

  test.each(['sendSimple', 'sendArray'] as const)(
    '%s: rows are queued, sent by a worker and collected, and nothing is left in Redis',
    async (operation) => {
      const { sandbox, journal, enqueue, work, collect } = await prepare(25, {
        operation,
        batchSize: 4,
        idsInOrder: true,
      });
      expect(await enqueue()).toMatchObject({ total: 25, 'under-way': 25, pending: 0 });
      expect(sandbox.messages).toHaveLength(0);
      expect(await work()).toMatchObject({ total: 25, sent: 25, 'under-way': 0 });
      expect(await readBulk(journal)).toMatchObject({ queued: 25, counts: { 'under-way': 25, unknown: 0 } });
      const collected = await collect();
      expect(collected).toMatchObject({ collected: 25, queued: 0, counts: { sent: 25, 'under-way': 0 } });
      expect(damageOf(sandbox, 25)).toEqual({ twice: 0, lost: 0 });
      const ids = [...(await readBulk(journal)).rows()].map((row) => row.ids[0]);
      const messages = new Map(sandbox.messages.map(({ messageid, receptor }) => [messageid, receptor]));
      expect(ids.map((id) => messages.get(id as bigint))).toEqual(
        Array.from({ length: 25 }, (_, row) => `0912${String(row + 1).padStart(7, '0')}`),
      );
      const keys = await shared.redis.keys('*');
      const ofQueue = /^(bull:test:(meta|events|id|stalled-check|marker)|messaging-bulk:queue:test)$/;
      // A mark of the list stays for an hour, for workers that hold a job of it.
      const left = keys.filter((key) => !ofQueue.test(key) && !/^messaging-bulk:\S+-\S+$/.test(key));
      expect([left, await claimKeys(shared.redis)]).toEqual([[], []]);
    },
  );

  test('a value of 64 bits, and one that is left out, reach the service as they were given', async () => {
    const unixdate = 9_007_199_254_740_993n;
    const { sandbox, enqueue, work } = await prepare(1, { fields: { ...fields, message: null, unixdate } }, [
      'receptor',
    ]);
    await enqueue();
    await work();
    expect(sandbox.requests.at(-1)?.body).toContain(`>${unixdate}<`);
    expect(sandbox.requests.at(-1)?.body).not.toMatch(/<(\w+:)?message[ />]/);
  });

  test('what no worker has claimed is revoked: it is pending, and no worker sends it any more', async () => {
    const { sandbox, enqueue, work, collect } = await prepare(5);
    await enqueue();
    expect(await collect({ takeBack: false })).toMatchObject({ collected: 0, queued: 5 });
    expect(await collect()).toMatchObject({ collected: 5, counts: { pending: 5 } });
    expect(await work()).toMatchObject({ total: 0 });
    expect(sandbox.messages).toHaveLength(0);
    await enqueue();
    await work();
    expect(await collect()).toMatchObject({ counts: { sent: 5 } });
    expect(damageOf(sandbox, 5)).toEqual({ twice: 0, lost: 0 });
  });

  test('a job that is run twice is sent once', async () => {
    const { sandbox, enqueue, work, collect } = await prepare(2);
    await enqueue();
    const [key] = await shared.redis.keys('bull:test:*-1');
    const data = JSON.parse((await shared.redis.hGet(key as string, 'data')) as string);
    await work();
    const queue = new Queue('test', { connection: shared.redis });
    await queue.add('sendSimple', data);
    await queue.close();
    expect(await work()).toMatchObject({ total: 0 });
    expect(await collect()).toMatchObject({ counts: { sent: 2 } });
    expect(damageOf(sandbox, 2)).toEqual({ twice: 0, lost: 0 });
  });

  test('a job that another version has queued ends the worker, and stays in the queue', async () => {
    const { sandbox, enqueue, work, collect } = await prepare(2);
    await enqueue();
    const [key] = await shared.redis.keys('bull:test:*-1');
    const data = JSON.parse((await shared.redis.hGet(key as string, 'data')) as string);
    await shared.redis.hSet(key as string, 'data', JSON.stringify({ ...data, v: 3 }));
    const refused = work();
    await expect(refused).rejects.toThrow(ConfigurationError);
    await expect(refused).rejects.toThrow(/^queue: another version or another program has put jobs in it/);
    expect(await shared.redis.lLen('bull:test:wait')).toBe(2);
    expect(sandbox.messages).toHaveLength(0);
    expect(await collect()).toMatchObject({ counts: { pending: 2 } });
  });

  describe('a claim', () => {
    const batch = { n: 1, range: [1, 1], opening: 'run' } as const;
    const open = async (startWithinMs = 5000) => {
      const claims = new Claims(await openConnection(shared.server), 'run');
      await claims.openFor('test', startWithinMs);
      return claims;
    };
    const stored = async () => (await shared.redis.hGet('messaging-bulk:run', '1')) ?? '';
    /** The milliseconds that are left of the lease, by the clock of Redis. */
    const left = async () => {
      const [seconds, micros] = (await shared.redis.sendCommand(['TIME'])) as [string, string];
      return Number(/\d+$/.exec(await stored())) - Number(seconds) * 1000 - Number(micros) / 1000;
    };

    test.each([
      ['has other ids than rows', `done:1:2:mark:${JSON.stringify({ t: 'sent', n: 1, ids: ['1', '2'] })}`],
      ['is of another batch', `done:1:2:mark:${JSON.stringify({ t: 'sent', n: 2, ids: ['1'] })}`],
      ['is something else', 'x'],
      ['was written by an earlier version', JSON.stringify({ t: 'sent', n: 1, ids: ['1'] })],
    ])('whose outcome %s makes the batch unknown', (_, value) => {
      expect(outcomeOf(batch, value)).toMatchObject({ t: 'unknown', n: 1, error: 'its outcome cannot be read' });
    });

    test('holds for 30 seconds, and longer for requests that may begin later', async () => {
      const claims = await open(60_000);
      const claim = await claims.claim(batch, '');
      expect(await left()).toBeGreaterThan(69_000);
      await expireLeases(shared.redis);
      expect(await claims.collect([batch], false)).toEqual(['silent']);
      await claims.renew(claim as HeldClaim);
      expect(await left()).toBeGreaterThan(69_000);
      expect(await claims.collect([batch], false)).toEqual(['under-way']);
      await (await open()).renew(claim as HeldClaim);
      expect(await left()).toBeLessThan(31_000);
    });

    test('whose lease ends far ahead was made before the clock of Redis was set back, and does not hold for so long', async () => {
      const claims = await open();
      await claims.claim(batch, '');
      await shared.redis.hSet('messaging-bulk:run', '1', (await stored()).replace(/(\d+)$/, '9$1'));
      expect(await claims.collect([batch], false)).toEqual(['silent']);
    });

    test('cannot be made in a Redis that was restored from an earlier state', async () => {
      const claims = await open();
      await claims.claim(batch, '');
      await claims.claim({ ...batch, n: 2 }, '');
      await shared.redis.hSet('messaging-bulk:run', 'tick', 1);
      await shared.redis.hDel('messaging-bulk:run', '1');
      await expect(claims.claim(batch, '')).rejects.toThrow(RedisError);
    });
  });

  test('neither run nor reconcile nor again touches rows that are queued', async () => {
    const { sandbox, enqueue, work, open, collect } = await prepare(6);
    sandbox.reply('SendSimpleByApikey', { delayMs: 1 });
    sandbox.reply('SendSimpleByApikey', { drop: 'after' });
    const first = await open();
    await first.run({ ...onePass, baselinePagesize: 1000, concurrency: 1, stopAfterFailures: 1 });
    await first.close();
    await enqueue();
    const bulk = await open();
    expect(await bulk.run(onePass)).toMatchObject({ sent: 1, unknown: 1, 'under-way': 4 });
    advanceClock(60_000);
    const reason = expect.stringContaining('4 rows are in a queue');
    expect(await bulk.reconcile()).toMatchObject({ undecided: [{ reason }] });
    await bulk.close();
    await work();
    await collect();
    expect(await reconcile(open)).toMatchObject({ found: 1, undecided: [] });
    expect(damageOf(sandbox, 6)).toEqual({ twice: 0, lost: 0 });
  });

  test('a worker sends one batch at a time until one is sent, and stops after the first failure', async () => {
    const { sandbox, enqueue, work, collect, journal } = await prepare(20);
    sandbox.reply('SendSimpleByApikey', { status: 418 }, { times: Number.POSITIVE_INFINITY });
    await enqueue();
    const failures: unknown[] = [];
    const counts = await work({ onProgress: ({ failure }) => failures.push(failure) });
    expect(counts).toMatchObject({ total: 1, pending: 1 });
    expect(failures).toMatchObject([{ range: [1, 1], message: expect.stringContaining('418') }]);
    expect(await collect()).toMatchObject({ counts: { rejected: 0, pending: 20 } });
    expect([...(await readBulk(journal)).rows()][0]).toMatchObject({ row: 1, error: 'status 418' });
  });

  test('when its signal is aborted, a worker gives back what only waits for the rate, and finishes the rest', async () => {
    const { sandbox, enqueue, work, collect } = await prepare(20);
    await enqueue();
    const controller = new AbortController();
    const working = work({
      untilEmpty: false,
      // One row in 1,000 seconds of Redis' clock: no second row can be sent before the signal is aborted.
      rowsPerSecond: 0.001,
      signal: controller.signal,
      onProgress: () => setTimeout(() => controller.abort(), 100),
    });
    expect(await working).toMatchObject({ total: 1, sent: 1 });
    expect(await shared.redis.lLen('bull:test:wait')).toBe(19);
    expect(await shared.redis.lLen('bull:test:active')).toBe(0);
    await work();
    expect(await collect()).toMatchObject({ counts: { sent: 20 } });
    expect(damageOf(sandbox, 20)).toEqual({ twice: 0, lost: 0 });
  });

  test('a slot that Redis refuses ends the worker, and its jobs stay in the queue', async () => {
    const { sandbox, enqueue, work, collect } = await prepare(5);
    await enqueue();
    await shared.redis.lPush('messaging-bulk:rate:test', 'no slots');
    await expect(work({ rowsPerSecond: 1000 })).rejects.toThrow(/^Redis at \S+ refused a command: WRONGTYPE/);
    expect(await shared.redis.lLen('bull:test:wait')).toBe(5);
    expect(await shared.redis.lLen('bull:test:active')).toBe(0);
    expect(sandbox.messages).toHaveLength(0);
    expect(await collect()).toMatchObject({ counts: { pending: 5 } });
  });

  describe('when a worker dies', () => {
    test('after a claim, the row is unknown, and no other worker sends it', async () => {
      const { sandbox, enqueue, work, collect, open, journal } = await prepare(2);
      sandbox.reply('SendSimpleByApikey', { delayMs: 0 });
      sandbox.reply('SendSimpleByApikey', { delayMs: 600_000 });
      await enqueue();
      const child = startWorker({ redis: shared.server.url, queue: 'test', baseUrl: sandbox.baseUrl, concurrency: 1 });
      while (sandbox.requests.length < 3) await sleep(10);
      child.kill('SIGKILL');
      await endOf(child);
      expect(await work()).toMatchObject({ total: 0 });
      expect(await collect()).toMatchObject({ queued: 1, counts: { sent: 1, 'under-way': 1 } });
      await expireLeases(shared.redis);
      expect(await collect({ takeBack: false })).toMatchObject({ queued: 1, silent: 1, counts: { 'under-way': 1 } });
      expect(await collect()).toMatchObject({ counts: { sent: 1, unknown: 1, pending: 0 } });
      expect([...(await readBulk(journal)).rows('unknown')]).toMatchObject([{ row: 2, error: 'its worker ended' }]);
      const found = sandbox.messages.length === 2 ? { found: 1, undecided: [] } : { found: 0, notFound: 0 };
      expect(await reconcile(open)).toMatchObject(found);
    });

    test('before a claim, the next worker sends the row, without a warning', async () => {
      const { sandbox, enqueue, work, collect } = await prepare(3);
      await enqueue();
      const child = startWorker({
        ...{ redis: shared.server.url, queue: 'test', baseUrl: sandbox.baseUrl, concurrency: 1 },
        stop: { when: 'before the claim', count: 2 },
      });
      await printed(child, /stopped/);
      child.kill('SIGKILL');
      await endOf(child);
      await expireLocks(shared.redis);
      const onWarning = jest.fn();
      expect(await work({ onWarning })).toMatchObject({ total: 2, sent: 2 });
      expect(onWarning).not.toHaveBeenCalled();
      expect(await collect()).toMatchObject({ counts: { sent: 3 } });
      expect(damageOf(sandbox, 3)).toEqual({ twice: 0, lost: 0 });
    });
  });

  describe('a worker that is stopped, while its rows are collected and sent by another one,', () => {
    test.each(['before the claim', 'after the claim'] as const)('%s sends nothing when it wakes', async (when) => {
      const { sandbox, enqueue, collect, open, work } = await prepare(3, { startWithinMs: 1000 });
      await enqueue();
      const stopped = startWorker({
        ...{ redis: shared.server.url, queue: 'test', baseUrl: sandbox.baseUrl, concurrency: 1 },
        stop: { when, count: 2 },
      });
      await printed(stopped, /stopped/);
      // A worker that is slow at its first row puts it back, and is stopped at it again.
      const before = sandbox.messages.length;
      if (when === 'after the claim') expect(await collect()).toMatchObject({ queued: 1 });
      await expireLeases(shared.redis);
      await expireLocks(shared.redis);
      await collect();
      const bulk = await open();
      // Two sent rows do not show the order of a listing, so an operator decides.
      const ranges = Array.from(bulk.rows('unknown'), ({ row }) => [row, row] as const);
      expect(ranges).toHaveLength(when === 'after the claim' ? 1 : 0);
      if (ranges.length > 0) await bulk.resolve({ ranges, as: 'not-sent' });
      await bulk.close();
      await enqueue();
      expect(await work()).toMatchObject({ sent: 3 - before });
      expect(await collect()).toMatchObject({ counts: { sent: 3 } });
      // Longer than a request may take to begin; a settle time is longer still.
      await sleep(1100);
      stopped.kill('SIGCONT');
      stopped.kill('SIGTERM');
      expect(await endOf(stopped)).toEqual({ code: 0, signal: null });
      expect([...sentTo(sandbox).values()]).toEqual([1, 1, 1]);
      expect(await claimKeys(shared.redis)).toEqual([]);
    });

    test.each([
      ['decides the row', false],
      ['is not needed when the row was found', true],
    ])('has a request under way: its outcome comes late, and %s', async (_, isFound) => {
      const { sandbox, enqueue, collect, open } = await prepare(2);
      sandbox.reply('SendSimpleByApikey', { delayMs: 0 });
      sandbox.reply('SendSimpleByApikey', { delayMs: 2000 });
      await enqueue();
      const child = startWorker({ redis: shared.server.url, queue: 'test', baseUrl: sandbox.baseUrl, concurrency: 1 });
      while (sandbox.requests.length < 3) await sleep(10);
      child.kill('SIGSTOP');
      while (sandbox.messages.length < 2) await sleep(10);
      await expireLeases(shared.redis);
      expect(await collect()).toMatchObject({ counts: { sent: 1, unknown: 1 } });
      expect(await collect()).toMatchObject({ collected: 0, silent: 0, counts: { unknown: 1 } });
      if (isFound) expect(await reconcile(open)).toMatchObject({ found: 1, undecided: [] });
      child.kill('SIGCONT');
      child.kill('SIGTERM');
      expect(await endOf(child)).toEqual({ code: 0, signal: null });
      expect(await collect()).toMatchObject({ counts: { sent: 2 } });
      expect(await claimKeys(shared.redis)).toEqual([]);
      expect(damageOf(sandbox, 2)).toEqual({ twice: 0, lost: 0 });
    });
  });

  test('a worker that is told to stop while it starts, at whatever moment, ends without an error', async () => {
    const { work } = await prepare(1);
    for (let turns = 0; turns < 50; turns++) {
      const controller = new AbortController();
      const worked = work({ untilEmpty: false, signal: controller.signal });
      for (let turn = 0; turn < turns; turn++) await new Promise(setImmediate);
      controller.abort();
      await expect(worked).resolves.toMatchObject({ total: 0 });
    }
  });

  test('an enqueuing that ends between the journal and the queue leaves rows that collecting takes back', async () => {
    const { sandbox, enqueue, work, collect } = await prepare(3);
    // The intents are in the journal, and Redis refuses the jobs.
    await shared.redis.set('bull:test:wait', 'no list');
    await expect(enqueue()).rejects.toThrow(RedisError);
    await shared.redis.del('bull:test:wait');
    expect(await collect()).toMatchObject({ collected: 3, counts: { pending: 3 } });
    expect(await work()).toMatchObject({ total: 0 });
    await enqueue();
    await work();
    expect(await collect()).toMatchObject({ counts: { sent: 3 } });
    expect(damageOf(sandbox, 3)).toEqual({ twice: 0, lost: 0 });
  });

  test('a Redis that has lost the rows, or is another one, is refused, and with lostAreUnknown they are unknown', async () => {
    const { enqueue, collect, work } = await prepare(3);
    await enqueue();
    await shared.redis.flushAll();
    await expect(collect({ acceptLoss: true })).rejects.toThrow(
      /does not know rows that were queued.*lostAreUnknown: makes these rows unknown/,
    );
    expect(await collect({ lostAreUnknown: true })).toMatchObject({ counts: { unknown: 3 } });
    expect(await work()).toMatchObject({ total: 0 });
  });

  test('a list of which rows are in a queue is not put in another Redis, until they are collected', async () => {
    const { enqueue, collect, work, sandbox } = await prepare(3);
    await enqueue();
    const other = `${shared.server.url}/1`;
    await expect(enqueue({ redis: other })).rejects.toThrow(
      `redis: rows of this list are in the queue at ${shared.server.url}: collect them first`,
    );
    await enqueue({ redis: `${shared.server.url}/0` });
    await collect();
    expect(await enqueue({ redis: other })).toMatchObject({ 'under-way': 3 });
    await work({ redis: other });
    expect(await collect({ redis: other })).toMatchObject({ counts: { sent: 3 } });
    expect(damageOf(sandbox, 3)).toEqual({ twice: 0, lost: 0 });
  });

  test('a list that was never put in a queue has nothing to collect', async () => {
    const { collect, open, journal } = await prepare(1);
    const bulk = await open();
    await bulk.run(onePass);
    await bulk.close();
    for (const redis of [shared.server.url, undefined]) {
      const message = `${journal}: no row of this list was put in a queue, so there is nothing to collect`;
      await expect(collect({ redis })).rejects.toThrow(new ConfigurationError({ message }));
    }
  });

  test('an enqueuing whose signal is aborted leaves the rest pending', async () => {
    const { enqueue, collect } = await prepare(1500);
    const controller = new AbortController();
    const onProgress = () => controller.abort();
    expect(await enqueue({ signal: controller.signal, onProgress })).toMatchObject({ 'under-way': 1000, pending: 500 });
    expect(await collect()).toMatchObject({ collected: 1000, counts: { pending: 1500 } });
  });

  test('rows that Redis loses while others are still queued are not taken for rows that nobody has claimed', async () => {
    const { enqueue, collect, journal } = await prepare(1);
    let readings = 0;
    const input = {
      async *[Symbol.asyncIterator]() {
        readings += 1;
        for (let row = 1; row <= 2500; row++) {
          // The rows are read once to be checked, and once more to be queued.
          if (readings === 2 && row === 1500) await shared.redis.flushAll();
          yield { receptor: String(1_000_000 + row) };
        }
      },
    };
    await enqueue({ input, journal, fields: { ...fields, message: 'Hello' } });
    expect(await shared.redis.lLen('bull:test:wait')).toBeLessThan(2500);
    await expect(collect()).rejects.toThrow(/does not know rows that were queued/);
  });

  test.each([
    ['has no append-only file', ['--appendonly', 'no'], /no append-only file/],
    ['leaves its file to the system', [...AOF, '--appendfsync', 'no'], /its appendfsync is no/],
    ['does not sync while it rewrites', [...AOF, '--no-appendfsync-on-rewrite', 'yes'], /on-rewrite is yes/],
    ['may evict keys', [...AOF, '--maxmemory-policy', 'allkeys-lru'], /maxmemory-policy is allkeys-lru/],
    ['hides its settings', [...AOF, '--rename-command', 'CONFIG', ''], /does not show its settings/],
  ])('a Redis that %s is refused before anything is written, unless loss is accepted', async (_, options, message) => {
    const { url } = await startRedis(options);
    const list = await expectRefusal({ redis: url }, message);
    jest.spyOn(console, 'warn').mockReturnValue();
    expect(await list.enqueue({ redis: url, acceptLoss: true })).toMatchObject({ 'under-way': 1 });
    expect(await list.work({ redis: url, acceptLoss: true })).toMatchObject({ sent: 1 });
  });

  test.each([
    ['is a cluster', ['--cluster-enabled', 'yes'], /Redis is a cluster, which is not supported/],
    ['refuses EVAL', ['--rename-command', 'EVAL', ''], /Redis refuses scripts .*unknown command/],
    ['refuses EVALSHA', ['--rename-command', 'EVALSHA', ''], /Redis refuses scripts .*unknown command/],
  ])(
    'a Redis that %s is refused before anything is written, even when loss is accepted',
    async (_, options, message) => {
      const { url } = await startRedis([...AOF, ...options]);
      await expectRefusal({ redis: url, acceptLoss: true }, message);
    },
  );

  test('while a process was stopped, it did not wait for Redis', async () => {
    const connection = await openConnection(shared.server, { redisTimeoutMs: 10_000 });
    const now = performance.now.bind(performance);
    let stoppedMs = 0;
    const spy = jest.spyOn(performance, 'now').mockImplementation(() => now() + stoppedMs);
    cleanUp(() => spy.mockRestore());
    const operation = async () => {
      stoppedMs += 600_000;
      if (stoppedMs === 600_000) throw new Error('the connection was closed meanwhile');
      return 'reply';
    };
    expect(await connection.attempt(operation)).toBe('reply');
  });

  test('when the limit of the client for a connection is over, Redis does not respond', async () => {
    const connection = await openConnection(shared.server, { redisTimeoutMs: 1 });
    const attempt = connection.attempt(() => Promise.reject(new SocketTimeoutError(8000)));
    await expect(attempt).rejects.toThrow('cannot be used any more: it does not respond');
  });

  test('the client has no limit for a command, which would fail while the process is busy', async () => {
    const { redis } = await openConnection(shared.server);
    const spy = jest.spyOn(AbortSignal, 'timeout');
    cleanUp(() => spy.mockRestore());
    expect(await redis.ping()).toBe('PONG');
    expect(await (await redis.duplicate().connect()).ping()).toBe('PONG');
    expect(spy).not.toHaveBeenCalled();
  });

  test('a Redis that cannot be reached or refuses the password is told at once, without the password', async () => {
    const { url } = await startRedis(['--appendonly', 'yes', '--requirepass', 'right-word']);
    const { work } = await prepare(1);
    const nowhere = 'redis://:wrong-word@127.0.0.1:1';
    for (const redis of [url.replace('//', '//:wrong-word@'), url.replace('//', '//wrong-word@'), url, nowhere]) {
      const error = await work({ redis }).catch((failure: unknown) => failure);
      expect(error).toBeInstanceOf(RedisError);
      expect(String(error)).toMatch(/^RedisError: Redis at 127\.0\.0\.1:\d+ cannot be used: \S/);
      expect(JSON.stringify(error) + String((error as Error).stack)).not.toContain('wrong-word');
    }
    await expect(work({ redis: url })).rejects.toThrow(
      /NOAUTH: it needs a password in the URL, redis:\/\/:PASSWORD@127/,
    );
    expect(await work({ redis: url.replace('//', '//:right-word@') })).toMatchObject({ total: 0 });
  });

  const needed = 'redis: a URL such as redis://127.0.0.1:6379, without a query, is needed';
  test.each([
    [{ redis: 'http://127.0.0.1' }, needed],
    [{ redis: 'redis://:100%@127.0.0.1' }, needed],
    [{ redis: 'redis://127.0.0.1?password=word' }, needed],
    [{ queue: 'a:b' }, 'queue: a name without colons and blanks is needed'],
    [{ concurrency: 0 }, 'concurrency: 0 is not a whole number from 1 to 65535'],
  ])('wrong options are refused: %j', async (options, message) => {
    const { work } = await prepare(1);
    await expect(work(options)).rejects.toThrow(new ConfigurationError({ message }));
  });

  test('neither the queue nor the journal nor an error holds the API key, and only the list record of the journal holds a text', async () => {
    const { sandbox, enqueue, work, collect, journal } = await prepare(3);
    sandbox.reply('SendSimpleByApikey', { delayMs: 0 });
    sandbox.reply('SendSimpleByApikey', { status: 418, statusmessage: `${sandbox.apiKey} was used` });
    const told: unknown[] = [];
    await enqueue();
    let dump = await dumpOf(shared.redis);
    expect(dump).toContain('09120000001');
    await work({ stopAfterFailures: 0, onProgress: (progress) => told.push(JSON.stringify(progress)) });
    dump += await dumpOf(shared.redis);
    await collect();
    const text = readFileSync(journal, 'utf8').replace(/^{"t":"list".*$/m, '');
    for (const place of [dump, text, told.join()]) expect(place).not.toContain(sandbox.apiKey);
    expect(text).not.toMatch(/0912000000|Hello|name 1/);
    expect(told.join()).toContain('418');
  });
});
