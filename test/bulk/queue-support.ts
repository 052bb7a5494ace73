import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from 'redis';
import type { ConnectionOptions } from '../../src/bulk/queue/options';
import { RedisConnection } from '../../src/bulk/queue/redis';
import { cleanUp } from '../support/clean-up';
import { makeFolder } from '../support/folder';
import { freePort } from '../support/free-port';
import { programPath, startNode } from '../support/process';

/** A connection to Redis of the test itself. */
export type TestRedis = ReturnType<typeof newClient>;

/** A Redis of the test's own. */
export interface RedisServer {
  readonly url: string;
  /** Kills it at once, and starts it again with what it had on the disk. */
  crash(): Promise<void>;
  /** Kills it for good. */
  kill(): Promise<void>;
  /** Stops it, or lets it go on. */
  signal(name: 'SIGSTOP' | 'SIGCONT'): void;
}

/** Each write is on the disk before it is answered, so that a slow disk does not decide on a test. */
export const DURABLE = ['--appendonly', 'yes', '--appendfsync', 'always'];

/**
 * Starts a Redis, which ends after the test or, in beforeAll, after the file.
 *
 * @param options further ones of redis-server
 */
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
    kill: () => kill(child),
    signal: (name) => child.kill(name),
  };
}

async function start(args: readonly string[]): Promise<ChildProcess> {
  const child = spawn('redis-server', args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let text = '';
  for await (const chunk of child.stdout) {
    text += chunk;
    if (text.includes('Ready to accept connections')) return child;
  }
  throw new Error(`redis-server ended: ${text}`);
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const end = once(child, 'exit');
  child.kill('SIGKILL');
  await end;
}

/** A Redis that the tests of a group share, emptied before each. */
export function shareRedis(): { readonly server: RedisServer; readonly redis: TestRedis } {
  const shared = {} as { server: RedisServer; redis: TestRedis };
  beforeAll(async () => {
    shared.server = await startRedis();
    shared.redis = await connectTo(shared.server);
  });
  beforeEach(() => shared.redis.flushAll());
  return shared;
}

/** A connection for the test itself. */
export async function connectTo({ url }: Pick<RedisServer, 'url'>): Promise<TestRedis> {
  const redis = newClient(url);
  redis.on('error', () => undefined);
  await redis.connect();
  cleanUp(() => redis.destroy());
  return redis;
}

/** A connection as the program makes it. */
export async function openConnection(
  { url }: Pick<RedisServer, 'url'>,
  options: Partial<ConnectionOptions> = {},
): Promise<RedisConnection> {
  const demands = { acceptLoss: false, replicas: 0, redisTimeoutMs: 60_000, onWarning: undefined };
  const connection = new RedisConnection({ redis: url, ...demands, ...options });
  cleanUp(() => connection.close());
  await connection.open();
  return connection;
}

// The library makes a class with a thousand commands for each new set of options, in 60 ms of CPU. It knows the last set, so
// that a program in this process makes one class for all its clients of a Redis, if the test's clients make none between.
const anyClient = createClient({ RESP: 2 });

function newClient(url: string) {
  return anyClient.duplicate({ url });
}

/** Ends the leases of all claims, as thirty seconds do when their workers have died or are stopped. */
export async function expireLeases(redis: TestRedis): Promise<void> {
  for (const key of await claimKeys(redis)) {
    for (const [n, value] of Object.entries(await redis.hGetAll(key)))
      if (value.startsWith('claim:')) await redis.hSet(key, n, value.replace(/:\d+$/, ':1'));
    for (const value of await redis.zRange(`${key}:claims`, 0, -1))
      await redis.zAdd(`${key}:claims`, { score: 1, value }, { condition: 'XX' });
  }
}

/** Makes BullMQ give the jobs of dead workers to the next worker at once, and not after some seconds. */
export async function expireLocks(redis: TestRedis): Promise<void> {
  for (const key of await redis.keys('bull:*:active'))
    await redis.sAdd(key.replace(/active$/, 'stalled'), await redis.lRange(key, 0, -1));
  for (const key of await redis.keys('bull:*')) if (/:(lock|stalled-check)$/.test(key)) await redis.del(key);
}

/** The keys of the claims of lists that are not collected to their end. */
export async function claimKeys(redis: TestRedis): Promise<string[]> {
  const keys: string[] = [];
  for (const key of await redis.keys('messaging-bulk:*'))
    if ((await redis.type(key)) === 'hash' && (await redis.hExists(key, 'open'))) keys.push(key);
  return keys;
}

/** All that Redis holds, as text. */
export async function dumpOf(redis: TestRedis): Promise<string> {
  const texts: unknown[] = [];
  for (const key of await redis.keys('*')) {
    const type = await redis.type(key);
    texts.push(key);
    if (type === 'hash') texts.push(await redis.hGetAll(key));
    else if (type === 'list') texts.push(await redis.lRange(key, 0, -1));
    else if (type === 'string') texts.push(await redis.get(key));
    else if (type === 'zset') texts.push(await redis.zRange(key, 0, -1));
    else if (type === 'stream') texts.push(await redis.xRange(key, '-', '+'));
    else texts.push(await redis.sMembers(key));
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

/** Stops a process, as SIGSTOP does. Resolves when it stands still. */
export async function stop({ pid }: ChildProcess): Promise<void> {
  process.kill(pid as number, 'SIGSTOP');
  const state = () =>
    readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /, '')
      .charAt(0);
  while (state() !== 'T') await sleep(1);
}

/**
 * Starts a worker as a process of its own. It prints `working` when it can use Redis, `stopped` before it stops itself, and
 * `late` when it was stopped between its last look at the clock and the request.
 */
export function startWorker(options: WorkerProgramOptions): ChildProcess {
  const child = startNode([programPath('worker'), JSON.stringify(options)]);
  cleanUp(() => child.kill('SIGKILL'));
  return child;
}
