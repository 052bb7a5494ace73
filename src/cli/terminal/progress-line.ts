import type { Terminal } from './io';

/** Often enough to show that something happens, rarely enough to cost nothing. */
const INTERVAL_MS = 100;

/**
 * A line on a terminal that is replaced by the next one. It uses no escape sequence, so that every terminal shows it.
 */
export class ProgressLine {
  readonly #terminal: Terminal;
  readonly #now: () => number;
  #next = 0;
  #width = 0;

  /** @param now milliseconds, of any origin */
  constructor(terminal: Terminal, now: () => number = () => performance.now()) {
    this.#terminal = terminal;
    this.#now = now;
  }

  /** Shows a text, unless the last one is younger than a tenth of a second: then it is not made. */
  show(format: () => string): void {
    const now = this.#now();
    if (now < this.#next) return;
    this.#next = now + INTERVAL_MS;
    // In the last column a terminal would begin a new line.
    const line = format().slice(0, (this.#terminal.columns || 80) - 1);
    this.#terminal.write(`\r${line.padEnd(this.#width)}`);
    this.#width = line.length;
  }

  /** Removes the text. The next one is shown at once. */
  clear(): void {
    if (this.#width > 0) this.#terminal.write(`\r${' '.repeat(this.#width)}\r`);
    this.#width = 0;
    this.#next = 0;
  }
}
