import { readFileSync, statSync } from 'node:fs';
import { type Command, Option } from 'commander';
import { type Operation, operations } from '../../../generated/operations';
import type { MessagingOptions } from '../../options';
import { clientOption, clientOptions, type FlagOption, type RequiredOption } from '../../settings/client-options';
import { parseOption } from '../../settings/environment';
import { parseValue, type ValueElement } from '../../soap/elements/values';
import type { Context } from '../commander/command';
import { type DateUnit, dateUnits } from '../fields/dates';
import { valueElement } from '../fields/field-values';
import { flagOf, kebabCase } from '../fields/option-names';
import { UsageError } from '../terminal/failure';
import { asObject, parseJson, readProfile } from './profile';

export const formats = ['table', 'json', 'ndjson', 'csv'] as const;
export type Format = (typeof formats)[number];

export type SettingName = FlagOption | 'apiKeyFile' | 'dates';

interface SettingRow {
  readonly placeholder: string;
  readonly help: string;
  readonly choices?: readonly string[];
  readonly variable?: string | undefined;
  /** In force when nothing sets it. */
  readonly fallback?: string | undefined;
}

/** All settings, in the order of the help. Those of the client come from the client's table of options. */
export const settingRows: { readonly [K in SettingName]: SettingRow } = {
  baseUrl: rowOf('baseUrl'),
  namespace: rowOf('namespace'),
  apiKeyFile: { placeholder: 'path', help: 'read the API key from a file' },
  apiKey: rowOf('apiKey'),
  successStatuses: rowOf('successStatuses'),
  soapVersion: rowOf('soapVersion'),
  timeoutMs: rowOf('timeoutMs'),
  defaults: rowOf('defaults'),
  dates: {
    placeholder: 'unit',
    help: `unit of dates: ${dateUnits.join(' or ')}; date options then take ISO 8601 too, and tables show it`,
    choices: dateUnits,
  },
};

function rowOf(name: FlagOption): SettingRow {
  const { variable, default: fallback } = clientOption(name);
  const { flag } = clientOptions[name];
  return { ...flag, variable, fallback: typeof fallback === 'object' ? undefined : fallback && String(fallback) };
}

/** The global options as they were given. */
export type GlobalOptions = { readonly [K in SettingName]?: string } & {
  readonly profile?: string;
  readonly output?: Format;
  readonly columns?: string;
  readonly csvSafe?: true;
  readonly verbose?: true;
};

const settingNames = Object.keys(settingRows) as SettingName[];
/** The settings that a call requires. */
export const requiredForCalls = (Object.keys(clientOptions) as (keyof typeof clientOptions)[]).filter(
  (name): name is RequiredOption => clientOption(name).required === true,
);

/** Adds the global options to the program or a command: they may stand before or after a command's name. */
export function addGlobalOptions(command: Command): void {
  addSettings(command, settingNames);
  command
    .addOption(
      new Option(
        '--output <format>',
        'table, json, ndjson or csv (default: table on a terminal, else csv for records and lines for ids and numbers)',
      ).choices(formats),
    )
    .option('--columns <list>', 'fields of records to print, in this order, such as messageid,status')
    .option(
      '--csv-safe',
      "in csv, put ' before a text that a spreadsheet would run as a formula; the text is then not exact",
    )
    .option('--verbose', 'print requests and answers on stderr, without the API key');
}

/** Adds the options of some settings, and `--profile`, which may hold them. The program's own help names the variables. */
export function addSettings(command: Command, names: readonly SettingName[]): void {
  for (const name of names) {
    const { placeholder, help: text, choices, fallback, variable } = settingRows[name];
    const hints = [fallback && ` (default: ${fallback})`, command.parent === null && variable && ` [${variable}]`];
    const help = [text, ...hints].filter(Boolean).join('');
    const option = new Option(`--${kebabCase(name)} <${placeholder}>`, help);
    // For completion. What has a variable is checked by the client, with the values of other sources and all that is wrong.
    if (choices && variable) option.argChoices = [...choices];
    else if (choices) option.choices(choices);
    command.addOption(option);
  }
  const variable = command.parent === null ? ' [MESSAGING_PROFILE]' : '';
  command.option('--profile <name>', `settings from the configuration file${variable}`);
}

/** A setting in force: a text from an option or a variable, any JSON value from a profile. */
export interface Setting {
  readonly value: unknown;
  /** The option, variable or profile that set it. */
  readonly source: string;
  readonly inProfile: boolean;
}

export type CliSettings = { readonly [K in SettingName]?: Setting | undefined };

/**
 * The settings in force: an option wins over the environment, that over the profile. An empty variable counts as not set.
 * They are not checked yet, and the API key is not read from its file.
 *
 * @throws {UsageError} for an empty option, and when the profile cannot be read
 */
export function readSettings(given: GlobalOptions, environment: NodeJS.ProcessEnv): CliSettings {
  // As a rule a script's variable is not set. The environment must not stand in for it, with another service's setting.
  const empty = settingNames.filter((name) => given[name] === '').map((name) => `--${kebabCase(name)}: empty`);
  if (empty.length > 0) throw new UsageError(empty.join('; '));
  const profile = readProfile(given.profile, environment);
  const find = (name: SettingName): Setting | undefined => {
    const { variable } = settingRows[name];
    const text = given[name] ?? ((variable && environment[variable]) || undefined);
    if (text !== undefined) {
      const source = given[name] === undefined ? (variable as string) : `--${kebabCase(name)}`;
      return { value: text, source, inProfile: false };
    }
    const value = profile?.values[name];
    return value === undefined ? undefined : { value, source: `profile ${profile?.name}`, inProfile: true };
  };
  return Object.fromEntries(settingNames.map((name) => [name, find(name)]));
}

/**
 * The settings with the API key, which is read from its file where a file was given.
 *
 * @throws {UsageError}
 */
export function withApiKey(settings: CliSettings, given: GlobalOptions, log: Context['log']): CliSettings {
  const { apiKey, apiKeyFile } = settings;
  if (given.apiKey !== undefined && given.apiKeyFile !== undefined) {
    throw new UsageError('give --api-key-file or --api-key, not both');
  }
  if (given.apiKey) log('warning: --api-key is visible in the process list: use --api-key-file or MESSAGING_API_KEY');
  // A key from the environment wins over a file that the profile names.
  if (!apiKeyFile || given.apiKey || (apiKey && apiKeyFile.inProfile)) return settings;
  const what = apiKeyFile.inProfile ? `apiKeyFile of ${apiKeyFile.source}` : apiKeyFile.source;
  if (typeof apiKeyFile.value !== 'string') throw new UsageError(`${what}: a path is needed`);
  const value = readKeyFile(apiKeyFile.value, what, log);
  return { ...settings, apiKey: { ...apiKeyFile, value } };
}

function readKeyFile(path: string, what: string, log: Context['log']): string {
  let text: string;
  let isPublic: boolean;
  try {
    text = readFileSync(path, 'utf8');
    const status = statSync(path);
    // Windows reports these bits for every file.
    isPublic = process.platform !== 'win32' && status.isFile() && (status.mode & 0o077) !== 0;
  } catch (error) {
    throw new UsageError(`${what}: ${(error as Error).message}`, { cause: error });
  }
  // As the shell does with $(cat file).
  const key = text.replace(/[\r\n]+$/, '');
  if (key === '') throw new UsageError(`${what}: ${path} is empty`);
  if (isPublic) log(`warning: ${what}: others can read ${path}: chmod 600 makes it private`);
  return key;
}

/** What of these is not set, in words; empty when everything is. */
export function missingText(settings: CliSettings, required: readonly RequiredOption[]): string {
  const options = required
    .filter((name) => settings[name] === undefined)
    .map((name) => `${flagOf(name === 'apiKey' ? 'apiKeyFile' : name)} (or ${clientOptions[name].variable})`);
  return options.length > 0 ? `missing: ${options.join(', ')}` : '';
}

/**
 * The client's options that are set, of the types that it takes; the client checks the values.
 *
 * @throws {UsageError} for defaults that cannot be read
 */
export function clientSettings(settings: CliSettings): Partial<MessagingOptions> {
  // A command makes one call, so its connection is not kept. The calls of `--follow` are 5 seconds apart unless it says otherwise,
  // and the client keeps no idle connection for so long.
  const options: Record<string, unknown> = { keepAlive: false };
  for (const name of Object.keys(clientOptions) as (keyof typeof clientOptions)[]) {
    const setting = name in settingRows ? settings[name as FlagOption] : undefined;
    if (name === 'defaults') options.defaults = readDefaults(setting);
    else if (setting)
      options[name] = typeof setting.value === 'string' ? parseOption(name, setting.value) : setting.value;
  }
  return options;
}

/** Values for fields, with longs exact: JSON's numbers end at 2^53, so a larger one is written as a string. */
function readDefaults(setting: Setting | undefined): MessagingOptions['defaults'] {
  if (!setting) return undefined;
  const { value, source, inProfile } = setting;
  const what = inProfile ? `defaults of ${source}` : source;
  const given = asObject(inProfile ? value : parseJson(value as string, what), what);
  return Object.fromEntries(Object.entries(given).map(([name, item]) => [name, readDefault(name, item, what)]));
}

function readDefault(name: string, value: unknown, what: string): unknown {
  if (Array.isArray(value)) return value.map((item) => readDefault(name, item, what));
  if (typeof value === 'number' && !Number.isSafeInteger(value)) {
    throw new UsageError(`${what}: ${name}: JSON does not hold this number exactly; write it as a string`);
  }
  const element = requestElements().get(name);
  return typeof value === 'string' && element?.kind === 'integer' ? (parseValue(element, value) ?? value) : value;
}

/** The elements of all requests by name. */
function requestElements(): ReadonlyMap<string, ValueElement> {
  const elements = Object.values<Operation>(operations).flatMap(({ request }) => request);
  return new Map(elements.map((element) => [element.name, valueElement(element)]));
}

/** The unit of dates. @throws {UsageError} when a profile has an unknown one */
export function dateUnit({ dates }: CliSettings): DateUnit | undefined {
  const unit = dateUnits.find((name) => name === dates?.value);
  if (dates && !unit) throw new UsageError(`dates of ${dates.source}: must be ${dateUnits.join(' or ')}`);
  return unit;
}

/** An option of the client as the user wrote it: on the command line, or in a profile. */
export function spellSetting(option: string, settings: CliSettings): string {
  const setting = option in settings ? settings[option as SettingName] : undefined;
  return setting?.inProfile ? `${option} of ${setting.source}` : flagOf(option);
}
