import type { OperationName } from '../../types';
import { isOperationName } from '../wire/arguments';
import { checkFields, wrongField } from './field-error';
import { type PreparedReply, prepareReply } from './prepare-reply';
import type { ArmedReply, Reply, ReplyHandle, ReplyOptions } from './replies';

interface Entry extends ArmedReply {
  times: number;
  readonly prepared: PreparedReply;
}

/** The armed replies. A request gets the oldest reply that fits it. */
export class ArmedReplies {
  readonly #report: () => void;
  #entries: Entry[] = [];
  /** Never goes back, so that the handle of an old reply cannot disarm a new reply. */
  #count = 0;

  /** @param report is called after every change of the list */
  constructor(report: () => void) {
    this.#report = report;
  }

  /** Oldest first. */
  get list(): ArmedReply[] {
    return this.#entries.map(({ id, operation, times, reply }) => ({ id, operation, times, reply }));
  }

  /** The number of armed replies. */
  get size(): number {
    return this.#entries.length;
  }

  /**
   * @returns a handle that disarms the reply
   * @throws {FieldError} when an argument is not of its type
   */
  arm(operation: OperationName | '*', reply: Reply, options: ReplyOptions = {}): ReplyHandle {
    if (operation !== '*' && !isOperationName(operation)) {
      throw wrongField('operation', operation, "an operation of the contract or '*'");
    }
    checkFields('', options, ['times']);
    const { times = 1 } = options;
    if (times !== Number.POSITIVE_INFINITY && !(Number.isInteger(times) && times >= 1)) {
      throw wrongField('times', times, 'a positive whole number');
    }
    const prepared = prepareReply(operation, reply);
    this.#count += 1;
    const id = String(this.#count);
    this.#entries.push({ id, operation, times, reply, prepared });
    this.#report();
    return { id, clear: () => void this.clear(id) };
  }

  /** Uses the reply to a request of this operation, if there is one. */
  use(operation: OperationName): PreparedReply | undefined {
    const found = this.#entries.find((entry) => entry.operation === '*' || entry.operation === operation);
    if (found === undefined) return undefined;
    if (found.times === 1) this.clear(found.id);
    else if (Number.isFinite(found.times)) {
      found.times -= 1;
      this.#report();
    }
    return found.prepared;
  }

  /** @returns false when no reply with this id is armed */
  clear(id: string): boolean {
    const rest = this.#entries.filter((entry) => entry.id !== id);
    const found = rest.length < this.#entries.length;
    this.#entries = rest;
    if (found) this.#report();
    return found;
  }

  clearAll(): void {
    if (this.#entries.length === 0) return;
    this.#entries = [];
    this.#report();
  }
}
