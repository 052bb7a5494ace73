import { nonEmptyText, oneOf } from '../../options/checks';
import { type ClientOptionRow, clientOptions } from './client';

/** The units of the service's dates, which count from 1970. The contract defines none, so there is no default. */
export const dateUnits = ['seconds', 'milliseconds'] as const;
export type DateUnit = (typeof dateUnits)[number];

const path = nonEmptyText('a path');

/**
 * The settings that a variable, an option of the command line or a profile gives, in the order of the help: options of
 * the client, the files that hold the values of such options, and the unit of dates.
 */
export const settingRows = {
  baseUrl: clientOptions.baseUrl,
  namespace: clientOptions.namespace,
  apiKeyFile: {
    read: path,
    variable: 'MESSAGING_API_KEY_FILE',
    flag: { value: 'path', help: 'read the API key from a file' },
  },
  apiKey: clientOptions.apiKey,
  successStatuses: clientOptions.successStatuses,
  finalStatuses: clientOptions.finalStatuses,
  soapVersion: clientOptions.soapVersion,
  timeoutMs: clientOptions.timeoutMs,
  retries: clientOptions.retries,
  caFile: {
    read: path,
    variable: 'MESSAGING_CA_FILE',
    flag: { value: 'path', help: 'trust the certificate authorities in this file (PEM), and no others' },
  },
  proxy: clientOptions.proxy,
  defaults: clientOptions.defaults,
  dates: {
    read: oneOf(dateUnits),
    variable: 'MESSAGING_DATES',
    flag: {
      value: 'unit',
      help: `take dates as ${dateUnits.join(' or ')}; options for dates then take ISO 8601 too, and tables show it`,
      choices: dateUnits,
    },
  },
} as const satisfies Readonly<Record<string, ClientOptionRow>>;

export type SettingName = keyof typeof settingRows;
export const settingNames = Object.keys(settingRows) as SettingName[];

/** The row of a setting, with a type that is the same for all. */
export function settingRow(name: SettingName): ClientOptionRow & Required<Pick<ClientOptionRow, 'variable' | 'flag'>> {
  return settingRows[name];
}

/** Makes a value of a setting's text: from its environment variable, or from the command line. @throws {WrongValue} */
export function parseSetting(name: SettingName, text: string): unknown {
  const { parse } = settingRow(name);
  return parse ? parse(text) : text;
}
