import { setTimeout as sleep } from 'node:timers/promises';
import { Option } from 'commander';
import { type Operation, type OperationName, operations } from '../../../../generated/operations';
import { type MessagingClient, methods, streamMethods } from '../../../client';
import { ConnectionError, type MessagingError, RequestError, TimeoutError } from '../../../errors';
import { MAX_DELAY_MS } from '../../../internal/timers';
import type { CallOptions } from '../../../options';
import type { MessagingRecord } from '../../../types';
import { type CliCommand, type Context, optionsOf } from '../../commander/command';
import { type FieldValues, OperationFields } from '../../fields/fields';
import { kebabCase } from '../../fields/option-names';
import { ResultPrinter, resultType } from '../../output/result-printer';
import { type Session, withClient } from '../../settings/client';
import { addGlobalOptions, type GlobalOptions } from '../../settings/settings';
import { CommandFailure, exitCodes, explain, OperationFailure, UsageError } from '../../terminal/failure';
import { OutputError, ReaderGone } from '../../terminal/output-stream';
import { helpTexts } from './help-texts';

/** The operation that can be repeated: what arrives later is new. */
const FOLLOWED = 'ReceiveByApikey' satisfies OperationName;

interface FollowOptions {
  readonly follow?: true;
  readonly every?: number;
}

/** Adds the command of an operation: its name from the client's method, its fields from the operation table. */
export function addOperation(program: CliCommand, operation: OperationName, context: Context): void {
  const { group, summary, notes, examples } = helpTexts[operation];
  const command = program.command(kebabCase(methods[operation])).helpGroup(group).summary(summary);
  command.onUse(() => {
    command.description([`${operation}: ${summary}.`, notes].filter(Boolean).join(' '));
    OperationFields.of(operation).addTo(command);
    command.addExamples(examples);
    if (operation === FOLLOWED) addFollow(command);
    addGlobalOptions(command.optionsGroup('Global options:'));
  });
  command.action(async () => {
    const given: GlobalOptions & FollowOptions = optionsOf(program, command);
    const { follow, every = 5000 } = given;
    if (given.every !== undefined && !follow) throw new UsageError('--every: it needs --follow');
    const type = resultType((operations[operation] as Operation).response[0]);
    await withClient(given, context, async (session) => {
      const printer = new ResultPrinter(type, given, context, session.dates);
      if (follow && printer.format === 'json')
        throw new UsageError('--follow: prints ndjson, csv or a table, not json');
      const fields = OperationFields.of(operation);
      const request = await fields.read(command.opts(), command.args, {
        io: context.io,
        dates: session.dates,
      });
      const call = { ...session, given, operation, request, printer };
      await reportFailure(call, fields, () => (follow ? followList(call, every, context) : callAndPrint(call)));
    });
  });
}

/** A call, and what prints its result. */
interface CommandCall extends Session {
  readonly given: GlobalOptions;
  readonly operation: OperationName;
  readonly request: FieldValues;
  readonly printer: ResultPrinter;
}

/**
 * Runs a call.
 *
 * @throws {OperationFailure | UsageError} in place of the client's errors, and {ReaderGone} if the reader of the output closed it
 */
export async function reportFailure<T>(call: CommandCall, fields: OperationFields, run: () => Promise<T>): Promise<T> {
  const { operation, request, printer, options, given } = call;
  try {
    return await run();
  } catch (error) {
    if (error instanceof ReaderGone) throw error;
    if (error instanceof RequestError) {
      const source = given.defaults === undefined ? 'defaults of the profile' : '--defaults';
      throw fields.explain(request, { values: options.defaults ?? {}, source }, error);
    }
    // `call` also takes an operation that has no help of its own.
    const { effect } = helpTexts[operation] ?? {};
    throw new OperationFailure(error, { operation, effect, printed: printer.printed });
  } finally {
    printer.progress?.clear();
  }
}

/** The client types each method; a table of commands needs one type for all. */
type Method = (this: MessagingClient, request: FieldValues, options: CallOptions) => Promise<unknown>;
type StreamMethod = (this: MessagingClient, request: FieldValues, options: CallOptions) => AsyncIterable<unknown>;

async function callAndPrint(call: CommandCall): Promise<void> {
  const { client, operation, request, printer, signal } = call;
  // Records one by one where they are printed or counted so; otherwise the list at once, which is quicker.
  const isStreamed = Object.hasOwn(streamMethods, operation) && (printer.streams || printer.progress);
  const rows = isStreamed
    ? (client[streamMethods[operation as keyof typeof streamMethods]] as unknown as StreamMethod).call(
        client,
        request,
        { signal },
      )
    : await callMethod(call);
  await printer.print(rows, signal);
  await printer.end(signal);
}

/** The rows of the result: a list's entries, or the single value. A record or a text may be absent. */
async function callMethod({ client, operation, request, signal }: CommandCall): Promise<readonly unknown[]> {
  const result = await (client[methods[operation]] as Method).call(client, request, { signal });
  if (Array.isArray(result)) return result;
  return result === undefined ? [] : [result];
}

function addFollow(command: CliCommand): void {
  command.optionsGroup('Following:');
  command.option('--follow', 'ask again and again, and print the messages that are new, until Ctrl-C');
  command.addOption(
    new Option('--every <time>', 'time between two requests, such as 500ms, 5s or 1m (default: 5s)').argParser(
      readDuration,
    ),
  );
}

function readDuration(text: string): number {
  const [, count, unit] = /^(\d{1,6})(ms|s|m|h)$/.exec(text) ?? [];
  if (count === undefined)
    throw new UsageError(`--every: ${JSON.stringify(text)} is not a time such as 500ms, 5s or 1m`);
  if (Number(count) === 0) throw new UsageError(`--every: ${JSON.stringify(text)} is not a time above 0`);
  return Math.min(Number(count) * { ms: 1, s: 1000, m: 60_000, h: 3_600_000 }[unit as 'ms'], MAX_DELAY_MS);
}

/** The number of ids that are remembered: an id that comes again after as many others is printed twice. */
const REMEMBERED = 1_000_000;

/**
 * Lists again and again, and prints the records whose messageid is new. A call that reached nothing is repeated at the next
 * turn. Any other failure ends it: the service may have marked messages as read that were not printed.
 */
async function followList(call: CommandCall, everyMs: number, context: Context): Promise<void> {
  const { signal } = call;
  const seen = new Set<unknown>();
  const isNew = (row: unknown): boolean => {
    const { messageid } = row as MessagingRecord<typeof FOLLOWED>;
    if (seen.has(messageid)) return false;
    if (seen.size === REMEMBERED) seen.delete(seen.values().next().value);
    seen.add(messageid);
    return true;
  };
  for (;;) {
    try {
      const rows = await callMethod(call);
      const fresh = rows.filter(isNew);
      if (fresh.length > 0) await printReceived(fresh, call, context.stdout);
    } catch (error) {
      if (!isOutage(error)) throw error;
      context.log(`warning: ${explain(error).message}; asking again`);
    }
    // It rejects only when the signal aborts; the reason, Ctrl-C, is what to report.
    await sleep(everyMs, undefined, { signal }).catch(() => signal.throwIfAborted());
  }
}

/**
 * Prints records, and resolves when they have left the process: the next request may take more messages, so a failure of the
 * output must be known before it.
 *
 * @throws {CommandFailure} also if the reader of the output closed it: the records are lost
 */
async function printReceived(
  rows: readonly unknown[],
  { printer, signal }: CommandCall,
  stdout: Context['stdout'],
): Promise<void> {
  try {
    await printer.print(rows, signal);
    await stdout.finish(signal);
  } catch (error) {
    if (!(error instanceof ReaderGone || error instanceof OutputError)) throw error;
    const count = rows.length === 1 ? 'the last record' : `the last ${rows.length} records`;
    const message = error instanceof ReaderGone ? 'the reader of the output closed it' : error.message;
    throw new CommandFailure(
      exitCodes.unexpected,
      `${message}; ${count} may be marked as read at the service, and not printed`,
    );
  }
}

function isOutage(error: unknown): boolean {
  const isNetwork = error instanceof ConnectionError || error instanceof TimeoutError;
  return isNetwork && (error as MessagingError).outcome === 'not-sent';
}
