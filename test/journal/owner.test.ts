import { once } from 'node:events';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { JournalError } from '../../src/journal/errors';
import type { Sandbox } from '../../src/sandbox';
import { cleanUp } from '../support/clean-up';
import { makeFolder } from '../support/folder';
import { bundle, ROOT } from '../support/process';
import { openSandbox } from '../support/sandbox';
import * as own from './programs/copy';
import { type Opened, openJournal } from './programs/copy';

type Copy = typeof own;
type Kind = 'bulk' | 'inbox';

let sandbox: Sandbox;
let folder: string;
/** A second copy of the package, in one file. */
let file: string;
beforeAll(() => {
  file = join(makeFolder(), 'copy.js');
  bundle('test/journal/programs/copy.ts', file);
});
beforeEach(async () => {
  sandbox = await openSandbox();
  // A refused list stays pending, so each run opens its journal.
  sandbox.reply('SendSimpleByApikey', { status: 401 });
  folder = makeFolder();
});

const journal = () => join(folder, 'journal');

async function open(kind: Kind, copy = own): Promise<Opened> {
  const opened = await openJournal(copy, { kind, journal: journal(), clientOptions: sandbox.clientOptions });
  cleanUp(() => opened.close().catch(() => undefined));
  return opened;
}

/** Opens the journal in another thread, and resolves with 'open' or the code of the error. */
async function openInThread(kind: Kind): Promise<{ readonly worker: Worker; readonly result: unknown }> {
  const workerData = { kind, journal: journal(), clientOptions: sandbox.clientOptions };
  const worker = new Worker(file, { workerData });
  cleanUp(() => worker.terminate());
  const [result] = await once(worker, 'message');
  return { worker, result };
}

const locked = expect.objectContaining({ code: 'locked' });

describe.each(['bulk', 'inbox'] as const)('the journal of %s', (kind) => {
  test('a journal that one copy of the package has open is refused to another copy in the process', async () => {
    const copy: Copy = require(file);
    expect(copy.openInbox).not.toBe(own.openInbox);
    const first = await open(kind);
    await expect(open(kind, copy)).rejects.toEqual(locked);
    await first.close();
    const second = await open(kind, copy);
    await expect(open(kind)).rejects.toBeInstanceOf(JournalError);
    await second.close();
    await (await open(kind)).close();
  });

  test('a journal that one copy has open is refused after jest.resetModules, as every framework that loads a module again', async () => {
    await open(kind);
    let copy = own;
    jest.isolateModules(() => {
      copy = require(join(ROOT, 'test/journal/programs/copy.ts'));
    });
    await expect(open(kind, copy)).rejects.toEqual(locked);
  });

  test('a journal that one thread has open is refused to another thread, until the first thread closes it', async () => {
    const first = await open(kind);
    expect(await openInThread(kind)).toMatchObject({ result: 'locked' });
    await first.close();
    const { worker, result } = await openInThread(kind);
    expect(result).toBe('open');
    await expect(open(kind)).rejects.toEqual(locked);
    worker.postMessage('close');
    await once(worker, 'exit');
    await (await open(kind)).close();
  });

  test('a journal is free when the thread that had it open was terminated, where the system says so', async () => {
    const { worker } = await openInThread(kind);
    await worker.terminate();
    const opened = open(kind);
    if (process.platform === 'linux') await (await opened).close();
    else await expect(opened).rejects.toEqual(locked);
  });
});
