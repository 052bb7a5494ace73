import { join } from 'node:path';
import { type BulkOptions, openBulk } from '../../src/bulk';
import { Bulk, openList } from '../../src/bulk/bulk';
import { resolveList } from '../../src/bulk/options';
import { reconcile } from '../../src/bulk/reconcile/reconcile';
import { cleanUp } from '../support/clean-up';
import { makeFolder } from '../support/folder';
import { startSlowWay } from './proxy';
import { advanceClock, clientOf, csvOf, damageOf, endOf, fields, printed, startSender, startService } from './support';

/** The default. */
const SETTLE_MS = 60_000;
const ALL = { pagesize: 1_000_000 };

/** Rows of which the second was sent, the third was not, and neither is known; all others are sent. */
async function openDoubtful(options: { before?: () => Promise<void>; baseline?: boolean; rows?: number } = {}) {
  const { sandbox, client } = await startService();
  const { input } = csvOf(options.rows ?? 6);
  const bulk = await openBulk({ client, input, fields });
  cleanUp(() => bulk.close());
  sandbox.reply('SendSimpleByApikey', { delayMs: 1 });
  sandbox.reply('SendSimpleByApikey', { drop: 'after' });
  sandbox.reply('SendSimpleByApikey', { drop: 'before' });
  await bulk.run({
    concurrency: 1,
    stopAfterFailures: 0,
    ...(options.baseline === false ? {} : { baseline: ALL }),
  });
  expect(bulk.status().counts).toMatchObject({ unknown: 2, pending: 0 });
  advanceClock(SETTLE_MS);
  return { sandbox, client, input, bulk };
}

test('what the service lists is sent, what it does not list can be sent again: each row once', async () => {
  const { sandbox, bulk } = await openDoubtful();
  expect(await bulk.reconcile(ALL)).toEqual({
    concluded: true,
    found: 1,
    notFound: 1,
  });
  const second = sandbox.messages.find(({ receptor }) => receptor === '09120000002');
  expect([...bulk.rows()].slice(1, 3)).toMatchObject([
    { row: 2, state: 'sent', ids: [second?.messageid], notFound: false },
    // Not found is a finding: the row stays unknown.
    { row: 3, state: 'unknown', ids: [], notFound: true },
  ]);
  expect(await bulk.retry('not-found')).toBe(1);
  expect(await bulk.run()).toMatchObject({ sent: 6 });
  expect(damageOf(sandbox, 6)).toEqual({ twice: 0, lost: 0 });
});

test('a finding is kept in the journal, and holds only until the row is sent again', async () => {
  const { sandbox, client, input, bulk } = await openDoubtful();
  await bulk.reconcile(ALL);
  await bulk.close();
  const next = await openBulk({ client, input, fields });
  cleanUp(() => next.close());
  expect(await next.retry('not-found')).toBe(1);
  sandbox.reply('SendSimpleByApikey', { drop: 'after' });
  expect(await next.run()).toMatchObject({ unknown: 1 });
  expect(await next.retry('not-found')).toBe(0);
});

test('by dates it finds the same', async () => {
  const { sandbox, client } = await startService();
  const { input } = csvOf(4);
  const dates = { startUnixdate: 0, endUnixdate: 4_102_444_800 };
  const bulk = await openBulk({ client, input, fields });
  cleanUp(() => bulk.close());
  sandbox.reply('SendSimpleByApikey', { delayMs: 1 });
  sandbox.reply('SendSimpleByApikey', { drop: 'after' });
  await bulk.run({ stopAfterFailures: 0, baseline: dates });
  advanceClock(SETTLE_MS);
  expect(await bulk.reconcile(dates)).toMatchObject({ concluded: true, found: 1 });
  expect(await bulk.reconcile(dates)).toMatchObject({ concluded: true, found: 0 });
});

describe('the baseline', () => {
  /** The same texts went to the same people earlier; then the sending of rows 3 to 5 leaves them in doubt, and unsent. */
  async function sendAfterOthers(baseline: object) {
    const { sandbox, client } = await startService();
    for (const row of [3, 4, 5]) {
      const receptor = [`0912000000${row}`];
      await client.sendSimple({ ...fields, message: `Hello name ${row}`, receptor });
    }
    const { input } = csvOf(6);
    const options = { client, input, fields } satisfies BulkOptions;
    sandbox.reply('SendSimpleByApikey', { delayMs: 1 });
    sandbox.reply('SendSimpleByApikey', { delayMs: 1 });
    sandbox.reply('SendSimpleByApikey', { drop: 'before' }, { times: 3 });
    const bulk = await openBulk(options);
    cleanUp(() => bulk.close());
    await bulk.run({ concurrency: 1, stopAfterFailures: 0, ...baseline });
    advanceClock(SETTLE_MS);
    return { sandbox, bulk };
  }

  test('keeps older messages from being taken for rows', async () => {
    const { bulk } = await sendAfterOthers({ baseline: ALL });
    expect(await bulk.reconcile(ALL)).toEqual({
      concluded: true,
      found: 0,
      notFound: 3,
    });
  });

  test('that is missing leaves everything open', async () => {
    const { bulk } = await sendAfterOthers({});
    expect(await bulk.reconcile(ALL)).toEqual({
      concluded: false,
      reason: expect.stringMatching(/no baseline/),
    });
    expect(bulk.status().counts).toMatchObject({ unknown: 3 });
  });

  test('that is short keeps messages before it from being taken for rows, by their place in the listing', async () => {
    const { sandbox, bulk } = await sendAfterOthers({ baseline: { pagesize: 2 } });
    const unconcluded = { concluded: false, reason: expect.stringMatching(/listed with pagesize 2: list in the same/) };
    expect(await bulk.reconcile({ startUnixdate: 0, endUnixdate: 1 })).toEqual(unconcluded);
    const all = await clientOf(sandbox).selectLatest({ pagesize: 100 });
    const [first, second, third, older, ...others] = all;
    const mixed = [older, first, ...others, second, third] as typeof all;
    sandbox.reply('SelectlatestByApikey', { result: mixed });
    const reason = expect.stringMatching(/order of the listing does not tell/);
    expect(await bulk.reconcile({ pagesize: 6 })).toEqual({ concluded: false, reason });
    sandbox.reply('SelectlatestByApikey', { result: all.toReversed() });
    const none = { concluded: true, found: 0, notFound: 3 };
    expect(await bulk.reconcile({ pagesize: 6 })).toEqual(none);
    expect(await bulk.reconcile({ pagesize: 6 })).toEqual(none);
  });

  test('has to be reached by a full page, else rows that were sent would not be found', async () => {
    const { sandbox, client } = await startService();
    await client.sendSimple({ ...fields, message: 'other', receptor: ['1'] });
    const bulk = await openBulk({ client, input: csvOf(10).input, fields });
    cleanUp(() => bulk.close());
    sandbox.reply('SendSimpleByApikey', { drop: 'after' }, { times: 3 });
    await bulk.run({ stopAfterFailures: 0, baseline: { pagesize: 1 } });
    for (const receptor of ['2', '3', '4']) await client.sendSimple({ ...fields, receptor: [receptor], message: 'x' });
    advanceClock(SETTLE_MS);
    const reason = expect.stringMatching(/the page does not reach back to before the first row/);
    expect(await bulk.reconcile({ pagesize: 12 })).toEqual({ concluded: false, reason });
    expect(await bulk.reconcile({ pagesize: 13 })).toMatchObject({ concluded: true, found: 3, notFound: 0 });
  });

  test('by dates allows no other dates, and no rows with dates of their own', async () => {
    const { sandbox, client } = await startService();
    const input = ['0', '2000000000'].map((unixdate, row) => ({ unixdate: BigInt(unixdate), receptor: `${row}` }));
    const { unixdate: _, ...shared } = { ...fields, message: 'Hello' };
    const dates = { startUnixdate: 0, endUnixdate: 1_900_000_000 };
    for (const [rows, other, reason] of [
      [input, dates, /dates of their own/],
      [input.map((row) => ({ ...row, unixdate: 0n })), { ...dates, startUnixdate: 1 }, /list in the same way/],
    ] as const) {
      const bulk = await openBulk({ client, input: rows, fields: shared, journal: join(makeFolder(), 'journal') });
      cleanUp(() => bulk.close());
      sandbox.reply('SendSimpleByApikey', { delayMs: 1 });
      sandbox.reply('SendSimpleByApikey', { drop: 'after' });
      await bulk.run({ concurrency: 1, baseline: dates });
      advanceClock(SETTLE_MS);
      expect(await bulk.reconcile(other)).toEqual({ concluded: false, reason: expect.stringMatching(reason) });
    }
  });

  test('without it, rows that were never sent would be lost: this control finds them', async () => {
    const { sandbox, input, client } = await openControl();
    const list = await openList(resolveList({ input, fields }, {}));
    const { journal } = list;
    cleanUp(() => journal.close());
    // As if the baseline had found nothing.
    await journal.commit({ t: 'baseline', ids: [], listing: { pagesize: '1000000' } });
    expect(await reconcile(list, client, { listing: ALL, settleMs: SETTLE_MS })).toMatchObject({ found: 1 });
    const late = sandbox.messages.filter(({ receptor }) => receptor === '09120000003');
    // One message for the row, and it is the older one: the row itself is lost.
    expect([late.length, journal.state.table.state(3)]).toEqual([1, 'sent']);
  });

  async function openControl() {
    const { sandbox, client } = await startService();
    await client.sendSimple({ ...fields, message: 'Hello name 3', receptor: ['09120000003'] });
    const { input } = csvOf(4);
    const bulk = await openBulk({ client, input, fields });
    sandbox.reply('SendSimpleByApikey', { delayMs: 1 });
    sandbox.reply('SendSimpleByApikey', { delayMs: 1 });
    sandbox.reply('SendSimpleByApikey', { drop: 'before' });
    await bulk.run({ concurrency: 1, stopAfterFailures: 0, baseline: ALL });
    await bulk.close();
    advanceClock(SETTLE_MS);
    return { sandbox, input, client };
  }
});

describe('the control: nothing is concluded, and nothing written down, when', () => {
  test('the listing is too short for the rows that are known to be sent', async () => {
    const { bulk } = await openDoubtful();
    const { concluded, ...result } = await bulk.reconcile({ pagesize: 3 });
    expect({ concluded, ...result }).toEqual({
      concluded: false,
      reason: expect.stringMatching(/of 4 messages .* 1 are not listed/),
    });
    expect(await bulk.retry('not-found')).toBe(0);
  });

  test.each(['sender', 'receptor', 'message'] as const)('the service lists another %s than was sent', async (name) => {
    const { sandbox, bulk } = await openDoubtful();
    const result = sandbox.messages.map((message, index) => (index === 3 ? { ...message, [name]: 'x' } : message));
    sandbox.reply('SelectlatestByApikey', { result });
    expect(await bulk.reconcile(ALL)).toEqual({
      concluded: false,
      reason: expect.stringMatching(/lists other senders, receptors or texts/),
    });
    expect(bulk.status().counts).toMatchObject({ unknown: 2 });
  });

  test('no row is known to be sent', async () => {
    const { sandbox, client } = await startService();
    const bulk = await openBulk({ client, input: csvOf(1).input, fields });
    cleanUp(() => bulk.close());
    sandbox.reply('SendSimpleByApikey', { drop: 'after' });
    await bulk.run({ baseline: ALL });
    expect(await bulk.reconcile(ALL)).toEqual({
      concluded: false,
      reason: expect.stringMatching(/no row is known to be sent/),
    });
  });
});

test('equal rows stay distinct: of two, one was sent, and the other is not found', async () => {
  const { sandbox, client } = await startService();
  const input = ['1', '2', '2'].map((receptor) => ({ receptor, name: 'a' }));
  const journal = join(makeFolder(), 'journal');
  const bulk = await openBulk({ client, input, fields, journal });
  cleanUp(() => bulk.close());
  sandbox.reply('SendSimpleByApikey', { delayMs: 1 });
  sandbox.reply('SendSimpleByApikey', { drop: 'after' });
  sandbox.reply('SendSimpleByApikey', { drop: 'before' });
  await bulk.run({ concurrency: 1, stopAfterFailures: 0, baseline: ALL });
  advanceClock(SETTLE_MS);
  expect(await bulk.reconcile(ALL)).toEqual({
    concluded: true,
    found: 1,
    notFound: 1,
  });
  await bulk.retry('not-found');
  await bulk.run();
  expect(sandbox.messages.map(({ receptor }) => receptor)).toEqual(['1', '2', '2']);
});

describe('a row stays undecided', () => {
  /** Rows of which the first is sent, and the next ones are answered by dropped connections. */
  async function send(
    input: readonly Readonly<Record<string, string | bigint>>[],
    drops: readonly ('before' | 'after')[],
  ) {
    const { sandbox, client } = await startService();
    const { unixdate, message, ...shared } = fields;
    const journal = join(makeFolder(), 'journal');
    const bulk = await openBulk({ client, input, fields: shared, defaults: { unixdate, message: 'Hello' }, journal });
    cleanUp(() => bulk.close());
    sandbox.reply('SendSimpleByApikey', { delayMs: 1 });
    for (const drop of drops) sandbox.reply('SendSimpleByApikey', { drop });
    await bulk.run({ concurrency: 1, stopAfterFailures: 0, baseline: ALL });
    advanceClock(SETTLE_MS);
    return { sandbox, bulk };
  }

  test('when equal texts go to one person at different dates, and only some of them are listed', async () => {
    const rows = [0n, 2_000_000_000n, 2_100_000_000n].map((unixdate) => ({ receptor: '1', unixdate }));
    const { bulk } = await send(rows, ['before', 'after']);
    const undecided = { concluded: true, found: 0, notFound: 0 };
    expect(await bulk.reconcile(ALL)).toEqual(undecided);
    expect(await bulk.retry('not-found')).toBe(0);
  });

  test.each(['receptor', 'message'] as const)('when the service lists its message with another %s', async (name) => {
    const rows = ['1', '2', '3'].map((receptor) => ({ receptor, message: `Hello ${receptor}` }));
    const { sandbox, bulk } = await send(rows, ['after', 'before']);
    const result = sandbox.messages.map((each) => (each.receptor === '2' ? { ...each, [name]: 'other' } : each));
    sandbox.reply('SelectlatestByApikey', { result });
    expect(await bulk.reconcile(ALL)).toEqual({ concluded: true, found: 0, notFound: 1 });
    expect([...bulk.rows('unknown')]).toMatchObject([
      { row: 2, notFound: false },
      { row: 3, notFound: true },
    ]);
  });

  test('but not because of line ends, which XML does not keep', async () => {
    const { bulk } = await send([{ receptor: '1' }, { receptor: '2', message: 'one\r\ntwo\rthree' }], ['after']);
    expect(await bulk.reconcile(ALL)).toMatchObject({ concluded: true, found: 1 });
  });
});

test('settling counts from the end of a request whose outcome is unknown, and may take longer than a timer', async () => {
  const { sandbox, client } = await startService();
  const { input } = csvOf(2);
  const send = client.sendSimple.bind(client);
  const slow = jest.spyOn(client, 'sendSimple');
  slow.mockImplementation((...args) => send(...args).finally(() => advanceClock(SETTLE_MS)));
  const bulk = await openBulk({ client, input, fields });
  cleanUp(() => bulk.close());
  sandbox.reply('SendSimpleByApikey', { delayMs: 1 });
  sandbox.reply('SendSimpleByApikey', { drop: 'after' });
  await bulk.run({ concurrency: 1, baseline: ALL });
  const waits: number[] = [];
  const stop = new AbortController();
  const onWait = (ms: number) => {
    waits.push(ms);
    setTimeout(() => stop.abort(), 50);
  };
  // As after a clock that was 40 days ahead while the rows were sent.
  advanceClock(-40 * 86_400_000);
  await expect(bulk.reconcile({ ...ALL, onWait, signal: stop.signal })).rejects.toThrow(/aborted/);
  expect(waits).toEqual([expect.closeTo(40 * 86_400_000 + SETTLE_MS, -5)]);
});

test('settling has to take longer than a request may take to begin', async () => {
  const { bulk } = await openDoubtful();
  await expect(bulk.reconcile({ ...ALL, settleMs: 5000 })).rejects.toThrow(
    'settleMs: 5000 is not longer than the time within which a request begins (5000)',
  );
  await expect(bulk.reconcile({ settleMs: 60_000 } as never)).rejects.toThrow(
    'give pagesize, or startUnixdate and endUnixdate',
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
    await first.run({ baseline: ALL, signal: stop.signal, concurrency: 1, onProgress: () => stop.abort() });
    await first.close();
    await slowClient.close();
    way.hold();
    const child = await startSender({ ...options, baseUrl: way.baseUrl, concurrency: 5 });
    await printed(child, /running/);
    await way.pieces(5);
    child.kill('SIGKILL');
    await endOf(child);
    const list = await openList(resolveList({ ...options, fields }, {}));
    const bulk = new Bulk(list, client);
    cleanUp(() => bulk.close());
    return { sandbox, client, way, list, bulk };
  }

  test('is found once it has settled', async () => {
    const { sandbox, way, bulk } = await killWhileTravelling();
    expect(bulk.status().counts.unknown).toBeGreaterThan(0);
    // It arrives while the reconciliation waits.
    const result = await bulk.reconcile({ ...ALL, settleMs: 3000, onWait: () => way.release() });
    expect(result).toMatchObject({ concluded: true, notFound: 0 });
    await bulk.run();
    expect(damageOf(sandbox, 20)).toEqual({ twice: 0, lost: 0 });
  });

  test('would be sent twice without settling: this control finds the damage', async () => {
    const { sandbox, client, way, list, bulk } = await killWhileTravelling();
    expect(await reconcile(list, client, { listing: ALL, settleMs: 0 })).toMatchObject({ concluded: true, found: 0 });
    await bulk.retry('not-found');
    await bulk.run();
    way.release();
    await way.idle();
    expect(damageOf(sandbox, 20).twice).toBeGreaterThan(0);
  });
});
