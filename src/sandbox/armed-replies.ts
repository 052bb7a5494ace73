import type { OperationName } from '../types';
import { checkFields, wrong } from './checks';
import { type PreparedReply, prepareReply } from './prepare-reply';
import type { ArmedReply, Reply, ReplyOptions } from './replies';
import { isOperationName } from './wire/arguments';

interface Entry extends ArmedReply {
  times: number;
  readonly prepared: PreparedReply;
}

/** The armed replies. The oldest one that fits a request answers it. */
export class ArmedReplies {
  #entries: Entry[] = [];
  /** Never goes back, so that the handle of an old reply cannot disarm a new one. */
  #count = 0;

  /** Oldest first. */
  get list(): ArmedReply[] {
    return this.#entries.map(({ id, operation, times, reply }) => ({ id, operation, times, reply }));
  }

  /**
   * @returns the id of the reply
   * @throws {FieldError} when an argument is not what its type says
   */
  arm(operation: OperationName | '*', reply: Reply, options: ReplyOptions): string {
    if (operation !== '*' && !isOperationName(operation)) {
      throw wrong('operation', operation, "an operation of the contract or '*'");
    }
    checkFields('', options, ['times']);
    const { times = 1 } = options;
    if (times !== Number.POSITIVE_INFINITY && !(Number.isInteger(times) && times >= 1)) {
      throw wrong('times', times, 'a positive whole number');
    }
    const prepared = prepareReply(operation, reply);
    this.#count += 1;
    const id = String(this.#count);
    this.#entries.push({ id, operation, times, reply, prepared });
    return id;
  }

  /** Uses up the reply to a request, if one is armed. */
  take(operation: OperationName): PreparedReply | undefined {
    const found = this.#entries.find((entry) => entry.operation === '*' || entry.operation === operation);
    if (found === undefined) return undefined;
    found.times -= 1;
    if (found.times === 0) this.clear(found.id);
    return found.prepared;
  }

  /** @returns false when no such reply is armed */
  clear(id: string): boolean {
    const rest = this.#entries.filter((entry) => entry.id !== id);
    const found = rest.length < this.#entries.length;
    this.#entries = rest;
    return found;
  }

  clearAll(): void {
    this.#entries = [];
  }
}
