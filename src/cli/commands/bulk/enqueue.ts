import { enqueueBulk } from '../../../bulk/queue';
import type { CliCommand, Context } from '../../commander/command';
import { addCallOptions } from '../../settings/global-options';
import { dateUnit } from '../../settings/settings';
import { CommandFailure, exitCodes } from '../../terminal/failure';
import { interruptible } from '../../terminal/io';
import { addFileArgument, type BulkCall, setAction } from './bulk-command';
import { checkOnly } from './dry-run';
import { addFirstOptions, addListOptions, readBaseline, readListOptions } from './options';
import { BulkProgress, enqueuing, NO_ROWS } from './progress';
import { addQueueName, addRedisOptions, readQueueOptions, spellWork } from './queue-options';
import { printAdvice, reportInterruption, summaryOf } from './report';
import { explainRun, readServiceSettings, warnWithoutBaseline, withBulkClient } from './service';

/** Defines the command that puts rows in a queue. */
export function defineBulkEnqueue(command: CliCommand, context: Context): void {
  addFileArgument(command)
    .description('Puts the rows that are pending in a queue, for workers on many machines.')
    .addExamples([
      "bulk enqueue list.csv --redis redis://127.0.0.1:6379 --sender 3000 --message 'Hello' --unixdate 0 --msgmode 1",
    ]);
  addListOptions(command);
  addQueueName(addRedisOptions(command));
  addFirstOptions(command);
  addCallOptions(command.optionsGroup('Global options:'));
  setAction(command, context, enqueue);
}

async function enqueue(call: BulkCall): Promise<void> {
  const { flags, context } = call;
  const settings = readServiceSettings(call);
  const baseline = readBaseline(flags, dateUnit(settings));
  const options = await readListOptions(call, settings);
  if (flags.dryRun) return checkOnly(call, options);
  const queue = readQueueOptions(call);
  await withBulkClient(call, settings, 1, async (client) => {
    const progress = new BulkProgress(context, NO_ROWS, enqueuing);
    await interruptible(context.io.signals, async (signal) => {
      const onProgress = progress.show.bind(progress);
      const queued = enqueueBulk({ ...options, ...queue, client, baseline, signal, onProgress });
      const status = await Promise.race([queued, abandon(context, signal)])
        .catch((error: unknown) => {
          throw explainRun(error, call);
        })
        .finally(() => progress.end());
      warnWithoutBaseline(call, status, baseline, true);
      if (signal.aborted) reportInterruption(call, status, signal);
      context.log(summaryOf(status.counts));
      if (status.queued > 0) context.log(`start workers on as many machines as you like: \`${spellWork(call)}\``);
      printAdvice(call, status);
      if (status.counts.pending > 0) throw new CommandFailure(exitCodes.notSent);
    });
  });
}

/** The time in which an interrupted command may come to its end, in milliseconds. */
const INTERRUPTION_MS = 4000;

/** Says that the command was interrupted, and rejects when it does not end: the rows are being checked, or Redis does not respond. */
function abandon(context: Context, signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => {
      context.log('stopping: rows that are not in the queue yet stay pending');
      setTimeout(() => reject(signal.reason), INTERRUPTION_MS).unref();
    });
  });
}
