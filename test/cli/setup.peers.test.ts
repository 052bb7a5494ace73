import { execFile } from 'node:child_process';
import { chmodSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { programPath } from '../support/process';
import { openSandbox } from '../support/sandbox';
import { TerminalSession } from '../support/terminal';
import { home, KEY, keyFile, profiles, sandbox, setup } from './setup-support';

const start = (line: string): TerminalSession =>
  new TerminalSession([process.execPath, programPath('messaging'), 'setup', ...line.split(' ').filter(Boolean)], 80, {
    HOME: home,
    NO_COLOR: '1',
  });

const DOWN = '\x1b[B';
const ERASE_LINE = '\x15';

async function typeAfter(session: TerminalSession, prompt: string, keys: string): Promise<void> {
  while (!session.output.includes(prompt)) await sleep(20);
  session.type(keys);
}

test('on a terminal, setup asks for each setting, hides the key and keeps it in a private file', async () => {
  const session = start('');
  await typeAfter(session, 'Base URL', 'localhost\r');
  await typeAfter(session, 'not a URL', `${ERASE_LINE}${sandbox.baseUrl}\r`);
  // The line holds the namespace of the WSDL.
  await typeAfter(session, 'Namespace, letter for letter', '\r');
  await typeAfter(session, 'API key', `${KEY}\r`);
  await typeAfter(session, 'Statuses that mean success', '200\r');
  await typeAfter(session, 'SOAP version', `${DOWN}\r`);
  await typeAfter(session, 'Statuses of a message that are final', '6,10\r');
  await typeAfter(session, 'Unit of dates', '\r');
  await typeAfter(session, 'Default values as JSON', '{"msgmode":1,"unixdate":"0"}\r');
  expect(await session.end()).toBe(0);
  expect(session.output).not.toContain(KEY);
  expect(session.output).toMatch(new RegExp(`(?:▪|•){${KEY.length}}`));
  expect(session.output).toContain('1. ask your provider whether dates count seconds or milliseconds');
  const printed = session.output.split(/\r?\n/).map((line) => line.trim());
  const commands = printed.filter((line) => / (config|send-simple|track) --profile default /.test(line));
  expect(commands).toHaveLength(3);
  // The commands run as they are printed, beside variables of another service.
  const env = { PATH: process.env.PATH, HOME: home, MESSAGING_BASE_URL: 'http://127.0.0.1:1' };
  const run = async (command: string | undefined) =>
    (await promisify(execFile)('sh', ['-c', command as string], { cwd: home, env })).stdout;
  expect(await run(commands[0])).toContain(`export MESSAGING_BASE_URL=${sandbox.baseUrl}\n`);
  await run(commands[1]?.replace('SENDER', '3000').replace('RECEPTOR', '09120000001'));
  const [message] = sandbox.messages.slice(-1);
  expect(message).toMatchObject({ sender: '3000', receptor: '09120000001', message: 'A first message' });
  sandbox.setStatus(message?.messageid as bigint, 10);
  expect(await run(commands[2])).toMatch(new RegExp(`^messageid,status,previous,final\r\n${message?.messageid},10,`));
  expect(profiles()).toEqual({
    default: {
      baseUrl: sandbox.baseUrl,
      namespace: 'http://provider.example/',
      apiKeyFile: 'default.key',
      successStatuses: [200],
      finalStatuses: [6, 10],
      soapVersion: '1.2',
      defaults: { msgmode: 1, unixdate: '0' },
    },
  });
  const path = join(home, '.config/messaging/default.key');
  expect(readFileSync(path, 'utf8')).toBe(`${KEY}\n`);
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test('Ctrl-C at any question changes nothing, and ends setup with 130', async () => {
  await setup([sandbox.baseUrl, ...keyFile(), '--success-statuses', '200', '--soap-version', '1.1']);
  const folder = join(home, '.config/messaging');
  const contentOf = () => readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')]);
  const before = contentOf();
  const prompts = [
    'Base URL',
    'Namespace',
    'API key',
    'Statuses that mean',
    'SOAP version',
    'final',
    'Unit',
    'Default',
  ];
  const typed: Readonly<Record<string, string>> = { 'API key': 'wrong-api-key' };
  for (const [index, prompt] of prompts.entries()) {
    const session = start('');
    for (const earlier of prompts.slice(0, index)) await typeAfter(session, earlier, `${typed[earlier] ?? ''}\r`);
    await typeAfter(session, prompt, '\x03');
    expect([prompt, await session.end()]).toEqual([prompt, 130]);
    expect(contentOf()).toEqual(before);
  }
});

const PROMPTS = ['Namespace', 'API key', 'Statuses that mean', 'SOAP version', 'final', 'Unit', 'Default'];

/** Runs setup on a terminal. The keys after the first one are typed when the service has refused the one before. */
async function setUpWith(url: string, keys: readonly string[], answers: Readonly<Record<string, string>> = {}) {
  const session = start(url);
  for (const [prompt, reply] of Object.entries(answers)) await typeAfter(session, prompt, `${reply}\r`);
  for (const prompt of PROMPTS) await typeAfter(session, prompt, prompt === 'API key' ? `${keys[0]}\r` : '\r');
  for (const [index, key] of keys.slice(1).entries()) {
    const refused = () => session.output.split('did not accept this key').length - 1;
    while (refused() <= index || !session.output.split('did not accept this key').at(-1)?.includes('API key (empty'))
      await sleep(20);
    session.type(`${key}\r`);
  }
  const code = await session.end();
  for (const key of keys.filter((each) => each !== '')) expect(session.output).not.toContain(key);
  return { code, output: session.output };
}

test('a new key replaces the old one in its file, with its mode, once the service accepts it', async () => {
  const folder = join(home, '.config/messaging');
  const path = join(folder, 'default.key');
  const provider = await openSandbox({ apiKeys: ['canary-old', 'canary-new'] });
  await setUpWith(provider.baseUrl, ['canary-old']);
  expect(await setup(['--success-statuses', '200'])).toMatchObject({ code: 0 });
  chmodSync(path, 0o640);
  expect(await setUpWith(provider.baseUrl, ['mistyped-1', 'mistyped-2', ''])).toMatchObject({ code: 0 });
  expect(readFileSync(path, 'utf8')).toBe('canary-old\n');
  expect(await setUpWith(provider.baseUrl, ['mistyped-1', 'canary-new'])).toMatchObject({ code: 0 });
  expect(readFileSync(path, 'utf8')).toBe('canary-new\n');
  expect(statSync(path).mode & 0o777).toBe(0o640);
  expect(readdirSync(folder).sort()).toEqual(['config.json', 'default.key']);
});

test('a key for another service goes to a new file, and no key file is deleted', async () => {
  const folder = join(home, '.config/messaging');
  await setUpWith(sandbox.baseUrl, [KEY]);
  await setup([sandbox.baseUrl, '--api-key-file', join(folder, 'default.key'), '--profile', 'reports']);
  const other = await openSandbox({ apiKeys: ['canary-other'] });
  const { output } = await setUpWith(other.baseUrl, ['canary-other'], { 'Change it': 'y' });
  expect(output).toContain('this profile no longer uses');
  expect(readFileSync(join(folder, 'default.key'), 'utf8')).toBe(`${KEY}\n`);
  expect(profiles()).toMatchObject({
    default: { baseUrl: other.baseUrl, apiKeyFile: 'default-2.key' },
    reports: { baseUrl: sandbox.baseUrl, apiKeyFile: join(folder, 'default.key') },
  });
});

test('a "no" changes no profile of another service', async () => {
  await setup([sandbox.baseUrl, ...keyFile()]);
  const before = profiles();
  const session = start('http://127.0.0.1:1');
  await typeAfter(session, 'Change it', 'n\r');
  expect(await session.end()).toBe(2);
  expect(profiles()).toEqual(before);
});

test('the end of the input during a question is an error', async () => {
  const session = start(sandbox.baseUrl);
  await typeAfter(session, 'Namespace', '\x04');
  expect(await session.end()).toBe(2);
  expect(session.output).toContain('error: the input ended before the last question');
});
