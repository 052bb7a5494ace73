import type { ApiSelect } from '../../../generated/v1/definitions/ApiSelect';
import { digestMessage } from '../rows/digests';
import { receptorLikeness, textLikeness } from '../rows/likeness';
import type { Facts, Kind, SoughtRow } from './facts';
import { findOrder, type KnownTime, type ListingOrder } from './order';

/** A listed message. Its text is kept only where it may be that of a sought row. */
export interface Listed {
  readonly id: bigint;
  /** Its index in the listing. */
  readonly index: number;
  readonly date: number;
  readonly sender: string | null;
  /** The sent row whose message it is. */
  readonly row: number | undefined;
  /** Undefined for a message that is neither in the baseline nor the message of a sent row. */
  readonly time: KnownTime | undefined;
}

/** A listed message that the journal does not explain, and that may be a sought row in some spelling. */
export interface UnexplainedMessage extends Listed {
  /** The digest of sender, receptor and text; 0 when the id belongs to a sent row with another content. */
  readonly content: bigint;
  readonly receptor: string;
  readonly text: string;
  /** True when the service shows a mask in place of the receptor, or no receptor. */
  readonly isReceptorHidden: boolean;
}

/** The known messages of a listing that are older than a row. */
export interface OlderMessages {
  /** The oldest one of the row's sender since which every sent row is listed; undefined without one. */
  readonly oldest: Listed | undefined;
  /** The latest date of those of the row's sender that were not scheduled. */
  readonly latestDate: number;
  /** The earliest date of all messages of the row's sender, without scheduled rows. */
  readonly earliestDate: number;
  /**
   * True when one of them is a sent row with the row's sender, date and mode, or when ten such rows are listed whose
   * intents were written before that of the row. Those requests may have overlapped with that of the row.
   */
  readonly hasPeer: boolean;
}

/** The number of overlapping rows of which chance makes one row the oldest in fewer than 1 of 10 cases. */
const ENOUGH_PEERS = 10;

/** Gathers from one listing what shows the outcome of rows. */
export class Evidence {
  readonly messages: Listed[] = [];
  /** The ids of a page of one message, which was read afterwards. */
  readonly shortestPage: bigint[] = [];
  /** True when an id was listed twice. */
  hasRepeatedId = false;
  /** The earliest and the latest date, without those of scheduled rows. */
  earliestDate = Number.POSITIVE_INFINITY;
  latestDate = Number.NEGATIVE_INFINITY;
  /** The unexplained messages that may be a sought row in some spelling. */
  readonly unexplained: UnexplainedMessage[] = [];
  /** The sent rows by the ids of their messages, where these are known. */
  readonly rowsById: ReadonlyMap<bigint, number>;
  /** The messages of sent rows, by row. */
  readonly listedRows = new Map<number, Listed>();
  /** The number of sought rows with each content. */
  readonly soughtContents = new Map<bigint, number>();
  readonly #receptors: ReadonlySet<string>;
  readonly #texts: ReadonlySet<string>;
  readonly #unexplainedIds = new Set<bigint>();
  readonly #baseline = new Set<bigint>();
  /** True when two messages of the baseline have the same content. */
  #hasEqualInBaseline = false;
  readonly #baselineContents = new Set<bigint>();
  /** The number of unexplained messages with each content. */
  readonly #unexplainedContents = new Map<bigint, number>();
  readonly #older = new Map<string, OlderMessages>();
  #order: ListingOrder | undefined;
  #disorder: number | undefined;

  /** @param pagesize the size of the page of latest messages that was asked for; undefined for a listing by dates */
  constructor(
    readonly facts: Facts,
    readonly pagesize: number | undefined,
  ) {
    const { table, rows } = facts;
    const sent = table.filter((each) => table.state(each) === 'sent' && table.id(each) !== 0n);
    this.rowsById = new Map(Array.from(sent, (row) => [table.id(row), row]));
    for (const { content } of rows) this.soughtContents.set(content, (this.soughtContents.get(content) ?? 0) + 1);
    this.#receptors = new Set(rows.map(({ receptor }) => receptor));
    this.#texts = new Set(rows.map(({ text }) => text));
  }

  /** Adds the next message of the listing. */
  add(message: ApiSelect): void {
    const { messageid: id, sender = null } = message;
    const content = digestMessage(message);
    const found = this.#findRow(id, content);
    const isInBaseline = this.facts.baseline?.ids.has(id) === true;
    const row = isInBaseline ? undefined : found;
    const time = isInBaseline ? { intent: 0, outcome: 0 } : this.#timeOf(row);
    const [index, date] = [this.messages.length, Number(message.date)];
    const listed: Listed = { id, index, date, sender, row, time };
    this.messages.push(listed);
    if (isInBaseline) {
      this.hasRepeatedId ||= this.#baseline.has(id);
      this.#baseline.add(id);
      this.#hasEqualInBaseline ||= this.#baselineContents.has(content);
      this.#baselineContents.add(content);
    } else if (row !== undefined) {
      this.hasRepeatedId ||= this.listedRows.has(row);
      this.listedRows.set(row, listed);
    } else this.#addUnexplained(message, listed, content);
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

  #addUnexplained({ receptor, message }: ApiSelect, listed: Listed, content: bigint): void {
    this.hasRepeatedId ||= this.#unexplainedIds.has(listed.id);
    this.#unexplainedIds.add(listed.id);
    this.#unexplainedContents.set(content, (this.#unexplainedContents.get(content) ?? 0) + 1);
    const isReceptorHidden = !/^[\p{Nd}\s()+-]+$/u.test(receptor ?? '');
    const likeness = { receptor: receptorLikeness(receptor), text: textLikeness(message), isReceptorHidden };
    if (isReceptorHidden || this.#receptors.has(likeness.receptor) || this.#texts.has(likeness.text))
      this.unexplained.push({ ...listed, ...likeness, content: this.rowsById.has(listed.id) ? 0n : content });
  }

  /** The order of the whole listing. */
  get order(): ListingOrder {
    this.#order ??= findOrder(this.messages);
    return this.#order;
  }

  /** True when one message was sent before another one. */
  isOlder(one: Listed, other: Listed): boolean {
    return this.order.direction === 'newest first' ? one.index > other.index : one.index < other.index;
  }

  /**
   * True when the baseline was everything that the service listed, and is listed again with more. So all other
   * messages are newer.
   */
  get exceedsBaseline(): boolean {
    const { baseline } = this.facts;
    if (baseline === undefined || baseline.isFull) return false;
    return this.#baseline.size === baseline.ids.size && this.messages.length > baseline.ids.size;
  }

  /** True when something is listed more often than it is known to be sent: the service may list a message twice. */
  get hasSurplus(): boolean {
    const sentContents = new Set(Array.from(this.listedRows.keys(), (row) => this.facts.contents[row]));
    const mostOf = (content: bigint) => this.soughtContents.get(content) ?? (sentContents.has(content) ? 0 : 1);
    return this.#hasEqualInBaseline || [...this.#unexplainedContents].some(([of, count]) => count > mostOf(of));
  }

  /** The greatest difference by which the dates of sent rows go against the order, in the unit of dates. */
  get disorder(): number {
    this.#disorder ??= this.#findDisorder();
    return this.#disorder;
  }

  #findDisorder(): number {
    const listed = [...this.listedRows].flatMap(([row, { date }]) => (this.facts.kinds[row]?.isScheduled ? [] : date));
    if (this.order.direction === 'newest first') listed.reverse();
    let [latest, disorder] = [Number.NEGATIVE_INFINITY, 0];
    for (const date of listed) {
      latest = Math.max(latest, date);
      disorder = Math.max(disorder, latest - date);
    }
    return disorder;
  }

  /** True when the baseline was listed, and the listing has all of its messages and those of all sent rows. */
  get hasAllKnown(): boolean {
    const { rowsById, listedRows, facts } = this;
    return this.#baseline.size === facts.baseline?.ids.size && listedRows.size === rowsById.size;
  }

  /**
   * True when the listing has the newest message: a page of one message has this message, or one that was sent since.
   * Nothing shows the order of different dates in a page with one date only. Such a page is enough when it is not full
   * and has every known message.
   */
  get hasNewest(): boolean {
    const { pagesize, shortestPage, messages, earliestDate, latestDate } = this;
    if (pagesize === undefined) return false;
    if (latestDate === earliestDate && (messages.length >= pagesize || !this.hasAllKnown)) return false;
    const end = this.order.direction === 'newest first' ? 0 : -1;
    const newest = shortestPage.at(end);
    if (newest === undefined) return false;
    const isKnown = this.#unexplainedIds.has(newest) || this.#baseline.has(newest) || this.rowsById.has(newest);
    return newest === messages.at(end)?.id || !isKnown;
  }

  /** Finds the known messages that are older than a row. Rows that were sent together have the same ones. */
  older({ kind, firstIntent }: SoughtRow): OlderMessages {
    const key = JSON.stringify([kind, firstIntent]);
    const older = this.#older.get(key) ?? this.#findOlder(kind, firstIntent);
    this.#older.set(key, older);
    return older;
  }

  #findOlder(kind: Kind, firstIntent: number): OlderMessages {
    const { facts, listedRows } = this;
    const isNewestFirst = this.order.direction === 'newest first';
    // From this position in the journal on, every sent row is listed.
    let gap = 0;
    for (const row of this.rowsById.values()) if (!listedRows.has(row)) gap = Math.max(gap, facts.table.outcome(row));
    let oldest: Listed | undefined;
    let [earliestDate, latestDate] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    let peers = 0;
    for (const message of this.messages) {
      const { row, time, date } = message;
      const own = row === undefined ? undefined : facts.kinds[row];
      const isOfSender = message.sender === kind.sender;
      const isDated = isOfSender && !own?.isScheduled;
      // Every row that was sent since is listed. A message without a known time may be older than all rows.
      const reaches = (time?.intent ?? 0) >= gap;
      if (isDated && reaches) earliestDate = Math.min(earliestDate, date);
      if (time === undefined) continue;
      const isPeer = own === kind;
      if (isPeer && time.intent > 1 && time.intent < firstIntent) peers += 1;
      if (time.outcome >= firstIntent) continue;
      if (isPeer) peers = ENOUGH_PEERS;
      if (isDated) latestDate = Math.max(latestDate, date);
      // A baseline that did not begin with the newest message may lack messages that are newer than its own.
      const covers = isOfSender && reaches && (own !== undefined || isNewestFirst);
      if (covers && (oldest === undefined || this.isOlder(message, oldest))) oldest = message;
    }
    return { oldest, earliestDate, latestDate, hasPeer: peers >= ENOUGH_PEERS };
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
    const batch = table.batch(row);
    if (idsInOrder || batch === 0) return hasContent(row) ? row : undefined;
    let first = row;
    while (first > 1 && table.batch(first - 1) === batch) first -= 1;
    let last: number | undefined;
    for (let each = first; each <= table.total && table.batch(each) === batch; each++) {
      if (!hasContent(each)) continue;
      last = each;
      if (!this.listedRows.has(each)) break;
    }
    return last;
  }
}
