import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Texts } from '../../../bulk';
import type { FoundList } from '../../../bulk/state/bulk-journal';
import type { MessagingClient } from '../../../client';
import { isSameBaseUrl } from '../../../options/checks';
import { type SettingName, settingNames } from '../../../options/settings';
import { flagOf } from '../../fields/option-names';
import { foreignKey, withApiKey } from '../../settings/api-key';
import { createClient, withWireLog } from '../../settings/client';
import { requiredForCalls } from '../../settings/client-settings';
import {
  type CliSettings,
  combine,
  isSame,
  type Layer,
  layersOf,
  noteUnread,
  readSettings,
  readSources,
  type Setting,
  type Sources,
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
  /**
   * The options that a later command needs to reach the same service, although variables or a profile name another one.
   */
  readonly again: readonly string[];
}

/**
 * The settings that the journal keeps by value. Defaults are kept with the fields; the API key and a password never
 * are.
 */
const kept = settingNames.filter((name) => !['apiKey', 'apiKeyFile', 'defaults', 'proxy'].includes(name));

/**
 * The settings that variables and a profile that no option names may give to a list of which something may have been
 * sent.
 */
const free: readonly SettingName[] = ['apiKey', 'apiKeyFile', 'finalStatuses', 'timeoutMs', 'proxy'];

/**
 * Reads the settings of a command that calls the service of a list. Options and a named profile win. Once something of
 * the list may have been sent, its own settings come next, and others do not matter; before, its own come last.
 *
 * @throws {UsageError}
 */
export function readService(call: BulkCall, found: FoundList | undefined): ListService {
  const { flags, context } = call;
  const recorded = found?.state.list?.service ?? {};
  const isFixed = found?.state.isFixed === true && recorded.baseUrl !== undefined;
  const sources = readSources(flags, context.io.environment, isFixed ? undefined : recorded.profile);
  // A fixed list refuses another base URL by itself.
  const own: Layer = { settings: settingsOf(recorded), isWhole: !isFixed };
  const given = sources.named ? [sources.flags, sources.named] : [sources.flags];
  const around = layersOf(sources).slice(given.length);
  const layers = isFixed ? [...given, own, ...around.map(freeOf)] : [...given, ...around, own];
  const inForce = combine(layers);
  // A proxy belongs to the machine of the command.
  const proxy = combine([...given, ...around, own]).proxy;
  const key = found ? keyOf(call, found, { given, around, baseUrl: inForce.baseUrl }) : {};
  const all: CliSettings = { ...inForce, proxy, ...key };
  if (isFixed) noteOthers(call, recorded, combine(around), combine(given));
  noteUnread(sources, all, context.log);
  const settings = withApiKey(all, context.log);
  const isFromProfile = all.baseUrl?.inProfile || all.apiKeyFile?.inProfile;
  const profile = isFromProfile ? sources.profile : recorded.profile;
  return { settings, texts: textsOf(all, profile), profile, again: isFixed ? [] : againOf(sources, all) };
}

/** The options with which a later command reads the same settings, although variables or a profile have others. */
function againOf({ named, variables, around, profile }: Sources, inForce: CliSettings): readonly string[] {
  const others = combine([named ?? variables, ...(around ? [around] : [])]);
  const options = kept.flatMap((name) => {
    const [is, other] = [inForce[name], others[name]];
    return is && other && textOf(is) !== textOf(other) ? [flagOf(name), textOf(is)] : [];
  });
  return [...(named ? ['--profile', String(profile)] : []), ...options];
}

function freeOf({ settings, isWhole }: Layer): Layer {
  return { settings: Object.fromEntries(free.map((name) => [name, settings[name]])), isWhole };
}

/**
 * Spells the options with which a new list reaches the service of another list; none where the settings around do so.
 */
export function spellService({ context }: BulkCall, { list, keyFile }: FoundList['state']): string[] {
  const { profile, ...recorded } = list?.service ?? {};
  const around = readSettings({}, context);
  const names = kept.filter((name) => recorded[name] !== undefined);
  const isAround = (name: SettingName) => around[name] !== undefined && textOf(around[name]) === recorded[name];
  if (names.every(isAround) && (keyFile === undefined || around.apiKeyFile?.value === keyFile)) return [];
  return [
    profile === undefined ? [] : ['--profile', profile],
    ...names.map((name) => [flagOf(name), recorded[name] as string]),
    keyFile === undefined ? [] : ['--api-key-file', keyFile],
  ].flat();
}

/** Reads the settings of a command that needs no list. @throws {UsageError} */
export function readOwnService({ flags, context }: BulkCall): CliSettings {
  return withApiKey(readSettings(flags, context), context.log);
}

/** The settings that a journal recorded, and the file of the API key. */
function settingsOf({ profile: _, ...recorded }: Texts): CliSettings {
  const settingOf = (value: string): Setting => ({ value, source: 'the journal', inProfile: false });
  return Object.fromEntries(Object.entries(recorded).map(([name, value]) => [name, settingOf(value)]));
}

function textOf({ value }: Setting): string {
  return String(value);
}

/**
 * Finds the API key of a list: a given one, the recorded key file, the key of the recorded profile, or that of
 * variables or a profile. A key that was stored with another base URL is passed over.
 *
 * @throws {UsageError} when there is only a key of another service
 */
function keyOf(
  { context, journal }: BulkCall,
  { state }: FoundList,
  {
    given,
    around,
    baseUrl,
  }: { readonly given: readonly Layer[]; readonly around: readonly Layer[]; readonly baseUrl: Setting | undefined },
): Pick<CliSettings, 'apiKey' | 'apiKeyFile'> {
  const { HOME, USERPROFILE, XDG_CONFIG_HOME } = context.io.environment;
  const { keyFile, list } = state;
  const { profile, ...texts } = list?.service ?? {};
  const own = settingsOf({ ...texts, ...(keyFile !== undefined && { apiKeyFile: keyFile }) });
  const isUsable = own.apiKeyFile && keyFile !== undefined && isOwn(journal);
  const layers: readonly (CliSettings | undefined)[] = [
    ...given.map(({ settings }) => settings),
    isUsable ? { apiKeyFile: { ...own.apiKeyFile, storedWith: own.baseUrl } as Setting } : {},
    profile === undefined ? {} : readSources({}, { HOME, USERPROFILE, XDG_CONFIG_HOME }, profile).around?.settings,
    ...around.map(({ settings }) => settings),
  ];
  const keys = layers.flatMap((layer) => layer?.apiKey ?? layer?.apiKeyFile ?? []);
  const key = keys.find(({ storedWith }) => isSame(storedWith, baseUrl));
  if (!key && keys[0] && baseUrl) throw foreignKey(keys[0], baseUrl);
  const { apiKey, apiKeyFile } = layers.find((layer) => [layer?.apiKey, layer?.apiKeyFile].includes(key)) ?? {};
  return key ? { apiKey, apiKeyFile } : { apiKey: undefined, apiKeyFile: undefined };
}

/** True when this user owns the journal: another user's journal must not choose the file that is read and sent. */
function isOwn(journal: string): boolean {
  return process.getuid === undefined || statSync(journal).uid === process.getuid();
}

/** Says in one line that variables or the default profile name another service than the list. */
function noteOthers({ context }: BulkCall, recorded: Texts, around: CliSettings, given: CliSettings): void {
  const isOther = (name: 'baseUrl' | 'namespace') => {
    const [own, other] = [recorded[name], around[name]];
    if (own === undefined || !other || given[name]) return false;
    return name === 'baseUrl' ? !isSameBaseUrl(own, textOf(other)) : own !== textOf(other);
  };
  const others = (['baseUrl', 'namespace'] as const).filter(isOther);
  if (others.length === 0) return;
  const words = others.map((name) => `${around[name]?.source} (${textOf(around[name] as Setting)})`);
  const own = others.map((name) => recorded[name]);
  context.log(`this list stays with ${own.join(' and ')}: ${words.join(' and ')} is not used`);
}

function textsOf(settings: CliSettings, profile: string | undefined): Texts {
  const texts: Record<string, string> = {};
  for (const name of kept) {
    const setting = settings[name];
    if (setting) texts[name] = /File$/.test(name) ? resolve(textOf(setting)) : textOf(setting);
  }
  const { apiKeyFile, proxy } = settings;
  // A profile's key file is found by the profile.
  if (apiKeyFile && !apiKeyFile.inProfile) texts.apiKeyFile = resolve(textOf(apiKeyFile));
  if (proxy && URL.canParse(textOf(proxy))) {
    const url = new URL(textOf(proxy));
    [url.username, url.password] = ['', ''];
    texts.proxy = url.href;
  }
  return { ...texts, ...(profile !== undefined && { profile }) };
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
