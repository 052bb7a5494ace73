import { operations } from '../../../generated/operations';
import { showValue, unchecked, wholeNumber } from '../../options/checks';
import { readNamed, readOptions, refuseValue } from '../../options/table';
import type { OperationName } from '../../types';
import { type PreparedReply, prepareReply } from './prepare-reply';
import type { ArmedReply, Reply, ReplyHandle } from './replies';

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

  /**
   * @param given operation, reply and times
   * @returns a handle that disarms the reply
   * @throws {WrongValue}
   */
  arm(given: unknown): ReplyHandle {
    const { operation, times, reply } = readOptions(table, given, 'field');
    const prepared = readNamed('reply', () => prepareReply(operation, reply));
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

const table = {
  operation: { read: readOperation, required: true },
  times: { read: readTimes, default: 1 },
  reply: { ...unchecked<Reply>(), required: true },
} as const;

function readOperation(value: unknown): OperationName | '*' {
  return value === '*' || Object.hasOwn(operations, String(value))
    ? (value as OperationName | '*')
    : refuseValue(`${showValue(value)} is not an operation of the contract or '*'`);
}

/** Null is Infinity, which JSON does not have. */
function readTimes(value: unknown): number {
  return value === null || value === Number.POSITIVE_INFINITY ? Number.POSITIVE_INFINITY : wholeNumber(1)(value);
}
