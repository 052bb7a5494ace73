import { isSameBaseUrl } from '../../options/checks';
import { isObject, WrongValue } from '../../options/table';
import { clientOptions, type OptionOverrides } from './client';
import { readCaFile, readKeyFile } from './files';
import { parseSetting, type SettingName, settingNames, settingRow } from './settings';

/** Variables of the environment by name, such as `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads options from the environment; options in `overrides` win. An empty variable counts as missing. An option whose
 * variable or file cannot be read is a WrongValue, which `resolveOptions` reports with everything else that is wrong.
 * `overrides` that are no object stay as they are, for `resolveOptions` to refuse.
 */
export function readEnvironment<D>(overrides: OptionOverrides<D>, environment: Environment): OptionOverrides<D> {
  if (!isObject(overrides)) return overrides;
  const read = (name: SettingName, make: (text: string) => unknown): unknown => {
    const { variable } = settingRow(name);
    const text = environment[variable];
    try {
      return text ? make(text) : undefined;
    } catch (error) {
      if (!(error instanceof WrongValue)) throw error;
      return new WrongValue(error.problems.map((problem) => ({ ...problem, variable })));
    }
  };
  const found: Record<string, unknown> = {};
  for (const name of settingNames) {
    if (name in clientOptions) found[name] = read(name, (text) => parseSetting(name, text));
  }
  // No file is read for an option that is given.
  found.apiKey =
    overrides.apiKey ?? findKeyProblem(overrides.baseUrl, environment) ?? found.apiKey ?? read('apiKeyFile', readKey);
  const given = Object.fromEntries(Object.entries(overrides).filter(([, value]) => value !== undefined));
  const tls = given.tls ?? {};
  const ca = isObject(tls) && tls.ca === undefined ? read('caFile', readCaFile) : undefined;
  // The client uses no unit of dates. A wrong one is named all the same, because the command line refuses it.
  const dates = read('dates', settingRow('dates').read);
  return {
    ...found,
    ...given,
    ...(ca !== undefined && { tls: { ...(tls as object), ca: ca as string } }),
    ...(dates instanceof WrongValue && { dates }),
  };
}

const readKey = (path: string): string => readKeyFile(path).key;

/** Says why the API key of the environment must not be used; undefined when it may. */
function findKeyProblem(baseUrl: unknown, environment: Environment): WrongValue | undefined {
  const names = (['apiKey', 'apiKeyFile'] as const).map((name) => settingRow(name).variable);
  const [variable, other] = names.filter((name) => environment[name]);
  if (variable === undefined) return undefined;
  const problem = (message: string) => new WrongValue([{ option: '', message, variable }]);
  if (other !== undefined) return problem(`${other} is set too: unset one of them`);
  const stored = environment.MESSAGING_BASE_URL;
  if (!stored || typeof baseUrl !== 'string' || isSameBaseUrl(stored, baseUrl)) return undefined;
  return problem(`belongs to ${stored} (MESSAGING_BASE_URL), and baseUrl is ${baseUrl}: give apiKey beside baseUrl`);
}
