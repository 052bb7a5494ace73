import { ConfigurationError } from '../../src';
import { enqueueBulk, RedisError, type WorkOptions, workBulk } from '../../src/bulk/queue';
import { NO_ROWS } from '../../src/bulk/state/row-table';
import type { Context } from '../../src/cli/commander/command';
import { BulkProgress } from '../../src/cli/commands/bulk/progress';
import { Capture } from '../cli/support';
import { cleanUp } from '../support/clean-up';
import { freePort } from '../support/free-port';
import { startRedis } from './queue-support';
import { csvOf, fields, startService } from './support';

test('a worker without a terminal prints a line a minute, also while it sends nothing', () => {
  jest.useFakeTimers();
  cleanUp(() => void jest.useRealTimers());
  const lines: string[] = [];
  const context = { io: { stderr: new Capture() }, log: (line: string) => lines.push(line) };
  const progress = new BulkProgress(context as unknown as Context, NO_ROWS, 'work');
  progress.show(NO_ROWS);
  jest.advanceTimersByTime(59_000);
  expect(lines).toEqual([]);
  jest.advanceTimersByTime(61_000);
  progress.end();
  jest.advanceTimersByTime(60_000);
  expect(lines).toEqual(['0 rows done, 0/s', '0 rows done, 0/s']);
});

describe('Redis', () => {
  async function prepare(rows: number) {
    const [server, port] = [await startRedis(), await freePort()];
    const { client } = await startService();
    const link = { client, redis: server.url };
    await enqueueBulk({ ...link, input: csvOf(rows).input, fields });
    const work = (more: Partial<WorkOptions>) => workBulk({ ...link, healthPort: port, ...more });
    const get = async (path: string) => {
      const response = await fetch(`http://127.0.0.1:${port}${path}`);
      return { status: response.status, text: await response.text() };
    };
    return { server, port, work, get };
  }

  test('a worker serves its health and its counts while it works, and its health is bad while Redis is gone', async () => {
    const { server, work, get } = await prepare(3);
    const controller = new AbortController();
    let sent = 0;
    const working = work({ signal: controller.signal, onProgress: (counts) => (sent = counts.sent) });
    working.catch(() => undefined);
    while (sent < 3) await new Promise((resolve) => setTimeout(resolve, 10));
    expect(await get('/healthz')).toEqual({ status: 200, text: 'ok\n' });
    const { status, text } = await get('/metrics');
    expect(status).toBe(200);
    expect(text).toContain('messaging_bulk_rows_total{outcome="sent"} 3\n');
    expect(text).toContain('messaging_bulk_consecutive_failures 0\n');
    expect(text).toContain('messaging_bulk_up 1\n');
    expect((await get('/')).status).toBe(404);
    server.signal('SIGSTOP');
    // What Redis has said is shared for a second.
    let health = await get('/healthz');
    while (health.status === 200) health = await get('/healthz');
    expect(health).toEqual({ status: 503, text: 'Redis does not respond\n' });
    server.signal('SIGCONT');
    await server.kill();
    const statuses = new Set<number>();
    while (!statuses.has(503)) statuses.add((await get('/healthz')).status);
    expect((await get('/metrics')).text).toContain('messaging_bulk_up 0\n');
    controller.abort();
    // The worker may find out before it stops that Redis is gone.
    await working.catch((error: unknown) => expect(error).toBeInstanceOf(RedisError));
    await expect(get('/healthz')).rejects.toThrow();
  });

  test('a worker that is told to stop is not healthy any more', async () => {
    const { work, get } = await prepare(1);
    const controller = new AbortController();
    let health: Promise<unknown> | undefined;
    const onProgress = () => {
      controller.abort();
      health = get('/healthz');
    };
    await work({ signal: controller.signal, onProgress });
    // The worker may have ended before it could respond.
    expect([undefined, 503]).toContain(
      await health?.then(
        (response) => (response as { status: number }).status,
        () => undefined,
      ),
    );
  });

  test('a port that is in use is refused by its name', async () => {
    const { server, work } = await prepare(1);
    const healthPort = Number(new URL(server.url).port);
    await expect(work({ healthPort })).rejects.toThrow(ConfigurationError);
    await expect(work({ healthPort })).rejects.toThrow(/^healthPort: .*EADDRINUSE/);
  });

  test('without prom-client, a worker serves its health, and says in place of metrics how to install it', async () => {
    const { work, get } = await prepare(1);
    jest.doMock('prom-client', () => {
      throw Object.assign(new Error("Cannot find module 'prom-client'\nRequire stack:"), { code: 'MODULE_NOT_FOUND' });
    });
    cleanUp(() => void jest.dontMock('prom-client'));
    const controller = new AbortController();
    let isSent = false;
    const working = work({ signal: controller.signal, onProgress: () => (isSent = true) });
    while (!isSent) await new Promise((resolve) => setTimeout(resolve, 10));
    expect(await get('/healthz')).toEqual({ status: 200, text: 'ok\n' });
    const text = 'metrics need prom-client, which is not installed: npm install prom-client\n';
    expect(await get('/metrics')).toEqual({ status: 501, text });
    controller.abort();
    await working;
  });
});
