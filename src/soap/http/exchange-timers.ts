import type { Call, Deadline } from '../call';

type Expire = (limit: 'call' | 'start' | 'silence', withinMs: number) => void;

export class ExchangeTimers {
  readonly #deadline: Deadline | undefined;
  readonly #idleTimeoutMs: number;
  readonly #expire: Expire;
  #callTimer: NodeJS.Timeout | undefined;
  #startTimer: NodeJS.Timeout | undefined;
  #silenceTimer: NodeJS.Timeout | undefined;
  /** The current end of the call, on the clock of `performance.now()`. A pause makes it later. */
  #endsAt = 0;
  /** The time that remained at the pause, in milliseconds. */
  #remainingMs = 0;

  /**
   * @param idleTimeoutMs the limit for the silence before and between the bytes of a response; 0 means none
   * @param expire is called with the limit that ran out
   */
  constructor({ deadline, startDeadline }: Call, idleTimeoutMs: number, expire: Expire) {
    this.#deadline = deadline;
    this.#idleTimeoutMs = idleTimeoutMs;
    this.#expire = expire;
    if (startDeadline) {
      this.#startTimer = setTimeout(() => expire('start', startDeadline.withinMs), startDeadline.remainingMs);
    }
    if (deadline) this.#limitCall(deadline, deadline.remainingMs);
  }

  onRequestStart(): void {
    clearTimeout(this.#startTimer);
  }

  awaitBytes(): void {
    const idleTimeoutMs = this.#idleTimeoutMs;
    if (idleTimeoutMs === 0) return;
    clearTimeout(this.#silenceTimer);
    const timer = setTimeout(() => {
      // If this process was busy, the bytes that came meanwhile are read before the next setImmediate.
      setImmediate(() => {
        if (this.#silenceTimer === timer) this.#expire('silence', idleTimeoutMs);
      });
    }, idleTimeoutMs);
    this.#silenceTimer = timer;
  }

  /** Stops the limit for the service's silence, while no bytes are asked for. */
  stopAwaiting(): void {
    clearTimeout(this.#silenceTimer);
    this.#silenceTimer = undefined;
  }

  /** Stops the limits while the consumer of a stream asks for a pause. */
  pause(): void {
    this.stopAwaiting();
    if (!this.#callTimer) return;
    clearTimeout(this.#callTimer);
    this.#remainingMs = this.#endsAt - performance.now();
  }

  resume(): void {
    if (this.#deadline) this.#limitCall(this.#deadline, Math.max(this.#remainingMs, 1));
  }

  clear(): void {
    clearTimeout(this.#startTimer);
    clearTimeout(this.#callTimer);
    this.stopAwaiting();
  }

  #limitCall({ withinMs }: Deadline, remainingMs: number): void {
    this.#endsAt = performance.now() + remainingMs;
    this.#callTimer = setTimeout(() => this.#expire('call', withinMs), remainingMs);
  }
}
