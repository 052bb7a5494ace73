import { MAX_DELAY_MS } from '../../internal/signals';
import type { SentMessage, StatusChange } from './changes';
import { receptorRule, type SandboxDelivery, type SandboxDeliveryStep } from './delivery';
import { statusTextOf } from './messages';
import type { SandboxState } from './state';

/** The shortest pause between two looks at the waiting messages, which may be 100,000. */
const PAUSE_MS = 20;

/**
 * Moves the statuses of messages along the steps of the setting. One timer waits for the next step of all messages. It
 * follows the events of the state.
 */
export class DeliverySimulation {
  /** The times of the next steps, in milliseconds of the simulation, by the ids of the messages that wait for one. */
  readonly #due = new Map<bigint, number>();
  #timer: NodeJS.Timeout | undefined;
  /** The time for which the timer is set. */
  #wakeMs = Number.POSITIVE_INFINITY;

  constructor(private readonly state: SandboxState) {
    state.listeners.add((event) => {
      if (event.t === 'sent') this.#follow(event);
      if (event.t === 'restored') this.#follow({ ...event, t: 'sent' });
      if (event.t === 'advanced') this.#run();
      if (event.t === 'delivery') this.restart();
    });
  }

  #follow(message: SentMessage): void {
    const step = nextStep(this.state.delivery, message);
    if (step === undefined) return;
    const due = (message.startMs as number) + step.afterMs;
    this.#due.set(message.record.messageid, due);
    if (due < this.#wakeMs) this.#wakeAt(due);
  }

  /** Follows all messages from now on, by a new setting or after a restart. */
  restart(): void {
    this.close();
    if (!this.state.delivery.enabled) return;
    for (const message of this.state.sent.all()) this.#follow(message);
  }

  /** Takes every step that is due. */
  #run(): void {
    const { simulatedMs, sent, delivery } = this.state;
    for (;;) {
      const steps: StatusChange[] = [];
      for (const [messageid, due] of this.#due) {
        if (due > simulatedMs) continue;
        const message = sent.find(messageid);
        const step = message && nextStep(delivery, message);
        // The message may have been removed, or its status set by hand, after it began to wait.
        if (step === undefined) this.#due.delete(messageid);
        else {
          const { afterMs, status, statustext = statusTextOf(status) } = step;
          steps.push({ t: 'status', messageid, status, statustext, stepMs: afterMs });
        }
      }
      if (steps.length === 0) break;
      this.state.commit(steps);
      for (const { messageid } of steps) {
        this.#due.delete(messageid);
        this.#follow(sent.find(messageid) as SentMessage);
      }
    }
    this.#wakeAt([...this.#due.values()].reduce((one, other) => Math.min(one, other), Number.POSITIVE_INFINITY));
  }

  /** Ends the timer. */
  close(): void {
    this.#due.clear();
    this.#wakeAt(Number.POSITIVE_INFINITY);
  }

  #wakeAt(due: number): void {
    clearTimeout(this.#timer);
    this.#wakeMs = due;
    if (due === Number.POSITIVE_INFINITY) return;
    const delay = Math.min(Math.max(due - this.state.simulatedMs, PAUSE_MS), MAX_DELAY_MS);
    this.#timer = setTimeout(() => {
      try {
        this.#run();
      } catch (error) {
        // The data file cannot be written. The next message that is sent starts the timer again.
        this.#wakeMs = Number.POSITIVE_INFINITY;
        this.state.reportFailure(error);
      }
    }, delay);
    // Pending steps must not keep the process alive.
    this.#timer.unref();
  }
}

/** The next step of a message. None after a status that was set by hand, and while the simulation is off. */
function nextStep(
  delivery: SandboxDelivery,
  { record, startMs, stepMs = -1 }: SentMessage,
): SandboxDeliveryStep | undefined {
  if (!delivery.enabled || startMs === undefined) return undefined;
  const { steps = [] } = receptorRule(delivery, record.receptor) ?? delivery;
  return steps.find(({ afterMs }) => afterMs > stepMs);
}
