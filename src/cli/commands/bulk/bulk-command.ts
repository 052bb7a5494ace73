import { formatProblem, InputError } from '../../../bulk';
import { ConfigurationError } from '../../../errors';
import { type CliCommand, type Context, optionsOf } from '../../commander/command';
import { flagOf, spellProblems } from '../../fields/option-names';
import type { GlobalOptions } from '../../settings/global-options';
import { CommandFailure, exitCodes, UsageError } from '../../terminal/failure';

/** The options of a bulk command as they were given. Options for fields have keys such as `field:sender`. */
export type BulkFlags = GlobalOptions & {
  readonly operation?: string;
  readonly batchSize?: string;
  readonly idsInOrder?: true;
  readonly startWithinMs?: string;
  readonly journal?: string;
  readonly takeOver?: true;
  readonly concurrency?: string;
  readonly rowsPerSecond?: string;
  readonly stopAfterFailures?: string;
  readonly dryRun?: true;
  readonly baselinePagesize?: string;
  readonly baselineStartUnixdate?: string;
  readonly baselineEndUnixdate?: string;
  readonly pagesize?: string;
  readonly startUnixdate?: string;
  readonly endUnixdate?: string;
  readonly settleMs?: string;
  readonly state?: string;
  readonly redis?: string;
  readonly acceptLoss?: true;
  readonly queue?: string;
  readonly untilEmpty?: true;
  readonly revoke?: boolean;
};

/** The words and the surroundings of a bulk command. */
export interface BulkCall {
  /** The path of the CSV file; empty for a command without a file. */
  readonly file: string;
  readonly flags: BulkFlags;
  readonly context: Context;
}

export function addFileArgument(command: CliCommand): CliCommand {
  return command.argument('<file>', 'CSV file in UTF-8 with a header');
}

/** Sets the action of a bulk command. The library's errors are worded for the user. */
export function setAction(command: CliCommand, context: Context, act: (call: BulkCall) => Promise<void>): void {
  command.action(async () => {
    try {
      await act({ file: command.args[0] ?? '', flags: optionsOf(command), context });
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
