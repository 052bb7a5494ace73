import { addToGroup } from '../groups';
import type { Facts, Kind, SoughtRow } from './facts';
import type { Listed, ListedMessages, UnexplainedMessage } from './listed-messages';
import { findOrder, type ListingOrder } from './order';

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
  readonly hasComparable: boolean;
}

/** The known messages whose outcome is at most this one. */
interface OlderStep extends Pick<OlderMessages, 'oldest' | 'latestDate'> {
  readonly outcome: number;
}

/** The known messages that rows of one sender may see as older ones. */
interface OlderIndex extends Pick<OlderMessages, 'earliestDate'> {
  /** By ascending outcome. */
  readonly steps: readonly OlderStep[];
}

/** The listed rows of one kind: their first outcome, and their intents in ascending order. */
interface ComparableRows {
  outcome: number;
  readonly intents: number[];
}

/** The number of overlapping rows of which chance makes one row the oldest in fewer than 1 of 10 cases. */
const ENOUGH_COMPARABLE = 10;

/** The evidence of a whole listing for the outcome of rows. */
export class Evidence {
  readonly facts: Facts;
  readonly listed: ListedMessages;
  /** The order of the whole listing. */
  readonly order: ListingOrder;
  /**
   * True when the baseline was everything that the service listed, and is listed again with more. So all other
   * messages are newer.
   */
  readonly exceedsBaseline: boolean;
  /** True when the baseline was listed, and the listing has all of its messages and those of all sent rows. */
  readonly hasAllKnown: boolean;
  /**
   * True when the listing reaches the newest message. A page of one message, which was asked for before, has exactly
   * one; the listing has it once, and lists no known message on its newer side: unknown ones may be those of others,
   * sent since. A page of several messages ignores the page size, and an id that is not listed may be the row itself.
   *
   * Nothing shows the order of different dates in a page with one date only. Such a page is enough when it is not full
   * and has every known message.
   */
  readonly hasNewest: boolean;
  /** True when something is listed more often than it is known to be sent: the service may list a message twice. */
  readonly hasSurplus: boolean;
  /** The greatest difference by which the dates of sent rows go against the order, in the unit of dates. */
  readonly disorder: number;
  /** The number of sought rows with each content. */
  readonly #soughtContents = new Map<bigint, number>();
  readonly #soughtByReceptor = new Map<string, SoughtRow[]>();
  /** The unexplained messages by what they may share with a sought row. */
  readonly #byLikeness = new Map<string, UnexplainedMessage[]>();
  readonly #byReceptor = new Map<string, UnexplainedMessage[]>();
  readonly #textsByReceptor = new Map<string, Set<string>>();
  /** The receptors of the unexplained messages with the content of no sought row, by text. */
  readonly #strangersByText = new Map<string, Set<string>>();
  /** The receptors, as they are shown, of those of them whose receptor is hidden. */
  readonly #hiddenStrangers = new Set<string>();
  /** The accounts of which a sent row is listed, and the present one. */
  readonly #ownAccounts: ReadonlySet<string | undefined>;
  /** From this position in the journal on, every sent row is listed. */
  readonly #gap: number;
  readonly #comparable: ReadonlyMap<Kind, ComparableRows>;
  readonly #olderOf = new Map<string | null, OlderIndex>();
  readonly #areEqualByReceptor = new Map<string, boolean>();

  /** @param listed the messages of a listing that was read to its end */
  constructor(listed: ListedMessages) {
    this.listed = listed;
    this.facts = listed.facts;
    const { baseline, rows } = this.facts;
    for (const row of rows) {
      addToGroup(this.#soughtByReceptor, row.receptor, row);
      this.#soughtContents.set(row.content, (this.#soughtContents.get(row.content) ?? 0) + 1);
    }
    for (const message of listed.unexplained) this.#addUnexplained(message);
    this.order = findOrder(listed.all);
    const hasBaseline = baseline !== undefined && listed.ofBaseline.size === baseline.ids.size;
    this.exceedsBaseline = hasBaseline && !baseline.isFull && listed.all.length > baseline.ids.size;
    this.hasAllKnown = hasBaseline && listed.ofRows.size === listed.rowsById.size;
    this.hasNewest = this.#findNewest();
    this.hasSurplus = this.#findSurplus();
    this.disorder = this.#findDisorder();
    this.#ownAccounts = this.#findAccounts();
    this.#gap = this.#findGap();
    this.#comparable = this.#findComparable();
    Object.freeze(this);
  }

  #addUnexplained(found: UnexplainedMessage): void {
    addToGroup(this.#byLikeness, keyOf(found), found);
    addToGroup(this.#byReceptor, found.receptor, found);
    addToSet(this.#textsByReceptor, found.receptor, found.text);
    if (this.#soughtContents.has(found.content)) return;
    addToSet(this.#strangersByText, found.text, found.receptor);
    if (found.isReceptorHidden) this.#hiddenStrangers.add(found.receptor);
  }

  /** The unexplained messages that are like a row. */
  like(row: SoughtRow): readonly UnexplainedMessage[] {
    return this.#byLikeness.get(keyOf(row)) ?? [];
  }

  /** The unexplained messages with the sender, receptor and text of a row. */
  fitting(row: SoughtRow): readonly UnexplainedMessage[] {
    return this.like(row).filter(({ content }) => content === row.content);
  }

  /** The sought rows with a receptor. */
  soughtTo(receptor: string): readonly SoughtRow[] {
    return this.#soughtByReceptor.get(receptor) ?? [];
  }

  /** True when the sought rows to a receptor and the unexplained messages to it have the same contents. */
  areEqualTo(receptor: string): boolean {
    const known = this.#areEqualByReceptor.get(receptor);
    if (known !== undefined) return known;
    const areEqual = contentsOf(this.soughtTo(receptor)) === contentsOf(this.#byReceptor.get(receptor) ?? []);
    this.#areEqualByReceptor.set(receptor, areEqual);
    return areEqual;
  }

  /**
   * True when an unexplained message has the receptor or the text of a row, and not both, unless the message has
   * another receptor and the content of another sought row. A hidden receptor may be any one.
   */
  hasSimilar({ receptor, text }: SoughtRow): boolean {
    return (
      hasOther(this.#textsByReceptor.get(receptor), text) ||
      hasOther(this.#strangersByText.get(text), receptor) ||
      hasOther(this.#hiddenStrangers, receptor)
    );
  }

  /**
   * True for a row that may have been sent in another account. An account is this one when a row that was sent in it is
   * listed: its key was renewed.
   */
  isOfOtherAccount(row: number): boolean {
    return [...this.facts.accountsOf(row)].some((account) => !this.#ownAccounts.has(account));
  }

  #findAccounts(): Set<string | undefined> {
    const seen = [...this.listed.ofRows.keys()].flatMap((sent) => {
      const accounts = this.facts.accountsOf(sent);
      return accounts.size === 1 ? [...accounts] : [];
    });
    return new Set([this.facts.account, ...seen]);
  }

  /** True when one message was sent before another one. */
  isOlder(one: Listed, other: Listed): boolean {
    return this.order.direction === 'newest first' ? one.index > other.index : one.index < other.index;
  }

  #findSurplus(): boolean {
    const { ofRows, hasEqualInBaseline, unexplainedContents } = this.listed;
    const sentContents = new Set(Array.from(ofRows.keys(), (row) => this.facts.contents[row]));
    const mostOf = (content: bigint) => this.#soughtContents.get(content) ?? (sentContents.has(content) ? 0 : 1);
    return hasEqualInBaseline || [...unexplainedContents].some(([of, count]) => count > mostOf(of));
  }

  #findDisorder(): number {
    const dates = [...this.listed.ofRows].flatMap(([row, { date }]) =>
      this.facts.kinds[row]?.isScheduled ? [] : date,
    );
    if (this.order.direction === 'newest first') dates.reverse();
    let [latest, disorder] = [Number.NEGATIVE_INFINITY, 0];
    for (const date of dates) {
      latest = Math.max(latest, date);
      disorder = Math.max(disorder, latest - date);
    }
    return disorder;
  }

  #findNewest(): boolean {
    const { pagesize, latest, all, earliestDate, latestDate, rowsById } = this.listed;
    if (latestDate === earliestDate && (all.length >= pagesize || !this.hasAllKnown)) return false;
    if (latest.length !== 1) return false;
    const places = all.filter(({ id }) => id === latest[0]);
    const [place] = places;
    if (place === undefined || places.length > 1) return false;
    const isKnown = ({ id, time }: Listed) => time !== undefined || rowsById.has(id);
    return !all.some((message) => isKnown(message) && message !== place && this.isOlder(place, message));
  }

  /** Finds the known messages that are older than a row. */
  older({ kind, firstIntent }: SoughtRow): OlderMessages {
    const index = this.#olderOf.get(kind.sender) ?? this.#indexOlder(kind.sender);
    this.#olderOf.set(kind.sender, index);
    const { steps, earliestDate } = index;
    const { outcome: first, intents } = this.#comparable.get(kind) as ComparableRows;
    const enough = intents[ENOUGH_COMPARABLE - 1] ?? Number.POSITIVE_INFINITY;
    // The last step whose outcome is before the intent.
    let [from, to] = [0, steps.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      if ((steps[middle] as OlderStep).outcome < firstIntent) from = middle + 1;
      else to = middle;
    }
    const { oldest, latestDate = Number.NEGATIVE_INFINITY } = steps[from - 1] ?? {};
    return { oldest, latestDate, earliestDate, hasComparable: first < firstIntent || enough < firstIntent };
  }

  /**
   * Indexes the known messages for all rows of a sender by their outcomes: a row sees those before its first intent.
   */
  #indexOlder(sender: string | null): OlderIndex {
    const isNewestFirst = this.order.direction === 'newest first';
    const known: { readonly outcome: number; readonly date: number; readonly covering: Listed | undefined }[] = [];
    let earliestDate = Number.POSITIVE_INFINITY;
    for (const message of this.listed.all) {
      const { row, time, date } = message;
      const own = row === undefined ? undefined : this.facts.kinds[row];
      const isOfSender = message.sender === sender;
      const isDated = isOfSender && !own?.isScheduled;
      // Every row that was sent since is listed. A message without a known time may be older than all rows.
      const reaches = (time?.intent ?? 0) >= this.#gap;
      if (isDated && reaches) earliestDate = Math.min(earliestDate, date);
      if (time === undefined) continue;
      // A baseline that did not begin with the newest message may lack messages that are newer than its own.
      const covers = isOfSender && reaches && (own !== undefined || isNewestFirst);
      const latest = isDated ? date : Number.NEGATIVE_INFINITY;
      known.push({ outcome: time.outcome, date: latest, covering: covers ? message : undefined });
    }
    let oldest: Listed | undefined;
    let latestDate = Number.NEGATIVE_INFINITY;
    const steps = known
      .sort((a, b) => a.outcome - b.outcome)
      .map(({ outcome, date, covering }): OlderStep => {
        latestDate = Math.max(latestDate, date);
        if (covering && (oldest === undefined || this.isOlder(covering, oldest))) oldest = covering;
        return { outcome, oldest, latestDate };
      });
    return { steps, earliestDate };
  }

  #findComparable(): Map<Kind, ComparableRows> {
    const found = new Map(
      this.facts.rows.map(({ kind }): [Kind, ComparableRows] => [
        kind,
        { outcome: Number.POSITIVE_INFINITY, intents: [] },
      ]),
    );
    for (const { row, time } of this.listed.all) {
      const own = row === undefined ? undefined : found.get(this.facts.kinds[row] as Kind);
      if (own === undefined || time === undefined) continue;
      own.outcome = Math.min(own.outcome, time.outcome);
      if (time.intent > 1) own.intents.push(time.intent);
    }
    for (const { intents } of found.values()) intents.sort((a, b) => a - b);
    return found;
  }

  #findGap(): number {
    let gap = 0;
    for (const row of this.listed.rowsById.values())
      if (!this.listed.ofRows.has(row)) gap = Math.max(gap, this.facts.table.outcome(row));
    return gap;
  }
}

/** The key of what indistinguishable messages have in common. */
function keyOf({ receptor, text }: Pick<SoughtRow, 'receptor' | 'text'>): string {
  return JSON.stringify([receptor, text]);
}

function contentsOf(items: readonly { readonly content: bigint }[]): string {
  return Array.from(items, ({ content }) => String(content))
    .sort()
    .join();
}

function addToSet(sets: Map<string, Set<string>>, key: string, value: string): void {
  const set = sets.get(key) ?? new Set();
  sets.set(key, set.add(value));
}

function hasOther(values: ReadonlySet<string> | undefined, value: string): boolean {
  return values !== undefined && values.size > (values.has(value) ? 1 : 0);
}
