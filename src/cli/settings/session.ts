import { clientOfSettings, type MessagingClient } from '../../client/client';
import {
  clientOptions,
  type MessagingOptions,
  type RequiredOption,
  requiredOptions,
  resolveOptions,
  type Settings,
} from '../../client/options/client';
import { readSettingValues } from '../../client/options/setting-values';
import type { DateUnit } from '../../client/options/settings';
import {
  keysOf,
  pick,
  type SettingsInForce,
  type SourceSettings,
  settingsBesideKey,
} from '../../client/options/sources';
import { ConfigurationError } from '../../errors';
import type { Context } from '../commander/command';
import { flagOf, spellProblems } from '../fields/option-names';
import { NoService, UsageError } from '../terminal/failure';
import { catchSignals } from '../terminal/io';
import { logWire } from '../terminal/wire-log';
import { warnOfKey } from './api-key';
import { describeIgnored, spellSetting } from './settings';

/** A setting that a command may need. */
export type NeededSetting = RequiredOption | 'finalStatuses';

/** Settings that were checked, as the client uses them. A setting that the command does not need may be empty. */
interface CheckedSettings {
  readonly options: Settings;
  readonly dates: DateUnit | undefined;
}

/** The client of a command, with the settings of its calls. */
export interface Session extends CheckedSettings {
  readonly client: MessagingClient;
  readonly settings: SourceSettings;
  /** Aborted by the first Ctrl-C, SIGTERM or SIGHUP. */
  readonly signal: AbortSignal;
  /** Ends the session: the next signal ends the process, and `--verbose` prints nothing more. */
  close(): void;
}

interface SessionOptions {
  /** The settings that must be set. Default: those that the client requires. */
  readonly needed?: readonly NeededSetting[] | undefined;
  /** Prints requests and responses on stderr. */
  readonly verbose?: boolean | undefined;
  /** Options of the client that are no settings. */
  readonly clientOptions?: Partial<MessagingOptions>;
}

/** Checks the settings and makes a client of them. @throws {UsageError} when a setting is missing or wrong */
export function openSession(inForce: SettingsInForce, context: Context, options: SessionOptions = {}): Session {
  const checked = checkSettings(inForce, context, options);
  const { signal, release } = catchSignals(context.io.signals);
  const stopLog = options.verbose ? logWire(context.stderr, checked.options.apiKey) : undefined;
  return {
    ...checked,
    client: clientOfSettings(checked.options),
    settings: inForce.settings,
    signal,
    close: () => {
      stopLog?.();
      release();
    },
  };
}

/**
 * Checks settings as the client checks them, and reads their files: the API key only for a command that needs it. One
 * line on stderr names the settings that were ignored.
 *
 * @throws {UsageError} that names all that is missing, wrong and ignored, in the user's words
 */
export function checkSettings(
  inForce: SettingsInForce,
  { log }: Pick<Context, 'log'>,
  { needed = requiredOptions, clientOptions: others }: SessionOptions = {},
): CheckedSettings {
  const { settings } = inForce;
  const keyName = settings.apiKey ? 'apiKey' : 'apiKeyFile';
  const missing = needed.filter((name) => !settings[name === 'apiKey' ? keyName : name]);
  const used = needed.includes('apiKey') ? settings : pick(settings, settingsBesideKey);
  const { options: values, dates, keyFile, problems } = readSettingValues(used);
  warnOfKey(used, keyFile, log);
  // A command makes one call, so its connection is not kept. The calls of `--follow` are 5 seconds apart by default,
  // and the client keeps no idle connection for this long.
  const options = { keepAlive: false, ...others, ...values };
  const ignored = describeIgnored(inForce);
  let wrong: string | undefined;
  try {
    const required = requiredOptions.filter((name) => needed.includes(name) && !missing.includes(name));
    const checked = resolveOptions(options, problems, keysOf(inForce.ignored), required);
    if (missing.length === 0) {
      if (ignored !== undefined) log(ignored);
      return { options: checked, dates };
    }
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    // The source of a setting names its variable.
    const named = error.problems.map(({ option, message }) => ({ option, message }));
    wrong = spellProblems({ problems: named, message: '' }, (option) =>
      spellSetting(settingOf(option, settings), settings),
    );
  }
  const ways = missing.map((name) => `${flagOf(settingOf(name, {}))} (or ${clientOptions[name].variable})`);
  const absent = missing.length > 0 ? `missing: ${ways.join(', ')}` : undefined;
  const Refusal = missing.includes('baseUrl') ? NoService : UsageError;
  throw new Refusal([absent, wrong, ignored].filter((part) => part !== undefined).join('; '));
}

/** The setting that gives an option of the client. */
function settingOf(option: string, settings: SourceSettings): string {
  if (option === 'apiKey') return settings.apiKey ? option : 'apiKeyFile';
  return option === 'tls' || option.startsWith('tls.') ? 'caFile' : option;
}
