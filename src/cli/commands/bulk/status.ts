import type { Element } from '../../../../generated/operations';
import type { BulkRow, BulkStatus, RowState } from '../../../bulk';
import type { Context } from '../../commander/command';
import { formatJson } from '../../output/json';
import { ResultPrinter, type ResultType } from '../../output/result-printer';
import type { GlobalOptions } from '../../settings/global-options';
import { UsageError } from '../../terminal/failure';
import { summaryOf } from './advice';
import type { BulkFlags } from './options';

export const rowStates: readonly RowState[] = ['pending', 'unknown', 'sent', 'rejected'];

const columns: readonly Element[] = [
  { name: 'row', kind: 'integer', type: 'int' },
  { name: 'state', kind: 'text' },
  { name: 'batch', kind: 'integer', type: 'int' },
  { name: 'ids', kind: 'text' },
  { name: 'error', kind: 'text' },
];
const rowType: ResultType = { columns, isRecord: true, isList: true, isCounted: false };

/** Prints the counts, or the rows that stand in a state. @throws {UsageError} for a column that there is not */
export async function printStatus(
  status: BulkStatus,
  flags: BulkFlags & GlobalOptions,
  context: Context,
): Promise<void> {
  if (flags.state === undefined) {
    await printCounts(status, flags, context);
    return;
  }
  const printer = new ResultPrinter(rowType, flags, context);
  const isJson = printer.format === 'json' || printer.format === 'ndjson';
  await printer.print(mapRows(status.rows(flags.state as RowState), isJson ? plain : flat));
  await printer.end();
}

async function printCounts({ counts }: BulkStatus, flags: GlobalOptions, { stdout }: Context): Promise<void> {
  const { output = 'table', columns } = flags;
  if (columns !== undefined) throw new UsageError('--columns: it needs --state');
  if (output === 'table') await stdout.write(`${summaryOf(counts)}\n`);
  else if (output === 'csv') await stdout.write(csvOf(counts));
  else await stdout.write(`${formatJson(counts)}\n`);
  await stdout.finish();
}

function* mapRows(rows: Iterable<BulkRow>, shape: (row: BulkRow) => object): Generator<object> {
  for (const row of rows) yield shape(row);
}

function plain({ row, state, batch, ids, error, notFound }: BulkRow): object {
  return { row, state, batch, ids, error, notFound };
}

/** With the ids in one cell. */
function flat({ row, state, batch, ids, error, notFound }: BulkRow): Readonly<Record<string, unknown>> {
  return { row, state, batch, ids: ids.join(' '), error: notFound ? 'not found' : error };
}

/** A line for each state; the number of all rows is no state. */
function csvOf({ rows: _, ...states }: BulkStatus['counts']): string {
  return `state,rows\r\n${Object.entries(states)
    .map(([name, count]) => `${name},${count}\r\n`)
    .join('')}`;
}
