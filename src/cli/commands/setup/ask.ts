import { service } from '../../../../generated/operations';
import { loadContract, readOwnContract } from '../../../contract';
import { readCaFile } from '../../../options/files';
import { type SettingName, settingNames } from '../../../options/settings';
import { isObject, WrongValue } from '../../../options/table';
import { wsdlAddressOf } from '../../../soap/wsdl';
import type { Context } from '../../commander/command';
import { isUsable } from '../../settings/settings';
import type { StoredProfile } from '../../settings/write-profile';
import type { Questions } from '../../terminal/questions';
import { needed, questions, readSetting } from './questions';

/** The settings of a profile by name. */
export type Values = Readonly<Record<string, unknown>>;

/** The limit of reading the WSDL, in milliseconds. */
const WSDL_MS = 10_000;

/** The settings that the WSDL of the service has. */
interface Found {
  readonly namespace?: string;
  readonly soapVersion?: string;
}

/**
 * Reads the namespace and the SOAP version from the WSDL that the service publishes, through the proxy if there is one.
 * Many services publish none.
 */
export async function findNamespace(values: Values, log: Context['log'], signal: AbortSignal): Promise<Found> {
  const address = wsdlAddressOf(`${String(values.baseUrl).replace(/\/+$/, '')}${service.path}`);
  const { proxy, caFile } = values as { readonly proxy?: string; readonly caFile?: string };
  try {
    const tls = caFile === undefined ? {} : { ca: readCaFile(caFile) };
    const { contract } = await loadContract(address, { timeoutMs: WSDL_MS, proxy, tls, signal }, readOwnContract());
    log(`namespace ${contract.namespace}, read from ${address}`);
    return { namespace: contract.namespace, soapVersion: contract.bindings['1.1'] ? '1.1' : '1.2' };
  } catch (error) {
    signal.throwIfAborted();
    log(`no WSDL at ${address}: ${(error as Error).message}`);
    return {};
  }
}

/** The values of a profile before they are written. */
export interface Answers {
  readonly values: Values;
  /** The API key that the user typed; undefined when it is in a file. */
  readonly key?: string | undefined;
  /** The sender and the receptor of a first message. */
  readonly first?: { readonly sender: string; readonly receptor: string } | undefined;
}

/**
 * Asks for each setting that is not known. Enter takes the value in brackets, which is from the profile or the WSDL.
 * Nothing is written.
 *
 * @param known the settings that are not asked for
 */
export async function askFor(
  lines: Questions,
  profile: StoredProfile,
  known: Values,
  { log }: Context,
  signal: AbortSignal,
): Promise<Answers> {
  let values: Record<string, unknown> = { ...profile.values };
  let found: Found = {};
  let key: string | undefined;
  for (const [name, question] of questions) {
    const isAsked = known[name] === undefined && (name !== 'caFile' || /^https:/i.test(String(values.baseUrl)));
    const before =
      name === 'namespace' ? (found.namespace ?? values[name]) : (values[name] ?? found[name as keyof Found]);
    if (isAsked && name === 'apiKeyFile') key = await askKey(lines, before, question);
    else if (isAsked) {
      const value = await askOne(lines, name, question, before, log);
      if (name === 'baseUrl') values = { ...ofService(values, value), ...known };
      if (value !== undefined) values[name] = value;
    }
    // The certificate authorities are needed to read the WSDL.
    if (name === 'caFile' && known.namespace === undefined) found = await findNamespace(values, log, signal);
  }
  const sender = await lines.ask('Sender of a first message (Enter: later): ');
  const receptor = sender && (await lines.ask('Receptor of a first message, a phone of your own (Enter: later): '));
  return { values, key, first: receptor ? { sender, receptor } : undefined };
}

/** The settings of a profile that hold for a base URL: what describes another service, such as its key, does not. */
export function ofService(values: Values, baseUrl: unknown): Values {
  const [own, given] = [values.baseUrl, baseUrl].map((value) => (value === undefined ? undefined : { value }));
  // A name that is no setting stays, and is refused when the profile is read.
  const isKept = (name: string) =>
    !settingNames.some((one) => one === name) || isUsable(name as SettingName, own, given);
  return Object.fromEntries(Object.entries(values).filter(([name]) => isKept(name)));
}

/** Asks until the text is valid. Resolves with undefined for an empty line, where the setting may stay unknown. */
async function askOne(
  lines: Questions,
  name: SettingName,
  question: string,
  before: unknown,
  log: Context['log'],
): Promise<unknown> {
  const shown = isObject(before) ? JSON.stringify(before) : before;
  for (;;) {
    const text = await lines.ask(`${question}${before === undefined ? '' : ` [${shown}]`}: `);
    if (text === '' && (before !== undefined || !needed.includes(name))) return before;
    try {
      return readSetting(name, text);
    } catch (error) {
      if (!(error instanceof WrongValue)) throw error;
      log(error.message);
    }
  }
}

/** Asks for the API key. Resolves with undefined for the key in the file that the profile names. */
async function askKey(lines: Questions, before: unknown, question: string): Promise<string | undefined> {
  for (;;) {
    const key = await lines.askSecret(`${question}${before === undefined ? '' : ` [the key in ${before}]`}: `);
    if (key !== '') return key;
    if (before !== undefined) return undefined;
  }
}
