import type { Terminal } from './io';
import { ProgressLine } from './progress-line';

/** The time between two lines, in milliseconds: of a line that a terminal replaces, and of a line of a log. */
const [TERMINAL_MS, LOG_MS] = [500, 60_000];

/** A line about the work under way, and lines that stay: in place on a terminal, once a minute elsewhere. */
export class StatusLine {
  readonly #terminal: ProgressLine | undefined;
  readonly #log: (line: string) => void;
  #timer: NodeJS.Timeout | undefined;

  constructor(terminal: Terminal, log: (line: string) => void) {
    this.#terminal = terminal.isTTY ? new ProgressLine(terminal) : undefined;
    this.#log = log;
  }

  /** Begins to show the line. A later call has no effect. @param format returns the line as it is now */
  start(format: () => string): void {
    if (this.#timer) return;
    const show = (): void => (this.#terminal ? this.#terminal.show(format) : this.#log(format()));
    this.#timer = setInterval(show, this.#terminal ? TERMINAL_MS : LOG_MS).unref();
    this.#terminal?.show(format);
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
    this.clear();
  }
}
