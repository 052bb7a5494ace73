import type { OptionProblem } from '../../errors';
import { WrongValue } from '../../options/table';
import { clientOptions } from './client';
import { type KeyFile, readCaFile, readKeyFile } from './files';
import { type DateUnit, parseSetting, type SettingName, settingNames, settingRow, settingRows } from './settings';
import type { SourceSettings } from './sources';

/** The values of settings. */
interface SettingValues {
  /** The options of the client. They are not checked yet. */
  readonly options: Readonly<Record<string, unknown>>;
  readonly dates: DateUnit | undefined;
  /** The file from which the API key was read. */
  readonly keyFile: KeyFile | undefined;
  /** The problems of the settings that cannot be read. */
  readonly problems: readonly OptionProblem[];
}

/** Reads the values of settings, and the files that some of them name. */
export function readSettingValues(settings: SourceSettings): SettingValues {
  const problems: OptionProblem[] = [];
  const read = <T>(name: SettingName, make: (value: unknown) => T, option: string = name): T | undefined => {
    const setting = settings[name];
    try {
      return setting && make(setting.value);
    } catch (error) {
      if (!(error instanceof WrongValue)) throw error;
      const { variable } = settingRow(name);
      problems.push(...error.problems.map(({ message }) => ({ option, message, variable })));
      return undefined;
    }
  };
  const options: Record<string, unknown> = {};
  for (const name of settingNames) {
    if (settings[name] && name in clientOptions) options[name] = read(name, (value) => typedValue(name, value));
  }
  const { apiKey, apiKeyFile } = settings;
  let keyFile: KeyFile | undefined;
  if (apiKey && apiKeyFile) {
    const message = `${apiKeyFile.source} gives a key too: use one of them`;
    problems.push({ option: 'apiKey', message, variable: clientOptions.apiKey.variable });
  } else if (apiKeyFile) {
    keyFile = read('apiKeyFile', (path) => readKeyFile(settingRows.apiKeyFile.read(path)), 'apiKey');
    options.apiKey = keyFile?.key;
  }
  const ca = read('caFile', (path) => readCaFile(settingRows.caFile.read(path)), 'tls.ca');
  if (ca !== undefined) options.tls = { ca };
  // The client uses no unit of dates. A wrong one is named all the same.
  return { options, dates: read('dates', settingRows.dates.read), keyFile, problems };
}

/** Makes a value of a text, or of the JSON of a profile. @throws {WrongValue} */
function typedValue(name: SettingName, value: unknown): unknown {
  if (typeof value === 'string') return parseSetting(name, value);
  const { fromJson } = settingRow(name);
  return fromJson ? fromJson(value) : value;
}
