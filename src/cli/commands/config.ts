import { resolve } from 'node:path';
import { Option } from 'commander';
import { isKnownPath } from '../../client/options/files';
import { readSettingValues } from '../../client/options/setting-values';
import { type SettingName, settingNames, settingRow } from '../../client/options/settings';
import { keySettings, peekAtKey, pick, type SourceSettings } from '../../client/options/sources';
import { withoutQuery } from '../../internal/address';
import { createMasker } from '../../internal/mask';
import { quoteForShell } from '../../internal/shell';
import { type CliCommand, type Context, optionsOf } from '../commander/command';
import { ResultPrinter, type ResultType, reportType } from '../output/result-printer';
import { warnOfKey } from '../settings/api-key';
import { addOutputOptions, addSettings, type GlobalOptions } from '../settings/global-options';
import { listProfiles } from '../settings/profile';
import { describeIgnored, readSettings, settingText, spellSetting } from '../settings/settings';
import { UsageError } from '../terminal/failure';

const settingType = reportType(['setting', 'value', 'source']);
const profileType = reportType(['profile', 'baseUrl']);

interface ConfigFlags extends GlobalOptions {
  readonly env?: keyof typeof formats;
  readonly list?: true;
}

export function defineConfig(command: CliCommand, context: Context): void {
  command
    .description(
      'Prints each setting, its value, and the option, variable or profile that sets it. The API key is masked. Nothing is checked; the command doctor checks the settings.',
    )
    .addExamples(['config', 'config --profile default', 'config --profile default --env dotenv > .env'])
    .option('--list', 'print the profiles with their base URLs')
    .addOption(
      new Option('--env <format>', 'print the settings as variables, for a program').choices(Object.keys(formats)),
    )
    .optionsGroup('Global options:');
  addSettings(command, settingNames);
  addOutputOptions(command, settingType.columns);
  command.action(async () => {
    const flags: ConfigFlags = optionsOf(command);
    const { env, list } = flags;
    if (env && (list ?? flags.output ?? flags.columns))
      throw new UsageError('--env: leave out --list and the options for the output');
    if (list) return print(rowsOfProfiles(context), profileType, flags, context);
    const inForce = readSettings(flags, context);
    const ignored = describeIgnored(inForce);
    if (ignored !== undefined) context.log(ignored);
    if (env) return context.stdout.write(variablesOf(inForce.settings, env));
    await print(rowsOfSettings(inForce.settings, context.log), settingType, flags, context);
  });
}

async function print(rows: readonly object[], type: ResultType, flags: GlobalOptions, context: Context): Promise<void> {
  const printer = new ResultPrinter(type, flags, context);
  await printer.print(rows);
  await printer.end();
}

function rowsOfProfiles({ io, log }: Context): readonly object[] {
  const profiles = listProfiles(io.environment);
  if (profiles.length === 0) log(`there are no profiles: \`${io.invocation} setup\` makes one`);
  return profiles.map(({ name, values: { baseUrl, apiKeyFile } }) => {
    const { mask } = createMasker(typeof apiKeyFile === 'string' ? peekAtKey(apiKeyFile) : undefined);
    return { profile: name, baseUrl: baseUrl === undefined ? '' : mask(hideSecrets(String(baseUrl))) };
  });
}

function rowsOfSettings(settings: SourceSettings, log: Context['log']): readonly object[] {
  const { options, keyFile, problems } = readSettingValues(pick(settings, keySettings));
  for (const { message } of problems)
    log(`warning: ${spellSetting(settings.apiKey ? 'apiKey' : 'apiKeyFile', settings)}: ${message}`);
  warnOfKey(settings, keyFile, log);
  const key = options.apiKey;
  const { mask } = createMasker(key === undefined ? undefined : String(key));
  return settingNames.map((name) => {
    // A key that is read from a file has the source of the file.
    const setting = name === 'apiKey' && key !== undefined ? (settings.apiKey ?? settings.apiKeyFile) : settings[name];
    const { default: fallback } = settingRow(name);
    const isPlain = fallback !== undefined && typeof fallback !== 'object';
    const value = setting ? shownValue(name, setting.value) : isPlain ? String(fallback) : '';
    const source = setting?.source ?? (isPlain ? 'default' : 'not set');
    return { setting: name, value: mask(value), source: mask(source) };
  });
}

/** The text of a setting without a secret. */
function shownValue(name: SettingName, value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  if (name === 'apiKey' || (name === 'apiKeyFile' && !isKnownPath(text))) return '***';
  return name === 'baseUrl' || name === 'proxy' ? hideSecrets(text) : text;
}

/** Hides the user, the password and the query of an address, which may lack its scheme. */
function hideSecrets(address: string): string {
  return withoutQuery(address).replace(/^([a-z]+:[\\/]+)?[^\\/?#]*@/i, '$1***@');
}

/** How a shell or a file sets variables, and how it removes them. */
const formats = {
  sh: {
    set: (name: string, value: string) => `export ${name}=${quoteForShell(value, 'linux')}`,
    unset: (names: readonly string[]) => `unset ${names.join(' ')}`,
  },
  powershell: {
    set: (name: string, value: string) => `$env:${name} = '${value.replaceAll("'", "''")}'`,
    unset: (names: readonly string[]) =>
      `Remove-Item -ErrorAction Ignore -Path ${names.map((name) => `Env:${name}`).join(', ')}`,
  },
  dotenv: {
    // The format has no escapes, so the value must not contain its quotes.
    set: (name: string, value: string) => {
      const quote = ["'", '"', '`'].find((mark) => !value.includes(mark));
      if (quote === undefined) throw new UsageError(`--env dotenv: no quotes fit ${name}; use --env sh`);
      return `${name}=${quote}${value}${quote}`;
    },
    // An empty variable counts as not set.
    unset: (names: readonly string[]) => names.map((name) => `${name}=`).join('\n'),
  },
} as const;

/**
 * Writes the settings as variables that the command line and `fromEnv` read. A key is named by its file only. Variables
 * of settings that are not set are removed: they may belong to another service.
 */
function variablesOf(settings: SourceSettings, format: keyof typeof formats): string {
  const { set, unset } = formats[format];
  const { apiKey, apiKeyFile } = settings;
  const keyFile = apiKeyFile && isKnownPath(settingText(apiKeyFile.value)) ? apiKeyFile : undefined;
  const shown = { ...settings, apiKey: undefined, apiKeyFile: keyFile };
  const [lines, others]: [string[], string[]] = [[], []];
  for (const name of settingNames) {
    const { variable } = settingRow(name);
    const { value } = shown[name] ?? {};
    const text = settingText(value);
    if (value !== undefined && value !== null) lines.push(set(variable, name.endsWith('File') ? resolve(text) : text));
    // The key stays where it comes from.
    else if (settings[name]?.source !== variable) others.push(variable);
  }
  if (!keyFile) {
    const { variable } = settingRow('apiKey');
    const { source } = apiKey ?? apiKeyFile ?? {};
    const where = apiKeyFile ? `is not in the file that ${source} names` : `comes from ${source}, and is not shown`;
    lines.push(`# ${variable} ${source === undefined ? 'is not set' : where}`);
  }
  return `${[...(others.length > 0 ? [unset(others)] : []), ...lines].join('\n')}\n`;
}
