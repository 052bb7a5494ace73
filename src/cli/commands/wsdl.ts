import { service } from '../../../generated/operations';
import { formatWsdl } from '../../soap/wsdl';
import { type CliCommand, type Context, optionsOf } from '../commander/command';
import { addSettings } from '../settings/global-options';
import { checkSettings } from '../settings/session';
import { pickSettings, readSettings } from '../settings/settings';

const names = ['baseUrl', 'namespace'] as const;

export function defineWsdl(command: CliCommand, context: Context): void {
  command
    .description('Prints the WSDL of the service, with its namespace and address in it.')
    .addExamples([
      'wsdl > messaging.wsdl',
      'wsdl --base-url https://provider.example --namespace http://provider.example/',
    ]);
  addSettings(command, names);
  command.action(async () => {
    const inForce = pickSettings(readSettings(optionsOf(command), context), names);
    const { baseUrl, namespace } = checkSettings(inForce, context, { needed: names }).options;
    await context.stdout.write(formatWsdl(String(namespace), `${baseUrl}${service.path}`));
  });
}
