import type { Signal } from '../internal/signals';
import { MAX_DELAY_MS } from '../internal/signals';
import { wholeNumber } from './checks';
import { refuseOptions } from './client';
import { readOptions, refuseValue } from './table';

/**
 * The options of one call.
 *
 * @example
 * await client.sendSimple(request, { signal: controller.signal, timeoutMs: 5_000 });
 */
export interface CallOptions {
  /**
   * Aborts the call, which then rejects with an `AbortError`. Default none.
   *
   * @example controller.signal
   */
  readonly signal?: Signal | undefined;
  /**
   * The limit of the whole call, in milliseconds; 0 means no limit. Default: `timeoutMs` of the client. The limit of a
   * stream does not run while the stream waits for its consumer, unless the client was closed.
   *
   * @example 5_000
   */
  readonly timeoutMs?: number | undefined;
  /**
   * The limit until the request begins to be written, in milliseconds; 0 means no limit. A request that has not begun
   * by then is never written. Its call rejects with a `TimeoutError` whose outcome is `not-sent`. Default none.
   *
   * @example 1_000
   */
  readonly startWithinMs?: number | undefined;
  /**
   * The limit of the response's size in bytes, after decompression. Default: `maxResponseBytes` of the client.
   *
   * @example 1_048_576
   */
  readonly maxResponseBytes?: number | undefined;
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
export function readSignal(value: unknown): AbortSignal {
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
