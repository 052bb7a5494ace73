import { ConfigurationError } from '../../../errors';
import type { CliCommand } from '../../commander/command';
import { flagOf, spellProblems } from '../../fields/option-names';
import { UsageError } from '../../terminal/failure';

/** Adds the argument that names the journal of an inbox. */
export function addJournalArgument(command: CliCommand): CliCommand {
  return command.argument('<journal>', 'the file that keeps the messages until they are handled');
}

/** The option that confirms that the process on another host which left the journal open has ended. */
export const takeOverFlag = [
  '--take-over',
  'use a journal that a process on another host left open, after it has ended',
] as const;

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

/** The number that a text writes. The inbox refuses any other text. */
export function readNumber(text: string | undefined): unknown {
  return text !== undefined && /^-?\d{1,10}$/.test(text) ? Number(text) : text;
}
