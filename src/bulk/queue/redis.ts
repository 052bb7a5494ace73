import type { Redis } from 'ioredis';
import { ConfigurationError } from '../../errors';
import { createMasker, type Masker } from '../../internal/mask';
import type { QueueOptions } from './options';
import { loadPeers, type Peers } from './peers';
import { RedisError } from './redis-error';

/** A connection to Redis, and the library that works on it. */
export interface RedisConnection {
  readonly redis: Redis;
  readonly bullmq: Peers['bullmq'];
  /** Reports a failure that is retried; a lasting failure once. */
  readonly warn: (error: Error) => void;
}

/**
 * Runs work with a connection to Redis that is checked and closed.
 *
 * @param options.durable true when Redis must not lose what is written
 * @throws {ConfigurationError} when a peer is missing, or Redis may lose data
 * @throws {RedisError} when Redis cannot be reached, or refuses a command
 */
export async function withRedis<T>(
  options: QueueOptions & { readonly durable: boolean },
  work: (connection: RedisConnection) => Promise<T>,
): Promise<T> {
  const { bullmq, ioredis } = loadPeers();
  const url = new URL(options.redis);
  const masker = maskerOf(url);
  let isStarted = false;
  const redis = new ioredis.Redis(options.redis, {
    lazyConnect: true,
    // Commands wait while the connection is made again, as BullMQ asks for.
    maxRetriesPerRequest: null,
    retryStrategy: (times) => (isStarted ? Math.min(times * 100, 2000) : null),
  });
  let last = '';
  const warn = ({ message }: Error): void => {
    const masked = masker.mask(message);
    if (isStarted && masked !== last) options.onWarning?.(`Redis: ${masked}`);
    last = masked;
  };
  redis.on('error', warn);
  redis.on('ready', () => {
    last = '';
  });
  try {
    await redis.connect().catch((error: Error) => {
      const said = last || error.message;
      const needsPassword = `NOAUTH: it needs a password in the URL, ${url.protocol}//:PASSWORD@${url.host}`;
      const reason = said.startsWith('NOAUTH') ? needsPassword : said;
      throw new RedisError(masker.mask(`Redis at ${url.host} cannot be used: ${reason}`));
    });
    if (options.durable && !options.acceptLoss)
      checkDurability(await redis.info(), await readSyncPolicy(redis, ioredis));
    isStarted = true;
    return await work({ redis, bullmq, warn });
  } catch (error) {
    const isRefusal = error instanceof ioredis.ReplyError || (error as Error).message === 'Connection is closed.';
    throw isRefusal ? new RedisError(masker.mask(`Redis at ${url.host}: ${(error as Error).message}`)) : error;
  } finally {
    // ioredis leaves a timer running when an ended connection is disconnected.
    if (redis.status !== 'end') redis.disconnect();
  }
}

/** Asks when Redis syncs its append-only file; undefined if it does not say. */
async function readSyncPolicy(redis: Redis, { ReplyError }: Peers['ioredis']): Promise<string | undefined> {
  try {
    const [, policy] = (await redis.config('GET', 'appendfsync')) as string[];
    return policy;
  } catch (error) {
    // Hosted services often forbid the command.
    if (error instanceof ReplyError) return undefined;
    throw error;
  }
}

/**
 * Refuses a Redis that may lose data.
 *
 * @param info the response to INFO
 * @param syncPolicy undefined if it is not known
 */
function checkDurability(info: string, syncPolicy: string | undefined): void {
  const value = (name: string) => new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(info)?.[1];
  const policy = value('maxmemory_policy');
  const faults = [
    value('aof_enabled') === '1' ? [] : 'it has no append-only file (start it with --appendonly yes)',
    syncPolicy === 'no' ? 'its appendfsync is no, not always or everysec' : [],
    policy === 'noeviction' ? [] : `its maxmemory-policy is ${policy ?? 'not known'}, not noeviction`,
  ].flat();
  if (faults.length === 0) return;
  throw new ConfigurationError({
    problems: [
      { option: 'redis', message: `Redis may lose data, and rows would then be sent twice: ${faults.join('; ')}` },
      { option: 'acceptLoss', message: 'uses this Redis nevertheless' },
    ],
  });
}

/** Masks the password. A user without a password may be a password in the wrong place. */
function maskerOf({ username, password }: URL): Masker {
  return createMasker(decodeURIComponent(password || username));
}
