import { Option } from 'commander';
import { type Counts, rowStates, type Texts } from '../../../bulk';
import { List } from '../../../bulk/list/list';
import { journalOptions, movedOption } from '../../../bulk/options';
import { type Collected, collectBulk, type EnqueueOptions, RedisError, type WorkOptions } from '../../../bulk/queue';
import { collectOptions } from '../../../bulk/queue/collect';
import { enqueueList } from '../../../bulk/queue/enqueue';
import { queueOptions, withoutPassword } from '../../../bulk/queue/options';
import { workerOptions, workWhenReady } from '../../../bulk/queue/worker';
import { beginOptions } from '../../../bulk/sending/options';
import { NO_ROWS } from '../../../bulk/state/row-table';
import { statusOf } from '../../../bulk/status';
import type { CliCommand, Context } from '../../commander/command';
import { addFlags, readFlags } from '../../fields/flags';
import { addCallOptions } from '../../settings/global-options';
import { CommandFailure, exitCodes, UsageError } from '../../terminal/failure';
import { addListOptions, type BulkCall, setAction, tellSteps } from './command';
import { confirm } from './confirm';
import { dryRun } from './dry-run';
import { spellOption, stepsOfStoppedWorker, stepsOfWorkers } from './next-steps';
import { BulkProgress, PUSHED_BACK, withBulkClient } from './progress';
import { exitCodeOf, printNextSteps, report } from './report';
import { readRun, refuseBegin } from './run';
import { readService } from './service';
import { countsOf, formatRows, summaryOf } from './words';

export function defineBulkEnqueue(command: CliCommand, context: Context): void {
  command
    .description('Puts the rows that are pending in a queue, for workers on many machines.')
    .addExamples([
      "bulk enqueue list.csv --redis redis://127.0.0.1:6379 --sender 3000 --message 'Hello' --unixdate 0 --msgmode 1",
    ]);
  addListOptions(command);
  addFlags(command.optionsGroup('Queue:'), { ...queueOptions, ...beginOptions, ...journalOptions, ...movedOption });
  addCallOptions(command);
  setAction(command, context, enqueue);
}

async function enqueue(call: BulkCall): Promise<void> {
  const { flags, context } = call;
  const list = await List.at(call.journal, { keepsMessages: true });
  const { service, options, settings } = await readRun(call, list);
  if (flags.dryRun) return dryRun(call, list, options, settings);
  const before = list.state.table.count('under-way');
  const queue = readQueue(call);
  const progress = new BulkProgress(context, NO_ROWS, 'enqueue');
  const { result, signal } = await withBulkClient(call, service.inForce, progress, (client, signal, account) => {
    const given: EnqueueOptions = {
      ...{ ...options, ...queue, client, account, baselinePagesize: settings.baselinePagesize, signal },
      onBegin: (before) => confirm(call, service, before, signal),
      onProgress: (now) => progress.show(now),
    };
    return enqueueList(list, given).catch(refuseBegin);
  });
  if (result.stopped !== undefined) context.log(`stopped: ${result.stopped}`);
  context.log(summaryOf(result.counts));
  if (!signal.aborted && result.counts['under-way'] > before)
    tellSteps(call, stepsOfWorkers(spellQueue(call, result.settings), result.settings));
  printNextSteps(call, result);
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
  const { inForce, texts } = readService(call);
  const options = { ...readFlags(flags, workerOptions), ...readQueue(call) };
  const progress = new BulkProgress(context, NO_ROWS, 'work');
  let isReady = false;
  const tellStopped = () => tellSteps(call, stepsOfStoppedWorker(spellQueue(call), texts));
  const tellCollect = () => context.log('collect it with the file of the list, where its journal is');
  const { result, signal } = await withBulkClient(call, inForce, progress, (client, signal) => {
    // It also says that it waits for rows.
    progress.show(NO_ROWS);
    const onProgress: WorkOptions['onProgress'] = (now) => progress.show(now);
    const given = { ...options, client, signal, onProgress, onPause: (ms: number) => progress.wait(ms, PUSHED_BACK) };
    return workWhenReady(given, () => {
      isReady = true;
      progress.tell(`rows of the queue go to ${client.baseUrl}`);
    });
  }).catch((error) => {
    if (isReady && error instanceof RedisError) {
      tellStopped();
      tellCollect();
    }
    throw error;
  });
  context.log(summaryOf(result));
  if (result.stopped !== undefined) {
    context.log(`stopped: ${result.stopped}`);
    tellStopped();
  }
  if (result.total > 0) tellCollect();
  signal.throwIfAborted();
  const exitCode = exitCodeOf(result) || (result.stopped === undefined ? exitCodes.done : exitCodes.notSent);
  if (exitCode !== exitCodes.done) throw new CommandFailure(exitCode);
}

export function defineBulkCollect(command: CliCommand, context: Context): void {
  command
    .description('Writes to the journal what workers have sent, while they go on or afterwards.')
    .addExamples(['bulk collect list.csv']);
  addFlags(command, collectOptions);
  // The other commands of a queue have this option, so it may be given here too.
  command.addOption(new Option('--queue <name>').hideHelp());
  setAction(command, context, async (call) => {
    const { flags, journal } = call;
    if (flags.queue !== undefined) throw new UsageError('--queue: the journal knows the queue: leave it out');
    const { counts: before, queue } = statusOf(await List.read(journal));
    const redis = redisOfList(call, queue?.redis);
    const options = { ...readFlags(flags, collectOptions), ...(redis && { redis }) };
    const status = await collectBulk({ ...options, journal, onWarning: warn(call) });
    context.log(describeCollected(status, before));
    if (status.silent > 0) context.log(`${formatRows(status.silent)} with a worker that has ended or does not respond`);
    report(call, status);
  });
}

/** "30 rows collected: 20 sent, 10 pending" */
function describeCollected({ collected, counts }: Collected, before: Counts): string {
  const grown = rowStates.map((state) => [state, counts[state] - before[state]] as const);
  const outcomes = countsOf(Object.fromEntries(grown)).join(', ');
  return `${formatRows(collected)} collected${outcomes === '' ? '' : `: ${outcomes}`}`;
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

/** The Redis of an option; else the variable, when it is the Redis that the journal names, with its password. */
export function redisOfList(call: BulkCall, own: string | undefined): string | undefined {
  const { flags, context } = call;
  if (flags.redis !== undefined) return flags.redis as string;
  const url = redisOf(call);
  if (url === undefined || own === undefined) return undefined;
  if (URL.canParse(url) && withoutPassword(url).redis === own) return url;
  const variable = queueOptions.redis.flag.variable;
  context.log(`this list is in the queue at ${own}: ${variable} names another Redis, and is not used`);
  return undefined;
}

function warn({ context }: BulkCall): (message: string) => void {
  return (message) => context.log(`warning: ${message}`);
}

/**
 * Spells the options of a queue for its workers, with the rate of the list. A variable gives a URL of Redis with a
 * password.
 */
function spellQueue(call: BulkCall, { rowsPerSecond }: Texts = {}): string[] {
  const redis = redisOf(call);
  const isShown = redis !== undefined && !withoutPassword(redis).hasPassword;
  const values: BulkCall['flags'] = { rowsPerSecond, ...call.flags, redis: isShown ? redis : undefined };
  return Object.keys({ ...queueOptions, ...workerOptions }).flatMap((name) => spellOption(name, values[name]));
}
