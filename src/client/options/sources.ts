import { isSameBaseUrl } from '../../options/checks';
import { WrongValue } from '../../options/table';
import { readKeyFile } from './files';
import { type SettingName, settingNames, settingRow } from './settings';

// Programs, the command line, lists and inboxes take each of their settings from one of several sources.

/** A setting as a source gives it: a text from an option or a variable, any JSON value from a profile. */
export interface Setting {
  readonly value: unknown;
  /** The option, the variable or the profile that gives it. */
  readonly source: string;
  /** The name of the profile that gives it. */
  readonly profile?: string | undefined;
}

export type SourceSettings = { readonly [K in SettingName]?: Setting | undefined };

/** One place that has settings: the command line, the variables, a profile, the journal of a list. */
export interface Source {
  readonly settings: SourceSettings;
  /** The settings that it may give. Default: all that it has. */
  readonly gives?: readonly SettingName[];
  /** True when it gives them beside the base URL of another service too. */
  readonly fitsEveryUrl?: true;
}

/** The settings of several sources together. */
export interface SettingsInForce {
  readonly settings: SourceSettings;
  /** The sources that were left out. */
  readonly ignored: readonly Source[];
  /** The option, variable or profile because of which they were left out. */
  readonly reason: string;
}

/** The two settings that give the API key. They come from one source. */
export const keySettings = ['apiKey', 'apiKeyFile'] as const satisfies readonly SettingName[];
export const settingsBesideKey = settingNames.filter((name) => !keySettings.some((key) => key === name));

/**
 * Takes each setting from the first source that gives it. The base URL in force is that of the first source that gives
 * one, and a source of another service is left out as a whole.
 */
export function resolveSources(sources: readonly (Source | undefined)[]): SettingsInForce {
  const all = sources.filter((source) => source !== undefined);
  const offerOf = ({ settings, gives }: Source): SourceSettings => pick(settings, gives);
  const baseUrl = all.map((source) => offerOf(source).baseUrl).find(Boolean);
  const fits = ({ settings, fitsEveryUrl }: Source): boolean =>
    fitsEveryUrl ?? isUsable(settings.baseUrl?.value, baseUrl?.value);
  const used = all.filter(fits).map(offerOf);
  const settings = settingNames.map((name) => [name, used.find((each) => each[name])?.[name]]);
  const { apiKey, apiKeyFile } = used.find((each) => keySettings.some((name) => each[name])) ?? {};
  return {
    settings: { ...Object.fromEntries(settings), apiKey, apiKeyFile },
    ignored: all.filter((source) => !fits(source)),
    reason: baseUrl?.source ?? '',
  };
}

/**
 * True when a source of settings may be used: it names no base URL, or the one in force. A source that names another
 * base URL is left out as a whole, so that no key, status, proxy or default of one service is used for another.
 *
 * @param own the base URL that the source names
 * @param inForce the base URL of the first source that names one
 */
export function isUsable(own: unknown, inForce: unknown): boolean {
  return own === undefined || inForce === undefined || isSameBaseUrl(String(own), String(inForce));
}

export function pick(settings: SourceSettings, names: readonly SettingName[] = settingNames): SourceSettings {
  return Object.fromEntries(names.map((name) => [name, settings[name]]));
}

/** An empty variable counts as not set. */
export function sourceOfVariables(environment: Readonly<Record<string, string | undefined>>): Source {
  const variableOf = (name: SettingName): string => settingRow(name).variable;
  return makeSource((name) => environment[variableOf(name)] || undefined, variableOf);
}

/** @param nameOf names a setting as its source does */
export function makeSource(
  read: (name: SettingName) => unknown,
  nameOf: (name: SettingName) => string,
  profile?: string,
): Source {
  const values = settingNames.map((name) => [name, read(name)] as const).filter(([, value]) => value !== undefined);
  return {
    settings: Object.fromEntries(values.map(([name, value]) => [name, { value, source: nameOf(name), profile }])),
  };
}

/** The API keys of sources, for a mask. */
export function keysOf(sources: readonly Pick<Source, 'settings'>[]): readonly (string | undefined)[] {
  return sources.flatMap(({ settings: { apiKey, apiKeyFile } }) => [
    apiKey && String(apiKey.value),
    apiKeyFile && peekAtKey(String(apiKeyFile.value)),
  ]);
}

/** Reads a key in order to mask it; undefined when its file cannot be read. */
export function peekAtKey(path: string): string | undefined {
  try {
    return readKeyFile(path).key;
  } catch (error) {
    if (error instanceof WrongValue) return undefined;
    throw error;
  }
}
