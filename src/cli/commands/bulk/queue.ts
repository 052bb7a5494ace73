import type { Counts } from '../../../bulk';
import { DEFAULT_QUEUE } from '../../../bulk/queue/queue-options';
import type { CliCommand } from '../../commander/command';
import { CommandFailure, exitCodes } from '../../terminal/failure';
import { interruptible } from '../../terminal/io';
import { exitCodeOf, formatRows, summaryOf } from './advice';
import {
  addFieldOptions,
  addFirstOptions,
  addJournalOptions,
  addPlanOptions,
  addSendOptions,
  type BulkFlags,
  readBulkOptions,
  readRunOptions,
} from './options';
import { BulkProgress, enqueuing, working } from './progress';
import {
  type AddBulkCommand,
  type BulkAction,
  bulkSources,
  checkOnly,
  conclude,
  explainRun,
  journalOf,
  loadBulk,
  warnWithoutBaseline,
  withBulkClient,
} from './session';

/** The library, loaded when it is used. */
function loadQueue(): typeof import('../../../bulk/queue') {
  return require('../../../bulk/queue');
}

/** Adds the commands that send a file of rows over many machines. */
export function addQueueCommands(add: AddBulkCommand): void {
  add('enqueue', 'Queue the pending rows for workers on many machines', addEnqueueOptions, enqueue);
  add('work', 'Send what is in a queue, until Ctrl-C', addWorkOptions, work, 'none');
  add('collect', 'Record what workers have sent, and take back what no worker has claimed', addCollectOptions, collect);
}

function addRedisOptions(command: CliCommand): CliCommand {
  return command
    .requiredOption('--redis <url>', 'where the queue is, such as redis://127.0.0.1:6379')
    .option('--accept-loss', 'use a Redis that may forget, after which rows may be sent twice');
}

function addEnqueueOptions(command: CliCommand): void {
  addFieldOptions(command);
  addQueueName(addRedisOptions(command));
  addPlanOptions(command);
  addFirstOptions(command);
}

function addWorkOptions(command: CliCommand): void {
  addQueueName(addRedisOptions(command));
  addSendOptions(
    command,
    'rows that start in a second, at most, over all workers; give it to each (default: no limit)',
  );
  command.option('--until-empty', 'end when nothing is left in the queue');
}

function addCollectOptions(command: CliCommand): void {
  addJournalOptions(addRedisOptions(command)).option('--no-revoke', 'leave in the queue what no worker has claimed');
}

function addQueueName(command: CliCommand): void {
  command.option('--queue <name>', `the queue's name (default: ${DEFAULT_QUEUE})`);
}

/** What is the same for the three. */
function queueOptions({ redis = '', queue, acceptLoss }: BulkFlags, log: (message: string) => void) {
  return { redis, queue, acceptLoss, onWarning: (message: string) => log(`warning: ${message}`) };
}

const enqueue: BulkAction = async (file, flags, context) => {
  const sources = bulkSources(flags, context);
  const { baseline } = readRunOptions(flags, sources.dates);
  const options = await readBulkOptions(file, flags, sources);
  if (flags.dryRun) return checkOnly(options, context);
  await withBulkClient(flags, context, 1, async (client) => {
    const progress = new BulkProgress(context, NO_ROWS, enqueuing);
    await interruptible(context.io.signals, async (signal) => {
      const link = queueOptions(flags, context.log);
      await loadQueue()
        .enqueueBulk({ ...options, ...link, client, baseline, signal, onProgress: (now) => progress.show(now) })
        .catch((error: unknown) => {
          throw explainRun(error);
        })
        .finally(() => progress.end());
      const found = await loadBulk().readBulk(options.journal);
      warnWithoutBaseline(found.baseline, baseline, true, context);
      await conclude(file, flags, context, signal.aborted, found);
      if (signal.aborted) throw signal.reason;
    });
  });
};

const work: BulkAction = async (_, flags, context) => {
  const { log } = context;
  const settings = readRunOptions(flags, undefined);
  await withBulkClient(flags, context, settings.concurrency, async (client) => {
    const progress = new BulkProgress(context, NO_ROWS, working);
    await interruptible(context.io.signals, async (signal) => {
      signal.addEventListener('abort', () => progress.stopping());
      const untilEmpty = flags.untilEmpty === true;
      const options = { ...settings, ...queueOptions(flags, log), client, untilEmpty, signal };
      const counts = await loadQueue()
        .workBulk({ ...options, onProgress: (now) => progress.show(now) })
        .finally(() => progress.end());
      log(summaryOf(counts));
      if (counts.rows > 0) log('`messaging bulk collect` writes it to the journal of the rows');
      if (signal.aborted) throw signal.reason;
      const exitCode = exitCodeOf(counts);
      if (exitCode !== exitCodes.done) throw new CommandFailure(exitCode);
    });
  });
};

const collect: BulkAction = async (file, flags, context) => {
  const { collected, beingSent, waiting } = await loadQueue().collectBulk({
    ...queueOptions(flags, context.log),
    journal: journalOf(file, flags),
    takeOver: flags.takeOver === true,
    revoke: flags.revoke !== false,
  });
  context.log(`${formatRows(collected)} collected`);
  if (beingSent > 0) context.log(`${formatRows(beingSent)} being sent: collect again`);
  if (waiting > 0) context.log(`${formatRows(waiting)} left in the queue`);
  await conclude(file, flags, context, false);
};

const NO_ROWS: Counts = { rows: 0, pending: 0, underWay: 0, unknown: 0, sent: 0, rejected: 0 };
