import { resolve } from 'node:path';
import { service } from '../../../../generated/operations';
import { readCaFile } from '../../../options/files';
import { parseSetting, type SettingName, settingRow } from '../../../options/settings';

/** The questions of the setup, in their order. Only the provider knows the answers. */
export const questions: readonly (readonly [setting: SettingName, question: string])[] = [
  ['baseUrl', `Base URL of the service, without ${service.path}`],
  ['caFile', "File of the service's certificate authority (empty: trusted by this system)"],
  ['namespace', 'Namespace, letter for letter'],
  ['apiKeyFile', 'API key'],
  ['successStatuses', 'Statuses that mean success, such as 200,201 (empty: not known yet)'],
  ['soapVersion', 'SOAP version'],
  ['finalStatuses', 'Statuses of a message that are final, such as 6,10 (empty: not known yet)'],
  ['dates', 'Unit of dates'],
  ['defaults', 'Default values as JSON, such as {"msgmode":1,"unixdate":"0"} (empty: none)'],
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
