import { operations } from '../../../generated/operations';
import type { MessagingOptions } from '../../options/client';
import {
  clientOption,
  clientOptions,
  type FlagOption,
  type NeededOption,
  type RequiredOption,
} from '../../options/client';
import { parseOption } from '../../options/environment';
import type { Operation } from '../../soap/element';
import { parseValue, type ValueElement } from '../../soap/values';
import { valueElement } from '../fields/field-values';
import { flagOf } from '../fields/option-names';
import { UsageError } from '../terminal/failure';
import { asObject, parseJson } from './profile';
import { type CliSettings, type Setting, type SettingName, settingRows } from './settings';

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

/** Names an option of the client as the user wrote it: on the command line, or in a profile. */
export function spellSetting(option: string, settings: CliSettings): string {
  const setting = option in settings ? settings[option as SettingName] : undefined;
  if (setting?.inProfile) return `${option} of ${setting.source}`;
  // The key may come from --api-key-file.
  return setting?.source.startsWith('--') ? setting.source : flagOf(option);
}

/**
 * Makes the client's options of the settings, with the types that the client takes; the client checks the values.
 *
 * @throws {UsageError} for defaults that cannot be read
 */
export function clientSettings(settings: CliSettings): Partial<MessagingOptions> {
  // A command makes one call, so its connection is not kept. The calls of `--follow` are 5 seconds apart by default,
  // and the client keeps no idle connection for this long.
  const options: Record<string, unknown> = { keepAlive: false };
  for (const name of Object.keys(clientOptions) as (keyof typeof clientOptions)[]) {
    const setting = name in settingRows ? settings[name as FlagOption] : undefined;
    if (name === 'defaults') options.defaults = readDefaults(setting);
    else if (setting)
      options[name] = typeof setting.value === 'string' ? parseOption(name, setting.value) : setting.value;
  }
  return options;
}

/** Reads values for fields, with longs exact: JSON's numbers end at 2^53, so a larger number is written as a string. */
function readDefaults(setting: Setting | undefined): MessagingOptions['defaults'] {
  if (!setting) return undefined;
  const { value, source, inProfile } = setting;
  const what = inProfile ? `defaults of ${source}` : source;
  const given = asObject(inProfile ? value : parseJson(value as string, what), what);
  const elements = requestElements();
  return Object.fromEntries(
    Object.entries(given).map(([name, item]) => [name, readDefault(item, elements.get(name), `${what}: ${name}`)]),
  );
}

function readDefault(value: unknown, element: ValueElement | undefined, what: string): unknown {
  if (Array.isArray(value)) return value.map((item) => readDefault(item, element, what));
  if (typeof value === 'number' && !Number.isSafeInteger(value)) {
    throw new UsageError(`${what}: JSON does not hold this number exactly; write it as a string`);
  }
  return typeof value === 'string' && element?.kind === 'integer' ? (parseValue(element, value) ?? value) : value;
}

/** The elements of all requests by name. */
function requestElements(): ReadonlyMap<string, ValueElement> {
  const elements = Object.values<Operation>(operations).flatMap(({ request }) => request);
  return new Map(elements.map((element) => [element.name, valueElement(element)]));
}
