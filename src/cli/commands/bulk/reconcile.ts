import { openBulk, readBulk } from '../../../bulk';
import type { CliCommand, Context } from '../../commander/command';
import { addCallOptions } from '../../settings/global-options';
import { dateUnit } from '../../settings/settings';
import { interruptible } from '../../terminal/io';
import { addFileArgument, type BulkCall, setAction } from './bulk-command';
import { addListingOptions, addListOptions, journalOf, numbersOf, readListing, readListOptions } from './options';
import { formatCount, formatRanges, formatRows, report } from './report';
import { readServiceSettings, withBulkClient } from './service';

/** Defines the command that looks for unknown rows. */
export function defineBulkReconcile(command: CliCommand, context: Context): void {
  addFileArgument(command)
    .description('Looks for unknown rows among the messages that the service lists. A row that is found becomes sent.')
    .addExamples([
      "bulk reconcile list.csv --sender 3000 --message 'Hello {{name}}' --unixdate 0 --msgmode 1 --pagesize 2000",
    ]);
  addListOptions(command);
  addListingOptions(command, '', 'list');
  command.option('--settle-ms <ms>', 'wait until this time has passed since the last request (default: 60000)');
  addCallOptions(command.optionsGroup('Global options:'));
  setAction(command, context, reconcileRows);
}

async function reconcileRows(call: BulkCall): Promise<void> {
  const { file, flags, context } = call;
  const { options: plan } = await readBulk(journalOf(file, flags));
  const settings = readServiceSettings(call);
  const listing = readListing(flags, dateUnit(settings));
  const options = { ...plan, ...(await readListOptions(call, settings)) };
  await withBulkClient(call, settings, 1, async (client) => {
    const bulk = await openBulk({ ...options, client });
    await interruptible(context.io.signals, async (signal) => {
      const onWait = (ms: number) => context.log(`waiting ${Math.ceil(ms / 1000)} s for requests to settle`);
      const result = await bulk
        .reconcile({ listing, ...numbersOf(flags, ['settleMs']), signal, onWait })
        .finally(() => bulk.close());
      context.log(`${formatRows(result.found)} found, ${formatCount(result.notFound)} not found`);
      for (const { reason, ranges } of result.undecided) context.log(`${formatRanges(ranges)} undecided: ${reason}`);
      const status = bulk.status();
      report(call, status);
    });
  });
}
