import type { ApiReceive } from '../../generated/v1/definitions/ApiReceive';
import { KnownMessages, markOf, withoutDate } from './message-mark';
import { type InboxRecords, messageOf } from './records';

/** The values of isread of a run. */
export interface IsreadValues {
  readonly unread: number;
  /** Undefined for a run that does not list read messages. */
  readonly read?: number | undefined;
}

/** A message of a first look that is not complete. */
interface ListedMessage {
  readonly record: InboxRecords['listed'];
  /** The values of isread that have listed it in this order, at each service in turn. */
  readonly values: number[][];
  /** The first looks that were complete before it was listed, and the values of isread that they had listed. */
  readonly after: { readonly baselines: readonly IsreadValues[]; readonly looked: readonly number[] };
}

/** The knowledge of the journal about a line: its messages, and the messages that each value of isread lists. */
export class LineState {
  readonly known = new KnownMessages();
  /** The messages of first looks that are not complete. */
  readonly #listed = new Map<string, ListedMessage>();
  /** The values of isread that a first look has listed. */
  readonly #looked = new Set<number>();
  /** The values of isread that list a message again that they have listed. */
  readonly #keeping = new Set<number>();
  /** The values of isread between which a message was seen to go. */
  readonly #marking = new Set<string>();
  /** The values of isread whose first look is complete. */
  readonly #baselines = new Map<string, IsreadValues>();

  /** The number of messages whose first look is not complete. */
  get undecided(): number {
    return this.#listed.size;
  }

  hasLooked(isread: number): boolean {
    return this.#looked.has(isread);
  }

  /** True when this value lists messages again that it has listed. So it does not list the unread ones. */
  keeps(isread: number): boolean {
    return this.#keeping.has(isread);
  }

  /** True when a message was seen to go from the unread ones to the read ones. */
  marks(values: IsreadValues): boolean {
    return this.#marking.has(keyOfValues(values));
  }

  /** True when the first look with these values is complete. */
  hasBaseline(values: IsreadValues): boolean {
    return this.#baselines.has(keyOfValues(values));
  }

  /** True when the end of a first look with these values decides what becomes of a message. */
  hasUndecided(values: IsreadValues): boolean {
    const { unread, read } = values;
    return [...this.#listed.values()].some((listed) => {
      return cameLater(listed, values) || listed.values.flat().some((each) => each === unread || each === read);
    });
  }

  /**
   * The record of the undecided message that has the id, the sender and the text of a message, unless one of the values
   * has listed it at this service.
   */
  findUnlisted(message: ApiReceive, { unread, read }: IsreadValues): InboxRecords['listed'] | undefined {
    const same = withoutDate(markOf(message));
    const mark = this.known.marksOf(message.messageid).find((other) => withoutDate(other) === same);
    const found = mark === undefined ? undefined : this.#listed.get(keyOf(message.messageid, mark));
    return found?.values.at(-1)?.some((value) => value === unread || value === read) ? undefined : found?.record;
  }

  /** The undecided messages that a value of isread listed first at this service. */
  listedBy(isread: number): readonly { readonly id: bigint; readonly mark: number }[] {
    const listed = [...this.#listed.values()].filter(({ values }) => values.at(-1)?.[0] === isread);
    const messages = listed.map(({ record }) => messageOf(record.message));
    return messages.map((message) => ({ id: message.messageid, mark: markOf(message) }));
  }

  /** True for a message whose first look is not complete. */
  isListed(id: bigint, mark: number): boolean {
    return this.#listed.has(keyOf(id, mark));
  }

  /** Adds a message; false when it is known. */
  add(message: ApiReceive): boolean {
    return this.known.add(message.messageid, markOf(message));
  }

  look(isread: number): void {
    this.#looked.add(isread);
  }

  keep(isread: number): void {
    this.#keeping.add(isread);
  }

  mark(values: IsreadValues): void {
    this.#marking.add(keyOfValues(values));
  }

  /** Adds a message of a first look. */
  list(record: InboxRecords['listed']): void {
    const message = messageOf(record.message);
    const key = keyOf(message.messageid, markOf(message));
    // A later run may have listed the message again, with other values.
    const earlier = this.#listed.get(key);
    if (earlier) earlier.values.at(-1)?.push(record.isread);
    // A journal of version 1.0.0 may list a message again that the end of a first look decides now.
    else if (this.add(message)) {
      const after = { baselines: [...this.#baselines.values()], looked: [...this.#looked] };
      this.#listed.set(key, { record, values: [[record.isread]], after });
    }
  }

  /** Ends a first look. Returns the messages that wait for a handler; others are known. */
  complete({ unread, read, includeRead }: InboxRecords['baseline']): readonly InboxRecords['listed'][] {
    const waiting: InboxRecords['listed'][] = [];
    for (const [key, listed] of this.#listed) {
      const { record, values } = listed;
      // The first of the two values counts: the service may have marked the message since.
      const firsts = values.flatMap((each) => each.find((value) => value === unread || value === read) ?? []);
      const isNew = firsts.includes(unread) || cameLater(listed, { unread, read });
      if (firsts.length === 0 && !isNew) continue;
      this.#listed.delete(key);
      if (isNew || includeRead) waiting.push({ ...record, isread: firsts.at(-1) ?? record.isread });
    }
    this.#baselines.set(keyOfValues({ unread, read }), { unread, read });
    return waiting;
  }

  /** Forgets what the values of isread list. Another service has a first look of its own. */
  forgetValues(): void {
    for (const seen of [this.#looked, this.#keeping]) seen.clear();
    for (const seen of [this.#marking, this.#baselines]) seen.clear();
    for (const listed of this.#listed.values()) listed.values.push([]);
  }
}

/** True for a message that came after a value that lists it, or each of these values, had listed all its messages. */
function cameLater({ values, after }: ListedMessage, { unread, read }: IsreadValues): boolean {
  const needed = read === undefined ? [unread] : [unread, read];
  return (
    after.looked.some((value) => values.flat().includes(value)) ||
    after.baselines.some((listed) => needed.every((value) => value === listed.unread || value === listed.read))
  );
}

function keyOfValues({ unread, read }: IsreadValues): string {
  return `${unread} ${read ?? 'none'}`;
}

function keyOf(id: bigint, mark: number): string {
  return `${id} ${mark}`;
}
