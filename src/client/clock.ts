/** The limits of a call in milliseconds; 0 means none. */
export interface CallLimits {
  readonly call: number;
  /** The limit until the request begins to be written. */
  readonly start: number;
  /** The limit for the silence before and between the bytes of a response. */
  readonly silence: number;
}

type Expire = (limit: keyof CallLimits, withinMs: number) => void;

/** Ends a call when one of its limits runs out. It begins with the call, and all attempts of the call share it. */
export class CallClock {
  readonly #limits: CallLimits;
  /** The end of the call, on the clock of `performance.now()`. A pause makes it later. */
  #endsAt: number;
  readonly #startsBy: number;
  /** The same time on the system's clock, which goes on while the machine is suspended. */
  readonly #startsByDate: number;
  #expire: Expire = () => {};
  #callTimer: NodeJS.Timeout | undefined;
  #startTimer: NodeJS.Timeout | undefined;
  #silenceTimer: NodeJS.Timeout | undefined;
  /** The time that remained when the pause began, in milliseconds; undefined while the call is not paused. */
  #remainingMs: number | undefined;

  constructor(limits: CallLimits) {
    const now = performance.now();
    this.#limits = limits;
    this.#endsAt = now + (limits.call || Infinity);
    this.#startsBy = now + (limits.start || Infinity);
    this.#startsByDate = limits.start > 0 ? Date.now() + limits.start : Infinity;
  }

  /** The time after which no attempt may begin, on the clock of `performance.now()`. */
  get latestStart(): number {
    return Math.min(this.#endsAt, this.#startsBy);
  }

  /** @param expire is called with the limit that runs out */
  beginAttempt(expire: Expire): void {
    this.#expire = expire;
    this.#startTimer = this.#setTimer('start', this.#startsBy);
    this.#callTimer = this.#setTimer('call', this.#endsAt);
  }

  /**
   * Notes that the request is about to be written. A limit may be over although its timer has not fired: timers are
   * late when the process was busy or stopped, or the machine suspended.
   */
  onRequestStart(): void {
    const { call, start } = this.#limits;
    const now = performance.now();
    if (now > this.#startsBy || Date.now() > this.#startsByDate) return this.#expire('start', start);
    if (now > this.#endsAt) return this.#expire('call', call);
    clearTimeout(this.#startTimer);
    this.awaitBytes();
  }

  /** Starts the limit for the service's silence anew. */
  awaitBytes(): void {
    const { silence } = this.#limits;
    if (silence === 0) return;
    clearTimeout(this.#silenceTimer);
    const timer = setTimeout(() => {
      // If this process was busy, the bytes that came meanwhile are read before the next setImmediate.
      setImmediate(() => {
        if (this.#silenceTimer === timer) this.#expire('silence', silence);
      });
    }, silence);
    this.#silenceTimer = timer;
  }

  /** Stops the limit for the service's silence, while no bytes are asked for. */
  stopAwaiting(): void {
    clearTimeout(this.#silenceTimer);
    this.#silenceTimer = undefined;
  }

  get isPaused(): boolean {
    return this.#remainingMs !== undefined;
  }

  /** Stops the limits while the consumer of a stream asks for a pause. */
  pause(): void {
    this.stopAwaiting();
    clearTimeout(this.#callTimer);
    this.#remainingMs = this.#endsAt - performance.now();
  }

  resume(): void {
    if (this.#remainingMs === undefined) return;
    this.#endsAt = performance.now() + this.#remainingMs;
    this.#remainingMs = undefined;
    this.#callTimer = this.#setTimer('call', this.#endsAt);
  }

  endAttempt(): void {
    clearTimeout(this.#startTimer);
    clearTimeout(this.#callTimer);
    this.stopAwaiting();
    this.#remainingMs = undefined;
  }

  #setTimer(limit: keyof CallLimits, at: number): NodeJS.Timeout | undefined {
    const withinMs = this.#limits[limit];
    if (withinMs === 0) return undefined;
    // Rounded up, so that the timer does not fire early.
    return setTimeout(() => this.#expire(limit, withinMs), Math.max(Math.ceil(at - performance.now()), 0));
  }
}
