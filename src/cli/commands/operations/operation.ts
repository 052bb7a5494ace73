import { type OperationName, operations } from '../../../../generated/operations';
import { type MessagingClient, methods, streamMethods } from '../../../client';
import type { CallOptions } from '../../../options/call';
import type { Element, Operation } from '../../../soap/element';
import { type CliCommand, type Context, optionsOf } from '../../commander/command';
import { durationOption } from '../../fields/durations';
import { type FieldValues, OperationFields } from '../../fields/fields';
import { ResultPrinter, reportType, resultType } from '../../output/result-printer';
import { withClient } from '../../settings/client';
import { addCallOptions, addOutputOptions, type GlobalOptions } from '../../settings/global-options';
import { UsageError } from '../../terminal/failure';
import { type CommandCall, reportFailure } from './command-call';
import { followList } from './follow';
import { helpTexts } from './help-texts';
import { addSendChecks, checkMessages, describeMessages, type SendChecks, sendsMessages } from './sending';

/** The operation that can be repeated, because each new record arrives once. */
const FOLLOWED = 'ReceiveByApikey' satisfies OperationName;

/** The operations whose result is a number for each id, with the name of this number. */
const PAIRED: { readonly [O in OperationName]?: string } = { GetStatusByApikey: 'status', CancelByApikey: 'result' };

/** The options that repeat a list. */
interface FollowFlags {
  readonly follow?: true;
  readonly every?: number;
}

/** Defines the command of an operation. Its fields come from the operation table. */
export function defineOperation(command: CliCommand, operation: OperationName, context: Context): void {
  const { summary, notes, examples } = helpTexts[operation];
  const { response }: Operation = operations[operation];
  const type = resultType(response[0]);
  const fields = OperationFields.of(operation);
  command.description([`${operation}: ${summary}.`, notes].filter(Boolean).join(' '));
  fields.addTo(command);
  command.addExamples(examples);
  if (operation === FOLLOWED) addFollow(command);
  if (sendsMessages(operation)) addSendChecks(command);
  addCallOptions(command);
  addOutputOptions(command, type.isRecord ? type.columns.map(({ name }) => name) : undefined);
  command.action(async () => {
    const given: GlobalOptions & FollowFlags & SendChecks = optionsOf(command);
    const { follow, every, dryRun, asIs } = given;
    if (every !== undefined && !follow) throw new UsageError('--every: it needs --follow');
    await withClient(given, context, async (session) => {
      const read = () => fields.read(command.opts(), command.args, { io: context.io, dates: session.dates });
      // A dry run prints other columns.
      const printer = new ResultPrinter(type, dryRun ? {} : given, context, session.dates);
      const pair = context.io.stdout.isTTY && printer.format === 'table' ? PAIRED[operation] : undefined;
      if (follow && printer.format === 'json')
        throw new UsageError('--follow: prints ndjson, csv or a table, not json');
      const request = await read();
      if (sendsMessages(operation) && !asIs) checkMessages({ ...session.options.defaults, ...request }, operation);
      const call: CommandCall = { ...session, given, operation, request, printer };
      await reportFailure(call, fields, () => {
        if (dryRun) return describeMessages(call, given, context);
        if (follow) return followList(call, () => callMethod(call), every, context);
        return pair ? printPairs(call, pair, context) : callAndPrint(call);
      });
    });
  });
}

/** The client types each method; a table of commands needs one type for all. */
type Method = (this: MessagingClient, request: FieldValues, options: CallOptions) => Promise<unknown>;
type StreamMethod = (this: MessagingClient, request: FieldValues, options: CallOptions) => AsyncIterable<unknown>;

async function callAndPrint(call: CommandCall): Promise<void> {
  const { client, operation, request, printer, signal } = call;
  // A stream is for rows that are printed or counted as they arrive. Fetching the whole list is faster otherwise.
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

/** Prints each id with its number as a table. The numbers have no ids where there are more or fewer of them. */
async function printPairs(call: CommandCall, name: string, context: Context): Promise<void> {
  const { request, printer, given, signal } = call;
  const numbers = await callMethod(call);
  const ids = [request.messageid].flat();
  const columns = ['messageid', name].map((column): Element => ({ name: column, kind: 'integer', type: 'long' }));
  const isPaired = ids.length === numbers.length;
  const used = isPaired ? new ResultPrinter({ ...reportType([]), columns }, given, context) : printer;
  const rows = ids.map((id, index) => ({ messageid: id, [name]: numbers[index] }));
  await used.print(isPaired ? rows : numbers, signal);
  await used.end(signal);
}

/** Returns the rows of the result: a list's items, or the single value. A record or a text may be absent. */
async function callMethod({ client, operation, request, signal }: CommandCall): Promise<readonly unknown[]> {
  const result = await (client[methods[operation]] as Method).call(client, request, { signal });
  if (Array.isArray(result)) return result;
  return result === undefined ? [] : [result];
}

function addFollow(command: CliCommand): void {
  command.optionsGroup('Options:');
  command.option('--follow', 'print new messages until Ctrl-C');
  command.addOption(durationOption('every', 'ask again after this time, such as 500ms or 1m (default: 5s)'));
}
