import { type SettingName, settingNames } from '../../client/options/settings';
import {
  isUsable,
  keySettings,
  keysOf,
  makeSource,
  pick,
  resolveSources,
  type Setting,
  type SettingsInForce,
  type Source,
  type SourceSettings,
  sourceOfVariables,
} from '../../client/options/sources';
import { addressWithoutSecrets } from '../../internal/address';
import { createMasker } from '../../internal/mask';
import { isSameBaseUrl } from '../../options/checks';
import { isObject } from '../../options/table';
import type { Context } from '../commander/command';
import { flagOf } from '../fields/option-names';
import { UsageError } from '../terminal/failure';
import { type Profile, readProfile } from './profile';

/** The options that give settings, as the user wrote them. */
export type SettingFlags = { readonly [K in SettingName]?: string } & { readonly profile?: string };

/**
 * Reads the settings in force from the command line, the variables and the profile, in this order. A profile that the
 * command line names takes the place of the other two, and the variables then give nothing but an API key that it
 * lacks. The values are not checked yet, and no key is read from its file.
 *
 * @throws {UsageError} when an option is empty, when the profile cannot be read, and when the command line names a
 * profile and another base URL
 */
export function readSettings(flags: SettingFlags, context: Pick<Context, 'io' | 'log'>): SettingsInForce {
  const first = readGiven(flags, context);
  const variables = sourceOfVariables(context.io.environment);
  if (flags.profile === undefined) return resolveSources([...first, variables, readProfileSource(undefined, context)]);
  const { settings } = resolveSources([...first, { ...variables, gives: keySettings }]);
  return { settings, ignored: [variables], reason: `--profile ${flags.profile}` };
}

/** Reads the sources that a command line gives: its options, and the profile that it names. @throws {UsageError} */
export function readGiven(flags: SettingFlags, context: Pick<Context, 'io' | 'log'>): readonly Source[] {
  const options = sourceOfOptions(flags);
  if (flags.profile === undefined) return [options];
  const profile = readProfileSource(flags.profile, context) as Source;
  refuseOtherUrl(options, profile, flags.profile);
  return [options, profile];
}

/** Reads the profile that an option or MESSAGING_PROFILE names, or `default` if there is one. @throws {UsageError} */
export function readProfileSource(name: string | undefined, context: Pick<Context, 'io' | 'log'>): Source | undefined {
  const profile = readProfile(name, context);
  return profile && sourceOfProfile(profile);
}

/** @throws {UsageError} for an empty option */
function sourceOfOptions(flags: SettingFlags): Source {
  // An empty option is usually an unset shell variable. Falling back to the environment could call another service.
  const empty = settingNames.filter((name) => flags[name] === '').map((name) => `${flagOf(name)}: empty`);
  if (empty.length > 0) throw new UsageError(empty.join('; '));
  return makeSource((name) => flags[name], flagOf);
}

/** @param profile with absolute paths */
export function sourceOfProfile({ name: profile, values }: Profile): Source {
  return makeSource(
    (name) => values[name],
    () => `profile ${profile}`,
    profile,
  );
}

/** Leaves out the settings that a command does not use. */
export function pickSettings(
  { settings, ignored, reason }: SettingsInForce,
  names: readonly SettingName[],
): SettingsInForce {
  // An ignored source keeps its key, which no message may have.
  return { settings: pick(settings, names), ignored: ignored.map((source) => ({ ...source, gives: names })), reason };
}

/** @throws {UsageError} when both name a base URL, and not the same */
function refuseOtherUrl(options: Source, stored: Source, profile: string): void {
  const [given, own] = [options.settings.baseUrl, stored.settings.baseUrl];
  if (isUsable(given?.value, own?.value)) return;
  const show = maskerOf([options, stored]);
  throw new UsageError(
    `--base-url is ${show(given)}, and --profile ${profile} names ${show(own)}: leave one of them out`,
  );
}

/** Names the ignored settings that differ from those in force; undefined when all are equal. */
export function describeIgnored({ settings, ignored, reason }: SettingsInForce): string | undefined {
  const show = maskerOf([{ settings }, ...ignored]);
  const words = ignored.flatMap(({ settings: own, gives = settingNames }) => {
    const differing = gives.filter((name) => differs(name, own[name], settings[name]));
    const { baseUrl } = own;
    const where = differing.includes('baseUrl') ? ` (${show(baseUrl)})` : '';
    if (baseUrl?.profile !== undefined) return [`${baseUrl.source}${where}`];
    return differing.map((name) => `${own[name]?.source}${name === 'baseUrl' ? where : ''}`);
  });
  return words.length === 0 ? undefined : `ignored because of ${reason}: ${words.join(', ')}`;
}

function differs(name: SettingName, ignored: Setting | undefined, used: Setting | undefined): boolean {
  if (!ignored || ignored.source === used?.source) return false;
  if (!used) return true;
  const [one, other] = [ignored, used].map(({ value }) => settingText(value).replace(/\s+/g, '')) as [string, string];
  return name === 'baseUrl' ? !isSameBaseUrl(one, other) : one !== other;
}

/** Shows addresses without a password, and without the keys of these sources: a provider may have it in its address. */
function maskerOf(sources: readonly Source[]): (address: Setting | undefined) => string {
  const { mask } = createMasker(...keysOf(sources));
  return (address) => mask(addressWithoutSecrets(String(address?.value)));
}

/** The text of a setting, as its variable holds it. */
export function settingText(value: unknown): string {
  return isObject(value) ? JSON.stringify(value) : String(value);
}

/** Names a setting as the user wrote it: the option, the variable, or the name in a profile. */
export function spellSetting(name: string, settings: SourceSettings): string {
  const setting = name in settings ? settings[name as SettingName] : undefined;
  if (!setting) return flagOf(name);
  return setting.profile === undefined ? setting.source : `${name} of ${setting.source}`;
}
