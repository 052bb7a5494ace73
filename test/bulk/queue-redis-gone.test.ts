import { performance } from 'node:perf_hooks';
import { collectBulk, enqueueBulk, RedisError, type WorkOptions, workBulk } from '../../src/bulk/queue';
import { messaging } from '../cli/support';
import { describeStack, redis as redisStack } from '../support/stack';
import { claimKeys, connectTo, openConnection, type RedisServer, startRedis } from './queue-support';
import { csvOf, damageOf, fields, startService } from './support';

const given = ['--sender', '3000', '--message', 'Hello {{name}}', '--unixdate', '0', '--msgmode', '1', '--yes'];

describeStack(redisStack, () => {
  async function prepare(rows: number) {
    const server = await startRedis();
    const { sandbox, client } = await startService();
    const { input, journal } = csvOf(rows);
    const link = { client, redis: server.url, queue: 'test' };
    return {
      ...{ server, sandbox, input, journal },
      enqueue: () => enqueueBulk({ ...link, input, fields }),
      work: (more: Partial<WorkOptions> = {}) => workBulk({ ...link, stopAfterFailures: 0, ...more }),
      collect: () => collectBulk({ redis: server.url, journal }),
    };
  }

  /** Resolves with the error of a command and with the time that it took, in milliseconds. */
  async function failureOf(command: Promise<unknown>) {
    const begin = performance.now();
    const error = await command.catch((failure: unknown) => failure);
    return { error, ms: performance.now() - begin };
  }

  /** Works until a first row is sent. */
  async function startWork(
    { work }: { readonly work: (more: Partial<WorkOptions>) => Promise<unknown> },
    more: object,
  ) {
    let working: Promise<unknown> = Promise.resolve();
    await new Promise<void>((resolve) => {
      working = work({ onProgress: () => resolve(), ...more });
      // The test awaits it later.
      working.catch(() => undefined);
    });
    return { working };
  }

  test('a Redis that takes connections and is silent ends enqueue and work within seconds, with exit code 5', async () => {
    const { server, sandbox, input } = await prepare(1);
    server.signal('SIGSTOP');
    const environment = {
      MESSAGING_BASE_URL: sandbox.baseUrl,
      MESSAGING_NAMESPACE: sandbox.namespace,
      MESSAGING_API_KEY: sandbox.apiKey,
      MESSAGING_SUCCESS_STATUSES: '200',
    };
    const run = (...args: string[]) => messaging(['bulk', ...args, '--redis', server.url], { environment });
    const outcomes = await Promise.all([run('enqueue', input, ...given), run('work')]);
    for (const { code, stderr } of outcomes)
      expect([code, stderr]).toEqual([
        5,
        expect.stringMatching(/^error: Redis at 127\.0\.0\.1:\d+ cannot be used: it does not respond\n/),
      ]);
    server.signal('SIGCONT');
    expect(sandbox.messages).toHaveLength(0);
  });

  test('a worker whose Redis is gone tries for the time that it was given, says so, and fails', async () => {
    const prepared = await prepare(1);
    await prepared.enqueue();
    const onWarning = jest.fn();
    const { working } = await startWork(prepared, { redisTimeoutMs: 1500, onWarning });
    await prepared.server.kill();
    const { error, ms } = await failureOf(working);
    expect(error).toBeInstanceOf(RedisError);
    expect(String(error)).toMatch(/^RedisError: Redis at 127\.0\.0\.1:\d+ cannot be used any more: /);
    expect(ms).toBeGreaterThan(1000);
    const warnings = onWarning.mock.calls.map(([message]) => message);
    expect(warnings).not.toHaveLength(0);
    expect(new Set(warnings).size).toBe(warnings.length);
  });

  test('a worker goes on when its Redis comes back, and no row is sent twice or lost', async () => {
    const prepared = await prepare(300);
    const { server, sandbox, enqueue, collect } = prepared;
    await enqueue();
    const { working } = await startWork(prepared, { untilEmpty: true });
    await server.crash();
    expect(await working).toMatchObject({ stopped: undefined });
    expect(await collect()).toMatchObject({ status: { counts: { sent: 300 } } });
    expect(damageOf(sandbox, 300)).toEqual({ twice: 0, lost: 0 });
  });

  test.each([
    ['gone', (server: RedisServer) => server.kill()],
    ['silent', async (server: RedisServer) => server.signal('SIGSTOP')],
  ])('a worker that is told to stop while its Redis is %s ends after seconds, not after a minute', async (_, stop) => {
    const prepared = await prepare(1);
    await prepared.enqueue();
    const controller = new AbortController();
    const { working } = await startWork(prepared, { signal: controller.signal });
    await stop(prepared.server);
    controller.abort();
    const { ms } = await failureOf(working);
    prepared.server.signal('SIGCONT');
    expect(ms).toBeLessThan(30_000);
  });

  test('when the claims are deleted, a worker says so and stops, and its jobs stay in the queue', async () => {
    const { server, sandbox, enqueue, work } = await prepare(20);
    await enqueue();
    const redis = await connectTo(server);
    await redis.del(await claimKeys(redis));
    const { error } = await failureOf(work());
    expect(error).toBeInstanceOf(RedisError);
    expect(String(error)).toMatch(/does not know the claims of the rows .* so they are not sent/);
    expect(await redis.lLen('bull:test:wait')).toBe(20);
    expect(sandbox.messages).toHaveLength(0);
  });

  test('a command of BullMQ that is cut off when a worker closes its connection causes no warning', async () => {
    const warnings: string[] = [];
    const connection = await openConnection(await startRedis(), { onWarning: (warning) => warnings.push(warning) });
    const cutOff = connection.redis.blPop('empty', 0).catch(connection.warn);
    connection.close();
    await cutOff;
    expect(warnings).toEqual([]);
  });
});
