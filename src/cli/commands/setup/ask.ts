import { resolve } from 'node:path';
import { service } from '../../../../generated/operations';
import { readCaFile } from '../../../client/options/files';
import { parseSetting, type SettingName, settingRow } from '../../../client/options/settings';
import { isUsable } from '../../../client/options/sources';
import { loadContract, readOwnContract } from '../../../contract';
import { isObject, WrongValue } from '../../../options/table';
import { wsdlAddressOf } from '../../../soap/wsdl';
import type { Context } from '../../commander/command';
import type { StoredProfile } from '../../settings/write-profile';
import { describeWsdlFailure, isUntrustedAuthority } from '../../terminal/advice';
import type { Io } from '../../terminal/io';
import { ask, tellBetween } from '../../terminal/questions';

/**
 * The questions of the setup, in their order. Only the provider knows the answers. The file of the certificate
 * authority is asked for when the certificate is not accepted.
 */
const questions: readonly (readonly [setting: SettingName, question: string])[] = [
  ['baseUrl', `Base URL of the service, without ${service.path}`],
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

export type Values = Readonly<Record<string, unknown>>;

/** The limit of reading the WSDL, in milliseconds. */
const WSDL_MS = 10_000;

/** The findings of a first look at the service. */
interface Findings {
  /** The namespace of the WSDL; undefined when there is no WSDL that can be read. */
  readonly namespace?: string;
  /** True when the certificate of the service is not accepted. */
  readonly isUntrusted: boolean;
}

/**
 * Reads the namespace from the WSDL that the service publishes, through the proxy if there is one. Many services
 * publish none.
 */
export async function lookAtService(values: Values, log: Context['log'], signal: AbortSignal): Promise<Findings> {
  const address = wsdlAddressOf(`${String(values.baseUrl).replace(/\/+$/, '')}${service.path}`);
  const { proxy, caFile } = values as { readonly proxy?: string; readonly caFile?: string };
  try {
    const tls = caFile === undefined ? {} : { ca: readCaFile(caFile) };
    const { contract } = await loadContract(address, { timeoutMs: WSDL_MS, proxy, tls, signal }, readOwnContract());
    log(`namespace ${contract.namespace}, read from ${address}`);
    return { namespace: contract.namespace, isUntrusted: false };
  } catch (error) {
    signal.throwIfAborted();
    const { cause } = error as Error;
    log(`no WSDL: ${describeWsdlFailure(error as Error)}`);
    return { isUntrusted: isUntrustedAuthority((cause as NodeJS.ErrnoException | undefined)?.code) };
  }
}

/** The values of a profile before they are written. */
export interface Answers {
  readonly values: Values;
  /** The API key that the user typed; undefined when it is in a file. */
  readonly key?: string | undefined;
}

/**
 * Asks for each setting that is not known. The value of the profile or the WSDL is in the line that the user edits.
 * Nothing is written.
 *
 * @param known the settings that are not asked for
 * @param allowReplacing is given the base URL, and rejects when the profile must not be replaced
 */
export async function askFor(
  profile: StoredProfile,
  known: Values,
  { io }: Context,
  signal: AbortSignal,
  allowReplacing: (baseUrl: unknown) => Promise<void>,
): Promise<Answers> {
  let values: Record<string, unknown> = { ...profile.values };
  let found: string | undefined;
  let key: string | undefined;
  for (const [name, message] of questions) {
    const before = name === 'namespace' ? (found ?? values[name]) : values[name];
    if (known[name] !== undefined) values[name] = known[name];
    else if (name === 'apiKeyFile') key = await askKey(message, before, io, signal);
    else values[name] = await askSetting(name, message, before, io, signal);
    if (name !== 'baseUrl') continue;
    await allowReplacing(values.baseUrl);
    values = { ...ofService(profile.values, values.baseUrl), ...known, baseUrl: values.baseUrl };
    const tell = (line: string) => tellBetween(io, line);
    let look = await lookAtService(values, tell, signal);
    while (look.isUntrusted) {
      const file = await askSetting('caFile', AUTHORITY_QUESTION, values.caFile, io, signal);
      if (file === undefined) break;
      values.caFile = file;
      look = await lookAtService(values, tell, signal);
    }
    found = look.namespace;
  }
  return { values, key };
}

const AUTHORITY_QUESTION = "File of the service's certificate authority (empty: go on without)";

/** The values of a profile that hold for a base URL: none of a profile for another service, but `confirm`. */
export function ofService(values: Values, baseUrl: unknown): Values {
  if (isUsable(values.baseUrl, baseUrl)) return values;
  return values.confirm === undefined ? {} : { confirm: values.confirm };
}

/** Asks for a setting. Resolves with undefined for an empty line, where the setting may stay unknown. */
async function askSetting(name: SettingName, message: string, before: unknown, io: Io, signal: AbortSignal) {
  const { flag, default: fallback } = settingRow(name);
  const { choices } = flag;
  const known = before ?? (choices && fallback);
  const initialValue = isObject(known) ? JSON.stringify(known) : String(known ?? '');
  const reply = await ask(io, signal, ({ select, text }, terminal) => {
    if (!choices) return text({ message, initialValue, validate: (given) => mistakeIn(name, given), ...terminal });
    const options = choices.map((value) => ({ value, label: value }));
    if (known === undefined) options.push({ value: '', label: 'not known yet' });
    return select({ message, options, initialValue, ...terminal });
  });
  return reply === '' ? undefined : readSetting(name, reply);
}

/** Says what is wrong with an answer; undefined for a valid one. */
function mistakeIn(name: SettingName, given = ''): string | undefined {
  const text = given.trim();
  if (text === '') return needed.includes(name) ? 'it is needed' : undefined;
  try {
    readSetting(name, text);
    return undefined;
  } catch (error) {
    if (!(error instanceof WrongValue)) throw error;
    return error.message;
  }
}

/** Asks for the API key. Resolves with undefined for the key in the file that the profile names. */
export async function askKey(
  question: string,
  before: unknown,
  io: Io,
  signal: AbortSignal,
): Promise<string | undefined> {
  const message = before === undefined ? question : `${question} (empty: the key in ${before})`;
  const validate = (text = '') => (text.trim() === '' && before === undefined ? 'it is needed' : undefined);
  const key = await ask(io, signal, ({ password }, terminal) => password({ message, validate, ...terminal }));
  return key === '' ? undefined : key;
}
