import { Option } from 'commander';
import { type BulkResult, rowStates } from '../../../bulk';
import { openFound } from '../../../bulk/bulk';
import { readList } from '../../../bulk/state/bulk-journal';
import type { CliCommand, Context } from '../../commander/command';
import { ResultPrinter, reportType } from '../../output/result-printer';
import { addOutputOptions } from '../../settings/global-options';
import { UsageError } from '../../terminal/failure';
import { type BulkCall, readListOptions, readStates, setAction } from './command';

const columns = ['result_row', 'result_state', 'result_messageid', 'result_status', 'result_reason'];

/** The beginning of the names of the columns that this command adds. */
const PREFIX = 'result_';

/** Defines the command that prints every row with its outcome. */
export function defineBulkResults(command: CliCommand, context: Context): void {
  command
    .description(
      `Prints every row: the file's own columns without those named ${PREFIX}…, its state, its message id, its delivery status and the reason.`,
    )
    .addExamples(['bulk results list.csv > results.csv', 'bulk results list.csv --state rejected,unknown']);
  command
    .addOption(new Option('--state <states>', 'print only the rows in these states, with commas between them'))
    .option('--spreadsheet', 'write CSV that a spreadsheet program shows without changing a value');
  addOutputOptions(command, columns);
  setAction(command, context, printResults);
}

async function printResults(call: BulkCall): Promise<void> {
  const { flags, context, journal } = call;
  const states = flags.state === undefined ? rowStates : readStates(flags.state as string, rowStates);
  const isSpreadsheet = flags.spreadsheet === true;
  if (isSpreadsheet && (flags.output ?? 'csv') !== 'csv')
    throw new UsageError(`--spreadsheet: the output is ${flags.output}, not csv`);
  const found = await readList(journal);
  const bulk = await openFound(await readListOptions(call, found), found);
  const results = bulk.results();
  // The first row names the columns.
  let next = await results.next();
  const all = next.done ? [] : Object.keys(next.value.columns);
  const own = all.filter((name) => !name.startsWith(PREFIX));
  if (own.length < all.length) context.log(`columns of the file that are named ${PREFIX}… are left out`);
  const printer = new ResultPrinter(
    reportType([...own, ...columns]),
    { ...flags, ...(isSpreadsheet && { output: 'csv' }) },
    context,
  );
  async function* rows(): AsyncGenerator<object> {
    for (; !next.done; next = await results.next())
      if (states.includes(next.value.state)) yield recordOf(next.value, isSpreadsheet ? protect : String);
  }
  if (isSpreadsheet) await context.stdout.write('\ufeff');
  if (printer.format === 'json') await printJson(printer, rows(), context);
  else await printer.print(rows());
  await printer.end();
}

/**
 * A value that a spreadsheet program changes: a formula, digits with a leading zero or more than 11 long, or a number
 * with an exponent. Blanks around a number do not keep it.
 */
const CHANGED = /^\s*(?:[=+\-@]|(?:0\d+|\d{12,}|\d+(?:[.,]\d+)?E[+-]?\d+)\s*$)/i;

/** Writes a value as a formula of the text itself, which no spreadsheet program changes. */
function protect(value: string): string {
  return CHANGED.test(value) ? `="${value.replaceAll('"', '""')}"` : value;
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

/** Makes one record of the columns of a row and its outcome. @param show writes a value */
function recordOf(result: BulkResult, show: (value: string) => string): Readonly<Record<string, unknown>> {
  const { columns: own, row, state, messageid, status = '', reason } = result;
  const outcome = { result_row: row, result_state: state, result_messageid: messageid, result_status: `${status}` };
  const values = Object.entries({ ...own, ...outcome, result_reason: reason });
  return Object.fromEntries(values.map(([name, value]) => [name, typeof value === 'string' ? show(value) : value]));
}
