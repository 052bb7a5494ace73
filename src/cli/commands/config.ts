import { resolve } from 'node:path';
import { Option } from 'commander';
import { settingNames, settingRow } from '../../client/options/settings';
import { createMasker } from '../../internal/mask';
import { quoteForShell } from '../../internal/strings';
import { type CliCommand, type Context, optionsOf } from '../commander/command';
import { ResultPrinter, reportType } from '../output/result-printer';
import { ForeignKey, withApiKey } from '../settings/api-key';
import { addOutputOptions, addSettings, type GlobalOptions } from '../settings/global-options';
import { type CliSettings, readSettings, settingText } from '../settings/settings';
import { UsageError } from '../terminal/failure';

const settingType = reportType(['setting', 'value', 'source']);

export function defineConfig(command: CliCommand, context: Context): void {
  command
    .description(
      'Prints each setting, its value, and the option, variable or profile that sets it. The API key is masked. Nothing is checked; the command doctor checks the settings.',
    )
    .addExamples(['config', 'config --profile default', 'config --profile default --env dotenv > .env'])
    .addOption(
      new Option('--env <format>', 'print the settings as variables, for a program').choices(Object.keys(formats)),
    )
    .optionsGroup('Global options:');
  addSettings(command, settingNames);
  addOutputOptions(command, settingType.columns);
  command.action(async () => {
    const given: GlobalOptions = optionsOf(command);
    const { env }: { readonly env?: keyof typeof formats } = optionsOf(command);
    const settings = readWithApiKey(given, context);
    if (env !== undefined) {
      if (given.output ?? given.columns) throw new UsageError('--env: leave out the other options for the output');
      return context.stdout.write(variablesOf(settings, env));
    }
    const printer = new ResultPrinter(settingType, given, context);
    await printer.print(rowsOf(settings));
    await printer.end();
  });
}

/** Reads the settings. A key that cannot be used is a warning: the rows show which setting gives it. */
function readWithApiKey(given: GlobalOptions, context: Context): CliSettings {
  const settings = readSettings(given, context);
  try {
    return withApiKey(settings, context.log);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    context.log(`warning: ${error.message}`);
    return error instanceof ForeignKey ? { ...settings, apiKey: undefined, apiKeyFile: undefined } : settings;
  }
}

const formats = {
  sh: (name: string, value: string) => `export ${name}=${quoteForShell(value, 'linux')}`,
  powershell: (name: string, value: string) => `$env:${name} = '${value.replaceAll("'", "''")}'`,
  // The format has no escapes, so the value must not contain its quotes.
  dotenv: (name: string, value: string) => {
    const quote = ["'", '"', '`'].find((mark) => !value.includes(mark));
    if (quote === undefined) throw new UsageError(`--env dotenv: no quotes fit ${name}; use --env sh`);
    return `${name}=${quote}${value}${quote}`;
  },
} as const;

/** Writes the settings as variables that the command line and `fromEnv` read. A key is named by its file only. */
function variablesOf({ apiKey, ...settings }: CliSettings, format: keyof typeof formats): string {
  const lines = settingNames.flatMap((name) => {
    const value = name === 'apiKey' ? undefined : settings[name]?.value;
    if (value === undefined || value === null) return [];
    const text = settingText(value);
    return [formats[format](settingRow(name).variable, name.endsWith('File') ? resolve(text) : text)];
  });
  if (settings.apiKeyFile === undefined) {
    const where = apiKey ? `comes from ${apiKey.source}, and is not shown` : 'is not set';
    lines.push(`# ${settingRow('apiKey').variable} ${where}`);
  }
  return `${lines.join('\n')}\n`;
}

function rowsOf(settings: CliSettings): readonly object[] {
  const { mask } = createMasker(settings.apiKey && String(settings.apiKey.value));
  return settingNames.map((name) => {
    const setting = settings[name];
    const { default: fallback } = settingRow(name);
    const isPlain = fallback !== undefined && typeof fallback !== 'object';
    const value = setting?.value ?? (isPlain ? String(fallback) : '');
    const plain = typeof value === 'string' ? value : JSON.stringify(value);
    const text = name === 'proxy' ? plain.replace(/\/\/[^/]*@/, '//***@') : plain;
    const source = setting?.source ?? (isPlain ? 'default' : 'not set');
    return { setting: name, value: name === 'apiKey' && setting ? '***' : mask(text), source: mask(source) };
  });
}
