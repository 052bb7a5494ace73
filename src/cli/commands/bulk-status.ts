import type { Field } from '../../../generated/operations';
import type { BulkRow, BulkStatus, RowState } from '../../bulk';
import { formatCsvHeader, formatCsvRow, formatJson, formatTable } from '../output/formats';
import { visibleExactly } from '../output/text';
import type { Context } from '../shared/command';
import type { GlobalOptions } from '../shared/settings';
import { summaryOf } from './bulk-advice';
import type { BulkFlags } from './bulk-options';

export const rowStates: readonly RowState[] = ['pending', 'unknown', 'sent', 'rejected'];

const rowFields: readonly Field[] = [
  { name: 'row', type: 'int', optional: false },
  { name: 'state', type: 'string', optional: false },
  { name: 'ids', type: 'string', optional: false },
  { name: 'error', type: 'string', optional: false },
];

/** Prints the counts, or the rows that stand in a state. */
export async function printStatus(
  status: BulkStatus,
  flags: BulkFlags & GlobalOptions,
  context: Context,
): Promise<void> {
  const { io, stdout } = context;
  const format = flags.output ?? (io.stdout.isTTY ? 'table' : 'csv');
  if (flags.state === undefined) {
    if (flags.output === undefined || format === 'table') await stdout.write(`${summaryOf(status.counts)}\n`);
    else if (format === 'csv') await stdout.write(csvOf(Object.entries(status.counts)));
    else await stdout.write(`${formatJson(status.counts)}\n`);
  } else {
    await printRows(status.rows(flags.state as RowState), format, context);
  }
  await stdout.finish();
}

async function printRows(rows: Iterable<BulkRow>, format: string, { io, stdout }: Context): Promise<void> {
  const show = io.stdout.isTTY ? visibleExactly : (text: string) => text;
  if (format === 'table') {
    await stdout.write(formatTable(rowFields, Array.from(rows, flat)));
    return;
  }
  if (format === 'json') {
    await stdout.write(`${formatJson(Array.from(rows, plain))}\n`);
    return;
  }
  if (format === 'csv') await stdout.write(formatCsvHeader(rowFields));
  for (const row of rows) {
    await stdout.write(format === 'csv' ? formatCsvRow(rowFields, flat(row), show) : `${formatJson(plain(row))}\n`);
  }
}

function plain({ row, state, ids, error, notFound }: BulkRow): object {
  return { row, state, ids, error, notFound };
}

/** With the ids in one cell. */
function flat({ row, state, ids, error, notFound }: BulkRow): Readonly<Record<string, unknown>> {
  return { row, state, ids: ids.join(' '), error: notFound ? 'not found' : error };
}

function csvOf(entries: readonly (readonly [string, number])[]): string {
  return `state,rows\r\n${entries.map(([name, count]) => `${name},${count}\r\n`).join('')}`;
}
