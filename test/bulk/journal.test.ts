import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type BulkClient,
  JournalWriteError,
  openBulk,
  type RowOptions,
  type RunOptions,
  readBulk,
} from '../../src/bulk';
import { beginList } from '../../src/bulk/list/begin';
import { List } from '../../src/bulk/list/list';
import { checkRowOptions } from '../../src/bulk/options';
import { listBaseline } from '../../src/bulk/reconcile/listing';
import { runOptions } from '../../src/bulk/sending/options';
import { Run } from '../../src/bulk/sending/run';
import { bulkKind } from '../../src/bulk/state/bulk-journal';
import type { BulkRecord } from '../../src/bulk/state/records';
import { openAppendFile } from '../../src/journal/file';
import { Journal } from '../../src/journal/journal';
import { ownIdentity } from '../../src/journal/owner';
import { readJournal } from '../../src/journal/read-journal';
import { checkOptions } from '../../src/options/table';
import { cleanUp } from '../support/clean-up';
import { makeFolder } from '../support/folder';
import {
  csvOf,
  damageOf,
  decideUnknown,
  endOf,
  fields,
  onePass,
  printed,
  startSender,
  startService,
  withJournal,
} from './support';

async function prepare(rows = 5) {
  const { sandbox, client } = await startService();
  const { input, journal } = csvOf(rows);
  const options = { input, fields } satisfies RowOptions;
  const open = async (others: Partial<RowOptions> = {}) => {
    const bulk = await openBulk({ client, ...options, ...others });
    cleanUp(() => bulk.close());
    return bulk;
  };
  /** Begins the list, and sends nothing. */
  const begin = async (others: Partial<RowOptions> = {}) => {
    const { signal } = new AbortController();
    const list = await List.of(checkRowOptions({ ...options, ...others }));
    await beginList(list, { listBaseline: () => listBaseline(client, 0, signal), signal });
    await list.close();
  };
  return { sandbox, client, input, journal, options, open, begin };
}

test.each([
  ['with a wrong value', '{"t":"intent","n":1,"range":[1],"at":0}'],
  ['about rows that there are not', '{"t":"intent","n":1,"range":[1,6],"at":0}'],
  ['about a batch that there is not', '{"t":"sent","n":7,"ids":[]}'],
])('a line %s is damage', async (_, line) => {
  const { journal, begin } = await prepare();
  await begin();
  appendFileSync(journal, `${line}\n{"t":"close"}\n`);
  await expect(readBulk(journal)).rejects.toMatchObject({ code: 'damaged' });
});

test('an end that a crash has torn is told as a notice, until the next run has begun', async () => {
  const { journal, open, begin } = await prepare();
  await begin();
  appendFileSync(journal, '{"t":"intent","n":9,"range":[4,');
  const torn = expect.stringMatching(/list\.csv\.journal: its last part was not on the disk .* \(from line \d+\)$/);
  expect(await readBulk(journal)).toMatchObject({ notices: [torn], counts: { pending: 5 } });
  const bulk = await open();
  expect(bulk.status().notices).toEqual([torn]);
  expect(await bulk.run(onePass)).toMatchObject({ sent: 5 });
  await bulk.close();
  expect((await readBulk(journal)).notices).toEqual([]);
});

const recordsOf = (...lines: object[]) => lines.map((line) => `${JSON.stringify(line)}\n`).join('');

test('rows that were refused together are in a request of their own from then on, also after other failures', async () => {
  const { sandbox, journal, open, begin } = await prepare();
  const options = { operation: 'sendArray', batchSize: 5 } as const;
  await begin(options);
  const records = [
    { t: 'intent', n: 1, range: [2, 3], at: 0 },
    { t: 'rejected', n: 1, error: 'status 412', refusal: '412', refusedTogether: true },
    { t: 'pending', ranges: [[2, 3]] },
    { t: 'intent', n: 2, range: [2, 2], at: 0 },
    { t: 'not-sent', n: 2, error: 'ConnectionError' },
  ];
  appendFileSync(journal, recordsOf(...records, { t: 'close' }));
  const bulk = await open(options);
  expect(await bulk.run(onePass)).toMatchObject({ sent: 5 });
  const sizes = sandbox.requests.flatMap(({ operation, body }) =>
    operation === 'SendArrayByApikey' ? [[...body.matchAll(/<(?:\w+:)?string>09\d+</g)].length] : [],
  );
  expect(sizes.sort()).toEqual([1, 1, 1, 2]);
});

describe('rows that are in a queue', () => {
  const records = recordsOf;
  const intent = { t: 'intent', at: 0, queued: true };

  test('stay under way when the journal is opened again, until their outcome is there', async () => {
    const { journal, open, begin } = await prepare();
    await begin();
    appendFileSync(
      journal,
      records({ ...intent, n: 1, range: [1, 2] }, { ...intent, n: 2, range: [3, 3] }, { t: 'close' }),
    );
    const bulk = await open();
    expect(bulk.status().counts).toMatchObject({ 'under-way': 3, unknown: 0, pending: 2 });
    expect(await bulk.run(onePass)).toMatchObject({ 'under-way': 3, sent: 2 });
    await bulk.close();
    expect(await readBulk(journal)).toMatchObject({ queued: 3, holder: undefined });
    appendFileSync(journal, records({ t: 'sent', n: 1, ids: ['1', '2'] }, { t: 'not-sent', n: 2, error: 'revoked' }));
    expect(await readBulk(journal)).toMatchObject({ queued: 0, counts: { 'under-way': 0, pending: 1, sent: 4 } });
  });

  test('stay there when another process, which was noticed, gave their numbers and their rows again', async () => {
    const { journal, open, begin } = await prepare();
    await begin();
    appendFileSync(
      journal,
      records(
        { ...intent, n: 1, range: [1, 2] },
        { t: 'intent', n: 1, range: [2, 3], at: 0 },
        { t: 'intent', n: 2, range: [1, 1], at: 0 },
        { t: 'close' },
      ),
    );
    const states = [...(await open()).rows()].map(({ state }) => state);
    expect(states).toEqual(['under-way', 'under-way', 'unknown', 'pending', 'pending']);
  });

  test('settle from when their outcome was asked for', async () => {
    const { sandbox, journal, open } = await prepare(2);
    sandbox.reply('SendSimpleByApikey', { delayMs: 0 });
    sandbox.reply('SendSimpleByApikey', { status: 418 });
    const first = await open();
    await first.run({ ...onePass, baselinePagesize: 10 });
    await first.close();
    const at = Date.now() + 7_200_000;
    appendFileSync(
      journal,
      records(
        { t: 'open', v: 1, kind: 'bulk', opening: 'x', ...ownIdentity() },
        { t: 'pending', ranges: [[2, 2]] },
        { ...intent, n: 3, range: [2, 2] },
        { t: 'unknown', n: 3, error: 'its worker ended', at },
        { t: 'close' },
      ),
    );
    const controller = new AbortController();
    const waits: number[] = [];
    const onWait = (ms: number) => {
      waits.push(ms);
      controller.abort();
    };
    const { signal } = controller;
    await expect((await open()).reconcile({ settleMs: 10_000, signal, onWait })).rejects.toThrow();
    expect(waits[0]).toBeGreaterThan(5_000);
  });
});

describe('another process', () => {
  test('that was killed after this one has read the journal no longer has it', async () => {
    const { journal, begin, open } = await prepare();
    await begin();
    const child = spawn(process.execPath, ['-e', 'setTimeout(() => {}, 60_000)']);
    cleanUp(() => child.kill('SIGKILL'));
    appendFileSync(
      journal,
      recordsOf({ t: 'open', v: 1, kind: 'bulk', opening: 'x', ...ownIdentity(), pid: child.pid, start: null }),
    );
    const bulk = await open();
    expect(bulk.status().holder).toMatchObject({ pid: child.pid });
    await expect(bulk.run(onePass)).rejects.toMatchObject({ code: 'locked' });
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(await bulk.run(onePass)).toMatchObject({ sent: 5 });
  });

  test('status reads while a run is going on, and writes nothing', async () => {
    const { sandbox, journal, open } = await prepare(20);
    sandbox.reply('*', { delayMs: 5 }, { times: Number.POSITIVE_INFINITY });
    const bulk = await open();
    const run = bulk.run({ ...onePass, concurrency: 2 });
    while (!existsSync(journal) || !readFileSync(journal, 'utf8').includes('"intent"')) await sleep(1);
    for (;;) {
      const { counts, holder } = await readBulk(journal);
      expect(holder?.pid).toBe(process.pid);
      expect(counts.unknown).toBe(0);
      if (counts.sent > 3) break;
    }
    expect(await run).toMatchObject({ sent: 20 });
  });
});

describe('two senders that the lock does not keep apart', () => {
  test('send no row twice: whoever is late stops before the first byte', async () => {
    for (let race = 0; race < 10; race++) {
      const { sandbox, client, journal, options, begin } = await prepare(40);
      await begin();
      const text = readFileSync(journal, 'utf8');
      const senders = await Promise.all([1, 2, 3].map(() => openUnlocked(client, options, text)));
      const results = await Promise.allSettled(senders.map((bulk) => bulk.run({ ...onePass, concurrency: 4 })));
      for (const result of results) {
        if (result.status === 'rejected') expect(result.reason).toBeInstanceOf(JournalWriteError);
      }
      expect(results.some(({ status }) => status === 'rejected')).toBe(true);
      expect(damageOf(sandbox, 40).twice).toBe(0);
      await Promise.allSettled(senders.map((bulk) => bulk.close()));
      // What they wrote can still be read.
      expect((await readBulk(journal)).counts.total).toBe(40);
    }
  });

  /** Opens a journal as if it had been read before any other process opened it. */
  async function openUnlocked(client: BulkClient, options: RowOptions, text: string) {
    const copy = join(makeFolder(), 'journal');
    writeFileSync(copy, text);
    const list = await List.of(checkRowOptions({ ...options, journal: copy }));
    const path = `${options.input}.journal`;
    const journal = new Journal(path, bulkKind, await openAppendFile(path), await readJournal(copy, bulkKind));
    const opened = withJournal(list, journal);
    const run = (how: RunOptions) => new Run(opened, client, checkOptions(runOptions, { ...how, once: true })).run();
    return { run, close: () => journal.close() };
  }
});

describe('once a row may have been sent, a changed', () => {
  test.each<[string, Partial<RowOptions> & { csv?: string }, RegExp]>([
    ['row', { csv: 'receptor,name\n911,a\n912,b\n' }, /a row, or a default of a field, has changed/],
    ['number of rows', { csv: 'receptor,name\n911,a\n' }, /this list has 2 rows, and 1 were given/],
    [
      'template',
      { fields: { ...fields, message: 'Bye {{name}}' } },
      /message: this list has "Hello {{name}}", and "Bye {{name}}" was given/,
    ],
    ['field', { fields: { ...fields, msgmode: 2 } }, /msgmode: this list has 1, and 2 was given/],
    ['batch size', { batchSize: 2 }, /batchSize: this list has 1, and 2 was given/],
    ['operation', { operation: 'sendArray' }, /operation: this list has "sendSimple", and "sendArray" was given/],
    [
      'base URL',
      { settings: { baseUrl: 'http://b' } },
      /baseUrl: this list has "http:\/\/a", and "http:\/\/b" was given/,
    ],
  ])('%s is refused with both values', async (_, { csv, ...others }, message) => {
    const { input, journal, begin, open } = await prepare();
    const settings = { baseUrl: 'http://a' };
    writeFileSync(input, 'receptor,name\n911,a\n912,c\n');
    await begin({ settings });
    appendFileSync(journal, recordsOf({ t: 'intent', n: 1, range: [1, 1], at: 0 }, { t: 'unknown', n: 1, error: '' }));
    if (csv) writeFileSync(input, csv);
    const error = await open({ settings, ...others }).then(
      () => undefined,
      (reason) => reason,
    );
    expect(error).toMatchObject({ code: 'changed', message: expect.stringMatching(message) });
  });

  test('spelling of the same rows is not a change', async () => {
    const { input, journal, begin, open } = await prepare();
    writeFileSync(input, 'receptor,name\n911,a\n912,c\n');
    await begin();
    appendFileSync(journal, recordsOf({ t: 'intent', n: 1, range: [1, 1], at: 0 }));
    writeFileSync(input, '\ufeffname,receptor\r\n"a",911\r\nc,"912"\r\n');
    expect((await open()).status().counts).toMatchObject({ unknown: 1 });
  });
});

test('a full disk stops the run when the system says so, and then nothing is sent twice or lost', async () => {
  const { sandbox, input, journal, open } = await prepare(100);
  const options = { input, baseUrl: sandbox.baseUrl, baseline: true };
  const child = await startSender(options, 'trap "" XFSZ; ulimit -f 8; exec "$@"');
  const text = printed(child, /JournalWriteError: the journal cannot be written: EFBIG/);
  expect(await endOf(child)).toEqual({ code: 1, signal: null });
  await text;
  expect(statSync(journal).size).toBe(8 * 512);
  const bulk = await open();
  const { sent, pending } = bulk.status().counts;
  expect(Math.min(sent, pending)).toBeGreaterThan(0);
  for (let pass = 1; pass <= 5 && bulk.status().counts.sent < 100; pass++) {
    await bulk.run(onePass);
    await decideUnknown(bulk, sandbox);
  }
  expect(bulk.status().counts).toMatchObject({ sent: 100 });
  expect(damageOf(sandbox, 100)).toEqual({ twice: 0, lost: 0 });
});

test('each of many refused rows shows the words of its own refusal', () => {
  const state = bulkKind.createState();
  const apply = (record: BulkRecord) => expect(state.apply(record)).toBe(true);
  const plan = { operation: 'sendSimple', batchSize: 1, idsInOrder: false, startWithinMs: 5000, asIs: false } as const;
  apply({ t: 'list', id: '1234567890', sha256: '', total: 1500, plan, fields: {}, defaults: {} });
  for (let n = 1; n <= 1500; n++) {
    apply({ t: 'intent', n, range: [n, n], at: 0 });
    apply({ t: 'rejected', n, error: `ticket ${n}`, refusal: '412' });
  }
  expect(state.table.reason(1500).text).toBe('ticket 1500');
  expect(state.table.reason(3).text).toBe('ticket 3');
});
