import type { BulkStatus, Listing } from '../../bulk';
import type { MessagingClient } from '../../client';
import { ConfigurationError } from '../../errors';
import { type CliCommand, type Context, optionsOf } from '../shared/command';
import { CommandFailure, exitCodes, UsageError } from '../shared/failure';
import { interruptible } from '../shared/process';
import { addGlobalOptions, type GlobalOptions, readSettings, requiredForCalls, withApiKey } from '../shared/settings';
import { adviceOn, exitCodeOf, formatCount, formatRows, summaryOf } from './bulk-advice';
import {
  addFieldOptions,
  addJournalOptions,
  addListingOptions,
  addPlanOptions,
  addRunOptions,
  type BulkFlags,
  readBulkOptions,
  readListing,
  readRunOptions,
  readWhole,
  spellOptions,
} from './bulk-options';
import { BulkProgress } from './bulk-progress';
import { printStatus } from './bulk-status';
import { createClient } from './session';

/** The library, loaded when it is used: no other command needs it. */
function load(): typeof import('../../bulk') {
  return require('../../bulk');
}

/** Adds the commands that send a file of rows. */
export function addBulk(program: CliCommand, context: Context): void {
  const bulk = program.command('bulk').summary('send a file of rows, so that a crash sends nothing twice');
  bulk.description(
    'Sends the rows of a CSV file. Each row is written to a journal before it is sent, so that after any crash no row is sent twice and none is forgotten.',
  );
  bulk.addExamples([
    "bulk run list.csv --sender 3000 --message 'Hello {{name}}' --unixdate 0 --msgmode 1 --baseline-pagesize 1000",
    'bulk status list.csv --state unknown',
  ]);
  const add = (name: string, summary: string, fill: (command: CliCommand) => void, act: Action) => {
    const command = bulk
      .command(name)
      .argument('<file>', 'CSV file in UTF-8 with a header')
      .summary(summary)
      .description(`${summary}.`);
    command.onUse(() => {
      fill(command);
      addGlobalOptions(command.optionsGroup('Global options:'));
    });
    command.action(async (file: string) => {
      try {
        await act(file, { ...optionsOf(program, bulk), ...command.opts() }, context);
      } catch (error) {
        throw explainBulk(error, context);
      }
    });
  };
  add('run', 'Send what is pending', addRunOptions, run);
  add(
    'status',
    'Show where the rows stand',
    (command) =>
      addJournalOptions(command).option('--state <state>', 'list the rows that are pending, unknown, sent or rejected'),
    status,
  );
  add('reconcile', 'Look for unknown rows among the messages that the service lists', addReconcileOptions, reconcile);
  add(
    'again',
    'Mark rows to be sent by the next run',
    (command) => addJournalOptions(command).requiredOption('--state <state>', 'not-found or rejected'),
    again,
  );
}

/** Problems of the file that are shown, of as many as there may be. */
const MAX_PROBLEMS = 20;

/** The library's errors in the user's words; all that is wrong with the file is told. */
function explainBulk(error: unknown, { log }: Context): unknown {
  const { formatProblem, InputError } = load();
  if (error instanceof InputError) {
    for (const problem of error.problems.slice(0, MAX_PROBLEMS)) log(formatProblem(problem));
    if (error.count > MAX_PROBLEMS) log(`and ${error.count - MAX_PROBLEMS} more`);
    return new CommandFailure(exitCodes.usage, 'the file or its fields are wrong; nothing was sent');
  }
  return error instanceof ConfigurationError ? new UsageError(spellOptions(error.message)) : error;
}

type Action = (file: string, flags: BulkFlags & GlobalOptions, context: Context) => Promise<void>;

function addReconcileOptions(command: CliCommand): void {
  addFieldOptions(command);
  addPlanOptions(command);
  addListingOptions(command, '', 'ask for');
  addJournalOptions(command).option('--settle-ms <ms>', 'how long after the last request to ask (default: 60000)');
}

const run: Action = async (file, flags, context) => {
  const { openBulk, checkBulk } = load();
  const settings = readRunOptions(flags);
  const options = readBulkOptions(file, flags);
  if (flags.dryRun) {
    const { rows, batches } = await checkBulk(options);
    context.log(
      `${formatRows(rows)} in ${formatCount(batches)} ${batches === 1 ? 'request' : 'requests'}; nothing was sent`,
    );
    return;
  }
  const client = createBulkClient(flags, context, settings.concurrency);
  const bulk = await openBulk({ ...options, client });
  const before = await load().readBulk(options.journal);
  if (settings.baseline === undefined && before.baseline === undefined) {
    context.log('warning: without --baseline-pagesize, rows that become unknown cannot be cleared later');
  }
  const progress = new BulkProgress(context, bulk.counts());
  await interruptible(context.io.signals, async (signal) => {
    signal.addEventListener('abort', () => progress.stopping());
    try {
      await bulk.run({ ...settings, signal, onProgress: (now) => progress.show(now) });
    } catch (error) {
      // What the journal says comes after it, and decides on the exit code.
      context.log(`error: ${(error as Error).message}`);
    } finally {
      progress.end();
      await bulk.close();
    }
    await conclude(file, flags, context, signal.aborted);
    if (signal.aborted) throw signal.reason;
  });
};

const status: Action = async (file, flags, context) => {
  const found = await load().readBulk(journalOf(file, flags));
  await printStatus(found, flags, context);
  advise(found, file, flags, context);
};

const reconcile: Action = async (file, flags, context) => {
  const { openBulk, readBulk } = load();
  const { options: plan } = await readBulk(journalOf(file, flags));
  const listing: Listing | undefined = readListing(flags, '');
  if (listing === undefined) throw new UsageError('missing: --pagesize, or --start-unixdate and --end-unixdate');
  const options = { ...plan, ...readBulkOptions(file, flags) };
  const bulk = await openBulk({ ...options, client: createBulkClient(flags, context, 1) });
  const settleMs = flags.settleMs === undefined ? undefined : readWhole('--settle-ms', flags.settleMs);
  await interruptible(context.io.signals, async (signal) => {
    const onWait = (ms: number) => context.log(`waiting ${Math.ceil(ms / 1000)} s for requests to settle`);
    const result = await bulk.reconcile({ ...listing, settleMs, signal, onWait }).finally(() => bulk.close());
    if (!result.concluded) throw new CommandFailure(exitCodes.unknown, `nothing can be concluded: ${result.reason}`);
    context.log(`${formatRows(result.found)} found, ${formatCount(result.notFound)} not found`);
    await conclude(file, flags, context, false);
  });
};

const again: Action = async (file, flags, context) => {
  if (flags.state !== 'not-found' && flags.state !== 'rejected') {
    throw new UsageError('--state: not-found or rejected is needed');
  }
  const rows = await load().sendAgainFrom(journalOf(file, flags), flags.state, flags.takeOver === true);
  context.log(`${formatRows(rows)} will be sent by the next run`);
  await conclude(file, flags, context, false);
};

function journalOf(file: string, { journal = `${file}.journal` }: BulkFlags): string {
  return journal;
}

/** Many calls share connections, as one call per process does not. */
function createBulkClient(flags: GlobalOptions, { io, log }: Context, concurrency: number): MessagingClient {
  const settings = withApiKey(readSettings(flags, io.environment), flags, log);
  const overrides = { keepAlive: true, maxConnections: Math.max(64, concurrency) };
  return createClient(settings, requiredForCalls, overrides).client;
}

/** Says where the rows stand, as the journal has it. */
async function conclude(file: string, flags: BulkFlags, context: Context, isInterrupted: boolean): Promise<void> {
  const found = await load().readBulk(journalOf(file, flags));
  context.log(summaryOf(found.counts));
  if (isInterrupted) for (const line of adviceOn(found, file, flags, context.io.invocation)) context.log(line);
  else advise(found, file, flags, context);
}

/** Says what to do next. @throws {CommandFailure} with the exit code of the counts */
function advise(found: BulkStatus, file: string, flags: BulkFlags, context: Context): void {
  for (const line of adviceOn(found, file, flags, context.io.invocation)) context.log(line);
  const exitCode = exitCodeOf(found.counts);
  if (exitCode !== exitCodes.done) throw new CommandFailure(exitCode);
}
