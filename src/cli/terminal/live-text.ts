import type { OutputStream } from './output-stream';

/** Text on a terminal that replaces the text that it showed before. */
export class LiveText {
  readonly #output: OutputStream;
  #lines = 0;

  constructor(output: OutputStream) {
    this.#output = output;
  }

  /** Shows a text in place of the last one. @param text ends with a line end */
  async show(text: string, signal?: AbortSignal): Promise<void> {
    // Moves the cursor up to the first line, and erases everything below it.
    const back = this.#lines > 0 ? `\x1b[${this.#lines}A\x1b[J` : '';
    this.#lines = text.split('\n').length - 1;
    await this.#output.write(back + text, signal);
  }

  /** Leaves the text as it is. The next text comes below it, after what others have printed. */
  leave(): void {
    this.#lines = 0;
  }
}
