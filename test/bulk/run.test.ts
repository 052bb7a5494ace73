import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { operations } from '../../generated/operations';
import { type BulkOptions, checkBulk, openBulk, type Progress, type RunOptions } from '../../src/bulk';
import { RateLimiter } from '../../src/bulk/sending/rate-limiter';
import { timers } from '../../src/internal/timers';
import type { Sandbox } from '../../src/sandbox';
import type { Element } from '../../src/soap/element';
import { cleanUp } from '../support/clean-up';
import { makeFolder } from '../support/folder';
import { clientOf, csvOf, fields, onePass, startService } from './support';

/** The requests that sent rows. */
function sendsOf({ requests }: Sandbox) {
  return requests.filter(({ operation }) => operation?.startsWith('Send'));
}

/** Opens so many rows at a service. */
async function open(rows: number, options: Partial<BulkOptions> = {}) {
  const { sandbox, client } = await startService();
  const { input, journal } = csvOf(rows);
  const bulk = await openBulk({ client, input, fields, ...options });
  cleanUp(() => bulk.close());
  const failures: Progress['failure'][] = [];
  const onProgress: RunOptions['onProgress'] = ({ failure }) => failure && failures.push(failure);
  return { sandbox, client, input, journal, bulk, failures, onProgress };
}

/** The journal without the record that holds the fields of the list. */
function withoutList(journal: string): string {
  const text = readFileSync(journal, 'utf8');
  expect(text).not.toContain('sandbox-key');
  return text.replace(/^{"t":"list".*$/gm, '');
}

test('neighbouring rows that are alike share a request, up to the batch size', async () => {
  const { sandbox, client } = await startService();
  const rows = ['a', 'a', 'a', 'b', 'a', 'a'].map((message, index) => ({ message, receptor: `91${index}` }));
  const journal = join(makeFolder(), 'journal');
  const given = { sender: '3000', unixdate: 0n, msgmode: 1 };
  const bulk = await openBulk({ client, input: rows, fields: given, batchSize: 2, journal });
  await bulk.run({ ...onePass, concurrency: 1 });
  await bulk.close();
  const requests = sendsOf(sandbox).map(({ body }) => [...body.matchAll(/<string>(91\d)/g)].map(([, name]) => name));
  expect(requests).toEqual([['910', '911'], ['912'], ['913'], ['914', '915']]);
});

test('sendArray takes rows that differ, but for the date that they share', async () => {
  const { sandbox, client } = await startService();
  const rows = [1n, 1n, 1n, 2n].map((unixdate, index) => ({
    message: `text ${index}`,
    receptor: `91${index}`,
    sender: `s${index}`,
    msgmode: index,
    unixdate,
  }));
  const journal = join(makeFolder(), 'journal');
  const bulk = await openBulk({
    client,
    input: rows,
    operation: 'sendArray',
    batchSize: 100,
    idsInOrder: true,
    journal,
  });
  await bulk.run(onePass);
  expect(sendsOf(sandbox)).toHaveLength(2);
  const seen = sandbox.messages.map(({ message, receptor, sender, date }) => ({ message, receptor, sender, date }));
  expect(seen).toEqual(
    rows.map(({ message, receptor, sender, unixdate: date }) => ({ message, receptor, sender, date })),
  );
  expect([...bulk.rows('sent')].map(({ ids }) => ids)).toEqual(sandbox.messages.map(({ messageid }) => [messageid]));
  await bulk.close();
});

test('the ids of a batch are listed once, with its first row, unless ids are known to be in order', async () => {
  const { sandbox, client } = await startService();
  const input = ['911', '912', '913'].map((receptor) => ({ receptor }));
  const journal = join(makeFolder(), 'journal');
  const bulk = await openBulk({ client, input, fields: { ...fields, message: 'hi' }, batchSize: 2, journal });
  await bulk.run(onePass);
  await bulk.close();
  const ids = sandbox.messages.map(({ messageid }) => messageid);
  const listed = [...bulk.rows()].map(({ batch, ids }) => ({ batch, ids }));
  expect(listed).toEqual([
    { batch: 1, ids: ids.slice(0, 2) },
    { batch: 1, ids: [] },
    { batch: 2, ids: ids.slice(2) },
  ]);
});

test('a listing of 4,000 rows in batches of 1,000 has 4,000 ids', async () => {
  const { bulk } = await open(4000, { operation: 'sendArray', batchSize: 1000 });
  await bulk.run(onePass);
  const ids = [...bulk.rows('sent')].flatMap((row) => row.ids);
  expect(ids).toHaveLength(4000);
  expect(new Set(ids).size).toBe(4000);
});

describe('a send operation that has a field of another kind', () => {
  const flash: Element = { name: 'flash', kind: 'boolean' };
  const grade: Element = { name: 'grade', kind: 'enumeration', values: ['low', 'high'] };
  const delay: Element = { name: 'delay', kind: 'integer', type: 'int', nillable: true };
  const request = operations.SendSimpleByApikey.request as Element[];
  beforeEach(() => request.push(flash, grade, delay));
  afterEach(() => request.splice(-3));

  /** A service that takes any fields. */
  function client() {
    const requests: object[] = [];
    const sendSimple = async (taken: object) => {
      requests.push(taken);
      return [1n];
    };
    return { requests, client: { sendSimple } as unknown as BulkOptions['client'] };
  }

  test('sends rows of a file with a boolean, an enumeration and a null', async () => {
    const { client: own, requests } = client();
    const input = join(makeFolder(), 'list.csv');
    writeFileSync(input, 'receptor,flash,grade\n911,true,high\n912,0,low\n');
    const given = { ...fields, message: 'Hello', delay: null };
    const bulk = await openBulk({ client: own, input, fields: given });
    cleanUp(() => bulk.close());
    await bulk.run(onePass);
    expect(requests).toMatchObject([
      { receptor: ['911'], flash: true, grade: 'high', delay: null },
      { receptor: ['912'], flash: false, grade: 'low', delay: null },
    ]);
  });

  test('refuses values that the contract does not allow, with their rows', async () => {
    const { client: own } = client();
    const input = join(makeFolder(), 'list.csv');
    writeFileSync(input, 'receptor,flash,grade,delay\n911,yes,medium,soon\n');
    const error = await openBulk({ client: own, input, fields: { ...fields, message: 'Hello' } }).catch((e) => e);
    expect(error.problems.map(({ message }: { message: string }) => message)).toEqual([
      'flash: "yes" is neither true nor false',
      'grade: "medium" is not one of low, high',
      'delay: "soon" is not a whole number',
    ]);
    const rows = [{ receptor: '911', flash: 1, grade: 'medium', delay: null }];
    const other = { client: own, input: rows, fields: { ...fields, message: 'Hello' }, journal: `${input}.other` };
    await expect(openBulk(other)).rejects.toThrow('row 1: flash: a boolean is needed, not a number (and 1 more)');
  });
});

test.each<[string, Parameters<Awaited<ReturnType<typeof open>>['sandbox']['reply']>[1], object, string]>([
  ['a status of refusal of the first request is pending', { status: 418 }, { pending: 5 }, 'status 418'],
  ['a refusal that carries ids is unknown', { result: [7n], status: 418 }, { unknown: 1 }, 'status 418, with ids (ok)'],
  ['fewer ids than rows are unknown', { result: [] }, { unknown: 1 }, '0 ids for 1 rows'],
  ['more ids than rows are unknown', { result: [7n, 8n] }, { unknown: 1 }, '2 ids for 1 rows'],
  ['an id that is 0 is unknown', { result: [0n] }, { unknown: 1 }, 'an id is 0 or negative'],
  ['a negative id is unknown', { result: [-1n] }, { unknown: 1 }, 'an id is 0 or negative'],
  ['a request that a gateway gave up on is unknown', { http: { status: 408 } }, { unknown: 1 }, 'HTTP status 408'],
  ['a dropped connection is unknown', { drop: 'before' }, { unknown: 1 }, 'ConnectionError ECONNRESET'],
  [
    'a fault of the server is unknown',
    { fault: { code: 'Server', reason: 'r 0912' } },
    { unknown: 1 },
    'fault, HTTP status 500 (r 0912)',
  ],
  [
    'a fault of the first request is pending',
    { fault: { code: 'Client', reason: 'r' } },
    { pending: 5 },
    'fault, HTTP status 500 (r)',
  ],
  ['an HTTP error of the server is unknown', { http: { status: 502 } }, { unknown: 1 }, 'HTTP status 502'],
])('%s, and no further batch starts', async (_, reply, counts, error) => {
  const { sandbox, bulk, failures, onProgress } = await open(5);
  sandbox.reply('SendSimpleByApikey', reply);
  expect(await bulk.run({ ...onePass, concurrency: 1, onProgress })).toMatchObject({ pending: 4, sent: 0, ...counts });
  expect([...bulk.rows()][0]).toMatchObject({ row: 1, error });
  expect(failures).toEqual([expect.objectContaining({ range: [1, 1] })]);
});

test('what was not sent stays pending, and the next run sends it', async () => {
  const { sandbox, input } = await open(5);
  const nowhere = clientOf(sandbox, 'http://127.0.0.1:1');
  const journal = `${input}.other`;
  const first = await openBulk({ client: nowhere, input, fields, journal });
  expect(await first.run(onePass)).toMatchObject({ pending: 5, unknown: 0, rejected: 0 });
  await first.close();
  const second = await openBulk({ client: clientOf(sandbox), input, fields, journal });
  expect(await second.run(onePass)).toMatchObject({ pending: 0, sent: 5 });
  await second.close();
});

test('until a row is known to be sent, one batch goes at a time', async () => {
  const { sandbox, bulk } = await open(20);
  sandbox.reply('*', { status: 403 }, { times: Number.POSITIVE_INFINITY });
  expect(await bulk.run({ ...onePass, concurrency: 16 })).toMatchObject({ rejected: 0, pending: 20 });
});

test.each([
  [3, 3],
  [0, 10],
])('after %d consecutive failures no further batch starts', async (stopAfterFailures, rejected) => {
  const { sandbox, bulk } = await open(11);
  sandbox.reply('SendSimpleByApikey', { delayMs: 1 });
  sandbox.reply('*', { status: 418 }, { times: Number.POSITIVE_INFINITY });
  const result = await bulk.run({ ...onePass, stopAfterFailures, concurrency: 1 });
  expect(result).toMatchObject({ sent: 1, rejected, pending: 10 - rejected });
  expect(result.stopped).toBe(stopAfterFailures > 0 ? '3 consecutive requests failed' : undefined);
});

test('a refused row does not stop a run, however many rows are refused', async () => {
  const { sandbox, bulk } = await open(60);
  sandbox.reply('SendSimpleByApikey', { delayMs: 1 });
  for (let row = 2; row <= 60; row++)
    sandbox.reply('SendSimpleByApikey', row % 3 === 0 ? { delayMs: 0 } : { status: 418 });
  expect(await bulk.run({ ...onePass, concurrency: 1 })).toMatchObject({
    sent: 21,
    rejected: 39,
    pending: 0,
    stopped: undefined,
  });
});

test('each run stops when its first request fails while no row is sent, and its rows stay pending', async () => {
  const { sandbox, bulk } = await open(3);
  sandbox.reply('SendSimpleByApikey', { status: 418 }, { times: 2 });
  for (let run = 0; run < 2; run++)
    expect(await bulk.run(onePass)).toMatchObject({
      pending: 3,
      rejected: 0,
      stopped: 'the first request failed and no row is sent, so a setting may be wrong',
    });
  expect(await bulk.run(onePass)).toMatchObject({ sent: 3, stopped: undefined });
});

test('the first request of a run does not stop it when a row was sent before', async () => {
  const { sandbox, bulk } = await open(3);
  sandbox.reply('SendSimpleByApikey', { delayMs: 1 });
  sandbox.reply('SendSimpleByApikey', { drop: 'before' });
  await bulk.run({ ...onePass, concurrency: 1, stopAfterFailures: 1 });
  sandbox.reply('SendSimpleByApikey', { status: 418 });
  expect(await bulk.run(onePass)).toMatchObject({ sent: 1, unknown: 1, rejected: 1, stopped: undefined });
});

test('ids that are repeated in a response leave its rows unknown', async () => {
  const { client, sandbox } = await startService();
  const input = ['911', '912', '913'].map((receptor) => ({ receptor }));
  const journal = join(makeFolder(), 'journal');
  const bulk = await openBulk({ client, input, fields: { ...fields, message: 'hi' }, batchSize: 3, journal });
  cleanUp(() => bulk.close());
  sandbox.reply('SendSimpleByApikey', { result: [7n, 7n, 8n] });
  expect(await bulk.run(onePass)).toMatchObject({ sent: 0, unknown: 3 });
  expect([...bulk.rows()][0]).toMatchObject({ error: 'ids are repeated' });
});

describe('the first message that is sent is compared with what the service shows:', () => {
  const shown = (message: string) => ({ result: [record(message)] });
  const record = (message: string) => ({
    messageid: 9007199254740993n,
    message,
    status: 1,
    statustext: '',
    sender: '3000',
    receptor: '09120000001',
    date: 0n,
    cost: 0n,
  });

  test.each([
    ['another text is a warning', shown('Hello name 1 (shortened)'), ['text']],
    ['an equal message is none', shown('Hello name 1'), []],
    ['a message that is not listed yet is none', { result: [] }, []],
    ['a service that refuses the question is none', { status: 418 }, []],
  ])('%s', async (_, reply, differing) => {
    const { sandbox, bulk } = await open(3);
    sandbox.reply('SelectByApikey', reply as never);
    const warnings: string[] = [];
    await bulk.run({ ...onePass, onWarning: (message) => warnings.push(message) });
    expect(warnings).toEqual(
      differing.map((part) => expect.stringMatching(`^the service shows another ${part} than was sent .* by resolve$`)),
    );
    expect(sandbox.requests.filter(({ operation }) => operation === 'SelectByApikey')).toHaveLength(1);
  });
});

test('the journal keeps the words of a refusal, without what they quote of the rows', async () => {
  const { sandbox, bulk, journal } = await open(3);
  const words = ['blacklisted receptor +98 (912) 000-0001', 'the text "Hello name 2" is not allowed', 'x'.repeat(400)];
  for (const statusmessage of words) sandbox.reply('SendSimpleByApikey', { status: 412, statusmessage });
  await bulk.run({ ...onePass, stopAfterFailures: 0, concurrency: 1 });
  expect([...bulk.rows()].map(({ error }) => error)).toEqual([
    'status 412 (blacklisted receptor ***)',
    'status 412 (the text "***" is not allowed)',
    `status 412 (${'x'.repeat(200)})`,
  ]);
  expect(withoutList(journal)).not.toMatch(/912\D*000|Hello/);
});

test('rejected rows are sent again when that is asked for', async () => {
  const { sandbox, bulk } = await open(3);
  sandbox.reply('SendSimpleByApikey', { status: 418 });
  await bulk.run({ ...onePass, stopAfterFailures: 0 });
  expect(await bulk.retry({ all: true })).toBe(1);
  expect(await bulk.run(onePass)).toMatchObject({ sent: 3 });
  expect(sandbox.messages).toHaveLength(3);
});

test('an abort starts nothing more and waits for what is under way: nothing is unknown', async () => {
  const { sandbox, bulk } = await open(50);
  const stop = new AbortController();
  sandbox.reply('*', { delayMs: 20 }, { times: Number.POSITIVE_INFINITY });
  const onProgress = ({ sent }: Progress) => sent === 5 && stop.abort();
  const counts = await bulk.run({ ...onePass, concurrency: 4, signal: stop.signal, onProgress });
  expect(counts).toMatchObject({ unknown: 0, 'under-way': 0, rejected: 0, sent: sandbox.messages.length });
  expect(counts.sent).toBeGreaterThanOrEqual(5);
  expect(counts.sent).toBeLessThan(5 + 2 * 4);
});

test.each([
  ['before the last look at the clock in this package', 1, 'not begun in time'],
  ['between this look and the call', 2, 'TimeoutError'],
])('a request that could not begin in time, because the process stopped %s, is not sent', async (_, looks, error) => {
  const { sandbox, bulk } = await open(1, { startWithinMs: 500 });
  let calls = 0;
  jest.spyOn(timers, 'systemTime').mockImplementation(() => (calls++ < looks ? 0 : 1_000_000));
  cleanUp(() => jest.restoreAllMocks());
  expect(await bulk.run(onePass)).toMatchObject({ pending: 1 });
  expect([...bulk.rows('pending')][0]).toMatchObject({ error });
  expect(sandbox.requests).toHaveLength(0);
});

test('rows that change while they are sent stop the run', async () => {
  const { client } = await startService();
  const rows = Array.from({ length: 5 }, (_, index) => ({ receptor: `91${index}`, name: 'a' }));
  const journal = join(makeFolder(), 'journal');
  const bulk = await openBulk({ client, input: rows, fields, journal });
  cleanUp(() => bulk.close());
  (rows[3] as { name: string }).name = 'b';
  const stopped = 'row 4: the file has changed since it was checked; the next run begins a new list with the file';
  expect(await bulk.run(onePass)).toMatchObject({ sent: 3, pending: 2, stopped });
  expect(bulk.status().counts).toMatchObject({ 'under-way': 0, unknown: 0 });
});

test('one thing is done at a time, and nothing after the end', async () => {
  const { bulk } = await open(5);
  const run = bulk.run(onePass);
  await expect(bulk.run(onePass)).rejects.toThrow('busy');
  await run;
  await bulk.close();
  await expect(bulk.run(onePass)).rejects.toThrow('closed');
});

test('wrong options are all named at once', async () => {
  const { client, bulk, input } = await open(1);
  const wrong = { batchSize: 0, startWithinMs: 1.5, operation: 'select' as 'sendSimple', journal: input };
  await expect(openBulk({ client, input, fields, ...wrong })).rejects.toThrow(
    /operation.*batchSize.*startWithinMs.*journal/,
  );
  await expect(bulk.run({ ...onePass, concurrency: 0, rowsPerSecond: -1, stopAfterFailures: 0.5 })).rejects.toThrow(
    /concurrency.*rowsPerSecond.*stopAfterFailures/,
  );
});

test('an option that does not exist is refused with the name of the option', async () => {
  const { client, bulk, input } = await open(1);
  const wrong = { batchsize: 2, ...{ idsInorder: true } };
  await expect(openBulk({ client, input, fields, ...wrong })).rejects.toMatchObject({
    problems: [
      { option: 'batchsize', message: 'no such option' },
      { option: 'idsInorder', message: expect.stringMatching(/^no such option \(options: operation, batchSize, /) },
    ],
  });
  // @ts-expect-error: it does not compile either
  await expect(bulk.run({ ...onePass, rowsPerMinute: 1 })).rejects.toThrow('rowsPerMinute: no such option');
  await expect(bulk.reconcile({ pagesize: 1, settle: 1 } as never)).rejects.toThrow('settle: no such option');
  expect(await checkBulk({ input: [{ receptor: '911', name: 'a' }], fields })).toMatchObject({ rows: 1, batches: 1 });
  await expect(checkBulk({ input, fields, defaults: { reciever: 1 } as never })).rejects.toThrow(
    'defaults: reciever is not a field of any request',
  );
});

test('a field that does not exist does not compile', () => {
  const options: Partial<BulkOptions>[] = [
    { fields: { receptor: '911', unixdate: 1n, msgmode: 1, sender: null } },
    // @ts-expect-error
    { fields: { reciever: '1' } },
    // Only a send-advance may leave its receptor out, and the check of the rows says so.
    { fields: { receptor: null } },
    // @ts-expect-error
    { fields: { unixdate: '1' } },
    // @ts-expect-error
    { defaults: { reciever: '1' } },
  ];
  expect(options).toHaveLength(5);
});

test('a time that no timer can wait is refused before the journal is made', async () => {
  const { client, bulk, input } = await open(1);
  const journal = `${input}.other`;
  await expect(openBulk({ client, input, fields, journal, startWithinMs: 2 ** 31 })).rejects.toThrow(
    'startWithinMs: 2147483648 is not a whole number from 1 to 2147483647',
  );
  expect(existsSync(journal)).toBe(false);
  await expect(bulk.reconcile({ settleMs: 2 ** 31 })).rejects.toThrow(/settleMs.*to 2147483647/);
});

test('neither journal nor failures hold the API key, and only the list record holds a text', async () => {
  const { sandbox, bulk, journal, failures, onProgress } = await open(9);
  const quote = 'sandbox-key 09120000003 Hello name 3';
  sandbox.reply('SendSimpleByApikey', { status: 418, statusmessage: quote });
  sandbox.reply('SendSimpleByApikey', { fault: { code: quote, reason: quote, detail: quote } });
  sandbox.reply('SendSimpleByApikey', { http: { status: 500, body: quote } });
  sandbox.reply('SendSimpleByApikey', { result: quote });
  await bulk
    .run({ ...onePass, stopAfterFailures: 0, concurrency: 1, onProgress, baselinePagesize: 10 })
    .catch(() => undefined);
  await bulk.run({ ...onePass, stopAfterFailures: 0, concurrency: 1, onProgress });
  expect(failures.length).toBeGreaterThan(2);
  expect(JSON.stringify(failures)).not.toContain('sandbox-key');
  const text = withoutList(journal);
  expect(text).toContain('"refusal":"418"');
  // Enough of each that no clock, checksum or host name in the journal holds it by chance.
  expect(text).not.toMatch(/sandbox-key|09120000|Hello|name \d|"3000"/);
});

test('a rate so low that a pause is longer than any timer is kept', async () => {
  const { sandbox, bulk } = await open(3);
  const stop = new AbortController();
  const onProgress = () => setTimeout(() => stop.abort(), 100);
  // The second row may start 46 days after the first.
  await bulk.run({ ...onePass, rowsPerSecond: 0.000_000_25, signal: stop.signal, onProgress });
  expect(sandbox.messages).toHaveLength(1);
});

describe('the rate', () => {
  test.each([
    [10, 1],
    [1000, 1],
    [1000, 20],
    [33.3, 4],
  ])(
    '%d rows a second in batches of %d are kept within 5 %% over any ten seconds, though timers are late',
    (rate, batch) => {
      const limiter = new RateLimiter(rate);
      const starts: number[] = [];
      // The clock is the test's: every wait ends up to 16 ms late, as on a busy machine.
      for (let now = 1e6; now < 1e6 + 60_000; ) {
        const wait = limiter.reserve(batch, now);
        now += wait === 0 ? 0.05 : wait + ((starts.length * 7) % 16);
        starts.push(now);
      }
      for (let from = 1e6; from + 10_000 <= 1e6 + 60_000; from += 2500) {
        const rows = starts.filter((start) => start >= from && start < from + 10_000).length * batch;
        // A batch more or less may fall into the window.
        expect(Math.abs(rows - rate * 10)).toBeLessThanOrEqual(rate * 10 * 0.05 + batch);
      }
    },
  );

  test('a pause is not made up for', () => {
    const limiter = new RateLimiter(10);
    limiter.reserve(1, 0);
    expect([
      limiter.reserve(1, 60_000),
      limiter.reserve(1, 60_000),
      limiter.reserve(1, 60_000),
      limiter.reserve(1, 60_000),
    ]).toEqual([0, 0, 0, 100]);
  });

  test('a run keeps to it', async () => {
    const { bulk } = await open(10);
    const started = performance.now();
    await bulk.run({ ...onePass, rowsPerSecond: 50 });
    // Ten rows have nine pauses of 20 ms; a slow machine takes longer.
    expect(performance.now() - started).toBeGreaterThan(170);
  });
});

test('what is sent is known after the end, and is not sent again', async () => {
  const { sandbox, bulk, input, client } = await open(3);
  await bulk.run(onePass);
  await bulk.close();
  const again = await openBulk({ client, input, fields });
  expect(again.status().counts).toMatchObject({ sent: 3 });
  await again.run(onePass);
  await again.close();
  expect(sandbox.messages).toHaveLength(3);
});

test('openBulk with a journal alone serves what reads no rows, and says what else it needs', async () => {
  const { sandbox, journal, bulk } = await open(2);
  sandbox.reply('SendSimpleByApikey', { status: 418 });
  await bulk.run({ ...onePass, concurrency: 1, stopAfterFailures: 0 });
  await bulk.close();
  const list = await openBulk({ client: clientOf(sandbox), journal });
  cleanUp(() => list.close());
  expect([...list.rows('rejected')]).toMatchObject([{ row: 1, refusal: '418' }]);
  expect(await list.retry({ status: '418' })).toBe(1);
  await expect(list.run()).rejects.toThrow('input: missing: the rows are needed');
  expect(list.status().counts).toMatchObject({ sent: 1, pending: 1 });
});
