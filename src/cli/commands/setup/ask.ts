import { service } from '../../../../generated/operations';
import { loadContract, readOwnContract } from '../../../contract';
import type { SettingName } from '../../../options/settings';
import { WrongValue } from '../../../options/table';
import { wsdlAddressOf } from '../../../soap/wsdl';
import type { Context } from '../../commander/command';
import { type StoredProfile, writeKeyFile } from '../../settings/write-profile';
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
  const proxy = values.proxy as string | undefined;
  try {
    const { contract } = await loadContract(address, { timeoutMs: WSDL_MS, proxy, signal }, readOwnContract());
    log(`namespace ${contract.namespace}, read from ${address}`);
    return { namespace: contract.namespace, soapVersion: contract.bindings['1.1'] ? '1.1' : '1.2' };
  } catch (error) {
    signal.throwIfAborted();
    log(`no WSDL at ${address}: ${(error as Error).message}`);
    return {};
  }
}

/**
 * Asks for each setting that is not known. Enter takes the value in brackets, which is from the profile or the WSDL.
 *
 * @param known the settings that are not asked for
 */
export async function askFor(
  lines: Questions,
  profile: StoredProfile,
  known: Values,
  { log }: Context,
  signal: AbortSignal,
): Promise<Values> {
  const values: Record<string, unknown> = { ...profile.values };
  let found: Found = {};
  for (const [name, question] of questions) {
    if (known[name] === undefined) {
      const before =
        name === 'namespace' ? (found.namespace ?? values[name]) : (values[name] ?? found[name as keyof Found]);
      const value =
        name === 'apiKeyFile'
          ? await askKey(lines, profile, question, log)
          : await askOne(lines, name, question, before, log);
      if (value !== undefined) values[name] = value;
    }
    if (name === 'baseUrl' && known.namespace === undefined) found = await findNamespace(values, log, signal);
  }
  return values;
}

/** Asks until the text is valid. Resolves with undefined for an empty line, where the setting may stay unknown. */
async function askOne(
  lines: Questions,
  name: SettingName,
  question: string,
  before: unknown,
  log: Context['log'],
): Promise<unknown> {
  for (;;) {
    const text = await lines.ask(`${question}${before === undefined ? '' : ` [${before}]`}: `);
    if (text === '' && (before !== undefined || !needed.includes(name))) return before;
    try {
      return readSetting(name, text);
    } catch (error) {
      if (!(error instanceof WrongValue)) throw error;
      log(error.message);
    }
  }
}

/** Asks for the API key, and writes it to a file that only its owner can read. Resolves with the path. */
async function askKey(
  lines: Questions,
  profile: StoredProfile,
  question: string,
  log: Context['log'],
): Promise<unknown> {
  const before = profile.values.apiKeyFile;
  for (;;) {
    const key = await lines.askSecret(`${question}${before === undefined ? '' : ` [the key in ${before}]`}: `);
    if (key === '' && before !== undefined) return before;
    if (key !== '') {
      const file = await writeKeyFile(profile, key);
      log(`the key is in ${file} beside the profile; only you can read this file`);
      return file;
    }
  }
}
