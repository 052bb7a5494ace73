import { MessagingClient } from '../../client';
import { ConfigurationError } from '../../errors';
import type { MessagingOptions, NeededOption } from '../../options/client';
import { resolveOptions } from '../../options/client';
import type { Context } from '../commander/command';
import type { DateUnit } from '../fields/dates';
import { spellProblems } from '../fields/option-names';
import { UsageError } from '../terminal/failure';
import { interruptible } from '../terminal/io';
import { logWire } from '../terminal/wire-log';
import { withApiKey } from './api-key';
import { clientSettings, missingText, requiredForCalls, spellSetting } from './client-settings';
import type { GlobalOptions } from './global-options';
import { type CliSettings, dateUnit, readSettings } from './settings';

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
  const settings = withApiKey(readSettings(given, io.environment), given, log);
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
  const options = { ...clientSettings(settings), ...overrides };
  return checked(settings, required, () => ({ client: new MessagingClient({ ...UNUSED, ...options }), options }));
}

/**
 * Runs a check of the settings.
 *
 * @throws {UsageError} that names all that is missing and all that the check refuses, in the user's words
 */
function checked<T>(settings: CliSettings, required: readonly NeededOption[], check: () => T): T {
  const missing = missingText(settings, required);
  try {
    const result = check();
    if (missing === '') return result;
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    const parts = [missing, spellProblems(error, (option) => spellSetting(option, settings))];
    throw new UsageError(parts.filter(Boolean).join('; '), { cause: error });
  }
  throw new UsageError(missing);
}

/**
 * Checks settings as the client checks them, for work that is not a call.
 *
 * @throws {UsageError}
 */
export function checkSettings(
  settings: CliSettings,
  required: readonly NeededOption[],
): ReturnType<typeof resolveOptions> {
  return checked(settings, required, () => resolveOptions({ ...UNUSED, ...clientSettings(settings) }));
}
