import { setMaxListeners } from 'node:events';
import type { FaultError, HttpError } from '../../errors';
import { onAbort, type Signal, wait } from '../../internal/signals';
import type { OutcomeWithoutNumber, SendResult } from './send-batch';

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
  /** Ends the sending. */
  readonly signal?: Signal | undefined;
}

/**
 * The pace of a run or a worker: it decides how many requests may be under way, for how long none may start, and when
 * the sending of rows ends.
 */
export class Pace {
  readonly #options: PaceOptions;
  readonly #now: () => number;
  #hasSent: boolean;
  #limit: number;
  /** The number of requests that failed since the last one that was sent. */
  consecutiveFailures = 0;
  /** The reason why no further request may start; undefined while requests may start. */
  reason: string | undefined;
  /** The number of requests that were sent since the limit has changed. */
  #sentSinceChange = 0;
  #pauseEnds = Number.NEGATIVE_INFINITY;
  /** The next pause without a `Retry-After` header, in milliseconds. */
  #nextPauseMs = FIRST_PAUSE_MS;
  /** The time of the first push back after the last other result. */
  #pushedBackSince: number | undefined;
  readonly #end = new AbortController();
  /** Aborts when no further request may start. */
  readonly signal: Signal = this.#end.signal;
  /** The number of requests under way. */
  #underWay = 0;
  /** Called when a request has ended. A race over all requests would cost more with each of them. */
  #wake: () => void = () => undefined;
  #failure: { readonly error: unknown } | undefined;

  /**
   * @param hasSent true when a row is known to be sent
   * @param now milliseconds of a clock that only goes forward
   */
  constructor(options: PaceOptions, hasSent: boolean, now: () => number = () => performance.now()) {
    const { concurrency, signal } = options;
    this.#options = options;
    this.#limit = concurrency;
    this.#hasSent = hasSent;
    this.#now = now;
    if (signal) onAbort(signal, () => this.end());
    if (signal?.aborted) this.end();
    // Each request that waits for its slot listens.
    setMaxListeners(0, this.#end.signal);
  }

  /** Ends the sending. @param reason undefined when the user or an empty queue ends it, or a failure */
  end(reason?: string): void {
    this.reason ??= reason;
    this.#end.abort();
  }

  /** Waits until one more request may start. Resolves with false when none may start any more. */
  async turn(): Promise<boolean> {
    while (!this.signal.aborted) {
      if (this.#underWay >= this.limit) await this.#oneEnds();
      else if (this.pauseMs > 0) await wait(this.pauseMs, this.signal).catch(() => undefined);
      else return true;
    }
    return false;
  }

  /** Starts work that counts as a request under way. Its failure ends the sending. */
  start(work: () => Promise<unknown>): void {
    this.#underWay += 1;
    void work()
      .catch(this.fail)
      .finally(() => {
        this.#underWay -= 1;
        this.#wake();
      });
  }

  /** Ends the sending because of a failure, which `drain` throws. */
  readonly fail = (error: unknown): void => {
    this.#failure ??= { error };
    this.end();
  };

  /** Waits for what is under way. @throws the first failure */
  async drain(): Promise<void> {
    while (this.#underWay > 0) await this.#oneEnds();
    if (this.#failure) throw this.#failure.error;
  }

  /** Waits until a request has ended. Only one caller waits at a time. */
  #oneEnds(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
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

  /**
   * The outcome to keep. When the first request is refused while no row is sent, the sending stops, because a setting
   * is probably wrong: its rows are not to blame, and stay pending.
   */
  keep({ outcome }: SendResult, isFirst: boolean): OutcomeWithoutNumber {
    return this.#stopsAt(isFirst) && outcome.t === 'rejected' ? { ...outcome, t: 'not-sent' } : outcome;
  }

  /** Counts the result of a request. @param isFirst true for the first request while no row is sent */
  count({ outcome, pushback, goesBack }: SendResult, isFirst: boolean): void {
    if (goesBack) return;
    if (pushback) return this.#slowDown(pushback);
    this.#pushedBackSince = undefined;
    if (outcome.t === 'sent') this.#countSent();
    else this.#countFailure(isFirst);
  }

  #countSent(): void {
    this.consecutiveFailures = 0;
    this.#hasSent = true;
    this.#nextPauseMs = FIRST_PAUSE_MS;
    this.#sentSinceChange += 1;
    if (this.#sentSinceChange < SENT_BEFORE_RAISE) return;
    this.#limit = Math.min(this.#limit + 1, this.#options.concurrency);
    this.#sentSinceChange = 0;
  }

  /** True when a failure of this request ends the sending. */
  #stopsAt(isFirst: boolean): boolean {
    return isFirst && !this.#hasSent && this.#options.stopAfterFailures !== 0;
  }

  #countFailure(isFirst: boolean): void {
    this.consecutiveFailures += 1;
    const { stopAfterFailures: most } = this.#options;
    if (most === 0) return;
    if (this.#stopsAt(isFirst)) this.end('the first request failed and no row is sent, so a setting may be wrong');
    else if (this.consecutiveFailures >= most)
      this.end(most === 1 ? 'a request failed' : `${this.consecutiveFailures} consecutive requests failed`);
  }

  /** Pauses, and halves the number of requests at a time. Requests that were under way together count once. */
  #slowDown({ headers }: HttpError | FaultError): void {
    const now = this.#now();
    this.#pushedBackSince ??= now;
    if (now - this.#pushedBackSince >= PATIENCE_MS)
      this.end(`the service has only responded with HTTP status 429 for ${PATIENCE_MS / 60_000} minutes`);
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
    if (!isPaused) this.#options.onPause?.(pauseMs);
  }
}

/**
 * Reads the time for which a service asks to send nothing, in milliseconds; undefined when it names none. A date is
 * compared with the service's own clock, where the response shows it.
 */
function readRetryAfter(headers: HttpError['headers']): number | undefined {
  const { 'retry-after': after = '', date = '' } = headers;
  const clock = Date.parse(date);
  // Two headers of one name arrive as one with a comma; the longest time counts.
  const seconds = after.split(',').map((each) => each.trim());
  const ms = seconds.every((each) => /^\d+$/.test(each))
    ? Math.max(...seconds.map(Number)) * 1000
    : Date.parse(after) - (Number.isNaN(clock) ? Date.now() : clock);
  return ms > 0 ? Math.min(ms, MAX_RETRY_AFTER_MS) : undefined;
}
