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
import files, { type FileHandle } from 'node:fs/promises';
import os, { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { inboxKind } from '../../src/inbox/inbox-journal';
import { JournalWriteError } from '../../src/journal/errors';
import { openJournal } from '../../src/journal/journal';
import { ownIdentity } from '../../src/journal/owner';
import { cleanUp } from '../support/clean-up';
import { makeFolder } from '../support/folder';
import { failureOf } from '../support/outcomes';
import { openers, type User, users } from './users';

/** The path of a user's journal, in a folder that may be moved. */
function pathFor({ file }: User): string {
  const folder = join(makeFolder(), 'folder');
  mkdirSync(folder);
  return join(folder, file);
}

const hole = `${'\0'.repeat(40)}"2"]}\n`;
const lineOf = (record: object) => `${JSON.stringify(record)}\n`;
const openOf = (kind: string, others: object = {}) =>
  lineOf({ t: 'open', v: 1, kind, opening: 'x', ...ownIdentity(), ...others });

describe.each(users)('a journal of the kind $name', (user) => {
  const { name, use, count } = user;
  let path: string;
  beforeEach(() => {
    path = pathFor(user);
  });

  test('can be read by its owner only, and keeps the records of each opening', async () => {
    await use(path);
    await use(path);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(await count(path)).toBe(4);
  });

  test('opens after a crash at any byte, and nothing is cut off', async () => {
    await use(path);
    const { size } = statSync(path);
    await use(path);
    const whole = readFileSync(path);
    for (let end = 0; end < whole.length; end += 97) {
      writeFileSync(path, whole.subarray(0, end));
      await use(path);
      expect(readFileSync(path).subarray(0, end)).toEqual(whole.subarray(0, end));
      expect(await count(path)).toBeGreaterThanOrEqual(end < size ? 2 : 4);
    }
  });

  test.each([
    ['two crashes, the second of which tore the line of the opening', '{"t":"sen\n{"t":"open","opening":"x'],
    ['a power loss that left zeros at the end', '{"t":"sen\0\0\0'],
    ['a power loss that left zeros before a line', `${hole}{"t":"close"}\n`],
  ])('opens after %s', async (_, end) => {
    await use(path);
    appendFileSync(path, end);
    await use(path);
    expect(await count(path)).toBe(4);
  });

  const damage = 'is damaged: something else has changed it';
  test.each<[string, string, (text: string) => string]>([
    ['has a line that is cut off', damage, (text) => `${text}{"t":"not-fo\n{"t":"close"}\n`],
    ['has a record of an unknown kind', damage, (text) => `${text}{"t":"other"}\n{"t":"close"}\n`],
    ['has a line of other JSON', damage, (text) => `${text}null\n{"t":"close"}\n`],
    ['has zeros that were on the disk', damage, (text) => `${text}${hole}{"t":"synced"}\n`],
    ['is text', 'is not a journal (line 1)', () => 'receptor,name\n'],
    ['is text without a line end', 'is not a journal (line 1)', () => 'notes'],
    ['is other JSON', 'is not a journal (line 1)', () => '{"format":"another"}\n{"t":"close"}\n'],
    ['is many zeros', 'is not a journal (line 1)', () => '\0'.repeat(3_000_000)],
    ['is of another kind', `is a journal of the kind "other", not "${name}"`, () => openOf('other')],
    ['is of another version', 'by another version of this program (format 9, not 1)', () => openOf(name, { v: 9 })],
  ])('that %s is refused, and left as it is', async (_, words, change) => {
    await use(path);
    const text = change(readFileSync(path, 'utf8'));
    writeFileSync(path, text);
    const code = words.startsWith('is not') || words === damage ? 'damaged' : 'changed';
    expect(await failureOf(use(path))).toMatchObject({ code, message: expect.stringContaining(words) });
    expect(readFileSync(path, 'utf8') === text).toBe(true);
  });
});

/** Changes each file and folder that is opened. */
function watchOpening(change: (handle: FileHandle, path: string, flags: string) => unknown): void {
  const { open } = files;
  const spy = jest.spyOn(files, 'open').mockImplementation(async (path, flags, mode) => {
    const handle = await open(path, flags, mode);
    await change(handle, String(path), String(flags));
    return handle;
  });
  cleanUp(() => spy.mockRestore());
}

describe.each(openers)('a journal of the kind $name', (user) => {
  const { name, use, count } = user;
  let path: string;
  beforeEach(async () => {
    path = pathFor(user);
    await use(path);
  });

  /** The code of the error with which the journal is refused. */
  const codeOf = (takeOver = false) =>
    use(path, undefined, takeOver).then(
      () => 'opened',
      ({ code }) => code,
    );

  test.each<[string, object, string]>([
    ['that lives is locked', { pid: process.ppid, start: null }, 'locked'],
    ['that has ended opens', { pid: 2 ** 22 - 3 }, 'opened'],
    [
      'that has ended, and whose id another one has got, opens',
      { pid: process.ppid, start: 'another boot:1' },
      'opened',
    ],
    ['on another host is locked', { host: `not-${hostname()}` }, 'locked'],
    ['of another PID namespace is locked', { space: 'pid:[1]' }, 'locked'],
  ])('of a process %s', async (_, others, expected) => {
    appendFileSync(path, openOf(name, others));
    expect(await codeOf()).toBe(expected);
  });

  test('of a process on another host opens when the user says that it has ended', async () => {
    appendFileSync(path, openOf(name, { host: `not-${hostname()}` }));
    expect(await codeOf(true)).toBe('opened');
  });

  test('opens once at a time, also on a host whose name is not ASCII', async () => {
    const named = jest.spyOn(os, 'hostname').mockReturnValue('علی-pc');
    cleanUp(() => named.mockRestore());
    await use(path, async () => {
      const message = expect.stringContaining(`is in use by process ${process.pid} on علی-pc`);
      expect(await failureOf(use(path))).toMatchObject({ code: 'locked', message });
    });
    writeFileSync(path, readFileSync(path, 'utf8').replaceAll(`"pid":${process.pid}`, `"pid":${2 ** 22 - 3}`));
    await use(path);
    expect(await count(path)).toBe(6);
  });

  test.each<[string, boolean, () => void]>([
    ['deleted', true, () => rmSync(path)],
    ['moved', true, () => renameSync(path, `${path}.old`)],
    ['in a folder that is moved', true, () => renameSync(dirname(path), `${dirname(path)}.old`)],
    [
      'replaced by a copy',
      true,
      () => {
        copyFileSync(path, `${path}.copy`);
        renameSync(`${path}.copy`, path);
      },
    ],
    ['written by another process', false, () => appendFileSync(path, '{"t":"close"}\n')],
  ])('that is %s ends the work', async (_, isMissing, change) => {
    const failure = await failureOf(use(path, change));
    expect(failure).toBeInstanceOf(JournalWriteError);
    expect(failure).toMatchObject({
      isMissing,
      outcome: 'unknown',
      message: expect.stringMatching(/so the work stops/),
    });
  });

  test('has a name that survives a power loss: its folder is synced at every opening, also after one that failed', async () => {
    rmSync(path);
    const synced: string[] = [];
    let isBroken = true;
    watchOpening(async (handle, opened) => {
      if (!(await handle.stat()).isDirectory()) return;
      const sync = handle.sync.bind(handle);
      handle.sync = async () => {
        if (isBroken) throw Object.assign(new Error('EIO: i/o error, fsync'), { code: 'EIO' });
        synced.push(opened);
        await sync();
      };
    });
    expect(await codeOf()).toBe('unusable');
    if (process.platform === 'linux') expect(openFiles()).not.toContain(path);
    expect(statSync(path).size).toBe(0);
    isBroken = false;
    await use(path);
    await use(path);
    expect(synced).toEqual([dirname(path), dirname(path)]);
    // The folder of a link is that of the file that it leads to.
    const target = join(makeFolder(), 'journal');
    renameSync(path, target);
    symlinkSync(target, path);
    await use(path);
    expect(synced.slice(2)).toEqual([dirname(target)]);
  });

  test.each<[string, RegExp, () => void]>([
    ['a folder', /is not a regular file; choose another path$/, () => mkdirSync(path)],
    ['a device', /is not a regular file/, () => symlinkSync('/dev/null', path)],
    ['below a file', /cannot be read: ENOTDIR/, () => symlinkSync(join(__filename, 'journal'), path)],
  ])('cannot be %s', async (_, message, change) => {
    rmSync(path);
    change();
    expect(await failureOf(use(path))).toMatchObject({ code: 'unusable', message: expect.stringMatching(message) });
  });

  test('that cannot be written is to be made writable, and not put elsewhere', async () => {
    watchOpening(async (handle, _, flags) => {
      if (flags !== 'a') return;
      await handle.close();
      throw Object.assign(new Error("EACCES: permission denied, open 'journal'"), { code: 'EACCES' });
    });
    const message = expect.stringMatching(/EACCES.*; make it writable, because it knows \w/);
    expect(await failureOf(use(path))).toMatchObject({ code: 'unusable', message });
  });
});

/** The paths of the files that this process has open. */
function openFiles(): string[] {
  return readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`);
    } catch {
      return [];
    }
  });
}

const open = (path: string) => openJournal({ path, kind: inboxKind, takeOver: false });

test('a journal in a folder that is not there is refused', async () => {
  const failure = await failureOf(open(join(makeFolder(), 'none', 'journal')));
  const message = expect.stringMatching(
    /^journal: cannot be opened: ENOENT.*; work in a folder that you can write to$/,
  );
  expect(failure).toMatchObject({ code: 'unusable', message });
});

test('a journal refuses a record that it could not read again', async () => {
  const journal = await open(join(makeFolder(), 'journal'));
  cleanUp(() => journal.close());
  const append = () => journal.append({ t: 'known', line: '3000', ids: ['x'], marks: [0] });
  expect(append).toThrow('the record known could not be read again');
  expect(journal.state.counts()).toMatchObject({ known: 0 });
});

test('a journal says of all that it has written before that it was on the disk', async () => {
  const path = join(makeFolder(), 'journal');
  const journal = await open(path);
  await journal.commit({ t: 'known', line: '3000', ids: ['1'], marks: [0] });
  await journal.close();
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
  expect(lines.map((line) => JSON.parse(line).t)).toEqual(['open', 'synced', 'known', 'synced', 'close']);
});
