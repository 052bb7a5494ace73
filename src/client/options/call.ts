import type { Signal } from '../../internal/signals';
import { MAX_DELAY_MS } from '../../internal/signals';
import { readSignal, wholeNumber } from '../../options/checks';

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
   * stream does not run while the stream waits for its consumer, unless the client was closed.
   */
  readonly timeoutMs?: number | undefined;
  /**
   * The limit until the request begins to be written, in milliseconds; 0 means no limit. A request that has not begun
   * by then is never written. Its call rejects with a `TimeoutError` whose outcome is `not-sent`. Default none.
   */
  readonly startWithinMs?: number | undefined;
  /** The limit of the response's size in bytes, after decompression. Default: `maxResponseBytes` of the client. */
  readonly maxResponseBytes?: number | undefined;
}

export const callOptions = {
  signal: { read: readSignal },
  timeoutMs: { read: wholeNumber(0, MAX_DELAY_MS) },
  startWithinMs: { read: wholeNumber(0, MAX_DELAY_MS) },
  maxResponseBytes: { read: wholeNumber(1) },
};

/** The options of `close`. */
export const closeOptions = {
  withinMs: { read: wholeNumber(0, MAX_DELAY_MS) },
};
