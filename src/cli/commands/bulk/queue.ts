import { Option } from 'commander';
import { beginOptions, journalOptions } from '../../../bulk/options';
import { collectBulk, type EnqueueOptions, type WorkOptions, workBulk } from '../../../bulk/queue';
import { collectOptions } from '../../../bulk/queue/collect';
import { enqueueFound } from '../../../bulk/queue/enqueue';
import { queueOptions, redisOptions, withoutPassword } from '../../../bulk/queue/options';
import { workerOptions } from '../../../bulk/queue/worker';
import { findList } from '../../../bulk/state/bulk-journal';
import { NO_ROWS } from '../../../bulk/state/row-table';
import type { CliCommand, Context } from '../../commander/command';
import { addFlags, readFlags } from '../../fields/flags';
import { addCallOptions } from '../../settings/global-options';
import { CommandFailure, exitCodes, UsageError } from '../../terminal/failure';
import { addListOptions, type BulkCall, setAction, spellCommand, spellOption } from './command';
import { BulkProgress, PUSHED_BACK, withBulkClient } from './progress';
import { exitCodeOf, formatRows, printAdvice, report, summaryOf } from './report';
import { checkOnly, confirm, readyList, refuseBegin } from './run';
import { readService, spellSettings } from './service';

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
  const list = await readyList(call, await findList(call.journal));
  const { found, service, options, settings } = list;
  if (flags.dryRun) return checkOnly(call, list);
  const queue = readQueue(call);
  const progress = new BulkProgress(context, NO_ROWS, 'enqueue');
  const { result, signal } = await withBulkClient(call, service.inForce, progress, (client, signal) => {
    const given: EnqueueOptions = {
      ...{ ...options, ...queue, client, baselinePagesize: settings.baselinePagesize, signal },
      onBegin: (before) => confirm(call, service, before, signal),
      onProgress: (now) => progress.show(now),
    };
    return enqueueFound(given, found).catch(refuseBegin);
  });
  if (result.stopped !== undefined) context.log(`stopped: ${result.stopped}`);
  context.log(summaryOf(result.counts));
  if (!signal.aborted && result.queued > 0)
    context.log(`start workers on as many machines as you like: ${spellWork(call)}`);
  printAdvice(call, result);
  signal.throwIfAborted();
  if (result.counts.pending > 0) throw new CommandFailure(exitCodes.notSent);
}

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
  const { inForce } = readService(call);
  const options = { ...readFlags(flags, workerOptions), ...readQueue(call) };
  const progress = new BulkProgress(context, NO_ROWS, 'work');
  const { result, signal } = await withBulkClient(call, inForce, progress, (client, signal) => {
    // It also says that it waits for rows.
    progress.show(NO_ROWS);
    const onProgress: WorkOptions['onProgress'] = (now) => progress.show(now);
    return workBulk({ ...options, client, signal, onProgress, onPause: (ms) => progress.wait(ms, PUSHED_BACK) });
  });
  context.log(summaryOf(result));
  if (result.stopped !== undefined)
    context.log(`stopped: ${result.stopped}; when the cause is removed, go on: ${spellWork(call)}`);
  if (result.total > 0) context.log('bulk collect records it, where the journal of the list is');
  signal.throwIfAborted();
  const exitCode = exitCodeOf(result) || (result.stopped === undefined ? exitCodes.done : exitCodes.notSent);
  if (exitCode !== exitCodes.done) throw new CommandFailure(exitCode);
}

export function defineBulkCollect(command: CliCommand, context: Context): void {
  command
    .description('Writes to the journal what workers have sent, and takes back what no worker has claimed.')
    .addExamples(['bulk collect list.csv']);
  addFlags(command, { ...redisOptions, ...journalOptions });
  // The other commands of a queue have this option, so it may be given here too.
  command.addOption(new Option('--queue <name>').hideHelp());
  setAction(command, context, async (call) => {
    const { flags, journal } = call;
    if (flags.queue !== undefined) throw new UsageError('--queue: the journal knows the queue: leave it out');
    const redis = redisOf(call);
    const options = { ...readFlags(flags, collectOptions), ...(redis && { redis }) };
    const status = await collectBulk({ ...options, journal, onWarning: warn(call) });
    context.log(`${formatRows(status.collected)} collected`);
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
function spellWork(call: BulkCall): string {
  const { flags } = call;
  const { redis } = flags as { redis?: string };
  const isSecret = redis !== undefined && withoutPassword(redis).hasPassword;
  const names = Object.keys({ ...queueOptions, ...workerOptions }).filter((name) => name !== 'redis' || !isSecret);
  const words = names.flatMap((name) => spellOption(name, flags[name]));
  return spellCommand({ ...call, file: '' }, 'work', ...spellSettings(flags), ...words);
}
