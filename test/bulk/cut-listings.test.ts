import { join } from 'node:path';
import type { ApiSelect } from '../../generated/v1/definitions/ApiSelect';
import type { MessagingClient } from '../../src';
import { type BulkClient, openBulk } from '../../src/bulk';
import { cleanUp } from '../support/clean-up';
import { makeFolder } from '../support/folder';
import { advanceClock, changeClient, fields, holdDate, onePass, startService } from './support';

beforeEach(holdDate);

// What services do with their listings. Each of these made an earlier version send a row twice, or lose one.

type Change = (messages: readonly ApiSelect[], pagesize: number) => readonly ApiSelect[];

/** A client of a service that changes its listings. */
function listingThrough(client: MessagingClient, change: Change, keepsSize = false): BulkClient {
  const through = async function* (messages: AsyncIterable<ApiSelect>, pagesize = Number.POSITIVE_INFINITY) {
    const all: ApiSelect[] = [];
    for await (const message of messages) all.push(message);
    const page = change(all, pagesize);
    yield* keepsSize ? page : page.slice(0, pagesize);
  };
  return changeClient(client, {
    // The service changes all of its messages before it lists a page of them.
    selectLatestStream: ({ pagesize }, options) =>
      through(client.selectLatestStream({ pagesize: 1_000_000 }, options), Number(pagesize)),
  });
}

/** A row with its own values, and what the service does with its request. */
interface Sent {
  readonly receptor: string;
  readonly message?: string;
  readonly unixdate?: bigint;
  readonly msgmode?: number;
  /** The connection is dropped after the message was sent, or before, so that the outcome is unknown. */
  readonly dropped?: 'after' | 'before';
}

const receptorOf = (row: number) => `0912000${String(row).padStart(4, '0')}`;
const ordinary = (from: number, to: number): Sent[] =>
  Array.from({ length: to - from + 1 }, (_, index) => ({ receptor: receptorOf(from + index) }));

/**
 * Sends rows, and other messages after them; looks for the unknown rows, and sends what was not found. Resolves with
 * what the reconciliation concluded, and how often the messages of the unknown rows were sent.
 */
async function sendAndReconcile(
  rows: readonly Sent[],
  change: Change,
  options: { others?: number; history?: number; keepsSize?: boolean } = {},
) {
  const { sandbox, client } = await startService();
  for (let each = 0; each < (options.history ?? 1); each++)
    await client.sendSimple({ ...fields, message: `earlier ${each}`, receptor: ['0935'] });
  const input = rows.map(({ dropped: _, ...row }) => ({ message: 'Hello', unixdate: 0n, msgmode: 1, ...row }));
  const changed = listingThrough(client, change, options.keepsSize);
  const bulk = await openBulk({ client: changed, input, fields: { sender: '3000' }, journal: join(makeFolder(), 'j') });
  cleanUp(() => bulk.close());
  for (const { dropped } of rows)
    sandbox.reply('SendSimpleByApikey', dropped === undefined ? { delayMs: 1 } : { drop: dropped });
  await bulk.run({ ...onePass, concurrency: 1, stopAfterFailures: 0, baselinePagesize: 1000 });
  for (let other = 0; other < (options.others ?? 0); other++)
    await client.sendSimple({ ...fields, message: `other ${other}`, receptor: ['0936'] });
  advanceClock(60_000);
  const { found, notFound, undecided } = await bulk.reconcile();
  await bulk.run(onePass);
  const sent = rows
    .filter(({ dropped }) => dropped !== undefined)
    .map(({ receptor }) => sandbox.messages.filter((each) => each.receptor === receptor).length);
  return { found, notFound, reasons: undecided.map(({ reason }) => reason), sent };
}

const lost = (row: number, more: Partial<Sent> = {}): Sent => ({
  receptor: receptorOf(row),
  dropped: 'after',
  ...more,
});
const once = [1];

test('a service that lists its last ten messages only does not make a row be sent twice', async () => {
  const rows = [...ordinary(1, 2), lost(3), ...ordinary(4, 20)];
  const result = await sendAndReconcile(rows, (messages) => messages.slice(0, 10));
  expect(result).toMatchObject({
    found: 0,
    notFound: 0,
    sent: once,
    reasons: [expect.stringMatching(/may begin after it/)],
  });
});

test('a service that lists the messages of the last hours only does not make a row be sent twice', async () => {
  const rows = [...ordinary(1, 2), lost(3), ...ordinary(4, 12)];
  const isRecent = ({ receptor }: ApiSelect) => receptor === '0936' || (receptor ?? '') > receptorOf(6);
  const result = await sendAndReconcile(rows, (messages) => messages.filter(isRecent), { others: 12 });
  expect(result).toMatchObject({ found: 0, notFound: 0, sent: once });
});

test('a message that the service lists from another line is not taken for absent', async () => {
  const rows = [...ordinary(1, 6), lost(7), ...ordinary(8, 12)];
  const rewrite: Change = (messages) =>
    messages.map((each) => (each.receptor === receptorOf(7) ? { ...each, sender: '9999' } : each));
  const result = await sendAndReconcile(rows, rewrite);
  expect(result).toMatchObject({ notFound: 0, sent: once, reasons: [expect.stringMatching(/may be the row/)] });
});

test('a message that the service lists with another prefix and other blanks is not taken for absent', async () => {
  const rows = [...ordinary(1, 6), lost(7, { receptor: '+989120000007', message: 'Hello  you ' }), ...ordinary(8, 12)];
  const rewrite: Change = (messages) =>
    messages.map((each) => ({
      ...each,
      receptor: each.receptor?.replace('+98', '0') as string,
      message: each.message?.trim().replace(/ +/g, ' ') as string,
    }));
  expect(await sendAndReconcile(rows, rewrite)).toMatchObject({ found: 0, notFound: 0, sent: once });
});

test.each<[string, Partial<Sent>, (message: ApiSelect) => boolean]>([
  ['a scheduled message before it is due', { unixdate: 4_000_000_000n }, ({ date }) => date < 3_000_000_000n],
  ['the messages of a mode', { msgmode: 2 }, ({ receptor }) => receptor !== receptorOf(7)],
])('a service that does not list %s does not make a row be sent twice', async (_, own, isListed) => {
  const rows = [...ordinary(1, 6), lost(7, own), ...ordinary(8, 12)];
  const result = await sendAndReconcile(rows, (messages) => messages.filter(isListed));
  expect(result).toMatchObject({ notFound: 0, sent: once, reasons: [expect.stringMatching(/date and mode/)] });
});

test('a service that lists each message twice, with two ids, does not make one of two equal rows be lost', async () => {
  const rows = [...ordinary(1, 6), lost(7), lost(7), ...ordinary(8, 12)];
  const twice: Change = (messages) =>
    messages.flatMap((each) => [each, { ...each, messageid: each.messageid + 1000n }]);
  const result = await sendAndReconcile(rows, twice);
  expect(result).toMatchObject({ found: 0, notFound: 0, reasons: [expect.stringMatching(/same receptor and text/)] });
});

test('a service that cuts its listing within a date, whose messages it lists in any order, does not make a row be sent twice', async () => {
  const rows = [...ordinary(1, 2), lost(3), ...ordinary(4, 12)];
  // The first four rows share a date, and the listing ends before the message of the third one.
  const cut: Change = (messages) =>
    messages
      .filter(({ receptor }) => receptor !== '0935' && receptor !== receptorOf(3))
      .map((each) => ({ ...each, date: BigInt(Math.max(4, Number(each.receptor?.slice(-4)))) }));
  const result = await sendAndReconcile(rows, cut);
  expect(result).toMatchObject({ notFound: 0, sent: once, reasons: [expect.stringMatching(/within the second/)] });
});

test('a message that the service shows with a masked receptor and a shortened text is not taken for absent', async () => {
  const rows = [...ordinary(1, 6), lost(7, { message: 'Hello 12' }), ...ordinary(8, 12)];
  const mask: Change = (messages) =>
    messages.map((each) => (each.receptor === receptorOf(7) ? { ...each, receptor: '0912*****', message: 'H' } : each));
  const result = await sendAndReconcile(rows, mask);
  expect(result).toMatchObject({ notFound: 0, sent: once, reasons: [expect.stringMatching(/may be the row/)] });
});

test('a row is not called sent because the service shows the message of another unknown row with its content', async () => {
  const [first, second] = [lost(7, { message: 'Hello 12' }), lost(7, { message: 'Hello', dropped: 'before' })];
  const rows = [...ordinary(1, 6), first, second, ...ordinary(8, 12)];
  const shorten: Change = (messages) =>
    messages.map((each) => ({ ...each, message: each.message?.split(' ')[0] as string }));
  const result = await sendAndReconcile(rows, shorten);
  expect(result).toMatchObject({ found: 0, notFound: 0, sent: [1, 1] });
});

test('a row is not called sent because the service shows the message of a sent row with its content', async () => {
  const rows = [...ordinary(1, 6), lost(7, { dropped: 'before' }), { receptor: receptorOf(7), message: 'Hello 12' }];
  const shorten: Change = (messages) =>
    messages.map((each) => ({ ...each, message: each.message?.split(' ')[0] as string }));
  expect(await sendAndReconcile(rows, shorten)).toMatchObject({ found: 0, notFound: 0 });
});

test('a service that keeps the messages of one mode for a shorter time does not make a row be sent twice', async () => {
  const second = (row: number) => ({ receptor: receptorOf(row), msgmode: 2 });
  const rows = [...ordinary(1, 6), lost(7, { msgmode: 2 }), ...ordinary(8, 12), second(13)];
  const result = await sendAndReconcile(rows, (messages) =>
    messages.filter(({ receptor }) => receptor !== receptorOf(7)),
  );
  expect(result).toMatchObject({ notFound: 0, sent: once, reasons: [expect.stringMatching(/date and mode/)] });
});

test('a service whose page has the oldest messages does not make a row be sent twice', async () => {
  const rows = [...ordinary(1, 8), lost(9)];
  const dated = (messages: readonly ApiSelect[]) => messages.map((each) => ({ ...each, date: each.messageid }));
  // The baseline had the earlier message, and the last two rows are beyond the page.
  const oldest: Change = (messages, pagesize) => dated(messages.toReversed().slice(0, Math.min(pagesize, 9)));
  const result = await sendAndReconcile(rows, oldest);
  expect(result).toMatchObject({ notFound: 0, sent: once, reasons: [expect.stringMatching(/newest/)] });
});

test.each<[string, Change]>([
  [
    'lists a page oldest first and cuts it at its newest end',
    (all, size) => all.slice(0, size).toReversed().slice(0, 26),
  ],
  ['ignores the size of a page, and lists the oldest messages first', (all) => all.toReversed().slice(0, 26)],
  [
    'shows the oldest message of a page in a page of one',
    (all, size) => (size === 1 ? all.slice(25, 26) : all.slice(0, size).toReversed().slice(0, 26)),
  ],
])('a service that %s does not make the newest message of the account be sent twice', async (_, change) => {
  const rows = [...ordinary(1, 11), lost(12)];
  // The client cuts what the service gives at the size that it asked for.
  const result = await sendAndReconcile(rows, change, { history: 15, keepsSize: true });
  expect(result).toMatchObject({ notFound: 0, sent: [1], reasons: [expect.stringMatching(/newest/)] });
});

test('a service that lists the oldest message first is understood', async () => {
  const rows = [...ordinary(1, 8), lost(9, { dropped: 'before' }), lost(10)];
  const result = await sendAndReconcile(rows, (messages, pagesize) => messages.slice(0, pagesize).toReversed());
  expect(result).toEqual({ found: 1, notFound: 1, reasons: [], sent: [1, 1] });
});

test('the ids of equal rows in one request do not keep the rows around it from being decided', async () => {
  const { sandbox, client } = await startService();
  await client.sendSimple({ ...fields, message: 'earlier', receptor: ['0935'] });
  const texts = ['a', 'b', 'c', 'd', 'e', 'f', 'x', 'x', 'x', 'lost', 'g', 'h'];
  const receptors = ['01', '02', '03', '04', '05', '06', '07', '08', '07', '09', '10', '11'].map(
    (each) => `0912000${each}`,
  );
  const input = texts.map((message, index) => ({ message, receptor: receptors[index] as string }));
  const mixed: BulkClient = {
    ...listingThrough(client, (messages) => messages),
    // The service returns the ids of a request in an order of its own.
    sendSimple: async (...args) => {
      const [first, ...others] = await client.sendSimple(...args);
      return [first as bigint, ...others.toReversed()];
    },
  };
  const journal = join(makeFolder(), 'j');
  const bulk = await openBulk({
    client: mixed,
    input,
    fields: { sender: '3000', unixdate: 0n, msgmode: 1 },
    batchSize: 3,
    journal,
  });
  cleanUp(() => bulk.close());
  for (let request = 1; request <= 7; request++) sandbox.reply('SendSimpleByApikey', { delayMs: 1 });
  sandbox.reply('SendSimpleByApikey', { drop: 'before' });
  await bulk.run({ ...onePass, concurrency: 1, stopAfterFailures: 0, baselinePagesize: 100 });
  advanceClock(60_000);
  expect(await bulk.reconcile()).toEqual({ found: 0, notFound: 1, undecided: [] });
});
