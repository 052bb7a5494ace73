import type { JournalHolder } from '../../journal/owner';
import { readJournal } from '../../journal/read-journal';
import type { JournalKind, JournalState } from '../../journal/records';
import { MessageDigests } from '../rows/message-digests';
import { bulkKind } from '../state/bulk-journal';
import { BulkState } from '../state/bulk-state';
import { type BulkRecord, rowsOf } from '../state/records';
import type { RowView } from '../state/row-table';
import type { RowIndex } from './row-index';

/**
 * The answer of a list about a message:
 * - `sent`: the person has it
 * - `maybe`: the person may have it or get it: the row is unknown, under way, or in a queue
 * - `busy`: it is pending, and a process that has the journal open may send it
 */
export const claims = ['none', 'sent', 'maybe', 'busy'] as const;
export type Claim = (typeof claims)[number];

/** The knowledge of another list about the messages of this one, in 7 bytes for each row of this one. */
export interface OtherList {
  /** The path of its journal. */
  readonly path: string;
  /** The number of bytes of the journal. */
  readonly size: number;
  /** The base URL of its service; undefined for a list that a program began without it. */
  readonly baseUrl: string | undefined;
  /** The time of its last request, in milliseconds since 1970. */
  readonly sentAt: number;
  readonly holder: JournalHolder | undefined;
  readonly matches: Matches;
  /** The first rows of this list with the messages of those rows there whose outcomes may still come. */
  readonly awaited: ReadonlySet<number>;
  /** The id of a sent row; all ids of its batch where ids are not in order. */
  readonly idsOf: (row: number) => readonly bigint[];
}

/** The rows of another list whose messages this list has. The index of each array is the row, counted from 1. */
export interface Matches {
  /** The first row of this list with the last seven digits and the text; 0 for no row. */
  readonly first: Uint32Array;
  readonly further: Uint16Array;
  /** The index of a claim. */
  readonly claims: Uint8Array;
}

/** Looks up the messages of a list among those of another one. */
export class MatchedRows {
  readonly first: Uint32Array;
  readonly further: Uint16Array;
  readonly #index: RowIndex;
  #rows = 0;
  /** True when at least one message of the list is a message of the other one. */
  hasAny = false;

  constructor(total: number, index: RowIndex) {
    this.first = new Uint32Array(total + 1);
    this.further = new Uint16Array(total + 1);
    this.#index = index;
  }

  /** Adds the next rows. */
  add(digests: MessageDigests): void {
    for (let row = 1; row <= digests.count; row++) {
      this.#rows += 1;
      const first = this.#index.first(digests.message(row));
      if (first === undefined) continue;
      this.hasAny = true;
      this.first[this.#rows] = first;
      this.further[this.#rows] = digests.further(row);
    }
  }

  /** The first rows of the list with the messages of rows of the other one. */
  firstsOf(rows: Iterable<number>): ReadonlySet<number> {
    const firsts = new Set<number>();
    if (this.hasAny) for (const row of rows) firsts.add(this.first[row] as number);
    // 0 means that the list has no row with the message.
    firsts.delete(0);
    return firsts;
  }

  /** @param isOpen true while a process may send the pending rows */
  withClaims(table: RowView, isOpen: boolean): Matches {
    const { first, further } = this;
    const found = new Uint8Array(first.length);
    for (let row = 1; row < first.length; row++) {
      const state = table.state(row);
      const isMaybe = state === 'unknown' || state === 'under-way';
      const claim: Claim = state === 'sent' || isMaybe ? (isMaybe ? 'maybe' : 'sent') : 'none';
      if (first[row] !== 0) found[row] = claims.indexOf(state === 'pending' && isOpen ? 'busy' : claim);
    }
    return { first, further, claims: found };
  }
}

/** The beginnings of the records that change rows. */
const ROW_RECORDS = ['intent', 'sent', 'rejected', 'unknown', 'not-sent', 'known-sent'].map((t) => `{"t":"${t}"`);

/** Adds up the records of another list, as far as its messages are those of this one. */
class OtherState implements JournalState<BulkRecord> {
  readonly state = new BulkState();
  matched: MatchedRows;
  readonly #index: RowIndex;

  constructor(index: RowIndex) {
    this.#index = index;
    this.matched = new MatchedRows(0, index);
  }

  begin(opening: string, at?: number): void {
    this.state.begin(opening, at);
  }

  /** Most lists of a folder have nothing in common with this one, so that their rows need not be read. */
  skips(line: string): boolean {
    return this.state.hasDigests && !this.matched.hasAny && ROW_RECORDS.some((start) => line.startsWith(start));
  }

  apply(record: BulkRecord): boolean {
    if (!this.state.apply(record)) return false;
    if (record.t === 'list') this.matched = new MatchedRows(record.total, this.#index);
    if (record.t === 'digests') {
      const digests = new MessageDigests();
      digests.addRecord(record.data);
      this.matched.add(digests);
    }
    return true;
  }
}

/** Lists the rows of which a worker, or the process that has the journal open, may still say what became of them. */
function* awaitedRows(state: BulkState, isOpen: boolean): Generator<number> {
  for (const batches of [state.queued(), state.givenUp()]) for (const { range } of batches) yield* rowsOf([range]);
  if (isOpen) yield* state.table.filter((row) => state.table.state(row) === 'under-way');
}

/** Reads another list. @throws {JournalError} */
export async function readOther(path: string, index: RowIndex): Promise<OtherList | undefined> {
  const kind: JournalKind<BulkRecord, OtherState> = { ...bulkKind, createState: () => new OtherState(index) };
  const found = await readJournal(path, kind);
  if (!found) return undefined;
  const { size, holder, state } = found;
  const { list, table, replacedBy, sentAt } = state.state;
  // A list that was replaced sends nothing more.
  const isOpen = holder !== undefined && replacedBy === undefined;
  // The rows of most lists have nothing in common with this one, and need not stay in memory.
  const kept = state.matched.hasAny ? table : undefined;
  const idsInOrder = list?.plan.idsInOrder === true;
  const idsOf = (row: number): readonly bigint[] => {
    if (!kept) return [];
    const rows = idsInOrder ? [row] : kept.rowsOfBatch(row);
    return Array.from(rows, (each) => kept.id(each)).filter((id) => id > 0n);
  };
  return {
    path,
    size,
    baseUrl: list?.service?.baseUrl,
    sentAt,
    holder,
    matches: state.matched.withClaims(table, isOpen),
    awaited: state.matched.firstsOf(awaitedRows(state.state, isOpen)),
    idsOf,
  };
}
