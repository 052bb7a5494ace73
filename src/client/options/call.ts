import type { ResponseError } from '../../errors';
import { MAX_DELAY_MS } from '../../internal/signals';
import type { TimeLeft } from '../../internal/time-limit';
import { readFunction, signalOption, wholeNumber } from '../../options/checks';
import type { GivenOptions } from '../../options/table';
import { clientOptions } from './client';

/** In milliseconds; 0 means no limit. */
const timeLimit = wholeNumber(0, MAX_DELAY_MS);

export const callOptions = {
  /** Aborts the call, which then rejects with an `AbortError`. Default none. */
  signal: signalOption,
  /**
   * The limit of the whole call, in milliseconds; 0 means no limit. Default: `timeoutMs` of the client. The limit of a
   * stream does not run while the stream waits for its consumer.
   */
  timeoutMs: { read: timeLimit },
  /**
   * The limit of a silence before and between the bytes of the response, in milliseconds; 0 means no limit. Default:
   * `idleTimeoutMs` of the client.
   */
  idleTimeoutMs: { read: timeLimit },
  /**
   * The limit until the request begins to be written, in milliseconds; 0 means no limit. A request that has not begun
   * by then is never written. Its call rejects with a `TimeoutError` whose outcome is `not-sent`. For a limit that
   * began before the call: a function that returns the time that is left. It is called again when the request begins.
   * Default none.
   */
  startWithinMs: {
    read: (value: unknown): number | TimeLeft => (typeof value === 'function' ? (value as TimeLeft) : timeLimit(value)),
  },
  /**
   * The number of times that the call is tried again when the network provably did not send its request. Default:
   * `retries` of the client.
   */
  retries: { read: clientOptions.retries.read },
  /** The limit of the response's size in bytes, after decompression. Default: `maxResponseBytes` of the client. */
  maxResponseBytes: { read: clientOptions.maxResponseBytes.read },
};

const unreadableOption = {
  /**
   * Is given a `ResponseError` for each record that cannot be read, whose message names the record and the problem. The
   * stream leaves this record out and goes on. An error that the function throws ends the stream. Default: the
   * `ResponseError` itself ends the stream.
   */
  onUnreadable: { read: readFunction<(error: ResponseError) => void> },
};

export const streamOptions = { ...callOptions, ...unreadableOption };

/** The options of `close`. */
export const closeOptions = {
  withinMs: { read: timeLimit },
};

/**
 * The options of one call.
 *
 * @example
 * await client.sendSimple(request, { signal: controller.signal, timeoutMs: 5_000 });
 */
export interface CallOptions extends GivenOptions<typeof callOptions> {}

/**
 * The options of a stream: those of its call, and one more.
 *
 * @example
 * const options: StreamOptions = { onUnreadable: (error) => console.error(error.message) };
 */
export interface StreamOptions extends CallOptions, GivenOptions<typeof unreadableOption> {}
