import { createMasker } from '../../internal/mask';
import { type CliCommand, type Context, optionsOf } from '../commander/command';
import { ResultPrinter, reportType } from '../output/result-printer';
import { withApiKey } from '../settings/api-key';
import { addOutputOptions, addSettings, type GlobalOptions } from '../settings/global-options';
import { type CliSettings, readSettings, settingNames, settingRows } from '../settings/settings';
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

/** Reads the settings. A key file that cannot be read is a warning: the rows show which setting names the file. */
function readWithApiKey(given: GlobalOptions, { io, log }: Context): CliSettings {
  const settings = readSettings(given, io.environment);
  try {
    return withApiKey(settings, given, log);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    log(`warning: ${error.message}`);
    return settings;
  }
}

function rowsOf(settings: CliSettings): readonly object[] {
  const { mask } = createMasker(settings.apiKey && String(settings.apiKey.value));
  return settingNames.map((name) => {
    const setting = settings[name];
    const { fallback } = settingRows[name];
    const value = setting?.value ?? fallback ?? '';
    const plain = typeof value === 'string' ? value : JSON.stringify(value);
    const text = name === 'proxy' ? plain.replace(/\/\/[^/]*@/, '//***@') : plain;
    const source = setting?.source ?? (fallback === undefined ? 'not set' : 'default');
    return { setting: name, value: name === 'apiKey' && setting ? '***' : mask(text), source: mask(source) };
  });
}
