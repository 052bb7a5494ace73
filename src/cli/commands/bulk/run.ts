import {
  type BeforeList,
  type BulkStatus,
  checkBulk,
  JournalWriteError,
  type RowOptions,
  readBulk,
} from '../../../bulk';
import { type Bulk, openFound } from '../../../bulk/bulk';
import { checkRunOptions, journalOptions, runOptions } from '../../../bulk/options';
import type { RunSettings } from '../../../bulk/sending/run';
import { type FoundList, findList } from '../../../bulk/state/bulk-journal';
import { AbortError, MessagingError } from '../../../errors';
import type { CliCommand, Context } from '../../commander/command';
import { addFlags, readFlags } from '../../fields/flags';
import { formatJson } from '../../output/json';
import { addCallOptions } from '../../settings/global-options';
import { explain } from '../../terminal/explain';
import { CommandFailure, exitCodes, UsageError } from '../../terminal/failure';
import { interruptible } from '../../terminal/io';
import { ask, canAsk } from '../../terminal/questions';
import { addListOptions, type BulkCall, readListOptions, setAction } from './command';
import { BulkProgress, PUSHED_BACK, SETTLING } from './progress';
import { describeFindings, formatCount, formatRows, report, reportRemaining, summaryOf } from './report';
import { type ListService, readService, withBulkClient } from './service';

/** Defines the command that brings a list to its end. */
export function defineBulkRun(command: CliCommand, context: Context): void {
  command
    .description(
      'Sends the rows of a CSV file in UTF-8 with a header: looks for rows whose outcome is unknown, sends the rows that are pending, and repeats this until nothing changes. Later, the name of the file is enough.',
    )
    .addExamples([
      "bulk run list.csv --sender 3000 --message 'Hello {{name}}' --unixdate 0 --msgmode 1",
      'bulk run list.csv',
    ]);
  addListOptions(command);
  addFlags(command.optionsGroup('Sending:'), { ...runOptions, ...journalOptions });
  addCallOptions(command);
  setAction(command, context, run);
}

/** A list as a command begins or continues it. */
export interface ReadyList {
  readonly found: FoundList | undefined;
  readonly service: ListService;
  readonly options: RowOptions;
  /** The options of a run. */
  readonly settings: RunSettings;
}

/** Reads everything that a list is made of: options, settings and the journal. @throws {UsageError} */
export async function readyList(call: BulkCall): Promise<ReadyList> {
  const found = await findList(call.journal);
  const service = readService(call, found);
  const options = await readListOptions(call, found, service);
  const { baseline, isFixed } = found?.state ?? {};
  const settings = checkRunOptions({ baselinePagesize: baseline?.pagesize, ...readFlags(call.flags, runOptions) });
  if (isFixed && settings.baselinePagesize !== baseline?.pagesize)
    call.context.log('warning: rows may have been sent already, so no other baseline is listed');
  return { found, service, options, settings };
}

async function run(call: BulkCall): Promise<void> {
  const { flags, context } = call;
  const list = await readyList(call);
  const { service, settings } = list;
  if (flags.dryRun) return checkOnly(call, list);
  await workOnList(call, list, settings.concurrency, async (bulk, signal) => {
    const progress = new BulkProgress(context, bulk.status().counts);
    signal.addEventListener('abort', () => progress.stopping());
    try {
      const { stopped } = await bulk.run({
        ...settings,
        signal,
        onBegin: (before) => confirm(call, service, before, signal),
        onProgress: (now) => progress.show(now),
        onWarning: (message) => progress.tell(`warning: ${message}`),
        onPause: (ms) => progress.wait(ms, PUSHED_BACK),
        onWait: (ms) => progress.wait(ms, SETTLING),
        onReconciled: (result) => progress.tell(describeFindings(result)),
      });
      progress.end();
      if (stopped !== undefined) context.log(`stopped: ${stopped}`);
    } catch (error) {
      throw explainBegin(error);
    } finally {
      progress.end();
    }
  });
}

/**
 * Opens a list with a client, works on it until a signal, and reports its state.
 *
 * @param concurrency the number of requests at a time
 */
export async function workOnList(
  call: BulkCall,
  { found, service, options }: Pick<ReadyList, 'found' | 'service' | 'options'>,
  concurrency: number,
  work: (bulk: Bulk, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const { context, journal } = call;
  await withBulkClient(call, service.settings, concurrency, async (client) => {
    const bulk = await openFound({ ...options, client }, found);
    await interruptible(context.io.signals, async (signal) => {
      let status: BulkStatus | undefined;
      try {
        await work(bulk, signal);
        if (!signal.aborted) await reportRemaining(call, bulk);
        status = bulk.status();
      } catch (error) {
        if (signal.aborted && bulk.status().isFixed) status = bulk.status();
        else if (!(error instanceof JournalWriteError) || error.isMissing) throw error;
        else context.log(`error: ${error.message}`);
      } finally {
        await bulk.close();
      }
      // After a failed write, only the file says what is known.
      report(call, status ?? (await readBulk(journal)), signal);
    });
  });
}

/** Words an error of the beginning of a list. Only the call that lists the baseline is a call of its own. */
export function explainBegin(error: unknown): unknown {
  const isCall = error instanceof MessagingError && error.operation !== undefined;
  if (!isCall || error instanceof AbortError) return error;
  const { exitCode, message } = explain(error);
  const advice = '--baseline-pagesize 0 sends without a baseline';
  return new CommandFailure(
    exitCode,
    `${message}; nothing was sent, because the baseline could not be listed (${advice})`,
  );
}

/** Says what will be sent and where to, and asks when somebody can be asked. @throws {CommandFailure} for a "no" */
export async function confirm(
  { flags, context }: BulkCall,
  { settings, profile }: ListService,
  { rows, parts, senders, indistinguishable, isNew, isChanged }: BeforeList,
  signal: AbortSignal,
): Promise<void> {
  const { log } = context;
  const [first = null] = senders;
  const sender = senders.size > 1 ? `${formatCount(senders.size)} senders` : (first ?? 'no sender');
  const where = `${settings.baseUrl?.value}${profile === undefined ? '' : ` (profile ${profile})`}`;
  log(`${formatRows(rows)} (${formatParts(parts)}) from ${sender} to ${where}`);
  if (indistinguishable > 0) log(describeIndistinguishable(indistinguishable));
  if (flags.yes || !(isNew || isChanged)) return;
  if (!canAsk(context.io)) {
    if (!isNew) return;
    throw new UsageError('a new list needs --yes where nobody can be asked; nothing was sent');
  }
  const reply = await ask(context.io, signal, ({ text }, terminal) => text({ message: 'Send? [y/N]', ...terminal }));
  if (!/^y(es)?$/i.test(reply)) throw new CommandFailure(exitCodes.usage, 'nothing was sent');
}

/** Says what rows that cannot be told apart mean. There are at least two. */
function describeIndistinguishable(count: number): string {
  return `${formatRows(count)} have the receptor and text of another row: after a lost response, their messages can only be counted`;
}

function formatParts(parts: number): string {
  return `${formatCount(parts)} ${parts === 1 ? 'part' : 'parts'}`;
}

/** The number of rows that are shown as examples. */
const MAX_EXAMPLES = 5;

/** Checks a file, and says what would be sent, what may be a mistake, and what the journal knows. */
export async function checkOnly(
  { context: { log } }: BulkCall,
  { found, options, settings }: ReadyList,
): Promise<void> {
  const { rows, batches, parts, first, longest, indistinguishable } = await checkBulk(options);
  log(`${formatRows(rows)} in ${formatCount(batches)} ${batches === 1 ? 'request' : 'requests'}; nothing was sent`);
  log(`first request: ${formatJson(first)}`);
  log(`${formatParts(parts)} in all messages, as networks commonly count`);
  const { row, characters } = longest;
  log(`the longest text has ${formatCount(characters)} characters in ${formatParts(longest.parts)} (row ${row})`);
  const examples = `${indistinguishable.slice(0, MAX_EXAMPLES).join(', ')}${indistinguishable.length > MAX_EXAMPLES ? ', …' : ''}`;
  if (indistinguishable.length > 0) log(`${describeIndistinguishable(indistinguishable.length)} (rows ${examples})`);
  tellJournal(log, found, settings.baselinePagesize > 0);
}

/** Says what the journal knows, and what the next run does. */
function tellJournal(log: Context['log'], found: FoundList | undefined, hasBaseline: boolean): void {
  const { state } = found ?? {};
  if (state?.isFixed) {
    const { pending, unknown, ...counts } = state.table.counts();
    log(`the journal says: ${summaryOf({ ...counts, pending, unknown })}`);
    log(
      pending + unknown > 0
        ? `the next run goes on with ${formatRows(pending + unknown)}`
        : 'the next run sends nothing',
    );
    if (!state.baseline?.pagesize) log('no baseline was listed: fewer rows whose response is lost can be decided');
    return;
  }
  if (state) log('the journal says that nothing was sent: the next run begins the list anew');
  const baseline = hasBaseline
    ? 'a baseline is listed first: a row whose response is lost can be looked up'
    : 'no baseline is listed: fewer rows whose response is lost can be decided';
  log(baseline);
}
