import { clientOption, clientOptions, type FlagOption } from '../../options/client';
import { type DateUnit, dateUnits } from '../fields/dates';
import { flagOf } from '../fields/option-names';
import { UsageError } from '../terminal/failure';
import { readProfile } from './profile';

export type SettingName = FlagOption | 'apiKeyFile' | 'dates';

interface SettingRow {
  readonly placeholder: string;
  readonly help: string;
  readonly choices?: readonly string[];
  readonly variable?: string | undefined;
  /** The value when nothing sets it. */
  readonly fallback?: string | undefined;
}

/** All settings, in the order of the help. Those of the client come from the client's table of options. */
export const settingRows: { readonly [K in SettingName]: SettingRow } = {
  baseUrl: rowOf('baseUrl'),
  namespace: rowOf('namespace'),
  apiKeyFile: { placeholder: 'path', help: 'read the API key from a file' },
  apiKey: rowOf('apiKey'),
  successStatuses: rowOf('successStatuses'),
  finalStatuses: rowOf('finalStatuses'),
  soapVersion: rowOf('soapVersion'),
  timeoutMs: rowOf('timeoutMs'),
  proxy: rowOf('proxy'),
  defaults: rowOf('defaults'),
  dates: {
    placeholder: 'unit',
    help: `take dates as ${dateUnits.join(' or ')}; options for dates then take ISO 8601 too, and tables show it`,
    choices: dateUnits,
  },
};

export const settingNames = Object.keys(settingRows) as SettingName[];
/** The settings that a profile may have. The API key is in a file of its own. */
const inProfiles = settingNames.filter((name) => name !== 'apiKey');

function rowOf(name: FlagOption): SettingRow {
  const { variable, default: fallback } = clientOption(name);
  const { flag } = clientOptions[name];
  return { ...flag, variable, fallback: typeof fallback === 'object' ? undefined : fallback && String(fallback) };
}

/** A setting in force: a text from an option or a variable, any JSON value from a profile. */
export interface Setting {
  readonly value: unknown;
  /** The option, variable or profile that set it. */
  readonly source: string;
  readonly inProfile: boolean;
}

export type CliSettings = { readonly [K in SettingName]?: Setting | undefined };

/** The options that give settings, as the user wrote them. */
export type GivenSettings = { readonly [K in SettingName]?: string } & { readonly profile?: string };

/**
 * Reads the settings in force: an option wins over the environment, and the environment over the profile. An empty
 * variable counts as not set. The values are not checked yet, and the API key is not read from its file.
 *
 * @throws {UsageError} for an empty option, and when the profile cannot be read
 */
export function readSettings(given: GivenSettings, environment: NodeJS.ProcessEnv): CliSettings {
  // An empty option is usually an unset shell variable. Falling back to the environment could call another service.
  const empty = settingNames.filter((name) => given[name] === '').map((name) => `${flagOf(name)}: empty`);
  if (empty.length > 0) throw new UsageError(empty.join('; '));
  const profile = readProfile(given.profile, environment, inProfiles);
  const find = (name: SettingName): Setting | undefined => {
    const { variable = '' } = settingRows[name];
    const option = given[name];
    if (option !== undefined) return { value: option, source: flagOf(name), inProfile: false };
    if (environment[variable]) return { value: environment[variable], source: variable, inProfile: false };
    const value = profile?.values[name];
    return value === undefined ? undefined : { value, source: `profile ${profile?.name}`, inProfile: true };
  };
  return Object.fromEntries(settingNames.map((name) => [name, find(name)]));
}

/** The unit of dates. @throws {UsageError} when a profile has an unknown unit */
export function dateUnit({ dates }: CliSettings): DateUnit | undefined {
  const unit = dateUnits.find((name) => name === dates?.value);
  if (dates && !unit) throw new UsageError(`dates of ${dates.source}: must be ${dateUnits.join(' or ')}`);
  return unit;
}
