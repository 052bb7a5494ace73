import { setTimeout as sleep } from 'node:timers/promises';
import { makeFolder } from '../support/folder';
import { programPath } from '../support/process';
import { TerminalSession } from '../support/terminal';
import { AUTHORITY, PROVIDER_KEY, startProvider, walkOn } from './provider';

const UP = '\x1b[A';

test('the questions of setup lead to a program, and no value is typed twice', async () => {
  const home = makeFolder();
  const provider = await startProvider();
  const command = [process.execPath, programPath('messaging'), 'setup', '--profile', 'live'];
  const session = new TerminalSession(command, 200, { HOME: home, NO_COLOR: '1' });
  for (const [prompt, reply] of [
    ['Base URL', provider.baseUrl],
    ['certificate authority (empty', AUTHORITY],
    ['Namespace, letter for letter', ''],
    ['API key', PROVIDER_KEY],
    ['Statuses that mean success', '1'],
    ['SOAP version', ''],
    ['Statuses of a message that are final', '10'],
    ['Unit of dates', UP],
    ['Default values as JSON', '{"msgmode":1,"unixdate":"0"}'],
  ] as const) {
    while (!session.output.includes(prompt)) await sleep(20);
    session.type(`${reply}\r`);
  }
  expect(await session.end()).toBe(0);
  expect(session.output).not.toContain(PROVIDER_KEY);
  await walkOn(session.output, home, provider, { SENDER: '3000', RECEPTOR: '09120000001' });
});
