import type { InboxCounts } from '../../../inbox';
import type { Context } from '../../commander/command';
import { ProgressLine } from '../../terminal/progress-line';

/**
 * The time between two lines with the counts, in milliseconds: a line of a log, and a line that a terminal replaces.
 */
const [LOG_MS, TERMINAL_MS] = [60_000, 1000];

/** "40 messages known, 2 waiting, 1 set aside" */
export function countsText({ known, waiting, setAside }: InboxCounts): string {
  return `${known} ${known === 1 ? 'message' : 'messages'} known, ${waiting} waiting, ${setAside} set aside`;
}

/** Prints the counts of an inbox that runs, and lines between them: in place on a terminal, once a minute elsewhere. */
export class InboxProgress {
  readonly #log: Context['log'];
  readonly #counts: () => InboxCounts;
  readonly #terminal: ProgressLine | undefined;
  readonly #timer: NodeJS.Timeout;

  constructor({ io: { stderr }, log }: Context, counts: () => InboxCounts) {
    this.#log = log;
    this.#counts = counts;
    this.#terminal = stderr.isTTY ? new ProgressLine(stderr) : undefined;
    this.#timer = setInterval(() => this.#show(), this.#terminal ? TERMINAL_MS : LOG_MS).unref();
  }

  /** Prints a line that stays. */
  tell(line: string): void {
    this.clear();
    this.#log(line);
  }

  /** Frees the line of the terminal, for the output of others. */
  clear(): void {
    this.#terminal?.clear();
  }

  end(): void {
    clearInterval(this.#timer);
    this.tell(countsText(this.#counts()));
  }

  #show(): void {
    const text = countsText(this.#counts());
    if (this.#terminal) this.#terminal.show(() => text);
    else this.#log(text);
  }
}
