import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeFolder } from '../support/folder';
import { programPath } from '../support/process';
import { openSandbox } from '../support/sandbox';
import { TerminalSession } from '../support/terminal';
import { environmentOf } from './support';

const SEND = [
  'send-simple',
  '--sender',
  '3000',
  '--message',
  'a',
  '--receptor',
  '911',
  '912',
  '--unixdate',
  '0',
  '--msgmode',
  '1',
];

/** Starts a send on a terminal whose profile asks before it sends, and waits for the question. */
async function start(columns: number) {
  const sandbox = await openSandbox();
  const home = makeFolder();
  mkdirSync(join(home, 'messaging'));
  const profiles = { live: { baseUrl: sandbox.baseUrl, confirm: true } };
  writeFileSync(join(home, 'messaging/config.json'), JSON.stringify({ profiles }), { mode: 0o600 });
  const environment = { ...environmentOf(sandbox), XDG_CONFIG_HOME: home, NO_COLOR: '1' };
  const session = new TerminalSession([process.execPath, programPath('messaging'), ...SEND], columns, environment);
  while (!session.output.includes('Send? [y/N]')) await sleep(20);
  return { sandbox, session };
}

test.each([
  ['y\r', 0, 2],
  ['n\r', 2, 0],
  ['\r', 2, 0],
  ['\u0003', 130, 0],
  // Esc
  ['\u001b', 130, 0],
])('a profile with "confirm" asks on a terminal, and after %j the exit code is %d', async (keys, code, count) => {
  const { sandbox, session } = await start(200);
  expect(session.output).toContain(`2 messages from 3000 to ${sandbox.baseUrl} (profile live)`);
  session.type(keys);
  expect(await session.end()).toBe(code);
  expect(sandbox.messages).toHaveLength(count);
  if (code > 0) expect(session.output).toContain('nothing was sent');
  expect(session.output).not.toContain('may have been sent');
});

test('a question stands on one line of a terminal that reports no size', async () => {
  const { session } = await start(0);
  session.type('\r');
  expect(await session.end()).toBe(2);
  expect(session.output).toContain('nothing was sent');
});
