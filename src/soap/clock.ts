/**
 * The time limits of a client's calls, on one timer for all of them: Node's timers are made for few, and one that is set
 * and cleared for each call costs a call that is made alone an eighth of its time.
 */
export class Clock {
  /** Head of the ring of alarms that are set. */
  readonly #alarms = new Alarm(Number.POSITIVE_INFINITY, () => {});
  #timer: NodeJS.Timeout | undefined;
  /** When the timer goes off: never later than the first alarm. */
  #wakesAt = Number.POSITIVE_INFINITY;

  /** @param delay in milliseconds */
  set(delay: number, onTime: () => void): Alarm {
    const alarm = new Alarm(performance.now() + delay, onTime);
    alarm.insertAfter(this.#alarms);
    if (alarm.time < this.#wakesAt) this.#wakeAt(alarm.time);
    return alarm;
  }

  #wakeAt(time: number): void {
    this.#wakesAt = time;
    clearTimeout(this.#timer);
    // What the alarms watch keeps the process alive. When nothing is left to watch, the timer must not.
    this.#timer = setTimeout(() => this.#wake(), Math.ceil(time - performance.now())).unref();
  }

  #wake(): void {
    const now = performance.now();
    const due: Alarm[] = [];
    let earliest = Number.POSITIVE_INFINITY;
    for (let alarm = this.#alarms.next; alarm !== this.#alarms; alarm = alarm.next) {
      if (alarm.time <= now) due.push(alarm);
      else earliest = Math.min(earliest, alarm.time);
    }
    this.#wakesAt = Number.POSITIVE_INFINITY;
    if (earliest < Number.POSITIVE_INFINITY) this.#wakeAt(earliest);
    for (const alarm of due) alarm.ring();
  }
}

/** Goes off once, unless it is stopped before. */
export class Alarm {
  /** On the clock of `performance.now()`. */
  readonly time: number;
  readonly #onTime: () => void;
  /** Linked to itself when it is not set: to its old neighbours it would keep what they refer to alive. */
  next: Alarm = this;
  #previous: Alarm = this;

  constructor(time: number, onTime: () => void) {
    this.time = time;
    this.#onTime = onTime;
  }

  insertAfter(previous: Alarm): void {
    this.next = previous.next;
    this.#previous = previous;
    previous.next.#previous = this;
    previous.next = this;
  }

  stop(): void {
    this.#previous.next = this.next;
    this.next.#previous = this.#previous;
    this.next = this;
    this.#previous = this;
  }

  ring(): void {
    if (this.next === this) return;
    this.stop();
    this.#onTime();
  }
}
