import { type OperationName, operations } from '../../../../generated/operations';
import type { MessagingClient } from '../../../client';
import type { CallOptions } from '../../../options/call';
import type { RequiredOption } from '../../../options/client';
import type { Operation } from '../../../soap/element';
import { type CliCommand, type Context, optionsOf } from '../../commander/command';
import { type FieldValues, OperationFields } from '../../fields/fields';
import { kebabCase } from '../../fields/option-names';
import { formatJson } from '../../output/json';
import { ResultPrinter, type ResultType, resultType } from '../../output/result-printer';
import { withClient } from '../../settings/client';
import { addCallOptions, addOutputOptions, type GlobalOptions } from '../../settings/global-options';
import { CommandFailure, exitCodes } from '../../terminal/failure';
import { reportFailure } from './command-call';
import { helpTexts } from './help-texts';
import { addAsIs, checkMessages, type SendChecks, sendsMessages } from './sending';

/**
 * The settings that a call needs. Without success statuses, the status is printed, and nothing is concluded from it.
 */
const REQUIRED: readonly RequiredOption[] = ['baseUrl', 'namespace', 'apiKey'];

/** Defines the command that calls any operation of the contract by its name. */
export function defineCall(command: CliCommand, context: Context): void {
  command.noun = 'operation';
  command
    .helpCommand(false)
    .description(
      'Calls an operation by its name in the contract. Every field is an option. Prints result, status and statusmessage as JSON. On a terminal, prints the result as a table, and the status on stderr. Exits with 3 when --success-statuses is set and does not list the status.',
    )
    .addExamples(['call GetStatusByApikey --messageid 9007199254740993', 'call RemainCreditByApiKey --output json']);
  for (const operation of Object.keys(operations) as OperationName[]) {
    command.addSubcommand(operation, summaryOf(operation), (named) => defineNamed(named, operation, context));
  }
}

function defineNamed(command: CliCommand, operation: OperationName, context: Context): void {
  const { response }: Operation = operations[operation];
  const type = resultType(response[0]);
  const fields = OperationFields.of(operation, 'options-only');
  const summary = summaryOf(operation);
  command.description(summary && `${operation}: ${summary}.`);
  fields.addTo(command);
  command.addExamples(examplesOf(operation, fields));
  if (sendsMessages(operation)) addAsIs(command.optionsGroup('Options:'));
  addCallOptions(command);
  addOutputOptions(command, type.isRecord ? type.columns.map(({ name }) => name) : undefined);
  command.action(() => callNamed({ operation, type, fields }, command, context));
}

/** Returns the summary of an operation. An operation that is new in the contract has no help yet. */
function summaryOf(operation: OperationName): string {
  return helpTexts[operation]?.summary ?? '';
}

/** The first example of the operation's own command, with every field as an option. */
function examplesOf(operation: OperationName, { fields }: OperationFields): readonly string[] {
  const [example = ''] = helpTexts[operation]?.examples ?? [];
  const [, ...words] = example.split(' ');
  const { argument } = OperationFields.of(operation);
  const option = argument && fields.length > 0 ? [`--${kebabCase(argument.name)}`] : [];
  return [['call', operation, ...option, ...words].join(' ')];
}

interface NamedCall {
  readonly operation: OperationName;
  readonly type: ResultType;
  readonly fields: OperationFields;
}

interface AnyResponse {
  readonly result: unknown;
  readonly status: number;
  readonly statusmessage: string;
}

/** The client types each operation; a table of commands needs one type for all. */
type UntypedCall = (
  this: MessagingClient,
  operation: OperationName,
  request: FieldValues,
  options: CallOptions,
) => Promise<AnyResponse>;

async function callNamed({ operation, type, fields }: NamedCall, command: CliCommand, context: Context): Promise<void> {
  const given: GlobalOptions & SendChecks = optionsOf(command);
  const output = given.output ?? (context.io.stdout.isTTY ? 'table' : 'json');
  await withClient(
    given,
    context,
    async (session) => {
      const { client, signal, dates, options } = session;
      const printer = new ResultPrinter(type, { ...given, output }, context, dates);
      const request = await fields.read(command.opts(), [], { io: context.io, dates });
      if (sendsMessages(operation) && !given.asIs) checkMessages({ ...options.defaults, ...request }, operation);
      const { status } = await reportFailure({ ...session, given, operation, request, printer }, fields, async () => {
        const response = await (client.call as UntypedCall).call(client, operation, request, { signal });
        await printResponse(response, printer, context, signal);
        return response;
      });
      if (options.successStatuses && !options.successStatuses.includes(status)) {
        throw new CommandFailure(exitCodes.status, `${operation}: status ${status} is not in --success-statuses`);
      }
    },
    REQUIRED,
  );
}

async function printResponse(
  { result, status, statusmessage }: AnyResponse,
  printer: ResultPrinter,
  { io, stdout, log }: Context,
  signal: AbortSignal,
): Promise<void> {
  if (printer.format === 'json') {
    await stdout.write(
      `${formatJson({ result: printer.pick(result), status, statusmessage }, io.stdout.isTTY)}\n`,
      signal,
    );
    await stdout.finish(signal);
    return;
  }
  // A refused call may have no result.
  const rows = Array.isArray(result) ? result : [result];
  await printer.print(result === undefined ? [] : rows, signal);
  await printer.end(signal);
  log(`status ${status}${statusmessage && ` (${statusmessage})`}`);
}
