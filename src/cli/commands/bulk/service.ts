import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Texts } from '../../../bulk';
import type { FoundList } from '../../../bulk/state/bulk-journal';
import { type SettingName, settingNames } from '../../../client/options/settings';
import { isSameBaseUrl } from '../../../options/checks';
import { withApiKey } from '../../settings/api-key';
import {
  type CliSettings,
  combine,
  isSame,
  keysOnly,
  type Layer,
  noteUnread,
  readSources,
  type Setting,
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
  const sources = readSources(flags, context.io.environment, isFixed ? undefined : ownProfile);
  const { given, around } = sources;
  // A fixed list refuses another base URL by itself.
  const own = { settings: recordedSettings(recorded), isWhole: !isFixed };
  const others = isFixed ? [...pick(around, ['proxy']), own, ...pick(around, free)] : [...around, own];
  const layers = [...given, ...(found ? ownKeys(call, found, own.settings.baseUrl) : []), ...others];
  const all = combine(layers);
  // A list has several keys. One that was stored with another service is passed over, unless there is no other.
  const fitting = layers.filter(({ settings: { apiKey, apiKeyFile } }) =>
    isSame((apiKey ?? apiKeyFile)?.storedWith, all.baseUrl),
  );
  const { apiKey, apiKeyFile } = combine(found ? [...fitting, ...layers] : layers);
  const inForce = { ...all, apiKey, apiKeyFile };
  if (isFixed) noteOthers(call, recorded, combine(around), combine(given));
  if (flags.profile !== undefined) noteUnread(sources, inForce, context.log);
  const profile = all.baseUrl?.inProfile || apiKeyFile?.inProfile ? sources.profile : ownProfile;
  return { settings: withApiKey(inForce, context.log), texts: textsOf(inForce, profile) };
}

/** The key file that the journal names, and the key of the profile that it names. */
function ownKeys({ context, journal }: BulkCall, { state }: FoundList, storedWith: Setting | undefined): Layer[] {
  const { keyFile, list } = state;
  const { HOME, USERPROFILE, XDG_CONFIG_HOME } = context.io.environment;
  const profile = list?.service?.profile;
  const stored = profile && readSources({}, { HOME, USERPROFILE, XDG_CONFIG_HOME }, profile).around.at(-1);
  const apiKeyFile = keyFile !== undefined && isOwn(journal) ? { ...settingOf(keyFile), storedWith } : undefined;
  return [{ settings: { apiKeyFile }, isWhole: false }, ...(stored ? [keysOnly(stored)] : [])];
}

/** True when this user owns the journal: another user's journal must not choose the file that is read and sent. */
function isOwn(journal: string): boolean {
  return process.getuid === undefined || statSync(journal).uid === process.getuid();
}

function recordedSettings(recorded: Texts): CliSettings {
  return Object.fromEntries(Object.entries(recorded).map(([name, value]) => [name, settingOf(value)]));
}

function settingOf(value: string): Setting {
  return { value, source: 'the journal', inProfile: false };
}

function pick(layers: readonly Layer[], names: readonly SettingName[]): Layer[] {
  return layers.map(({ settings, isWhole }) => ({
    settings: Object.fromEntries(names.map((name) => [name, settings[name]])),
    isWhole,
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
    return !setting || (name === 'apiKeyFile' && setting.inProfile) ? [] : [[name, plainText(name, setting.value)]];
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
