import { service } from '../../../generated/operations';
import { type CliCommand, type Context, optionsOf } from '../commander/command';
import { addressOf } from '../settings/client';
import { addSettings, readSettings } from '../settings/settings';

/** Adds the command that prints the WSDL with a real namespace and address in it. */
export function addWsdl(program: CliCommand, { io, stdout }: Context): void {
  const command = program.command('wsdl').summary('print the WSDL for other tools');
  command.description('Prints the WSDL of the service, with its namespace and address in it.');
  command.addExamples([
    'wsdl > messaging.wsdl',
    'wsdl --base-url https://provider.example --namespace http://provider.example/',
  ]);
  addSettings(command, ['baseUrl', 'namespace']);
  command.action(async () => {
    const { baseUrl, namespace } = addressOf(readSettings(optionsOf(program, command), io.environment));
    // Loaded here: no other command needs it.
    const { formatWsdl } = require('../../soap/wsdl-text') as typeof import('../../soap/wsdl-text');
    await stdout.write(formatWsdl(namespace, baseUrl + service.path));
  });
}
