import type { OptionProblem } from '../../errors';
import type { MessagingOptions, NeededOption, RequiredOption } from '../../options/client';
import { clientOption, clientOptions } from '../../options/client';
import { readCaFile } from '../../options/files';
import { parseSetting, type SettingName, settingNames, settingRow } from '../../options/settings';
import { refuseValue, WrongValue } from '../../options/table';
import { flagOf } from '../fields/option-names';
import type { CliSettings } from './settings';

/** The settings that a call requires. */
export const requiredForCalls = (Object.keys(clientOptions) as (keyof typeof clientOptions)[]).filter(
  (name): name is RequiredOption => clientOption(name).required === true,
);

/** Names the required settings that are not set; empty when all are set. */
export function missingText(settings: CliSettings, required: readonly NeededOption[]): string {
  const options = required
    .filter((name) => settings[name] === undefined)
    .map((name) => `${flagOf(name === 'apiKey' ? 'apiKeyFile' : name)} (or ${clientOptions[name].variable})`);
  return options.length > 0 ? `missing: ${options.join(', ')}` : '';
}

/** The client's options of some settings, and what keeps a setting from being an option. */
export interface MadeOptions {
  readonly options: Partial<MessagingOptions>;
  readonly problems: readonly OptionProblem[];
}

/**
 * Makes the client's options of the settings, with the types that the client takes; the client checks the values. Reads
 * the file of certificate authorities.
 */
export function makeClientOptions(settings: CliSettings): MadeOptions {
  // A command makes one call, so its connection is not kept. The calls of `--follow` are 5 seconds apart by default,
  // and the client keeps no idle connection for this long.
  const options: Record<string, unknown> = { keepAlive: false };
  const problems: OptionProblem[] = [];
  for (const name of settingNames) {
    const setting = settings[name];
    if (!setting || !(name in clientOptions || name === 'caFile')) continue;
    try {
      const { value } = setting;
      if (name === 'caFile') options.tls = { ca: readAuthorities(value) };
      else options[name] = readTyped(name, value);
    } catch (error) {
      if (!(error instanceof WrongValue)) throw error;
      problems.push(...error.problems.map(({ message }) => ({ option: name, message })));
    }
  }
  return { options, problems };
}

/** Makes a value of a text, or of the JSON of a profile. @throws {WrongValue} */
export function readTyped(name: SettingName, value: unknown): unknown {
  if (typeof value === 'string') return parseSetting(name, value);
  const { fromJson } = settingRow(name);
  return fromJson ? fromJson(value) : value;
}

function readAuthorities(path: unknown): string {
  return typeof path === 'string' ? readCaFile(path) : refuseValue('a path is needed');
}
