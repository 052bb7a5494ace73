import { openBulk, readBulk } from '../../../bulk';
import type { CliCommand, Context } from '../../commander/command';
import { addCallOptions } from '../../settings/global-options';
import { dateUnit } from '../../settings/settings';
import { interruptible } from '../../terminal/io';
import { addFileArgument, type BulkCall, setAction } from './bulk-command';
import {
  addListingOptions,
  addListOptions,
  addSettleOption,
  journalOf,
  numbersOf,
  readListing,
  readListOptions,
} from './options';
import { report, reportFindings, reportInterruption, reportUndecided, reportWait } from './report';
import { readServiceSettings, withBulkClient } from './service';

/** Defines the command that looks for unknown rows. */
export function defineBulkReconcile(command: CliCommand, context: Context): void {
  addFileArgument(command)
    .description('Looks for unknown rows among the messages that the service lists. A row that is found becomes sent.')
    .addExamples(['bulk reconcile list.csv']);
  addListOptions(command);
  addListingOptions(command, '', 'list');
  addSettleOption(command);
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
      const onWait = (ms: number) => reportWait(call, ms);
      const result = await bulk
        .reconcile({ listing, ...numbersOf(flags, ['settleMs']), signal, onWait })
        .catch((error: unknown) => {
          if (signal.aborted) reportInterruption(call, bulk.status(), signal);
          throw error;
        })
        .finally(() => bulk.close());
      reportFindings(call, result);
      reportUndecided(call, result.undecided);
      report(call, bulk.status());
    });
  });
}
