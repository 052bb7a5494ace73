import { existsSync } from 'node:fs';
import { Option } from 'commander';
import { InputError, type ResolveOptions, type RowRange } from '../../../bulk';
import { Bulk } from '../../../bulk/bulk';
import { List } from '../../../bulk/list/list';
import { describePlace } from '../../../bulk/list/open-rows';
import { checkRowOptions, journalOptions } from '../../../bulk/options';
import { rowsOf } from '../../../bulk/state/records';
import { statusOf } from '../../../bulk/status';
import type { CliCommand, Context } from '../../commander/command';
import { readLongValue } from '../../fields/field-values';
import { addFlags, readFlags } from '../../fields/flags';
import { UsageError } from '../../terminal/failure';
import { type BulkCall, readListOptions, setAction } from './command';
import { reportCounts } from './report';
import { formatRows, nameRefusal, refusalsOf } from './words';

export function defineBulkResolve(command: CliCommand, context: Context): void {
  command
    .description(
      'Records whether unknown rows were sent, when you know it from somewhere else, such as the operator of the service. A row that was not sent becomes pending.',
    )
    .addExamples([
      'bulk resolve list.csv --row 12 --as sent --id 9007199254740993',
      'bulk resolve list.csv --row 3,7-9 --as not-sent',
    ]);
  const as = new Option('--as <outcome>', 'record that these rows were sent, or were not');
  addFlags(command, journalOptions)
    .requiredOption('--row <rows>', 'the unknown rows, such as 3,7-9')
    .addOption(as.choices(['sent', 'not-sent']).makeOptionMandatory())
    .option('--id <id>', 'the message id of a single row that was sent');
  setAction(command, context, async (call) => {
    const { row, as: outcome, id } = call.flags as { row: string; as: ResolveOptions['as']; id?: string };
    const ranges = readRanges(row);
    const given = id === undefined ? undefined : readLongValue(id, '--id');
    await withOpenBulk(call, async (bulk, list) => {
      for (const line of await describePlaces(call, list, ranges)) context.log(line);
      const rows = await bulk.resolve({ ranges, as: outcome, id: given });
      const next = `not sent: the next run sends ${rows === 1 ? 'it' : 'them'}`;
      const effect = outcome === 'sent' ? 'sent' : next;
      context.log(`${formatRows(rows)} recorded as ${effect}`);
    });
  });
}

export function defineBulkRetry(command: CliCommand, context: Context): void {
  command
    .description(
      'Makes rejected rows pending, so that the next run sends them, and left-out rows by their number. A refusal of several rows in one request is taken to mean that none of them was sent; each of them is sent alone now. Without options, counts rejected rows by reason.',
    )
    .addExamples(['bulk retry list.csv --status 412', 'bulk retry list.csv --row 3,7-9']);
  addFlags(command, journalOptions)
    .option('--status <status>', 'the rows that were refused with this status, such as 412, http-404 or fault')
    .option('--row <rows>', 'these rows, such as 3,7-9')
    .option('--all', 'all rejected rows');
  setAction(command, context, async (call) => {
    const { status: refusal, row, all } = call.flags as { status?: string; row?: string; all?: true };
    const given = [refusal, row, all].filter((option) => option !== undefined).length;
    if (given > 1) throw new UsageError('give one of --status, --row and --all');
    if (given === 0) {
      const status = statusOf(await List.read(call.journal));
      const lines = [...refusalsOf(status)].map(([refusal, count]) => `${count}\t${nameRefusal(refusal)}\n`);
      await context.stdout.write(lines.join(''));
      return reportCounts(call, status);
    }
    const options = row !== undefined ? { ranges: readRanges(row) } : { status: refusal, all };
    await withOpenBulk(call, async (bulk) => {
      const rows = await bulk.retry(options);
      context.log(`${formatRows(rows)} ${rows === 1 ? 'is' : 'are'} pending again`);
    });
  });
}

/** The number of rows of which it is said where they are now. */
const MAX_PLACES = 10;

/** Says where rows of a list are in a file that has changed since. */
async function describePlaces(call: BulkCall, list: List, ranges: readonly RowRange[]): Promise<readonly string[]> {
  if (!existsSync(call.file)) return [];
  const rows = [...rowsOf(ranges)].slice(0, MAX_PLACES);
  try {
    const places = await list.findRows(checkRowOptions(await readListOptions(call, list.state.list)), rows);
    return places.map((place) => `row ${place.row}: ${describePlace(place)}`);
  } catch (error) {
    if (error instanceof InputError) return [`the file cannot be read: ${error.message}`];
    throw error;
  }
}

async function withOpenBulk(call: BulkCall, work: (bulk: Bulk, list: List) => Promise<void>): Promise<void> {
  const { journal, flags } = call;
  const list = await List.read(journal, { ...readFlags(flags, journalOptions), keepsMessages: true });
  const bulk = new Bulk(undefined, list);
  try {
    await work(bulk, list);
  } finally {
    await bulk.close();
  }
  reportCounts(call, bulk.status());
}

/** Reads "3,7-9". @throws {UsageError} */
function readRanges(text: string): RowRange[] {
  return text.split(',').map((part) => {
    const [, from, to = from] = /^\s*(\d{1,10})(?:-(\d{1,10}))?\s*$/.exec(part) ?? [];
    if (from === undefined || Number(from) < 1 || Number(from) > Number(to))
      throw new UsageError(`--row: ${JSON.stringify(text)} is not a list of rows such as 3,7-9`);
    return [Number(from), Number(to)];
  });
}
