import { once } from 'node:events';
import type { Writable } from 'node:stream';

const BATCH_LENGTH = 65_536;

/** The reader of the output closed it, as `head` does. Not a failure. */
export class ReaderGone extends Error {}

/** The output could not be written, for example because the disk is full. */
export class OutputError extends Error {
  constructor(cause: NodeJS.ErrnoException) {
    super(`the output could not be written (${cause.code ?? cause.message})`, { cause });
  }
}

/** Writes text to a stream in large pieces, and waits while the reader is slow. */
export class OutputStream {
  readonly #stream: Writable;
  /** The time for which `finish` waits for the reader, in milliseconds. */
  #patienceMs: number | undefined;
  #batch = '';
  #failure: Error | undefined;

  constructor(stream: Writable) {
    this.#stream = stream;
    // The next write, or finish, throws it.
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
    // Texts of one turn of the event loop are one write.
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

  /** Lets `finish` wait for a slow reader for so long only. */
  limitWaiting(patienceMs: number): void {
    this.#patienceMs = patienceMs;
  }

  /** Resolves when everything has left the process; an abort of the signal ends the waiting. */
  async finish(signal?: AbortSignal): Promise<void> {
    this.#send();
    await new Promise<void>((resolve, reject) => {
      if (this.#patienceMs !== undefined) setTimeout(resolve, this.#patienceMs);
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
      // #check turns the stream's error into ours.
      this.#failure ??= error as Error;
    }
  }

  #check(): void {
    if (!this.#failure) return;
    const failure: NodeJS.ErrnoException = this.#failure;
    throw failure.code === 'EPIPE' ? new ReaderGone() : new OutputError(failure);
  }
}
