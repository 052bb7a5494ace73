import {
  type BulkStatus,
  checkRunOptions,
  JournalWriteError,
  openBulk,
  type Progress,
  type Reconciliation,
  readBulk,
} from '../../../bulk';
import type { CliCommand, Context } from '../../commander/command';
import { addCallOptions } from '../../settings/global-options';
import { dateUnit } from '../../settings/settings';
import { UsageError } from '../../terminal/failure';
import { interruptible } from '../../terminal/io';
import { addFileArgument, type BulkCall, setAction } from './bulk-command';
import { ALIKE, checkOnly } from './dry-run';
import {
  addFirstOptions,
  addListOptions,
  addSendOptions,
  addSettleOption,
  givenOf,
  numbersOf,
  readBaseline,
  readListOptions,
  sendOptions,
} from './options';
import { BulkProgress } from './progress';
import { formatRows, report, reportFindings, reportInterruption, reportUndecided, reportWait } from './report';
import { explainRun, readServiceSettings, warnWithoutBaseline, withBulkClient } from './service';

/** Defines the command that sends what is pending. */
export function defineBulkRun(command: CliCommand, context: Context): void {
  addFileArgument(command)
    .description('Sends the rows that are pending, each once. Later, the name of the file is enough to go on.')
    .addExamples([
      "bulk run list.csv --sender 3000 --message 'Hello {{name}}' --unixdate 0 --msgmode 1 --baseline-pagesize 1000",
      'bulk run list.csv --until-done',
    ]);
  addListOptions(command);
  addSendOptions(command);
  addFirstOptions(command);
  command.option(
    '--until-done',
    'look for unknown rows, and send again those that the service does not have, until nothing changes',
  );
  addSettleOption(command);
  addCallOptions(command.optionsGroup('Global options:'));
  setAction(command, context, run);
}

async function run(call: BulkCall): Promise<void> {
  const { flags, context } = call;
  if (flags.settleMs !== undefined && !flags.untilDone) throw new UsageError('--settle-ms needs --until-done');
  const settings = readServiceSettings(call);
  // Before the journal is made.
  const runOptions = checkRunOptions({
    ...numbersOf(flags, [...sendOptions, 'settleMs']),
    ...givenOf(flags, ['untilDone']),
    baseline: readBaseline(flags, dateUnit(settings)),
  });
  const options = await readListOptions(call, settings);
  if (flags.dryRun) return checkOnly(call, options);
  await withBulkClient(call, settings, runOptions.concurrency, async (client) => {
    const bulk = await openBulk({ ...options, client });
    const { counts, isBegun } = bulk.status();
    warnWithoutBaseline(call, bulk.status(), runOptions.baseline, isBegun);
    const alike = isBegun ? 0 : bulk.countAlike();
    if (alike > 0) context.log(`${formatRows(alike)} are alike another row${ALIKE}`);
    const progress = new BulkProgress(context, counts);
    await interruptible(context.io.signals, async (signal) => {
      signal.addEventListener('abort', () => progress.stopping());
      let status: BulkStatus | undefined;
      let undecided: Reconciliation['undecided'] = [];
      try {
        const { stopped } = await bulk.run({
          ...runOptions,
          signal,
          onProgress: (now: Progress) => progress.show(now),
          onWarning: (message) => context.log(`warning: ${message}`),
          onWait: (ms) => reportWait(call, ms),
          onReconciled: (result) => {
            reportFindings(call, result);
            undecided = result.undecided;
          },
        });
        progress.end();
        if (stopped !== undefined) context.log(`stopped: ${stopped}`);
        status = bulk.status();
        if (status.counts.unknown > status.notFound) reportUndecided(call, undecided);
      } catch (error) {
        if (!(error instanceof JournalWriteError) || error.isMissing) throw explainRun(error, call);
        context.log(`error: ${error.message}`);
      } finally {
        progress.end();
        await bulk.close();
      }
      // After a failed write, only the file says what is known.
      status ??= await readBulk(options.journal);
      if (signal.aborted) reportInterruption(call, status, signal);
      report(call, status);
    });
  });
}
