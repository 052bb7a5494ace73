import { checkRunOptions } from '../../../bulk';
import { workBulk } from '../../../bulk/queue';
import type { CliCommand, Context } from '../../commander/command';
import { addCallOptions } from '../../settings/global-options';
import { CommandFailure, exitCodes } from '../../terminal/failure';
import { interruptible } from '../../terminal/io';
import { type BulkCall, setAction } from './bulk-command';
import { addSendOptions, givenOf, numbersOf, sendOptions } from './options';
import { BulkProgress, NO_ROWS, working } from './progress';
import { addQueueName, addRedisOptions, readQueueOptions } from './queue-options';
import { exitCodeOf, summaryOf } from './report';
import { readServiceSettings, withBulkClient } from './service';

/** Defines the command that sends the rows of a queue. */
export function defineBulkWork(command: CliCommand, context: Context): void {
  command
    .description('Sends the rows of a queue, until Ctrl-C.')
    .addExamples(['bulk work --redis redis://127.0.0.1:6379 --rows-per-second 100']);
  addQueueName(addRedisOptions(command));
  addSendOptions(command, ', over all workers that are given the same number');
  command.option('--until-empty', 'end when nothing is left in the queue');
  addCallOptions(command.optionsGroup('Global options:'));
  setAction(command, context, work);
}

async function work(call: BulkCall): Promise<void> {
  const { flags, context } = call;
  const settings = readServiceSettings(call);
  const given = numbersOf(flags, sendOptions);
  // The client is made for this number of connections.
  const { concurrency } = checkRunOptions(given);
  const options = { ...given, ...readQueueOptions(call), ...givenOf(flags, ['untilEmpty']) };
  await withBulkClient(call, settings, concurrency, async (client) => {
    const progress = new BulkProgress(context, NO_ROWS, working);
    await interruptible(context.io.signals, async (signal) => {
      signal.addEventListener('abort', () => progress.stopping());
      const onProgress = progress.show.bind(progress);
      const counts = await workBulk({ ...options, client, signal, onProgress }).finally(() => progress.end());
      context.log(summaryOf(counts));
      if (counts.total > 0) context.log('`messaging bulk collect` writes it to the journal of the rows');
      if (signal.aborted) throw signal.reason;
      const exitCode = exitCodeOf(counts);
      if (exitCode !== exitCodes.done) throw new CommandFailure(exitCode);
    });
  });
}
