import { type Operation, type OperationName, operations } from '../../../../generated/operations';
import type { MessagingClient } from '../../../client';
import type { CallOptions } from '../../../options';
import type { RequiredOption } from '../../../settings/client-options';
import { type CliCommand, type Context, optionsOf } from '../../commander/command';
import { type FieldValues, OperationFields } from '../../fields/fields';
import { formatJson } from '../../output/json';
import { ResultPrinter, resultType } from '../../output/result-printer';
import { withClient } from '../../settings/client';
import { addGlobalOptions, type GlobalOptions } from '../../settings/settings';
import { CommandFailure, exitCodes } from '../../terminal/failure';
import { helpTexts } from './help-texts';
import { reportFailure } from './operation';

/** All that a call needs but success statuses: without them the status is printed, and nothing is concluded from it. */
const REQUIRED: readonly RequiredOption[] = ['baseUrl', 'namespace', 'apiKey'];

/** Adds the command that calls any operation of the contract by its name, also one that has no command of its own. */
export function addCall(program: CliCommand, context: Context): void {
  const call = program.command('call').summary('call any operation of the contract by its name');
  call.noun = 'operation';
  call.helpCommand(false);
  call.onUse(() => {
    call
      .description(
        'Calls an operation by its name in the contract. Every field is an option. Prints result, status and statusmessage: by default as JSON, on a terminal the result as a table and the rest on stderr. Exits with 3 when --success-statuses is set and does not have the status.',
      )
      .addExamples(['call GetStatusByApikey --messageid 9007199254740993', 'call RemainCreditByApiKey --output json']);
    for (const name of Object.keys(operations) as OperationName[]) addNamed(program, call, name, context);
  });
}

function addNamed(program: CliCommand, call: CliCommand, operation: OperationName, context: Context): void {
  // An operation that is new in the contract has no help of its own yet.
  const summary = helpTexts[operation]?.summary ?? '';
  const command = call.command(operation).summary(summary);
  command.onUse(() => {
    command.description(summary && `${operation}: ${summary}.`);
    OperationFields.of(operation, 'options-only').addTo(command);
    addGlobalOptions(command.optionsGroup('Global options:'));
  });
  command.action(async () => {
    const given: GlobalOptions = optionsOf(program, command);
    await callNamed(operation, given, command.opts(), context);
  });
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

async function callNamed(
  operation: OperationName,
  given: GlobalOptions,
  options: FieldValues,
  context: Context,
): Promise<void> {
  const output = given.output ?? (context.io.stdout.isTTY ? 'table' : 'json');
  const fields = OperationFields.of(operation, 'options-only');
  await withClient(
    given,
    context,
    async (session) => {
      const { signal } = session;
      const type = resultType((operations[operation] as Operation).response[0]);
      const printer = new ResultPrinter(type, { ...given, output }, context, session.dates);
      const request = await fields.read(options, [], { io: context.io, dates: session.dates });
      const call = { ...session, given, operation, request, printer };
      const { status } = await reportFailure(call, fields, async () => {
        const response = await (session.client.call as UntypedCall).call(session.client, operation, request, {
          signal,
        });
        await printResponse(response, printer, context, signal);
        return response;
      });
      const { successStatuses } = session.options;
      if (successStatuses && !successStatuses.includes(status)) {
        throw new CommandFailure(exitCodes.status, `${operation}: status ${status} is not in --success-statuses`);
      }
    },
    REQUIRED,
  );
}

async function printResponse(
  { result, status, statusmessage }: AnyResponse,
  printer: ResultPrinter,
  { stdout, log }: Context,
  signal: AbortSignal,
): Promise<void> {
  if (printer.format === 'json') {
    await stdout.write(`${formatJson({ result: printer.pick(result), status, statusmessage })}\n`, signal);
    await stdout.finish(signal);
    return;
  }
  // A refused call may have no result.
  const rows = Array.isArray(result) ? result : [result];
  await printer.print(result === undefined ? [] : rows, signal);
  await printer.end(signal);
  log(`status ${status}${statusmessage && ` (${statusmessage})`}`);
}
