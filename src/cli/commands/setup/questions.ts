import { resolve } from 'node:path';
import { service } from '../../../../generated/operations';
import { readCaFile } from '../../../options/files';
import { dateUnits, parseSetting, type SettingName, settingRow } from '../../../options/settings';

/** The questions of the setup, in their order. Only the provider knows the answers. */
export const questions: readonly (readonly [setting: SettingName, question: string])[] = [
  ['baseUrl', `Base URL of the service, without ${service.path}`],
  ['caFile', 'File of the certificate authorities of the service (Enter: those of this system)'],
  ['namespace', 'Namespace, letter for letter'],
  ['apiKeyFile', 'API key (it is not shown)'],
  ['successStatuses', 'Statuses that mean success, such as 200,201 (Enter: not known yet)'],
  ['soapVersion', 'SOAP version, 1.1 or 1.2'],
  ['finalStatuses', 'Statuses of a message that are final, such as 6,10,11 (Enter: not known yet)'],
  ['dates', `Unit of dates, ${dateUnits.join(' or ')} (Enter: not known yet)`],
  ['defaults', 'Default values of fields as JSON, such as {"msgmode":1,"unixdate":"0"} (Enter: none)'],
];

/** The settings without which nothing can be checked. */
export const needed: readonly SettingName[] = ['baseUrl', 'namespace', 'apiKeyFile'];

/** Makes the value that a profile holds of the text of an option or of an answer. @throws {WrongValue} */
export function readSetting(name: SettingName, text: string): unknown {
  const value = parseSetting(name, name === 'baseUrl' ? withoutPath(text) : text);
  settingRow(name).read(value);
  if (name === 'caFile') readCaFile(text);
  // In a profile, a relative path would start at another folder.
  if (/File$/.test(name)) return resolve(text);
  // A profile holds JSON, in which a large number is a string.
  return name === 'defaults' ? JSON.parse(text) : value;
}

/** Providers give the address of the endpoint, or of its WSDL. The base URL is the part before the path of both. */
function withoutPath(address: string): string {
  const end = address.replace(/[?#].*$/s, '').replace(/\/+$/, '');
  return end.toLowerCase().endsWith(service.path.toLowerCase()) ? end.slice(0, -service.path.length) : address;
}
