import type { FaultError, HttpError } from '../../errors';
import type { SendResult } from './send-batch';

/** The pause without a `Retry-After` header in milliseconds: the first one, and the longest one. */
const [FIRST_PAUSE_MS, LONGEST_PAUSE_MS] = [1000, 60_000];
/** The longest pause that a service can ask for, in milliseconds. */
const MAX_RETRY_AFTER_MS = 300_000;
/** The time after which the sending ends when the service has only pushed back, in milliseconds. */
const PATIENCE_MS = 1_800_000;
/** The number of sent requests after which one more may be under way. */
const SENT_BEFORE_RAISE = 20;

/** The options of a run or a worker that a pace follows. */
interface PaceOptions {
  readonly concurrency: number;
  readonly stopAfterFailures: number;
  readonly onPause?: ((pauseMs: number) => void) | undefined;
}

/** Decides how many requests may be under way, for how long none may start, and when the sending of rows ends. */
export class Pace {
  readonly #stopAfterFailures: number;
  readonly #concurrency: number;
  readonly #onPause: PaceOptions['onPause'];
  readonly #now: () => number;
  #hasSent: boolean;
  #limit: number;
  #consecutive = 0;
  #reason: string | undefined;
  /** The number of requests that were sent since the limit has changed. */
  #sentSinceChange = 0;
  #pauseEnds = Number.NEGATIVE_INFINITY;
  /** The next pause without a `Retry-After` header, in milliseconds. */
  #nextPauseMs = FIRST_PAUSE_MS;
  /** The time of the first push back after the last other result. */
  #pushedBackSince: number | undefined;

  /**
   * @param hasSent true when a row is known to be sent
   * @param now milliseconds of a clock that only goes forward
   */
  constructor(
    { concurrency, stopAfterFailures, onPause }: PaceOptions,
    hasSent: boolean,
    now: () => number = () => performance.now(),
  ) {
    this.#concurrency = concurrency;
    this.#limit = concurrency;
    this.#stopAfterFailures = stopAfterFailures;
    this.#onPause = onPause;
    this.#hasSent = hasSent;
    this.#now = now;
  }

  /**
   * The number of requests at a time. It is 1 until a row is known to be sent: a wrong setting fails once, and a
   * reconciliation can conclude nothing without a row that is known to be sent.
   */
  get limit(): number {
    return this.#hasSent ? this.#limit : 1;
  }

  /** The time in which no request may start, in milliseconds. */
  get pauseMs(): number {
    return Math.max(0, this.#pauseEnds - this.#now());
  }

  /** The number of requests that failed since the last one that was sent. */
  get consecutiveFailures(): number {
    return this.#consecutive;
  }

  /** The reason why no further request may start; undefined while requests may start. */
  get reason(): string | undefined {
    return this.#reason;
  }

  /** Counts the result of a request. @param isFirst true for the first request of a list */
  count({ outcome, pushback }: SendResult, isFirst: boolean): void {
    if (pushback) return this.#slowDown(pushback);
    this.#pushedBackSince = undefined;
    if (outcome.t === 'sent') this.#countSent();
    else this.#countFailure(isFirst);
  }

  #countSent(): void {
    this.#consecutive = 0;
    this.#hasSent = true;
    this.#nextPauseMs = FIRST_PAUSE_MS;
    this.#sentSinceChange += 1;
    if (this.#sentSinceChange < SENT_BEFORE_RAISE) return;
    this.#limit = Math.min(this.#limit + 1, this.#concurrency);
    this.#sentSinceChange = 0;
  }

  #countFailure(isFirst: boolean): void {
    this.#consecutive += 1;
    const most = this.#stopAfterFailures;
    if (most === 0) return;
    if (isFirst && !this.#hasSent) this.#reason ??= 'the first request of the list failed, so a setting may be wrong';
    else if (this.#consecutive >= most)
      this.#reason ??= most === 1 ? 'a request failed' : `${this.#consecutive} consecutive requests failed`;
  }

  /** Pauses, and halves the number of requests at a time. Requests that were under way together count once. */
  #slowDown({ headers }: HttpError | FaultError): void {
    const now = this.#now();
    this.#pushedBackSince ??= now;
    if (now - this.#pushedBackSince >= PATIENCE_MS)
      this.#reason ??= `the service has only responded with HTTP status 429 for ${PATIENCE_MS / 60_000} minutes`;
    const asked = readRetryAfter(headers);
    const isPaused = this.pauseMs > 0;
    if (!isPaused) {
      this.#limit = Math.max(1, Math.floor(this.#limit / 2));
      this.#sentSinceChange = 0;
    }
    if (asked === undefined && isPaused) return;
    const pauseMs = asked ?? this.#nextPauseMs;
    if (asked === undefined) this.#nextPauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS);
    this.#pauseEnds = Math.max(this.#pauseEnds, now + pauseMs);
    if (!isPaused) this.#onPause?.(pauseMs);
  }
}

/**
 * Reads the time for which a service asks to send nothing, in milliseconds; undefined when it names none. A date is
 * compared with the service's own clock, where the response shows it.
 */
function readRetryAfter(headers: HttpError['headers']): number | undefined {
  const { 'retry-after': after = '', date = '' } = headers;
  const clock = Date.parse(date);
  const ms = /^\d+$/.test(after)
    ? Number(after) * 1000
    : Date.parse(after) - (Number.isNaN(clock) ? Date.now() : clock);
  return ms > 0 ? Math.min(ms, MAX_RETRY_AFTER_MS) : undefined;
}
