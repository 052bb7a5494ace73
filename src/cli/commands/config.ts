import { createMask } from '../../internal/mask';
import { type CliCommand, type Context, optionsOf } from '../commander/command';
import { ResultPrinter, reportType } from '../output/result-printer';
import {
  addGlobalOptions,
  type CliSettings,
  type GlobalOptions,
  readSettings,
  type SettingName,
  settingRows,
  withApiKey,
} from '../settings/settings';
import { UsageError } from '../terminal/failure';

const TYPE = reportType(['setting', 'value', 'source']);

/** Adds the command that prints each setting in force. */
export function addConfig(program: CliCommand, context: Context): void {
  const command = program.command('config').summary('print the settings in force, and where they come from');
  command.onUse(() => {
    command
      .description(
        'Prints each setting, its value, and the option, variable or profile that sets it. The API key is masked. Nothing is checked; messaging doctor does that.',
      )
      .addExamples(['config', 'config --profile default', 'config --output json']);
    addGlobalOptions(command.optionsGroup('Global options:'));
  });
  command.action(async () => {
    const given: GlobalOptions = optionsOf(program, command);
    const settings = readWithApiKey(given, context);
    const printer = new ResultPrinter(TYPE, given, context);
    await printer.print(rowsOf(settings));
    await printer.end();
  });
}

/** A key file that cannot be read is a warning: the rows show which setting names it. */
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
  const { mask } = createMask(String(settings.apiKey?.value ?? '\0'));
  return (Object.keys(settingRows) as SettingName[]).map((name) => {
    const setting = settings[name];
    const value = setting?.value ?? settingRows[name].fallback ?? '';
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    const source = setting?.source ?? (settingRows[name].fallback === undefined ? 'not set' : 'default');
    return { setting: name, value: name === 'apiKey' && setting ? '***' : mask(text), source: mask(source) };
  });
}
