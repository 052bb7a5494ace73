import { readInbox, retryInbox } from '../../../inbox/inbox';
import { inboxOptions } from '../../../inbox/options';
import type { Element } from '../../../soap/element';
import { type CliCommand, type Context, optionsOf } from '../../commander/command';
import { readLongValue } from '../../fields/field-values';
import { addFlags } from '../../fields/flags';
import { withSpelledOptions } from '../../fields/option-names';
import { ResultPrinter, type ResultType } from '../../output/result-printer';
import { addOutputOptions, type OutputOptions } from '../../settings/global-options';
import { countsText, spellings, spellRetry } from './command';

const columns: readonly Element[] = [
  { name: 'messageid', kind: 'integer', type: 'long' },
  { name: 'lineNumber', kind: 'text' },
  { name: 'state', kind: 'text' },
  { name: 'attempts', kind: 'integer', type: 'int' },
  { name: 'sender', kind: 'text' },
  { name: 'date', kind: 'integer', type: 'long' },
  { name: 'message', kind: 'text' },
];
const messageType: ResultType = { columns, isRecord: true, isList: true, isCounted: false };

export function defineInboxStatus(command: CliCommand, context: Context): void {
  command
    .argument('<journal>')
    .description('Prints the messages that wait or were set aside, also while an inbox runs.')
    .addExamples(['inbox status inbox.journal', 'inbox status inbox.journal --output json']);
  addOutputOptions(command, columns);
  command.action(async (path: string) => {
    const given: OutputOptions = optionsOf(command);
    const printer = new ResultPrinter(messageType, given, context);
    const { counts, undecided, unhandled, holder, notices } = await withSpelledOptions(spellings, () =>
      readInbox(path),
    );
    const rows = unhandled.map(({ lineNumber, message: { receptor, ...record }, isSetAside, attempts }) => {
      return { ...record, lineNumber, state: isSetAside ? 'set aside' : 'waiting', attempts };
    });
    await printer.print(rows);
    await printer.end();
    for (const notice of notices) context.log(`warning: ${notice}`);
    context.log(countsText(counts) + (holder ? `; process ${holder.pid} on ${holder.host} uses the journal` : ''));
    if (undecided > 0)
      context.log(
        `${undecided} of them ${undecided === 1 ? 'is' : 'are'} undecided: the first look at their line, with the values of isread that listed them, is not complete`,
      );
    if (counts.setAside > 0)
      context.log(
        `${holder ? 'after a stop, ' : ''}\`${spellRetry(context, path)}\` makes messages that were set aside wait again`,
      );
  });
}

export function defineInboxRetry(command: CliCommand, context: Context): void {
  command
    .argument('<journal>')
    .description(
      'Makes messages that were set aside wait again. The next `inbox run` runs its command for them. Stop the inbox first.',
    )
    .addExamples(['inbox retry inbox.journal', 'inbox retry inbox.journal --id 9007199254740993']);
  command.option('--id <ids...>', 'make only the messages with these ids wait');
  addFlags(command, { takeOver: inboxOptions.takeOver });
  command.action(async (path: string) => {
    const { id, takeOver = false }: { readonly id?: readonly string[]; readonly takeOver?: boolean } =
      optionsOf(command);
    const count = await withSpelledOptions(spellings, () =>
      retryInbox(
        path,
        takeOver,
        id?.map((text) => readLongValue(text, '--id')),
      ),
    );
    context.log(`${count === 1 ? '1 message waits' : `${count} messages wait`} again`);
  });
}
