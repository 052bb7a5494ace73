import { ConfigurationError } from '../errors';
import { createMasker } from '../internal/mask';
import { wholeNumber } from '../internal/option-checks';
import { isObject, type OptionProblem, type ResolvedOptions, readOptions, refuseValue } from '../internal/option-table';
import { MAX_DELAY_MS } from '../internal/timers';
import type { CallOptions, OptionOverrides, TrackOptions } from '../options';
import { readStatuses } from './checks';
import { clientOptions, type Settings } from './client-options';

/**
 * Checks the options and fills in the defaults.
 *
 * @throws {ConfigurationError} that names every missing, wrong and unknown option
 */
export function resolveOptions(options: OptionOverrides<unknown> = {}): Settings {
  const apiKey = isObject(options) ? options.apiKey : undefined;
  return readOptions(clientOptions, options, (problems) => refuseOptions(problems, apiKey));
}

const callOptions = {
  signal: { read: readSignal },
  timeoutMs: { read: wholeNumber(0, MAX_DELAY_MS) },
  startWithinMs: { read: wholeNumber(0, MAX_DELAY_MS) },
  maxResponseBytes: { read: wholeNumber(1) },
};

/** Checks the options of a call. @throws {ConfigurationError} that names every wrong and unknown option */
export function checkCallOptions(options: CallOptions, apiKey: string): void {
  readOptions(callOptions, options, (problems) => refuseOptions(problems, apiKey));
}

/** Does not ask for the class: a program may have a signal of its own. */
function readSignal(value: unknown): AbortSignal {
  const signal = value as AbortSignal;
  return typeof signal.addEventListener === 'function' ? signal : refuseValue('an AbortSignal is needed');
}

/** The options of `track`, without the final statuses that the client may have. */
const trackOptions = {
  finalStatuses: { read: readStatuses, variable: 'MESSAGING_FINAL_STATUSES' },
  everyMs: { read: wholeNumber(1), default: 5_000 },
  maxEveryMs: { read: wholeNumber(1), default: 60_000 },
  batchSize: { read: wholeNumber(1), default: 500 },
  withinMs: { read: wholeNumber(0, MAX_DELAY_MS), default: 0 },
  signal: { read: readSignal },
  onFailure: { read: readFunction },
};

function readFunction(value: unknown): NonNullable<TrackOptions['onFailure']> {
  return typeof value === 'function' ? (value as () => void) : refuseValue('a function is needed');
}

/**
 * Checks the options of `track` and fills in the defaults.
 *
 * @throws {ConfigurationError} also when neither the options nor the client have final statuses
 */
export function resolveTrackOptions(options: TrackOptions, client: Settings): ResolvedTrackOptions {
  const resolved = readOptions(trackOptions, options, (problems) => refuseOptions(problems, client.apiKey));
  const finalStatuses = resolved.finalStatuses ?? client.finalStatuses;
  if (finalStatuses) return { ...resolved, finalStatuses };
  const { variable } = trackOptions.finalStatuses;
  throw new ConfigurationError({ problems: [{ option: 'finalStatuses', message: 'missing', variable }] });
}

type ResolvedTrackOptions = ResolvedOptions<typeof trackOptions> & { readonly finalStatuses: ReadonlySet<number> };

const closeOptions = {
  withinMs: { read: wholeNumber(0, MAX_DELAY_MS) },
};

/**
 * Returns the limit of `close`, in milliseconds; undefined without one.
 *
 * @throws {ConfigurationError} also for any other option
 */
export function resolveCloseLimit(
  options: { readonly withinMs?: number | undefined },
  apiKey: string,
): number | undefined {
  return readOptions(closeOptions, options, (problems) => refuseOptions(problems, apiKey)).withinMs;
}

/** Throws one error for all problems, without the API key, which may have been given to the wrong option. */
function refuseOptions(problems: readonly OptionProblem[], apiKey: unknown): never {
  const { mask } = createMasker(typeof apiKey === 'string' ? apiKey : undefined);
  throw new ConfigurationError({
    problems: problems.map(({ option, message, ...others }) => ({
      option: option === '' ? 'options' : mask(option),
      message: mask(message),
      ...others,
    })),
  });
}
