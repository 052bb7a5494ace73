import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Texts } from '../../../bulk';
import { isSameUrl } from '../../../bulk/list';
import type { FoundList } from '../../../bulk/state/bulk-journal';
import type { MessagingClient } from '../../../client';
import { flagOf } from '../../fields/option-names';
import { withApiKey } from '../../settings/api-key';
import { createClient, withWireLog } from '../../settings/client';
import { requiredForCalls } from '../../settings/client-settings';
import { type CliSettings, readSettings, type Setting, type SettingName, settingNames } from '../../settings/settings';
import { UsageError } from '../../terminal/failure';
import type { BulkCall } from './command';

/** The service of a list. */
export interface ListService {
  /** The settings in force, with the API key. */
  readonly settings: CliSettings;
  /** The texts that the journal keeps. */
  readonly texts: Texts;
  /** The name of the profile in force. */
  readonly profile: string | undefined;
  /** The options that a later command needs to reach the same service, although variables or a profile name another one. */
  readonly again: readonly string[];
}

/** The settings that the journal keeps by value. Defaults are kept with the fields; the API key and a password never are. */
const kept = settingNames.filter((name) => !['apiKey', 'apiKeyFile', 'defaults', 'proxy'].includes(name));

/**
 * Reads the settings of a command that calls the service of a list. Options win. Once something of the list may have been sent, its own
 * settings come next, and variables and the default profile do not matter; before, they come last.
 *
 * @throws {UsageError}
 */
export function readService(call: BulkCall, found: FoundList | undefined): ListService {
  const { flags, context } = call;
  const { environment } = context.io;
  const recorded = found?.state.list?.service ?? {};
  const isFixed = found?.state.isFixed === true && recorded.baseUrl !== undefined;
  const named = flags.profile ?? (isFixed ? undefined : environment.MESSAGING_PROFILE || recorded.profile);
  const around = readSettings(named === undefined ? {} : { profile: named }, environment);
  const given = readSettings(flags, flags.profile === undefined ? {} : withoutVariables(environment));
  const own = Object.fromEntries(Object.entries(recorded).map(([name, value]) => [name, settingOf(value)]));
  const layers: readonly CliSettings[] = isFixed ? [given, own, around] : [given, around, own];
  const pick = (name: SettingName) => layers.map((layer) => layer[name]).find((setting) => setting !== undefined);
  const inForce: Record<string, Setting | undefined> = Object.fromEntries(
    settingNames.map((name) => [name, pick(name)]),
  );
  // A proxy belongs to the machine of the command.
  inForce.proxy = given.proxy ?? around.proxy ?? own.proxy;
  Object.assign(
    inForce,
    { apiKey: undefined, apiKeyFile: undefined },
    keyOf(call, found, String(inForce.baseUrl?.value)),
  );
  if (isFixed) noteOthers(call, recorded, around, given);
  const settings = withApiKey(inForce as CliSettings, flags, context.log);
  const isFromProfile = Object.values(inForce).some((setting) => setting?.inProfile);
  const profile = named ?? (isFromProfile ? 'default' : recorded.profile);
  const again = isFixed
    ? []
    : kept.flatMap((name) => {
        const [is, other] = [inForce[name], around[name]];
        const differs = is !== undefined && other !== undefined && textOf(is) !== textOf(other);
        return differs ? [flagOf(name), textOf(is)] : [];
      });
  return { settings, texts: textsOf(inForce as CliSettings, profile), profile, again };
}

/** Spells the options with which a new list reaches the service of another list; none where the settings around do so. */
export function spellService({ context }: BulkCall, { list, keyFile }: FoundList['state']): string[] {
  const { profile, ...recorded } = list?.service ?? {};
  const around = readSettings({}, context.io.environment);
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
  return withApiKey(readSettings(flags, context.io.environment), flags, context.log);
}

/** Everything but the variables of settings: the place of the configuration file. */
function withoutVariables({ HOME, USERPROFILE, XDG_CONFIG_HOME }: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return { HOME, USERPROFILE, XDG_CONFIG_HOME };
}

function settingOf(value: string): Setting {
  return { value, source: 'the journal', inProfile: false };
}

function textOf({ value }: Setting): string {
  return String(value);
}

/**
 * Finds the API key: an option, the recorded key file, the recorded profile, or variables and a profile that do not name another service.
 *
 * @throws {UsageError} when there is only a key of another service
 */
function keyOf(
  { flags, context, journal }: BulkCall,
  found: FoundList | undefined,
  baseUrl: string,
): Pick<CliSettings, 'apiKey' | 'apiKeyFile'> {
  const { environment } = context.io;
  const given = readSettings(flags, flags.profile === undefined ? {} : withoutVariables(environment));
  if (given.apiKey || given.apiKeyFile) return { apiKey: given.apiKey, apiKeyFile: given.apiKeyFile };
  const around = readSettings(flags, environment);
  if (!found) return { apiKey: around.apiKey, apiKeyFile: around.apiKeyFile };
  const { keyFile, list } = found.state;
  const refused: string[] = [];
  const isUsable = (stored: Setting | string | undefined, source: string): boolean => {
    const other = typeof stored === 'object' ? textOf(stored) : stored;
    if (other === undefined || isSameUrl(other, baseUrl)) return true;
    refused.push(`the API key of ${source} belongs to ${other}, and this list is sent to ${baseUrl}`);
    return false;
  };
  if (keyFile !== undefined && isOwn(journal) && isUsable(list?.service?.baseUrl, 'the journal'))
    return { apiKeyFile: settingOf(keyFile) };
  const bare = withoutVariables(environment);
  for (const profile of [list?.service?.profile, environment.MESSAGING_PROFILE || undefined]) {
    if (profile === undefined) continue;
    const { apiKeyFile, baseUrl: stored } = readSettings({ profile }, bare);
    if (apiKeyFile && isUsable(stored, `profile ${profile}`)) return { apiKeyFile };
  }
  const { apiKey, apiKeyFile: keyFileHere } = around;
  const fromVariable = apiKey
    ? { apiKey }
    : keyFileHere && !keyFileHere.inProfile
      ? { apiKeyFile: keyFileHere }
      : undefined;
  const source = (apiKey ?? keyFileHere)?.source ?? '';
  if (fromVariable && isUsable(environment.MESSAGING_BASE_URL || undefined, source)) return fromVariable;
  const { apiKeyFile, baseUrl: stored } = readSettings({}, bare);
  if (apiKeyFile && isUsable(stored, apiKeyFile.source)) return { apiKeyFile };
  if (refused.length > 0) throw new UsageError(`${refused.join('; ')}: give --api-key-file`);
  return {};
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
    return name === 'baseUrl' ? !isSameUrl(own, textOf(other)) : own !== textOf(other);
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
 * Runs work with a client made from the settings; with `--verbose`, prints requests and responses meanwhile. The work handles
 * signals itself: while rows are read, Ctrl-C ends the process at once.
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
