import type { ResponseError } from '../../errors';
import { MAX_DELAY_MS, type Signal } from '../../internal/signals';
import { readFunction, readSignal, wholeNumber } from '../../options/checks';
import { clientOptions } from './client';

/**
 * The options of one call.
 *
 * @example
 * await client.sendSimple(request, { signal: controller.signal, timeoutMs: 5_000 });
 */
export interface CallOptions {
  /** Aborts the call, which then rejects with an `AbortError`. Default none. */
  readonly signal?: Signal | undefined;
  /**
   * The limit of the whole call, in milliseconds; 0 means no limit. Default: `timeoutMs` of the client. The limit of a
   * stream does not run while the stream waits for its consumer.
   */
  readonly timeoutMs?: number | undefined;
  /**
   * The limit of a silence before and between the bytes of the response, in milliseconds; 0 means no limit. Default:
   * `idleTimeoutMs` of the client.
   */
  readonly idleTimeoutMs?: number | undefined;
  /**
   * The limit until the request begins to be written, in milliseconds; 0 means no limit. A request that has not begun
   * by then is never written. Its call rejects with a `TimeoutError` whose outcome is `not-sent`. Default none.
   */
  readonly startWithinMs?: number | undefined;
  /**
   * The number of times that the call is tried again when the network provably did not send its request. Default:
   * `retries` of the client.
   */
  readonly retries?: number | undefined;
  /** The limit of the response's size in bytes, after decompression. Default: `maxResponseBytes` of the client. */
  readonly maxResponseBytes?: number | undefined;
}

/**
 * The options of a stream: those of its call, and one more.
 *
 * @example
 * const options: StreamOptions = { onUnreadable: (error) => console.error(error.message) };
 */
export interface StreamOptions extends CallOptions {
  /**
   * Is given a `ResponseError` for each record that cannot be read, whose message names the record and the problem. The
   * stream leaves this record out and goes on. An error that the function throws ends the stream. Default: the
   * `ResponseError` itself ends the stream.
   */
  readonly onUnreadable?: ((error: ResponseError) => void) | undefined;
}

export const callOptions = {
  signal: { read: readSignal },
  timeoutMs: { read: clientOptions.timeoutMs.read },
  idleTimeoutMs: { read: clientOptions.idleTimeoutMs.read },
  startWithinMs: { read: wholeNumber(0, MAX_DELAY_MS) },
  retries: { read: clientOptions.retries.read },
  maxResponseBytes: { read: clientOptions.maxResponseBytes.read },
};

export const streamOptions = {
  ...callOptions,
  onUnreadable: { read: readFunction<NonNullable<StreamOptions['onUnreadable']>> },
};

/** The options of `close`. */
export const closeOptions = {
  withinMs: { read: wholeNumber(0, MAX_DELAY_MS) },
};
