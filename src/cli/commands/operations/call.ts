import { operationDocumentation } from '../../../../generated/documentation';
import { type OperationName, operations } from '../../../../generated/operations';
import type { MessagingClient } from '../../../client/client';
import type { CallOptions } from '../../../client/options/call';
import type { CliCommand, Context } from '../../commander/command';
import type { FieldValues } from '../../fields/fields';
import { formatJson } from '../../output/json';
import { CommandFailure, exitCodes } from '../../terminal/failure';
import { checkResult } from './check-result';
import type { CommandCall } from './command-call';
import { defineOperation } from './operation';

export function defineCall(command: CliCommand, context: Context): void {
  command
    .helpCommand(false)
    .description(
      'Calls an operation by its name in the contract. Prints result, status and statusmessage as JSON; on a terminal, the result as a table. Exits with 3 when --success-statuses is set and does not list the status.',
    )
    .addExamples(['call GetStatusByApikey 9007199254740993', 'call RemainCreditByApiKey --output json']);
  for (const operation of Object.keys(operations) as OperationName[]) {
    command.addSubcommand(operation, operationDocumentation[operation].summary, (named) =>
      defineOperation(named, operation, context, printResponse),
    );
  }
}

/** The client types each operation; a table of commands needs one type for all. */
type UntypedCall = (
  this: MessagingClient,
  operation: OperationName,
  request: FieldValues,
  options: CallOptions,
) => Promise<{ readonly result: unknown; readonly status: number; readonly statusmessage: string }>;

async function printResponse(call: CommandCall) {
  const { session, operation, request, printer, context } = call;
  const { client, options, signal } = session;
  const { io, stdout, log } = context;
  const response = await (client.call as UntypedCall).call(client, operation, request, { signal });
  const { result, status, statusmessage } = response;
  if (printer.format === 'json') {
    const text = formatJson({ result: printer.pick(result), status, statusmessage }, io.stdout.isTTY);
    await stdout.write(`${text}\n`, signal);
    await stdout.finish(signal);
  } else {
    // A refused call may have no result.
    const rows = Array.isArray(result) ? result : [result];
    await printer.print(result === undefined ? [] : rows, signal);
    await printer.end(signal);
    log(`status ${status}${statusmessage && ` (${statusmessage})`}`);
  }
  // Without success statuses, nothing is concluded from the status.
  if (options.successStatuses.size > 0 && !options.successStatuses.has(status))
    throw new CommandFailure(exitCodes.status, `${operation}: status ${status} is not in --success-statuses`);
  checkResult(call, result);
}
