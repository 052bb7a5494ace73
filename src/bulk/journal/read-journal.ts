import { open, stat } from 'node:fs/promises';
import { JournalError } from './journal-errors';
import { Ledger } from './ledger';
import { type Holder, type JournalRecord, parseRecord } from './records';

/** A journal as it was when it was read. */
export interface JournalState {
  readonly ledger: Ledger;
  /** The first record of kind `bulk`: what the journal belongs to. Undefined when a crash came before it. */
  readonly bulk: Extract<JournalRecord, { t: 'bulk' }> | undefined;
  /** Who opened it last and did not close it. */
  readonly holder: Holder | undefined;
  /** In bytes, of what was read. */
  readonly size: number;
}

/**
 * Reads a journal, which another process may be writing; undefined when there is none.
 *
 * A crash tears the line that was being written. The next opening ends that line, and may be torn itself; so lines that are
 * no records are passed over when an `open` record or the end of the file follows.
 *
 * @throws {JournalError} for any other line that is no record, and for a file that cannot be read
 */
export async function readJournal(path: string): Promise<JournalState | undefined> {
  const reader = new JournalReader(path);
  const size = await readLines(path, (line) => reader.read(line)).catch((error: NodeJS.ErrnoException) => {
    if (error.syscall === undefined) throw error;
    throw new JournalError('unusable', `the journal cannot be read: ${error.message}`);
  });
  return size === undefined ? undefined : { ...reader.finish(), size };
}

/** How a journal begins. */
const FIRST = '{"t":"open"';

class JournalReader {
  readonly #path: string;
  readonly #ledger = new Ledger();
  #bulk: JournalState['bulk'];
  #holder: Holder | undefined;
  #lines = 0;
  #records = 0;
  /** The first of the torn lines that no `open` record has followed yet. */
  #torn: number | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  read(line: string): void {
    this.#lines += 1;
    if (line === '') return;
    const record = parseRecord(line);
    if (record === undefined) {
      // Without a first record, it has to be the beginning of one.
      if (this.#records === 0 && !FIRST.startsWith(line.slice(0, FIRST.length))) throw this.#damaged(this.#lines);
      this.#torn ??= this.#lines;
      return;
    }
    if (this.#torn !== undefined && record.t !== 'open') throw this.#damaged(this.#torn);
    this.#torn = undefined;
    if (this.#records++ === 0 && record.t !== 'open') throw this.#damaged(this.#lines);
    this.#apply(record);
  }

  finish(): Omit<JournalState, 'size'> {
    return { ledger: this.#ledger, bulk: this.#bulk, holder: this.#holder };
  }

  #apply(record: JournalRecord): void {
    if (record.t === 'open') this.#holder = record;
    if (record.t === 'close') this.#holder = undefined;
    if (record.t === 'bulk') this.#bulk ??= record;
    if (!this.#ledger.apply(record)) throw this.#damaged(this.#lines);
  }

  #damaged(line: number): JournalError {
    const what = this.#records === 0 ? 'is not a journal' : 'is damaged: it was changed by something else';
    return new JournalError('damaged', `${this.#path} ${what} (line ${line})`);
  }
}

const CHUNK = 1 << 18;
const LINE_FEED = 0x0a;

/** Calls back for each line, the last one without its end included. Gives the bytes read, or undefined when there is no file. */
async function readLines(path: string, onLine: (line: string) => void): Promise<number | undefined> {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (found === undefined) return undefined;
  // A device keeps nothing, and opening a pipe would wait for its other end.
  if (!found.isFile()) {
    const advice = 'choose another place with the journal option; nothing was sent';
    throw new JournalError('unusable', `the journal cannot be opened: ${path} is not a regular file; ${advice}`);
  }
  const file = await open(path, 'r');
  try {
    const buffer = Buffer.allocUnsafe(CHUNK);
    let size = 0;
    let rest = Buffer.alloc(0);
    for (;;) {
      const { bytesRead } = await file.read(buffer, 0, CHUNK, size);
      if (bytesRead === 0) break;
      size += bytesRead;
      // Whole lines only: a chunk may end within a character.
      const bytes = Buffer.concat([rest, buffer.subarray(0, bytesRead)]);
      const end = bytes.lastIndexOf(LINE_FEED) + 1;
      rest = bytes.subarray(end);
      if (end > 0) for (const line of bytes.toString('utf8', 0, end - 1).split('\n')) onLine(line);
    }
    onLine(rest.toString());
    return size;
  } finally {
    await file.close();
  }
}
