import type { OptionProblem } from '../../errors';
import { addressWithoutPassword } from '../../internal/strings';
import { isSameBaseUrl } from '../../options/checks';
import { isObject, WrongValue } from '../../options/table';
import { clientOptions, type OptionOverrides } from './client';
import { readCaFile, readKeyFile } from './files';
import { parseSetting, type SettingName, settingNames, settingRow } from './settings';

/** Variables of the environment by name, such as `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The options of a client, and the problems of those that could not be read. */
interface ReadOptions<D> {
  readonly options: OptionOverrides<D>;
  /** No client may be made when there are problems. */
  readonly problems: readonly OptionProblem[];
}

/**
 * Reads options from the environment; options in `overrides` win. An empty variable counts as missing. `overrides` that
 * are no object stay as they are, for `resolveOptions` to refuse.
 */
export function readEnvironment<D>(overrides: OptionOverrides<D>, environment: Environment): ReadOptions<D> {
  if (!isObject(overrides)) return { options: overrides, problems: [] };
  const given: Readonly<Record<string, unknown>> = overrides;
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
  // The own names of `overrides` stay, so that unknown ones are refused. A class may also inherit options.
  const options: Record<string, unknown> = { ...given };
  for (const name of Object.keys(clientOptions)) options[name] = given[name] ?? undefined;
  // No variable and no file is read for an option that is given.
  for (const name of settingNames) {
    if (name in clientOptions) options[name] ??= read(name, (text) => parseSetting(name, text));
  }
  if ((given.apiKey ?? undefined) === undefined) {
    options.apiKey ??= read('apiKeyFile', (path) => readKeyFile(path).key, 'apiKey');
    problems.push(...findKeyProblems(given.baseUrl, environment));
  }
  const tls = options.tls ?? {};
  const ca = isObject(tls) && (tls.ca ?? undefined) === undefined ? read('caFile', readCaFile, 'tls.ca') : undefined;
  if (ca !== undefined) options.tls = { ...(tls as object), ca };
  // The client uses no unit of dates. A wrong one is named all the same, because the command line refuses it.
  read('dates', settingRow('dates').read);
  return { options: options as OptionOverrides<D>, problems };
}

/** Says why the API key of the environment must not be used. The key in a message is masked with the other problems. */
function findKeyProblems(baseUrl: unknown, environment: Environment): OptionProblem[] {
  const names = (['apiKey', 'apiKeyFile'] as const).map((name) => settingRow(name).variable);
  const [variable, other] = names.filter((name) => environment[name]);
  if (variable === undefined) return [];
  const option = 'apiKey';
  if (other !== undefined) return [{ option, message: `${other} is set too: unset one of them`, variable }];
  const stored = environment.MESSAGING_BASE_URL;
  if (!stored || typeof baseUrl !== 'string' || isSameBaseUrl(stored, baseUrl)) return [];
  const owner = `${addressWithoutPassword(stored)} (MESSAGING_BASE_URL)`;
  return [{ option, message: `is the key of ${owner}; for another baseUrl, give apiKey too`, variable }];
}
