import { once } from 'node:events';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { Worker } from 'node:worker_threads';
import { isAlive, ownIdentity } from '../../src/journal/owner';
import { cleanUp } from '../support/clean-up';
import { makeFolder } from '../support/folder';
import { bundle, ROOT, startNode } from '../support/process';
import { inbox } from './users';

let journal: string;
/** A second copy of the package, in one file. */
let file: string;
beforeAll(() => {
  file = join(makeFolder(), 'copy.js');
  bundle('test/journal/programs/copy.ts', file);
});
beforeEach(() => {
  journal = join(makeFolder(), 'journal');
});

/** Opens the journal in another thread, and resolves with 'open' or the code of the error. */
async function openInThread(): Promise<{ readonly worker: Worker; readonly result: unknown }> {
  const worker = new Worker(file, { workerData: { journal } });
  cleanUp(() => worker.terminate());
  const [result] = await once(worker, 'message');
  return { worker, result };
}

const expectLocked = ({ use }: typeof inbox) =>
  expect(use(journal)).rejects.toEqual(expect.objectContaining({ name: 'JournalError', code: 'locked' }));

test('a journal that one copy of the package has open is refused to another copy in the process', async () => {
  const copy: typeof inbox = require(file).inbox;
  expect(copy).not.toBe(inbox);
  await inbox.use(journal, () => expectLocked(copy));
  await copy.use(journal, () => expectLocked(inbox));
  await inbox.use(journal);
});

test('a journal that one copy has open is refused after jest.resetModules, as every framework that loads a module again', async () => {
  let copy = inbox;
  jest.isolateModules(() => {
    copy = require(join(ROOT, 'test/journal/users.ts')).inbox;
  });
  expect(copy).not.toBe(inbox);
  await inbox.use(journal, () => expectLocked(copy));
});

test('a journal that one thread has open is refused to another thread, until the first thread closes it', async () => {
  await inbox.use(journal, async () => expect(await openInThread()).toMatchObject({ result: 'locked' }));
  const { worker, result } = await openInThread();
  expect(result).toBe('open');
  await expectLocked(inbox);
  worker.postMessage('close');
  await once(worker, 'exit');
  await inbox.use(journal);
});

test('a journal is free when the thread that had it open was terminated, where the system says so', async () => {
  const { worker } = await openInThread();
  await worker.terminate();
  if (process.platform === 'linux') await inbox.use(journal);
  else await expectLocked(inbox);
});

test('a journal of a process that is stopped is locked, and is free once it was killed', async () => {
  const stay = '() => new Promise(() => setInterval(() => console.log(1), 10))';
  const program = `require(${JSON.stringify(file)}).inbox.use(${JSON.stringify(journal)}, ${stay})`;
  const child = startNode(['-e', program]);
  cleanUp(() => child.kill('SIGKILL'));
  await once(child.stdout as Readable, 'data');
  child.kill('SIGSTOP');
  await expectLocked(inbox);
  child.kill('SIGKILL');
  await once(child, 'exit');
  await inbox.use(journal);
});

test('a process in another PID namespace cannot be seen from here', () => {
  const own = ownIdentity();
  if (process.platform === 'linux') expect(own.space).toMatch(/^pid:\[\d+\]/);
  expect(isAlive(own)).toBe(true);
  expect(isAlive({ ...own, space: 'pid:[1]' })).toBeUndefined();
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
