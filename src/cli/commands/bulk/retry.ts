import { Option } from 'commander';
import { type RetryState, retryBulk, retryStates } from '../../../bulk';
import type { CliCommand, Context } from '../../commander/command';
import { addFileArgument, setAction } from './bulk-command';
import { addJournalOptions, givenOf, journalOf } from './options';
import { formatRows, report } from './report';

/** Defines the command that marks rows to be sent by the next run. */
export function defineBulkRetry(command: CliCommand, context: Context): void {
  addFileArgument(command)
    .description('Marks rows that were not found or that were rejected, so that the next run sends them.')
    .addExamples(['bulk retry list.csv --state not-found']);
  const state = new Option('--state <state>', 'mark the rows that are in this state').choices(retryStates);
  addJournalOptions(command).addOption(state.makeOptionMandatory());
  setAction(command, context, async (call) => {
    const { rows, status } = await retryBulk({
      journal: journalOf(call.file, call.flags),
      state: call.flags.state as RetryState,
      ...givenOf(call.flags, ['takeOver']),
    });
    context.log(`the next run will send ${formatRows(rows)} again`);
    report(call, status);
  });
}
