/** A limit that counts from the start of a call. */
export class TimeLimit {
  /** When the time is up, on the clock of `performance.now()`. */
  readonly by: number;
  /** The same on the system's clock, which goes on while the machine is suspended. */
  readonly #byDate: number;

  constructor(readonly withinMs: number) {
    this.by = performance.now() + withinMs;
    this.#byDate = Date.now() + withinMs;
  }

  /** In milliseconds, rounded up for a timer. */
  get left(): number {
    return Math.max(Math.ceil(this.by - performance.now()), 0);
  }

  /** Timers are late when the process was stopped or busy, or the machine suspended. */
  get isOver(): boolean {
    return performance.now() > this.by || Date.now() > this.#byDate;
  }
}

/** What bounds one exchange. */
export interface ExchangeLimits {
  /** For the whole call. */
  readonly end: TimeLimit | undefined;
  /** For the start of the request. */
  readonly start: TimeLimit | undefined;
  /** For the silence before and between the bytes of an answer, in milliseconds; 0 means none. */
  readonly idleTimeoutMs: number;
}

type Expire = (limit: 'end' | 'start' | 'silence', withinMs: number) => void;

/** The timers of one exchange. */
export class Timers {
  readonly #idleTimeoutMs: number;
  readonly #expire: Expire;
  #end: NodeJS.Timeout | undefined;
  #start: NodeJS.Timeout | undefined;
  #silence: NodeJS.Timeout | undefined;
  readonly #endLimit: TimeLimit | undefined;
  /** When the call must be over, on the clock of `performance.now()`; later than its limit says when it was paused. */
  #endsAt = 0;
  /** What was left of it at the pause. */
  #timeLeft = 0;

  /** @param expire is told which limit ran out */
  constructor({ end, start, idleTimeoutMs }: ExchangeLimits, expire: Expire) {
    this.#idleTimeoutMs = idleTimeoutMs;
    this.#expire = expire;
    this.#endLimit = end;
    if (start) this.#start = setTimeout(() => expire('start', start.withinMs), start.left);
    if (end) this.#startEnd(end.left);
  }

  onRequestStart(): void {
    clearTimeout(this.#start);
  }

  /** Starts the limit for the service's silence anew. */
  awaitBytes(): void {
    if (this.#idleTimeoutMs === 0) return;
    clearTimeout(this.#silence);
    const silence = setTimeout(() => {
      // If this process was busy, bytes that came meanwhile are read before the next setImmediate.
      setImmediate(() => {
        if (this.#silence === silence) this.#expire('silence', this.#idleTimeoutMs);
      });
    }, this.#idleTimeoutMs);
    this.#silence = silence;
  }

  /** No byte is asked for. */
  stopAwaiting(): void {
    clearTimeout(this.#silence);
    this.#silence = undefined;
  }

  /** Stops the limits while the consumer of a stream asks for a pause. */
  pause(): void {
    this.stopAwaiting();
    if (!this.#end) return;
    clearTimeout(this.#end);
    this.#timeLeft = this.#endsAt - performance.now();
  }

  resume(): void {
    if (this.#end) this.#startEnd(Math.max(this.#timeLeft, 1));
  }

  clear(): void {
    clearTimeout(this.#start);
    clearTimeout(this.#end);
    this.stopAwaiting();
  }

  #startEnd(ms: number): void {
    this.#endsAt = performance.now() + ms;
    this.#end = setTimeout(() => this.#expire('end', (this.#endLimit as TimeLimit).withinMs), ms);
  }
}
