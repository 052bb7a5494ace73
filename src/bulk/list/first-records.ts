import { Service } from '../../client/options/service';
import { JournalError } from '../../journal/errors';
import { addToGroup } from '../groups';
import type { BulkView } from '../state/bulk-journal';
import { type BulkRecord, type ListRecord, rangesOf, type Texts } from '../state/records';
import type { Knowledge } from './before';
import type { BeginReply } from './before-list';
import { digestRecords, newSettings } from './given';
import type { List } from './list';

/** The number of ids in a record. */
const IDS_OF_RECORD = 4096;

/** The records with which a list begins, or goes on. @throws {JournalError} */
export function firstRecords(list: List, known: Knowledge): Iterable<BulkRecord> {
  return list.change === 'same' ? recordsToGoOn(list) : recordsToBegin(list, known);
}

function recordsToGoOn(list: List): BulkRecord[] {
  const { given, state } = list;
  const service = serviceAfterMove(list);
  const settings = newSettings(given, state, { ...(state.list as ListRecord), ...(service && { service }) });
  return [...(service ? [{ t: 'service', texts: service } as const] : []), ...settings];
}

function* recordsToBegin({ given, state, change }: List, known: Knowledge): Generator<BulkRecord> {
  const isReplacing = change === 'replaces';
  const service = given.record.service ?? (isReplacing ? state.list?.service : undefined);
  const record = { ...given.record, service };
  yield record;
  const settings = given.settings.settings ?? (isReplacing ? state.settings : undefined);
  const before = { settings: {}, accounts: [] };
  yield* newSettings({ ...given, settings: { ...given.settings, settings } }, before, record);
  yield* digestRecords(given.rows);
  if (isReplacing) yield* recordsOfEarlier(state, known, given.rows.count);
}

/** The knowledge of the earlier list of a file: messages that were sent, and rows that were refused. */
function* recordsOfEarlier(state: BulkView, { earlierOf }: Knowledge, rows: number): Generator<BulkRecord> {
  const { table } = state;
  yield* recordsOfIds('known', knownIds(state));
  const refused = new Map<string, number[]>();
  for (let row = 1; row <= rows; row++) {
    const before = earlierOf(row);
    if (before === undefined || table.state(before) !== 'rejected') continue;
    const { text: error, refusal } = table.reason(before);
    const refusedTogether = table.mustGoAlone(before);
    addToGroup(refused, JSON.stringify({ error, refusal, refusedTogether }), row);
  }
  for (const [reason, each] of refused) yield { t: 'known-rejected', ranges: rangesOf(each), ...JSON.parse(reason) };
}

function* recordsOfIds(t: 'known' | 'elsewhere', all: Iterable<bigint>): Generator<BulkRecord> {
  let ids: string[] = [];
  for (const id of all) {
    if (ids.push(String(id)) < IDS_OF_RECORD) continue;
    yield { t, ids };
    ids = [];
  }
  if (ids.length > 0) yield { t, ids };
}

function* knownIds(state: BulkView): Generator<bigint> {
  const { table } = state;
  yield* state.known();
  for (const row of table.filter((each) => table.state(each) === 'sent')) if (table.id(row) > 0n) yield table.id(row);
}

/**
 * The ids of messages that other lists have sent, and that are equal to messages of open rows. A reconciliation must
 * not take them for messages of this list.
 */
export function* recordsOfOthers(
  { state, change, rows }: List,
  { behind, reasonOf, idsElsewhere }: Knowledge,
  { again }: Pick<BeginReply, 'again'>,
): Generator<BulkRecord> {
  const open: number[] = [];
  for (let row = 1; row <= rows.count; row++) {
    if (behind(row) === 0) continue;
    const current = change === 'same' ? state.table.state(row) : 'pending';
    const isLeftOut = again === 'leave out' && reasonOf(row) !== undefined;
    if (current === 'unknown' || (current === 'pending' && !isLeftOut)) open.push(row);
  }
  if (open.length === 0) return;
  const known = new Set([...(change === 'same' ? state.elsewhere : []), ...(state.baseline?.ids ?? []).map(BigInt)]);
  const ids = [...new Set(idsElsewhere(open))].filter((id) => !known.has(id));
  yield* recordsOfIds('elsewhere', ids);
}

/** The records of a reply: rows that are not sent, and journals that were not compared. */
export function* replyRecords(
  { state, change, rows }: List,
  { reasonOf, isCorrected, earlierOf }: Knowledge,
  { again, corrected }: Pick<BeginReply, 'again' | 'corrected'>,
  without: readonly string[],
): Generator<BulkRecord> {
  for (const journal of without) yield { t: 'without', journal };
  const left = new Map<string, number[]>();
  const other: number[] = [];
  const isPending = (row: number) => {
    if (change === 'same') return state.table.state(row) === 'pending';
    const before = earlierOf(row);
    return before === undefined || state.table.state(before) !== 'rejected';
  };
  for (let row = 1; row <= rows.count; row++) {
    if (!isPending(row)) continue;
    const reason = again === 'leave out' ? reasonOf(row) : undefined;
    if (reason !== undefined) addToGroup(left, reason, row);
    else if (corrected === 'leave out' && isCorrected(row)) other.push(row);
  }
  for (const [reason, each] of left) yield { t: 'left-out', ranges: rangesOf(each), reason };
  if (other.length > 0)
    yield { t: 'left-out', ranges: rangesOf(other), reason: 'has another text of this list', corrected: true };
}

/** The service of a list that has moved; undefined for any other list. @throws {JournalError} while rows are queued */
function serviceAfterMove({ path, given: { record, settings }, state }: List): Texts | undefined {
  const { service } = record;
  if (!settings.serviceMoved || !service || new Service(state.list?.service).isSame(new Service(service)))
    return undefined;
  if (state.queued().next().done) return service;
  const message = `${path}: rows are in a queue, whose workers know the earlier service: take them back first`;
  throw new JournalError('changed', { message });
}
