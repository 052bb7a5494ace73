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
  '1',
  '2',
  '--unixdate',
  '0',
  '--msgmode',
  '1',
];

test.each([
  ['y\r', 0, 2],
  ['n\r', 2, 0],
  ['\r', 2, 0],
  ['\u0003', 130, 0],
])('a profile with "confirm" asks on a terminal, and after %j the exit code is %d', async (keys, code, count) => {
  const sandbox = await openSandbox();
  const home = makeFolder();
  mkdirSync(join(home, 'messaging'));
  const profiles = { live: { baseUrl: sandbox.baseUrl, confirm: true } };
  writeFileSync(join(home, 'messaging/config.json'), JSON.stringify({ profiles }), { mode: 0o600 });
  const environment = { ...environmentOf(sandbox), XDG_CONFIG_HOME: home, NO_COLOR: '1' };
  const session = new TerminalSession([process.execPath, programPath('messaging'), ...SEND], 200, environment);
  while (!session.output.includes('Send? [y/N]')) await sleep(20);
  expect(session.output).toContain(`2 messages from 3000 to ${sandbox.baseUrl} (profile live)`);
  session.type(keys);
  expect(await session.end()).toBe(code);
  expect(sandbox.messages).toHaveLength(count);
});
