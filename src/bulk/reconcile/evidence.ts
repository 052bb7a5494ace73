import type { ApiSelect } from '../../../generated/v1/definitions/ApiSelect';
import { digestMessage } from '../rows/digests';
import { receptorLikeness, textLikeness } from '../rows/likeness';
import type { Facts, Kind, SoughtRow } from './facts';
import { type KnownTime, OrderFinder } from './order';

/** A listed message. */
export interface Listed {
  /** Its index in the listing. */
  readonly index: number;
  readonly date: number;
}

/** The listed message of a sent row. */
export interface ListedRow extends Listed {
  /** The length of its text. */
  readonly length: number;
}

/** A listed message that is neither in the baseline nor the message of a sent row. */
export interface UnexplainedMessage extends Listed {
  readonly id: bigint;
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
  /** The latest date of those that were not scheduled. */
  readonly latestDate: number;
  /**
   * True when one of them is a sent row with the row's date and mode, or when ten such rows are listed whose intents
   * were written before that of the row. Those requests may have overlapped with that of the row.
   */
  readonly hasPeer: boolean;
}

/** The number of overlapping rows of which chance makes one row the oldest in fewer than 1 of 10 cases. */
const ENOUGH_PEERS = 10;

/** Gathers from one listing what shows the outcome of rows. Each message is added in the order of the listing. */
export class Evidence {
  readonly facts: Facts;
  /** The size of the page of latest messages that was asked for; undefined for a listing by dates. */
  readonly pagesize: number | undefined;
  /** The number of messages. */
  count = 0;
  /** True when an id was listed twice. */
  hasRepeatedId = false;
  /** True when two messages of the baseline, or two unexplained ones that are no sought row, have the same content. */
  hasRepeatedContent = false;
  /** The ids of a page of one message, which was read afterwards. */
  readonly shortestPage: bigint[] = [];
  /** The earliest and the latest date, without those of scheduled rows. */
  earliestDate = Number.POSITIVE_INFINITY;
  latestDate = Number.NEGATIVE_INFINITY;
  /** The unexplained messages that may be a sought row in some spelling. */
  readonly unexplained: UnexplainedMessage[] = [];
  /** The contents, receptors and texts of the sought rows. */
  readonly soughtContents: ReadonlySet<bigint>;
  readonly #receptors: ReadonlySet<string>;
  readonly #texts: ReadonlySet<string>;
  readonly unexplainedContents = new Set<bigint>();
  /** The sent rows by the ids of their messages, where these are known. */
  readonly rowsById: ReadonlyMap<bigint, number>;
  /** The messages of sent rows, by row. */
  readonly listedRows = new Map<number, ListedRow>();
  readonly orders = new OrderFinder();
  readonly #unexplainedIds = new Set<bigint>();
  readonly #baseline = new Map<bigint, Listed & { readonly sender: string | undefined }>();
  readonly #baselineContents = new Set<bigint>();
  readonly #older = new Map<string, OlderMessages>();
  #firstId: bigint | undefined;
  #lastId: bigint | undefined;

  constructor(facts: Facts, pagesize: number | undefined) {
    const { table, rows } = facts;
    this.facts = facts;
    this.pagesize = pagesize;
    const sent = table.filter((each) => table.state(each) === 'sent' && table.id(each) !== 0n);
    this.rowsById = new Map(Array.from(sent, (row) => [table.id(row), row]));
    this.soughtContents = new Set(rows.map(({ content }) => content));
    this.#receptors = new Set(rows.map(({ receptor }) => receptor));
    this.#texts = new Set(rows.map(({ text }) => text));
  }

  add(message: ApiSelect): void {
    const { messageid: id, sender } = message;
    const listed = { index: this.count, date: Number(message.date) };
    this.count += 1;
    this.#firstId ??= id;
    this.#lastId = id;
    const content = digestMessage(message);
    const row = this.#findRow(id, content);
    let time: KnownTime | undefined;
    if (this.facts.baseline?.ids.has(id)) {
      this.hasRepeatedId ||= this.#baseline.has(id);
      this.#baseline.set(id, { ...listed, sender });
      this.hasRepeatedContent ||= this.#baselineContents.has(content);
      this.#baselineContents.add(content);
      time = { intent: 0, outcome: 0 };
    } else if (row !== undefined) {
      this.hasRepeatedId ||= this.listedRows.has(row);
      this.listedRows.set(row, { ...listed, length: message.message?.length ?? 0 });
      time = this.#timeOfRow(row);
    } else this.#addUnexplained(message, listed, content);
    this.orders.add(listed.date, time);
    if (row !== undefined && this.facts.kinds[row]?.isScheduled) return;
    this.earliestDate = Math.min(this.earliestDate, listed.date);
    this.latestDate = Math.max(this.latestDate, listed.date);
  }

  /** The position of a message in time: an older message has a lower one. */
  timeOf({ index }: Listed): number {
    return this.orders.order === 'newest first' ? -index : index;
  }

  /**
   * True when the baseline was everything that the service listed, and is listed again with more. So all other
   * messages are newer.
   */
  get exceedsBaseline(): boolean {
    const { baseline } = this.facts;
    if (baseline === undefined || baseline.isFull) return false;
    return this.#baseline.size === baseline.ids.size && this.count > baseline.ids.size;
  }

  /**
   * True when the listing has the newest message: a page of one message has this message, or one that was sent since.
   * A full page with one date only is not enough, because nothing shows the order of different dates.
   */
  get hasNewest(): boolean {
    const { pagesize, count, shortestPage } = this;
    if (pagesize === undefined || (count >= pagesize && this.latestDate === this.earliestDate)) return false;
    const isNewestFirst = this.orders.order === 'newest first';
    const newest = isNewestFirst ? shortestPage[0] : shortestPage.at(-1);
    return newest !== undefined && (newest === (isNewestFirst ? this.#firstId : this.#lastId) || !this.#hasId(newest));
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
    const isNewestFirst = this.orders.order === 'newest first';
    // From this position in the journal on, every sent row is listed.
    let gap = 0;
    for (const row of this.rowsById.values()) if (!listedRows.has(row)) gap = Math.max(gap, facts.table.outcome(row));
    let oldest: Listed | undefined;
    let latestDate = Number.NEGATIVE_INFINITY;
    let peers = 0;
    const isOldest = ({ index }: Listed) =>
      oldest === undefined || (isNewestFirst ? index > oldest.index : index < oldest.index);
    for (const [row, message] of listedRows) {
      const { intent, outcome } = this.#timeOfRow(row);
      const { sender, unixdate, mode, isScheduled } = facts.kinds[row] as Kind;
      const isPeer = unixdate === kind.unixdate && mode === kind.mode;
      if (isPeer && intent > 1 && intent < firstIntent) peers += 1;
      if (outcome >= firstIntent) continue;
      if (isPeer) peers = ENOUGH_PEERS;
      if (!isScheduled) latestDate = Math.max(latestDate, message.date);
      if (sender === kind.sender && intent > gap && isOldest(message)) oldest = message;
    }
    // A baseline that did not begin with the newest message may lack messages that are newer than its own.
    const isComplete = isNewestFirst && gap === 0;
    for (const message of this.#baseline.values()) {
      latestDate = Math.max(latestDate, message.date);
      if ((message.sender ?? null) === kind.sender && isComplete && isOldest(message)) oldest = message;
    }
    return { oldest, latestDate, hasPeer: peers >= ENOUGH_PEERS };
  }

  /** A found row may have the message of an equal row, so the message was sent at any time since the list began. */
  #timeOfRow(row: number): KnownTime {
    const { table } = this.facts;
    return { intent: table.batch(row) === 0 ? 1 : table.intent(row), outcome: table.outcome(row) };
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

  #addUnexplained({ messageid: id, receptor, message }: ApiSelect, listed: Listed, content: bigint): void {
    this.hasRepeatedId ||= this.#unexplainedIds.has(id);
    this.#unexplainedIds.add(id);
    this.hasRepeatedContent ||= this.unexplainedContents.has(content) && !this.soughtContents.has(content);
    this.unexplainedContents.add(content);
    const isReceptorHidden = !/^[\p{Nd}\s()+-]+$/u.test(receptor ?? '');
    const likeness = { receptor: receptorLikeness(receptor), text: textLikeness(message), isReceptorHidden };
    if (!isReceptorHidden && !this.#receptors.has(likeness.receptor) && !this.#texts.has(likeness.text)) return;
    this.unexplained.push({ ...listed, id, content: this.rowsById.has(id) ? 0n : content, ...likeness });
  }

  #hasId(id: bigint): boolean {
    return this.#unexplainedIds.has(id) || this.#baseline.has(id) || this.rowsById.has(id);
  }
}
