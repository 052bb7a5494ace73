import { MessagingClient } from '../../client';
import { ConfigurationError } from '../../errors';
import type { MessagingOptions, NeededOption } from '../../options/client';
import { resolveOptions } from '../../options/client';
import type { DateUnit } from '../../options/settings';
import type { Context } from '../commander/command';
import { spellProblems } from '../fields/option-names';
import { NoService, UsageError } from '../terminal/failure';
import { interruptible } from '../terminal/io';
import { logWire } from '../terminal/wire-log';
import { withApiKey } from './api-key';
import { makeClientOptions, missingText, requiredForCalls } from './client-settings';
import type { GlobalOptions } from './global-options';
import { type CliSettings, dateUnit, readSettings, spellSetting } from './settings';

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
  return checked(settings, required, (given) => {
    const options = { ...given, ...overrides };
    return { client: new MessagingClient({ ...UNUSED, ...options }), options };
  });
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
  return checked(settings, required, (given) => resolveOptions({ ...UNUSED, ...given }));
}

/**
 * Makes the client's options of the settings, and uses them.
 *
 * @throws {UsageError} that names all that is missing and all that is refused, in the user's words
 */
function checked<T>(
  settings: CliSettings,
  required: readonly NeededOption[],
  use: (options: Partial<MessagingOptions>) => T,
): T {
  const missing = missingText(settings, required);
  const { options, problems } = makeClientOptions(settings);
  const refused = [...problems];
  let result: T | undefined;
  try {
    result = use(options);
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    // The source of a setting names its variable.
    refused.push(...error.problems.map(({ option, message }) => ({ option, message })));
  }
  if (result !== undefined && missing === '' && refused.length === 0) return result;
  const words = spellProblems({ problems: refused, message: '' }, (option) => spellSetting(option, settings));
  const Refusal = required.includes('baseUrl') && !settings.baseUrl ? NoService : UsageError;
  throw new Refusal([missing, words].filter(Boolean).join('; '));
}
