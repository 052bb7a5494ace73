import { readFileSync } from 'node:fs';
import files from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type InboxRecord, inboxKind } from '../../src/inbox/inbox-journal';
import { JournalWriteError } from '../../src/journal/errors';
import { openJournal } from '../../src/journal/journal';
import { readJournal } from '../../src/journal/read-journal';
import { cleanUp } from '../support/clean-up';
import { makeFolder } from '../support/folder';

const known = (id: number): InboxRecord => ({ t: 'known', line: '3000', ids: [String(id)], marks: [0] });

async function open() {
  const path = join(makeFolder(), 'inbox.journal');
  const journal = await openJournal({ path, kind: inboxKind, takeOver: false });
  cleanUp(() => journal.close().catch(() => undefined));
  /** The ids in the file, in their order. */
  const idsIn = () => [...readFileSync(path, 'utf8').matchAll(/"ids":\["(\d+)"\]/g)].map(([, id]) => Number(id));
  return { path, journal, idsIn };
}

test('what is committed while a journal is rewritten is in the new file when the commit resolves', async () => {
  const { path, journal, idsIn } = await open();
  await journal.commit(known(1));
  journal.append(known(2));
  let meanwhile: Promise<number[]> | undefined;
  const rewriting = journal.rewrite(async (put) => {
    // All that was appended before is in the old file, from which the new one is made.
    const before = idsIn();
    expect(before).toEqual([1, 2]);
    meanwhile = journal.commit(known(3)).then(idsIn);
    await sleep(20);
    for (const id of before) put(known(id));
  });
  await rewriting;
  expect(await meanwhile).toEqual([1, 2, 3]);
  await journal.commit(known(4));
  expect(idsIn()).toEqual([1, 2, 3, 4]);
  await journal.close();
  const found = await readJournal(path, inboxKind);
  expect([...(found?.state.line('3000').known ?? [])].map(([id]) => id).sort()).toEqual([1n, 2n, 3n, 4n]);
});

test('a rewrite that fails before it replaced the file leaves the old one in use, and one that fails after it ends the journal', async () => {
  const { journal, idsIn } = await open();
  const refused = journal.rewrite(() => Promise.reject(new Error('no space left')));
  await expect(refused).rejects.toThrow('the journal cannot be rewritten: no space left');
  await journal.commit(known(1));
  expect(idsIn()).toEqual([1]);
  const { open: openFile } = files;
  const failing = jest.spyOn(files, 'open').mockImplementation(async (path, flags, mode) => {
    if (flags === 'a') throw Object.assign(new Error('EMFILE: too many open files'), { code: 'EMFILE' });
    return openFile(path, flags, mode);
  });
  cleanUp(() => failing.mockRestore());
  await expect(journal.rewrite(async (put) => put(known(1)))).rejects.toThrow(JournalWriteError);
  await expect(journal.commit(known(2))).rejects.toThrow('EMFILE');
});
