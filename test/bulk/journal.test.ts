import {
  appendFileSync,
  copyFileSync,
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
import files from 'node:fs/promises';
import os, { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { type BulkOptions, JournalError, JournalWriteError, openBulk, type Progress, readBulk } from '../../src/bulk';
import { Bulk, openSession } from '../../src/bulk/bulk';
import { Journal } from '../../src/bulk/journal/journal';
import { openJournalFile } from '../../src/bulk/journal/journal-file';
import { isAlive, ownIdentity } from '../../src/bulk/journal/process-identity';
import { cleanUp } from '../support/clean-up';
import { makeFolder } from '../support/folder';
import { advanceClock, csvOf, damageOf, endOf, fields, printed, startSender, startService } from './support';

async function prepare(rows = 5) {
  const { sandbox, client } = await startService();
  const { input, journal } = csvOf(rows);
  const options = { client, input, fields } satisfies BulkOptions;
  const open = async (others: Partial<BulkOptions> = {}) => {
    const bulk = await openBulk({ ...options, ...others });
    cleanUp(() => bulk.close());
    return bulk;
  };
  return { sandbox, client, input, journal, options, open };
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
  await bulk.run();
  await bulk.close();
  expect(statSync(journal).mode & 0o777).toBe(0o600);
  const records = readFileSync(journal, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line).t);
  expect([records[0], records[1], records.at(-1)]).toEqual(['open', 'bulk', 'close']);
});

describe('torn lines', () => {
  const torn = '{"t":"intent","n":9,"rows":[4,';

  test('one at the end is read over, and never cut off', async () => {
    const { journal, open } = await prepare();
    await (await open()).close();
    appendFileSync(journal, torn);
    const bulk = await open();
    expect(await bulk.run()).toMatchObject({ sent: 5 });
    expect(readFileSync(journal, 'utf8')).toContain(`${torn}\n{"t":"open"`);
  });

  test('two after two crashes are read over, also when the second tore the line of the opening', async () => {
    const { journal, open } = await prepare();
    await (await open()).close();
    appendFileSync(journal, `${torn}\n{"t":"open","run":"x`);
    const bulk = await open();
    expect(await bulk.run()).toMatchObject({ sent: 5 });
    await bulk.close();
    appendFileSync(journal, `${torn}\0\0\0`);
    expect((await open()).counts()).toMatchObject({ sent: 5 });
  });

  test.each([
    ['cut off', '{"t":"not-fo'],
    ['of an unknown kind', '{"t":"other"}'],
    ['with a wrong value', '{"t":"intent","n":1,"rows":[1],"at":0}'],
    ['about rows that there are not', '{"t":"intent","n":1,"rows":[1,6],"at":0}'],
    ['about a batch that there is not', '{"t":"sent","n":7,"ids":[]}'],
  ])('a line %s anywhere else is refused', async (_, line) => {
    const { journal, open } = await prepare();
    await (await open()).close();
    appendFileSync(journal, `${line}\n{"t":"close"}\n`);
    expect(await codeOf(open())).toBe('damaged');
    expect(await codeOf(readBulk(journal))).toBe('damaged');
  });

  test('a file that is no journal is refused and left as it is', async () => {
    const { journal, open } = await prepare();
    writeFileSync(journal, 'receptor,name\n');
    expect(await codeOf(open())).toBe('damaged');
    expect(readFileSync(journal, 'utf8')).toBe('receptor,name\n');
  });

  test('a crash during the first opening leaves a journal that opens', async () => {
    const { journal, open } = await prepare();
    writeFileSync(journal, '{"t":"op');
    expect((await open()).counts()).toMatchObject({ pending: 5 });
  });
});

describe('rows that are in a queue', () => {
  const records = (...lines: object[]) => lines.map((line) => `${JSON.stringify(line)}\n`).join('');
  const intent = { t: 'intent', at: 0, queued: true };

  test('stay under way when the journal is opened again, until their outcome is there', async () => {
    const { journal, open } = await prepare();
    await (await open()).close();
    appendFileSync(
      journal,
      records({ ...intent, n: 1, rows: [1, 2] }, { ...intent, n: 2, rows: [3, 3] }, { t: 'close' }),
    );
    const bulk = await open();
    expect(bulk.counts()).toMatchObject({ underWay: 3, unknown: 0, pending: 2 });
    expect(await bulk.run()).toMatchObject({ underWay: 3, sent: 2 });
    await bulk.close();
    expect(await readBulk(journal)).toMatchObject({ queued: 3, isOpen: false });
    appendFileSync(journal, records({ t: 'sent', n: 1, ids: ['1', '2'] }, { t: 'not-sent', n: 2, error: 'revoked' }));
    expect(await readBulk(journal)).toMatchObject({ queued: 0, counts: { underWay: 0, pending: 1, sent: 4 } });
  });

  test('stay there when another process, which was noticed, gave their numbers and their rows again', async () => {
    const { journal, open } = await prepare();
    await (await open()).close();
    appendFileSync(
      journal,
      records(
        { ...intent, n: 1, rows: [1, 2] },
        { t: 'intent', n: 1, rows: [2, 3], at: 0 },
        { t: 'intent', n: 2, rows: [1, 1], at: 0 },
        { t: 'close' },
      ),
    );
    const states = [...(await open()).rows()].map(({ state }) => state);
    expect(states).toEqual(['under way', 'under way', 'unknown', 'pending', 'pending']);
  });

  test('settle from when their outcome was asked for', async () => {
    const { sandbox, journal, open } = await prepare(2);
    sandbox.reply('SendSimpleByApikey', { delayMs: 0 });
    sandbox.reply('SendSimpleByApikey', { status: 418 });
    const first = await open();
    await first.run({ baseline: { pagesize: 10 } });
    await first.close();
    const at = Date.now() + 7_200_000;
    appendFileSync(
      journal,
      records(
        { t: 'open', run: 'x', ...ownIdentity() },
        { t: 'again', rows: [[2, 2]] },
        { ...intent, n: 3, rows: [2, 2] },
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
    await expect((await open()).reconcile({ pagesize: 11, settleMs: 10_000, signal, onWait })).rejects.toThrow();
    expect(waits[0]).toBeGreaterThan(3_600_000);
  });
});

describe('another process', () => {
  const holder = (others: object) => `${JSON.stringify({ t: 'open', run: 'x', ...ownIdentity(), ...others })}\n`;

  test.each<[string, object, string]>([
    ['that lives has the journal', { pid: process.ppid, start: null }, 'locked'],
    ['that ended', { pid: 2 ** 22 - 3 }, 'opened'],
    ['that ended, and whose id another one has got', { start: 'another boot:1' }, 'opened'],
    ['on another host', { host: `not-${hostname()}` }, 'locked'],
  ])('%s', async (_, others, expected) => {
    const { journal, open } = await prepare();
    await (await open()).close();
    appendFileSync(journal, holder(others));
    expect(await codeOf(open())).toBe(expected);
  });

  test('on another host has ended, and the user says so', async () => {
    const { journal, open } = await prepare();
    await (await open()).close();
    appendFileSync(journal, holder({ host: `not-${hostname()}` }));
    expect(await codeOf(open({ takeOver: true }))).toBe('opened');
  });

  test('the same process cannot open it twice', async () => {
    const { open } = await prepare();
    await open();
    expect(await codeOf(open())).toBe('locked');
  });

  test('that is stopped still has it; once it was killed, the next one goes on', async () => {
    const { sandbox, open, input } = await prepare(200);
    sandbox.reply('*', { delayMs: 30 }, { times: Number.POSITIVE_INFINITY });
    const child = await startSender({ input, baseUrl: sandbox.baseUrl, concurrency: 2 });
    await printed(child, /running/);
    child.kill('SIGSTOP');
    expect(await codeOf(open())).toBe('locked');
    child.kill('SIGKILL');
    await endOf(child);
    expect(await codeOf(open())).toBe('opened');
  });

  test('status reads while a run is going on, and writes nothing', async () => {
    const { sandbox, journal, open } = await prepare(20);
    sandbox.reply('*', { delayMs: 5 }, { times: Number.POSITIVE_INFINITY });
    const bulk = await open();
    const run = bulk.run({ concurrency: 2 });
    for (;;) {
      const { counts, isOpen } = await readBulk(journal);
      expect(isOpen).toBe(true);
      expect(counts.unknown).toBe(0);
      if (counts.sent > 3) break;
    }
    expect(await run).toMatchObject({ sent: 20 });
  });
});

test.each(['آریا', 'علی-pc', 'žofie'])('a journal opens again on a host that is named %s', async (host) => {
  const { journal, open } = await prepare();
  const named = jest.spyOn(os, 'hostname').mockReturnValue(host);
  cleanUp(() => named.mockRestore());
  expect(await (await open()).run()).toMatchObject({ sent: 5 });
  await expect(open()).rejects.toThrow(`is in use by process ${process.pid} on ${host}`);
  const text = readFileSync(journal, 'utf8');
  expect(JSON.parse(text.split('\n')[0] ?? '')).toMatchObject({ host });
  const crashed = `${journal}.crashed`;
  writeFileSync(crashed, text.replaceAll(`"pid":${process.pid}`, `"pid":${2 ** 22 - 3}`));
  expect((await open({ journal: crashed })).counts()).toMatchObject({ sent: 5 });
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
      const { sandbox, journal, options } = await prepare(40);
      await (await openBulk(options)).close();
      const text = readFileSync(journal, 'utf8');
      const senders = await Promise.all([1, 2, 3].map(() => openUnlocked(options, journal, text)));
      const results = await Promise.allSettled(senders.map((bulk) => bulk.run({ concurrency: 4 })));
      for (const result of results) {
        if (result.status === 'rejected') expect(result.reason).toBeInstanceOf(JournalWriteError);
      }
      expect(results.some(({ status }) => status === 'rejected')).toBe(true);
      expect(damageOf(sandbox, 40).twice).toBe(0);
      await Promise.allSettled(senders.map((bulk) => bulk.close()));
      // What they wrote can still be read.
      expect((await readBulk(journal)).counts.rows).toBe(40);
    }
  });

  /** Opens a journal as if it had been read before any other process opened it. */
  async function openUnlocked(options: BulkOptions, journal: string, text: string) {
    const { input } = csvOf(40);
    writeFileSync(`${input}.journal`, text);
    const session = await openSession({ ...options, input });
    const file = await openJournalFile(journal);
    cleanUp(() => session.journal.close());
    return new Bulk({ ...session, journal: new Journal(file, Buffer.byteLength(text)) });
  }
});

describe('a changed', () => {
  test.each<[string, Partial<BulkOptions> & { csv?: string }, RegExp]>([
    ['row', { csv: 'receptor,name\n1,a\n2,b\n' }, /a row, a field or a template has changed/],
    ['number of rows', { csv: 'receptor,name\n1,a\n' }, /there were 2 rows and are 1/],
    ['template', { fields: { ...fields, message: 'Bye {{name}}' } }, /a row, a field or a template has changed/],
    ['field', { fields: { ...fields, msgmode: 2 } }, /a row, a field or a template has changed/],
    ['batch size', { batchSize: 2 }, /batchSize: was 1 and is 2/],
    ['operation', { operation: 'sendArray' }, /operation: was sendSimple and is sendArray/],
  ])('%s is refused', async (_, { csv, ...others }, message) => {
    const { input, options } = await prepare();
    writeFileSync(input, 'receptor,name\n1,a\n2,c\n');
    await (await openBulk(options)).close();
    if (csv) writeFileSync(input, csv);
    const error = await openBulk({ ...options, ...others }).then(
      () => undefined,
      (reason) => reason,
    );
    expect(error).toMatchObject({ code: 'changed', message: expect.stringMatching(message) });
    expect(String(error)).toMatch(/use the same file and options as before, .*; do not delete the journal/);
  });

  test('spelling of the same rows is not a change', async () => {
    const { input, options } = await prepare();
    writeFileSync(input, 'receptor,name\n1,a\n2,c\n');
    await (await openBulk(options)).close();
    writeFileSync(input, '\ufeffname,receptor\r\n"a",1\r\nc,"2"\r\n');
    await (await openBulk(options)).close();
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
    const input = Array.from({ length: 5 }, (_, row) => ({ receptor: String(row), name: 'a' }));
    const bulk = await openBulk({ client, input, fields, journal });
    cleanUp(() => bulk.close());
    const onProgress = ({ sent }: Progress) => sent === 2 && change(journal);
    const error: unknown = await bulk.run({ concurrency: 1, onProgress }).catch((reason) => reason);
    expect(error).toBeInstanceOf(JournalWriteError);
    expect(error).toMatchObject({
      isGone: true,
      outcome: 'unknown',
      message: expect.stringMatching(/nothing more is sent/),
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
    const { journal, open } = await prepare();
    const watched = watchFolders();
    watched.isBroken = true;
    expect(await codeOf(open())).toBe('unusable');
    if (process.platform === 'linux') expect(openFiles()).not.toContain(journal);
    expect(statSync(journal).size).toBe(0);
    watched.isBroken = false;
    for (let opening = 1; opening <= 2; opening++) {
      await (await open()).close();
      expect(watched.synced).toEqual(Array(opening).fill(dirname(journal)));
    }
  });

  test('the folder of a link is that of the file that it leads to', async () => {
    const { journal, open } = await prepare();
    const target = join(makeFolder(), 'journal');
    writeFileSync(target, '');
    symlinkSync(target, journal);
    const watched = watchFolders();
    const bulk = await open();
    expect(watched.synced).toEqual([dirname(target)]);
    expect(await bulk.run()).toMatchObject({ sent: 5 });
  });
});

describe('a path at which there can be no journal', () => {
  test.each<[string, (folder: string) => string, RegExp]>([
    [
      'in a folder that is not there',
      (folder) => join(folder, 'none', 'journal'),
      /cannot be opened: ENOENT.*; choose another place/,
    ],
    ['below a file', (folder) => join(folder, 'list.csv', 'journal'), /cannot be read: ENOTDIR/],
    ['of a folder', (folder) => folder, /is not a regular file; choose another place/],
    ['of a device', () => '/dev/null', /\/dev\/null is not a regular file/],
  ])('%s is refused, and nothing is sent', async (_, place, message) => {
    const { sandbox, journal, open } = await prepare();
    const opening = open({ journal: place(dirname(journal)) });
    await expect(opening).rejects.toThrow(message);
    expect(await codeOf(opening)).toBe('unusable');
    expect(sandbox.requests).toHaveLength(0);
  });

  test('a journal that cannot be written is to be made writable, and not put elsewhere', async () => {
    const { open } = await prepare();
    await (await open()).close();
    const write = files.open;
    const spy = jest.spyOn(files, 'open').mockImplementation(async (path, flags, mode) => {
      if (flags === 'a')
        throw Object.assign(new Error("EACCES: permission denied, open 'journal'"), { code: 'EACCES' });
      return write(path, flags, mode);
    });
    cleanUp(() => spy.mockRestore());
    await expect(open()).rejects.toThrow(
      /EACCES.*; make it writable, since it knows what was sent; nothing more was sent$/,
    );
  });
});

describe('a full disk', () => {
  test('stops the run; what was under way is unknown, and nothing is sent twice or lost', async () => {
    const { sandbox, client, options, journal } = await prepare(60);
    // It has room for a part of a write that has outcomes in it.
    let writes = 0;
    const session = await openSession(options, async (path) => {
      const file = await openJournalFile(path);
      const append = async (bytes: Buffer) => {
        writes += 1;
        if (writes < 10 || !bytes.includes('"t":"sent"')) return file.append(bytes);
        await file.append(bytes.subarray(0, 10));
        throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
      };
      return { ...file, append };
    });
    const bulk = new Bulk(session);
    const run = bulk.run({ concurrency: 4, baseline: { pagesize: 1000 } });
    await expect(run).rejects.toThrow('the journal cannot be written: ENOSPC');
    await expect(bulk.run()).rejects.toThrow('ENOSPC');
    await bulk.close();
    const { counts } = await readBulk(journal);
    expect(counts.unknown).toBeGreaterThan(0);
    expect(counts.pending).toBeGreaterThan(0);

    const next = await openBulk({ ...options, client });
    cleanUp(() => next.close());
    advanceClock(60_000);
    expect(await next.reconcile({ pagesize: 1000 })).toMatchObject({ concluded: true });
    await next.sendAgain('not-found');
    expect(await next.run()).toMatchObject({ sent: 60 });
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
