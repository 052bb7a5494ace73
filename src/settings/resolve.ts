import { ConfigurationError } from '../errors';
import { createMasker } from '../internal/mask';
import { wholeNumber } from '../internal/option-checks';
import { isObject, type OptionProblem, readOptions, refuseValue } from '../internal/option-table';
import { MAX_DELAY_MS } from '../internal/timers';
import type { CallOptions, OptionOverrides } from '../options';
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
