import { randomUUID } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { keepFile, renameFile, replaceFile, writeNewFile } from '../internal/atomic-file';
import { JournalError, JournalWriteError } from './errors';
import { type AppendFile, openAppendFile } from './file';
import { openRecord, ownOpenings } from './owner';
import { type ReadJournal, readJournal } from './read-journal';
import {
  formatLine,
  type JournalKind,
  type JournalRecord,
  type JournalState,
  type OwnRecord,
  parseLine,
} from './records';

/** The number of characters that are written at once. */
const PIECE = 1 << 20;

/**
 * An open journal: its file, and the state that its records add up to. Records are applied and written by one call, in
 * one order.
 *
 * Records that wait for the disk at the same time share one sync. After each sync, the file must be at its path and
 * exactly as long as this process made it. So a journal that was moved or deleted, or that another process writes to,
 * is noticed before anything is done. After a failure nothing more is written.
 */
export class Journal<R extends JournalRecord, S extends JournalState<R>> {
  /** The id of this opening. */
  readonly opening: string;
  /** Sentences about what a crash has left at the end of the file. */
  readonly notices: readonly string[];
  /** The absolute path of the file: the process may change its working directory. */
  readonly path: string;
  /** The sum of the records. Only the journal changes it. */
  readonly state: Omit<S, keyof JournalState<R>>;
  #file: AppendFile;
  readonly #state: S;
  readonly #kind: JournalKind<R, S>;
  /** The length that the file must have. */
  #size: number;
  /** The lines of the next write. */
  #text: string;
  /** True when somebody waits for the next write to be on the disk. */
  #isAwaited = false;
  /** True when all that was written is on the disk. */
  #isSynced = false;
  #lastWrite: Promise<unknown> = Promise.resolve();
  /** The write that has not begun, with which all further records go. */
  #nextWrite: Promise<void> | undefined;
  #failure: JournalWriteError | undefined;

  /** Use openJournal. @param found the journal as it was read; undefined for a new one */
  constructor(
    path: string,
    kind: JournalKind<R, S>,
    file: AppendFile,
    found?: Pick<ReadJournal<S>, 'state' | 'size' | 'notices'>,
    opening: string = randomUUID(),
  ) {
    this.path = resolve(path);
    this.opening = opening;
    this.#kind = kind;
    this.#file = file;
    this.#state = found?.state ?? kind.createState();
    this.state = this.#state;
    this.#size = found?.size ?? 0;
    this.notices = found?.notices ?? [];
    // A crash may have torn the last line. Nothing is ever cut off: another process may be writing it.
    this.#text = this.#size > 0 ? '\n' : '';
  }

  /** Writes that this process has the journal open, and further records. */
  async begin(records: Iterable<R>): Promise<void> {
    const record = openRecord(this.#kind.name, this.opening);
    this.#state.begin?.(this.opening, record.at);
    ownOpenings.add(this.opening);
    this.#write(record);
    // Alone: of two processes that open the journal at the same moment, at least one notices it before it writes more.
    await this.flush();
    await this.commit(records);
  }

  /**
   * Applies a record, or several, and writes them. Resolves once they are on the disk. Many records are written piece
   * by piece, so a crash may leave the first of them.
   */
  async commit(records: R | Iterable<R>): Promise<void> {
    for (const record of Symbol.iterator in records ? records : [records]) {
      this.append(record);
      if (this.#text.length > PIECE) await this.flush();
    }
    await this.flush();
  }

  /** Applies a record and writes it soon. It refuses a record that could not be read again. */
  append(record: R): void {
    if (parseLine(formatLine(record), this.#kind.readRecord) === undefined)
      throw new Error(`the record ${record.t} could not be read again`);
    if (!this.#state.apply(record)) throw new Error(`the record ${record.t} cannot follow the records before it`);
    this.#write(record);
  }

  /** Resolves once all records are on the disk. @throws {JournalWriteError} */
  flush(): Promise<void> {
    this.#isAwaited = true;
    return this.#planWrite();
  }

  /** Writes the remaining records, and closes the file. */
  async close(): Promise<void> {
    try {
      if (this.#failure !== undefined) return;
      this.#write({ t: 'close' });
      await this.flush();
    } finally {
      await this.#file.close();
      ownOpenings.delete(this.opening);
    }
  }

  #write(record: R | OwnRecord): void {
    this.#text += formatLine(record);
    void this.#planWrite();
  }

  /** Records that are added before the write begins go together. */
  #planWrite(): Promise<void> {
    if (!this.#nextWrite) {
      this.#nextWrite = this.#lastWrite.then(() => this.#writeNext());
      this.#lastWrite = this.#nextWrite.catch(() => undefined);
    }
    return this.#nextWrite;
  }

  /**
   * Replaces the file by a new one, which must add up to the same state as the old one. It takes its turn among the
   * writes: what was appended before is in the old file, and what is appended meanwhile follows in the new file. The
   * new file begins with the opening of this process, so at every instant of a crash the file at the path says which
   * process has the journal open.
   *
   * @param write reads the old file, and is given a function that adds records to the new one
   * @throws {JournalWriteError} when the new file cannot be written. The old one is then still in use, unless it was
   * replaced already: then nothing more is written
   */
  rewrite(write: (put: (record: R) => void) => Promise<void>): Promise<void> {
    const rewriting = this.#lastWrite.then(() => this.#rewrite(write));
    this.#lastWrite = rewriting.catch(() => undefined);
    // A write that was planned before has its turn before.
    this.#nextWrite = undefined;
    return rewriting;
  }

  async #rewrite(write: (put: (record: R) => void) => Promise<void>): Promise<void> {
    if (this.#failure) throw this.#failure;
    const old = this.#file;
    let size = 0;
    try {
      await this.#sync();
      await replaceFile(this.path, (putLine) => {
        const put = (record: R | OwnRecord): void => {
          const line = formatLine(record);
          size += Buffer.byteLength(line);
          putLine(line);
        };
        put(openRecord(this.#kind.name, this.opening));
        return write(put);
      });
      this.#file = await openAppendFile(this.path);
    } catch (error) {
      const message = `the journal cannot be rewritten: ${(error as Error).message}`;
      const failure = new JournalWriteError(message, { cause: error });
      // Without the old file at its path, its next reader would miss what is written to it.
      if ((await old.size().catch(() => undefined)) === undefined) this.#failure = failure;
      throw failure;
    }
    this.#size = size;
    await old.close();
  }

  /**
   * Puts a new journal in the place of this one, which keeps its content under another name and is closed. At every
   * instant the path leads to a whole journal that says that this process has it open.
   *
   * @param records begin the new journal
   * @param keepAs another path for the old file; undefined when it has another name already
   * @throws {JournalWriteError} when the new journal cannot be written
   */
  async replaceWith(records: Iterable<R>, keepAs: string | undefined): Promise<Journal<R, S>> {
    await this.flush();
    const [state, opening] = [this.#kind.createState(), randomUUID()];
    const begin = openRecord(this.#kind.name, opening);
    const beside = `${this.path}.new`;
    let size = 0;
    try {
      await writeNewFile(beside, (put) => {
        const write = (record: R | OwnRecord): void => {
          const line = formatLine(record);
          size += Buffer.byteLength(line);
          put(line);
        };
        write(begin);
        state.begin?.(opening, begin.at);
        for (const record of records) {
          if (!state.apply(record)) throw new Error(`the record ${record.t} cannot begin a journal`);
          write(record);
        }
      });
      if (keepAs !== undefined) await keepFile(this.path, keepAs);
      ownOpenings.add(opening);
      await renameFile(beside, this.path);
      // The path leads to the new file now.
      await this.#file.append(Buffer.from(formatLine({ t: 'close' })));
      await this.#file.close();
      ownOpenings.delete(this.opening);
      const file = await openAppendFile(this.path);
      return new Journal(this.path, this.#kind, file, { state, size, notices: [] }, opening);
    } catch (error) {
      ownOpenings.delete(opening);
      throw new JournalWriteError(`the journal cannot be replaced: ${(error as Error).message}`, { cause: error });
    }
  }

  async #writeNext(): Promise<void> {
    const [text, isAwaited] = [this.#text, this.#isAwaited];
    [this.#text, this.#isAwaited, this.#nextWrite] = ['', false, undefined];
    if (this.#failure) throw this.#failure;
    try {
      if (text !== '') await this.#writeText(text);
      if (isAwaited) await this.#sync();
    } catch (error) {
      const message = `the journal cannot be written: ${(error as Error).message}`;
      this.#failure = error instanceof JournalWriteError ? error : new JournalWriteError(message, { cause: error });
      throw this.#failure;
    }
  }

  async #writeText(text: string): Promise<void> {
    const bytes = Buffer.from(this.#isSynced ? formatLine({ t: 'synced' }) + text : text);
    this.#isSynced = false;
    this.#size += bytes.length;
    await this.#file.append(bytes);
  }

  async #sync(): Promise<void> {
    await this.#file.sync();
    const size = await this.#file.size();
    if (size !== this.#size) throw this.#changed(size);
    this.#isSynced = true;
  }

  #changed(size: number | undefined): JournalWriteError {
    if (size !== undefined) {
      const sizes = `${size} bytes instead of ${this.#size}`;
      return new JournalWriteError(`another process has written to the journal (${sizes}), so the work stops`);
    }
    const advice = `put it back before you go on, because it knows ${this.#kind.knowledge}`;
    return new JournalWriteError(`the journal was moved or deleted, so the work stops; ${advice}`, { isMissing: true });
  }
}

/** How a journal is opened. */
interface OpenOptions<R extends JournalRecord, S extends JournalState<R>> {
  readonly path: string;
  readonly kind: JournalKind<R, S>;
  /** True confirms that the process on another host which left the journal open has ended. */
  readonly takeOver: boolean;
  /**
   * The journal as it was read before. It is read again when the file has another length, because it only grows, or
   * when another process had it open.
   */
  readonly found?: ReadJournal<S> | undefined;
  /**
   * Checks the state of the journal and returns the records to begin with. It is called before anything is written;
   * without a file the state is empty. Default: no records.
   */
  readonly start?: ((state: S) => Iterable<R>) | undefined;
}

/**
 * Opens a journal, and makes it when there is none.
 *
 * @throws {JournalError} when another process has it open, when it is damaged, or when it cannot be opened
 */
export async function openJournal<R extends JournalRecord, S extends JournalState<R>>({
  path,
  kind,
  takeOver,
  found: earlier,
  start,
}: OpenOptions<R, S>): Promise<Journal<R, S>> {
  const size = earlier && (await stat(path).catch(() => undefined))?.size;
  const found = earlier && !earlier.holder && earlier.size === size ? earlier : await readJournal(path, kind);
  refuseHolder(found, takeOver);
  const records = start?.(found?.state ?? kind.createState()) ?? [];
  const file = await openAppendFile(path, found === undefined).catch((error: NodeJS.ErrnoException) => {
    // Another process has made it at the same moment.
    if (error.code === 'EEXIST') return undefined;
    // A new journal in another place would not know what was done.
    const advice = found
      ? `make it writable, because it knows ${kind.knowledge}`
      : 'work in a folder that you can write to';
    const message = `cannot be opened: ${error.message}; ${advice}`;
    throw new JournalError('unusable', { problems: [{ option: 'journal', message }] });
  });
  if (!file) {
    const made = await readJournal(path, kind);
    refuseHolder(made, takeOver);
    const message = `${path} is being made at this moment: try again`;
    throw new JournalError('locked', { message });
  }
  const journal = new Journal<R, S>(path, kind, file, found);
  try {
    await journal.begin(records);
    return journal;
  } catch (error) {
    await journal.close();
    throw error;
  }
}

/** @throws {JournalError} when another process has the journal open */
export function refuseHolder(found: ReadJournal<unknown> | undefined, takeOver: boolean): void {
  if (!found?.holder || (found.holder.isElsewhere && takeOver)) return;
  const { pid, host, isElsewhere } = found.holder;
  const who = `process ${pid} on ${host}`;
  if (!isElsewhere) throw new JournalError('locked', { message: `${found.path} is in use by ${who}` });
  const message = `${found.path} was opened by ${who} and not closed; give this option if that process has ended`;
  throw new JournalError('locked', { problems: [{ option: 'takeOver', message }] });
}
