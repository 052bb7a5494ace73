import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import files, { type FileHandle } from 'node:fs/promises';
import os, { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type BulkClient,
  JournalError,
  JournalWriteError,
  openBulk,
  type Progress,
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
import { Journal, openJournal } from '../../src/journal/journal';
import { isAlive, ownIdentity } from '../../src/journal/owner';
import { readJournal } from '../../src/journal/read-journal';
import { checkOptions } from '../../src/options/table';
import { cleanUp } from '../support/clean-up';
import { makeFolder } from '../support/folder';
import {
  advanceClock,
  csvOf,
  damageOf,
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
  const check = (others: Partial<RowOptions>) => List.of(checkRowOptions({ ...options, ...others }));
  const open = async (others: Partial<RowOptions> = {}) => {
    const bulk = await openBulk({ client, ...options, ...others });
    cleanUp(() => bulk.close());
    return bulk;
  };
  /** Begins the list, and sends nothing. */
  const begin = async (others: Partial<RowOptions> = {}) => {
    const { signal } = new AbortController();
    const list = await check(others);
    await beginList(list, { listBaseline: () => listBaseline(client, 0, signal), signal });
    await list.close();
  };
  /** Opens the journal for this process. */
  const lock = async (others: Partial<RowOptions> = {}) => {
    const opened = await (await check(others)).open();
    cleanUp(() => opened.close().catch(() => undefined));
    return opened;
  };
  return { sandbox, client, input, journal, options, open, begin, lock };
}

/** Changes each file that is opened for appending. Returns a function that ends it. */
function watchAppends(change: (handle: FileHandle) => void): () => void {
  const { open } = files;
  const spy = jest.spyOn(files, 'open').mockImplementation(async (path, flags, mode) => {
    const handle = await open(path, flags, mode);
    if (String(flags).startsWith('a')) change(handle);
    return handle;
  });
  cleanUp(() => spy.mockRestore());
  return () => spy.mockRestore();
}

/** The code of the JournalError that opening ends with. */
const codeOf = (opening: Promise<unknown>) =>
  opening.then(
    () => 'opened',
    (error) => (error instanceof JournalError ? error.code : Promise.reject(error)),
  );

test('the journal can be read by its owner only, and ends with a record of its own', async () => {
  const { journal, open } = await prepare();
  const bulk = await open();
  await bulk.run(onePass);
  await bulk.close();
  expect(statSync(journal).mode & 0o777).toBe(0o600);
  const records = readFileSync(journal, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line).t);
  expect([...records.slice(0, 3), records.at(-1)]).toEqual(['open', 'synced', 'list', 'close']);
});

describe('torn lines', () => {
  const torn = '{"t":"intent","n":9,"range":[4,';

  test('one at the end is read over, and never cut off', async () => {
    const { journal, open, begin } = await prepare();
    await begin();
    appendFileSync(journal, torn);
    const bulk = await open();
    expect(await bulk.run(onePass)).toMatchObject({ sent: 5 });
    expect(readFileSync(journal, 'utf8')).toContain(`${torn}\n{"t":"open"`);
  });

  test('two after two crashes are read over, also when the second tore the line of the opening', async () => {
    const { journal, open, begin } = await prepare();
    await begin();
    appendFileSync(journal, `${torn}\n{"t":"open","run":"x`);
    const bulk = await open();
    expect(await bulk.run(onePass)).toMatchObject({ sent: 5 });
    await bulk.close();
    appendFileSync(journal, `${torn}\0\0\0`);
    expect((await open()).status().counts).toMatchObject({ sent: 5 });
  });

  test.each([
    ['cut off', '{"t":"not-fo'],
    ['of an unknown kind', '{"t":"other"}'],
    ['with a wrong value', '{"t":"intent","n":1,"range":[1],"at":0}'],
    ['about rows that there are not', '{"t":"intent","n":1,"range":[1,6],"at":0}'],
    ['about a batch that there is not', '{"t":"sent","n":7,"ids":[]}'],
  ])('a line %s anywhere else is refused', async (_, line) => {
    const { journal, begin, lock } = await prepare();
    await begin();
    appendFileSync(journal, `${line}\n{"t":"close"}\n`);
    expect(await codeOf(lock())).toBe('damaged');
    expect(await codeOf(readBulk(journal))).toBe('damaged');
  });

  /**
   * A journal of 5 rows after a power loss that left zeros: row 1 is sent, and requests for rows 2 and 3 were decided
   * on.
   */
  async function loseTail(records: { readonly before: object[]; readonly after: object[] }) {
    const { journal, open, begin, lock } = await prepare();
    await begin();
    const opened = { t: 'open', v: 1, kind: 'bulk', opening: 'x', ...ownIdentity(), pid: 2 ** 22 - 3 };
    appendFileSync(journal, recordsOf(opened, ...records.before));
    appendFileSync(journal, `${'\0'.repeat(40)}"2"]}\n${recordsOf(...records.after)}`);
    return { journal, open, lock };
  }
  const synced = { t: 'synced' };
  const intentOf = (n: number) => ({ t: 'intent', n, range: [n, n], at: 0 });
  const before = [synced, intentOf(1), synced, { t: 'sent', n: 1, ids: ['1'] }, intentOf(2), synced];

  test('zeros that a power loss left in lines that were not on the disk are skipped with a notice', async () => {
    const { journal, open } = await loseTail({ before, after: [intentOf(3)] });
    const text = readFileSync(journal);
    const skipped = [
      expect.stringMatching(/list\.csv\.journal: its last part was not on the disk .* \(from line 15\)$/),
    ];
    expect(await readBulk(journal)).toMatchObject({ notices: skipped, counts: { sent: 1, unknown: 2, pending: 2 } });
    const bulk = await open();
    expect(bulk.status()).toMatchObject({ notices: skipped, counts: { sent: 1, unknown: 2, pending: 2 } });
    expect(await bulk.run(onePass)).toMatchObject({ sent: 3, unknown: 2 });
    await bulk.close();
    expect(readFileSync(journal).subarray(0, text.length)).toEqual(text);
    expect(await readBulk(journal)).toMatchObject({ notices: [], counts: { sent: 3, unknown: 2 } });
  });

  test('zeros are refused when a later record says that they were on the disk', async () => {
    const { journal, lock } = await loseTail({ before, after: [synced, intentOf(3)] });
    expect(await codeOf(lock())).toBe('damaged');
    expect(await codeOf(readBulk(journal))).toBe('damaged');
  });

  test('a file that is no journal is refused and left as it is', async () => {
    const { journal, lock } = await prepare();
    writeFileSync(journal, 'receptor,name\n');
    expect(await codeOf(lock())).toBe('damaged');
    expect(readFileSync(journal, 'utf8')).toBe('receptor,name\n');
  });

  test('a crash during the first opening leaves a journal that opens', async () => {
    const { journal, open } = await prepare();
    writeFileSync(journal, '{"t":"op');
    expect((await open()).status().counts).toMatchObject({ pending: 5 });
  });
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
  const holder = (others: object) =>
    `${JSON.stringify({ t: 'open', v: 1, kind: 'bulk', opening: 'x', ...ownIdentity(), ...others })}\n`;

  test.each<[string, object, string]>([
    ['that lives has the journal', { pid: process.ppid, start: null }, 'locked'],
    ['that ended', { pid: 2 ** 22 - 3 }, 'opened'],
    ['that ended, and whose id another one has got', { start: 'another boot:1' }, 'opened'],
    ['on another host', { host: `not-${hostname()}` }, 'locked'],
  ])('%s', async (_, others, expected) => {
    const { journal, begin, lock } = await prepare();
    await begin();
    appendFileSync(journal, holder(others));
    expect(await codeOf(lock())).toBe(expected);
  });

  test('on another host has ended, and the user says so', async () => {
    const { journal, begin, lock } = await prepare();
    await begin();
    appendFileSync(journal, holder({ host: `not-${hostname()}` }));
    expect(await codeOf(lock({ takeOver: true }))).toBe('opened');
  });

  test('the same process cannot open it twice', async () => {
    const { begin, lock } = await prepare();
    await begin();
    await lock();
    expect(await codeOf(lock())).toBe('locked');
  });

  test('that is stopped still has it; once it was killed, the next one goes on', async () => {
    const { journal, sandbox, input, lock } = await prepare(200);
    sandbox.reply('*', { delayMs: 30 }, { times: Number.POSITIVE_INFINITY });
    const child = await startSender({ input, baseUrl: sandbox.baseUrl, concurrency: 2 });
    await printed(child, /running/);
    while (!existsSync(journal) || !readFileSync(journal, 'utf8').includes('"intent"')) await sleep(1);
    child.kill('SIGSTOP');
    expect(await codeOf(lock())).toBe('locked');
    child.kill('SIGKILL');
    await endOf(child);
    expect(await codeOf(lock())).toBe('opened');
  });

  test('that was killed after this one has read the journal no longer has it', async () => {
    const { journal, begin, open } = await prepare();
    await begin();
    const child = spawn(process.execPath, ['-e', 'setTimeout(() => {}, 60_000)']);
    cleanUp(() => child.kill('SIGKILL'));
    appendFileSync(journal, holder({ pid: child.pid, start: null }));
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

test.each(['آریا', 'علی-pc', 'žofie'])('a journal opens again on a host that is named %s', async (host) => {
  const { journal, open, lock } = await prepare();
  const named = jest.spyOn(os, 'hostname').mockReturnValue(host);
  cleanUp(() => named.mockRestore());
  expect(await (await open()).run(onePass)).toMatchObject({ sent: 5 });
  await expect(lock()).rejects.toThrow(`is in use by process ${process.pid} on ${host}`);
  const text = readFileSync(journal, 'utf8');
  expect(JSON.parse(text.split('\n')[0] ?? '')).toMatchObject({ host });
  const crashed = `${journal}.crashed`;
  writeFileSync(crashed, text.replaceAll(`"pid":${process.pid}`, `"pid":${2 ** 22 - 3}`));
  expect((await open({ journal: crashed })).status().counts).toMatchObject({ sent: 5 });
});

test('where ps tells when a process was started, a process in another time zone sees that it lives', () => {
  const { platform } = process;
  const zone = process.env.TZ;
  cleanUp(() => {
    Object.defineProperty(process, 'platform', { value: platform });
    process.env.TZ = zone ?? '';
    if (zone === undefined) delete process.env.TZ;
  });
  Object.defineProperty(process, 'platform', { value: 'darwin' });
  process.env.TZ = 'Asia/Tehran';
  const own = ownIdentity();
  expect(own.start).toMatch(/^\w{3} \w{3} +\d+ \d\d:\d\d:\d\d \d{4}$/);
  process.env.TZ = 'America/New_York';
  expect(isAlive(own)).toBe(true);
  expect(isAlive({ ...own, start: 'Thu Jan  1 00:00:00 1970' })).toBe(false);
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

describe('a journal that is', () => {
  test.each<[string, (journal: string) => void]>([
    ['deleted', (journal) => rmSync(journal)],
    ['moved', (journal) => renameSync(journal, `${journal}.old`)],
    ['in a folder that is moved', (journal) => renameSync(dirname(journal), `${dirname(journal)}.old`)],
    [
      'replaced by a copy',
      (journal) => {
        copyFileSync(journal, `${journal}.copy`);
        renameSync(`${journal}.copy`, journal);
      },
    ],
  ])('%s stops the run before the next request', async (_, change) => {
    const { sandbox, client } = await startService();
    const folder = join(makeFolder(), 'folder');
    mkdirSync(folder);
    const { journal } = csvOf(5, folder);
    const input = Array.from({ length: 5 }, (_, row) => ({ receptor: String(1000 + row), name: 'a' }));
    const bulk = await openBulk({ client, input, fields, journal });
    cleanUp(() => bulk.close());
    const onProgress = ({ sent }: Progress) => sent === 2 && change(journal);
    const error: unknown = await bulk.run({ ...onePass, concurrency: 1, onProgress }).catch((reason) => reason);
    expect(error).toBeInstanceOf(JournalWriteError);
    expect(error).toMatchObject({
      isMissing: true,
      outcome: 'unknown',
      message: expect.stringMatching(/so the work stops; put it back/),
    });
    expect(sandbox.messages).toHaveLength(2);
  });
});

describe('the name of the journal survives a power loss:', () => {
  /** Notes which folders are synced, in a list that starts anew with each opening, and lets that fail. */
  function watchFolders() {
    const watched = { synced: [] as string[], isBroken: false };
    const open = files.open;
    const spy = jest.spyOn(files, 'open').mockImplementation(async (path, flags, mode) => {
      const handle = await open(path, flags, mode);
      if (!(await handle.stat()).isDirectory()) return handle;
      const sync = handle.sync.bind(handle);
      handle.sync = async () => {
        if (watched.isBroken) throw Object.assign(new Error('EIO: i/o error, fsync'), { code: 'EIO' });
        watched.synced.push(String(path));
        await sync();
      };
      return handle;
    });
    cleanUp(() => spy.mockRestore());
    return watched;
  }

  const openFiles = () =>
    readdirSync('/proc/self/fd').flatMap((fd) => {
      try {
        return readlinkSync(`/proc/self/fd/${fd}`);
      } catch {
        return [];
      }
    });

  test('its folder is synced at every opening, also after one that failed, which leaves nothing open', async () => {
    const { journal, begin } = await prepare();
    const watched = watchFolders();
    watched.isBroken = true;
    expect(await codeOf(begin())).toBe('unusable');
    if (process.platform === 'linux') expect(openFiles()).not.toContain(journal);
    expect(statSync(journal).size).toBe(0);
    watched.isBroken = false;
    watched.synced.length = 0;
    for (let opening = 1; opening <= 2; opening++) {
      await begin();
      expect(watched.synced).toEqual(Array(opening).fill(dirname(journal)));
    }
  });

  test('the folder of a link is that of the file that it leads to', async () => {
    const { journal, open } = await prepare();
    const target = join(makeFolder(), 'journal');
    writeFileSync(target, '');
    symlinkSync(target, journal);
    const watched = watchFolders();
    expect(await (await open()).run(onePass)).toMatchObject({ sent: 5 });
    expect(watched.synced).toEqual([dirname(target)]);
  });
});

describe('a path at which there can be no journal', () => {
  test.each<[string, (folder: string) => string, RegExp]>([
    [
      'in a folder that is not there',
      (folder) => join(folder, 'none', 'journal'),
      /journal: cannot be opened: ENOENT.*; work in a folder that you can write to$/,
    ],
    ['below a file', (folder) => join(folder, 'list.csv', 'journal'), /cannot be read: ENOTDIR/],
    ['of a folder', (folder) => folder, /is not a regular file; choose another path$/],
    ['of a device', () => '/dev/null', /\/dev\/null is not a regular file/],
  ])('%s is refused, and nothing is sent', async (_, place, message) => {
    const { sandbox, journal, open } = await prepare();
    const opening = open({ journal: place(dirname(journal)) }).then((bulk) => bulk.run(onePass));
    await expect(opening).rejects.toThrow(message);
    expect(await codeOf(opening)).toBe('unusable');
    expect(sandbox.requests).toHaveLength(0);
  });

  test('a journal that cannot be written is to be made writable, and not put elsewhere', async () => {
    const { begin, lock } = await prepare();
    await begin();
    const write = files.open;
    const spy = jest.spyOn(files, 'open').mockImplementation(async (path, flags, mode) => {
      if (flags === 'a')
        throw Object.assign(new Error("EACCES: permission denied, open 'journal'"), { code: 'EACCES' });
      return write(path, flags, mode);
    });
    cleanUp(() => spy.mockRestore());
    await expect(lock()).rejects.toThrow(/EACCES.*; make it writable, because it knows what was sent$/);
  });
});

describe('a full disk', () => {
  test('stops the run; what was under way is unknown, and nothing is sent twice or lost', async () => {
    const { sandbox, open, journal } = await prepare(60);
    // It has room for a part of a write that has outcomes in it.
    let writes = 0;
    const restore = watchAppends((handle) => {
      const write = handle.write.bind(handle) as (bytes: Buffer, offset: number) => Promise<unknown>;
      const writePart = async (bytes: Buffer, offset: number) => {
        writes += 1;
        if (writes < 10 || !bytes.includes('"t":"sent"')) return write(bytes, offset);
        await write(bytes.subarray(0, 10), 0);
        throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
      };
      Object.assign(handle, { write: writePart });
    });
    const bulk = await open();
    const run = bulk.run({ ...onePass, concurrency: 4, baselinePagesize: 1000 });
    await expect(run).rejects.toThrow('the journal cannot be written: ENOSPC');
    await expect(bulk.run(onePass)).rejects.toThrow('ENOSPC');
    await bulk.close();
    restore();
    const { counts } = await readBulk(journal);
    expect(counts.unknown).toBeGreaterThan(0);
    expect(counts.pending).toBeGreaterThan(0);

    const next = await open();
    advanceClock(60_000);
    expect(await next.reconcile()).toMatchObject({ undecided: [] });
    expect(await next.run(onePass)).toMatchObject({ sent: 60 });
    expect(damageOf(sandbox, 60)).toEqual({ twice: 0, lost: 0 });
  });

  test('is noticed when the system says so', async () => {
    const { sandbox, input, journal } = await prepare(200);
    const child = await startSender({ input, baseUrl: sandbox.baseUrl }, 'trap "" XFSZ; ulimit -f 4; exec "$@"');
    const text = printed(child, /JournalWriteError: the journal cannot be written: EFBIG/);
    expect(await endOf(child)).toEqual({ code: 1, signal: null });
    await text;
    expect((await readBulk(journal)).counts.pending).toBeGreaterThan(0);
    expect(statSync(journal).size).toBe(4 * 512);
  });
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

test('a process in another PID namespace cannot be seen from here', () => {
  const own = ownIdentity();
  if (process.platform === 'linux') expect(own.space).toMatch(/^pid:\[\d+\]/);
  expect(isAlive(own)).toBe(true);
  expect(isAlive({ ...own, space: 'pid:[1]' })).toBeUndefined();
});

test('the journal refuses a record that it could not read again', async () => {
  const path = join(makeFolder(), 'journal');
  const plan = { operation: 'sendSimple', batchSize: 1, idsInOrder: false, startWithinMs: 5000, asIs: false } as const;
  const start = (): readonly BulkRecord[] => [
    { t: 'list', id: '1234567890', sha256: '', total: 1, plan, fields: {}, defaults: {} },
  ];
  const journal = await openJournal({ path, kind: bulkKind, takeOver: false, start });
  cleanUp(() => journal.close());
  const wrong: BulkRecord = { t: 'intent', n: Number.NaN, range: [1, 1], at: 0 };
  expect(() => journal.append(wrong)).toThrow('the record intent could not be read again');
  expect(journal.state.table.counts()).toMatchObject({ pending: 1 });
});

test('a journal that another version of this program has opened is refused', async () => {
  const { journal, begin } = await prepare(1);
  await begin();
  appendFileSync(journal, '{"t":"open","v":9,"kind":"bulk","opening":"x","pid":1,"host":"h"}\n');
  await expect(readBulk(journal)).rejects.toThrow('another version of this program');
});
