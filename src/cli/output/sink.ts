import { once } from 'node:events';
import type { Writable } from 'node:stream';

const BATCH_LENGTH = 65_536;

/** The reader of the output went away, as `head` does when it has enough. Not a failure. */
export class ReaderGone extends Error {}

/** The output could not be written, for example because the disk is full. */
export class OutputError extends Error {
  constructor(cause: NodeJS.ErrnoException) {
    super(`the output could not be written (${cause.code ?? cause.message})`, { cause });
  }
}

/** Text on its way to a stream: gathered into larger writes, and held back while the reader is behind. */
export class Sink {
  readonly #stream: Writable;
  #batch = '';
  #failure: Error | undefined;

  constructor(stream: Writable) {
    this.#stream = stream;
    // Kept for the next write or for finish: a stream's error has no caller to be thrown at.
    stream.on('error', (error) => {
      this.#failure ??= error;
    });
  }

  /**
   * Resolves when the stream wants more; an abort of the signal ends the waiting.
   *
   * @throws {ReaderGone | OutputError}
   */
  async write(text: string, signal?: AbortSignal): Promise<void> {
    // What comes in one turn goes out together, and nothing waits longer than that.
    if (this.#batch === '') setImmediate(() => this.#send());
    this.#batch += text;
    if (this.#batch.length >= BATCH_LENGTH) this.#send();
    if (this.#stream.writableNeedDrain) await this.#drain(signal);
    this.#check();
  }

  /** For a caller that cannot wait. */
  writeNow(text: string): void {
    this.#batch += text;
    this.#send();
  }

  /** Resolves when everything has left the process; an abort of the signal ends the waiting. */
  async finish(signal?: AbortSignal): Promise<void> {
    this.#send();
    await new Promise<void>((resolve, reject) => {
      const abort = (): void => reject(signal?.reason);
      signal?.addEventListener('abort', abort);
      this.#stream.write('', (error) => {
        signal?.removeEventListener('abort', abort);
        if (error) this.#failure ??= error;
        resolve();
      });
    });
    this.#check();
  }

  #send(): void {
    if (this.#batch === '') return;
    const batch = this.#batch;
    this.#batch = '';
    if (!this.#failure) this.#stream.write(batch);
  }

  async #drain(signal: AbortSignal | undefined): Promise<void> {
    try {
      await once(this.#stream, 'drain', signal ? { signal } : undefined);
    } catch (error) {
      if (signal?.aborted) throw signal.reason;
      // The stream's own error, which #check throws in our words.
      this.#failure ??= error as Error;
    }
  }

  #check(): void {
    if (!this.#failure) return;
    const failure: NodeJS.ErrnoException = this.#failure;
    throw failure.code === 'EPIPE' ? new ReaderGone() : new OutputError(failure);
  }
}
