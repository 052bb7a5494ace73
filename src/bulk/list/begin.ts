import { basename } from 'node:path';
import type { Signal } from '../../internal/signals';
import { JournalError } from '../../journal/errors';
import { MessageComparison } from '../others/comparison';
import { OtherLists } from '../others/other-lists';
import { InputError } from '../rows/input-error';
import type { MessageDigests } from '../rows/message-digests';
import type { BaselineRecord, BulkRecord } from '../state/records';
import { type Knowledge, lookBefore, nameOfList } from './before';
import type { BeforeList, BeginReply, OnBegin, RowsElsewhere } from './before-list';
import { firstRecords, recordsOfOthers, replyRecords } from './first-records';
import { refuseWrittenFile } from './given';
import type { List } from './list';

/** How a list is begun. */
interface BeginOptions {
  /** Lists the messages that the service has before the first row is sent. */
  readonly listBaseline: () => Promise<BaselineRecord>;
  readonly onBegin?: OnBegin | undefined;
  readonly signal: Signal;
}

/**
 * Opens the journal of a list in order to send its rows:
 *
 * 1. The rows are compared with other lists, and somebody is asked. Nothing is written.
 * 2. The baseline is listed, while nothing of the list may have been sent.
 * 3. The list and the reply are written. A list that has changed begins anew, or takes the place of the old one.
 * 4. The other lists are looked at again. Of two commands that begin at the same time, each sees what the other one has
 *    written, so they never both send.
 *
 * @throws as `listBaseline` and `onBegin` do; {InputError} when somebody has messages of the list, and nothing says
 * what becomes of them; {JournalError}
 */
export async function beginList(list: List, { listBaseline, onBegin, signal }: BeginOptions): Promise<void> {
  await list.refuseHolder();
  const { given, state, change } = list;
  const { settings } = given;
  const begins = change !== 'same';
  const others = otherListsOf(list);
  const known = await lookBefore(list, others, signal);
  const { before } = known;
  const isAsked = begins || !state.isLocked || concerns(before);
  const reply = (isAsked && (await onBegin?.(before))) || {};
  const fateOf = (name: 'again' | 'corrected') => {
    const fate = reply[name] ?? settings[name];
    return fate === 'refuse' ? undefined : fate;
  };
  const fates = { again: fateOf('again'), corrected: fateOf('corrected') };
  const without = [...settings.without, ...(reply.without ?? [])].filter((name) => !state.without.has(name));
  refuse(before, fates, without);
  const isListed = begins || !state.isLocked;
  const baseline = isListed ? [await listBaseline()] : [];
  signal.throwIfAborted();
  await refuseWrittenFile(given);
  const digests = (begins ? given.rows.messages : state.digests) as MessageDigests;
  const parts = [
    firstRecords(list, known),
    replyRecords(list, known, fates, without),
    recordsOfOthers(list, known, fates),
    baseline,
  ];
  await list.write(eachOf(parts), isAsked && onBegin !== undefined);
  list.waiting = before.waiting;
  const isAllowed = (row: number) => fates.again === 'send' && known.claimOn(row)?.claim === 'sent';
  list.maySend = (row) => known.claimOn(row) === undefined || isAllowed(row);
  await lookAgain(list, known, digests, others, signal);
  // The journal has them, and a list may have millions of rows.
  if (begins) digests.clear();
}

/** One after another: the records of a long list are never in memory together. */
function* eachOf(parts: readonly Iterable<BulkRecord>[]): Generator<BulkRecord> {
  for (const part of parts) yield* part;
}

/** True when somebody has to be asked, or told, although the list goes on as it was. */
function concerns({ sent, waiting, busy, corrected, unreadable }: BeforeList): boolean {
  return sent.count + waiting.count + busy.count + corrected.count + unreadable.length > 0;
}

/** The other lists of a list; undefined when it is compared with none. */
export function otherListsOf({ path, given: { settings }, state }: List): OtherLists | undefined {
  const { others, without, onComparing } = settings;
  if (others === undefined) return undefined;
  return new OtherLists(path, others, new Set([...without, ...state.without]), onComparing);
}

/** Looks at the journals that have changed since the rows were compared. Rows that somebody else sends stay pending. */
async function lookAgain(
  list: List,
  known: Knowledge,
  digests: MessageDigests,
  others: OtherLists | undefined,
  signal: Signal,
): Promise<void> {
  if (!others) return;
  const lists = await others.read(known.index, signal);
  if (!others.hasChanged) return;
  const now = new MessageComparison(digests, known.index, lists);
  const { maySend } = list;
  const isNew = (row: number) => {
    if (now.claimOn(row) === undefined) return false;
    return known.claimOn(row) === undefined || now.behind(row) > known.behind(row);
  };
  const stopped = new Set(
    list.state.table.filter((row) => list.state.table.state(row) === 'pending' && maySend(row) && isNew(row)),
  );
  if (stopped.size === 0) return;
  list.maySend = (row) => maySend(row) && !stopped.has(row);
  list.stopped = 'somebody else began to send messages of this list at the same time: run again';
}

/** @throws {InputError | JournalError} unless something says what becomes of each row */
function refuse(before: BeforeList, fates: Pick<BeginReply, 'again' | 'corrected'>, without: readonly string[]): void {
  const { sent, busy, corrected, unreadable, rows } = before;
  const unread = unreadable.find(({ path }) => !without.includes(basename(path)));
  if (unread) throw unread.error;
  const [other] = busy.lists;
  if (other) {
    const who = other.pid === undefined ? 'another process' : `process ${other.pid}`;
    const message = `${nameOfList(other.journal)} is being sent by ${who}: run again when it has ended`;
    throw new JournalError('locked', { message });
  }
  if (sent.count > 0 && fates.again === undefined) {
    const message = `${sent.count} of ${rows} rows were sent already (${describeLists(sent)}): again says what becomes of them`;
    throw new InputError([{ row: sent.first[0]?.row, message }], sent.count);
  }
  if (corrected.count > 0 && fates.corrected === undefined) {
    const message = `${corrected.count} of ${rows} rows are corrected texts, whose persons have the old ones: corrected says what becomes of them`;
    throw new InputError([{ row: corrected.first[0], message }], corrected.count);
  }
}

function describeLists({ lists }: RowsElsewhere): string {
  return lists.map(({ journal, rows }) => `${rows} by ${nameOfList(journal)}`).join(', ') || 'by an earlier list';
}
