import { startTimeLimit, type TimeLeft } from '../internal/time-limit';
import { timers } from '../internal/timers';

/** The limits of a call in milliseconds; 0 means none. */
export interface CallLimits {
  readonly call: number;
  /** The limit until the request begins to be written, or a function that returns the time that is left. */
  readonly start: number | TimeLeft;
  /** The limit for the silence before and between the bytes of a response. */
  readonly silence: number;
}

type Limit = keyof CallLimits;
type Expire = (limit: Limit, withinMs: number) => void;

const NO_LIMIT: TimeLeft = () => Infinity;

/** Ends a call when one of its limits runs out. It begins with the call, and all attempts of the call share it. */
export class CallClock {
  readonly #limitsMs: Readonly<Record<Limit, number>>;
  /** The end of the call, on the clock of `timers.now()`. A pause makes it later. */
  #endsAt: number;
  readonly #startsBy: number;
  readonly #timeToStart: TimeLeft;
  #expire: Expire = () => {};
  readonly #running: { [L in Limit]: NodeJS.Timeout | undefined } = {
    call: undefined,
    start: undefined,
    silence: undefined,
  };
  /** The time that remained when the pause began, in milliseconds; undefined while the call is not paused. */
  #remainingMs: number | undefined;

  constructor(limits: CallLimits) {
    const now = timers.now();
    const { start } = limits;
    this.#timeToStart = typeof start === 'function' ? start : start === 0 ? NO_LIMIT : startTimeLimit(start);
    const startMs = this.#timeToStart();
    // 0 means no limit, and a time of 0 that is left means that the limit is over.
    this.#limitsMs = { ...limits, start: start === 0 ? 0 : Math.max(Math.ceil(startMs), 1) };
    this.#endsAt = now + (limits.call || Infinity);
    this.#startsBy = now + startMs;
  }

  /** The time after which no attempt may begin, on the clock of `timers.now()`. */
  get latestStart(): number {
    return Math.min(this.#endsAt, this.#startsBy);
  }

  /** @param expire is called with the limit that runs out */
  beginAttempt(expire: Expire): void {
    this.#expire = expire;
    this.#start('start', this.#startsBy);
    this.#start('call', this.#endsAt);
  }

  /**
   * Notes that the request is about to be written. A limit may be over although its timer has not fired: timers are
   * late when the process was busy or stopped, or the machine suspended.
   */
  onRequestStart(): void {
    const { call, start } = this.#limitsMs;
    // A caller's function may return anything.
    if (!(this.#timeToStart() >= 0)) return this.#expire('start', start);
    if (timers.now() > this.#endsAt) return this.#expire('call', call);
    this.#stop('start');
    this.awaitBytes();
  }

  /** Starts the limit for the service's silence anew. */
  awaitBytes(): void {
    const { silence } = this.#limitsMs;
    if (silence === 0) return;
    this.#stop('silence');
    this.#start('silence', timers.now() + silence);
  }

  /** Stops the limit for the service's silence, while no bytes are asked for. */
  stopAwaiting(): void {
    this.#stop('silence');
  }

  get isPaused(): boolean {
    return this.#remainingMs !== undefined;
  }

  /** Stops the limits while the consumer of a stream asks for a pause. */
  pause(): void {
    this.stopAwaiting();
    this.#stop('call');
    this.#remainingMs = this.#endsAt - timers.now();
  }

  resume(): void {
    if (this.#remainingMs === undefined) return;
    this.#endsAt = timers.now() + this.#remainingMs;
    this.#remainingMs = undefined;
    this.#start('call', this.#endsAt);
  }

  endAttempt(): void {
    this.#stop('start');
    this.#stop('call');
    this.stopAwaiting();
    this.#remainingMs = undefined;
  }

  /** @param at the end of the limit, on the clock of `timers.now()` */
  #start(limit: Limit, at: number): void {
    const withinMs = this.#limitsMs[limit];
    if (withinMs === 0) return;
    // Rounded up, so that the timer does not fire early.
    const delayMs = Math.max(Math.ceil(at - timers.now()), 0);
    const timer = timers.setTimeout(() => {
      // If this process was busy or stopped, the bytes that came meanwhile are read before the next setImmediate.
      timers.setImmediate(() => {
        if (this.#running[limit] === timer) this.#expire(limit, withinMs);
      });
    }, delayMs);
    this.#running[limit] = timer;
  }

  #stop(limit: Limit): void {
    timers.clearTimeout(this.#running[limit]);
    this.#running[limit] = undefined;
  }
}
