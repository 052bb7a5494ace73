import { ConfigurationError } from '../../errors';
import type { ConnectionOptions } from './options';
import { loadPeers } from './peers';

/** The time after which a connection or an operation without a reply has failed, in milliseconds. */
export const REPLY_MS = 8000;

/** A client of Redis. */
export type RedisClient = ReturnType<typeof makeClient>;

/** Makes a client that is not connected yet. @param isStarted false while a connection that fails is not made again */
export function makeClient(url: string, isStarted: () => boolean) {
  return loadPeers().redis.createClient({
    url,
    RESP: 2,
    // An operation that fails at once is retried by `attempt`, which knows for how long.
    disableOfflineQueue: true,
    // `attempt` limits each operation. The client would fail a command that it could not write within 5 s, because the
    // process was busy or stopped; and if that is the first one of a BullMQ queue, the queue fails for good.
    commandOptions: { timeout: 0 },
    pingInterval: 2000,
    socket: {
      connectTimeout: REPLY_MS,
      // A connection that was cut without a word is made again.
      socketTimeout: REPLY_MS,
      reconnectStrategy: (retries) => (isStarted() ? Math.min(50 * 2 ** retries, 1000) : false),
    },
  });
}

/**
 * Checks Redis before anything is written.
 *
 * @throws {ConfigurationError} when it cannot hold a queue, or may lose data
 */
export async function checkRedis(redis: RedisClient, { acceptLoss, replicas }: ConnectionOptions): Promise<void> {
  const info = await redis.info();
  const value = (name: string) => new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(info)?.[1];
  if (value('cluster_enabled') === '1') refuse('Redis is a cluster, which is not supported');
  if (value('role') === 'slave') refuse('Redis is a replica, which takes no writes: give its primary');
  // Both ways, because claims are scripts: a refusal must come before the first row is queued.
  const refusal = await refusalOf(async () => {
    await redis.eval('return 1');
    await redis.evalSha(await redis.scriptLoad('return 1'));
  });
  if (refusal !== undefined) refuse(`Redis refuses scripts (EVAL, EVALSHA, SCRIPT LOAD): ${refusal}`);
  if (acceptLoss) return;
  const policy = value('maxmemory_policy');
  const connected = Number(value('connected_slaves') ?? 0);
  let syncing: Readonly<Record<string, string>> = {};
  const hidden = await refusalOf(async () => {
    syncing = await redis.configGet(['appendfsync', 'no-appendfsync-on-rewrite']);
  });
  const faults = [
    value('aof_enabled') === '1' ? [] : 'it has no append-only file (start it with --appendonly yes)',
    hidden ? 'it does not show its settings (CONFIG GET), so appendfsync is not known' : [],
    syncing.appendfsync === 'no' ? 'its appendfsync is no, not always or everysec' : [],
    syncing['no-appendfsync-on-rewrite'] === 'yes' ? 'its no-appendfsync-on-rewrite is yes, not no' : [],
    policy === 'noeviction' ? [] : `its maxmemory-policy is ${policy ?? 'not known'}, not noeviction`,
    connected >= replicas ? [] : `it has ${connected} of the ${replicas} replicas`,
  ].flat();
  if (faults.length === 0) return;
  refuse(`Redis may lose data, and rows would then be sent twice: ${faults.join('; ')}`, [
    { option: 'acceptLoss', message: 'uses this Redis nevertheless' },
  ]);
}

/** Resolves with the words with which Redis refuses commands; with undefined when it runs them. */
async function refusalOf(run: () => Promise<void>): Promise<string | undefined> {
  try {
    await run();
    return undefined;
  } catch (error) {
    if (error instanceof loadPeers().redis.ErrorReply) return error.message;
    throw error;
  }
}

function refuse(message: string, advice: readonly { option: string; message: string }[] = []): never {
  throw new ConfigurationError({ problems: [{ option: 'redis', message }, ...advice] });
}
