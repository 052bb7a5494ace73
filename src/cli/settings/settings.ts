import { readFileSync, statSync } from 'node:fs';
import { type Command, Option } from 'commander';
import { type MessagingOptions, readEnvironment, variables } from '../../options';
import { type Field, type Operation, operations } from '../../soap/elements/legacy-fields';
import { type IntegerType, integerRanges, parseInteger } from '../../xml/integers';
import type { Context } from '../commander/command';
import { type DateUnit, dateUnits } from '../fields/dates';
import { kebabCase } from '../fields/option-names';
import { UsageError } from '../terminal/failure';
import { asObject, parseJson, readProfile } from './profile';

const formats = ['table', 'json', 'ndjson', 'csv'] as const;
export type Format = (typeof formats)[number];

/** The client's options that the environment and the command line can set. */
type ClientOption = keyof typeof variables;
export type SettingName = ClientOption | 'apiKeyFile' | 'defaults' | 'dates';

interface SettingRow {
  readonly placeholder: string;
  readonly description: string;
  readonly choices?: readonly string[];
  /** In force when nothing sets it. */
  readonly fallback?: string;
}

/** All settings: their options, their help, and their defaults. The environment variables are those of the client. */
export const settingRows: { readonly [K in SettingName]: SettingRow } = {
  baseUrl: { placeholder: 'url', description: 'requests go to <url>/soap/v1.asmx' },
  namespace: { placeholder: 'uri', description: "the service's namespace, exactly" },
  apiKeyFile: { placeholder: 'path', description: 'read the API key from a file' },
  apiKey: { placeholder: 'key', description: 'API key; visible to others in the process list' },
  successStatuses: { placeholder: 'list', description: 'statuses that mean success, such as 200,201' },
  soapVersion: { placeholder: 'version', description: '1.1 or 1.2', choices: ['1.1', '1.2'], fallback: '1.1' },
  timeoutMs: { placeholder: 'ms', description: 'limit for the whole call, 0 for none', fallback: '30000' },
  defaults: { placeholder: 'json', description: 'values of fields that are not given, such as {"msgmode":1}' },
  dates: {
    placeholder: 'unit',
    description: `unit of dates: ${dateUnits.join(' or ')}; date options then take ISO 8601 too, and tables show it`,
    choices: dateUnits,
  },
};

/** The global options as they were given. */
export type GlobalOptions = { readonly [K in SettingName]?: string } & {
  readonly profile?: string;
  readonly output?: Format;
  readonly columns?: string;
  readonly csvSafe?: true;
  readonly verbose?: true;
};

const settingNames = Object.keys(settingRows) as SettingName[];
export type RequiredOption = {
  [K in keyof MessagingOptions]-?: Record<never, never> extends Pick<MessagingOptions, K> ? never : K;
}[keyof MessagingOptions];
/** What the client requires. An option that becomes required does not compile until it is here. */
export const requiredForCalls = Object.keys({
  baseUrl: true,
  namespace: true,
  apiKey: true,
  successStatuses: true,
} satisfies { readonly [K in RequiredOption]: true }) as RequiredOption[];

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
    const { placeholder, description, choices, fallback } = settingRows[name];
    const variable = variableOf(name);
    const hints = [fallback && ` (default: ${fallback})`, command.parent === null && variable && ` [${variable}]`];
    const help = [description, ...hints].filter(Boolean).join('');
    const option = new Option(`--${kebabCase(name)} <${placeholder}>`, help);
    // For completion. What has a variable is checked by the client, with the values of other sources and all that is wrong.
    if (choices && variable) option.argChoices = [...choices];
    else if (choices) option.choices(choices);
    command.addOption(option);
  }
  const variable = command.parent === null ? ' [MESSAGING_PROFILE]' : '';
  command.option('--profile <name>', `settings from the configuration file${variable}`);
}

function variableOf(name: SettingName): string | undefined {
  return (variables as Readonly<Record<string, string>>)[name];
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
    const variable = variableOf(name);
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
    .map((name) => `${name === 'apiKey' ? '--api-key-file' : `--${kebabCase(name)}`} (or ${variables[name]})`);
  return options.length > 0 ? `missing: ${options.join(', ')}` : '';
}

/**
 * The client's options that are set, of the types that it takes; the client checks the values.
 *
 * @throws {UsageError} for defaults that cannot be read
 */
export function clientOptions(settings: CliSettings): Partial<MessagingOptions> {
  const environment: Record<string, string> = {};
  // A command makes one call, so its connection is not kept. The calls of `--follow` are 5 seconds apart unless it says otherwise,
  // and the client keeps no idle connection for so long.
  const overrides: Record<string, unknown> = { keepAlive: false, defaults: readDefaults(settings.defaults) };
  for (const name of Object.keys(variables) as ClientOption[]) {
    const setting = settings[name];
    if (typeof setting?.value === 'string') environment[variables[name]] = setting.value;
    else if (setting) overrides[name] = setting.value;
  }
  return readEnvironment(overrides, environment) as Partial<MessagingOptions>;
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
  const type = fieldTypes().get(name) ?? 'string';
  return typeof value === 'string' && type in integerRanges
    ? (parseInteger(type as IntegerType, value) ?? value)
    : value;
}

/** The type of each request field by its name. */
function fieldTypes(): ReadonlyMap<string, Field['type']> {
  const fields = Object.values<Operation>(operations).flatMap(({ request }) => request);
  return new Map(fields.map(({ name, type }) => [name, type]));
}

/** The unit of dates. @throws {UsageError} when a profile has an unknown one */
export function dateUnit({ dates }: CliSettings): DateUnit | undefined {
  const unit = dateUnits.find((name) => name === dates?.value);
  if (dates && !unit) throw new UsageError(`dates of ${dates.source}: must be ${dateUnits.join(' or ')}`);
  return unit;
}

/** The client's message about an option, which it calls `baseUrl (MESSAGING_BASE_URL)`, with the name that the user wrote. */
export function spellOptions(message: string, settings: CliSettings): string {
  return settingNames.reduce((text, name) => {
    const variable = variableOf(name);
    const pattern = new RegExp(variable ? `\\b${name}(?= \\(${variable}\\))` : `\\b${name}(?=:)`, 'g');
    const setting = settings[name];
    return text.replace(pattern, () => (setting?.inProfile ? `${name} of ${setting.source}` : `--${kebabCase(name)}`));
  }, message);
}
