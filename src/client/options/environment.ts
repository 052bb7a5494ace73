import type { OptionProblem } from '../../errors';
import { addressWithoutSecrets } from '../../internal/address';
import { isObject, WrongValue } from '../../options/table';
import { clientOptions, type OptionOverrides, requiredOptions } from './client';
import { readCaFile, readKeyFile } from './files';
import { parseSetting, type SettingName, settingNames, settingRow } from './settings';
import { combine, keysOf, makeSource, sourceOfVariables } from './sources';

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
  const variables = sourceOfVariables(environment);
  const source = makeSource(
    (name) => options[name],
    (name) => name,
  );
  const { ignored } = combine([source, variables]);
  if (ignored.length > 0) {
    const isMissing = requiredOptions.some((name) => options[name] === undefined);
    const stored = addressWithoutSecrets(String(variables.service?.value));
    const message = `the variables are for another service (${stored}), so none of them is used`;
    return {
      options: options as OptionOverrides<D>,
      problems: isMissing ? [{ option: 'baseUrl', message }] : [],
      keys: keysOf(ignored),
    };
  }
  const problems: OptionProblem[] = [];
  const read = (name: SettingName, make: (text: string) => unknown, option: string = name): unknown => {
    const setting = variables.settings[name];
    try {
      return setting && make(String(setting.value));
    } catch (error) {
      if (!(error instanceof WrongValue)) throw error;
      problems.push({ option, message: error.message, variable: settingRow(name).variable });
      return undefined;
    }
  };
  const isKeyGiven = options.apiKey !== undefined;
  // No variable and no file is read for an option that is given.
  for (const name of settingNames) {
    if (name in clientOptions) options[name] ??= read(name, (text) => parseSetting(name, text));
  }
  if (!isKeyGiven) {
    const { apiKey, apiKeyFile } = variables.settings;
    if (apiKey && apiKeyFile)
      problems.push({
        option: 'apiKey',
        message: `${apiKeyFile.source} is set too: unset one of them`,
        variable: apiKey.source,
      });
    options.apiKey ??= read('apiKeyFile', (path) => readKeyFile(path).key, 'apiKey');
  }
  const tls = options.tls ?? {};
  const ca = isObject(tls) && (tls.ca ?? undefined) === undefined ? read('caFile', readCaFile, 'tls.ca') : undefined;
  if (ca !== undefined) options.tls = { ...(tls as object), ca };
  // The client uses no unit of dates. A wrong one is named all the same, because the command line refuses it.
  read('dates', settingRow('dates').read);
  return { options: options as OptionOverrides<D>, problems, keys: [] };
}
