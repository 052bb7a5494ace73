import { createHash } from 'node:crypto';
import type { ApiReceive } from '../../generated/v1/definitions/ApiReceive';

/** The number of dates that a mark tells apart. */
const DATES = 2 ** 25;

/**
 * A number by which messages with one id are told apart. A message is its id, its sender and its text, which make the
 * upper 28 bits; the lower 25 are the date. A service may show another date when it lists a message as read, and may
 * give an id again to a message with the same sender and text.
 */
export function markOf({ sender, message, date }: ApiReceive): number {
  const hash = createHash('sha256').update(JSON.stringify([sender, message]));
  return (hash.digest().readUInt32BE() >>> 4) * DATES + Number(BigInt.asUintN(25, date));
}

/** The part of a mark without the date. */
export function withoutDate(mark: number): number {
  return Math.floor(mark / DATES);
}

/** How new a message is beside those that are known by its id; `redated` says that only its date is. */
type Novelty = 'new' | 'reused' | 'redated' | 'known';

/** The messages of a line that are known, by id and mark. */
export class KnownMessages {
  /** Nearly every id belongs to one message. */
  readonly #marks = new Map<bigint, number | readonly number[]>();
  size = 0;

  /** The marks of the messages with an id. */
  marksOf(id: bigint): readonly number[] {
    const marks = this.#marks.get(id) ?? [];
    return typeof marks === 'number' ? [marks] : marks;
  }

  /** Adds a message; false when it is known. */
  add(id: bigint, mark: number): boolean {
    const marks = this.marksOf(id);
    if (marks.includes(mark)) return false;
    this.#marks.set(id, marks.length === 0 ? mark : [...marks, mark]);
    this.size += 1;
    return true;
  }

  compare(id: bigint, mark: number): Novelty {
    const marks = this.marksOf(id);
    if (marks.length === 0) return 'new';
    if (marks.includes(mark)) return 'known';
    return marks.some((other) => withoutDate(other) === withoutDate(mark)) ? 'redated' : 'reused';
  }

  *[Symbol.iterator](): Generator<readonly [id: bigint, mark: number]> {
    for (const id of this.#marks.keys()) for (const mark of this.marksOf(id)) yield [id, mark];
  }
}
