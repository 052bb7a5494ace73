import { Option } from 'commander';
import { type ResolveOptions, type RowRange, resolveBulk } from '../../../bulk';
import type { CliCommand, Context } from '../../commander/command';
import { UsageError } from '../../terminal/failure';
import { addFileArgument, setAction } from './bulk-command';
import { addJournalOptions, givenOf, journalOf } from './options';
import { formatRows, report } from './report';

/** Defines the command that records what an operator has found out. */
export function defineBulkResolve(command: CliCommand, context: Context): void {
  addFileArgument(command)
    .description(
      'Records whether unknown rows were sent, when you know it from somewhere else, such as the operator of the service.',
    )
    .addExamples([
      'bulk resolve list.csv --row 12 --as sent --id 9007199254740993',
      'bulk resolve list.csv --row 3,7-9 --as not-sent',
    ]);
  const as = new Option('--as <outcome>', 'record that these rows were sent, or were not').choices([
    'sent',
    'not-sent',
  ]);
  addJournalOptions(command)
    .requiredOption('--row <rows>', 'the unknown rows, such as 3,7-9')
    .addOption(as.makeOptionMandatory())
    .option('--id <id>', 'the message id of a single row that was sent');
  setAction(command, context, async (call) => {
    const { row = '', as: outcome, id } = call.flags;
    const { rows, status } = await resolveBulk({
      journal: journalOf(call.file, call.flags),
      ranges: readRanges(row),
      as: outcome as ResolveOptions['as'],
      ...(id !== undefined && { id: readId(id) }),
      ...givenOf(call.flags, ['takeOver']),
    });
    context.log(`${formatRows(rows)} recorded as ${outcome === 'sent' ? 'sent' : 'not sent'}`);
    report(call, status);
  });
}

/** Reads "3,7-9". @throws {UsageError} */
function readRanges(text: string): RowRange[] {
  return text.split(',').map((part) => {
    const [, from, to = from] = /^\s*(\d{1,10})(?:-(\d{1,10}))?\s*$/.exec(part) ?? [];
    if (from === undefined) throw new UsageError(`--row: ${JSON.stringify(text)} is not a list of rows such as 3,7-9`);
    return [Number(from), Number(to)];
  });
}

function readId(text: string): bigint {
  if (!/^\d{1,19}$/.test(text)) throw new UsageError(`--id: ${JSON.stringify(text)} is not a message id`);
  return BigInt(text);
}
