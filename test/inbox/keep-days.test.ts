import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { cleanUp } from '../support/clean-up';
import { receive, runUntil, type Setup, setUp } from './support';

let setup: Setup;
beforeEach(async () => {
  setup = await setUp();
});

const DAY_MS = 86_400_000;

const now = Date.now;
let ahead = 0;

/** Moves the date ahead until the end of the test. */
function advanceDate(days: number): void {
  ahead += days * DAY_MS;
  const date = jest.spyOn(Date, 'now').mockImplementation(() => now() + ahead);
  cleanUp(() => {
    ahead = 0;
    date.mockRestore();
  });
}

/** Runs an inbox from its opening to its close, until its handler was called so many times. */
async function runOnce(calls: number, fails: Record<string, number> = {}): Promise<string[]> {
  const inbox = await setup.open({ keepDays: 30 });
  const result = await runUntil(inbox, calls, fails);
  await inbox.close();
  return result;
}

test('texts of messages handled more than keepDays ago leave the journal, and unhandled messages stay', async () => {
  receive(setup.sandbox, ['handled long ago', 'fails for long']);
  await runOnce(2, { 'fails for long': 1 });
  advanceDate(20);
  receive(setup.sandbox, ['handled lately']);
  await runOnce(2, { 'fails for long': 1 });
  advanceDate(12);
  receive(setup.sandbox, ['new']);
  expect((await runOnce(2)).sort()).toEqual(['fails for long!', 'new']);
  const text = readFileSync(setup.journal, 'utf8');
  expect(text).not.toContain('handled long ago');
  expect(text).toContain('handled lately');
  expect(text).toContain('fails for long');
  expect((statSync(setup.journal).mode & 0o777).toString(8)).toBe('600');
  expect(readdirSync(dirname(setup.journal))).toEqual(['inbox.journal']);
  // The ids are known: the service lists all messages as read now.
  receive(setup.sandbox, ['last']);
  expect(await runOnce(1)).toEqual(['last']);
});

test('a message that was set aside stays with its text and its attempts when the journal is rewritten', async () => {
  receive(setup.sandbox, ['handled long ago', 'poison']);
  const first = await setup.open({ maxAttempts: 1, onSetAside: () => undefined });
  await runUntil(first, 2, { poison: 1 });
  // The handler that aborts the run is the last one, and the message is set aside after it.
  expect(first.counts).toEqual({ known: 2, waiting: 0, setAside: 1 });
  await first.close();
  advanceDate(40);
  receive(setup.sandbox, ['new']);
  expect(await runOnce(1)).toEqual(['new']);
  expect(readFileSync(setup.journal, 'utf8')).not.toContain('handled long ago');
  const second = await setup.open();
  expect(second.counts).toEqual({ known: 3, waiting: 0, setAside: 1 });
  await second.retry();
  expect(await runUntil(second, 1)).toEqual(['poison!']);
});

test('a journal that is rewritten while it is open has the same owner before and after', async () => {
  receive(setup.sandbox, ['a']);
  await runOnce(1);
  const before = statSync(setup.journal).ino;
  advanceDate(40);
  const inbox = await setup.open();
  const controller = new AbortController();
  receive(setup.sandbox, ['b']);
  await inbox.run(
    async () => {
      await expect(setup.open()).rejects.toMatchObject({ code: 'locked' });
      controller.abort();
    },
    { signal: controller.signal },
  );
  expect(statSync(setup.journal).ino).not.toBe(before);
});

test('a journal behind a symbolic link is rewritten at its own place', async () => {
  const target = `${setup.journal}.target`;
  writeFileSync(target, '');
  symlinkSync(target, setup.journal);
  receive(setup.sandbox, ['old text']);
  await runOnce(1);
  expect(readFileSync(target, 'utf8')).toContain('old text');
  advanceDate(40);
  receive(setup.sandbox, ['new text']);
  await runOnce(1);
  expect(readFileSync(target, 'utf8')).not.toContain('old text');
  expect(readFileSync(target, 'utf8')).toContain('new text');
});

test('a journal that cannot be rewritten costs a warning and no message', async () => {
  receive(setup.sandbox, ['a']);
  await runOnce(1);
  advanceDate(40);
  mkdirSync(`${setup.journal}.new`);
  receive(setup.sandbox, ['b']);
  expect(await runOnce(1)).toEqual(['b']);
  expect(setup.warnings).toEqual([expect.stringMatching(/^the journal cannot be rewritten: /)]);
});

test('an unhandled message stays when the process has changed its folder before the journal is rewritten', async () => {
  receive(setup.sandbox, ['handled long ago', 'fails for long']);
  await runOnce(2, { 'fails for long': 1 });
  advanceDate(40);
  const folder = process.cwd();
  cleanUp(() => process.chdir(folder));
  process.chdir(dirname(setup.journal));
  const inbox = await setup.open({ keepDays: 30, journal: basename(setup.journal) });
  process.chdir('/');
  expect(await runUntil(inbox, 1, { 'fails for long': 1 })).toEqual(['fails for long!']);
  await inbox.close();
  expect(readFileSync(setup.journal, 'utf8')).not.toContain('handled long ago');
  expect(await runOnce(1)).toEqual(['fails for long!']);
});
