import type { ApiSelect } from '../../../generated/v1/definitions/ApiSelect';
import { addToGroup } from '../groups';
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
  readonly hasComparable: boolean;
}

/** The known messages whose outcome is at most this one. */
interface OlderStep extends Pick<OlderMessages, 'oldest' | 'latestDate'> {
  readonly outcome: number;
}

/** The known messages that rows of one kind may see as older ones. */
interface OlderIndex extends Pick<OlderMessages, 'earliestDate'> {
  /** By ascending outcome. */
  readonly steps: readonly OlderStep[];
  /** The first outcome of a row of this kind, and the intent before which enough rows of it have theirs. */
  readonly firstComparableOutcome: number;
  readonly enoughComparable: number;
}

/** The number of overlapping rows of which chance makes one row the oldest in fewer than 1 of 10 cases. */
const ENOUGH_COMPARABLE = 10;

/** Gathers from one listing what shows the outcome of rows. */
export class Evidence {
  readonly messages: Listed[] = [];
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
  /** The unexplained messages by what they may share with a sought row. */
  readonly #byLikeness = new Map<string, UnexplainedMessage[]>();
  readonly #byReceptor = new Map<string, UnexplainedMessage[]>();
  readonly #textsByReceptor = new Map<string, Set<string>>();
  readonly #soughtByReceptor = new Map<string, SoughtRow[]>();
  readonly #areEqualByReceptor = new Map<string, boolean>();
  /** The receptors of the unexplained messages with the content of no sought row, by text. */
  readonly #strangersByText = new Map<string, Set<string>>();
  /** The receptors, as they are shown, of those of them whose receptor is hidden. */
  readonly #hiddenStrangers = new Set<string>();
  readonly #olderOf = new Map<Kind, OlderIndex>();
  #order: ListingOrder | undefined;
  #disorder: number | undefined;
  #surplus: boolean | undefined;
  #ownAccounts: Set<string | undefined> | undefined;
  #hasNewest: boolean | undefined;
  /** From this position in the journal on, every sent row is listed. */
  #gap: number | undefined;

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
    for (const row of rows) addToGroup(this.#soughtByReceptor, row.receptor, row);
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
    if (!isReceptorHidden && !this.#receptors.has(likeness.receptor) && !this.#texts.has(likeness.text)) return;
    const found = { ...listed, ...likeness, content: this.rowsById.has(listed.id) ? 0n : content };
    this.unexplained.push(found);
    addToGroup(this.#byLikeness, keyOf(found), found);
    addToGroup(this.#byReceptor, found.receptor, found);
    addToSet(this.#textsByReceptor, found.receptor, found.text);
    if (this.soughtContents.has(found.content)) return;
    addToSet(this.#strangersByText, found.text, found.receptor);
    if (isReceptorHidden) this.#hiddenStrangers.add(found.receptor);
  }

  /** The unexplained messages that are like a row. */
  like(row: SoughtRow): readonly UnexplainedMessage[] {
    return this.#byLikeness.get(keyOf(row)) ?? [];
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
    this.#ownAccounts ??= new Set([
      this.facts.account,
      ...[...this.listedRows.keys()].flatMap((sent) => {
        const accounts = this.facts.accountsOf(sent);
        return accounts.size === 1 ? [...accounts] : [];
      }),
    ]);
    return [...this.facts.accountsOf(row)].some((account) => !this.#ownAccounts?.has(account));
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
    this.#surplus ??= this.#findSurplus();
    return this.#surplus;
  }

  #findSurplus(): boolean {
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
   * True when the listing reaches the newest message. A page of one message, which was asked for before, has exactly
   * one; the listing has it once, and lists no known message on its newer side: unknown ones may be those of others,
   * sent since. A page of several messages ignores the page size, and an id that is not listed may be the row itself.
   *
   * Nothing shows the order of different dates in a page with one date only. Such a page is enough when it is not full
   * and has every known message.
   */
  get hasNewest(): boolean {
    this.#hasNewest ??= this.#findNewest();
    return this.#hasNewest;
  }

  #findNewest(): boolean {
    const { pagesize, latest, messages, earliestDate, latestDate } = this;
    if (latestDate === earliestDate && (messages.length >= pagesize || !this.hasAllKnown)) return false;
    if (latest.length !== 1) return false;
    const places = messages.filter(({ id }) => id === latest[0]);
    const [place] = places;
    if (place === undefined || places.length > 1) return false;
    const isKnown = ({ id, time }: Listed) => time !== undefined || this.rowsById.has(id);
    return !messages.some((message) => isKnown(message) && message !== place && this.isOlder(place, message));
  }

  /** Finds the known messages that are older than a row. */
  older({ kind, firstIntent }: SoughtRow): OlderMessages {
    const index = this.#olderOf.get(kind) ?? this.#indexOlder(kind);
    this.#olderOf.set(kind, index);
    const { steps, earliestDate, firstComparableOutcome, enoughComparable } = index;
    // The last step whose outcome is before the intent.
    let [from, to] = [0, steps.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      if ((steps[middle] as OlderStep).outcome < firstIntent) from = middle + 1;
      else to = middle;
    }
    const { oldest, latestDate = Number.NEGATIVE_INFINITY } = steps[from - 1] ?? {};
    return {
      oldest,
      latestDate,
      earliestDate,
      hasComparable: firstComparableOutcome < firstIntent || enoughComparable < firstIntent,
    };
  }

  /** Indexes the known messages for all rows of a kind by their outcomes: a row sees those before its first intent. */
  #indexOlder(kind: Kind): OlderIndex {
    const isNewestFirst = this.order.direction === 'newest first';
    const gap = this.#findGap();
    const known: { readonly outcome: number; readonly date: number; readonly covering: Listed | undefined }[] = [];
    const comparableIntents: number[] = [];
    let [earliestDate, firstComparableOutcome] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
    for (const message of this.messages) {
      const { row, time, date } = message;
      const own = row === undefined ? undefined : this.facts.kinds[row];
      const isOfSender = message.sender === kind.sender;
      const isDated = isOfSender && !own?.isScheduled;
      // Every row that was sent since is listed. A message without a known time may be older than all rows.
      const reaches = (time?.intent ?? 0) >= gap;
      if (isDated && reaches) earliestDate = Math.min(earliestDate, date);
      if (time === undefined) continue;
      if (own === kind) {
        firstComparableOutcome = Math.min(firstComparableOutcome, time.outcome);
        if (time.intent > 1) comparableIntents.push(time.intent);
      }
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
    const enoughComparable = comparableIntents.sort((a, b) => a - b)[ENOUGH_COMPARABLE - 1] ?? Number.POSITIVE_INFINITY;
    return { steps, earliestDate, firstComparableOutcome, enoughComparable };
  }

  #findGap(): number {
    if (this.#gap !== undefined) return this.#gap;
    this.#gap = 0;
    const { table } = this.facts;
    for (const row of this.rowsById.values())
      if (!this.listedRows.has(row)) this.#gap = Math.max(this.#gap, table.outcome(row));
    return this.#gap;
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
