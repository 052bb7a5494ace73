import { service } from '../../../../generated/operations';
import { clientOption, clientOptions } from '../../../options/client';
import { parseOption } from '../../../options/environment';
import { refuseValue } from '../../../options/table';
import { dateUnits } from '../../fields/dates';
import { asObject, parseJson } from '../../settings/profile';
import type { SettingName } from '../../settings/settings';

/** The questions of the setup, in their order. Only the provider knows the answers. */
export const questions: readonly (readonly [setting: SettingName, question: string])[] = [
  ['baseUrl', `Base URL of the service, without ${service.path}`],
  ['namespace', 'Namespace, letter for letter'],
  ['apiKeyFile', 'API key (it is not shown)'],
  ['successStatuses', 'Statuses that mean success, such as 200,201 (Enter: not known yet)'],
  ['soapVersion', 'SOAP version, 1.1 or 1.2'],
  ['finalStatuses', 'Statuses of a message that are final, such as 6,10,11 (Enter: not known yet)'],
  ['dates', `Unit of dates, ${dateUnits.join(' or ')} (Enter: not known yet)`],
];

/** The settings without which nothing can be checked. */
export const needed: readonly SettingName[] = ['baseUrl', 'namespace', 'apiKeyFile'];

/** Makes the value that a profile holds of the text of an option or of an answer. @throws {WrongValue} */
export function readSetting(name: SettingName, text: string): unknown {
  if (name === 'dates') {
    if (!dateUnits.some((unit) => unit === text)) refuseValue(`must be ${dateUnits.join(' or ')}`);
    return text;
  }
  if (name === 'defaults') return asObject(parseJson(text, '--defaults'), '--defaults');
  if (!(name in clientOptions)) return text;
  const option = name as keyof typeof clientOptions;
  const value = parseOption(option, name === 'baseUrl' ? withoutPath(text) : text);
  clientOption(option).read(value);
  return value;
}

/** Providers give the address of the endpoint, or of its WSDL. The base URL is the part before the path of both. */
function withoutPath(address: string): string {
  const end = address.replace(/[?#].*$/s, '').replace(/\/+$/, '');
  return end.toLowerCase().endsWith(service.path.toLowerCase()) ? end.slice(0, -service.path.length) : address;
}
