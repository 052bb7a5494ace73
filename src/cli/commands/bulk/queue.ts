import { Option } from 'commander';
import { beginOptions, journalOptions, sendOptions } from '../../../bulk/options';
import { collectBulk, RedisError, type WorkOptions, workBulk } from '../../../bulk/queue';
import { collectOptions } from '../../../bulk/queue/collect';
import { enqueueFound } from '../../../bulk/queue/enqueue';
import { queueOptions, redisOptions, withoutPassword } from '../../../bulk/queue/options';
import { workerOptions } from '../../../bulk/queue/worker';
import { NO_ROWS } from '../../../bulk/state/row-table';
import { quoteForTerminal } from '../../../internal/strings';
import { checkOptions } from '../../../options/table';
import type { CliCommand, Context } from '../../commander/command';
import { addFlags, readFlags } from '../../fields/flags';
import { flagOf } from '../../fields/option-names';
import { addCallOptions } from '../../settings/global-options';
import { CommandFailure, exitCodes, UsageError } from '../../terminal/failure';
import { interruptible } from '../../terminal/io';
import { addListOptions, type BulkCall, setAction } from './command';
import { BulkProgress, PUSHED_BACK } from './progress';
import { exitCodeOf, formatRows, printAdvice, report, summaryOf } from './report';
import { checkOnly, confirm, explainBegin, readyList } from './run';
import { readService, spellSettings, withBulkClient } from './service';

/** Defines the command that puts rows in a queue. */
export function defineBulkEnqueue(command: CliCommand, context: Context): void {
  command
    .description('Puts the rows that are pending in a queue, for workers on many machines.')
    .addExamples([
      "bulk enqueue list.csv --redis redis://127.0.0.1:6379 --sender 3000 --message 'Hello' --unixdate 0 --msgmode 1",
    ]);
  addListOptions(command);
  addFlags(command.optionsGroup('Queue:'), { ...queueOptions, ...beginOptions, ...journalOptions });
  addCallOptions(command);
  setAction(command, context, enqueue);
}

async function enqueue(call: BulkCall): Promise<void> {
  const { flags, context } = call;
  const list = await readyList(call);
  const { found, service, options, settings } = list;
  if (flags.dryRun) return checkOnly(call, list);
  const queue = readQueue(call);
  await withBulkClient(call, service.settings, 1, async (client) => {
    const progress = new BulkProgress(context, NO_ROWS, 'enqueue');
    await interruptible(context.io.signals, async (signal) => {
      const onProgress = progress.show.bind(progress);
      const onBegin: Parameters<typeof enqueueFound>[0]['onBegin'] = (before) => confirm(call, service, before, signal);
      const { baselinePagesize } = settings;
      signal.addEventListener('abort', () => context.log('stopping: rows that are not in the queue yet stay pending'));
      const status = await enqueueFound(
        { ...options, ...queue, client, baselinePagesize, signal, onBegin, onProgress },
        found,
      )
        .catch((error: unknown) => {
          throw explainStop(explainBegin(error), signal, context);
        })
        .finally(() => progress.end());
      if (status.stopped !== undefined) context.log(`stopped: ${status.stopped}`);
      context.log(summaryOf(status.counts));
      if (!signal.aborted && status.queued > 0)
        context.log(`start workers on as many machines as you like: \`${spellWork(call)}\``);
      printAdvice(call, status);
      signal.throwIfAborted();
      if (status.counts.pending > 0) throw new CommandFailure(exitCodes.notSent);
    });
  });
}

/** The interruption itself, where Redis failed while a command was told to stop. */
function explainStop(error: unknown, signal: AbortSignal, { log }: Context): unknown {
  if (!signal.aborted || !(error instanceof RedisError)) return error;
  log(`warning: ${error.message}`);
  return signal.reason;
}

/** Defines the command that sends the rows of a queue. */
export function defineBulkWork(command: CliCommand, context: Context): void {
  command
    .description('Sends the rows of a queue, until Ctrl-C.')
    .addExamples(['bulk work --redis redis://127.0.0.1:6379 --rows-per-second 100']);
  addFlags(command, { ...queueOptions, ...workerOptions });
  addCallOptions(command);
  setAction(command, context, work, false);
}

async function work(call: BulkCall): Promise<void> {
  const { flags, context } = call;
  const { settings } = readService(call);
  const given = readFlags(flags, workerOptions);
  // The client is made for this number of connections.
  const { concurrency } = checkOptions(sendOptions, readFlags(flags, sendOptions));
  const options = { ...given, ...readQueue(call) };
  await withBulkClient(call, settings, concurrency, async (client) => {
    const progress = new BulkProgress(context, NO_ROWS, 'work');
    // It also says that it waits for rows.
    progress.show(NO_ROWS);
    await interruptible(context.io.signals, async (signal) => {
      signal.addEventListener('abort', () => progress.stopping());
      const onProgress: WorkOptions['onProgress'] = (now) => progress.show(now);
      const onPause = (ms: number) => progress.wait(ms, PUSHED_BACK);
      const result = await workBulk({ ...options, client, signal, onProgress, onPause })
        .catch((error: unknown) => {
          throw explainStop(error, signal, context);
        })
        .finally(() => progress.end());
      context.log(summaryOf(result));
      if (result.stopped !== undefined)
        context.log(`stopped: ${result.stopped}; when the cause is removed, go on: \`${spellWork(call)}\``);
      if (result.total > 0) context.log('bulk collect records it, where the journal of the list is');
      if (signal.aborted) throw signal.reason;
      const done = result.stopped === undefined ? exitCodes.done : exitCodes.notSent;
      const exitCode = exitCodeOf(result) || done;
      if (exitCode !== exitCodes.done) throw new CommandFailure(exitCode);
    });
  });
}

/** Defines the command that asks for the outcomes of a queue. */
export function defineBulkCollect(command: CliCommand, context: Context): void {
  command
    .description('Writes to the journal what workers have sent, and takes back what no worker has claimed.')
    .addExamples(['bulk collect list.csv']);
  addFlags(command, { ...redisOptions, ...journalOptions });
  command.option('--no-revoke', 'take nothing back: leave what no worker has claimed to the workers');
  // The other commands of a queue have this option, so it may be given here too.
  command.addOption(new Option('--queue <name>').hideHelp());
  setAction(command, context, async (call) => {
    const { flags, journal } = call;
    if (flags.queue !== undefined) throw new UsageError('--queue: the journal knows the queue: leave it out');
    const revoke = flags.revoke === false ? { revoke: false } : {};
    const redis = redisOf(call);
    const options = { ...readFlags(flags, collectOptions), ...(redis && { redis }), ...revoke };
    const status = await collectBulk({ ...options, journal, onWarning: warn(call) });
    const { collected, beingSent, waiting } = status;
    context.log(`${formatRows(collected)} collected`);
    if (beingSent > 0) context.log(`${formatRows(beingSent)} being sent: collect again`);
    if (waiting > 0)
      context.log(`${formatRows(waiting)} not claimed by a worker yet: without --no-revoke, collect takes them back`);
    report(call, status);
  });
}

/** Reads the options of a queue. @throws {UsageError} when no option and no variable gives Redis */
function readQueue(call: BulkCall) {
  const redis = redisOf(call);
  if (!redis) throw new UsageError(`missing: --redis (or ${queueOptions.redis.flag.variable})`);
  return { ...readFlags(call.flags, queueOptions), redis, onWarning: warn(call) };
}

function redisOf({ flags, context }: BulkCall): string | undefined {
  return (flags.redis as string | undefined) ?? context.io.environment[queueOptions.redis.flag.variable];
}

function warn({ context }: BulkCall): (message: string) => void {
  return (message) => context.log(`warning: ${message}`);
}

/** Spells the command that sends the rows of a queue. A variable gives a URL of Redis with a password. */
function spellWork({ flags, context: { io } }: BulkCall): string {
  const { redis } = flags as { redis?: string };
  const isSecret = redis !== undefined && withoutPassword(redis).hasPassword;
  const shown = { ...flags, redis: isSecret ? undefined : redis } as Readonly<Record<string, unknown>>;
  const own = Object.keys({ ...queueOptions, ...workerOptions }).flatMap((name) => {
    const value = shown[name];
    if (value === undefined) return [];
    return value === true ? [flagOf(name)] : [flagOf(name), String(value)];
  });
  const words = [...spellSettings(flags), ...own];
  return `${io.invocation} bulk work ${words.map((word) => quoteForTerminal(word)).join(' ')}`.trimEnd();
}
