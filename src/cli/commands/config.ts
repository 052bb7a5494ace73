import { createMasker } from '../../internal/mask';
import { settingNames, settingRow } from '../../options/settings';
import { type CliCommand, type Context, optionsOf } from '../commander/command';
import { ResultPrinter, reportType } from '../output/result-printer';
import { ForeignKey, withApiKey } from '../settings/api-key';
import { addOutputOptions, addSettings, type GlobalOptions } from '../settings/global-options';
import { type CliSettings, readSettings } from '../settings/settings';
import { UsageError } from '../terminal/failure';

const COLUMNS = ['setting', 'value', 'source'];

/** Defines the command that prints each setting in force. */
export function defineConfig(command: CliCommand, context: Context): void {
  command
    .description(
      'Prints each setting, its value, and the option, variable or profile that sets it. The API key is masked. Nothing is checked; messaging doctor checks the settings.',
    )
    .addExamples(['config', 'config --profile default', 'config --output json'])
    .optionsGroup('Global options:');
  addSettings(command, settingNames);
  addOutputOptions(command, COLUMNS);
  command.action(async () => {
    const given: GlobalOptions = optionsOf(command);
    const settings = readWithApiKey(given, context);
    const printer = new ResultPrinter(reportType(COLUMNS), given, context);
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
