import { service } from '../../../generated/operations';
import { formatWsdl } from '../../soap/wsdl';
import { type CliCommand, type Context, optionsOf } from '../commander/command';
import { checkSettings } from '../settings/client';
import { addSettings } from '../settings/global-options';
import { readSettings } from '../settings/settings';

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
    const { baseUrl: url, namespace: uri } = readSettings(optionsOf(command), context);
    const { baseUrl, namespace } = checkSettings({ baseUrl: url, namespace: uri }, names);
    await context.stdout.write(formatWsdl(namespace, baseUrl + service.path));
  });
}
