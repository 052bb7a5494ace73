import { wait } from '../internal/signals';
import type { UnhandledMessage } from './inbox-journal';
import { InboxLine } from './line';
import { InboxListing } from './listing';
import type { InboxSettings, MessageHandler } from './options';
import { type InboxJournal, leaveOutTexts } from './rewrite';

/** The longest pause between two calls with one message, in milliseconds, unless everyMs is longer. */
const MAX_PAUSE_MS = 300_000;

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Receives messages and calls a handler with each, until the signal aborts. It does one thing at a time. */
export class InboxRun {
  readonly #journal: InboxJournal;
  readonly #settings: InboxSettings;
  readonly #handler: MessageHandler;
  readonly #signal: AbortSignal;
  readonly #lines: readonly InboxLine[];
  #askAt = 0;
  #rewriteAt = 0;

  constructor(journal: InboxJournal, settings: InboxSettings, handler: MessageHandler, signal: AbortSignal) {
    this.#journal = journal;
    this.#settings = settings;
    this.#handler = handler;
    this.#signal = signal;
    const listing = new InboxListing(journal, settings, signal);
    this.#lines = settings.lineNumbers.map((line) => new InboxLine(line, journal, listing, settings, signal));
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
    const lines = new Map(this.#lines.map((line) => [line.lineNumber, line]));
    const { unhandled } = this.#journal.state;
    return [...unhandled.values()].filter((message) => {
      return !message.isSetAside && lines.get(message.lineNumber)?.allows(message);
    });
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
    const { lineNumber, message, mark, called, attempts } = unhandled;
    const { everyMs, maxAttempts, onFailure } = this.#settings;
    const name = { line: lineNumber, id: String(message.messageid), mark };
    if (attempts >= maxAttempts) {
      // The process ended in the last call.
      await this.#setAside(
        unhandled,
        new Error(`the handler was called ${attempts === 1 ? '1 time' : `${attempts} times`}, and did not succeed`),
      );
      return;
    }
    await this.#journal.commit({ t: 'call', ...name });
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
    await this.#journal.commit({ t: 'handled', ...name, at: Date.now() });
  }

  async #setAside(unhandled: UnhandledMessage, error: unknown): Promise<void> {
    const { lineNumber, message, mark } = unhandled;
    await this.#journal.commit({ t: 'set-aside', line: lineNumber, id: String(message.messageid), mark });
    this.#settings.onSetAside(message, error);
  }

  /** Asks for the new messages of each line. @throws {MessagingError} when the service refuses a request */
  async #ask(): Promise<void> {
    for (const line of this.#lines) await line.ask();
    this.#askAt = performance.now() + this.#settings.everyMs;
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
