import { existsSync, writeFileSync } from 'node:fs';
import files from 'node:fs/promises';
import { join } from 'node:path';
import { MessagingClient } from '../../src';
import { openInbox } from '../../src/inbox';
import { type Sandbox, startSandbox } from '../../src/sandbox';
import { environmentOf, messaging } from '../cli/support';
import { cleanUp } from '../support/clean-up';
import { makeFolder } from '../support/folder';
import { openSandbox } from '../support/sandbox';

let sandbox: Sandbox;
let folder: string;
beforeEach(async () => {
  sandbox = await openSandbox();
  folder = makeFolder();
});

const file = (name: string): string => join(folder, name);

/** Lets the sync of each folder fail, and counts these failures. */
function failFolderSyncs(code: string): { readonly count: number } {
  const failures = { count: 0 };
  const { open } = files;
  const spy = jest.spyOn(files, 'open').mockImplementation(async (path, flags, mode) => {
    const handle = await open(path, flags, mode);
    if (!(await handle.stat()).isDirectory()) return handle;
    handle.sync = async () => {
      failures.count += 1;
      throw Object.assign(new Error(`${code}: fsync`), { code, syscall: 'fsync' });
    };
    return handle;
  });
  cleanUp(() => spy.mockRestore());
  return failures;
}

const run = (...args: string[]) =>
  messaging(args, { environment: { ...environmentOf(sandbox), XDG_CONFIG_HOME: folder } });

test('a list is prepared, sent, tracked and changed on a file system that cannot sync a folder', async () => {
  const failures = failFolderSyncs('EINVAL');
  writeFileSync(file('export.csv'), 'Mobile\n09120000001\n09120000002\n');
  const prepare = ['bulk', 'prepare', file('export.csv'), '--to', file('list.csv'), '--receptor-column', 'Mobile'];
  expect(await run(...prepare)).toMatchObject({ code: 0 });
  const fields = ['--sender', '3000', '--message', 'hi', '--unixdate', '0', '--msgmode', '1'];
  sandbox.reply('SendSimpleByApikey', { status: 412 }, { receptor: '09120000002' } as never);
  const sent = await run('bulk', 'run', file('list.csv'), ...fields, '--yes', '--baseline-pagesize', '0');
  expect(sent).toMatchObject({ stderr: expect.stringContaining('1 of 2 rows sent'), code: 3 });
  expect(await run('bulk', 'track', file('list.csv'), '--final-statuses', '1')).toMatchObject({ code: 0 });
  expect(existsSync(file('list.csv.statuses'))).toBe(true);
  writeFileSync(file('list.csv'), 'receptor\n09120000003\n');
  expect(await run('bulk', 'run', file('list.csv'), ...fields, '--yes', '--others')).toMatchObject({ code: 0 });
  expect(sandbox.messages.map(({ receptor }) => receptor)).toEqual(['09120000001', '09120000003']);
  expect(failures.count).toBeGreaterThan(5);
});

test('an inbox, a profile and the data file of a sandbox work on a file system that cannot sync a folder', async () => {
  const failures = failFolderSyncs('ENOTSUP');
  const client = new MessagingClient(sandbox.clientOptions);
  const inbox = await openInbox({ client, lineNumbers: ['3000'], journal: file('inbox.journal'), unread: 0, read: 1 });
  await inbox.close();
  await client.close();
  const data = await startSandbox({ port: 0, data: file('data.jsonl') });
  await data.close();
  writeFileSync(file('own.key'), `${sandbox.apiKey}\n`, { mode: 0o600 });
  const settings = ['--api-key-file', file('own.key'), '--success-statuses', '200'];
  expect(await run('setup', sandbox.baseUrl, ...settings)).toMatchObject({ code: 0 });
  expect(existsSync(file('messaging/config.json'))).toBe(true);
  expect(failures.count).toBeGreaterThan(2);
});

test('a folder whose sync fails for another reason refuses the journal', async () => {
  failFolderSyncs('EIO');
  const client = new MessagingClient(sandbox.clientOptions);
  cleanUp(() => client.close());
  const inbox = openInbox({ client, lineNumbers: ['3000'], journal: file('inbox.journal'), unread: 0, read: 1 });
  await expect(inbox).rejects.toMatchObject({ code: 'unusable' });
});
