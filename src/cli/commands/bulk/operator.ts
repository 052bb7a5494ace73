import { resolve } from 'node:path';
import { Option } from 'commander';
import {
  type BulkRow,
  type BulkStatus,
  type Listing,
  type ResolveOptions,
  type RowRange,
  type RowState,
  readBulk,
  rowStates,
} from '../../../bulk';
import { type Bulk, openFound } from '../../../bulk/bulk';
import { journalOptions, settleOption } from '../../../bulk/options';
import { splitList } from '../../../bulk/split';
import { readList } from '../../../bulk/state/bulk-journal';
import type { ListRecord } from '../../../bulk/state/records';
import { readDelivery, readTracking } from '../../../bulk/track';
import { formatCsvRow } from '../../../internal/csv';
import type { DateUnit } from '../../../options/settings';
import type { Element } from '../../../soap/element';
import type { CliCommand, Context } from '../../commander/command';
import { readLongValue } from '../../fields/field-values';
import { addFlags, numberOf, readFlags } from '../../fields/flags';
import { formatJson } from '../../output/json';
import { ResultPrinter, type ResultType } from '../../output/result-printer';
import { addCallOptions, addOutputOptions } from '../../settings/global-options';
import { dateUnit } from '../../settings/settings';
import { UsageError } from '../../terminal/failure';
import { type BulkCall, readListOptions, readStates, setAction, spellCommand, spellListOptions } from './command';
import { SETTLING } from './progress';
import {
  describeDelivery,
  describeFindings,
  formatCount,
  formatRows,
  nameRefusal,
  printAdvice,
  refusalsOf,
  reportCounts,
  summaryOf,
} from './report';
import { workOnList } from './run';
import { readService, spellService } from './service';

const columns: readonly Element[] = [
  { name: 'row', kind: 'integer', type: 'int' },
  { name: 'state', kind: 'text' },
  { name: 'batch', kind: 'integer', type: 'int' },
  { name: 'ids', kind: 'text' },
  { name: 'error', kind: 'text' },
];
const rowType: ResultType = { columns, isRecord: true, isList: true, isCounted: false };

/** Defines the command that shows the knowledge of a journal. */
export function defineBulkStatus(command: CliCommand, context: Context): void {
  command
    .description('Shows the number of rows in each state, or lists the rows in a state, and says what to do next.')
    .addExamples(['bulk status list.csv', 'bulk status list.csv --state unknown --output csv']);
  command.addOption(new Option('--state <state>', 'list the rows that are in this state').choices(rowStates));
  addOutputOptions(
    command,
    columns.map(({ name }) => name),
  );
  setAction(command, context, async (call) => {
    const status = await readBulk(call.journal);
    if (call.flags.state === undefined) await printCounts(call, status);
    else await printRows(call, status.rows(call.flags.state as RowState));
    const { statuses } = await readTracking(call.journal);
    if (statuses.size > 0) context.log(`delivery: ${describeDelivery(await readDelivery(call.journal))}`);
    printAdvice(call, status);
  });
}

async function printRows({ flags, context }: BulkCall, rows: Iterable<BulkRow>): Promise<void> {
  const printer = new ResultPrinter(rowType, flags, context);
  const isJson = printer.format === 'json' || printer.format === 'ndjson';
  await printer.print(isJson ? rows : flatten(rows));
  await printer.end();
}

/** Puts the ids of a row in one cell. */
function* flatten(rows: Iterable<BulkRow>): Generator<object> {
  for (const row of rows) yield { ...row, ids: row.ids.join(' ') };
}

async function printCounts({ flags, context: { stdout } }: BulkCall, { counts }: BulkStatus): Promise<void> {
  const { output = 'table', columns: chosen, csvSafe } = flags;
  if (chosen !== undefined || csvSafe) throw new UsageError(`${csvSafe ? '--csv-safe' : '--columns'} needs --state`);
  const rows = Object.entries(counts).filter(([state]) => state !== 'total');
  if (output === 'table') await stdout.write(`${summaryOf(counts)}\n`);
  else if (output === 'csv') await stdout.write([['state', 'rows'], ...rows].map(formatCsvRow).join(''));
  else await stdout.write(`${formatJson(counts)}\n`);
  await stdout.finish();
}

/** Defines the command that looks for unknown rows. */
export function defineBulkReconcile(command: CliCommand, context: Context): void {
  command
    .description(
      'Looks for unknown rows among the messages that the service lists, and sends nothing. A row that is found becomes sent, a row that the service provably does not have becomes pending.',
    )
    .addExamples(['bulk reconcile list.csv']);
  command
    .option('--pagesize <n>', 'list this many of the latest messages')
    .option('--start-unixdate <n>', 'list the messages from this date on')
    .option('--end-unixdate <n>', 'list the messages up to this date');
  addFlags(command, { ...settleOption, ...journalOptions });
  addCallOptions(command);
  setAction(command, context, reconcileRows);
}

async function reconcileRows(call: BulkCall): Promise<void> {
  const { flags, journal } = call;
  const found = await readList(journal);
  const service = readService(call, found);
  const listing = readListing(flags, dateUnit(service.settings));
  const options = await readListOptions(call, found.state.list, service);
  await workOnList(call, { found, service, options }, async (bulk, progress, signal) => {
    const onWait = (ms: number) => progress.wait(ms, SETTLING);
    const findings = await bulk.reconcile({ listing, ...readFlags(flags, settleOption), signal, onWait });
    progress.tell(describeFindings(findings));
  });
}

/** Reads the options of a listing; undefined without them. @throws {UsageError} when they are incomplete */
function readListing(flags: BulkCall['flags'], dates: DateUnit | undefined): Listing | undefined {
  const { pagesize, startUnixdate: start, endUnixdate: end } = flags as Readonly<Record<string, string | undefined>>;
  if (start === undefined && end === undefined)
    return pagesize === undefined ? undefined : { pagesize: numberOf(pagesize) as number };
  if (pagesize !== undefined || start === undefined || end === undefined)
    throw new UsageError('give --pagesize, or --start-unixdate and --end-unixdate');
  const startUnixdate = readLongValue(start, '--start-unixdate', 'startUnixdate', dates);
  return { startUnixdate, endUnixdate: readLongValue(end, '--end-unixdate', 'endUnixdate', dates) };
}

/** Defines the command that records the findings of an operator. */
export function defineBulkResolve(command: CliCommand, context: Context): void {
  command
    .description(
      'Records whether unknown rows were sent, when you know it from somewhere else, such as the operator of the service. A row that was not sent becomes pending.',
    )
    .addExamples([
      'bulk resolve list.csv --row 12 --as sent --id 9007199254740993',
      'bulk resolve list.csv --row 3,7-9 --as not-sent',
    ]);
  const as = new Option('--as <outcome>', 'record that these rows were sent, or were not').choices([
    'sent',
    'not-sent',
  ]);
  addFlags(command, journalOptions)
    .requiredOption('--row <rows>', 'the unknown rows, such as 3,7-9')
    .addOption(as.makeOptionMandatory())
    .option('--id <id>', 'the message id of a single row that was sent');
  setAction(command, context, async (call) => {
    const { row, as: outcome, id } = call.flags as { row: string; as: ResolveOptions['as']; id?: string };
    const ranges = readRanges(row);
    const given = id === undefined ? undefined : readLongValue(id, '--id');
    if (outcome === 'not-sent') context.log(`row ${row}: pending again, so the next run sends it`);
    await change(call, async (bulk) => {
      const rows = await bulk.resolve({ ranges, as: outcome, id: given });
      context.log(`${formatRows(rows)} recorded as ${outcome === 'sent' ? 'sent' : 'not sent'}`);
    });
  });
}

/** Defines the command that makes rejected rows pending. */
export function defineBulkRetry(command: CliCommand, context: Context): void {
  command
    .description(
      'Makes rejected rows pending, so that the next run sends them. A refusal of several rows in one request is taken to mean that none of them was sent; each of them is sent alone now. Without options, counts rejected rows by reason.',
    )
    .addExamples(['bulk retry list.csv --status 412', 'bulk retry list.csv --row 3,7-9']);
  addFlags(command, journalOptions)
    .option('--status <status>', 'the rows that were refused with this status, such as 412, http-404 or fault')
    .option('--row <rows>', 'these rows, such as 3,7-9')
    .option('--all', 'all rejected rows');
  setAction(command, context, async (call) => {
    const { status, row, all } = call.flags as { status?: string; row?: string; all?: true };
    const given = [status, row, all].filter((option) => option !== undefined).length;
    if (given > 1) throw new UsageError('give one of --status, --row and --all');
    if (given === 0) return countRejected(call);
    const options = row !== undefined ? { ranges: readRanges(row) } : { status, all };
    await change(call, async (bulk) => {
      const rows = await bulk.retry(options);
      context.log(`${formatRows(rows)} ${rows === 1 ? 'is' : 'are'} pending again`);
    });
  });
}

/** Defines the command that moves rows into a list of their own. */
export function defineBulkSplit(command: CliCommand, context: Context): void {
  command
    .description(
      'Moves pending or rejected rows into a new file, for example to correct numbers or a text there. This list never sends them.',
    )
    .addExamples(['bulk split list.csv --state pending,rejected --to list-2.csv']);
  addFlags(command, journalOptions)
    .requiredOption(
      '--state <states>',
      'move the rows in these states: pending, rejected, or both with a comma between them',
    )
    .requiredOption('--to <path>', 'the new file');
  setAction(command, context, async (call) => {
    const { state, to } = call.flags as { state: string; to: string };
    const states = readStates(state, ['pending', 'rejected']);
    const found = await readList(call.journal);
    const target = resolve(to);
    const rows = await splitList(await readListOptions(call, found.state.list), { states, to: target }, found);
    const words = [...spellListOptions(found.state.list as ListRecord), ...spellService(call, found.state)];
    call.context.log(`${formatRows(rows)} moved to ${target}`);
    reportCounts(call, await readBulk(call.journal));
    const next = spellCommand({ ...call, file: target }, 'run', ...words);
    call.context.log(`correct the moved rows, then send them: ${next}`);
  });
}

/** Prints the number of rejected rows by the reason, with the command for each. */
async function countRejected(call: BulkCall): Promise<void> {
  const status = await readBulk(call.journal);
  const { stdout } = call.context;
  for (const [refusal, count] of refusalsOf(status))
    await stdout.write(`${formatCount(count)}\t${nameRefusal(refusal)}\n`);
  await stdout.finish();
  printAdvice(call, status);
}

/** Opens a list by its journal, changes rows, and says what to do next. */
async function change(call: BulkCall, work: (bulk: Bulk) => Promise<void>): Promise<void> {
  const { journal, flags } = call;
  const bulk = await openFound({ journal, ...readFlags(flags, journalOptions) });
  try {
    await work(bulk);
  } finally {
    await bulk.close();
  }
  reportCounts(call, bulk.status());
}

/** Reads "3,7-9". @throws {UsageError} */
function readRanges(text: string): RowRange[] {
  return text.split(',').map((part) => {
    const [, from, to = from] = /^\s*(\d{1,10})(?:-(\d{1,10}))?\s*$/.exec(part) ?? [];
    if (from === undefined) throw new UsageError(`--row: ${JSON.stringify(text)} is not a list of rows such as 3,7-9`);
    return [Number(from), Number(to)];
  });
}
