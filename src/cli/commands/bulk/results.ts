import { type BulkResult, readBulk, readResults } from '../../../bulk';
import type { CliCommand, Context } from '../../commander/command';
import { ResultPrinter, reportType } from '../../output/result-printer';
import { addOutputOptions } from '../../settings/global-options';
import { readSettings } from '../../settings/settings';
import { addFileArgument, type BulkCall, setAction } from './bulk-command';
import { addListOptions, journalOf, readListOptions } from './options';

const columns = ['result_row', 'result_state', 'result_messageid', 'result_status', 'result_reason'];

/** Defines the command that prints every row with what became of it. */
export function defineBulkResults(command: CliCommand, context: Context): void {
  addFileArgument(command)
    .description(
      "Prints every row: the file's own columns, its state, its message id, its delivery status and the reason.",
    )
    .addExamples(['bulk results list.csv > results.csv', 'bulk results list.csv --output ndjson']);
  addListOptions(command);
  addOutputOptions(command, columns);
  setAction(command, context, printResults);
}

async function printResults(call: BulkCall): Promise<void> {
  const { flags, context } = call;
  const { options: plan } = await readBulk(journalOf(call.file, flags));
  const settings = readSettings(flags, context.io.environment);
  const results = readResults({ ...plan, ...(await readListOptions(call, settings)) });
  const first = await results.next();
  const own = first.done ? [] : Object.keys(first.value.columns).filter((name) => !columns.includes(name));
  const printer = new ResultPrinter(reportType([...own, ...columns]), { output: 'csv', ...flags }, context);
  const rows = flatten(first, results);
  if (printer.format === 'json') await printJson(printer, rows, context);
  else await printer.print(rows);
  await printer.end();
}

/** Row by row: a list is as long as its file. */
async function printJson(printer: ResultPrinter, rows: AsyncIterable<object>, { stdout }: Context): Promise<void> {
  let before = '[';
  for await (const row of rows) {
    await stdout.write(before + printer.json(row).trimEnd());
    before = ',\n';
  }
  await stdout.write(before === '[' ? '[]\n' : ']\n');
}

/** Makes one record of the columns of a row and what became of it. */
async function* flatten(
  first: IteratorResult<BulkResult>,
  others: AsyncIterable<BulkResult>,
): AsyncGenerator<Readonly<Record<string, unknown>>> {
  if (!first.done) yield recordOf(first.value);
  for await (const result of others) yield recordOf(result);
}

function recordOf({
  columns: own,
  row,
  state,
  messageid,
  status,
  reason,
}: BulkResult): Readonly<Record<string, unknown>> {
  return {
    ...own,
    result_row: row,
    result_state: state,
    result_messageid: messageid,
    result_status: status === undefined ? '' : String(status),
    result_reason: reason,
  };
}
