import { type BeforeList, checkBulk, JournalWriteError, type RunOptions, readBulk } from '../../../bulk';
import { type Bulk, openKnown } from '../../../bulk/bulk';
import { List } from '../../../bulk/list';
import {
  checkRate,
  checkRowOptions,
  checkSettling,
  checkUniqueIds,
  journalOptions,
  movedOption,
} from '../../../bulk/options';
import { settleOption } from '../../../bulk/reconcile/reconcile';
import { ID_FIELD } from '../../../bulk/rows/fields';
import { runOptions } from '../../../bulk/sending/options';
import { NO_ROWS } from '../../../bulk/state/row-table';
import { AbortError, MessagingError } from '../../../errors';
import { checkOptions } from '../../../options/table';
import type { CliCommand, Context } from '../../commander/command';
import { addFlags, readFlags } from '../../fields/flags';
import { formatJson } from '../../output/json';
import { addCallOptions } from '../../settings/global-options';
import { explain } from '../../terminal/explain';
import { CommandFailure, exitCodes, UsageError } from '../../terminal/failure';
import { ask, canAsk } from '../../terminal/questions';
import { addListOptions, type BulkCall, keptOptionsOf, readListOptions, setAction } from './command';
import { BulkProgress, PUSHED_BACK, SETTLING, withBulkClient } from './progress';
import { report, reportRemaining } from './report';
import { readService, type ServiceInForce } from './service';
import { tellTwin } from './twin';
import { describeFindings, describeRepeats, formatAmount, formatCount, formatRows, summaryOf } from './words';

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
  addFlags(command.optionsGroup('Sending:'), { ...runOptions, ...journalOptions, ...movedOption });
  addCallOptions(command);
  setAction(command, context, run);
}

/** What a command needs to send a list: the list as its journal knows it, its service, and all options. */
type RunCall = Awaited<ReturnType<typeof readRun>>;

/** @param known the list as its journal knows it; undefined for a new one. @throws {UsageError} */
export async function readRun(call: BulkCall, known: List | undefined) {
  const { state } = known ?? {};
  const service = readService(call, known);
  const texts = { ...service.texts, ...keptOptionsOf(call, state?.settings) };
  const options = await readListOptions(call, state?.list, { ...service, texts });
  const settings = checkOptions(runOptions, {
    baselinePagesize: state?.baseline?.pagesize,
    uniqueClientmessageid: texts.uniqueClientmessageid,
    ...readFlags(call.flags, runOptions),
  });
  if (state?.isLocked && settings.baselinePagesize !== state.baseline?.pagesize)
    call.context.log('warning: rows may have been sent already, so no other baseline is listed');
  return { known, service, options, settings };
}

async function run(call: BulkCall): Promise<void> {
  const given = await readRun(call, await List.find(call.journal));
  if (call.flags.dryRun) return dryRun(call, given);
  await workOnList(call, given, async (bulk, progress, signal) => {
    const options: RunOptions = {
      ...given.settings,
      signal,
      onBegin: (before) => {
        progress.counts = { ...NO_ROWS, total: before.rows, pending: before.rows };
        return confirm(call, given.service, before, signal);
      },
      onProgress: (now) => progress.show(now),
      onWarning: (message) => progress.tell(`warning: ${message}`),
      onPause: (ms) => progress.wait(ms, PUSHED_BACK),
      onWait: (ms) => progress.wait(ms, SETTLING),
      onReconciled: (result) => progress.tell(describeFindings(result)),
      onRepeat: (rows) => progress.tell(describeRepeats(rows, given.settings.uniqueClientmessageid)),
    };
    const { stopped } = await bulk.run(options).catch(refuseBegin);
    if (stopped !== undefined) progress.tell(`stopped: ${stopped}`);
  });
}

export function defineBulkReconcile(command: CliCommand, context: Context): void {
  command
    .description(
      'Looks for unknown rows among the messages that the service lists, and sends nothing. A row that is found becomes sent, a row that the service provably does not have becomes pending.',
    )
    .addExamples(['bulk reconcile list.csv']);
  addFlags(command, { ...settleOption, ...journalOptions, ...movedOption });
  addCallOptions(command);
  setAction(command, context, reconcileRows);
}

async function reconcileRows(call: BulkCall): Promise<void> {
  const { flags } = call;
  const given = await readRun(call, await List.read(call.journal));
  await workOnList(call, given, async (bulk, progress, signal) => {
    const onWait = (ms: number) => progress.wait(ms, SETTLING);
    const findings = await bulk.reconcile({ ...readFlags(flags, settleOption), signal, onWait });
    const { queued } = bulk.status();
    progress.tell(queued > 0 ? NOT_LOOKED : describeFindings(findings));
  });
}

/** A message of a worker could be taken for that of an unknown row. */
const NOT_LOOKED = 'no row was looked for, because rows are in the queue or with a worker';

/** Opens a list with a client, works on it until a signal, and reports its state. */
async function workOnList(
  call: BulkCall,
  { known, service, options }: RunCall,
  work: (bulk: Bulk, progress: BulkProgress, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const progress = new BulkProgress(call.context, known?.state.table.counts() ?? NO_ROWS);
  const { result, signal } = await withBulkClient(call, service.inForce, progress, async (client, signal, account) => {
    const bulk = await openKnown({ ...options, client, account }, known, signal);
    try {
      await work(bulk, progress, signal);
      progress.end();
      if (!signal.aborted) await reportRemaining(call, bulk);
      return bulk.status();
    } catch (error) {
      if (signal.aborted && bulk.status().isLocked) return bulk.status();
      if (!(error instanceof JournalWriteError) || error.isMissing) throw error;
      progress.tell(`error: ${error.message}`);
      return undefined;
    } finally {
      await bulk.close();
    }
  });
  // After a failed write, only the file says what is known.
  report(call, result ?? (await readBulk(call.journal)), signal);
}

/** Words an error of the beginning of a list. Only the call that lists the baseline is a call of its own. */
export function refuseBegin(error: unknown): never {
  const isCall = error instanceof MessagingError && error.operation !== undefined;
  if (!isCall || error instanceof AbortError) throw error;
  const { exitCode, message } = explain(error);
  const what = 'nothing was sent, because the baseline could not be listed';
  throw new CommandFailure(exitCode, `${message}; ${what} (--baseline-pagesize 0 sends without a baseline)`);
}

/** Says what will be sent and where to, and asks when somebody can be asked. @throws {CommandFailure} for a "no" */
export async function confirm(
  call: BulkCall,
  { inForce: { settings }, texts: { profile } }: ServiceInForce,
  {
    rows,
    parts,
    senders,
    indistinguishable,
    oddReceptors,
    ofSeveralLines,
    firstText,
    isNew,
    isChanged,
    fingerprint,
  }: BeforeList,
  signal: AbortSignal,
): Promise<void> {
  const { flags, context } = call;
  const { log } = context;
  const [first = null] = senders;
  const sender = senders.size > 1 ? `${formatCount(senders.size)} senders` : (first ?? 'no sender');
  const where = `${settings.baseUrl?.value}${profile === undefined ? '' : ` (profile ${profile})`}`;
  log(`${formatRows(rows)} (${formatAmount(parts, 'part')}) from ${sender} to ${where}`);
  for (const line of describeUnusual(oddReceptors, ofSeveralLines)) log(line);
  if (indistinguishable > 0) log(describeIndistinguishable(indistinguishable));
  const hasTwin = isNew && (await tellTwin(call, fingerprint));
  if (!hasTwin && (flags.yes || !(isNew || isChanged))) return;
  if (!canAsk(context.io)) {
    if (hasTwin) throw new UsageError('rows of this list may have been sent under another name; nothing was sent');
    const what = isNew ? 'a new list' : 'a list that has changed';
    throw new UsageError(`${what} needs --yes where nobody can be asked; nothing was sent`);
  }
  log(`the first text: ${JSON.stringify(firstText)}`);
  const message = hasTwin ? 'Send everybody a second message? [y/N]' : 'Send? [y/N]';
  const reply = await ask(context.io, signal, ({ text }, terminal) => text({ message, ...terminal }));
  if (!/^y(es)?$/i.test(reply)) throw new CommandFailure(exitCodes.usage, 'nothing was sent');
}

/** Names receptors that look wrong, and texts of several lines, which a stray quote may have made. */
function* describeUnusual(
  { count, first }: BeforeList['oddReceptors'],
  ofSeveralLines: BeforeList['ofSeveralLines'],
): Generator<string> {
  if (count > 0) {
    const are = count === 1 ? 'receptor is' : 'receptors are';
    const rows = first.map(({ row, receptor }) => `row ${row}: ${JSON.stringify(receptor)}`).join(', ');
    yield `${formatCount(count)} ${are} not plain digits: ${rows}${count > first.length ? ', …' : ''}`;
  }
  if (ofSeveralLines.count > 0) {
    const texts = ofSeveralLines.count === 1 ? 'row has a text' : 'rows have a text';
    yield `${formatCount(ofSeveralLines.count)} ${texts} of several lines (first: row ${ofSeveralLines.row})`;
  }
}

/** Says what rows that cannot be told apart mean. There are at least two. */
function describeIndistinguishable(count: number): string {
  const effect = 'if a response is lost, the program cannot tell which of them was sent';
  return `${formatRows(count)} have the receptor and text of another row: ${effect}`;
}

/** The number of rows that are shown as examples. */
const MAX_EXAMPLES = 5;

/** Checks a file, and says what would be sent, what may be a mistake, and what the journal knows. */
export async function dryRun(call: BulkCall, { known, options, settings }: RunCall): Promise<void> {
  const { log } = call.context;
  // It refuses what a run refuses.
  const given = checkRowOptions(options);
  checkSettling(settings.settleMs, given.plan);
  checkRate(settings.rowsPerSecond, given.plan.batchSize);
  if (known?.state.isLocked || settings.uniqueClientmessageid !== 'never')
    checkUniqueIds(settings.uniqueClientmessageid, (await List.check(given, known)).rows);
  const { rows, batches, parts, first, longest, indistinguishable, oddReceptors, ofSeveralLines, fingerprint } =
    await checkBulk(options);
  log(`${formatRows(rows)} in ${formatAmount(batches, 'request')}; nothing was sent`);
  log(`first request: ${formatJson(first)}`);
  if (ID_FIELD in first && first[ID_FIELD] === undefined) log(`each row gets a ${ID_FIELD} of its own`);
  log(`${formatAmount(parts, 'part')} in all messages, as networks commonly count`);
  const { row, characters } = longest;
  log(
    `the longest text has ${formatCount(characters)} characters in ${formatAmount(longest.parts, 'part')} (row ${row})`,
  );
  for (const line of describeUnusual(oddReceptors, ofSeveralLines)) log(line);
  if (indistinguishable.length > 0) {
    const examples = indistinguishable.slice(0, MAX_EXAMPLES).join(', ');
    const more = indistinguishable.length > MAX_EXAMPLES ? ', …' : '';
    log(`${describeIndistinguishable(indistinguishable.length)} (rows ${examples}${more})`);
  }
  if (!known) await tellTwin(call, fingerprint);
  tellJournal(log, known?.state, settings.baselinePagesize > 0);
}

/** Says what the journal knows, and what the next run does. */
function tellJournal(log: Context['log'], state: List['state'] | undefined, hasBaseline: boolean): void {
  const fewer = 'fewer rows whose response is lost can be decided';
  if (state?.isLocked) {
    const { pending, unknown, ...counts } = state.table.counts();
    const left = pending + unknown;
    log(`the journal says: ${summaryOf({ ...counts, pending, unknown })}`);
    log(left > 0 ? `the next run goes on with ${formatRows(left)}` : 'the next run sends nothing');
    if (!state.baseline?.pagesize) log(`no baseline was listed: ${fewer}`);
    return;
  }
  if (state) log('the journal says that nothing was sent: the next run begins the list anew if it has changed');
  const lookedUp = 'a baseline is listed first: a row whose response is lost can be looked up';
  log(hasBaseline ? lookedUp : `no baseline is listed: ${fewer}`);
}
