import type { QueueOptions } from '../../../bulk/queue';
import type { CliCommand } from '../../commander/command';
import { UsageError } from '../../terminal/failure';
import type { BulkCall } from './bulk-command';
import { givenOf } from './options';

const VARIABLE = 'MESSAGING_REDIS_URL';

/** Adds the options of a command that uses Redis. */
export function addRedisOptions(command: CliCommand): CliCommand {
  return command
    .option('--redis <url>', `use the queue in this Redis, such as redis://127.0.0.1:6379 [${VARIABLE}]`)
    .option('--accept-loss', 'use a Redis that may lose data; rows may then be sent twice');
}

export function addQueueName(command: CliCommand): void {
  command.option('--queue <name>', 'use the queue of this name (default: messaging-bulk)');
}

/** Reads the options of a queue. @throws {UsageError} without a URL */
export function readQueueOptions({ flags, context }: BulkCall): QueueOptions & { readonly queue?: string } {
  const redis = flags.redis ?? context.io.environment[VARIABLE];
  if (!redis) throw new UsageError(`missing: --redis (or ${VARIABLE})`);
  const onWarning = (message: string) => context.log(`warning: ${message}`);
  return { redis, ...givenOf(flags, ['queue', 'acceptLoss']), onWarning };
}
