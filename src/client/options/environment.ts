import type { OptionProblem } from '../../errors';
import { addressWithoutSecrets } from '../../internal/address';
import { isObject } from '../../options/table';
import { clientOptions, type OptionOverrides, requiredOptions } from './client';
import { readSettingValues } from './setting-values';
import { settingNames } from './settings';
import { keysOf, makeSource, pick, resolveSources, sourceOfVariables } from './sources';

/** Variables of the environment by name, such as `process.env`. */
type Environment = Readonly<Record<string, string | undefined>>;

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
  const { tls } = options;
  const own = makeSource(
    // Authorities that are given, or a wrong `tls`, take the place of the file.
    (name) => (name === 'caFile' ? (isObject(tls) ? (tls.ca ?? undefined) : tls) : options[name]),
    (name) => name,
  );
  const variables = sourceOfVariables(environment);
  const { settings, ignored } = resolveSources([own, variables]);
  // No variable and no file is read for an option that is given.
  const names = settingNames.filter((name) => settings[name] === variables.settings[name]);
  const values = readSettingValues(pick(settings, names));
  const problems = [...values.problems];
  if (ignored.length > 0 && requiredOptions.some((name) => options[name] === undefined)) {
    const stored = addressWithoutSecrets(String(variables.settings.baseUrl?.value));
    const message = `the variables are for another service (${stored}), so none of them is used`;
    problems.push({ option: 'baseUrl', message });
  }
  Object.assign(options, values.options, values.options.tls && { tls: { ...(tls as object), ...values.options.tls } });
  return { options: options as OptionOverrides<D>, problems, keys: keysOf(ignored) };
}
