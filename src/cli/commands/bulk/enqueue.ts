import { enqueueBulk } from '../../../bulk/queue';
import type { CliCommand, Context } from '../../commander/command';
import { addCallOptions } from '../../settings/global-options';
import { dateUnit } from '../../settings/settings';
import { interruptible } from '../../terminal/io';
import { addFileArgument, type BulkCall, setAction } from './bulk-command';
import { checkOnly } from './dry-run';
import { addFirstOptions, addListOptions, readBaseline, readListOptions } from './options';
import { BulkProgress, enqueuing, NO_ROWS } from './progress';
import { addQueueName, addRedisOptions, readQueueOptions } from './queue-options';
import { report, reportInterruption } from './report';
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
      const status = await enqueueBulk({ ...options, ...queue, client, baseline, signal, onProgress })
        .catch((error: unknown) => {
          throw explainRun(error, call);
        })
        .finally(() => progress.end());
      warnWithoutBaseline(call, status, baseline, true);
      if (signal.aborted) reportInterruption(call, status, signal);
      report(call, status);
    });
  });
}
