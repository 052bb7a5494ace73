import { ConfigurationError, type OptionProblem } from '../errors';
import { isSameBaseUrl } from './checks';
import { clientOptions, type OptionOverrides, resolveOptions } from './client';
import { readCaFile, readKeyFile } from './files';
import { parseSetting, type SettingName, settingNames, settingRow } from './settings';
import { isObject, WrongValue } from './table';

/** Variables of the environment by name, such as `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads options from the environment; options in `overrides` win. An empty variable counts as missing. `overrides` that
 * are no object stay as they are, for `resolveOptions` to refuse.
 *
 * @throws {ConfigurationError} that names every option that is wrong, when a variable or its file cannot be read, and
 * when the API key was stored with another base URL
 */
export function readEnvironment<D>(overrides: OptionOverrides<D>, environment: Environment): OptionOverrides<D> {
  if (!isObject(overrides)) return overrides;
  const problems: OptionProblem[] = [];
  const read = (name: SettingName, option: string, make: (text: string) => unknown) => {
    const { variable } = settingRow(name);
    const text = environment[variable];
    try {
      return text ? make(text) : undefined;
    } catch (error) {
      if (!(error instanceof WrongValue)) throw error;
      problems.push(...error.problems.map(({ message }) => ({ option, message, variable })));
      return undefined;
    }
  };
  const found: Record<string, unknown> = {};
  for (const name of settingNames) {
    if (!(name in clientOptions) || overrides[name as keyof typeof clientOptions] !== undefined) continue;
    const option = name as keyof typeof clientOptions;
    const value = read(name, option, (text) => parseSetting(name, text));
    if (value !== undefined) found[option] = value;
  }
  if (overrides.apiKey === undefined) {
    const problem = keyProblem(overrides.baseUrl, environment);
    if (problem !== undefined) problems.push({ option: 'apiKey', message: problem });
    const key = read('apiKeyFile', 'apiKey', (path) => readKeyFile(path).key);
    if (key !== undefined) found.apiKey = key;
  }
  if (overrides.tls === undefined || (isObject(overrides.tls) && overrides.tls.ca === undefined)) {
    const ca = read('caFile', 'tls', readCaFile);
    if (ca !== undefined) found.tls = { ...(overrides.tls as object | undefined), ca };
  }
  // The client uses no unit of dates. A wrong one is named all the same, because the command line refuses it.
  read('dates', 'dates', settingRow('dates').read);
  const options = { ...overrides, ...found };
  if (problems.length > 0)
    throw new ConfigurationError({ problems: [...problems, ...furtherProblems(options, problems)] });
  return options;
}

/** Says why the API key of the environment must not be used; undefined when it may. */
function keyProblem(baseUrl: unknown, environment: Environment): string | undefined {
  const names = (['apiKey', 'apiKeyFile'] as const).map((name) => settingRow(name).variable);
  const given = names.filter((name) => environment[name]);
  if (given.length > 1) return `${given.join(' and ')} are both set: unset one of them`;
  const stored = environment.MESSAGING_BASE_URL;
  if (given.length === 0 || !stored || typeof baseUrl !== 'string' || isSameBaseUrl(stored, baseUrl)) return undefined;
  return `${given[0]} belongs to ${stored} (MESSAGING_BASE_URL), and baseUrl is ${baseUrl}: give apiKey beside baseUrl`;
}

/** The problems of other options, so that one error names everything that is wrong. */
function furtherProblems(options: unknown, known: readonly OptionProblem[]): readonly OptionProblem[] {
  try {
    resolveOptions(options as OptionOverrides<unknown>);
    return [];
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return error.problems.filter(({ option }) => known.every((problem) => problem.option !== option));
  }
}
