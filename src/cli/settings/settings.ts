import { type DateUnit, type SettingName, settingNames, settingRow, settingRows } from '../../client/options/settings';
import { isSameBaseUrl } from '../../options/checks';
import { isObject, WrongValue } from '../../options/table';
import type { Context } from '../commander/command';
import { flagOf } from '../fields/option-names';
import { UsageError } from '../terminal/failure';
import { type Profile, readProfile } from './profile';

/** A setting in force: a text from an option or a variable, any JSON value from a profile. */
export interface Setting {
  readonly value: unknown;
  /** The option, variable or profile that set it. */
  readonly source: string;
  readonly inProfile: boolean;
  /** The base URL that an API key was stored with. The key is never sent to another service. */
  readonly storedWith?: Setting | undefined;
}

export type CliSettings = { readonly [K in SettingName]?: Setting | undefined };

/** The options that give settings, as the user wrote them. */
export type GivenSettings = { readonly [K in SettingName]?: string } & { readonly profile?: string };

/** The setting of a base URL; undefined when there is none. */
type BaseUrl = Pick<Setting, 'value'> | undefined;

export interface Layer {
  readonly settings: CliSettings;
  /** True for settings that describe one service as a whole: without effect on another service. */
  readonly isWhole: boolean;
}

/** The sources of settings, from the strongest to the weakest. */
export interface Sources {
  /** The options, and the profile that the command line names. */
  readonly given: readonly Layer[];
  /**
   * The variables, and the profile that MESSAGING_PROFILE names, or the profile `default`. Beside a named profile only
   * the API key of the variables.
   */
  readonly around: readonly Layer[];
  /** The variables, of which a named profile leaves settings unread. */
  readonly variables: Layer;
  /** The name of the profile that is read. */
  readonly profile: string | undefined;
}

/** The settings that a profile may have. The API key is in a file of its own. */
const inProfiles = settingNames.filter((name) => name !== 'apiKey');

const keySettings = ['apiKey', 'apiKeyFile'] as const;

/**
 * Reads each source of settings. An empty variable counts as not set.
 *
 * @param remembered the profile that is used when neither an option nor a variable names one
 * @throws {UsageError} for an empty option, for two API keys in one source, and when the profile cannot be read
 */
export function readSources(given: GivenSettings, environment: NodeJS.ProcessEnv, remembered?: string): Sources {
  // An empty option is usually an unset shell variable. Falling back to the environment could call another service.
  const empty = settingNames.filter((name) => given[name] === '').map((name) => `${flagOf(name)}: empty`);
  if (empty.length > 0) throw new UsageError(empty.join('; '));
  const profile = readProfile(given.profile, environment, inProfiles, remembered);
  const stored =
    profile &&
    layerOf(
      (name) => profile.values[name],
      () => `profile ${profile.name}`,
      profile,
    );
  const flags = layerOf((name) => given[name], flagOf);
  const variables = layerOf(
    (name) => environment[settingRow(name).variable] || undefined,
    (name) => settingRow(name).variable,
  );
  const isNamed = given.profile !== undefined;
  return {
    given: stored && isNamed ? [flags, stored] : [flags],
    around: isNamed ? [keysOnly(variables)] : stored ? [variables, stored] : [variables],
    variables,
    profile: profile?.name,
  };
}

/** Makes a layer of the values of a source. @throws {UsageError} when it gives two API keys */
function layerOf(
  read: (name: SettingName) => unknown,
  sourceOf: (name: SettingName) => string,
  profile?: Profile,
): Layer {
  const settingOf = (name: SettingName, storedWith?: Setting): Setting | undefined => {
    const value = read(name);
    return value === undefined
      ? undefined
      : { value, source: sourceOf(name), inProfile: profile !== undefined, storedWith };
  };
  const baseUrl = settingOf('baseUrl');
  const settings: CliSettings = Object.fromEntries(settingNames.map((name) => [name, settingOf(name)]));
  const keys = Object.fromEntries(keySettings.map((name) => [name, settingOf(name, baseUrl)]));
  if (keySettings.every((name) => keys[name])) {
    const [key, file] = keySettings.map(sourceOf);
    throw new UsageError(`${file} and ${key} both give an API key: use one of them`);
  }
  return { settings: { ...settings, ...keys }, isWhole: profile !== undefined };
}

/**
 * Reads the settings in force. Options come first, then the profile that the command line names, then variables, then
 * another profile. Beside a named profile no variables are read, except for an API key that the profile does not have.
 * A line on stderr names the variables that were not read. The values are not checked yet, and the API key is not read
 * from its file.
 *
 * @throws {UsageError} for an empty option, and when the profile cannot be read
 */
export function readSettings(given: GivenSettings, { io, log }: Pick<Context, 'io' | 'log'>): CliSettings {
  const sources = readSources(given, io.environment);
  const settings = combine([...sources.given, ...sources.around]);
  if (given.profile !== undefined) noteUnread(sources, settings, log);
  return settings;
}

/** The API key of a layer, and nothing else. */
export function keysOnly({ settings: { apiKey, apiKeyFile } }: Layer): Layer {
  return { settings: { apiKey, apiKeyFile }, isWhole: false };
}

/**
 * Takes each setting from the first layer that has it. A layer that is a whole gives nothing about its service when the
 * base URL in force differs. The API key is that of the first layer that has one: `withApiKey` refuses it when
 * it belongs to another service.
 */
export function combine(layers: readonly Layer[]): CliSettings {
  const baseUrl = layers.map(({ settings }) => settings.baseUrl).find(Boolean);
  const find = (name: SettingName) =>
    layers
      .filter(({ settings, isWhole }) => !isWhole || isUsable(name, settings.baseUrl, baseUrl))
      .map(({ settings }) => settings[name])
      .find(Boolean);
  const { apiKey, apiKeyFile } =
    layers.find((layer) => keySettings.some((name) => layer.settings[name]))?.settings ?? {};
  return { ...Object.fromEntries(settingNames.map((name) => [name, find(name)])), apiKey, apiKeyFile };
}

/**
 * True when a setting of a profile may be used: what describes a service is used for this service only.
 *
 * @param own the base URL of the profile
 * @param baseUrl the base URL in force
 */
export function isUsable(name: SettingName, own: BaseUrl, baseUrl: BaseUrl): boolean {
  return !settingRow(name).describesService || isSame(own, baseUrl);
}

/** True when two settings name the same service. A source that names none fits every service. */
export function isSame(one: BaseUrl, other: BaseUrl): boolean {
  return !one || !other || isSameBaseUrl(String(one.value), String(other.value));
}

/** Prints a line that names the variables that are not read because of a named profile, and say something else. */
export function noteUnread({ variables, profile }: Sources, settings: CliSettings, log: Context['log']): void {
  const plain = ({ value }: Setting) => settingText(value).replace(/\s+/g, '');
  const isUnread = (name: SettingName): boolean => {
    const [variable, used] = [variables.settings[name], settings[name]];
    if (!variable || variable.source === used?.source) return false;
    if (!used) return true;
    return name === 'baseUrl' ? !isSame(variable, used) : plain(variable) !== plain(used);
  };
  const names = settingNames.filter(isUnread).map((name) => settingRow(name).variable);
  if (names.length > 0) log(`not read, because of --profile ${profile}: ${names.join(', ')}`);
}

/** The text of a setting, as its variable holds it. */
export function settingText(value: unknown): string {
  return isObject(value) ? JSON.stringify(value) : String(value);
}

/** The unit of dates. @throws {UsageError} for an unknown unit */
export function dateUnit({ dates }: CliSettings): DateUnit | undefined {
  if (!dates) return undefined;
  try {
    return settingRows.dates.read(dates.value);
  } catch (error) {
    if (!(error instanceof WrongValue)) throw error;
    throw new UsageError(`${spellSetting('dates', { dates })}: ${error.message}`);
  }
}

/** Names a setting as the user wrote it: the option, the variable, or the name in a profile. */
export function spellSetting(name: string, settings: CliSettings): string {
  const setting = name in settings ? settings[name as SettingName] : undefined;
  if (!setting) return flagOf(name);
  return setting.inProfile ? `${name} of ${setting.source}` : setting.source;
}
