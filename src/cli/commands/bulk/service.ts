import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Texts } from '../../../bulk';
import type { FoundList } from '../../../bulk/state/bulk-journal';
import type { MessagingClient } from '../../../client';
import { isSameBaseUrl } from '../../../options/checks';
import { type SettingName, settingNames } from '../../../options/settings';
import { flagOf } from '../../fields/option-names';
import { withApiKey } from '../../settings/api-key';
import { createClient, requiredForCalls, withWireLog } from '../../settings/client';
import {
  type CliSettings,
  combine,
  isSame,
  keysOnly,
  type Layer,
  layersOf,
  noteUnread,
  readSettings,
  readSources,
  type Setting,
} from '../../settings/settings';
import type { BulkCall } from './command';

/** The service of a list. */
export interface ListService {
  /** The settings in force, with the API key. */
  readonly settings: CliSettings;
  /** The texts that the journal keeps. */
  readonly texts: Texts;
  /** The name of the profile in force. */
  readonly profile: string | undefined;
}

/** The settings that the journal keeps and that commands show. Defaults are kept with the fields. */
const plain = settingNames.filter((name) => name !== 'apiKey' && name !== 'defaults');

/**
 * The settings that variables and a profile that no option names may give to a list of which something may have been
 * sent.
 */
const free: readonly SettingName[] = ['apiKey', 'apiKeyFile', 'finalStatuses', 'timeoutMs', 'proxy'];

/**
 * Reads the settings of a command that calls the service of a list, or of a command without a list. Options and a named
 * profile win. Once something of the list may have been sent, its own settings come next, and others do not matter;
 * before, its own come last.
 *
 * @throws {UsageError}
 */
export function readService(call: BulkCall, found?: FoundList): ListService {
  const { flags, context } = call;
  const { list, isFixed: isBegun } = found?.state ?? {};
  const { profile: ownProfile, apiKeyFile: _, ...recorded } = list?.service ?? {};
  const isFixed = isBegun === true && recorded.baseUrl !== undefined;
  const sources = readSources(flags, context.io.environment, isFixed ? undefined : ownProfile);
  const given = sources.named ? [sources.flags, sources.named] : [sources.flags];
  const around = layersOf(sources).slice(given.length);
  // A fixed list refuses another base URL by itself.
  const own = layerOf(recorded, !isFixed);
  const keys = found ? ownKeys(call, found, own.settings.baseUrl) : [];
  const others = isFixed ? [own, ...around.map(freeOf)] : [...around, own];
  const layers = [...given, ...keys, ...others];
  const first = combine(layers);
  // A list has several keys. One that was stored with another service is passed over, unless there is no other.
  const fitting = layers.filter(({ settings: { apiKey, apiKeyFile } }) =>
    isSame((apiKey ?? apiKeyFile)?.storedWith, first.baseUrl),
  );
  const { apiKey, apiKeyFile } = combine(fitting);
  const all: CliSettings = {
    ...first,
    ...(found && (apiKey ?? apiKeyFile) && { apiKey, apiKeyFile }),
    // A proxy belongs to the machine of the command.
    proxy: combine([...given, ...around, own]).proxy,
  };
  if (isFixed) noteOthers(call, recorded, combine(around), combine(given));
  noteUnread(sources, all, context.log);
  const profile = all.baseUrl?.inProfile || all.apiKeyFile?.inProfile ? sources.profile : ownProfile;
  return { settings: withApiKey(all, context.log), texts: textsOf(all, profile), profile };
}

/** The key file that the journal names, and the key of the profile that it names. */
function ownKeys({ context, journal }: BulkCall, { state }: FoundList, storedWith: Setting | undefined): Layer[] {
  const { keyFile, list } = state;
  const { HOME, USERPROFILE, XDG_CONFIG_HOME } = context.io.environment;
  const profile = list?.service?.profile;
  const stored = profile && readSources({}, { HOME, USERPROFILE, XDG_CONFIG_HOME }, profile).around;
  const apiKeyFile = keyFile !== undefined && isOwn(journal) ? { ...settingOf(keyFile), storedWith } : undefined;
  return [{ settings: { apiKeyFile }, isWhole: false }, ...(stored ? [keysOnly(stored)] : [])];
}

/** True when this user owns the journal: another user's journal must not choose the file that is read and sent. */
function isOwn(journal: string): boolean {
  return process.getuid === undefined || statSync(journal).uid === process.getuid();
}

function layerOf(recorded: Texts, isWhole: boolean): Layer {
  const settings = Object.entries(recorded).map(([name, value]) => [name, settingOf(value)]);
  return { settings: Object.fromEntries(settings), isWhole };
}

function settingOf(value: string): Setting {
  return { value, source: 'the journal', inProfile: false };
}

function freeOf({ settings, isWhole }: Layer): Layer {
  return { settings: Object.fromEntries(free.map((name) => [name, settings[name]])), isWhole };
}

/** Says in one line that variables or the default profile name another service than the list. */
function noteOthers({ context }: BulkCall, recorded: Texts, around: CliSettings, given: CliSettings): void {
  const isOther = (name: 'baseUrl' | 'namespace') => {
    const [own, other] = [recorded[name], around[name]];
    if (own === undefined || !other || given[name]) return false;
    return name === 'baseUrl' ? !isSameBaseUrl(own, String(other.value)) : own !== String(other.value);
  };
  const others = (['baseUrl', 'namespace'] as const).filter(isOther);
  if (others.length === 0) return;
  const words = others.map((name) => `${around[name]?.source} (${around[name]?.value})`);
  const own = others.map((name) => recorded[name]);
  context.log(`this list stays with ${own.join(' and ')}: ${words.join(' and ')} is not used`);
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
function plainText(name: SettingName, value: unknown): string {
  const text = String(value);
  if (/File$/.test(name)) return resolve(text);
  if (name !== 'proxy' || !URL.canParse(text)) return text;
  const url = new URL(text);
  [url.username, url.password] = ['', ''];
  return url.href;
}

/** Spells settings as options. @param texts as the journal keeps them, or the options of a command */
export function spellSettings(texts: Readonly<Record<string, unknown>>): string[] {
  const profile = texts.profile === undefined ? [] : ['--profile', String(texts.profile)];
  const names = plain.filter((name) => texts[name] !== undefined);
  return [...profile, ...names.flatMap((name) => [flagOf(name), plainText(name, texts[name])])];
}

/**
 * Spells the options with which a new list reaches the service of another list; none where the settings around do so.
 */
export function spellService({ context }: BulkCall, { list, keyFile }: FoundList['state']): string[] {
  const { profile, ...service } = list?.service ?? {};
  const recorded: Texts = { ...service, ...(keyFile !== undefined && { apiKeyFile: keyFile }) };
  const around = textsOf(readSettings({}, context), undefined);
  const isAround = Object.entries(recorded).every(([name, text]) => name === 'proxy' || around[name] === text);
  return isAround ? [] : spellSettings({ profile, ...recorded });
}

/**
 * Runs work with a client made from the settings; with `--verbose`, prints requests and responses meanwhile. The work
 * handles signals itself: while rows are read, Ctrl-C ends the process at once.
 *
 * @param concurrency the number of requests at a time
 */
export async function withBulkClient(
  { flags, context }: BulkCall,
  settings: CliSettings,
  concurrency: number,
  work: (client: MessagingClient) => Promise<void>,
): Promise<void> {
  // Many calls share connections. Other commands make a single call.
  const overrides = { keepAlive: true, maxConnections: Math.max(64, concurrency) };
  const { client } = createClient(settings, requiredForCalls, overrides);
  await withWireLog(flags, context, settings, () => work(client));
}
