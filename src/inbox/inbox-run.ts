import { isTransient } from '../errors';
import { wait } from '../internal/signals';
import { JournalWriteError } from '../journal/errors';
import { lookFirst } from './first-look';
import type { UnhandledMessage } from './inbox-journal';
import { InboxListing } from './listing';
import type { InboxSettings, MessageHandler } from './options';
import { type InboxJournal, leaveOutTexts } from './rewrite';

/** A lost request may still reach the service: the read messages are listed again after this time, in milliseconds. */
const LATE_REQUEST_MS = 60_000;

/** The longest pause between two calls with one message, in milliseconds, unless everyMs is longer. */
const MAX_PAUSE_MS = 300_000;

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

interface Line {
  readonly lineNumber: string;
  /** True once the first look is complete. No handler gets a message of the line before. */
  isReady: boolean;
  /** The times at which the read messages are listed, by the clock that only goes forward. */
  looks: readonly number[];
}

/** Receives messages and calls a handler with each, until the signal aborts. It does one thing at a time. */
export class InboxRun {
  readonly #journal: InboxJournal;
  readonly #settings: InboxSettings;
  readonly #handler: MessageHandler;
  readonly #signal: AbortSignal;
  readonly #lines: readonly Line[];
  readonly #listing: InboxListing;
  #askAt = 0;
  #rewriteAt = 0;

  constructor(journal: InboxJournal, settings: InboxSettings, handler: MessageHandler, signal: AbortSignal) {
    this.#journal = journal;
    this.#settings = settings;
    this.#handler = handler;
    this.#signal = signal;
    this.#listing = new InboxListing(journal, settings, signal);
    const { unread, read } = settings;
    this.#lines = settings.lineNumbers.map((lineNumber) => {
      const isReady = journal.state.hasBaseline(lineNumber, unread, read);
      return { lineNumber, isReady, looks: looksFrom(performance.now()) };
    });
  }

  async start(): Promise<void> {
    while (!this.#signal.aborted) {
      await this.#leaveOutTexts();
      await this.#handleAll();
      if (performance.now() >= this.#askAt) await this.#ask();
      let next = this.#askAt;
      for (const message of this.#waiting()) next = Math.min(next, message.dueAt);
      await wait(next - performance.now(), this.#signal).catch(() => undefined);
    }
  }

  /** The messages of this run's lines that wait for the handler. */
  #waiting(): UnhandledMessage[] {
    const ready = new Set(this.#lines.flatMap(({ lineNumber, isReady }) => (isReady ? lineNumber : [])));
    const { unhandled } = this.#journal.state;
    return [...unhandled.values()].filter(({ isSetAside, lineNumber }) => !isSetAside && ready.has(lineNumber));
  }

  /**
   * Calls the handler with each message that is due: with those that have had no turn first, in the order in which they
   * came.
   */
  async #handleAll(): Promise<void> {
    const now = performance.now();
    const due = this.#waiting().filter(({ dueAt }) => dueAt <= now);
    // Messages whose handler fails take turns.
    for (const message of due.sort((a, b) => a.dueAt - b.dueAt)) {
      // The service is asked for more only when each new message has had its turn: messages that it holds cost this
      // process nothing. Messages whose handler fails must not keep the others waiting.
      if (this.#signal.aborted || (message.pauseMs > 0 && performance.now() >= this.#askAt)) return;
      await this.#handle(message);
    }
  }

  async #handle(unhandled: UnhandledMessage): Promise<void> {
    const { lineNumber, message, called, attempts } = unhandled;
    const { everyMs, maxAttempts, onFailure } = this.#settings;
    const [line, id] = [lineNumber, String(message.messageid)];
    if (attempts >= maxAttempts) {
      // The process ended in the last call.
      await this.#setAside(
        unhandled,
        new Error(`the handler was called ${attempts === 1 ? '1 time' : `${attempts} times`}, and did not succeed`),
      );
      return;
    }
    await this.#journal.commit({ t: 'call', line, id });
    try {
      // A handler may change its message, and is called with the original one again.
      await this.#handler({ ...message }, { redelivered: called, lineNumber });
    } catch (error) {
      unhandled.pauseMs = Math.min(unhandled.pauseMs * 2 || everyMs, Math.max(MAX_PAUSE_MS, everyMs));
      unhandled.dueAt = performance.now() + unhandled.pauseMs;
      if (unhandled.attempts >= maxAttempts) await this.#setAside(unhandled, error);
      else onFailure(error, message);
      return;
    }
    await this.#journal.commit({ t: 'handled', line, id, at: Date.now() });
  }

  async #setAside(unhandled: UnhandledMessage, error: unknown): Promise<void> {
    const { lineNumber, message } = unhandled;
    await this.#journal.commit({ t: 'set-aside', line: lineNumber, id: String(message.messageid) });
    this.#settings.onSetAside(message, error);
  }

  /** Asks for the new messages of each line. @throws {MessagingError} when the service refuses a request */
  async #ask(): Promise<void> {
    const { unread } = this.#settings;
    for (const line of this.#lines) {
      const { lineNumber } = line;
      if (!line.isReady) {
        const look = () => lookFirst(lineNumber, this.#journal, this.#listing, this.#settings);
        line.isReady = await this.#attempt(line, look);
        continue;
      }
      // New messages are asked for also when the look has failed.
      await this.#attempt(line, () => this.#look(line));
      await this.#attempt(line, () => this.#receive(lineNumber, unread));
    }
    this.#askAt = performance.now() + this.#settings.everyMs;
  }

  /** Makes requests; false when one of them failed and is made again later, or when the signal has aborted. */
  async #attempt(line: Line, work: () => Promise<void>): Promise<boolean> {
    if (this.#signal.aborted) return false;
    try {
      await work();
      return true;
    } catch (error) {
      if (error instanceof JournalWriteError) throw error;
      if (this.#signal.aborted) return false;
      if (!isTransient(error)) throw error;
      line.looks = looksFrom(performance.now());
      this.#settings.onFailure(error);
      return false;
    }
  }

  /** Lists the read messages when it is time: the service may have marked messages as read whose response was lost. */
  async #look(line: Line): Promise<void> {
    const { read } = this.#settings;
    const [next = Number.POSITIVE_INFINITY, ...others] = line.looks;
    if (read === undefined || next > performance.now()) return;
    await this.#receive(line.lineNumber, read);
    line.looks = others;
  }

  /** Lists messages. Those that are new wait for the handler. */
  async #receive(lineNumber: string, isread: number): Promise<void> {
    for await (const _id of this.#listing.list(lineNumber, isread, 'message'));
  }

  /** Shortens the journal at most once a day. */
  async #leaveOutTexts(): Promise<void> {
    const { keepDays, onWarning } = this.#settings;
    const { textsSince } = this.#journal.state;
    const before = Date.now() - keepDays * DAY_MS;
    if (textsSince === undefined || before - textsSince < DAY_MS || performance.now() < this.#rewriteAt) return;
    this.#rewriteAt = performance.now() + HOUR_MS;
    await leaveOutTexts(this.#journal, before).catch((error: Error) => onWarning(error.message));
  }
}

/** The read messages are listed at once, and when a lost request can no longer be under way. */
function looksFrom(now: number): readonly number[] {
  return [now, now + LATE_REQUEST_MS];
}
