import { JournalWriteError } from './journal-errors';
import type { JournalFile } from './journal-file';
import { formatRecord, type JournalRecord } from './records';

/**
 * Appends records to a journal. Those that wait for the disk at the same time share one sync. After each sync the file must
 * be at its path, and exactly as long as this process made it: that it was moved or deleted, or that another process writes to
 * it, whatever the lock says, is noticed before anything is sent. After any failure nothing more is written.
 */
export class Journal {
  readonly #file: JournalFile;
  readonly #onClosed: () => void;
  /** What the file's length has to be. */
  #size: number;
  #text: string;
  #waiting: { resolve(): void; reject(error: Error): void }[] = [];
  #writing: Promise<void> | undefined;
  #failure: JournalWriteError | undefined;

  /**
   * @param size of the file, in bytes
   * @param onClosed called when the file is closed, also after a failure
   */
  constructor(file: JournalFile, size: number, onClosed: () => void = () => undefined) {
    this.#file = file;
    this.#onClosed = onClosed;
    this.#size = size;
    // A crash may have torn the last line. Nothing is ever cut off: another process may be writing it.
    this.#text = size > 0 ? '\n' : '';
  }

  /** Why nothing more can be written. */
  get failure(): JournalWriteError | undefined {
    return this.#failure;
  }

  /** Resolves once the records are on the disk. */
  commit(...records: readonly JournalRecord[]): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
      this.append(...records);
    });
  }

  /** Writes records soon, and does not wait for the disk. */
  append(...records: readonly JournalRecord[]): void {
    this.#text += records.map(formatRecord).join('');
    this.#writing ??= this.#write();
  }

  /** Writes what is left, and closes the file. */
  async close(): Promise<void> {
    try {
      if (this.#failure === undefined) await this.commit({ t: 'close' });
    } finally {
      await this.#file.close();
      this.#onClosed();
    }
  }

  async #write(): Promise<void> {
    // What is given in the same turn goes together.
    await undefined;
    while (this.#text !== '' || this.#waiting.length > 0) {
      const [text, waiting] = [this.#text, this.#waiting];
      this.#text = '';
      this.#waiting = [];
      await this.#writeBatch(text, waiting.length > 0).catch((error: unknown) => this.#fail(error));
      for (const { resolve, reject } of waiting) this.#failure ? reject(this.#failure) : resolve();
    }
    this.#writing = undefined;
  }

  async #writeBatch(text: string, sync: boolean): Promise<void> {
    if (this.#failure !== undefined) return;
    const bytes = Buffer.from(text);
    this.#size += bytes.length;
    await this.#file.append(bytes);
    if (!sync) return;
    await this.#file.sync();
    const size = await this.#file.size();
    if (size === this.#size) return;
    throw new JournalWriteError(
      `another process has written to the journal (${size} bytes instead of ${this.#size}): nothing more is sent`,
    );
  }

  #fail(error: unknown): void {
    this.#failure =
      error instanceof JournalWriteError
        ? error
        : new JournalWriteError(`the journal cannot be written: ${(error as Error).message}`, { cause: error });
  }
}
