import { JournalError } from './errors';
import { readLines } from './file';
import { holderOf, type JournalHolder } from './owner';
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
  readonly path: string;
  readonly state: S;
  /** The process that has the journal open, or may have it open on another host. */
  readonly holder: JournalHolder | undefined;
  /** The number of bytes that were read. */
  readonly size: number;
  /** Sentences about what a crash has left at the end of the file. */
  readonly notices: readonly string[];
}

/** The start of every journal. */
const JOURNAL_START = '{"t":"open"';

/** A first line of which a power loss left only the end. It is the record of the opening, which is written alone. */
const LOST_START = /^\0{1,4096}[^\0]{0,4096}$/;

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
  const state = kind.createState();
  /** The last opening that was not closed. */
  let opened: OpenRecord | undefined;
  let lines = 0;
  let isBegun = false;
  /** The first torn line since the last opening. Only torn lines may follow it. */
  let torn = Number.POSITIVE_INFINITY;
  /** The first line with zeros since the last opening. No `synced` record may follow it. */
  let hole = Number.POSITIVE_INFINITY;
  const refuse = (code: JournalError['code'], words: string) => new JournalError(code, { message: `${path} ${words}` });
  const damaged = (line: number) =>
    refuse('damaged', `${isBegun ? 'is damaged: something else has changed it' : 'is not a journal'} (line ${line})`);

  function begin(record: OpenRecord): void {
    if (record.kind !== kind.name)
      throw refuse('changed', `is a journal of the kind "${record.kind}", not "${kind.name}"`);
    if (record.v !== VERSION)
      throw refuse('changed', `was written by another version of this program (format ${record.v}, not ${VERSION})`);
    opened = record;
    isBegun = true;
    torn = hole = Number.POSITIVE_INFINITY;
    state.begin?.(record.opening, record.at);
  }

  function readLine(line: string): void {
    lines += 1;
    if (line === '') return;
    // After damage, each line matters.
    if (Math.min(torn, hole) > lines && state.skips?.(line)) return;
    const record = parseLine(line, kind.readRecord);
    if (record === undefined) {
      const isStart = LOST_START.test(line) || JOURNAL_START.startsWith(line.slice(0, JOURNAL_START.length));
      if (!isBegun && !isStart) throw damaged(lines);
      if (line.includes('\0')) hole = Math.min(hole, lines);
      else torn = Math.min(torn, lines);
    } else if (record.t === 'open') begin(record as OpenRecord);
    else if (!isBegun) throw damaged(lines);
    else if (torn < lines) throw damaged(torn);
    else if (record.t === 'close') opened = undefined;
    else if (record.t !== 'synced') {
      if (!state.apply(record as R)) throw damaged(lines);
    } else if (hole < lines) throw damaged(hole);
  }

  const size = await readLines(path, readLine).catch((error: NodeJS.ErrnoException) => {
    if (error.syscall === undefined) throw error;
    const problem = { option: 'journal', message: `cannot be read: ${error.message}; choose another path` };
    throw new JournalError('unusable', { problems: [problem] });
  });
  if (size === undefined) return undefined;
  const holder = holderOf(opened);
  // What a process that has ended left under way has no outcome.
  if (!holder) state.begin?.('');
  const lost = 'its last part was not on the disk when the power or the program failed, and is skipped';
  const first = Math.min(torn, hole);
  const notices = first <= lines ? [`${path}: ${lost} (from line ${first})`] : [];
  return { path, state, holder, size, notices };
}
