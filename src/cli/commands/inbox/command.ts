import { resolve } from 'node:path';
import { ConfigurationError } from '../../../errors';
import type { InboxCounts } from '../../../inbox';
import { quoteForTerminal } from '../../../internal/strings';
import type { CliCommand, Context } from '../../commander/command';
import { flagOf, spellProblems } from '../../fields/option-names';
import { UsageError } from '../../terminal/failure';

/** Adds the argument that names the journal of an inbox. */
export function addJournalArgument(command: CliCommand): CliCommand {
  return command.argument('<journal>');
}

/** "40 messages known, 2 waiting, 1 set aside" */
export function countsText({ known, waiting, setAside }: InboxCounts): string {
  return `${known} ${known === 1 ? 'message' : 'messages'} known, ${waiting} waiting, ${setAside} set aside`;
}

/** Spells the command that makes messages that were set aside wait again. */
export function spellRetry({ io }: Context, journal: string): string {
  return `${io.invocation} inbox retry ${quoteForTerminal(resolve(journal))}`;
}

/** The names of options that the command line spells in another way than the library. */
const flags: Readonly<Record<string, string>> = { lineNumbers: '--line-number', journal: 'the journal', ids: '--id' };

/** Runs work on an inbox, whose errors name options as the user writes them. @throws {UsageError} */
export async function spellInboxOptions<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    throw new UsageError(
      spellProblems(error, (option) => flags[option] ?? flagOf(option)),
      { cause: error },
    );
  }
}
