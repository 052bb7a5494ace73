import { randomUUID } from 'node:crypto';
import {
  closeSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { realpath } from 'node:fs/promises';
import { openRecord } from '../../journal/owner';
import { JOURNAL_START, readJournal } from '../../journal/read-journal';
import { formatLine, type JournalState } from '../../journal/records';
import { type Change, formatChange, readChange } from './changes';
import { lockFile } from './lock-file';

/** The state of a sandbox that a data file keeps. */
export interface KeptState extends JournalState<Change> {
  /** The changes that add up to the state. */
  contents(): Iterable<Change>;
  /** Shows a failure after which the sandbox goes on. */
  reportFailure(error: unknown): void;
}

/** The number of characters that are written at once. */
const CHUNK = 1_048_576;
/** The longest line, in characters. No change that a request of the default length makes is as long. */
const MAX_LINE = 268_435_456;
/** No shorter file is rewritten, in bytes. */
const MIN_REWRITTEN = 1_048_576;

/**
 * The journal of a sandbox. A change is written before it takes effect, so after a kill the file holds everything that
 * the sandbox confirmed in a response. The file is not flushed to the device, so a power failure may lose the last
 * changes. Its lock is a socket, because that of other journals would keep out a container that replaces a killed one.
 */
export class DataFile {
  readonly #path: string;
  readonly #state: KeptState;
  readonly #unlock: () => Promise<void>;
  #descriptor: number;
  /** The length that the file must have, in bytes. */
  #size: number;
  /** The length at which the file is compared with its content. */
  #compareAt = MIN_REWRITTEN;
  #closed = false;

  private constructor(path: string, state: KeptState, unlock: () => Promise<void>, descriptor: number, size: number) {
    this.#path = path;
    this.#state = state;
    this.#unlock = unlock;
    this.#descriptor = descriptor;
    this.#size = size;
    // A kill may have torn the last line, which is skipped when an opening follows it.
    this.#write([size > 0 ? '\n' : '', openingLine()]);
    this.#rewriteIfGrown();
  }

  /**
   * Opens or creates a data file, and locks it until it is closed or the process ends.
   *
   * @param state takes each change of the file, oldest first
   * @throws {Error} when the file cannot be opened, is in use or is not a data file; the file is then unchanged
   */
  static async open(path: string, state: KeptState): Promise<DataFile> {
    // Only the owner of the file may read the messages.
    const descriptor = openSync(path, 'a+', 0o600);
    let unlock: (() => Promise<void>) | undefined;
    try {
      checkStart(path, descriptor);
      // A symbolic link keeps its target when the file is rewritten.
      const target = await realpath(path);
      unlock = await lockFile(target);
      const kind = { name: KIND, knowledge: 'the messages', createState: () => state, readRecord: readChange };
      const { size = 0 } = (await readJournal(target, kind)) ?? {};
      return new DataFile(target, state, unlock, descriptor, size);
    } catch (error) {
      closeSync(descriptor);
      await unlock?.();
      throw error;
    }
  }

  /** Writes changes that are about to take effect. @throws when they could not be kept; then none of them is kept */
  append(changes: readonly Change[]): void {
    // The system may have given the number of a closed descriptor to another file.
    if (this.#closed) throw new Error('the sandbox is closed');
    // The lock does not keep out other programs, nor a sandbox in another container or on another machine that shares
    // the file.
    const found = statSync(this.#path, { throwIfNoEntry: false });
    if (found?.size !== this.#size || found.ino !== fstatSync(this.#descriptor).ino) {
      throw new Error(`${this.#path} was changed or moved by another program: start the sandbox again`);
    }
    this.#rewriteIfGrown();
    this.#write(changes.map(formatChange));
  }

  #rewriteIfGrown(): void {
    if (this.#size <= this.#compareAt) return;
    let content = 0;
    for (const change of this.#state.contents()) content += Buffer.byteLength(formatChange(change));
    try {
      if (this.#size > 2 * content) this.#rewrite();
    } catch (error) {
      // The old file is still in use.
      this.#state.reportFailure(error);
    }
    this.#compareAt = Math.max(2 * content, this.#size, MIN_REWRITTEN);
  }

  async close(): Promise<void> {
    this.#closed = true;
    closeSync(this.#descriptor);
    await this.#unlock();
  }

  #write(lines: Iterable<string>): void {
    try {
      this.#size += writeLines(this.#descriptor, lines);
    } catch (error) {
      // Removes a part of the change, which the next change would otherwise follow.
      ftruncateSync(this.#descriptor, this.#size);
      throw error;
    }
  }

  /** Replaces the file by its content. A kill leaves the old file or the new one. */
  #rewrite(): void {
    const beside = `${this.#path}.new`;
    // A kill may have left a file there.
    rmSync(beside, { force: true });
    const descriptor = openSync(beside, 'ax', 0o600);
    let size: number;
    try {
      size = writeLines(descriptor, contentLines(this.#state));
      // Without this, a power failure could leave an empty file in place of the old one.
      fsyncSync(descriptor);
      renameSync(beside, this.#path);
    } catch (error) {
      closeSync(descriptor);
      rmSync(beside, { force: true });
      throw error;
    }
    closeSync(this.#descriptor);
    this.#descriptor = descriptor;
    this.#size = size;
  }
}

const KIND = 'sandbox';

function openingLine(): string {
  return formatLine(openRecord(KIND, randomUUID()));
}

function* contentLines(state: KeptState): Generator<string> {
  yield openingLine();
  for (const change of state.contents()) yield formatChange(change);
}

/** Refuses a foreign file by its first bytes. The content of a device may be endless. */
function checkStart(path: string, descriptor: number): void {
  const start = Buffer.alloc(JOURNAL_START.length);
  const isFile = fstatSync(descriptor).isFile();
  const length = isFile ? readSync(descriptor, start, 0, start.length, 0) : 0;
  // A kill may have torn the first line.
  const [line = ''] = start.toString('latin1', 0, length).split('\n');
  if (!isFile || !JOURNAL_START.startsWith(line)) {
    throw new Error(`${path} is not a data file of a sandbox`);
  }
}

/** Writes lines, many at once. @returns the number of bytes */
function writeLines(descriptor: number, lines: Iterable<string>): number {
  let size = 0;
  let text = '';
  const write = (): void => {
    const bytes = Buffer.from(text);
    // One write to a file may take only a part of the bytes.
    for (let offset = 0; offset < bytes.length; ) offset += writeSync(descriptor, bytes, offset);
    size += bytes.length;
    text = '';
  };
  for (const line of lines) {
    // The next start could not read the line.
    if (line.length > MAX_LINE) throw new Error(`a change is longer than ${MAX_LINE} characters`);
    text += line;
    if (text.length > CHUNK) write();
  }
  write();
  return size;
}
