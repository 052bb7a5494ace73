import { existsSync } from 'node:fs';
import { Option } from 'commander';
import {
  type BulkDelivery,
  type BulkResult,
  type BulkStatus,
  InputError,
  JournalError,
  type RowState,
  rowStates,
} from '../../../bulk';
import { Bulk } from '../../../bulk/bulk';
import { List } from '../../../bulk/list/list';
import { earlierJournals } from '../../../bulk/list/replace';
import { checkRowOptions, journalOptions } from '../../../bulk/options';
import { RedisError } from '../../../bulk/queue';
import { countQueued } from '../../../bulk/queue/queue-counts';
import { resultOf } from '../../../bulk/results';
import { statusOf } from '../../../bulk/status';
import { deliveryOf, readTracking, trackBulk } from '../../../bulk/track';
import type { SettingsInForce } from '../../../client/options/sources';
import { ConfigurationError } from '../../../errors';
import { formatCsvRow } from '../../../internal/csv';
import type { Element } from '../../../soap/element';
import type { CliCommand, Context } from '../../commander/command';
import { addFlags, readFlags } from '../../fields/flags';
import { formatJson } from '../../output/json';
import { ResultPrinter, reportType } from '../../output/result-printer';
import { addCallOptions, addOutputOptions } from '../../settings/global-options';
import { openSession } from '../../settings/session';
import { UsageError } from '../../terminal/failure';
import { StatusLine } from '../../terminal/status-line';
import { addTrackOptions, changePrinter, changeType, neededForTracking, reportingTracker } from '../track';
import { type BulkCall, keptOptionsOf, readListOptions, readStates, setAction, tellSteps } from './command';
import { describeEarlier } from './dry-run';
import { stepsOfChangedFile, stepsOfQueue } from './next-steps';
import { redisOfList } from './queue';
import { printNextSteps } from './report';
import { readService } from './service';
import { describeDelivery, formatCount, formatRows, summaryOf } from './words';

const rowType = reportType(['row', 'state', 'batch', 'ids', 'error']);

export function defineBulkStatus(command: CliCommand, context: Context): void {
  command
    .description('Shows the number of rows in each state, or lists the rows in a state, and says what to do next.')
    .addExamples(['bulk status list.csv', 'bulk status list.csv --state unknown --output csv']);
  command.addOption(new Option('--state <state>', 'list the rows that are in this state').choices(rowStates));
  addOutputOptions(command, rowType.columns);
  setAction(command, context, async (call) => {
    const list = await List.read(call.journal);
    const status = statusOf(list);
    if (call.flags.state === undefined) await printCounts(call, status);
    else {
      const printer = new ResultPrinter(rowType, call.flags, context);
      await printer.print(status.rows(call.flags.state as RowState));
      await printer.end();
    }
    const tracking = await readTracking(call.journal);
    if (status.queued > 0) await tellQueue(call, list);
    if (tracking.statuses.size > 0) context.log(`delivery: ${describeDelivery(deliveryOf(list, tracking))}`);
    for (const path of await earlierJournals(list.path))
      context.log(`earlier list ${describeEarlier(await List.read(path))}`);
    printNextSteps(call, status);
  });
}

/** Says how far the queue of a list is. */
async function tellQueue(call: BulkCall, list: List): Promise<void> {
  const { log } = call.context;
  try {
    const own = list.state.queue?.redis as string;
    const counts = await countQueued(list, { redis: redisOfList(call, own) ?? own });
    if (!counts) {
      log('the queue cannot be asked within 2 seconds: it has too many rows');
      return;
    }
    const { waiting, inNoQueue, claimed, silent, done, lost } = counts;
    const words = [`${formatRows(waiting)} waiting`, `${formatCount(claimed)} with a worker`];
    if (silent > 0) words.push(`${formatCount(silent)} with a worker that has ended or does not respond`);
    log(`in the queue: ${words.join(', ')}, ${formatCount(done)} done`);
    tellSteps(call, stepsOfQueue(call.file, list.state.queue, { inNoQueue, lost }));
  } catch (error) {
    if (!(error instanceof ConfigurationError || error instanceof RedisError)) throw error;
    log(`the queue cannot be asked: ${error.message}`);
  }
}

async function printCounts({ flags, context: { stdout } }: BulkCall, { counts }: BulkStatus): Promise<void> {
  const { output = 'table', columns: chosen, spreadsheet } = flags;
  if (chosen !== undefined || spreadsheet)
    throw new UsageError(`${spreadsheet ? '--spreadsheet' : '--columns'} needs --state`);
  const rows = Object.entries(counts).filter(([state]) => state !== 'total');
  if (output === 'table') await stdout.write(`${summaryOf(counts)}\n`);
  else if (output === 'csv')
    await stdout.write([['state', 'rows'], ...rows].map((values) => formatCsvRow(values, '\r\n')).join(''));
  else await stdout.write(`${formatJson(counts)}\n`);
  await stdout.finish();
}

const columns = ['result_row', 'result_state', 'result_messageid', 'result_status', 'result_reason'];

/** The beginning of the names of the columns that this command adds. */
const PREFIX = 'result_';

export function defineBulkResults(command: CliCommand, context: Context): void {
  command
    .description(
      `Prints every row: the file's own columns without those named ${PREFIX}…, its state, its message id, its delivery status and the reason.`,
    )
    .addExamples(['bulk results list.csv > results.csv', 'bulk results list.csv --state rejected,unknown']);
  command.addOption(new Option('--state <states>', 'print only the rows in these states, with commas between them'));
  addOutputOptions(command, reportType(columns).columns);
  setAction(command, context, printResults);
}

async function printResults(call: BulkCall): Promise<void> {
  const { flags, context, journal } = call;
  const states = flags.state === undefined ? rowStates : readStates(flags.state as string, rowStates);
  const list = await List.read(journal, { keepsMessages: true });
  try {
    await list.readRecorded(checkRowOptions(await readListOptions(call, list.state.list)));
  } catch (error) {
    const isChanged = error instanceof InputError || (error instanceof JournalError && error.code === 'changed');
    if (!isChanged) throw error;
    return printWithoutColumns(call, list, states);
  }
  const results = new Bulk(undefined, list).results();
  // The first row names the columns.
  let next = await results.next();
  const all = next.done ? [] : next.value.columnNames;
  const own = all.filter((name) => !name.startsWith(PREFIX));
  if (own.length < all.length) context.log(`columns of the file that are named ${PREFIX}… are left out`);
  const printer = new ResultPrinter(reportType([...own, ...columns]), flags, context);
  async function* rows(): AsyncGenerator<object> {
    for (; !next.done; next = await results.next()) if (states.includes(next.value.state)) yield recordOf(next.value);
  }
  await printer.print(rows());
  await printer.end();
}

/** Prints what the journal knows of each row. The file has other rows now. */
async function printWithoutColumns(call: BulkCall, list: List, states: readonly RowState[]): Promise<void> {
  const { flags, context, file } = call;
  const missing = existsSync(file) ? 'has changed' : 'is missing';
  context.log(`${file} ${missing}: its columns are left out, and rows are those of the journal`);
  const { statuses } = await readTracking(list.path);
  const { rows } = statusOf(list);
  function* records(): Generator<object> {
    for (const row of rows())
      if (states.includes(row.state)) yield recordOf({ ...resultOf(row, statuses), columns: {} });
  }
  const printer = new ResultPrinter(reportType(columns), flags, context);
  await printer.print(records());
  await printer.end();
  if (existsSync(file)) tellSteps(call, stepsOfChangedFile(file));
}

/** Makes one record of the columns of a row and its outcome. */
function recordOf(
  result: Pick<BulkResult, 'columns' | 'row' | 'state' | 'messageid' | 'status' | 'reason'>,
): Readonly<Record<string, unknown>> {
  const { columns: own, row, state, messageid, status = '', reason } = result;
  const outcome = { result_state: state, result_messageid: messageid, result_status: `${status}` };
  return { ...own, result_row: row, ...outcome, result_reason: reason };
}

const row: Element = { name: 'row', kind: 'integer', type: 'int' };
const rowChangeType = {
  ...changeType,
  columns: [row, ...changeType.columns],
  widest: { row: 2 ** 31 - 1, ...changeType.widest },
};

export function defineBulkTrack(command: CliCommand, context: Context): void {
  command
    .description(
      'Follows the sent rows until each has a final status. A terminal shows the rows by status, a file gets each change. Goes on where it stopped, whatever crashed.',
    )
    .addExamples(['bulk track list.csv --final-statuses 6,10,11 --within 2h > changes.csv']);
  addFlags(command, journalOptions);
  addTrackOptions(command);
  addCallOptions(command);
  addOutputOptions(command, rowChangeType.columns);
  setAction(command, context, trackRows);
}

async function trackRows(call: BulkCall): Promise<void> {
  const { flags, context, journal } = call;
  const { within, every } = flags as { readonly within?: number; readonly every?: number };
  const list = await List.read(journal);
  const service = readService(call, list.state);
  const inForce = await withLastStatuses(call, service.inForce);
  const session = openSession(inForce, context, {
    needed: neededForTracking,
    verbose: flags.verbose,
    clientOptions: { keepAlive: true },
  });
  const { options, signal } = session;
  await list.keepSettings({ ...service.texts, ...keptOptionsOf(call, list.state.settings) });
  await list.close();
  const printer = changePrinter(rowChangeType, flags, context);
  // A terminal gets the counts: thousands of changes would run away.
  const isCounted = printer.format === 'table' && flags.output === undefined && flags.columns === undefined;
  const status = new StatusLine(context.io.stdout, context.log);
  let delivery: BulkDelivery | undefined;
  try {
    delivery = await trackBulk(list, {
      client: reportingTracker(session, context, () => status.clear()),
      signal,
      withinMs: within,
      everyMs: every,
      ...readFlags(flags, journalOptions),
      // Otherwise it would be missing.
      finalStatuses: [...(options.finalStatuses as ReadonlySet<number>)],
      onChange: (change) => (isCounted ? undefined : printer.print([change], signal)),
      onProgress: (now) => {
        delivery = now;
        if (isCounted) status.start(() => describeDelivery(delivery as BulkDelivery));
      },
    });
    if (!isCounted) await printer.end(signal);
  } finally {
    status.end();
    printer.progress?.end();
    session.close();
    if (delivery) context.log(describeDelivery(delivery));
  }
}

/** Adds the final statuses of the last tracking, which an option or a named profile replaces. */
async function withLastStatuses({ flags, journal }: BulkCall, inForce: SettingsInForce): Promise<SettingsInForce> {
  if (flags.finalStatuses !== undefined || flags.profile !== undefined) return inForce;
  const { finalStatuses: value } = await readTracking(journal);
  const finalStatuses = { value, source: 'the last tracking' };
  return value ? { ...inForce, settings: { ...inForce.settings, finalStatuses } } : inForce;
}
