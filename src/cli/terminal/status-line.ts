import type { Terminal } from './io';

/** The time between two lines, in milliseconds: of a line that a terminal replaces, and of a line of a log. */
const [TERMINAL_MS, LOG_MS] = [500, 60_000];

/**
 * A line about the work under way, and lines that stay: in place on a terminal, once a minute elsewhere. It uses no
 * escape sequence, so that every terminal shows it.
 */
export class StatusLine {
  #timer: NodeJS.Timeout | undefined;
  #width = 0;
  #isPaused = false;

  constructor(
    private readonly terminal: Terminal,
    private readonly log: (line: string) => void,
  ) {}

  /** Begins to show the line. A later call has no effect. @param format returns the line as it is now */
  start(format: () => string): void {
    if (this.#timer) return;
    const { isTTY } = this.terminal;
    const show = (): void => {
      if (this.#isPaused) return;
      if (isTTY) this.#replace(format());
      else this.log(format());
    };
    this.#timer = setInterval(show, isTTY ? TERMINAL_MS : LOG_MS).unref();
    if (isTTY) show();
  }

  tell(line: string): void {
    this.clear();
    this.log(line);
  }

  /** Shows nothing until `resume`: another program writes to the terminal. */
  pause(): void {
    this.#isPaused = true;
    this.clear();
  }

  resume(): void {
    this.#isPaused = false;
  }

  /** Frees the line of the terminal. */
  clear(): void {
    if (this.#width > 0) this.terminal.write(`\r${' '.repeat(this.#width)}\r`);
    this.#width = 0;
  }

  end(): void {
    clearInterval(this.#timer);
    this.clear();
  }

  #replace(text: string): void {
    // In the last column a terminal would begin a new line.
    const line = text.slice(0, (this.terminal.columns || 80) - 1);
    this.terminal.write(`\r${line.padEnd(this.#width)}`);
    this.#width = line.length;
  }
}
