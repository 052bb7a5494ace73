import { appendFileSync, existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { environmentOf } from '../cli/support';
import { programPath } from '../support/process';
import { openSandbox } from '../support/sandbox';
import { TerminalSession } from '../support/terminal';
import { csvOf } from './support';

const given = ['--sender', '3000', '--message', 'Hello {{name}}', '--unixdate', '0', '--msgmode', '1'];

async function start(...more: string[]) {
  const sandbox = await openSandbox();
  const { input, journal } = csvOf(2);
  const command = [process.execPath, programPath('messaging'), 'bulk', 'run', input, ...given, ...more];
  const begin = () => new TerminalSession(command, 200, { ...environmentOf(sandbox), NO_COLOR: '1' });
  return { sandbox, input, journal, begin, session: begin() };
}
async function reply(session: TerminalSession, keys: string, question = 'Send? [y/N]'): Promise<number> {
  while (!session.output.includes(question)) await sleep(20);
  session.type(keys);
  return session.end();
}

test('on a terminal, a new list says what is sent and where to, and is sent after a yes', async () => {
  const { sandbox, session } = await start();
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
  const { sandbox, journal, session } = await start();
  expect(await reply(session, keys)).toBe(code);
  expect(existsSync(journal)).toBe(false);
  expect(sandbox.requests).toHaveLength(0);
});

test.each([
  ['\r', 2, 2],
  ['y\r', 0, 4],
])(
  'on a terminal, a list that was sent under another name asks whether it is sent again: %j',
  async (keys, code, sent) => {
    const { sandbox, journal, session, begin } = await start();
    await reply(session, 'y\r');
    renameSync(journal, join(dirname(journal), 'earlier.csv.journal'));
    const again = begin();
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
  const { sandbox, input, session, begin } = await start();
  await reply(session, 'y\r');
  appendFileSync(input, '09350000003,name 3\n');
  const again = begin();
  expect(await reply(again, keys, 'Send the [o]thers, [a]ll, or [N]one?')).toBe(code);
  expect(again.output).toContain('list.csv has changed: 1 new row, 2 rows are as they were');
  expect(sandbox.messages).toHaveLength(sent);
});

test.each([
  ['y\r', 3],
  ['n\r', 2],
])('on a terminal, a corrected text is asked about after the others: %j', async (keys, sent) => {
  const { sandbox, input, session, begin } = await start();
  await reply(session, 'y\r');
  writeFileSync(input, readFileSync(input, 'utf8').replace('name 2', 'Dr name 2'));
  const again = begin();
  while (!again.output.includes('Send the [o]thers')) await sleep(20);
  again.type('o\r');
  expect(await reply(again, keys, 'its person has the old one. Send it? [y/N]')).toBe(0);
  expect(sandbox.messages).toHaveLength(sent);
});
