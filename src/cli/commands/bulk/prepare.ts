import { type PrepareSettings, prepareOptions } from '../../../bulk/prepare/options';
import { type PreparedList, prepareList } from '../../../bulk/prepare/prepare';
import { bulkFields } from '../../../bulk/rows/fields';
import type { CliCommand, Context } from '../../commander/command';
import { addFlags, readFlags } from '../../fields/flags';
import { kebabCase } from '../../fields/option-names';
import { interruptible } from '../../terminal/io';
import { type BulkCall, setAction, tellSteps } from './command';
import { stepsOfPrepared } from './next-steps';
import { formatAmount, formatRows } from './words';

export function defineBulkPrepare(command: CliCommand, context: Context): void {
  command
    .description(
      'Makes a list for bulk run from a CSV file with a header, as an office program exports it. It sends nothing, and needs no service.',
    )
    .addExamples([
      'bulk prepare export.csv --to list.csv --receptor-column Mobile',
      'bulk prepare export.csv --to list.csv --country IR --receptor-format national --unique receptor',
    ]);
  addFlags(command, prepareOptions);
  setAction(command, context, prepare);
}

async function prepare(call: BulkCall): Promise<void> {
  const { flags, file, context } = call;
  const options = { ...readFlags(flags, prepareOptions), input: file };
  const list = await interruptible(context.io.signals, (signal) => prepareList({ ...options, signal }));
  for (const line of describe(list, options)) context.log(line);
  const missing = listFields.filter((name) => !list.columns.includes(name)).map((name) => `--${kebabCase(name)}`);
  tellSteps(call, stepsOfPrepared(list.to, missing));
}

/** The fields of a list that is sent as usual. */
const listFields = bulkFields('sendSimple').map(({ name }) => name);

function* describe(
  list: PreparedList,
  { delimiter, unique, exclude = [] }: Partial<PrepareSettings>,
): Generator<string> {
  const { columns, written, to, leftOut, leftOutFile } = list;
  yield `columns of the list: ${columns.join(', ')}`;
  const given = listFields.filter((name) => name !== 'receptor' && columns.includes(name));
  if (given.length > 0) {
    const are = given.length === 1 ? 'is a field' : 'are fields';
    yield `${given.join(', ')} ${are} of the message: its values are sent; --columns picks columns`;
  }
  const remarks = {
    repeated: 'with the receptor of an earlier row: --unique receptor leaves them out',
    similar: 'that may be another receptor in another form: --country compares them as phone numbers',
    doubtful: 'that may get no SMS',
  } as const;
  for (const [name, words] of Object.entries(remarks)) {
    const { count, first } = list[name as keyof typeof remarks];
    if (count === 0) continue;
    const examples = first.map(({ line, text }) => `line ${line}: ${text}`).join(', ');
    yield `${formatRows(count)} ${words}:`;
    yield `  ${examples}${count > first.length ? ', …' : ''}`;
  }
  for (const path of exclude) {
    const receptors = [...list.excluded.values()].filter((file) => file === path).length;
    yield `${formatAmount(receptors, 'receptor')} read from ${path}`;
  }
  if (list.hasBackslashes) yield 'quotes inside values are written as \\": --escape backslash reads them';
  yield `${formatRows(written)} written to ${to}`;
  if (leftOut.size > 0) {
    const count = [...leftOut.values()].reduce((sum, rows) => sum + rows);
    yield `${formatRows(count)} left out, in ${leftOutFile}:`;
    for (const [reason, rows] of leftOut) yield `  ${formatRows(rows)}: ${reason}`;
    const onlyExcluded = [...leftOut.keys()].every((reason) => reason.startsWith('the receptor is in '));
    const less = delimiter === undefined ? '' : ' without --delimiter';
    // Otherwise, the rows that were left out because of a row of this list would be written now.
    const more = unique === 'receptor' ? ` and --exclude ${to}` : '';
    const again = `prepare it with the same options${less}${more}`;
    if (!onlyExcluded) yield `to send them: correct this file, delete the rows that stay out, and ${again}`;
  }
}
