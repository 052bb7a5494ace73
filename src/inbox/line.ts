import { isTransient } from '../errors';
import { JournalWriteError } from '../journal/errors';
import type { UnhandledMessage } from './inbox-journal';
import type { LineState } from './line-state';
import type { InboxListing, LineMessage } from './listing';
import { withoutDate } from './message-mark';
import type { InboxSettings } from './options';
import type { InboxRecord } from './records';
import type { InboxJournal } from './rewrite';
import { goneAtOnce, listedAgain, swappedValues } from './wrong-values';

/** A lost request may still reach the service: the read messages are listed again after this time, in milliseconds. */
const LATE_REQUEST_MS = 60_000;

/** A list of more read messages is asked for after LATE_REQUEST_MS again, and not at every turn. */
const LONG_LIST = 1000;

/** The record that a new message gets: before the end of a first look it is not known whether it waits. */
type Kind = 'message' | 'listed';

/**
 * Messages by their names with the date, which are for one list, and without it: another list may show another date.
 * A service that gives its ids again may give one to the same text of the same sender, with another date.
 */
type Names = Map<string, string>;

/** A line of a run: asks for its messages, and finds out what the values of isread list. */
export class InboxLine {
  readonly lineNumber: string;
  readonly #journal: InboxJournal;
  readonly #listing: InboxListing;
  readonly #settings: InboxSettings;
  readonly #signal: AbortSignal;
  readonly #state: LineState;
  /** True once the first look is complete. No handler gets a message of the line before. */
  #isReady: boolean;
  /** True when the last look at the read messages did not find that they were unread. */
  #isLookedAt = false;
  /** The times at which the read messages are listed in any case, by the clock that only goes forward. */
  #looks = looksFrom(performance.now());
  /** No other look at the read messages before this time: their list is long. */
  #lookAfter = 0;
  /** The messages that were listed as unread, and those of them that are no longer. */
  readonly #wereUnread = new Set<string>();
  #noLongerUnread: ReadonlySet<string> = new Set();

  constructor(
    lineNumber: string,
    journal: InboxJournal,
    listing: InboxListing,
    settings: InboxSettings,
    signal: AbortSignal,
  ) {
    this.lineNumber = lineNumber;
    this.#journal = journal;
    this.#listing = listing;
    this.#settings = settings;
    this.#signal = signal;
    this.#state = journal.state.line(lineNumber);
    this.#isReady = this.#state.hasBaseline(settings) && !this.#state.hasUndecided(settings);
  }

  /** True for a message that a handler may get: the values of isread are not known to be wrong. */
  allows({ isread }: UnhandledMessage): boolean {
    return this.#isReady && (isread !== this.#settings.read || this.#isSure || this.#isLookedAt);
  }

  /** Asks for new messages. @throws {MessagingError} when the service refuses a request */
  async ask(): Promise<void> {
    if (!this.#isReady) {
      this.#isReady = await this.#attempt(() => this.#lookFirst());
      return;
    }
    // New messages are asked for also when the look has failed.
    await this.#attempt(() => this.#lookIfDue());
    await this.#attempt(() => this.#listUnread());
  }

  /** Makes requests; false when one of them failed and is made again later, or when the signal has aborted. */
  async #attempt(work: () => Promise<unknown>): Promise<boolean> {
    if (this.#signal.aborted) return false;
    try {
      await work();
      return true;
    } catch (error) {
      if (error instanceof JournalWriteError) throw error;
      if (this.#signal.aborted) return false;
      if (!isTransient(error)) throw error;
      this.#looks = looksFrom(performance.now());
      this.#settings.onFailure(error);
      return false;
    }
  }

  /**
   * Looks at the line for the first time. Messages that are listed as read are known; those that are listed as unread
   * wait for a handler. The contract does not define the values of isread, so each list with messages is asked for
   * twice before a handler gets a message: a service of this kind marks as read what it has listed.
   *
   * A failure leaves the look incomplete, and what was listed in the journal.
   *
   * @throws {ConfigurationError} when the values of isread seem to be swapped
   */
  async #lookFirst(): Promise<void> {
    const { read, unread, includeRead } = this.#settings;
    if (!this.#state.hasBaseline(this.#settings)) {
      // Once the read messages were listed, a response with unread messages may be lost: others are new.
      if (read !== undefined) await this.#lookAtRead(this.#state.hasLooked(read) ? 'message' : 'listed');
      const names = await this.#listUnread();
      if (names.size > 0 && !includeRead) {
        const again = await this.#listUnread();
        if (areAllIn(names, again)) throw listedAgain(this.lineNumber, this.#settings, names.size);
      }
    }
    await this.#commit({ t: 'baseline', line: this.lineNumber, unread, read, includeRead, at: Date.now() });
  }

  /**
   * Lists the read messages when it is time: the service may have marked messages as read whose response was lost. It
   * is always time until the service was seen to mark a message, because the values of isread may be swapped.
   */
  async #lookIfDue(): Promise<void> {
    const now = performance.now();
    const [next = Number.POSITIVE_INFINITY, ...others] = this.#looks;
    const isPlanned = next <= now;
    if (!isPlanned && (this.#state.marks(this.#settings) || now < this.#lookAfter)) return;
    await this.#lookAtRead('message');
    if (isPlanned) this.#looks = others;
  }

  /** True when the value of the read messages is known not to be the one of the unread messages. */
  get #isSure(): boolean {
    const { read } = this.#settings;
    return read === undefined || this.#state.keeps(read) || this.#state.marks(this.#settings);
  }

  /** @throws {ConfigurationError} when the messages that are listed as read were unread */
  async #lookAtRead(kind: Kind): Promise<void> {
    const { read } = this.#settings;
    if (read === undefined) return;
    this.#isLookedAt = false;
    const earlier: Names = this.#isSure ? new Map() : this.#listedFirst(read);
    const names = await this.#listRead(read, kind);
    // Before the first request for unread messages.
    if (kind === 'listed') await this.#commit({ t: 'looked', line: this.lineNumber, isread: read });
    if (!this.#isSure) await this.#checkRead(read, kind, names, earlier);
    this.#isLookedAt = true;
  }

  /**
   * Finds out whether the messages that `read` lists were unread.
   *
   * @param names the messages that it has just listed
   * @param earlier messages that it listed before
   */
  async #checkRead(read: number, kind: Kind, names: Names, earlier: Names): Promise<void> {
    const { unread } = this.#settings;
    if (names.size === 0) {
      if (earlier.size === 0 || !areAllIn(earlier, await this.#listUnread())) return;
      const what = `lists messages with isread ${unread} that it listed with isread ${read} before`;
      throw swappedValues(this.lineNumber, this.#settings, what);
    }
    if ([...earlier.keys()].some((name) => names.has(name)) || (await this.#isListed(names, read, kind))) {
      await this.#commit({ t: 'keeps', line: this.lineNumber, isread: read });
      return;
    }
    if (areAllIn(names, await this.#listUnread())) {
      const what = `lists messages with isread ${unread} and no longer with isread ${read}`;
      throw swappedValues(this.lineNumber, this.#settings, what);
    }
    // Later messages are new, wherever they are now.
    if (kind === 'listed') throw goneAtOnce(this.lineNumber, this.#settings);
  }

  /** The messages without a handler's success that a value of isread listed first. */
  #listedFirst(isread: number): Names {
    const unhandled = [...this.#journal.state.unhandled.values()].filter((each) => {
      return each.lineNumber === this.lineNumber && each.isread === isread;
    });
    const names: Names = new Map();
    for (const { message, mark } of unhandled) addTo(names, { id: message.messageid, mark });
    for (const listed of this.#state.listedBy(isread)) addTo(names, listed);
    return names;
  }

  /** Lists the read messages. Returns their names while it is not known that they are the read ones. */
  async #listRead(read: number, kind: Kind): Promise<Names> {
    const names: Names = new Map();
    const areNeeded = !this.#isSure;
    let [count, hasMoved] = [0, false];
    for await (const listed of this.#listing.list(this.lineNumber, read, kind)) {
      if (areNeeded) addTo(names, listed);
      count += 1;
      hasMoved ||= this.#noLongerUnread.has(datedName(listed));
    }
    this.#lookAfter = count > LONG_LIST ? performance.now() + LATE_REQUEST_MS : 0;
    if (hasMoved) {
      const { unread } = this.#settings;
      await this.#commit({ t: 'marked', line: this.lineNumber, unread, read });
      this.#wereUnread.clear();
      this.#noLongerUnread = new Set();
    }
    return names;
  }

  /** Lists the unread messages, and returns their names. The end of a first look says what becomes of them. */
  async #listUnread(): Promise<Names> {
    const kind = this.#isReady ? 'message' : 'listed';
    const names: Names = new Map();
    const isMarking = this.#state.marks(this.#settings);
    for await (const listed of this.#listing.list(this.lineNumber, this.#settings.unread, kind)) {
      addTo(names, listed);
      if (!isMarking) this.#wereUnread.add(datedName(listed));
    }
    if (!isMarking) this.#noLongerUnread = new Set([...this.#wereUnread].filter((name) => !names.has(name)));
    return names;
  }

  /** True when one of the messages is listed. It reads the list up to this message. */
  async #isListed(names: Names, isread: number, kind: Kind): Promise<boolean> {
    for await (const listed of this.#listing.list(this.lineNumber, isread, kind))
      if (names.has(datedName(listed))) return true;
    return false;
  }

  #commit(record: InboxRecord): Promise<void> {
    return this.#journal.commit(record);
  }
}

function datedName({ id, mark }: LineMessage): string {
  return `${id} ${mark}`;
}

function addTo(names: Names, { id, mark }: LineMessage): void {
  names.set(`${id} ${mark}`, `${id} ${withoutDate(mark)}`);
}

/** True when all messages are among others, with any date. */
function areAllIn(names: Names, others: Names): boolean {
  const undated = new Set(others.values());
  return [...names.values()].every((name) => undated.has(name));
}

/** The read messages are listed at once, and when a lost request can no longer be under way. */
function looksFrom(now: number): readonly number[] {
  return [now, now + LATE_REQUEST_MS];
}
