import { resolve } from 'node:path';
import type { QueueOptions } from '../../../bulk/queue';
import { quoteForShell } from '../../../internal/strings';
import type { CliCommand } from '../../commander/command';
import { flagOf } from '../../fields/option-names';
import { settingNames } from '../../settings/settings';
import { UsageError } from '../../terminal/failure';
import type { BulkCall } from './bulk-command';
import type { BulkFlags } from './flags';
import { givenOf, numbersOf, sendOptions } from './options';

const VARIABLE = 'MESSAGING_REDIS_URL';

/** Adds the options of a command that uses Redis. */
export function addRedisOptions(command: CliCommand): CliCommand {
  return command
    .option('--redis <url>', `use the queue in this Redis, such as redis://127.0.0.1:6379 [${VARIABLE}]`)
    .option('--accept-loss', 'use a Redis that may lose data; rows may then be sent twice')
    .option('--replicas <n>', 'count a claim only once this many replicas of Redis have it (default: 0)');
}

export function addQueueName(command: CliCommand): void {
  command.option('--queue <name>', 'use the queue of this name (default: messaging-bulk)');
}

/** Reads the options of a queue. @throws {UsageError} without a URL */
export function readQueueOptions({ flags, context }: BulkCall): QueueOptions & { readonly queue?: string } {
  const redis = flags.redis ?? context.io.environment[VARIABLE];
  if (!redis) throw new UsageError(`missing: --redis (or ${VARIABLE})`);
  const onWarning = (message: string) => context.log(`warning: ${message}`);
  return { redis, ...givenOf(flags, ['queue', 'acceptLoss']), ...numbersOf(flags, ['replicas']), onWarning };
}

/**
 * Spells the options of a queue for a command that a user pastes. A URL that has a password, or a user that may be one, is not shown.
 * A variable needs no option.
 */
export function spellQueueOptions(flags: BulkFlags, { MESSAGING_REDIS_URL }: NodeJS.ProcessEnv): string[] {
  const { redis, acceptLoss, replicas } = flags;
  const isSecret = redis !== undefined && new URL(redis).username + new URL(redis).password !== '';
  const isFromVariable = redis === undefined && MESSAGING_REDIS_URL !== undefined && MESSAGING_REDIS_URL !== '';
  return [
    isFromVariable ? [] : `--redis ${redis === undefined || isSecret ? 'URL' : quoteForShell(redis)}`,
    acceptLoss ? '--accept-loss' : [],
    replicas === undefined ? [] : `--replicas ${quoteForShell(replicas)}`,
  ].flat();
}

/** The options of a worker. */
export const workerOptions = ['queue', ...sendOptions, 'healthPort'] as const;

/** Spells the command that sends the rows of a queue. The key is not shown; its file and the other options of the service are. */
export function spellWork({ flags, context: { io } }: BulkCall): string {
  const names = ['profile', ...settingNames.filter((name) => name !== 'apiKey'), ...workerOptions] as const;
  const options = names.flatMap((name) => {
    const text = flags[name];
    if (text === undefined) return [];
    return `${flagOf(name)} ${quoteForShell(name === 'apiKeyFile' ? resolve(String(text)) : String(text))}`;
  });
  const untilEmpty = flags.untilEmpty ? ['--until-empty'] : [];
  const words = [`${io.invocation} bulk work`, ...spellQueueOptions(flags, io.environment), ...options, ...untilEmpty];
  return words.join(' ');
}
