import type { ApiSelect } from '../../../generated/v1/definitions/ApiSelect';
import { receptorLikeness, textLikeness } from '../../messages/person';
import { digestMessage } from '../rows/digests';
import type { Facts } from './facts';
import type { KnownTime } from './order';

/** A listed message. Its text is kept only where it may be that of a sought row. */
export interface Listed {
  readonly id: bigint;
  /** Its index in the listing. */
  readonly index: number;
  readonly date: number;
  readonly sender: string | null;
  /** The sent row whose message it is. */
  readonly row: number | undefined;
  /** Undefined for a message that is neither known from before the list nor the message of a sent row. */
  readonly time: KnownTime | undefined;
}

/** A listed message that the journal does not explain, and that may be a sought row in some spelling. */
export interface UnexplainedMessage extends Listed {
  readonly status: number | undefined;
  /** The digest of sender, receptor and text; 0 when the id belongs to a sent row with another content. */
  readonly content: bigint;
  readonly receptor: string;
  readonly text: string;
  /** True when the service shows a mask in place of the receptor, or no receptor. */
  readonly isReceptorHidden: boolean;
}

/**
 * Gathers the messages of one listing, as far as they may show the outcome of rows. Read it whole before it is used.
 */
export class ListedMessages {
  readonly all: Listed[] = [];
  /** True when an id was listed twice. */
  hasRepeatedId = false;
  /** The earliest and the latest date, without those of scheduled rows. */
  earliestDate = Number.POSITIVE_INFINITY;
  latestDate = Number.NEGATIVE_INFINITY;
  /** The unexplained messages that may be a sought row in some spelling. */
  readonly unexplained: UnexplainedMessage[] = [];
  /** The number of unexplained messages with each content. */
  readonly unexplainedContents = new Map<bigint, number>();
  /** The sent rows by the ids of their messages, where these are known. */
  readonly rowsById: ReadonlyMap<bigint, number>;
  /** The messages of sent rows, by row. */
  readonly ofRows = new Map<number, Listed>();
  /** The messages of the baseline that are listed. */
  readonly ofBaseline = new Set<bigint>();
  /** True when two messages of the baseline have the same content. */
  hasEqualInBaseline = false;
  readonly #baselineContents = new Set<bigint>();
  readonly #otherIds = new Set<bigint>();
  readonly #receptors: ReadonlySet<string>;
  readonly #texts: ReadonlySet<string>;

  /**
   * @param pagesize the size of the page of latest messages that was asked for
   * @param latest the ids of a page of one message, which was asked for before
   */
  constructor(
    readonly facts: Facts,
    readonly pagesize: number,
    readonly latest: readonly bigint[],
  ) {
    const { table, rows } = facts;
    const sent = table.filter((each) => table.state(each) === 'sent' && table.id(each) !== 0n);
    this.rowsById = new Map(Array.from(sent, (row) => [table.id(row), row]));
    this.#receptors = new Set(rows.map(({ receptor }) => receptor));
    this.#texts = new Set(rows.map(({ text }) => text));
  }

  /** Adds the next message of the listing. */
  add(message: ApiSelect): void {
    const { messageid: id, sender = null } = message;
    const content = digestMessage(message);
    const found = this.#findRow(id, content);
    const isInBaseline = this.facts.baseline?.ids.has(id) === true;
    // An earlier list of the file has sent it, before this list began.
    const isEarlier = isInBaseline || this.facts.earlier.has(id);
    const row = isEarlier ? undefined : found;
    const time = isEarlier ? { intent: 0, outcome: 0 } : this.#timeOf(row);
    const [index, date] = [this.all.length, Number(message.date)];
    const listed: Listed = { id, index, date, sender, row, time };
    this.all.push(listed);
    if (isInBaseline) {
      this.hasRepeatedId ||= this.ofBaseline.has(id);
      this.ofBaseline.add(id);
      this.hasEqualInBaseline ||= this.#baselineContents.has(content);
      this.#baselineContents.add(content);
    } else if (row !== undefined) {
      this.hasRepeatedId ||= this.ofRows.has(row);
      this.ofRows.set(row, listed);
    } else {
      this.hasRepeatedId ||= this.#otherIds.has(id);
      this.#otherIds.add(id);
      if (!isEarlier && !this.facts.elsewhere.has(id)) this.#addUnexplained(message, listed, content);
    }
    if (found !== undefined && this.facts.kinds[found]?.isScheduled) return;
    this.earliestDate = Math.min(this.earliestDate, date);
    this.latestDate = Math.max(this.latestDate, date);
  }

  #timeOf(row: number | undefined): KnownTime | undefined {
    if (row === undefined) return undefined;
    const { table } = this.facts;
    // A found row may have the message of an equal row, so the message was sent at any time since the list began.
    return { intent: table.batch(row) === 0 ? 1 : table.intent(row), outcome: table.outcome(row) };
  }

  #addUnexplained({ receptor, message, status }: ApiSelect, listed: Listed, content: bigint): void {
    this.unexplainedContents.set(content, (this.unexplainedContents.get(content) ?? 0) + 1);
    const isReceptorHidden = !/^[\p{Nd}\s()+-]+$/u.test(receptor ?? '');
    const likeness = { receptor: receptorLikeness(receptor), text: textLikeness(message), isReceptorHidden };
    if (!isReceptorHidden && !this.#receptors.has(likeness.receptor) && !this.#texts.has(likeness.text)) return;
    this.unexplained.push({ ...listed, ...likeness, status, content: this.rowsById.has(listed.id) ? 0n : content });
  }

  /**
   * Finds the sent row with an id and a content. Unless ids are in order, the ids of a batch belong to its rows in any
   * order.
   */
  #findRow(id: bigint, content: bigint): number | undefined {
    const row = this.rowsById.get(id);
    if (row === undefined) return undefined;
    const { table, idsInOrder } = this.facts;
    const hasContent = (each: number) => table.state(each) === 'sent' && this.facts.contents[each] === content;
    if (idsInOrder || table.batch(row) === 0) return hasContent(row) ? row : undefined;
    let last: number | undefined;
    for (const each of table.rowsOfBatch(row)) {
      if (!hasContent(each)) continue;
      last = each;
      if (!this.ofRows.has(each)) break;
    }
    return last;
  }
}
