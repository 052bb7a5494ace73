import { operationDocumentation } from '../../../../generated/documentation';
import { methods, type OperationName, operations } from '../../../../generated/operations';
import type { MessagingClient } from '../../../client/client';
import type { CallOptions } from '../../../client/options/call';
import type { Element, Operation } from '../../../soap/element';
import { type CliCommand, type Context, optionsOf } from '../../commander/command';
import { durationOption } from '../../fields/durations';
import { type FieldValues, OperationFields, splitDocumentation } from '../../fields/fields';
import { kebabCase } from '../../fields/option-names';
import { ResultPrinter, reportType, resultType } from '../../output/result-printer';
import { addCallOptions, addOutputOptions } from '../../settings/global-options';
import { type NeededSetting, openSession } from '../../settings/session';
import { readSettings } from '../../settings/settings';
import { UsageError } from '../../terminal/failure';
import { checkResult, PAIRED } from './check-result';
import { beforeCall, type CallFlags, type CommandCall, explainCall } from './command-call';
import { sendsMessages } from './effects';
import { examples } from './examples';
import { followList } from './follow';
import { addSendChecks, checkMessages, confirmMessages, describeMessages } from './sending';

/** The operation that can be repeated, because each new record arrives once. */
const FOLLOWED = 'ReceiveByApikey' satisfies OperationName;

/** The settings that a call needs whose status is printed and not judged. */
const NEEDED_WITHOUT_STATUSES: readonly NeededSetting[] = ['baseUrl', 'namespace', 'apiKey'];

/** Makes a call and prints the whole response. */
type PrintResponse = (call: CommandCall) => Promise<void>;

/**
 * Defines the command of an operation. Its fields come from the operation table.
 *
 * @param printResponse for the command below `call`
 */
export function defineOperation(
  command: CliCommand,
  operation: OperationName,
  context: Context,
  printResponse?: PrintResponse,
): void {
  const { response }: Operation = operations[operation];
  const { summary, response: documented } = operationDocumentation[operation];
  const type = resultType(response[0]);
  const fields = OperationFields.of(operation);
  const isFollowed = operation === FOLLOWED && !printResponse;
  const { text } = splitDocumentation(documented[response[0].name]);
  const result = text === '' || printResponse ? '' : ` Prints ${text.charAt(0).toLowerCase()}${text.slice(1)}.`;
  command.description(`${operation}: ${summary}${result}`);
  fields.addTo(command);
  const own = examples[operation] ?? [fields.example(kebabCase(methods[operation]))];
  const calls = own.slice(0, 1).map((example) => `call ${example.replace(/^\S+/, operation)}`);
  command.addExamples(printResponse ? calls : own);
  if (isFollowed) {
    command.optionsGroup('Options:').option('--follow', 'print new messages until Ctrl-C');
    command.addOption(durationOption('every', 'ask again after this time, such as 500ms or 1m (default: 5s)'));
  }
  if (sendsMessages(operation)) addSendChecks(command);
  addCallOptions(command);
  addOutputOptions(command, type.isRecord ? type.columns : undefined);
  const needed = printResponse && NEEDED_WITHOUT_STATUSES;
  command.action(async () => {
    const flags: CallFlags = optionsOf(command);
    if (flags.every !== undefined && !flags.follow) throw new UsageError('--every: it needs --follow');
    const session = openSession(readSettings(flags, context), context, { needed, verbose: flags.verbose });
    try {
      const { dates, signal } = session;
      const sources = { io: context.io, dates, signal };
      const request = await beforeCall(operation, session, () => fields.read(command.opts(), command.args, sources));
      const output = flags.output ?? (context.io.stdout.isTTY ? 'table' : 'json');
      // A dry run prints other columns.
      const shown = flags.dryRun ? {} : { ...flags, ...(printResponse && { output }) };
      const printer = new ResultPrinter(type, shown, context, dates);
      await makeCall({ session, context, flags, operation, fields, request, printer }, printResponse);
    } finally {
      session.close();
    }
  });
}

/** Makes the call as its options say, and prints the result. */
async function makeCall(call: CommandCall, printResponse: PrintResponse | undefined): Promise<void> {
  const { session, context, flags, operation, printer } = call;
  try {
    await beforeCall(operation, session, () => prepareCall(call));
    if (flags.dryRun) return;
    if (flags.follow) await followList(call, () => callMethod(call));
    else if (printResponse) await printResponse(call);
    else if (PAIRED[operation] && context.io.stdout.isTTY && printer.format === 'table') await printPairs(call);
    else await callAndPrint(call);
  } catch (error) {
    throw explainCall(error, call);
  } finally {
    printer.progress?.end();
  }
}

/** Checks a call that sends messages, and asks whether to make it or shows what it would send. */
async function prepareCall(call: CommandCall): Promise<void> {
  const { session, flags, operation, request } = call;
  if (sendsMessages(operation)) {
    if (!flags.asIs) checkMessages({ ...session.options.defaults, ...request }, session.dates);
    if (!flags.dryRun) await confirmMessages(call);
  }
  if (flags.dryRun) await describeMessages(call);
}

/** The client types each method; a table of commands needs one type for all. */
type Method = (this: MessagingClient, request: FieldValues, options: CallOptions) => unknown;

/** Calls a method of a client by its name. */
function callByName(client: MessagingClient, name: string, request: FieldValues, signal: AbortSignal): unknown {
  const method = client[name as keyof MessagingClient] as unknown as Method;
  return method.call(client, request, { signal });
}

async function callAndPrint(call: CommandCall): Promise<void> {
  const { session, operation, request, printer } = call;
  const { client, signal } = session;
  // A stream is for rows that are printed or counted as they arrive. Fetching the whole list is faster otherwise.
  const [result]: Operation['response'] = operations[operation].response;
  const listsRecords = result.kind === 'list' && result.item.kind === 'record';
  const rows =
    listsRecords && (printer.streams || printer.progress)
      ? (callByName(client, `${methods[operation]}Stream`, request, signal) as AsyncIterable<unknown>)
      : await callMethod(call);
  await printer.print(rows, signal);
  await printer.end(signal);
  if (Array.isArray(rows)) checkResult(call, rows);
}

/** Prints each id with its number as a table. The numbers have no ids where there are more or fewer of them. */
async function printPairs(call: CommandCall): Promise<void> {
  const { request, printer, flags, context, operation } = call;
  const { signal } = call.session;
  const name = PAIRED[operation] as string;
  const numbers = await callMethod(call);
  const ids = [request.messageid].flat();
  const columns = ['messageid', name].map((column): Element => ({ name: column, kind: 'integer', type: 'long' }));
  const isPaired = ids.length === numbers.length;
  const used = isPaired ? new ResultPrinter({ ...reportType([]), columns }, flags, context) : printer;
  const rows = ids.map((id, index) => ({ messageid: id, [name]: numbers[index] }));
  await used.print(isPaired ? rows : numbers, signal);
  await used.end(signal);
  checkResult(call, numbers);
}

/** Returns the rows of the result: a list's items, or the single value. A record or a text may be absent. */
async function callMethod({ session, operation, request }: CommandCall): Promise<readonly unknown[]> {
  const result = await callByName(session.client, methods[operation], request, session.signal);
  if (Array.isArray(result)) return result;
  return result === undefined ? [] : [result];
}
