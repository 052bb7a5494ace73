import type { BulkOptions, BulkStatus, Listing } from '../../../bulk';
import type { MessagingClient } from '../../../client';
import { AbortError, ConfigurationError, MessagingError } from '../../../errors';
import { type CliCommand, type Context, optionsOf } from '../../commander/command';
import { flagOf, kebabCase, spellProblems } from '../../fields/option-names';
import { withApiKey } from '../../settings/api-key';
import { createClient, withWireLog } from '../../settings/client';
import { clientSettings, requiredForCalls } from '../../settings/client-settings';
import { addGlobalOptions, type GlobalOptions } from '../../settings/global-options';
import { dateUnit, readSettings } from '../../settings/settings';
import { explain } from '../../terminal/explain';
import { CommandFailure, exitCodes, UsageError } from '../../terminal/failure';
import { adviceOn, exitCodeOf, formatCount, formatRows, summaryOf } from './advice';
import type { BulkFlags, BulkSources } from './options';

/** The library, loaded when it is used: no other command needs it. */
export function loadBulk(): typeof import('../../../bulk') {
  return require('../../../bulk');
}

/** What a command does. @param file empty for a command without a file */
export type BulkAction = (file: string, flags: BulkFlags & GlobalOptions, context: Context) => Promise<void>;

export type AddBulkCommand = (
  name: string,
  summary: string,
  fill: (command: CliCommand) => void,
  act: BulkAction,
  argument?: 'file' | 'none',
) => void;

/** Gives what adds a command below `bulk`. */
export function bulkCommandAdder(bulk: CliCommand, context: Context): AddBulkCommand {
  return (name, summary, fill, act, argument = 'file') => {
    bulk.addSubcommand(name, summary, (command) => {
      command.description(`${summary}.`);
      if (argument === 'file') command.argument('<file>', 'CSV file in UTF-8 with a header');
      fill(command);
      addGlobalOptions(command.optionsGroup('Global options:'));
      command.action(async () => {
        try {
          await act(command.args[0] ?? '', optionsOf(command), context);
        } catch (error) {
          throw explainBulk(error, context);
        }
      });
    });
  };
}

/** Problems of the file that are shown, of as many as there may be. */
const MAX_PROBLEMS = 20;

/** The library's errors in the user's words; all that is wrong with the file is shown. */
function explainBulk(error: unknown, { log }: Context): unknown {
  const { formatProblem, InputError } = loadBulk();
  if (error instanceof InputError) {
    for (const problem of error.problems.slice(0, MAX_PROBLEMS)) log(formatProblem(problem));
    if (error.count > MAX_PROBLEMS) log(`and ${error.count - MAX_PROBLEMS} more`);
    return new CommandFailure(exitCodes.usage, 'the file or its fields are wrong; nothing was sent');
  }
  return error instanceof ConfigurationError ? new UsageError(spellProblems(error, spellOption)) : error;
}

/** The file is an argument, not an option. */
function spellOption(option: string): string {
  return option === 'input' ? 'the file' : flagOf(option);
}

/** What the settings say of fields. */
export function bulkSources(flags: GlobalOptions, { io }: Context): BulkSources {
  const { defaults, dates } = readSettings(flags, io.environment);
  return { io, dates: dateUnit({ dates }), defaults: { ...clientSettings({ defaults }).defaults } };
}

/** Checks a file, and says what would be sent. */
export async function checkOnly(options: Omit<BulkOptions, 'client'>, context: Context): Promise<void> {
  const { rows, batches } = await loadBulk().checkBulk(options);
  const requests = `${formatCount(batches)} ${batches === 1 ? 'request' : 'requests'}`;
  context.log(`${formatRows(rows)} in ${requests}; nothing was sent`);
}

/**
 * @param listed the baseline that the journal has
 * @param given the one that was asked for
 * @param isBegun whether it is too late to list one
 */
export function warnWithoutBaseline(
  listed: Listing | undefined,
  given: Listing | undefined,
  isBegun: boolean,
  { log }: Context,
): void {
  if (listed !== undefined || (given !== undefined && !isBegun)) return;
  if (given === undefined)
    log('warning: without --baseline-pagesize, rows that become unknown cannot be cleared later');
  else
    log(
      `warning: ${spellListing(given)}: rows were sent already, so no baseline is listed, and unknown rows cannot be cleared`,
    );
}

/** The baseline's options as a user writes them. */
function spellListing(listing: Listing): string {
  return Object.keys(listing)
    .map((name) => `--baseline-${kebabCase(name)}`)
    .join(' and ');
}

/** The error of a run, or of an enqueuing, in the user's words when it is that of listing the baseline. */
export function explainRun(error: unknown): unknown {
  // What happens to a batch is in the counts, so no other call's failure ends a run.
  const isCall = error instanceof MessagingError && error.operation !== undefined;
  if (!isCall || error instanceof AbortError) return error;
  const { exitCode, message } = explain(error);
  return new CommandFailure(exitCode, `${message}; nothing was sent, because the baseline could not be listed`);
}

/** The path of the journal. */
export function journalOf(file: string, { journal = `${file}.journal` }: BulkFlags): string {
  return journal;
}

/**
 * Runs work with a client made from the settings; with `--verbose`, prints what crosses the wire meanwhile. Signals are left to the
 * work: while rows are read and the journal is opened, Ctrl-C ends the process at once.
 */
export async function withBulkClient(
  flags: GlobalOptions,
  context: Context,
  concurrency: number,
  work: (client: MessagingClient) => Promise<void>,
): Promise<void> {
  const settings = withApiKey(readSettings(flags, context.io.environment), flags, context.log);
  // Many calls share connections, as one call per process does not.
  const overrides = { keepAlive: true, maxConnections: Math.max(64, concurrency) };
  const { client } = createClient(settings, requiredForCalls, overrides);
  await withWireLog(flags, context, settings, () => work(client));
}

/** Says where the rows stand, as the journal has it. @param status what was read of it already */
export async function conclude(
  file: string,
  flags: BulkFlags,
  context: Context,
  isInterrupted: boolean,
  status?: BulkStatus,
): Promise<void> {
  const found = status ?? (await loadBulk().readBulk(journalOf(file, flags)));
  context.log(summaryOf(found.counts));
  if (isInterrupted) for (const line of adviceOn(found, file, flags, context.io.invocation)) context.log(line);
  else advise(found, file, flags, context);
}

/** Says what to do next. @throws {CommandFailure} with the exit code of the counts */
export function advise(found: BulkStatus, file: string, flags: BulkFlags, context: Context): void {
  for (const line of adviceOn(found, file, flags, context.io.invocation)) context.log(line);
  const exitCode = exitCodeOf(found.counts);
  if (exitCode !== exitCodes.done) throw new CommandFailure(exitCode);
}
