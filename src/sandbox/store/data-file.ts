import { closeSync, fstatSync, ftruncateSync, openSync, readSync, writeSync } from 'node:fs';
import { readChange, writeChange } from './change-lines';
import { lockFile } from './lock-file';
import type { Change, ChangeLog } from './message-store';

const HEADER = '{"format":"messaging-soap sandbox","version":1}';
/** The number of bytes that are read, and of characters that are written, at once. */
const CHUNK = 1_048_576;
const LINE_END = 10;
/** In bytes. No change that a request of the default length makes is as long. */
const MAX_LINE = 268_435_456;

/**
 * An append-only log of JSON lines, one for each change of the messages. A change is written before it takes effect, so
 * after a kill the log holds everything that the sandbox confirmed in a response. The log is not flushed to the device,
 * so a power failure may lose the last changes.
 */
export class DataFile implements ChangeLog {
  readonly #path: string;
  readonly #descriptor: number;
  #unlock: (() => Promise<void>) | undefined;
  /** Length of all whole lines, in bytes. */
  #length = 0;
  #closed = false;

  private constructor(path: string) {
    this.#path = path;
    // Only the owner of the file may read the messages.
    this.#descriptor = openSync(path, 'a+', 0o600);
  }

  /**
   * Opens or creates a log, and locks it until it is closed or the process ends.
   *
   * @param restore takes each change of the log, oldest first, and returns false to refuse the change
   * @throws {Error} when the file cannot be opened, is in use or is not a log of a sandbox; the file is then unchanged
   */
  static async open(path: string, restore: (change: Change) => boolean): Promise<DataFile> {
    const file = new DataFile(path);
    try {
      file.#checkStart();
      file.#unlock = await lockFile(path, file.#descriptor);
      file.#load(restore);
    } catch (error) {
      await file.close();
      throw error;
    }
    return file;
  }

  append(changes: readonly Change[]): void {
    // The system may have given the number of a closed descriptor to another file.
    if (this.#closed) throw new Error('the sandbox is closed');
    // The lock does not keep out other programs, nor a sandbox in another container or on another machine that shares
    // the file.
    if (fstatSync(this.#descriptor).size !== this.#length) {
      throw new Error(`${this.#path} was changed by another program: start the sandbox again`);
    }
    let length = this.#length;
    let lines = '';
    const write = (): void => {
      const bytes = Buffer.from(lines);
      // The next start could not read the line.
      if (bytes.length > MAX_LINE) throw new Error(`a change is longer than ${MAX_LINE} bytes`);
      length += writeAll(this.#descriptor, bytes);
      lines = '';
    };
    try {
      for (const change of changes) {
        lines += writeChange(change);
        if (lines.length > CHUNK) write();
      }
      write();
    } catch (error) {
      // Removes a part of the change, which the next change would otherwise follow.
      ftruncateSync(this.#descriptor, this.#length);
      throw error;
    }
    this.#length = length;
  }

  async close(): Promise<void> {
    this.#closed = true;
    closeSync(this.#descriptor);
    await this.#unlock?.();
  }

  /** Refuses a foreign file by its first bytes. The rest may be endless, as the content of a device is. */
  #checkStart(): void {
    const start = Buffer.alloc(HEADER.length + 1);
    const isFile = fstatSync(this.#descriptor).isFile();
    const length = isFile ? readSync(this.#descriptor, start, 0, start.length, 0) : 0;
    // A kill may have torn the first line.
    if (!isFile || !`${HEADER}\n`.startsWith(start.toString('latin1', 0, length))) {
      throw new Error(`${this.#path} is not a data file of a sandbox`);
    }
  }

  #load(restore: (change: Change) => boolean): void {
    let number = 0;
    const onLine = (line: Buffer): void => {
      number += 1;
      // The first line is the header.
      const change = number === 1 ? undefined : readChange(line.toString());
      if (number > 1 && (change === undefined || !restore(change))) {
        throw new Error(`line ${number} of ${this.#path} is not a change of a sandbox`);
      }
      this.#length += line.length + 1;
    };
    const torn = readLines(this.#path, this.#descriptor, onLine);
    // A kill during a write leaves a torn last line. No response confirmed any part of it.
    if (torn.length > 0) ftruncateSync(this.#descriptor, this.#length);
    if (number === 0) this.#length += writeAll(this.#descriptor, Buffer.from(`${HEADER}\n`));
  }
}

/**
 * @returns the bytes after the last line end
 * @throws {Error} when a line is longer than `MAX_LINE`
 */
function readLines(path: string, descriptor: number, onLine: (line: Buffer) => void): Buffer {
  let parts: Buffer[] = [];
  let pending = 0;
  for (let position = 0; ; ) {
    const chunk = Buffer.allocUnsafe(CHUNK);
    const length = readSync(descriptor, chunk, 0, CHUNK, position);
    if (length === 0) return Buffer.concat(parts);
    position += length;
    let start = 0;
    for (let end = chunk.indexOf(LINE_END); end >= 0 && end < length; end = chunk.indexOf(LINE_END, start)) {
      onLine(Buffer.concat([...parts, chunk.subarray(start, end)]));
      parts = [];
      pending = 0;
      start = end + 1;
    }
    parts.push(chunk.subarray(start, length));
    pending += length - start;
    if (pending > MAX_LINE) throw new Error(`${path} holds a line of more than ${MAX_LINE} bytes`);
  }
}

/** Writes all bytes, since one write to a file may take only a part of them. */
function writeAll(descriptor: number, bytes: Buffer): number {
  let written = 0;
  while (written < bytes.length) written += writeSync(descriptor, bytes, written);
  return written;
}
