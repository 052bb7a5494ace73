import { Option } from 'commander';
import type { Listing } from '../../../bulk';
import type { CliCommand, Context } from '../../commander/command';
import { CommandFailure, exitCodes, UsageError } from '../../terminal/failure';
import { interruptible } from '../../terminal/io';
import { formatCount, formatRows } from './advice';
import {
  addFieldOptions,
  addJournalOptions,
  addListingOptions,
  addPlanOptions,
  addRunOptions,
  readBulkOptions,
  readListing,
  readRunOptions,
  readWhole,
} from './options';
import { BulkProgress } from './progress';
import { addQueueCommands } from './queue';
import {
  advise,
  type BulkAction,
  bulkCommandAdder,
  bulkSources,
  checkOnly,
  conclude,
  explainRun,
  journalOf,
  loadBulk,
  warnWithoutBaseline,
  withBulkClient,
} from './session';
import { printStatus, rowStates } from './status';

/** Defines the commands that send a file of rows. */
export function defineBulk(bulk: CliCommand, context: Context): void {
  bulk.helpCommand(false);
  bulk.description(
    'Sends the rows of a CSV file. Each row is written to a journal before it is sent, so that after any crash no row is sent twice and none is forgotten.',
  );
  bulk.addExamples([
    "bulk run list.csv --sender 3000 --message 'Hello {{name}}' --unixdate 0 --msgmode 1 --baseline-pagesize 1000",
    'bulk status list.csv --state unknown',
  ]);
  const add = bulkCommandAdder(bulk, context);
  add('run', 'Send what is pending', addRunOptions, run);
  add(
    'status',
    'Show where the rows stand',
    (command) =>
      addJournalOptions(command).addOption(
        new Option('--state <state>', 'list the rows that are in a state').choices(rowStates),
      ),
    status,
  );
  add('reconcile', 'Look for unknown rows among the messages that the service lists', addReconcileOptions, reconcile);
  add(
    'again',
    'Mark rows to be sent by the next run',
    (command) =>
      addJournalOptions(command).addOption(
        new Option('--state <state>', 'which rows').choices(['not-found', 'rejected']).makeOptionMandatory(),
      ),
    again,
  );
  addQueueCommands(add);
}

function addReconcileOptions(command: CliCommand): void {
  addFieldOptions(command);
  addPlanOptions(command);
  addListingOptions(command, '', 'ask for');
  addJournalOptions(command).option('--settle-ms <ms>', 'how long after the last request to ask (default: 60000)');
}

const run: BulkAction = async (file, flags, context) => {
  const sources = bulkSources(flags, context);
  const settings = readRunOptions(flags, sources.dates);
  const options = await readBulkOptions(file, flags, sources);
  if (flags.dryRun) return checkOnly(options, context);
  await withBulkClient(flags, context, settings.concurrency, async (client) => {
    const { JournalWriteError, openBulk } = loadBulk();
    const bulk = await openBulk({ ...options, client });
    warnWithoutBaseline(bulk.baseline, settings.baseline, bulk.isBegun, context);
    const progress = new BulkProgress(context, bulk.counts());
    await interruptible(context.io.signals, async (signal) => {
      signal.addEventListener('abort', () => progress.stopping());
      try {
        await bulk.run({ ...settings, signal, onProgress: (now) => progress.show(now) });
      } catch (error) {
        const reason = explainRun(error);
        if (reason !== error || (error instanceof JournalWriteError && error.isGone)) throw reason;
        // What the journal says comes after it, and decides on the exit code.
        context.log(`error: ${(error as Error).message}`);
      } finally {
        progress.end();
        await bulk.close();
      }
      await conclude(file, flags, context, signal.aborted);
      if (signal.aborted) throw signal.reason;
    });
  });
};

const status: BulkAction = async (file, flags, context) => {
  const found = await loadBulk().readBulk(journalOf(file, flags));
  await printStatus(found, flags, context);
  advise(found, file, flags, context);
};

const reconcile: BulkAction = async (file, flags, context) => {
  const { openBulk, readBulk } = loadBulk();
  const { options: plan } = await readBulk(journalOf(file, flags));
  const sources = bulkSources(flags, context);
  const listing: Listing | undefined = readListing(flags, '', sources.dates);
  if (listing === undefined) throw new UsageError('missing: --pagesize, or --start-unixdate and --end-unixdate');
  const options = { ...plan, ...(await readBulkOptions(file, flags, sources)) };
  const settleMs = flags.settleMs === undefined ? undefined : readWhole('--settle-ms', flags.settleMs);
  await withBulkClient(flags, context, 1, async (client) => {
    const bulk = await openBulk({ ...options, client });
    await interruptible(context.io.signals, async (signal) => {
      const onWait = (ms: number) => context.log(`waiting ${Math.ceil(ms / 1000)} s for requests to settle`);
      const result = await bulk.reconcile({ ...listing, settleMs, signal, onWait }).finally(() => bulk.close());
      if (!result.concluded) throw new CommandFailure(exitCodes.unknown, `nothing can be concluded: ${result.reason}`);
      context.log(`${formatRows(result.found)} found, ${formatCount(result.notFound)} not found`);
      const undecided = bulk.counts().unknown - result.notFound;
      if (undecided > 0)
        context.log(`${formatRows(undecided)} undecided: messages are listed that may be theirs, and may be others`);
      await conclude(file, flags, context, false);
    });
  });
};

const again: BulkAction = async (file, flags, context) => {
  const state = flags.state as 'not-found' | 'rejected';
  const rows = await loadBulk().sendAgainFrom(journalOf(file, flags), state, flags.takeOver === true);
  context.log(`${formatRows(rows)} will be sent by the next run`);
  await conclude(file, flags, context, false);
};
