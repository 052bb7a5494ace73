import { checkRunOptions } from '../../../bulk';
import { workBulk } from '../../../bulk/queue';
import type { CliCommand, Context } from '../../commander/command';
import { addCallOptions } from '../../settings/global-options';
import { CommandFailure, exitCodes } from '../../terminal/failure';
import { interruptible } from '../../terminal/io';
import { type BulkCall, setAction } from './bulk-command';
import { addSendOptions, givenOf, numbersOf, sendOptions } from './options';
import { addQueueName, addRedisOptions, readQueueOptions, spellWork } from './queue-options';
import { exitCodeOf, summaryOf } from './report';
import { readServiceSettings, withBulkClient } from './service';
import { WorkLog } from './work-log';

/** Defines the command that sends the rows of a queue. */
export function defineBulkWork(command: CliCommand, context: Context): void {
  command
    .description('Sends the rows of a queue, until Ctrl-C.')
    .addExamples(['bulk work --redis redis://127.0.0.1:6379 --rows-per-second 100']);
  addQueueName(addRedisOptions(command));
  addSendOptions(command, ', over all workers that are given the same number');
  command
    .option('--until-empty', 'end when nothing is left in the queue')
    .option('--health-port <n>', 'serve /healthz and, for Prometheus, /metrics at this port');
  addCallOptions(command.optionsGroup('Global options:'));
  setAction(command, context, work);
}

async function work(call: BulkCall): Promise<void> {
  const { flags, context } = call;
  const settings = readServiceSettings(call);
  const given = numbersOf(flags, sendOptions);
  // The client is made for this number of connections.
  const { concurrency } = checkRunOptions(given);
  const health = numbersOf(flags, ['healthPort']);
  const options = { ...given, ...health, ...readQueueOptions(call), ...givenOf(flags, ['untilEmpty']) };
  await withBulkClient(call, settings, concurrency, async (client) => {
    const log = new WorkLog(context);
    await interruptible(context.io.signals, async (signal) => {
      signal.addEventListener('abort', () => log.stopping());
      const onProgress = log.show.bind(log);
      const result = await workBulk({ ...options, client, signal, onProgress }).finally(() => log.end());
      context.log(summaryOf(result));
      if (result.stopped !== undefined)
        context.log(`stopped: ${result.stopped}; when the cause is removed, go on: \`${spellWork(call)}\``);
      if (result.total > 0) context.log('`messaging bulk collect` writes it to the journal of the rows');
      if (signal.aborted) throw signal.reason;
      const exitCode = exitCodeOf(result);
      if (exitCode !== exitCodes.done) throw new CommandFailure(exitCode);
    });
  });
}
