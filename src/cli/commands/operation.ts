import type { OperationName } from '../../../generated/operations';
import { methods } from '../../client';
import type { CliCommand } from '../command';
import { type Context, optionsOf } from '../context';
import { addFields, readRequest } from '../fields';
import { interruptible } from '../interruptible';
import { kebabCase } from '../kebab';
import { runOperation } from '../run-operation';
import { addGlobalOptions, readClientOptions } from '../settings';
import { helpTexts } from '../texts';

/** Adds the command of an operation: its name from the client's method, its fields from the operation table. */
export function addOperation(program: CliCommand, operation: OperationName, { io, stdout, say }: Context): void {
  const { group, summary, notes, examples } = helpTexts[operation];
  const command = program.command(kebabCase(methods[operation])).helpGroup(group).summary(summary);
  command.onUse(() => {
    command.description([`${operation}: ${summary}.`, notes].filter(Boolean).join(' ')).addExamples(examples);
    addFields(command, operation);
    addGlobalOptions(command.optionsGroup('Global options:'));
  });
  command.action(async () => {
    const given = optionsOf(program, command);
    const request = readRequest(operation, command.opts(), command.args);
    const options = readClientOptions(given, io.environment, (message) => say(`warning: ${message}`));
    const output = { format: given.output ?? 'table', terminal: io.stdout, sink: stdout, say };
    await interruptible(io.signals, (signal) => runOperation(operation, request, options, output, signal));
  });
}
