import { relative, resolve } from 'node:path';
import { prepareOptions } from '../../../bulk/prepare/options';
import { type Lines, type PreparedList, prepareList } from '../../../bulk/prepare/prepare';
import { bulkFields } from '../../../bulk/rows/fields';
import { ConfigurationError } from '../../../errors';
import type { CliCommand, Context } from '../../commander/command';
import { addFlags, readFlags } from '../../fields/flags';
import { flagOf, kebabCase, spellProblems } from '../../fields/option-names';
import { UsageError } from '../../terminal/failure';
import { interruptible } from '../../terminal/io';
import { type BulkCall, type BulkFlags, setAction, spellCommand } from './command';
import { formatCount, formatRows } from './report';

/** Defines the command that makes a clean list of an export. */
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
  command
    .option('--columns <a,b>', 'write only these columns beside the receptor')
    .option('--exclude <file>', 'leave out the receptors of this file; repeatable', addPath);
  setAction(command, context, prepare);
}

function addPath(path: string, before: readonly string[] = []): readonly string[] {
  return [...before, path];
}

async function prepare(call: BulkCall): Promise<void> {
  const { flags, file, context } = call;
  const { columns, exclude } = flags as BulkFlags & { readonly exclude?: readonly string[] };
  const options = {
    ...(readFlags(flags, prepareOptions) as { readonly to: string }),
    input: file,
    columns: columns?.split(',').map((name) => name.trim()),
    exclude: exclude?.map((path) => resolve(path)),
  };
  try {
    const list = await interruptible(context.io.signals, (signal) => prepareList({ ...options, signal }));
    for (const line of [...describe(list), ...describeNext(call, list, options)]) context.log(line);
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    throw new UsageError(`${spellProblems(error)}; nothing was written`);
  }
}

/** Says what was made, in lines. */
function describe(list: PreparedList): string[] {
  const { renamed, emptyRows, fieldColumns, shortRows, repeated, similar, doubtful } = list;
  const lines: string[] = [];
  for (const [before, after] of renamed) lines.push(`${before} is named ${after} in the list`);
  if (fieldColumns.length > 0) {
    const are = fieldColumns.length === 1 ? 'is a field' : 'are fields';
    lines.push(`${fieldColumns.join(', ')} ${are} of the message: bulk run sends the values; --columns picks columns`);
  }
  if (emptyRows > 0) lines.push(`${formatRows(emptyRows)} without text skipped`);
  lines.push(...describeLines(shortRows, 'with fewer cells than the header: the missing cells are empty'));
  lines.push(...describeLines(repeated, 'with the receptor of an earlier row: --unique receptor leaves them out'));
  const same = 'ending in the nine digits of another receptor: --country compares them as phone numbers';
  lines.push(...describeLines(similar, same));
  lines.push(...describeLines(doubtful, 'that may get no message'));
  for (const [path, { receptors, found }] of list.excluded)
    lines.push(`${formatCount(found)} of ${formatCount(receptors)} receptors of ${nameOf(path)} are in the export`);
  lines.push(`${formatRows(list.written)} written to ${nameOf(list.to)}`);
  const leftOut = [...list.leftOut.values()].reduce((sum, count) => sum + count, 0);
  if (leftOut === 0) return [...lines, '0 rows left out'];
  lines.push(`${formatRows(leftOut)} left out, in ${nameOf(list.leftOutFile)}:`);
  for (const [reason, count] of list.leftOut) lines.push(`  ${formatRows(count)}: ${reason}`);
  return lines;
}

function describeLines({ count, first }: Lines, what: string): string[] {
  if (count === 0) return [];
  const more = count > first.length ? ', …' : '';
  return [
    `${formatRows(count)} ${what}:`,
    `  ${first.map(({ line, text }) => `line ${line}: ${text}`).join(', ')}${more}`,
  ];
}

/** The path as the user would write it. */
function nameOf(path: string): string {
  const name = relative(process.cwd(), path);
  return name.startsWith('..') ? path : name;
}

/** Names the next commands, in lines. */
function describeNext(
  call: BulkCall,
  { to, leftOut, leftOutFile, columns }: PreparedList,
  { exclude = [], ...options }: { readonly exclude?: readonly string[] | undefined },
): string[] {
  const lines: string[] = [];
  if (leftOut.size > 0) {
    // The delimiter of the left-out rows is recognised. Their byte order mark goes before an encoding.
    const { delimiter, input, to: _, ...kept } = options as Record<string, unknown>;
    const corrected = leftOutFile.replace(/\.left-out\.csv$/, '.corrected.csv');
    const words = Object.entries(kept).flatMap(([name, value]) =>
      value === undefined ? [] : [flagOf(name), String(value)],
    );
    // Otherwise, the rows that were left out because of a row of this list would be written now.
    const excluded = kept.unique === 'receptor' ? [...exclude, to] : exclude;
    const spelled = spellCommand(
      { ...call, file: leftOutFile },
      'prepare',
      ...['--to', corrected, ...words, ...excluded.flatMap((path) => ['--exclude', path])],
    );
    lines.push(`correct ${nameOf(leftOutFile)}, delete the rows that stay out, and prepare it: ${spelled}`);
  }
  const fields = bulkFields('sendSimple').filter(({ name }) => !columns.includes(name));
  const missing = fields.map(({ name }) => `--${kebabCase(name)}`);
  const needed = missing.length > 0 ? `, which needs ${missing.join(', ')} or defaults` : '';
  lines.push(`send the list: ${spellCommand({ ...call, file: to }, 'run')}${needed}`);
  return lines;
}
