import { randomUUID } from 'node:crypto';
import { closeSync, fstatSync, ftruncateSync, openSync, statSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { replaceFileSync } from '../../internal/atomic-file';
import { FileInUse, lockFile } from '../../internal/lock-file';
import { TextWriter } from '../../internal/write-all';
import { openRecord } from '../../journal/owner';
import { readJournal } from '../../journal/read-journal';
import { formatLine, type JournalState } from '../../journal/records';
import { bigintReplacer } from '../../json';
import { type Change, readChange } from './changes';

/** The state of a sandbox that a data file keeps. */
export interface KeptState extends JournalState<Change> {
  /** The changes that add up to the state. */
  contents(): Iterable<Change>;
  /** Shows a failure after which the sandbox goes on. */
  reportFailure(error: unknown): void;
}

/** No shorter file is rewritten, in bytes. */
const MIN_REWRITTEN = 1_048_576;
const KIND = 'sandbox';

/**
 * The journal of a sandbox. A change is written before it takes effect, so after a kill the file holds everything that
 * the sandbox confirmed in a response. The file is not flushed to the device, so a power failure may lose the last
 * changes. Its lock is a socket, because that of other journals would keep out a container that replaces a killed one.
 */
export class DataFile {
  /** The length at which the file is rewritten next, in bytes. */
  #rewriteAt = MIN_REWRITTEN;
  #closed = false;

  /** @param size the length that the file must have, in bytes */
  private constructor(
    private readonly path: string,
    private readonly state: KeptState,
    private readonly unlock: () => Promise<void>,
    private descriptor: number,
    private size: number,
  ) {
    // A kill may have torn the last line, which is skipped when an opening follows it.
    this.#write([size > 0 ? '\n' : '', openingLine()]);
    this.#rewriteIfGrown();
  }

  /** Opens or creates a data file and locks it. @throws when it is in use or is no data file; it is then unchanged */
  static async open(path: string, state: KeptState): Promise<DataFile> {
    // Only the owner of the file may read the messages.
    const descriptor = openSync(path, 'a+', 0o600);
    let unlock: (() => Promise<void>) | undefined;
    try {
      if (!fstatSync(descriptor).isFile()) throw new Error(`${path} is not a data file of a sandbox`);
      // A symbolic link keeps its target when the file is rewritten.
      const target = await realpath(path);
      unlock = await lockFile(target);
      const kind = { name: KIND, knowledge: 'the messages', createState: () => state, readRecord: readChange };
      const { size = 0 } = (await readJournal(target, kind)) ?? {};
      return new DataFile(target, state, unlock, descriptor, size);
    } catch (error) {
      closeSync(descriptor);
      await unlock?.();
      throw error instanceof FileInUse ? new Error(`${error.message} by another sandbox`) : error;
    }
  }

  /** Writes changes that are about to take effect. @throws when they could not be kept; then none of them is kept */
  append(changes: readonly Change[]): void {
    // The system may have given the number of a closed descriptor to another file.
    if (this.#closed) throw new Error('the sandbox is closed');
    // The lock does not keep out other programs, nor a sandbox in another container or on another machine that shares
    // the file.
    const found = statSync(this.path, { throwIfNoEntry: false });
    if (found?.size !== this.size || found.ino !== fstatSync(this.descriptor).ino) {
      throw new Error(`${this.path} was changed or moved by another program: start the sandbox again`);
    }
    this.#rewriteIfGrown();
    this.#write(changes.map(changeLine));
  }

  async close(): Promise<void> {
    this.#closed = true;
    closeSync(this.descriptor);
    await this.unlock();
  }

  #write(lines: Iterable<string>): void {
    try {
      const writer = new TextWriter(this.descriptor);
      for (const line of lines) writer.put(line);
      writer.flush();
      this.size += writer.size;
    } catch (error) {
      // Removes a part of the change, which the next change would otherwise follow.
      ftruncateSync(this.descriptor, this.size);
      throw error;
    }
  }

  /** Replaces a long file by its content, when its length has doubled. A kill leaves the old file or the new one. */
  #rewriteIfGrown(): void {
    if (this.size <= this.#rewriteAt) return;
    try {
      const { descriptor, size } = replaceFileSync(this.path, (put) => {
        for (const line of contentLines(this.state)) put(line);
      });
      closeSync(this.descriptor);
      this.descriptor = descriptor;
      this.size = size;
    } catch (error) {
      // The old file is still in use.
      this.state.reportFailure(error);
    }
    this.#rewriteAt = Math.max(2 * this.size, MIN_REWRITTEN);
  }
}

function openingLine(): string {
  return formatLine(openRecord(KIND, randomUUID()));
}

function changeLine(change: Change): string {
  return `${JSON.stringify(change, bigintReplacer)}\n`;
}

function* contentLines(state: KeptState): Generator<string> {
  yield openingLine();
  for (const change of state.contents()) yield changeLine(change);
}
