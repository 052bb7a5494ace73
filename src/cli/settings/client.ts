import { MessagingClient } from '../../client/client';
import type { MessagingOptions, NeededOption, RequiredOption } from '../../client/options/client';
import { clientOption, clientOptions, resolveOptions } from '../../client/options/client';
import { readCaFile } from '../../client/options/files';
import { type DateUnit, parseSetting, type SettingName, settingNames, settingRow } from '../../client/options/settings';
import { ConfigurationError, type OptionProblem } from '../../errors';
import { refuseValue, WrongValue } from '../../options/table';
import type { Context } from '../commander/command';
import { flagOf, spellProblems } from '../fields/option-names';
import { NoService, UsageError } from '../terminal/failure';
import { interruptible } from '../terminal/io';
import { logWire } from '../terminal/wire-log';
import { withApiKey } from './api-key';
import type { GlobalOptions } from './global-options';
import { type CliSettings, dateUnit, readSettings, spellSetting } from './settings';

export const requiredForCalls = (Object.keys(clientOptions) as (keyof typeof clientOptions)[]).filter(
  (name): name is RequiredOption => clientOption(name).required === true,
);

/** The client of a command, and the settings of its calls. */
export interface Session {
  readonly client: MessagingClient;
  /** The client's options, as the settings have them. */
  readonly options: Partial<MessagingOptions>;
  readonly dates: DateUnit | undefined;
  /** Aborted by Ctrl-C and SIGTERM. */
  readonly signal: AbortSignal;
}

/**
 * Runs work with a client made from the settings; with `--verbose`, prints what crosses the wire meanwhile.
 *
 * @param required the settings that must be set
 * @throws {UsageError} when a setting is missing or wrong
 */
export async function withClient<T>(
  given: GlobalOptions,
  context: Context,
  work: (session: Session) => Promise<T>,
  required: readonly NeededOption[] = requiredForCalls,
): Promise<T> {
  const { io, log } = context;
  const settings = withApiKey(readSettings(given, context), log);
  const dates = dateUnit(settings);
  const made = createClient(settings, required);
  return withWireLog(given, context, settings, () =>
    interruptible(io.signals, (signal) => work({ ...made, dates, signal })),
  );
}

/** Runs work; with `--verbose`, prints what crosses the wire meanwhile. */
export async function withWireLog<T>(
  { verbose }: GlobalOptions,
  { stderr }: Context,
  { apiKey }: CliSettings,
  work: () => Promise<T>,
): Promise<T> {
  if (!verbose) return work();
  const stop = logWire(stderr, String(apiKey?.value));
  try {
    return await work();
  } finally {
    stop();
  }
}

/** Values for settings that a command does not require, while the client does. `call` checks no statuses. */
const UNUSED = {
  baseUrl: 'http://unused',
  namespace: 'urn:unused',
  apiKey: 'unused-api-key',
  successStatuses: [0],
};

/** Creates a client of these settings. @throws {UsageError} that names options as the user wrote them */
export function createClient(
  settings: CliSettings,
  required: readonly NeededOption[],
  overrides: Partial<MessagingOptions> = {},
): Pick<Session, 'client' | 'options'> {
  checkSettings(settings, required);
  const options = { ...readOptions(settings).options, ...overrides };
  return { client: new MessagingClient({ ...UNUSED, ...options }), options };
}

/**
 * Checks settings as the client checks them.
 *
 * @throws {UsageError} that names all that is missing and all that is refused, in the user's words
 */
export function checkSettings(
  settings: CliSettings,
  required: readonly NeededOption[],
): ReturnType<typeof resolveOptions> {
  const missing = required
    .filter((name) => settings[name] === undefined)
    .map((name) => `${flagOf(name === 'apiKey' ? 'apiKeyFile' : name)} (or ${clientOptions[name].variable})`);
  const { options, problems } = readOptions(settings);
  try {
    const resolved = resolveOptions({ ...UNUSED, ...options });
    if (missing.length === 0 && problems.length === 0) return resolved;
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    // The source of a setting names its variable.
    problems.push(...error.problems.map(({ option, message }) => ({ option, message })));
  }
  const words = spellProblems({ problems, message: '' }, (option) => spellSetting(option, settings));
  const absent = missing.length > 0 && `missing: ${missing.join(', ')}`;
  const Refusal = required.includes('baseUrl') && !settings.baseUrl ? NoService : UsageError;
  throw new Refusal([absent, words].filter(Boolean).join('; '));
}

/** Makes the client's options of the settings, with the types that the client takes. The client checks the values. */
function readOptions(settings: CliSettings) {
  // A command makes one call, so its connection is not kept. The calls of `--follow` are 5 seconds apart by default,
  // and the client keeps no idle connection for this long.
  const options: Record<string, unknown> = { keepAlive: false };
  const problems: OptionProblem[] = [];
  for (const name of settingNames) {
    const setting = settings[name];
    if (!setting || !(name in clientOptions || name === 'caFile')) continue;
    try {
      if (name === 'caFile') options.tls = { ca: readAuthorities(setting.value) };
      else options[name] = readTyped(name, setting.value);
    } catch (error) {
      if (!(error instanceof WrongValue)) throw error;
      problems.push(...error.problems.map(({ message }) => ({ option: name, message })));
    }
  }
  return { options: options as Partial<MessagingOptions>, problems };
}

/** Makes a value of a text, or of the JSON of a profile. @throws {WrongValue} */
function readTyped(name: SettingName, value: unknown): unknown {
  if (typeof value === 'string') return parseSetting(name, value);
  const { fromJson } = settingRow(name);
  return fromJson ? fromJson(value) : value;
}

function readAuthorities(path: unknown): string {
  return typeof path === 'string' ? readCaFile(path) : refuseValue('a path is needed');
}
