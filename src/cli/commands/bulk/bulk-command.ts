import { resolve } from 'node:path';
import { formatProblem, InputError } from '../../../bulk';
import { ConfigurationError } from '../../../errors';
import { type CliCommand, type Context, optionsOf } from '../../commander/command';
import { flagOf, spellProblems } from '../../fields/option-names';
import { CommandFailure, exitCodes, UsageError } from '../../terminal/failure';
import type { BulkFlags } from './flags';
import { readSaved, type Saved, withSaved } from './saved-settings';

/** The words and the surroundings of a bulk command. */
export interface BulkCall {
  /** The absolute path of the CSV file; empty for a command without a file. */
  readonly file: string;
  /** With the options of the first run. */
  readonly flags: BulkFlags;
  /** The settings of the first run; undefined before it. */
  readonly saved: Saved | undefined;
  readonly context: Context;
}

export function addFileArgument(command: CliCommand): CliCommand {
  return command.argument('<file>', 'CSV file in UTF-8 with a header');
}

/** Sets the action of a bulk command. The library's errors are worded for the user. */
export function setAction(command: CliCommand, context: Context, act: (call: BulkCall) => Promise<void>): void {
  command.action(async () => {
    try {
      const [given] = command.args;
      if (given === '-')
        throw new UsageError('bulk reads its file more than once: save the list to a file, and name it');
      const file = given === undefined ? '' : resolve(given);
      const saved = given === undefined ? undefined : await readSaved(file);
      const flags = await withSaved(optionsOf(command), saved, command, context);
      await act({ file, flags, saved, context });
    } catch (error) {
      throw explainBulk(error, context);
    }
  });
}

/** The number of problems of the file that are shown. */
const MAX_PROBLEMS = 20;

function explainBulk(error: unknown, { log }: Context): unknown {
  if (!(error instanceof ConfigurationError)) return error;
  if (!(error instanceof InputError)) return new UsageError(spellProblems(error, spellOption));
  for (const problem of error.problems.slice(0, MAX_PROBLEMS)) log(formatProblem(problem));
  if (error.count > MAX_PROBLEMS) log(`and ${error.count - MAX_PROBLEMS} more`);
  return new CommandFailure(exitCodes.usage, 'the file or its fields are wrong; nothing was sent');
}

/** The file is an argument, not an option. */
function spellOption(option: string): string {
  return option === 'input' ? 'the file' : flagOf(option);
}
