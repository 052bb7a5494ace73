import { MessagingClient } from '../../client';
import { ConfigurationError } from '../../errors';
import { type MessagingOptions, resolveOptions } from '../../options';
import type { Context } from '../shared/command';
import type { DateUnit } from '../shared/dates';
import { UsageError } from '../shared/failure';
import { interruptible } from '../shared/process';
import {
  clientOptions,
  dateUnit,
  type GlobalOptions,
  type RequiredOption,
  readSettings,
  requiredForCalls,
  type Settings,
  spellOptions,
  withApiKey,
} from '../shared/settings';

/** What a command needs for its calls. */
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
 * @param required the settings that must be there
 * @throws {UsageError} when a setting is missing or wrong
 */
export async function withClient<T>(
  given: GlobalOptions,
  context: Context,
  work: (session: Session) => Promise<T>,
  required: readonly RequiredOption[] = requiredForCalls,
): Promise<T> {
  const { io, log } = context;
  const settings = withApiKey(readSettings(given, io.environment), given, log);
  const dates = dateUnit(settings);
  const made = createClient(settings, required);
  const stop = given.verbose ? startWireLog(context, settings) : () => undefined;
  try {
    return await interruptible(io.signals, (signal) => work({ ...made, dates, signal }));
  } finally {
    stop();
  }
}

/** A client of these settings. @throws {UsageError} that names options as the user wrote them */
export function createClient(
  settings: Settings,
  required: readonly RequiredOption[],
  overrides: Partial<MessagingOptions> = {},
): Pick<Session, 'client' | 'options'> {
  return spelled(settings, () => {
    const options = { ...clientOptions(settings, required), ...overrides };
    // The client requires statuses. Where they are not required here, call() is used, which does not check them.
    return { client: new MessagingClient({ ...options, successStatuses: options.successStatuses ?? [0] }), options };
  });
}

/** Runs a check, whose ConfigurationError becomes a UsageError in the user's words. */
function spelled<T>(settings: Settings, check: () => T): T {
  try {
    return check();
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    throw new UsageError(spellOptions(error.message, settings), { cause: error });
  }
}

function startWireLog(context: Context, { apiKey }: Settings): () => void {
  // Loaded here: few calls need it.
  const { logWire } = require('../output/wire-log') as typeof import('../output/wire-log');
  return logWire(context.stderr, String(apiKey?.value));
}

/**
 * Base URL and namespace, checked as the client checks them. No other setting is read.
 *
 * @throws {UsageError}
 */
export function addressOf({ baseUrl, namespace }: Settings): { readonly baseUrl: string; readonly namespace: string } {
  return checkSettings({ baseUrl, namespace }, ['baseUrl', 'namespace']);
}

/**
 * Settings for something else than a call, checked as the client checks them.
 *
 * @throws {UsageError}
 */
export function checkSettings(
  settings: Pick<Settings, 'baseUrl' | 'namespace' | 'timeoutMs'>,
  required: readonly RequiredOption[],
): { readonly baseUrl: string; readonly namespace: string; readonly timeoutMs: number } {
  return spelled(settings, () => {
    // The check requires these; no call is made with them.
    const unused = { baseUrl: 'http://unused', namespace: 'urn:unused', apiKey: 'none', successStatuses: [0] };
    return resolveOptions({ ...unused, ...clientOptions(settings, required) });
  });
}
