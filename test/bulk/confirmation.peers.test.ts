import { existsSync, renameSync } from 'node:fs';
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
  return { sandbox, journal, begin, session: begin() };
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

test('on a terminal, a list that was sent under another name asks for a second message', async () => {
  const { sandbox, journal, session, begin } = await start();
  await reply(session, 'y\r');
  const earlier = join(dirname(journal), 'earlier.csv.journal');
  renameSync(journal, earlier);
  const again = begin();
  expect(await reply(again, 'n\r', 'Send everybody a second message? [y/N]')).toBe(2);
  expect(again.output).toContain(`${earlier} has the same rows: 2 of 2 rows sent; if the file was renamed, rename`);
  expect(sandbox.messages).toHaveLength(2);
});
