import { JournalError } from './errors';
import { readLines } from './file';
import {
  type JournalKind,
  type JournalRecord,
  type JournalState,
  type OpenRecord,
  parseLine,
  VERSION,
} from './records';

/** A journal as it was when it was read. */
export interface ReadJournal<S> {
  readonly state: S;
  /** The last opening that was not closed. */
  readonly opened: OpenRecord | undefined;
  /** The number of bytes that were read. */
  readonly size: number;
  /** Sentences about what a crash has left at the end of the file. */
  readonly notices: readonly string[];
}

/**
 * Reads a journal, which another process may be writing; undefined when there is no file.
 *
 * A crash tears the line that was being written. The next opening ends this line, and may be torn itself. A power loss
 * may also leave zeros in place of lines that were not on the disk yet, before lines that were. Such damage is skipped.
 * It is damage of another kind, and refused, when a record after it says that it was on the disk.
 *
 * @throws {JournalError} for any other line that is no record, and for a file that cannot be read
 */
export async function readJournal<R extends JournalRecord, S extends JournalState<R>>(
  path: string,
  kind: JournalKind<R, S>,
): Promise<ReadJournal<S> | undefined> {
  const reader = new JournalReader(path, kind);
  const size = await readLines(path, (line) => reader.read(line)).catch((error: NodeJS.ErrnoException) => {
    if (error.syscall === undefined) throw error;
    const problem = { option: 'journal', message: `cannot be read: ${error.message}; choose another path` };
    throw new JournalError('unusable', { problems: [problem] });
  });
  return size === undefined ? undefined : { ...reader.finish(), size };
}

/** The start of every journal. */
export const JOURNAL_START = '{"t":"open"';

class JournalReader<R extends JournalRecord, S extends JournalState<R>> {
  readonly #path: string;
  readonly #kind: JournalKind<R, S>;
  readonly #state: S;
  #opened: OpenRecord | undefined;
  #lines = 0;
  /** True once an opening was read. */
  #isBegun = false;
  /** The first torn line since the last opening. Only torn lines may follow it. */
  #torn: number | undefined;
  /** The first line with zeros since the last opening. No `synced` record may follow it. */
  #hole: number | undefined;

  constructor(path: string, kind: JournalKind<R, S>) {
    this.#path = path;
    this.#kind = kind;
    this.#state = kind.createState();
  }

  read(line: string): void {
    this.#lines += 1;
    if (line === '') return;
    const record = parseLine(line, this.#kind.readRecord);
    if (record === undefined) this.#skip(line);
    else this.#accept(record);
  }

  finish(): Omit<ReadJournal<S>, 'size'> {
    const notices: string[] = [];
    const lost = 'its last part was not on the disk when the power or the program failed, and is skipped';
    const first = Math.min(this.#torn ?? Number.POSITIVE_INFINITY, this.#hole ?? Number.POSITIVE_INFINITY);
    if (first < Number.POSITIVE_INFINITY) notices.push(`${this.#path}: ${lost} (from line ${first})`);
    return { state: this.#state, opened: this.#opened, notices };
  }

  #skip(line: string): void {
    if (!this.#isBegun && !JOURNAL_START.startsWith(line.slice(0, JOURNAL_START.length)))
      throw this.#damaged(this.#lines);
    if (line.includes('\0')) this.#hole ??= this.#lines;
    else this.#torn ??= this.#lines;
  }

  #accept(record: NonNullable<ReturnType<typeof parseLine<R>>>): void {
    if (record.t === 'open') {
      this.#begin(record as OpenRecord);
      return;
    }
    if (!this.#isBegun) throw this.#damaged(this.#lines);
    if (this.#torn !== undefined) throw this.#damaged(this.#torn);
    if (record.t === 'close') this.#opened = undefined;
    else if (record.t !== 'synced') {
      if (!this.#state.apply(record as R)) throw this.#damaged(this.#lines);
    } else if (this.#hole !== undefined) throw this.#damaged(this.#hole);
  }

  #begin(record: OpenRecord): void {
    const { name } = this.#kind;
    if (record.kind !== name) throw this.#refuse('changed', `is a journal of the kind "${record.kind}", not "${name}"`);
    if (record.v !== VERSION)
      throw this.#refuse(
        'changed',
        `was written by another version of this program (format ${record.v}, not ${VERSION})`,
      );
    this.#opened = record;
    this.#isBegun = true;
    this.#torn = undefined;
    this.#hole = undefined;
    this.#state.begin(record.opening);
  }

  #damaged(line: number): JournalError {
    const what = this.#isBegun ? 'is damaged: something else has changed it' : 'is not a journal';
    return this.#refuse('damaged', `${what} (line ${line})`);
  }

  #refuse(code: JournalError['code'], words: string): JournalError {
    return new JournalError(code, { message: `${this.#path} ${words}` });
  }
}
