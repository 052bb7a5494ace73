import type { OptionProblem } from '../../errors';
import { addressWithoutSecrets } from '../../internal/address';
import { isObject, WrongValue } from '../../options/table';
import { clientOptions, type OptionOverrides, requiredOptions } from './client';
import { readCaFile, readKeyFile } from './files';
import { isUsable, parseSetting, type SettingName, settingNames, settingRow } from './settings';

/** Variables of the environment by name, such as `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The options of a client, and the problems of those that could not be read. */
interface ReadOptions<D> {
  readonly options: OptionOverrides<D>;
  /** No client may be made when there are problems. */
  readonly problems: readonly OptionProblem[];
  /** The keys that are not used, and that no message may have. */
  readonly keys: readonly (string | undefined)[];
}

/**
 * Reads options from the environment; options in `overrides` win. An empty variable counts as missing. When `overrides`
 * and the variables name different base URLs, no variable is used. `overrides` that are no object stay as they are, for
 * `resolveOptions` to refuse.
 */
export function readEnvironment<D>(overrides: OptionOverrides<D>, environment: Environment): ReadOptions<D> {
  if (!isObject(overrides)) return { options: overrides, problems: [], keys: [] };
  const given: Readonly<Record<string, unknown>> = overrides;
  // The own names of `overrides` stay, so that unknown ones are refused. A class may also inherit options.
  const options: Record<string, unknown> = { ...given };
  for (const name of Object.keys(clientOptions)) options[name] = given[name] ?? undefined;
  const stored = environment.MESSAGING_BASE_URL || undefined;
  if (!isUsable(stored, options.baseUrl)) {
    const isMissing = requiredOptions.some((name) => options[name] === undefined);
    const message = `the variables are for another service (${addressWithoutSecrets(String(stored))}), so none of them is used`;
    const { MESSAGING_API_KEY, MESSAGING_API_KEY_FILE } = environment;
    return {
      options: options as OptionOverrides<D>,
      problems: isMissing ? [{ option: 'baseUrl', message }] : [],
      keys: [MESSAGING_API_KEY, MESSAGING_API_KEY_FILE && peekAtKey(MESSAGING_API_KEY_FILE)],
    };
  }
  const problems: OptionProblem[] = [];
  const read = (name: SettingName, make: (text: string) => unknown, option: string = name): unknown => {
    const { variable } = settingRow(name);
    const text = environment[variable];
    try {
      return text ? make(text) : undefined;
    } catch (error) {
      if (!(error instanceof WrongValue)) throw error;
      problems.push({ option, message: error.message, variable });
      return undefined;
    }
  };
  const isKeyGiven = options.apiKey !== undefined;
  // No variable and no file is read for an option that is given.
  for (const name of settingNames) {
    if (name in clientOptions) options[name] ??= read(name, (text) => parseSetting(name, text));
  }
  if (!isKeyGiven) {
    const [variable, other] = keyVariables.filter((name) => environment[name]);
    if (variable !== undefined && other !== undefined)
      problems.push({ option: 'apiKey', message: `${other} is set too: unset one of them`, variable });
    options.apiKey ??= read('apiKeyFile', (path) => readKeyFile(path).key, 'apiKey');
  }
  const tls = options.tls ?? {};
  const ca = isObject(tls) && (tls.ca ?? undefined) === undefined ? read('caFile', readCaFile, 'tls.ca') : undefined;
  if (ca !== undefined) options.tls = { ...(tls as object), ca };
  // The client uses no unit of dates. A wrong one is named all the same, because the command line refuses it.
  read('dates', settingRow('dates').read);
  return { options: options as OptionOverrides<D>, problems, keys: [] };
}

const keyVariables = (['apiKey', 'apiKeyFile'] as const).map((name) => settingRow(name).variable);

/** Reads a key in order to mask it; undefined when its file cannot be read. */
export function peekAtKey(path: string): string | undefined {
  try {
    return readKeyFile(path).key;
  } catch (error) {
    if (error instanceof WrongValue) return undefined;
    throw error;
  }
}
