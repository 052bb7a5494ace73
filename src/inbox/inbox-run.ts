import { isTransient } from '../errors';
import { wait } from '../internal/signals';
import { JournalWriteError } from '../journal/errors';
import { bigintReplacer } from '../json';
import type { UnhandledMessage } from './inbox-journal';
import type { InboxSettings, MessageHandler } from './options';
import { type InboxJournal, knownRecords, leaveOutTexts } from './rewrite';

/** A lost request may still reach the service: the read messages are listed again after this time, in milliseconds. */
const LATE_REQUEST_MS = 60_000;

/** The longest pause between two calls with one message, in milliseconds, unless everyMs is longer. */
const MAX_PAUSE_MS = 300_000;

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

interface Line {
  readonly lineNumber: string;
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
  #askAt = 0;
  #rewriteAt = 0;

  constructor(journal: InboxJournal, settings: InboxSettings, handler: MessageHandler, signal: AbortSignal) {
    this.#journal = journal;
    this.#settings = settings;
    this.#handler = handler;
    this.#signal = signal;
    this.#lines = settings.lineNumbers.map((lineNumber) => ({ lineNumber, looks: looksFrom(performance.now()) }));
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

  #waiting(): UnhandledMessage[] {
    return [...this.#journal.state.unhandled.values()].filter(({ isSetAside }) => !isSetAside);
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
      onFailure(error, message);
      if (unhandled.attempts >= maxAttempts) await this.#setAside(unhandled, error);
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
    for (const line of this.#lines) {
      if (this.#signal.aborted) return;
      try {
        await this.#look(line);
        await this.#receive(line, this.#settings.unread);
      } catch (error) {
        if (error instanceof JournalWriteError) throw error;
        if (this.#signal.aborted) return;
        if (!isTransient(error)) throw error;
        line.looks = looksFrom(performance.now());
        this.#settings.onFailure(error);
      }
    }
    this.#askAt = performance.now() + this.#settings.everyMs;
  }

  /** Lists the read messages when it is time: the service may have marked messages as read whose response was lost. */
  async #look(line: Line): Promise<void> {
    const { read, includeRead } = this.#settings;
    const [next = Number.POSITIVE_INFINITY, ...others] = line.looks;
    if (read === undefined || next > performance.now()) return;
    const { lineNumber } = line;
    const hasBaseline = this.#journal.state.hasBaseline(lineNumber, read);
    await this.#receive(line, read, hasBaseline || includeRead);
    if (!hasBaseline) await this.#journal.commit({ t: 'baseline', line: lineNumber, read });
    line.looks = others;
  }

  /**
   * Lists messages, and writes those that are new as they arrive.
   *
   * @param handles false to record new messages as known, so that no handler gets them
   */
  async #receive({ lineNumber }: Line, isread: number, handles = true): Promise<void> {
    const { client, read } = this.#settings;
    const { state } = this.#journal;
    // Without a look at read messages, an aborted request would lose its messages.
    const signal = read === undefined ? undefined : this.#signal;
    const options = { signal, maxResponseBytes: Number.MAX_SAFE_INTEGER };
    const known: bigint[] = [];
    try {
      for await (const message of client.receiveStream({ lineNumber, isread }, options)) {
        if (state.knows(lineNumber, message.messageid)) continue;
        if (handles) this.#journal.append({ t: 'message', line: lineNumber, message: plainOf(message) });
        else known.push(message.messageid);
      }
      this.#journal.append(...knownRecords(lineNumber, known));
    } finally {
      // Also after a failure: the service may have marked as read what has arrived.
      await this.#journal.flush();
    }
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

function plainOf(message: object): Readonly<Record<string, unknown>> {
  return JSON.parse(JSON.stringify(message, bigintReplacer));
}
