import { appendFileSync, existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { environmentOf, messaging } from '../cli/support';
import { programPath } from '../support/process';
import { openSandbox } from '../support/sandbox';
import { TerminalSession } from '../support/terminal';
import { csvOf } from './support';

const given = ['--sender', '3000', '--message', 'Hello {{name}}', '--unixdate', '0', '--msgmode', '1'];

async function prepare() {
  const sandbox = await openSandbox();
  const { input, journal } = csvOf(2);
  const run = ['bulk', 'run', input, ...given];
  const environment = environmentOf(sandbox);
  const start = () =>
    new TerminalSession([process.execPath, programPath('messaging'), ...run], 200, { ...environment, NO_COLOR: '1' });
  /** Sends the list without a terminal. */
  const send = async () => expect(await messaging([...run, '--yes'], { environment })).toMatchObject({ code: 0 });
  return { sandbox, input, journal, start, send };
}

async function reply(session: TerminalSession, keys: string, question = 'Send? [y/N]'): Promise<number> {
  while (!session.output.includes(question)) await sleep(20);
  session.type(keys);
  return session.end();
}

test('on a terminal, a new list says what is sent and where to, and is sent after a yes', async () => {
  const { sandbox, start } = await prepare();
  const session = start();
  expect(await reply(session, 'y\r')).toBe(0);
  expect(session.output).toContain(`2 rows (2 parts) from 3000 to ${sandbox.baseUrl}`);
  expect(session.output).toContain('the first text: "Hello name 1"');
  expect(sandbox.messages).toHaveLength(2);
});

test.each([
  ['n\r', 2],
  ['\r', 2],
  ['\u0003', 130],
])('after %j nothing is sent, and no file is left', async (keys, code) => {
  const { sandbox, journal, start } = await prepare();
  expect(await reply(start(), keys)).toBe(code);
  expect(existsSync(journal)).toBe(false);
  expect(sandbox.requests).toHaveLength(0);
});

test.each([
  ['\r', 2, 2],
  ['y\r', 0, 4],
])(
  'on a terminal, a list that was sent under another name asks whether it is sent again: %j',
  async (keys, code, sent) => {
    const { sandbox, journal, start, send } = await prepare();
    await send();
    renameSync(journal, join(dirname(journal), 'earlier.csv.journal'));
    const again = start();
    expect(await reply(again, keys, 'Send them again? [y/N]')).toBe(code);
    expect(again.output).toMatch(/All 2 rows were sent already \(earlier\.csv, /);
    expect(sandbox.messages).toHaveLength(sent);
  },
);

test.each([
  ['\r', 2, 2],
  ['n\r', 2, 2],
  ['o\r', 0, 3],
  ['a\r', 0, 5],
])('on a terminal, a changed file asks who gets a message: %j', async (keys, code, sent) => {
  const { sandbox, input, start, send } = await prepare();
  await send();
  appendFileSync(input, '09350000003,name 3\n');
  const again = start();
  expect(await reply(again, keys, 'Send the [o]thers, [a]ll, or [N]one?')).toBe(code);
  expect(again.output).toContain('list.csv has changed: 1 new row, 2 rows are as they were');
  expect(sandbox.messages).toHaveLength(sent);
});

test.each([
  ['y\r', 3],
  ['n\r', 2],
])('on a terminal, a corrected text is asked about after the others: %j', async (keys, sent) => {
  const { sandbox, input, start, send } = await prepare();
  await send();
  writeFileSync(input, readFileSync(input, 'utf8').replace('name 2', 'Dr name 2'));
  const again = start();
  while (!again.output.includes('Send the [o]thers')) await sleep(20);
  again.type('o\r');
  expect(await reply(again, keys, 'its person has the old one. Send it? [y/N]')).toBe(0);
  expect(sandbox.messages).toHaveLength(sent);
});
