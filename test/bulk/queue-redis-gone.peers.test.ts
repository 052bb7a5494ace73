import { EventEmitter, once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { collectBulk, enqueueBulk, RedisError, type WorkOptions, workBulk } from '../../src/bulk/queue';
import type { RedisConnection } from '../../src/bulk/queue/redis';
import { environmentOf, messaging, startProcess } from '../cli/support';
import { cleanUp } from '../support/clean-up';
import { freePort } from '../support/free-port';
import { given } from './cli-support';
import { connectTo, DURABLE, openConnection, type RedisServer, startRedis } from './queue-support';
import { csvOf, damageOf, endOf, fields, startService } from './support';

describe('Redis', () => {
  async function prepare(rows: number) {
    const server = await startRedis();
    const { sandbox, client } = await startService();
    const { input, journal } = csvOf(rows);
    const link = { client, redis: server.url, queue: 'test' };
    return {
      ...{ server, sandbox, client, input, journal },
      enqueue: () => enqueueBulk({ ...link, input, fields }),
      work: (more: Partial<WorkOptions> = {}) => workBulk({ ...link, stopAfterFailures: 0, ...more }),
      collect: () => collectBulk({ redis: server.url, journal, takeBack: true }),
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

  // Each test has a Redis of its own and mostly waits, so all run at the same time. None may change what the others use,
  // such as the clock.
  test.concurrent('a Redis that takes connections and is silent ends enqueue and work within seconds, with exit code 5', async () => {
    const { server, sandbox, input } = await prepare(1);
    server.signal('SIGSTOP');
    const environment = environmentOf(sandbox);
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

  test.concurrent('status shows what the journal knows, and that a Redis which is silent or gone cannot be asked', async () => {
    const { server, sandbox, input, enqueue } = await prepare(3);
    await enqueue();
    const status = () => messaging(['bulk', 'status', input], { environment: environmentOf(sandbox) });
    const expected = {
      code: 0,
      stdout: '0 of 3 rows sent, 3 under way\n',
      stderr: expect.stringMatching(
        /^the queue cannot be asked: Redis at 127\.0\.0\.1:\d+ cannot be used: .*\n3 rows are in the queue/,
      ),
    };
    server.signal('SIGSTOP');
    const begin = performance.now();
    expect(await status()).toMatchObject(expected);
    expect(performance.now() - begin).toBeLessThan(20_000);
    server.signal('SIGCONT');
    await server.kill();
    expect(await status()).toMatchObject(expected);
  });

  test.concurrent('a worker whose Redis is gone tries for the time that it was given, says so, and fails', async () => {
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

  test.concurrent('a worker goes on when its Redis comes back, and no row is sent twice or lost', async () => {
    const prepared = await prepare(300);
    const { server, sandbox, enqueue, collect } = prepared;
    await enqueue();
    const { working } = await startWork(prepared, { untilEmpty: true });
    await server.crash();
    expect(await working).toMatchObject({ stopped: undefined });
    expect(await collect()).toMatchObject({ counts: { sent: 300 } });
    expect(damageOf(sandbox, 300)).toEqual({ twice: 0, lost: 0 });
  });

  test.concurrent.each([
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

  test.concurrent('a command of BullMQ that is cut off when a worker closes its connection causes no warning', async () => {
    const warnings: string[] = [];
    const connection = await openConnection(await startRedis(), { onWarning: (warning) => warnings.push(warning) });
    const cutOff = connection.redis.blPop('empty', 0).catch(connection.warn);
    connection.close();
    await cutOff;
    expect(warnings).toEqual([]);
  });

  test.concurrent.each([
    ['connection', (connection: RedisConnection) => connection.redis],
    ['copy of a connection', async ({ redis }: RedisConnection) => redis.duplicate().connect()],
  ])('a %s that is closed while it is made again ends', async (_, made) => {
    const server = await startRedis();
    const connection = await openConnection(server);
    const client = await made(connection);
    client.on('error', () => undefined);
    const ready = new Promise((resolve) => client.once('ready', resolve));
    // The client begins to connect right after this event.
    client.once('reconnecting', () => queueMicrotask(() => connection.close()));
    await (await connectTo(server)).sendCommand(['CLIENT', 'KILL', 'TYPE', 'normal']);
    await ready;
    expect([client.isOpen, client.isReady]).toEqual([false, false]);
  });

  test('a worker that gives up its Redis waits for its request under way, and keeps the outcome if Redis is back', async () => {
    const { server, sandbox, client, enqueue, work, collect } = await prepare(2);
    await enqueue();
    const gate = new EventEmitter();
    const sendSimple: typeof client.sendSimple = async (...args) => {
      const ids = await client.sendSimple(...args);
      if (sandbox.messages.length === 2) await once(gate, 'open');
      return ids;
    };
    /** The last command of each connection but this one. */
    const commands = async () => {
      const redis = await connectTo(server);
      const list = String(await redis.sendCommand(['CLIENT', 'LIST']));
      redis.destroy();
      return [...list.matchAll(/ cmd=(\S+)/g)].flatMap(([, name = '']) => (name === 'client|list' ? [] : name));
    };
    const healthPort = await freePort();
    const health = async () => (await fetch(`http://127.0.0.1:${healthPort}/healthz`)).text();
    const failing = failureOf(
      work({
        client: { sendSimple, sendArray: client.sendArray, sendAdvance: client.sendAdvance },
        redisTimeoutMs: 500,
        healthPort,
      }),
    );
    while (sandbox.messages.length < 2) await sleep(10);
    const { length } = await commands();
    await server.kill();
    while ((await health()) !== 'the worker is stopping\n') await sleep(50);
    await server.crash();
    // The worker sends nothing but pings to a Redis that it has given up.
    while ((await commands()).filter((name) => name === 'ping').length < length) await sleep(50);
    gate.emit('open');
    expect((await failing).error).toBeInstanceOf(RedisError);
    expect(await collect()).toMatchObject({ counts: { sent: 2 } });
  });

  test('a read-only replica is refused at once, and nothing is written', async () => {
    const { server, sandbox, input } = await prepare(1);
    const replica = await startRedis([...DURABLE, '--replicaof', `127.0.0.1 ${new URL(server.url).port}`]);
    for (const args of [['enqueue', input, ...given], ['work']]) {
      const run = messaging(['bulk', ...args, '--redis', replica.url], { environment: environmentOf(sandbox) });
      const stderr = 'error: --redis: Redis is a replica, which takes no writes: give its primary\n';
      expect(await run).toMatchObject({ code: 2, stderr });
    }
  });
});

describe('a Redis that takes connections and never responds', () => {
  test.concurrent.each([
    ['enqueue', 'SIGINT', 130],
    ['work', 'SIGINT', 130],
    ['work', 'SIGTERM', 143],
  ] as const)('lets %s end after %s with exit code %d', async (command, signal, code) => {
    const { sandbox } = await startService();
    const { input } = csvOf(1);
    const silent = createServer((socket) => socket.on('error', () => undefined)).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    cleanUp(() => silent.close());
    const args = command === 'work' ? [] : [input, ...given, '--baseline-pagesize', '0'];
    const url = `redis://127.0.0.1:${(silent.address() as AddressInfo).port}`;
    const child = startProcess(['bulk', command, ...args, '--redis', url], environmentOf(sandbox));
    cleanUp(() => child.kill('SIGKILL'));
    await once(silent, 'connection');
    child.kill(signal);
    expect(await endOf(child)).toEqual({ code, signal: null });
    expect(sandbox.requests).toHaveLength(0);
  });
});

test.each(['redis://h/abc', 'redis://h/0/1', 'http://h', 'h:6379'])(
  '%s as the URL of Redis is a clear error',
  async (url) => {
    const { sandbox } = await startService();
    const run = messaging(['bulk', 'work', '--redis', url], { environment: environmentOf(sandbox) });
    const stderr = 'error: --redis: a URL such as redis://127.0.0.1:6379, without a query, is needed\n';
    expect(await run).toMatchObject({ code: 2, stderr });
  },
);
