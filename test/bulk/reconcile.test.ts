import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { openBulk } from '../../src/bulk';
import { beginList } from '../../src/bulk/list/begin';
import { List } from '../../src/bulk/list/list';
import { checkRowOptions } from '../../src/bulk/options';
import { type ListingClient, listBaseline } from '../../src/bulk/reconcile/listing';
import { reconcile } from '../../src/bulk/reconcile/reconcile';
import type { BulkRecord } from '../../src/bulk/state/records';
import { cleanUp } from '../support/clean-up';
import { gate } from '../support/clock';
import { makeFolder } from '../support/folder';
import { startSlowWay } from './proxy';
import {
  advanceClock,
  changeClient,
  clientOf,
  csvOf,
  damageOf,
  endOf,
  fields,
  holdDate,
  onePass,
  printed,
  receptorOf,
  rulesWithout,
  startSender,
  startService,
} from './support';

beforeEach(holdDate);

/** The default. */
const SETTLE_MS = 60_000;
const ALL = 1_000_000;
const NOTHING = { found: 0, notFound: 0 };

/** Rows of which the second was sent, the third was not, and neither is known; all others are sent. */
async function openDoubtful({ others }: { readonly others?: 'folder' } = {}) {
  const { sandbox, client } = await startService();
  const { input } = csvOf(10);
  const bulk = await openBulk({ client, input, fields, others });
  cleanUp(() => bulk.close());
  sandbox.reply('SendSimpleByApikey', { delayMs: 1 });
  sandbox.reply('SendSimpleByApikey', { drop: 'after' });
  sandbox.reply('SendSimpleByApikey', { drop: 'before' });
  await bulk.run({ ...onePass, concurrency: 1, stopAfterFailures: 0, baselinePagesize: ALL });
  expect(bulk.status().counts).toMatchObject({ unknown: 2, pending: 0 });
  advanceClock(SETTLE_MS);
  return { sandbox, client, input, bulk };
}

test('a row that the service lists is sent, and a row that it provably does not have is pending', async () => {
  const { sandbox, bulk } = await openDoubtful();
  expect(await bulk.reconcile()).toEqual({ found: 1, notFound: 1, undecided: [] });
  const second = sandbox.messages.find(({ receptor }) => receptor === '09120000002');
  expect([...bulk.rows()].slice(1, 3)).toMatchObject([
    { row: 2, state: 'sent', ids: [second?.messageid] },
    { row: 3, state: 'pending', ids: [] },
  ]);
  expect(await bulk.run(onePass)).toMatchObject({ sent: 10 });
  expect(damageOf(sandbox, 10)).toEqual({ twice: 0, lost: 0 });
});

test('a message that another list is sending, or has sent since, is not taken for that of an unknown row', async () => {
  const { client, input, bulk } = await openDoubtful({ others: 'folder' });
  const [arrived, answered] = [gate(), gate()];
  const slow = changeClient(client, {
    sendSimple: async (...request) => {
      const ids = await client.sendSimple(...request);
      arrived.open();
      await answered.opened;
      return ids;
    },
  });
  const rows = [{ receptor: receptorOf(3), name: 'name 3' }];
  const other = await openBulk({ client: slow, fields, input: rows, journal: join(dirname(input), 'other.journal') });
  const sending = other.run(onePass);
  await arrived.opened;
  const awaited = { reason: expect.stringContaining('another list has a row with its message'), ranges: [[3, 3]] };
  expect(await bulk.reconcile()).toEqual({ found: 1, notFound: 0, undecided: [awaited] });
  expect(bulk.status()).toMatchObject({ counts: { unknown: 1 }, isWorthLooking: true });
  expect([...bulk.rows('unknown')]).toMatchObject([{ error: awaited.reason }]);
  answered.open();
  await sending;
  expect(await bulk.reconcile()).toEqual({ found: 0, notFound: 1, undecided: [] });
  await other.close();
});

test('a row whose claim Redis has lost is found, but only a person says that it was not sent', async () => {
  const { client, input, bulk } = await openDoubtful();
  await bulk.close();
  const path = `${input}.journal`;
  const text = readFileSync(path, 'utf8');
  expect(text.match(/"t":"unknown"|"error":"ConnectionError/g)?.length).toBeGreaterThan(2);
  writeFileSync(path, text.replace(/^(\{"t":"unknown".*)\}$/gm, '$1,"lost":true}'));
  const next = await openBulk({ client, input, fields });
  cleanUp(() => next.close());
  advanceClock(SETTLE_MS);
  expect(await next.reconcile()).toMatchObject({
    ...{ found: 1, notFound: 0 },
    undecided: [{ reason: expect.stringContaining('Redis has lost the claim'), ranges: [[3, 3]] }],
  });
  await next.resolve({ ranges: [[3, 3]], as: 'not-sent' });
  expect(await next.run(onePass)).toMatchObject({ sent: 10 });
});

test('a row that was not found is pending in the next process too, until it is sent again', async () => {
  const { sandbox, client, input, bulk } = await openDoubtful();
  await bulk.reconcile();
  await bulk.close();
  const next = await openBulk({ client, input, fields });
  cleanUp(() => next.close());
  expect(next.status().counts).toMatchObject({ pending: 1, unknown: 0 });
  sandbox.reply('SendSimpleByApikey', { drop: 'after' });
  expect(await next.run(onePass)).toMatchObject({ unknown: 1 });
});

test('a listing that is cut before the row proves nothing', async () => {
  const { sandbox, bulk } = await openDoubtful();
  const newestFirst = sandbox.messages.toReversed();
  for (const count of [1, 6]) sandbox.reply('SelectlatestByApikey', { result: newestFirst.slice(0, count) });
  expect(await bulk.reconcile()).toMatchObject({
    ...NOTHING,
    undecided: [{ reason: expect.stringContaining('in which order'), ranges: [[2, 3]] }],
  });
  expect(await bulk.reconcile()).toMatchObject({ found: 1, notFound: 1 });
});

test.each(['sender', 'receptor', 'message'] as const)(
  'a row is undecided when the service lists a message near it with another %s than was sent',
  async (name) => {
    const { sandbox, bulk } = await openDoubtful();
    const result = sandbox.messages
      .map((message, index) => (index === 3 ? { ...message, [name]: 'x' } : message))
      .toReversed();
    sandbox.reply('SelectlatestByApikey', { result }, { times: 20 });
    expect(await bulk.reconcile()).toMatchObject({ found: 1, notFound: 0, undecided: [{ ranges: [[3, 3]] }] });
  },
);

test('rows are undecided when the service masks the receptor of a message that may be theirs', async () => {
  const { sandbox, bulk } = await openDoubtful();
  const result = sandbox.messages
    .map((each) => (each.receptor === '09120000002' ? { ...each, receptor: '0912xxx' } : each))
    .toReversed();
  sandbox.reply('SelectlatestByApikey', { result }, { times: 20 });
  expect(await bulk.reconcile()).toMatchObject({ ...NOTHING, undecided: [{ ranges: [[2, 3]] }] });
});

/** The receptor of two equal rows. */
const EQUAL = '09120000099';

/** Two equal rows between others, both unknown. The message of the first one was sent. */
async function openEqual(others: number, second: 'after' | 'before') {
  const { sandbox, client } = await startService();
  const receptors = Array.from({ length: others }, (_, row) => `${1000 + row}`).toSpliced(1, 0, EQUAL, EQUAL);
  const input = receptors.map((receptor) => ({ receptor, name: 'a' }));
  const bulk = await openBulk({ client, input, fields, journal: join(makeFolder(), 'journal') });
  cleanUp(() => bulk.close());
  sandbox.reply('SendSimpleByApikey', { delayMs: 1 });
  sandbox.reply('SendSimpleByApikey', { drop: 'after' });
  sandbox.reply('SendSimpleByApikey', { drop: second });
  await bulk.run({ ...onePass, concurrency: 1, stopAfterFailures: 0, baselinePagesize: ALL });
  advanceClock(SETTLE_MS);
  return { sandbox, bulk };
}

test('of equal rows, as many are sent as the service lists messages', async () => {
  const { sandbox, bulk } = await openEqual(8, 'before');
  expect(await bulk.reconcile()).toEqual({ found: 1, notFound: 1, undecided: [] });
  expect(await bulk.run(onePass)).toMatchObject({ sent: 10 });
  expect(sandbox.messages.filter(({ receptor }) => receptor === EQUAL)).toHaveLength(2);
});

test('both messages of equal rows count where they have different dates', async () => {
  const { sandbox, bulk } = await openEqual(8, 'after');
  const result = sandbox.messages.map((each, index) => ({ ...each, date: each.date + BigInt(index) })).toReversed();
  sandbox.reply('SelectlatestByApikey', { result }, { times: 20 });
  expect(await bulk.reconcile()).toEqual({ found: 2, notFound: 0, undecided: [] });
});

test.each([
  ['they have the same date', 0, 0],
  ['the message of another row is listed twice', 1, 1],
])('both messages of equal rows do not count where %s', async (_, later, copies) => {
  const { sandbox, bulk } = await openEqual(8, 'after');
  const [first, ...others] = sandbox.messages.map((each, index) => ({ ...each, date: 1000n + BigInt(index * later) }));
  if (first === undefined) throw new Error('nothing was sent');
  const copy = Array.from({ length: copies }, () => ({ ...first, messageid: 1n }));
  const result = [first, ...copy, ...others].toReversed();
  sandbox.reply('SelectlatestByApikey', { result }, { times: 20 });
  const reason = expect.stringMatching(
    /same receptor and text.* list one message twice: only the page of your provider can tell/,
  );
  expect(await bulk.reconcile()).toEqual({ ...NOTHING, undecided: [{ reason, ranges: [[2, 3]] }] });
  expect(await bulk.resolve({ ranges: [[2, 3]], as: 'sent' })).toBe(2);
  expect(bulk.status().counts).toMatchObject({ sent: 10 });
});

test('more rows are asked for only while the list has rows to send', async () => {
  const { sandbox, client } = await startService();
  const { input } = csvOf(3);
  const bulk = await openBulk({ client, input, fields });
  cleanUp(() => bulk.close());
  // The first request of a list that fails ends the run.
  sandbox.reply('SendSimpleByApikey', { drop: 'before' });
  await bulk.run({ ...onePass, concurrency: 1, baselinePagesize: ALL });
  advanceClock(SETTLE_MS);
  const reasonOf = async () => (await bulk.reconcile()).undecided.map(({ reason }) => reason);
  expect(await reasonOf()).toEqual([expect.stringMatching(/in which order .*: send more rows, then look again$/)]);
  await bulk.run({ ...onePass, concurrency: 1 });
  advanceClock(SETTLE_MS);
  expect(await reasonOf()).toEqual([
    expect.stringMatching(/in which order .*: only the page of your provider can tell/),
  ]);
});

/** The message of a row of `csvOf`. */
function messageOf(row: number, date = 1000n, messageid = BigInt(row)) {
  const receptor = `0912${String(row).padStart(7, '0')}`;
  return { messageid, sender: '3000', receptor, message: `Hello name ${row}`, date };
}

/** A client of a service that lists some messages. */
function clientThatLists(messages: readonly object[]): ListingClient {
  const selectLatestStream = ({ pagesize }: { pagesize: number }) => Readable.from(messages.slice(0, pagesize));
  return { selectLatestStream } as unknown as ListingClient;
}

/** Begins a list after a baseline, which is full unless it is empty, and sends its rows. */
async function openSent(rows: number, baseline: readonly object[], records: readonly BulkRecord[]) {
  const list = await List.of(checkRowOptions({ input: csvOf(rows).input, fields }));
  const { signal } = new AbortController();
  await beginList(list, {
    listBaseline: () => listBaseline(clientThatLists(baseline), baseline.length || 100, signal),
    signal,
  });
  cleanUp(() => list.close());
  await list.journal.commit(records);
  return list;
}

const intent = (row: number): BulkRecord => ({ t: 'intent', n: row, range: [row, row], at: 0 });
const sent = (row: number): BulkRecord => ({ t: 'sent', n: row, ids: [String(row)] });
const unknown = (row: number): BulkRecord => ({ t: 'unknown', n: row, error: 'x' });

test('rows under way in a queue leave the unknown rows undecided', async () => {
  const list = await openSent(
    2,
    [],
    [{ t: 'intent', n: 1, range: [1, 1], at: 0, queued: true }, intent(2), unknown(2)],
  );
  const { undecided } = await reconcile(list, clientThatLists([]), { settleMs: 3_600_000 });
  expect(undecided).toEqual([{ reason: expect.stringMatching(/collect first/), ranges: [[2, 2]] }]);
});

// Each of these needs a rule that only very rare random worlds need.

test('rows that overlapped with a row do not show that the listing reaches back to it', async () => {
  const rows = Array.from({ length: 24 }, (_, index) => index + 1);
  // Twelve rows at once, of which the last one is unknown, and then one row after the other.
  const [overlapping, later] = [rows.slice(0, 11), rows.slice(12)];
  const atOnce = [...rows.slice(0, 12).map(intent), ...overlapping.map(sent), unknown(12)];
  const list = await openSent(24, [], [...atOnce, ...later.flatMap((row) => [intent(row), sent(row)])]);
  const client = clientThatLists([...overlapping, ...later].map((row) => messageOf(row)).toReversed());
  const { undecided } = await reconcile(list, client, { settleMs: 0 });
  expect(undecided).toEqual([
    { reason: expect.stringMatching(/list of the service may begin after it/), ranges: [[12, 12]] },
  ]);
  const rules = rulesWithout('cover', 'older');
  expect(await reconcile(list, client, { settleMs: 0, rules })).toMatchObject({ notFound: 1 });
});

test('a later date does not show that a message is from after the baseline, where the order is not seen', async () => {
  const baseline = [messageOf(99)];
  const list = await openSent(2, baseline, [intent(1), sent(1), intent(2), unknown(2)]);
  // The message with the content of row 2 was sent by others, before the page of the baseline.
  const client = clientThatLists([...baseline, messageOf(1, 1001n), messageOf(2, 1002n, 98n)]);
  const { undecided } = await reconcile(list, client, { settleMs: 0 });
  expect(undecided).toEqual([{ reason: expect.stringMatching(/in which order/), ranges: [[2, 2]] }]);
  const rules = rulesWithout('cover', 'order');
  expect(await reconcile(list, client, { settleMs: 0, rules })).toMatchObject({ found: 1 });
});

test('a resolved row must be unknown, and an id belongs to one row', async () => {
  const { bulk } = await openDoubtful();
  await expect(bulk.resolve({ ranges: [[1, 2]], as: 'sent' })).rejects.toThrow(
    'ranges: row 1 is sent: resolve is for unknown rows',
  );
  await expect(bulk.resolve({ ranges: [[2, 3]], as: 'sent', id: 5n })).rejects.toThrow('id: it is the id of one row');
  await expect(bulk.resolve({ ranges: [[99, 99]], as: 'sent' })).rejects.toThrow('ranges: there is no row 99');
  await expect(bulk.resolve({ ranges: [[2, 2 ** 52]], as: 'sent' })).rejects.toThrow(`there is no row ${2 ** 52}`);
  const [first] = bulk.rows('sent');
  await expect(bulk.resolve({ ranges: [[2, 2]], as: 'sent', id: first?.ids[0] })).rejects.toThrow(
    `id: message ${first?.ids[0]} belongs to the request of row 1 already`,
  );
  expect(await bulk.resolve({ ranges: [[2, 2]], as: 'sent', id: 77n })).toBe(1);
  expect([...bulk.rows('sent')][1]).toMatchObject({ row: 2, ids: [77n] });
});

test('settling counts from the opening of the journal, and may take longer than a timer', async () => {
  const { client, input, bulk } = await openDoubtful();
  await bulk.close();
  // As after a clock that was ahead while the rows were sent: only the clock that goes forward counts.
  jest.spyOn(Date, 'now').mockReturnValue(0);
  cleanUp(() => jest.restoreAllMocks());
  const next = await openBulk({ client, input, fields });
  cleanUp(() => next.close());
  const waits: number[] = [];
  const stop = new AbortController();
  const onWait = (ms: number) => {
    waits.push(ms);
    setTimeout(() => stop.abort(), 50);
  };
  const settleMs = 2_147_483_647;
  await expect(next.reconcile({ settleMs, onWait, signal: stop.signal })).rejects.toThrow(/aborted/);
  expect(waits).toEqual([expect.closeTo(settleMs, -5)]);
});

test('settling has to take longer than a request may take to begin', async () => {
  const { bulk } = await openDoubtful();
  await expect(bulk.reconcile({ settleMs: 5000 })).rejects.toThrow(
    'settleMs: 5000 is not longer than the time within which a request begins (5000)',
  );
});

describe('a request that still travels when its sender dies', () => {
  /** Rows that were held on their way when their sender was killed. */
  async function killWhileTravelling() {
    const { sandbox, client } = await startService();
    const way = await startSlowWay(sandbox.baseUrl, 0);
    const { input } = csvOf(20);
    const options = { input, startWithinMs: 500 };
    const slowClient = clientOf(sandbox, way.baseUrl);
    const first = await openBulk({ ...options, client: slowClient, fields });
    const stop = new AbortController();
    // So many rows show the order of the listing.
    const onProgress = ({ sent }: { readonly sent: number }) => {
      if (sent === 8) stop.abort();
    };
    await first.run({ ...onePass, baselinePagesize: ALL, signal: stop.signal, concurrency: 1, onProgress });
    await first.close();
    await slowClient.close();
    way.hold();
    const child = await startSender({ ...options, baseUrl: way.baseUrl, concurrency: 5 });
    await printed(child, /running/);
    await way.pieces(5);
    child.kill('SIGKILL');
    await endOf(child);
    const rows = { ...options, fields };
    const open = async () => {
      const bulk = await openBulk({ ...rows, client });
      cleanUp(() => bulk.close());
      return bulk;
    };
    return { sandbox, client, way, rows, open };
  }

  test('is found once it has settled', async () => {
    const { sandbox, way, open } = await killWhileTravelling();
    const bulk = await open();
    expect(bulk.status().counts.unknown).toBeGreaterThan(0);
    // It arrives while the reconciliation waits.
    const result = await bulk.reconcile({ settleMs: 3000, onWait: () => way.release() });
    expect(result).toMatchObject({ notFound: 0, undecided: [] });
    await bulk.run(onePass);
    expect(damageOf(sandbox, 20)).toEqual({ twice: 0, lost: 0 });
  });

  test('would be sent twice without settling: this control finds the damage', async () => {
    const { sandbox, client, way, rows, open } = await killWhileTravelling();
    const list = await List.of(checkRowOptions(rows));
    await list.open();
    expect(await reconcile(list, client, { settleMs: 0 })).toMatchObject({ found: 0 });
    await list.close();
    const bulk = await open();
    await bulk.run(onePass);
    way.release();
    await way.idle();
    expect(damageOf(sandbox, 20).twice).toBeGreaterThan(0);
  });
});
