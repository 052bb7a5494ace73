import { operations } from '../../../generated/operations';
import { showValue, unchecked, wholeNumber } from '../../options/checks';
import { readNamed, readOptions, refuseValue } from '../../options/table';
import type { OperationName } from '../../types';
import { readReply } from './read-reply';
import type { ArmedReply, Reply, ReplyHandle } from './replies';

/** The armed replies. A request gets the oldest reply that fits it. */
export class ArmedReplies {
  readonly #report: () => void;
  #list: ArmedReply[] = [];
  /** Never goes back, so that the handle of an old reply cannot disarm a new reply. */
  #count = 0;

  /** @param report is called after every change of the list */
  constructor(report: () => void) {
    this.#report = report;
  }

  /** Oldest first. A snapshot. */
  get list(): readonly ArmedReply[] {
    return this.#list;
  }

  /**
   * @param given operation, reply and times
   * @returns a handle that disarms the reply
   * @throws {WrongValue}
   */
  arm(given: unknown): ReplyHandle {
    const { operation, times, reply: value } = readOptions(table, given, 'field');
    const reply = readNamed('reply', () => readReply(operation, value));
    this.#count += 1;
    const id = String(this.#count);
    this.#replace([...this.#list, { id, operation, times, reply }]);
    return { id, clear: () => void this.clear(id) };
  }

  /** Uses the reply to a request of this operation, if there is one. */
  use(operation: OperationName): Reply | undefined {
    const found = this.#list.find((armed) => armed.operation === '*' || armed.operation === operation);
    if (found !== undefined && Number.isFinite(found.times)) {
      const left = { ...found, times: found.times - 1 };
      this.#replace(this.#list.flatMap((armed) => (armed !== found ? armed : left.times > 0 ? left : [])));
    }
    return found?.reply;
  }

  /** @returns false when no reply with this id is armed */
  clear(id: string): boolean {
    const rest = this.#list.filter((armed) => armed.id !== id);
    const isArmed = rest.length < this.#list.length;
    if (isArmed) this.#replace(rest);
    return isArmed;
  }

  clearAll(): void {
    if (this.#list.length > 0) this.#replace([]);
  }

  #replace(list: ArmedReply[]): void {
    this.#list = list;
    this.#report();
  }
}

const table = {
  operation: { read: readOperation, required: true },
  times: { read: readTimes, default: 1 },
  reply: { ...unchecked<unknown>(), required: true },
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
