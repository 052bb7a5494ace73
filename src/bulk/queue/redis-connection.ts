import type { Redis } from 'ioredis';
import { ConfigurationError } from '../../errors';
import { createMasker, type Masker } from '../../internal/mask';
import { loadPeers, type Peers } from './peers';
import type { QueueOptions } from './queue-options';
import { RedisError } from './redis-error';

/** A connection to Redis, with what works on it. */
export interface RedisConnection {
  readonly redis: Redis;
  readonly bullmq: Peers['bullmq'];
  /** Reports a failure that is retried; a lasting one once. */
  readonly warn: (error: Error) => void;
}

/**
 * Runs work with a connection to Redis that is checked and closed.
 *
 * @param durable whether what is written to Redis has to last
 * @throws {ConfigurationError} when a peer is missing, or Redis may forget
 * @throws {RedisError} when Redis cannot be reached, or refuses a command
 */
export async function withRedis<T>(
  options: QueueOptions,
  durable: boolean,
  work: (connection: RedisConnection) => Promise<T>,
): Promise<T> {
  const { bullmq, ioredis } = loadPeers();
  const url = new URL(options.redis);
  const mask = maskerOf(url);
  let isStarted = false;
  const redis = new ioredis.Redis(options.redis, {
    lazyConnect: true,
    // Commands wait while the connection is made again, as BullMQ asks for.
    maxRetriesPerRequest: null,
    retryStrategy: (times) => (isStarted ? Math.min(times * 100, 2000) : null),
  });
  let last = '';
  const warn = ({ message }: Error): void => {
    const masked = mask.mask(message);
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
      throw new RedisError(mask, `Redis at ${url.host} cannot be used: ${reason}`);
    });
    if (durable && !options.acceptLoss) checkDurability(await redis.info(), await readSyncPolicy(redis, ioredis));
    isStarted = true;
    return await work({ redis, bullmq, warn });
  } catch (error) {
    const isRefusal = error instanceof ioredis.ReplyError || (error as Error).message === 'Connection is closed.';
    throw isRefusal ? new RedisError(mask, `Redis at ${url.host}: ${(error as Error).message}`) : error;
  } finally {
    // Disconnecting what has ended leaves a timer behind.
    if (redis.status !== 'end') redis.disconnect();
  }
}

/** When Redis brings its append-only file to the disk; undefined if it does not say. */
async function readSyncPolicy(redis: Redis, { ReplyError }: Peers['ioredis']): Promise<string | undefined> {
  try {
    const [, policy] = (await redis.config('GET', 'appendfsync')) as string[];
    return policy;
  } catch (error) {
    // Hosted ones often forbid the command.
    if (error instanceof ReplyError) return undefined;
    throw error;
  }
}

/**
 * @param info what Redis says of itself
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
      { option: 'redis', message: `may forget what was sent, which would then be sent again: ${faults.join('; ')}` },
      { option: 'acceptLoss', message: 'uses this Redis nevertheless' },
    ],
  });
}

/** A user without a password may be a password in the wrong place. */
function maskerOf({ username, password }: URL): Masker {
  return createMasker(decodeURIComponent(password || username));
}
