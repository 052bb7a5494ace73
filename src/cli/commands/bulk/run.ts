import { JournalWriteError, type RowOptions, type RunOptions } from '../../../bulk';
import { Bulk } from '../../../bulk/bulk';
import { List } from '../../../bulk/list/list';
import { checkRowOptions, journalOptions, movedOption } from '../../../bulk/options';
import { settleOption } from '../../../bulk/reconcile/reconcile';
import { type RunSettings, runOptions } from '../../../bulk/sending/options';
import { NO_ROWS } from '../../../bulk/state/row-table';
import { statusOf } from '../../../bulk/status';
import { AbortError, MessagingError } from '../../../errors';
import { checkOptions } from '../../../options/table';
import type { CliCommand, Context } from '../../commander/command';
import { addFlags, readFlags } from '../../fields/flags';
import { addCallOptions } from '../../settings/global-options';
import { explain } from '../../terminal/explain';
import { CommandFailure } from '../../terminal/failure';
import { addListOptions, type BulkCall, keptOptionsOf, readListOptions, setAction } from './command';
import { confirm } from './confirm';
import { dryRun } from './dry-run';
import { BulkProgress, PUSHED_BACK, SETTLING, withBulkClient } from './progress';
import { report, reportRemaining } from './report';
import { readService, type ServiceInForce } from './service';
import { describeFindings, describeRepeats } from './words';

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

/** The service and all options of a command that sends a list. */
interface RunCall {
  readonly service: ServiceInForce;
  readonly options: RowOptions;
  readonly settings: RunSettings;
}

/** Reads the options of a list. What was given before is in force until it is given again. @throws {UsageError} */
export async function readRun(call: BulkCall, { state }: List): Promise<RunCall> {
  const service = readService(call, state.list ? state : undefined);
  const kept = keptOptionsOf(call, state.settings);
  const options = await readListOptions(call, state.list, { ...service, texts: { ...service.texts, ...kept } });
  const settings = checkOptions(runOptions, {
    baselinePagesize: state.baseline?.pagesize,
    ...readFlags({ ...call.flags, ...kept }, runOptions),
  });
  if (state.isLocked && settings.baselinePagesize !== state.baseline?.pagesize)
    call.context.log('warning: rows may have been sent already, so no other baseline is listed');
  return { service, options, settings };
}

async function run(call: BulkCall): Promise<void> {
  const list = await List.at(call.journal, { keepsMessages: true });
  const given = await readRun(call, list);
  if (call.flags.dryRun) return dryRun(call, list, given.options, given.settings);
  await workOnList(call, list, given, async (bulk, progress, signal) => {
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
  const list = await List.read(call.journal, { keepsMessages: true });
  const given = await readRun(call, list);
  await workOnList(
    call,
    list,
    given,
    async (bulk, progress, signal) => {
      const onWait = (ms: number) => progress.wait(ms, SETTLING);
      const { settleMs } = given.settings;
      const findings = await bulk.reconcile({ settleMs, signal, onWait });
      const { queued } = bulk.status();
      progress.tell(queued > 0 ? NOT_LOOKED : describeFindings(findings));
    },
    (settings, signal) => list.readRecorded(settings, signal),
  );
}

/** A message of a worker could be taken for that of an unknown row. */
const NOT_LOOKED = 'no row was looked for, because rows are in the queue or with a worker';

/** Opens a list with a client, works on it until a signal, and reports its state. @param read reads the rows */
async function workOnList(
  call: BulkCall,
  list: List,
  { service, options }: RunCall,
  work: (bulk: Bulk, progress: BulkProgress, signal: AbortSignal) => Promise<void>,
  read = (settings: ReturnType<typeof checkRowOptions>, signal: AbortSignal) => list.compare(settings, signal),
): Promise<void> {
  const progress = new BulkProgress(call.context, list.state.table.counts());
  const { result, signal } = await withBulkClient(call, service.inForce, progress, async (client, signal, account) => {
    await read(checkRowOptions({ ...options, account }), signal);
    const bulk = new Bulk(client, list);
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
  report(call, result ?? statusOf(await List.read(call.journal)), signal);
}

/** Words an error of the beginning of a list. Only the call that lists the baseline is a call of its own. */
export function refuseBegin(error: unknown): never {
  const isCall = error instanceof MessagingError && error.operation !== undefined;
  if (!isCall || error instanceof AbortError) throw error;
  const { exitCode, message } = explain(error);
  const what = 'nothing was sent, because the baseline could not be listed';
  throw new CommandFailure(exitCode, `${message}; ${what} (--baseline-pagesize 0 sends without a baseline)`);
}
