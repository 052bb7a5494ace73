import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Texts } from '../../../bulk';
import { refuseOtherService } from '../../../bulk/list/changes';
import type { BulkView } from '../../../bulk/state/bulk-journal';
import { Service } from '../../../client/options/service';
import { settingNames } from '../../../client/options/settings';
import {
  keySettings,
  makeSource,
  resolveSources,
  type Setting,
  type SettingsInForce,
  type Source,
  type SourceSettings,
  settingsBesideKey,
  sourceOfVariables,
} from '../../../client/options/sources';
import { readGiven, readProfileSource, readSettings } from '../../settings/settings';
import type { BulkCall } from './command';

/** The settings in force with the API key, and the texts that the journal keeps. */
export type ServiceInForce = ReturnType<typeof readService>;

/** The settings that the journal keeps. Defaults are kept with the fields. */
const plain = settingNames.filter((name) => name !== 'apiKey' && name !== 'defaults');

/**
 * Reads the settings of a command that calls the service of a list, or of a command without a list. From its first
 * record on, a list has its own service: only options and a named profile change how it is reached. Variables and the
 * default profile do not matter, but for an API key beside the base URL of the list.
 *
 * @throws {UsageError}; {JournalError} when an option names another service than a list of which something may have
 * been sent
 */
export function readService(call: BulkCall, state?: BulkView) {
  const { flags, context } = call;
  const known: Texts = state ? { ...state.settings, ...state.list?.service } : {};
  if (!state || known.baseUrl === undefined) return serviceOf(readSettings(flags, context), undefined);
  const given = readGiven(flags, context);
  const { settings: asked } = resolveSources(given);
  if (state.isLocked && flags.serviceMoved !== true)
    refuseOtherService(call.journal, new Service(known), givenService(asked));
  const kept = makeSource(
    (name) => known[name],
    () => 'the journal',
  );
  const variables = sourceOfVariables(context.io.environment);
  const { settings } = resolveSources([
    ...given,
    // Another user's journal must not choose the file that is read and sent.
    kept.settings.apiKeyFile && isOfThisUser(call.journal) ? { ...kept, gives: keySettings } : undefined,
    readKeptProfile(call, known.profile),
    // A list that has not begun may be given another service, and is reached in the same way otherwise.
    { ...kept, gives: settingsBesideKey, fitsEveryUrl: true },
    // A journal, which another user may have written, must not choose the service to which a lone key is sent.
    variables.settings.baseUrl || asked.baseUrl ? { ...variables, gives: keySettings } : undefined,
  ]);
  noteOthers(call, known, variables, asked);
  const ignored = flags.profile === undefined ? [] : [variables];
  return serviceOf({ settings, ignored, reason: `--profile ${flags.profile}` }, known.profile);
}

/** The service that some settings name. */
function givenService({ baseUrl, namespace }: SourceSettings): Service {
  const text = (setting: Setting | undefined) => (setting ? String(setting.value) : undefined);
  return new Service({ baseUrl: text(baseUrl), namespace: text(namespace) });
}

function serviceOf(inForce: SettingsInForce, ownProfile: string | undefined) {
  const { baseUrl, apiKeyFile } = inForce.settings;
  return { inForce, texts: textsOf(inForce.settings, baseUrl?.profile ?? apiKeyFile?.profile ?? ownProfile) };
}

/** The key of the profile that the journal names. */
function readKeptProfile({ context }: BulkCall, name: string | undefined): Source | undefined {
  if (name === undefined) return undefined;
  const { HOME, USERPROFILE, XDG_CONFIG_HOME } = context.io.environment;
  const io = { ...context.io, environment: { HOME, USERPROFILE, XDG_CONFIG_HOME } };
  const profile = readProfileSource(name, { ...context, io });
  return profile && { ...profile, gives: keySettings };
}

function isOfThisUser(journal: string): boolean {
  return process.getuid === undefined || statSync(journal).uid === process.getuid();
}

/** Says that variables name another service than the list. */
function noteOthers({ context }: BulkCall, recorded: Texts, { settings }: Source, given: SourceSettings): void {
  const other = givenService(settings);
  for (const part of new Service(recorded).differences(other)) {
    if (given[part]) continue;
    const source = settings[part]?.source;
    context.log(`this list stays with ${recorded[part]}: ${source} (${other.show(part)}) is not used`);
  }
}

function textsOf(settings: SourceSettings, profile: string | undefined): Texts {
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
