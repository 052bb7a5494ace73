import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Bench } from './bench';
import { program, ROOT } from './clients';
import { LineProcess, start } from './processes';
import { median, type Results, ratioTarget, type Target } from './results';

/** Measures the queue beside BullMQ alone, which does nothing with its jobs, with a Redis that syncs each write. */
export async function measureQueue({ folder, url, plan, log }: Bench): Promise<Results> {
  if (spawnSync('redis-server', ['--version']).status !== 0) {
    log('no queue: redis-server is not installed');
    return {};
  }
  const targets: Target[] = [];
  const redis = await startRedis(join(folder, 'redis'));
  const perform = async (way: string, workers: number) => {
    const command = [...program(folder, 'queue'), ROOT, url, redis, way, String(plan.bulk.rows)];
    const children = Array.from({ length: workers }, () => new LineProcess(way, command));
    await Promise.all(children.map((child) => child.line()));
    const begin = performance.now();
    await Promise.all(children.map((child) => child.ask('begin')));
    const seconds = (performance.now() - begin) / 1000;
    await Promise.all(children.map((child) => child.stop()));
    return seconds;
  };
  for (const workers of [1, 4]) {
    const seconds = { work: [] as number[], bullmq: [] as number[] };
    for (let round = 0; round < plan.bulk.rounds; round++) {
      log(`a queue and ${workers === 1 ? 'a worker' : `${workers} workers`}, round ${round + 1}`);
      for (const way of ['work', 'bullmq'] as const) {
        await perform('enqueue', 1);
        seconds[way].push(await perform(way, workers));
      }
    }
    const title = `queue, ${workers === 1 ? 'a worker' : `${workers} workers`}`;
    const value = plan.bulk.rows / median(seconds.work);
    const alone = { name: 'BullMQ alone', rounds: seconds.bullmq };
    targets.push({ what: title, value, unit: 'rows/s' });
    targets.push(ratioTarget(`${title}, time of a row`, seconds.work, alone));
  }
  return { targets };
}

/** Starts a Redis on a free port, and resolves with its URL. */
async function startRedis(folder: string): Promise<string> {
  mkdirSync(folder);
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  const durable = ['--appendonly', 'yes', '--appendfsync', 'always', '--save', ''];
  const command = ['redis-server', '--port', String(port), '--bind', '127.0.0.1', '--dir', folder, ...durable];
  const child = start(command, { stdio: ['ignore', 'pipe', 'inherit'] });
  for await (const line of createInterface(child.stdout as NodeJS.ReadableStream))
    if (line.includes('Ready to accept connections')) break;
  return `redis://127.0.0.1:${port}`;
}
