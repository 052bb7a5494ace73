import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { differingSettings, readBulk, readSavedSettings, type SavedSettings, settingsPathOf } from '../../../bulk';
import { showValue } from '../../../options/checks';
import type { CliCommand, Context } from '../../commander/command';
import { flagOf } from '../../fields/option-names';
import { type CliSettings, readSettings, type SettingName, settingNames } from '../../settings/settings';
import { UsageError } from '../../terminal/failure';
import type { BulkFlags } from './flags';

// The settings of the first run, which later commands need not repeat.

/** The settings of the first run, and the check of those that were given again. */
export interface Saved {
  readonly settings: SavedSettings;
  /** @throws {UsageError} that names the options that differ, unless the service has nothing of the list yet */
  refuse(problems: readonly string[]): Promise<void>;
}

/** Reads the settings of the first run; undefined before it. @throws {UsageError} when the journal is missing */
export async function readSaved(file: string): Promise<Saved | undefined> {
  const settings = await readSavedSettings(file);
  if (settings === undefined) return undefined;
  const path = settingsPathOf(file);
  const { journal } = settings;
  if (!existsSync(journal)) {
    const advice = `put it back, because it knows what was sent; only if nothing was sent, delete ${path} instead`;
    throw new UsageError(`the journal ${journal} is missing: ${advice}`);
  }
  const refuse = async (problems: readonly string[]) => {
    if (problems.length === 0) return;
    const { counts, baseline } = await readBulk(journal);
    // A wrong setting can be put right as long as the service knows nothing of the list.
    if (baseline === undefined && counts.pending + counts.excluded === counts.total) return;
    const advice = 'leave out what differs, or put other rows in another file';
    throw new UsageError(`${problems.join('; ')}; these stay as in the first run (${path}): ${advice}`);
  };
  return { settings, refuse };
}

/** The settings of the service that the file keeps. Defaults are kept by field; the API key and a proxy's password never are. */
const kept = settingNames.filter((name) => !['apiKey', 'defaults', 'proxy'].includes(name));
/** Without these, it would be another service. */
const fixed: readonly SettingName[] = ['baseUrl', 'namespace'];

/** Picks the settings of the service that are kept. @param settings those in force */
export function serviceOf(
  settings: CliSettings,
  { profile, apiKey }: BulkFlags,
  { io }: Context,
): SavedSettings['service'] {
  const texts: Record<string, string> = {};
  for (const name of kept) {
    const setting = settings[name];
    // The profile keeps the others.
    if (!setting || (setting.inProfile && !fixed.includes(name))) continue;
    if (name === 'apiKeyFile') {
      if (apiKey === undefined) texts[name] = resolve(String(setting.value));
    } else texts[name] = String(setting.value);
  }
  const named = profile ?? io.environment.MESSAGING_PROFILE;
  return { ...(named && { profile: named }), ...texts };
}

/** True for values that mean the same. A base URL may end in a slash. */
function isSame(name: SettingName, one: string, other: string): boolean {
  const plain = (text: string) => (name === 'baseUrl' ? text.replace(/\/+$/, '') : text);
  return plain(one) === plain(other);
}

/** The options of a command, with those of the first run that were not given again. @throws {UsageError} */
export async function withSaved(
  given: BulkFlags,
  saved: Saved | undefined,
  command: CliCommand,
  { io }: Context,
): Promise<BulkFlags> {
  if (saved === undefined) return given;
  const { settings, refuse } = saved;
  const names = command.options.map((option) => option.attributeName());
  const flags: Record<string, unknown> = { ...given };
  const problems: string[] = [];
  const tell = (name: string, was: unknown, is: unknown) =>
    problems.push(`${flagOf(name)}: was ${show(was)} and is ${show(is)}`);
  if (given.journal !== undefined && resolve(given.journal) !== resolve(settings.journal))
    throw new UsageError(`--journal: was ${settings.journal} and is ${given.journal}`);
  flags.journal = settings.journal;
  const texts = optionTexts(settings);
  // A baseline has one option or two.
  const hasBaseline = baselineNames.some((name) => given[name] !== undefined);
  const compared = hasBaseline && settings.baseline ? [...planNames, ...baselineNames] : planNames;
  const again = Object.fromEntries(compared.map((name) => [name, given[name]]));
  for (const name of differingSettings(texts, again)) tell(name, texts[name], again[name]);
  for (const [name, text] of Object.entries(texts))
    if (names.includes(name) && !(hasBaseline && name.startsWith('baseline'))) flags[name] ??= text;
  if (names.includes('baseUrl')) {
    const { profile, ...service } = settings.service;
    const named = given.profile ?? (io.environment.MESSAGING_PROFILE || undefined);
    if (profile !== undefined && named !== undefined && profile !== named) tell('profile', profile, named);
    if (named === undefined && profile !== undefined) flags.profile = profile;
    const inForce = readSettings(flags as BulkFlags, io.environment);
    for (const name of fixed) {
      const [was, setting] = [service[name], inForce[name]];
      if (was !== undefined && setting && !isSame(name, was, String(setting.value))) tell(name, was, setting.value);
    }
    const { apiKeyFile } = given;
    if (apiKeyFile !== undefined && service.apiKeyFile !== undefined && resolve(apiKeyFile) !== service.apiKeyFile)
      tell('apiKeyFile', service.apiKeyFile, apiKeyFile);
    for (const name of kept) {
      const isUnwanted = name === 'apiKeyFile' ? given.apiKey !== undefined : inForce[name] !== undefined;
      if (service[name] !== undefined && !isUnwanted) flags[name] ??= service[name];
    }
  }
  await refuse(problems);
  return flags as BulkFlags;
}

const planNames = ['operation', 'batchSize', 'idsInOrder', 'startWithinMs'] as const;
const baselineNames = ['baselinePagesize', 'baselineStartUnixdate', 'baselineEndUnixdate'] as const;

/** The settings that options of one value give, as their texts. */
function optionTexts({
  operation,
  batchSize,
  idsInOrder,
  startWithinMs,
  ignoreColumns,
  baseline,
}: SavedSettings): Record<string, unknown> {
  const listed = Object.entries(baseline ?? {}).map(([name, value]) => [
    `baseline${name.charAt(0).toUpperCase()}${name.slice(1)}`,
    String(value),
  ]);
  return {
    operation: operation === 'sendArray' ? 'send-array' : 'send-simple',
    batchSize: String(batchSize),
    ...(idsInOrder && { idsInOrder }),
    ...(ignoreColumns && { ignoreColumns }),
    startWithinMs: String(startWithinMs),
    ...Object.fromEntries(listed),
  };
}

/** Names the fields that were given again with other values. */
export function differingFields(saved: SavedSettings['fields'], given: SavedSettings['fields']): string[] {
  return differingSettings(saved, given).map(
    (name) => `${flagOf(name)}: was ${show(saved[name])} and is ${show(given[name])}`,
  );
}

function show(value: unknown): string {
  return value === undefined ? 'not given' : typeof value === 'bigint' ? String(value) : showValue(value);
}
