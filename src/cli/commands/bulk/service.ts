import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Texts } from '../../../bulk';
import type { FoundList } from '../../../bulk/state/bulk-journal';
import { type SettingName, settingNames } from '../../../client/options/settings';
import { isSameBaseUrl } from '../../../options/checks';
import {
  type CliSettings,
  combine,
  keyOf,
  readGiven,
  readProfileSource,
  readSettings,
  type Setting,
  type SettingsInForce,
  type Source,
  sourceOfVariables,
} from '../../settings/settings';
import { type BulkCall, spellOption } from './command';

/** The settings in force with the API key, and the texts that the journal keeps. */
export type ListService = ReturnType<typeof readService>;

/** The settings that the journal keeps. Defaults are kept with the fields. */
const plain = settingNames.filter((name) => name !== 'apiKey' && name !== 'defaults');

/** The settings that variables and the default profile may give to a fixed list. */
const free: readonly SettingName[] = ['apiKey', 'apiKeyFile', 'finalStatuses', 'timeoutMs'];

/**
 * Reads the settings of a command that calls the service of a list, or of a command without a list. Options and a named
 * profile win. Once something of the list may have been sent, its own settings come next, and others do not matter;
 * before, its own come last.
 *
 * @throws {UsageError}
 */
export function readService(call: BulkCall, found?: FoundList) {
  const { flags, context } = call;
  const { list, isFixed: isBegun } = found?.state ?? {};
  const { profile: ownProfile, apiKeyFile: _, ...recorded } = list?.service ?? {};
  const isFixed = isBegun === true && recorded.baseUrl !== undefined;
  if (!found) return serviceOf(readSettings(flags, context), undefined);
  const given = readGiven(flags, context);
  const variables = sourceOfVariables(context.io.environment);
  const around =
    flags.profile === undefined
      ? [variables, readProfileSource(isFixed ? undefined : ownProfile, context)]
      : [keyOf(variables)];
  const others = around.filter((source) => source !== undefined);
  const own = recordedSource(recorded);
  const keys = ownKeys(call, found, own.service);
  const { settings } = isFixed
    ? // A fixed list refuses another base URL by itself, with both values.
      combine([...given, ...keys, ...pick(others, ['proxy']), { ...own, service: undefined }, ...pick(others, free)])
    : combine([...given, ...keys, ...others, own]);
  if (isFixed) noteOthers(call, recorded, combine(others).settings, combine(given).settings);
  const ignored = flags.profile === undefined ? [] : [variables];
  return serviceOf({ settings, ignored, reason: `--profile ${flags.profile}` }, ownProfile);
}

function serviceOf(inForce: SettingsInForce, ownProfile: string | undefined) {
  const { baseUrl, apiKeyFile } = inForce.settings;
  return { inForce, texts: textsOf(inForce.settings, baseUrl?.profile ?? apiKeyFile?.profile ?? ownProfile) };
}

/** The key file that the journal names, and the key of the profile that it names. */
function ownKeys({ context, journal }: BulkCall, { state }: FoundList, service: Setting | undefined): Source[] {
  const { keyFile, list } = state;
  const { HOME, USERPROFILE, XDG_CONFIG_HOME } = context.io.environment;
  const profile = list?.service?.profile;
  const io = { ...context.io, environment: { HOME, USERPROFILE, XDG_CONFIG_HOME } };
  const stored = profile === undefined ? undefined : readProfileSource(profile, { ...context, io });
  const apiKeyFile = keyFile !== undefined && isOwn(journal) ? settingOf(keyFile) : undefined;
  return [{ settings: { apiKeyFile }, service }, ...(stored ? [keyOf(stored)] : [])];
}

/** True when this user owns the journal: another user's journal must not choose the file that is read and sent. */
function isOwn(journal: string): boolean {
  return process.getuid === undefined || statSync(journal).uid === process.getuid();
}

function recordedSource(recorded: Texts): Source {
  const settings: CliSettings = Object.fromEntries(
    Object.entries(recorded).map(([name, value]) => [name, settingOf(value)]),
  );
  return { settings, service: settings.baseUrl };
}

function settingOf(value: string): Setting {
  return { value, source: 'the journal' };
}

function pick(sources: readonly Source[], names: readonly SettingName[]): Source[] {
  return sources.map(({ settings, service }) => ({
    settings: Object.fromEntries(names.map((name) => [name, settings[name]])),
    service,
  }));
}

/** Says that variables or the default profile name another service than the list. */
function noteOthers({ context }: BulkCall, recorded: Texts, around: CliSettings, given: CliSettings): void {
  for (const name of ['baseUrl', 'namespace'] as const) {
    const [own, other] = [recorded[name], around[name]];
    if (own === undefined || !other || given[name]) continue;
    const value = String(other.value);
    if (name === 'baseUrl' ? !isSameBaseUrl(own, value) : own !== value)
      context.log(`this list stays with ${own}: ${other.source} (${value}) is not used`);
  }
}

function textsOf(settings: CliSettings, profile: string | undefined): Texts {
  const texts = plain.flatMap((name) => {
    const setting = settings[name];
    // A profile's key file is found by the profile.
    return !setting || (name === 'apiKeyFile' && setting.profile !== undefined)
      ? []
      : [[name, plainText(name, setting.value)]];
  });
  return { ...Object.fromEntries(texts), ...(profile !== undefined && { profile }) };
}

/** The text of a setting without a secret: a proxy has no password, and a path is found from any folder. */
function plainText(name: string, value: unknown): string {
  const text = String(value);
  if (/File$/.test(name)) return resolve(text);
  if (name !== 'proxy' || !URL.canParse(text)) return text;
  const url = new URL(text);
  [url.username, url.password] = ['', ''];
  return url.href;
}

/** Spells settings as options. @param texts as the journal keeps them, or the options of a command */
export function spellSettings(texts: Readonly<Record<string, unknown>>): string[] {
  const given = ['profile', ...plain].filter((name) => texts[name] !== undefined);
  return given.flatMap((name) => spellOption(name, plainText(name, texts[name])));
}
