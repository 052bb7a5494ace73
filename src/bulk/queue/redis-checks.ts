import { ConfigurationError } from '../../errors';
import type { ConnectionOptions } from './options';
import type { Peers } from './peers';
import type { RedisClient } from './redis-client';

/**
 * Checks Redis before anything is written.
 *
 * @throws {ConfigurationError} when it cannot hold a queue, or may lose data
 */
export async function checkRedis(redis: RedisClient, peers: Peers, options: ConnectionOptions): Promise<void> {
  const info = await redis.info();
  const value = (name: string) => new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(info)?.[1];
  if (value('cluster_enabled') === '1') refuse('Redis is a cluster, which is not supported');
  if (value('role') === 'slave') refuse('Redis is a replica, which takes no writes: give its primary');
  await checkScripts(redis, peers);
  if (!options.durable || options.acceptLoss) return;
  const policy = value('maxmemory_policy');
  const connected = Number(value('connected_slaves') ?? 0);
  const faults = [
    value('aof_enabled') === '1' ? [] : 'it has no append-only file (start it with --appendonly yes)',
    await checkSyncing(redis, peers),
    policy === 'noeviction' ? [] : `its maxmemory-policy is ${policy ?? 'not known'}, not noeviction`,
    connected >= options.replicas ? [] : `it has ${connected} of the ${options.replicas} replicas`,
  ].flat();
  if (faults.length === 0) return;
  refuse(`Redis may lose data, and rows would then be sent twice: ${faults.join('; ')}`, [
    { option: 'acceptLoss', message: 'uses this Redis nevertheless' },
  ]);
}

/** Runs a script both ways: claims are scripts, and a refusal must come before the first row is queued. */
async function checkScripts(redis: RedisClient, { redis: { ErrorReply } }: Peers): Promise<void> {
  try {
    await redis.eval('return 1');
    await redis.evalSha(await redis.scriptLoad('return 1'));
  } catch (error) {
    if (error instanceof ErrorReply) refuse(`Redis refuses scripts (EVAL, EVALSHA, SCRIPT LOAD): ${error.message}`);
    throw error;
  }
}

/** Names the settings with which Redis may not bring the append-only file to the disk. */
async function checkSyncing(redis: RedisClient, { redis: { ErrorReply } }: Peers): Promise<string[]> {
  try {
    const { appendfsync, ...others } = await redis.configGet(['appendfsync', 'no-appendfsync-on-rewrite']);
    return [
      appendfsync === 'no' ? 'its appendfsync is no, not always or everysec' : [],
      others['no-appendfsync-on-rewrite'] === 'yes' ? 'its no-appendfsync-on-rewrite is yes, not no' : [],
    ].flat();
  } catch (error) {
    if (error instanceof ErrorReply) return ['it does not show its settings (CONFIG GET), so appendfsync is not known'];
    throw error;
  }
}

function refuse(message: string, advice: readonly { option: string; message: string }[] = []): never {
  throw new ConfigurationError({ problems: [{ option: 'redis', message }, ...advice] });
}
