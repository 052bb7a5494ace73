import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Redis } from 'ioredis';
import { cleanUp } from '../support/clean-up';
import { makeFolder } from '../support/folder';
import { freePort } from '../support/free-port';
import { programPath, startNode } from '../support/process';

/** A Redis of the test's own. */
export interface RedisServer {
  readonly url: string;
  /** Kills it at once, and starts it again with what it had on the disk. */
  crash(): Promise<void>;
}

/** Each write is on the disk before it is answered, so that a slow disk does not decide on a test. */
const DURABLE = ['--appendonly', 'yes', '--appendfsync', 'always'];

/** Starts a Redis, which ends after the test or, in beforeAll, after the file. @param options further ones of redis-server */
export async function startRedis(options: readonly string[] = DURABLE): Promise<RedisServer> {
  const [port, folder] = [await freePort(), makeFolder()];
  const args: readonly string[] = [
    '--port',
    String(port),
    '--bind',
    '127.0.0.1',
    '--dir',
    folder,
    '--save',
    '',
    ...options,
  ];
  let child = await start(args);
  cleanUp(() => kill(child));
  return {
    url: `redis://127.0.0.1:${port}`,
    crash: async () => {
      await kill(child);
      child = await start(args);
    },
  };
}

async function start(args: readonly string[]): Promise<ChildProcess> {
  const child = spawn('redis-server', args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let text = '';
  for await (const chunk of child.stdout) {
    text += chunk;
    if (text.includes('Ready to accept connections')) break;
  }
  if (child.exitCode !== null) throw new Error(`redis-server ended: ${text}`);
  return child;
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const end = once(child, 'exit');
  child.kill('SIGKILL');
  await end;
}

/** A Redis that the tests of a group share, emptied before each. */
export function shareRedis(): { readonly server: RedisServer; readonly redis: Redis } {
  const shared = {} as { server: RedisServer; redis: Redis };
  beforeAll(async () => {
    shared.server = await startRedis();
    shared.redis = connectTo(shared.server);
  });
  beforeEach(() => shared.redis.flushall());
  return shared;
}

/** A connection for the test itself. */
export function connectTo({ url }: RedisServer): Redis {
  const redis = new Redis(url);
  cleanUp(() => redis.disconnect());
  return redis;
}

/** Takes the locks of jobs away, as thirty seconds do when their workers have died or are stopped. */
export async function expireLocks(redis: Redis): Promise<void> {
  const locks = await redis.keys('bull:*:lock');
  if (locks.length > 0) await redis.del(locks);
}

/** All that Redis holds, as text. */
export async function dumpOf(redis: Redis): Promise<string> {
  const texts: unknown[] = [];
  for (const key of await redis.keys('*')) {
    const type = await redis.type(key);
    texts.push(key);
    if (type === 'hash') texts.push(await redis.hgetall(key));
    else if (type === 'list') texts.push(await redis.lrange(key, 0, -1));
    else if (type === 'string') texts.push(await redis.get(key));
    else if (type === 'zset') texts.push(await redis.zrange(key, 0, '-1'));
    else if (type === 'stream') texts.push(await redis.xrange(key, '-', '+'));
    else texts.push(await redis.smembers(key));
  }
  return JSON.stringify(texts);
}

/** What test/bulk/programs/worker.ts is told. */
export interface WorkerProgramOptions {
  readonly redis: string;
  readonly queue: string;
  readonly baseUrl: string;
  readonly concurrency?: number;
  readonly untilEmpty?: boolean;
  /** Stops itself, as SIGSTOP does, at its claim of this number, counted from 1. */
  readonly stop?: { readonly when: 'before the claim' | 'after the claim'; readonly count: number };
  /** Runs again what another worker has left behind, and claims nothing. */
  readonly defect?: boolean;
}

/** Starts a worker as a process of its own. It prints `working` when it begins, and `stopped` before it stops itself. */
export function startWorker(options: WorkerProgramOptions): ChildProcess {
  const child = startNode([programPath('worker'), JSON.stringify(options)]);
  cleanUp(() => child.kill('SIGKILL'));
  return child;
}
