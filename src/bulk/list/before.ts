import { basename } from 'node:path';
import type { Signal } from '../../internal/signals';
import { areShared, digitsIn } from '../../messages/person';
import { addToGroup } from '../groups';
import { MessageComparison, type RowClaim } from '../others/comparison';
import { claims, MatchedRows, type OtherList } from '../others/other-list';
import type { OtherLists } from '../others/other-lists';
import { RowIndex } from '../others/row-index';
import type { MessageDigests } from '../rows/message-digests';
import type { BulkView } from '../state/bulk-journal';
import type { RowState } from '../state/row-table';
import type { BeforeList, FileChange, ListElsewhere, RowsElsewhere, SomeRows } from './before-list';
import type { List } from './list';

/** The number of rows that are named of each kind. */
const MAX_NAMED = 10;

/** The knowledge about the rows of a list before any of them is sent. */
export interface Knowledge {
  readonly before: BeforeList;
  /** The answer of another list about a row. */
  readonly claimOn: (row: number) => RowClaim | undefined;
  /** The number of rows of other lists that say something of the message of a row. */
  readonly behind: (row: number) => number;
  /** The reason why a row is left out; undefined for a row that nobody has. */
  readonly reasonOf: (row: number) => string | undefined;
  readonly isCorrected: (row: number) => boolean;
  /** Lists the ids with which other lists have sent the messages of rows, and perhaps those of a few other messages. */
  readonly idsElsewhere: (rows: Iterable<number>) => Iterable<bigint>;
  /** The row of the earlier list with the message of a row; undefined for a new message. */
  readonly earlierOf: (row: number) => number | undefined;
  /** The rows that are compared, by their digests. */
  readonly index: RowIndex;
}

/** Compares the rows of a list with the journals of other lists. It writes nothing. */
export async function lookBefore(list: List, others: OtherLists | undefined, signal?: Signal): Promise<Knowledge> {
  const { rows, change, state } = list;
  const begins = change !== 'same';
  const digests = (begins ? rows.messages : state.digests) as MessageDigests;
  const stateOf = (row: number): RowState => (begins ? 'pending' : state.table.state(row));
  const index = indexOf(digests, stateOf);
  const earlier = change === 'replaces' ? earlierList(list, index) : undefined;
  const lists = [...(earlier ? [earlier] : []), ...((await others?.read(index, signal)) ?? [])];
  const comparison = new MessageComparison(digests, index, lists);
  const words = new Map(lists.map((other) => [other, describeOther(other)]));
  const pairs = earlier && pair(state, earlier, digests, index);
  const isCorrected = (row: number) => pairs?.corrected.has(row) === true && comparison.claimOn(row) === undefined;
  /** The reason of the earlier list, which left out a row that nobody else is known to have. */
  const keptReason = (row: number) => {
    const before = pairs?.earlierOf(row);
    const isKept = before !== undefined && state.table.state(before) === 'left-out' && !state.table.isCorrected(before);
    return isKept ? state.table.reason(before).text : undefined;
  };
  const reasonOf = (row: number) => {
    const claimed = comparison.claimOn(row);
    if (claimed === undefined) return keptReason(row);
    return claimed.claim === 'sent' ? words.get(claimed.list) : undefined;
  };
  const isRejected = (row: number) => {
    const before = pairs?.earlierOf(row);
    return before !== undefined && state.table.state(before) === 'rejected';
  };
  /** Lists the rows that may be sent now. */
  const toSend = (applies: (row: number) => boolean) =>
    rowsTo(rows.count, (row) => stateOf(row) === 'pending' && !isRejected(row) && applies(row));
  const elsewhere = (claim: RowClaim['claim']) =>
    describeElsewhere(
      toSend((row) => (claim === 'sent' ? reasonOf(row) !== undefined : comparison.claimOn(row)?.claim === claim)),
      comparison,
    );
  return {
    before: {
      rows: rows.count,
      pending: someOf(toSend(() => true)).count,
      parts: rows.parts,
      senders: rows.senders,
      indistinguishable: rows.indistinguishable.length,
      oddReceptors: rows.oddReceptors,
      otherLengths: rows.otherLengths,
      ofSeveralLines: rows.ofSeveralLines,
      firstText: rows.firstText,
      lostZeros: someOf(toSend((row) => comparison.hasLostZero(row))),
      isNew: state.list === undefined || change === 'new',
      isChanged: change === 'anew' || change === 'replaces',
      change: pairs?.change,
      sent: elsewhere('sent'),
      waiting: elsewhere('maybe'),
      busy: elsewhere('busy'),
      corrected: someOf(toSend(isCorrected)),
      unreadable: others?.unreadable ?? [],
    },
    claimOn: (row) => comparison.claimOn(row),
    behind: (row) => comparison.behind(row),
    reasonOf,
    isCorrected,
    idsElsewhere: (sought) => {
      const firsts = new Set(Array.from(sought, (row) => index.first(digests.message(row))));
      return idsOfSent(lists, (first) => firsts.has(first));
    },
    earlierOf: (row) => pairs?.earlierOf(row),
    index,
  };
}

/** The knowledge of other lists about the messages of some rows. */
export interface Elsewhere {
  /** The ids with which other lists have sent them. */
  readonly ids: Iterable<bigint>;
  /** The rows whose messages other lists may have sent just now: the outcomes of rows there may still come. */
  readonly awaited: ReadonlySet<number>;
}

/**
 * Compares the messages of rows with the journals of other lists, as these are now.
 *
 * @param keyOf the digest of the message of a row, as `MessageDigests` has it
 */
export async function lookElsewhere(
  rows: readonly number[],
  keyOf: (row: number) => bigint,
  others: OtherLists | undefined,
  signal?: Signal,
): Promise<Elsewhere> {
  const index = new RowIndex(() => Uint32Array.from(rows), keyOf);
  const lists = (await others?.read(index, signal)) ?? [];
  const firsts = lists.flatMap(({ awaited }) => [...awaited]);
  const awaited = new Set(firsts.flatMap((first) => [...index.find(keyOf(first))]));
  return { ids: idsOfSent(lists, () => true), awaited };
}

/** Lists the ids of sent rows of other lists. @param applies is true for a first row here whose message is asked for */
function* idsOfSent(lists: readonly OtherList[], applies: (first: number) => boolean): Generator<bigint> {
  for (const { matches, idsOf } of lists)
    for (const [row, first] of matches.first.entries())
      if (claims[matches.claims[row] as number] === 'sent' && applies(first)) yield* idsOf(row);
}

/**
 * Indexes the rows that are not sent. A row that was left out because of a message keeps this message from being
 * counted against another row.
 */
function indexOf(digests: MessageDigests, stateOf: (row: number) => RowState): RowIndex {
  const listRows = () => {
    const rows = new Uint32Array(digests.count);
    let count = 0;
    for (const state of ['left-out', 'pending', 'rejected', 'unknown'])
      for (const row of rowsTo(digests.count, (each) => stateOf(each) === state)) rows[count++] = row;
    return rows.subarray(0, count);
  };
  return new RowIndex(listRows, (row) => digests.message(row));
}

function* rowsTo(count: number, applies: (row: number) => boolean): Generator<number> {
  for (let row = 1; row <= count; row++) if (applies(row)) yield row;
}

/** The list whose place a changed file takes, as one of the others. Its ids are known messages of the new list. */
function earlierList({ path, state }: List, index: RowIndex): OtherList {
  const matched = new MatchedRows(state.table.total, index);
  matched.add(state.digests as MessageDigests);
  const { list, sentAt, table } = state;
  const matches = matched.withClaims(table, false);
  return {
    path,
    size: 0,
    baseUrl: list?.service?.baseUrl,
    sentAt,
    holder: undefined,
    matches,
    awaited: new Set(),
    idsOf: () => [],
  };
}

/** Pairs the rows of a changed file with those of the earlier list, by message. */
function pair({ table, digests: earlier }: BulkView, list: OtherList, digests: MessageDigests, index: RowIndex) {
  // Rows that were sent come first, as they do where messages are counted.
  const order = (row: number) => claims.indexOf(table.state(row) === 'sent' ? 'sent' : 'maybe');
  const found = Uint8Array.from(list.matches.first, (first, row) => (first === 0 ? 0 : order(row)));
  const paired = new MessageComparison(digests, index, [{ ...list, matches: { ...list.matches, claims: found } }]);
  const earlierOf = (row: number) => paired.claimOn(row)?.row;
  const unchanged = [...rowsTo(digests.count, (row) => earlierOf(row) !== undefined)];
  const kept = new Set(unchanged.map(earlierOf));
  const removed = [...table.filter((row) => !kept.has(row))];
  const added = [...rowsTo(digests.count, (row) => earlierOf(row) === undefined)];
  const had = removed.filter((row) => ['sent', 'left-out'].includes(table.state(row)));
  const texts = matchPersons(had, earlier as MessageDigests, added, digests);
  const replaced = new Set(texts.values());
  const change: FileChange = {
    added: someOf(added.filter((row) => !texts.has(row))),
    removed: someOf(removed.filter((row) => !replaced.has(row))),
    corrected: someOf([...texts.keys()].sort((one, other) => one - other)),
    unchanged: someOf(unchanged),
  };
  // A row that was left out for this reason is asked about again.
  const again = unchanged.filter((row) => table.isCorrected(earlierOf(row) as number));
  return { earlierOf, change, corrected: new Set([...texts.keys(), ...again]) };
}

/** Finds for each removed message one added row to the same person. Returns the removed row of each added row. */
function matchPersons(
  removed: readonly number[],
  earlier: MessageDigests,
  added: readonly number[],
  digests: MessageDigests,
): Map<number, number> {
  const byPerson = new Map<number, number[]>();
  for (const row of removed) byPerson.set(earlier.person(row), []);
  // Without a receptor there is no person.
  byPerson.delete(0);
  for (const row of added.toReversed())
    if (byPerson.has(digests.person(row))) addToGroup(byPerson, digests.person(row), row);
  const matched = new Map<number, number>();
  for (const row of removed) {
    const rows = byPerson.get(earlier.person(row)) ?? [];
    const digits = digitsIn(earlier.further(row));
    const at = rows.findLastIndex((each) => areShared(digits, digitsIn(digests.further(each))));
    const [found] = at < 0 ? [] : rows.splice(at, 1);
    if (found !== undefined) matched.set(found, row);
  }
  return matched;
}

function someOf(rows: Iterable<number>): SomeRows {
  const first: number[] = [];
  let count = 0;
  for (const row of rows) if (++count <= MAX_NAMED) first.push(row);
  return { count, first };
}

function describeElsewhere(rows: Iterable<number>, comparison: MessageComparison): RowsElsewhere {
  let count = 0;
  const lists = new Map<string, ListElsewhere>();
  const first: RowsElsewhere['first'][number][] = [];
  for (const row of rows) {
    count += 1;
    const claimed = comparison.claimOn(row);
    // The earlier list left it out, and the list that has its message is no longer there.
    if (claimed === undefined) continue;
    const { path: journal, sentAt, baseUrl, holder } = claimed.list;
    const known = lists.get(journal)?.rows ?? 0;
    lists.set(journal, { journal, rows: known + 1, sentAt, baseUrl, pid: holder?.pid });
    if (first.length < MAX_NAMED) first.push({ row, journal, rowThere: claimed.row });
  }
  return { count, first, lists: [...lists.values()].sort((one, other) => other.rows - one.rows) };
}

/** "has this message from list.csv, 26 November, at https://provider.example" */
function describeOther({ path, sentAt, baseUrl }: OtherList): string {
  const where = baseUrl === undefined ? '' : `, at ${baseUrl}`;
  return `has this message from ${nameOfList(path)}${sentAt === 0 ? '' : `, ${formatDay(sentAt)}`}${where}`;
}

/** The name of the file of a list. */
export function nameOfList(journal: string): string {
  return basename(journal, '.journal');
}

/** "26 November", with the year when it differs from the present one. */
export function formatDay(time: number): string {
  const [date, now] = [new Date(time), new Date()];
  const year = date.getFullYear() === now.getFullYear() ? undefined : 'numeric';
  return date.toLocaleDateString('en-GB', { day: 'numeric', month: 'long', year });
}
