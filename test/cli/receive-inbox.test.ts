import type { ChildProcess } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Sandbox, startSandbox } from '../../src/sandbox';
import { cleanUp } from '../support/clean-up';
import { makeFolder } from '../support/folder';
import { type Outcome, outcomeOf, programPath, startNode } from '../support/process';

let sandbox: Sandbox;
let folder: string;
beforeEach(async () => {
  sandbox = await startSandbox();
  cleanUp(() => sandbox.close());
  folder = makeFolder();
});

interface Started {
  readonly child: ChildProcess;
  readonly outcome: Promise<Outcome>;
}

function startReceive(args: readonly string[], apiKey = sandbox.apiKey): Started {
  const child = startNode([programPath('messaging'), 'receive', '--line-number', '3000', ...args], {
    MESSAGING_BASE_URL: sandbox.baseUrl,
    MESSAGING_NAMESPACE: sandbox.namespace,
    MESSAGING_API_KEY: apiKey,
    MESSAGING_SUCCESS_STATUSES: '200',
  });
  cleanUp(() => child.kill('SIGKILL'));
  const outcome = outcomeOf(child);
  // A test that fails kills its processes.
  outcome.catch(() => undefined);
  return { child, outcome };
}

function start(exec: string, apiKey?: string): Started {
  const journal = ['--journal', join(folder, 'inbox.journal'), '--exec', exec, '--every', '20ms'];
  return startReceive(['--follow', '--unread', '0', '--read', '1', ...journal], apiKey);
}

const receive = (message: string) => sandbox.receive({ message, sender: '09120000001', receptor: '3000' });
const until = async (condition: () => boolean): Promise<void> => {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5));
};
const file = (name: string): string => join(folder, name);
const textOf = (name: string): string => (existsSync(file(name)) ? readFileSync(file(name), 'utf8') : '');

test('receive --exec runs its command in a shell with each message as JSON on stdin', async () => {
  const { child, outcome } = start(`cat >> ${file('out')}; echo handled`);
  const { messageid, date } = receive('سلام');
  await until(() => textOf('out').includes('\n'));
  receive('second');
  await until(() => textOf('out').split('\n').length === 3);
  child.kill('SIGINT');
  expect(await outcome).toEqual({ code: 130, stdout: 'handled\nhandled\n', stderr: 'error: interrupted\n' });
  const [first] = textOf('out').split('\n');
  expect(JSON.parse(first as string)).toEqual({
    ...{ messageid: String(messageid), message: 'سلام', sender: '09120000001', receptor: '3000', date: String(date) },
    redelivered: false,
  });
});

test('receive --exec runs its command again when it did not exit with 0, with redelivered', async () => {
  const { child, outcome } = start(`cat >> ${file('out')}; test $(wc -l < ${file('out')}) = 2 || exit 3`);
  const { messageid } = receive('a');
  await until(() => textOf('out').split('\n').length === 3);
  child.kill('SIGTERM');
  const { code, stderr } = await outcome;
  expect(stderr).toBe(
    `warning: message ${messageid}: --exec exited with 3; running it again later\nerror: interrupted\n`,
  );
  expect(code).toBe(143);
  expect(textOf('out')).toMatch(/"redelivered":false\}\n.*"redelivered":true\}\n$/);
});

test('the first signal waits for the command of --exec, and a restart does not run it again', async () => {
  const script = `echo begin >> ${file('out')}; while ! test -e ${file('go')}; do sleep 0.01; done; echo end >> ${file('out')}`;
  const { child, outcome } = start(script);
  receive('a');
  await until(() => textOf('out') === 'begin\n');
  child.kill('SIGINT');
  receive('b');
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(child.exitCode).toBeNull();
  writeFileSync(file('go'), '');
  expect((await outcome).code).toBe(130);
  expect(textOf('out')).toBe('begin\nend\n');
  const again = start(`cat >> ${file('again')}`);
  await until(() => textOf('again').includes('\n'));
  again.child.kill('SIGINT');
  await again.outcome;
  expect(textOf('again')).toMatch(/^\{.*"message":"b".*"redelivered":false\}\n$/);
});

test('the second signal kills the command of --exec, and the message is delivered again', async () => {
  const { child, outcome } = start(`echo $$ > ${file('pid')}; trap '' INT TERM; sleep 1000`);
  receive('a');
  await until(() => textOf('pid').includes('\n'));
  child.kill('SIGINT');
  await new Promise((resolve) => setTimeout(resolve, 100));
  child.kill('SIGINT');
  const { code, stderr } = await outcome;
  expect(stderr).toMatch(/--exec was ended by SIGKILL; running it again later\nerror: interrupted\n$/);
  expect(code).toBe(130);
  expect(() => process.kill(Number(textOf('pid')), 0)).toThrow('ESRCH');
  const again = start(`cat >> ${file('out')}`);
  await until(() => textOf('out').includes('\n'));
  again.child.kill('SIGINT');
  await again.outcome;
  expect(textOf('out')).toContain('"redelivered":true');
});

test('a second receive --exec with the same journal is refused', async () => {
  const first = start(`touch ${file('out')}`);
  receive('a');
  await until(() => existsSync(file('out')));
  const { code, stderr } = await start('true').outcome;
  expect(stderr).toMatch(/^error: .*inbox\.journal is in use by process \d+ on /);
  expect(code).toBe(2);
  first.child.kill('SIGINT');
  await first.outcome;
});

test('receive --exec ends when the service refuses the API key', async () => {
  const { code, stderr } = await start('true', 'wrong').outcome;
  expect(stderr).toMatch(/^error: ReceiveByApikey: service returned status 403 \(invalid apikey\)/);
  expect(code).toBe(3);
});

test.each([
  ['--journal j', '--journal: it needs --follow and --exec'],
  ['--exec true', '--exec: it needs --journal'],
  ['--follow --journal j --exec true', '--journal: give --unread in place of --isread'],
  ['--follow --journal j --exec true --unread 0 --isread 0', '--journal: give --unread in place of --isread'],
  ['--follow --journal j --exec true --unread x', '--unread: "x" is not a whole number from -2147483648 to 2147483647'],
  [
    '--follow --journal j --exec true --unread 0 --output csv',
    '--journal: prints no messages, so leave out output options',
  ],
])('receive refuses %s', async (line, message) => {
  const { code, stderr } = await startReceive(line.split(' ')).outcome;
  expect(stderr).toBe(`error: ${message}\n`);
  expect(code).toBe(2);
});
