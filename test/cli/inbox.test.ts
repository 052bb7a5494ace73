import type { ChildProcess } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { Sandbox } from '../../src/sandbox';
import { cleanUp } from '../support/clean-up';
import { makeFolder } from '../support/folder';
import { type Outcome, outcomeOf, programPath, startNode } from '../support/process';
import { openSandbox } from '../support/sandbox';
import { Capture, environmentOf, messaging, shellWords } from './support';

let sandbox: Sandbox;
let folder: string;
beforeEach(async () => {
  sandbox = await openSandbox();
  folder = makeFolder();
});

interface Started {
  readonly child: ChildProcess;
  readonly outcome: Promise<Outcome>;
}

/** The words of inbox run. */
function runWords(exec: string, more: readonly string[] = []): readonly string[] {
  const line = ['--line-number', '3000', '--unread', '0', '--read', '1', '--every', '20ms', '--exec', exec];
  return ['run', relative(process.cwd(), file('inbox.journal')), ...line, ...more];
}

/** Starts inbox run as a process. */
function start(exec: string, more?: readonly string[]): Started {
  const words = ['inbox', ...runWords(exec, more)];
  const child = startNode([programPath('messaging'), ...words], environmentOf(sandbox));
  cleanUp(() => child.kill('SIGKILL'));
  const outcome = outcomeOf(child);
  // A test that fails kills its processes.
  outcome.catch(() => undefined);
  return { child, outcome };
}

/** Runs a command of inbox that ends by itself, in this process. */
function inbox(args: readonly string[], apiKey = sandbox.apiKey): Promise<Outcome> {
  return messaging(['inbox', ...args], { environment: environmentOf({ ...sandbox, apiKey }) });
}

/** Runs the command in this process, with stderr on a terminal. */
function runOnTerminal(exec: string) {
  const signals = new EventEmitter();
  const stderr = new Capture(80);
  const options = { stderr, signals, environment: environmentOf(sandbox) };
  return { running: messaging(['inbox', ...runWords(exec)], options), signals, stderr };
}

/** The lines that every run prints at its start and at its end. */
const begins = () =>
  `receiving the messages of line 3000 from ${sandbox.baseUrl}: 0 messages known, 0 waiting, 0 set aside\n`;

const ENDS = '1 message known, 0 waiting, 0 set aside\n';

const receive = (message: string) => sandbox.receive({ message, sender: '09120000001', receptor: '3000' });
const until = async (condition: () => boolean): Promise<void> => {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5));
};
const file = (name: string): string => join(folder, name);
const textOf = (name: string): string => (existsSync(file(name)) ? readFileSync(file(name), 'utf8') : '');

test('inbox run runs its command in a shell with each message as JSON on stdin', async () => {
  const { child, outcome } = start(`cat >> ${file('out')}; echo handled`);
  const { messageid, date } = receive('سلام');
  await until(() => textOf('out').includes('\n'));
  receive('second');
  await until(() => textOf('out').split('\n').length === 3);
  child.kill('SIGINT');
  const stderr = `${begins()}2 messages known, 0 waiting, 0 set aside\n`;
  expect(await outcome).toEqual({ code: 130, stdout: 'handled\nhandled\n', stderr });
  const [first] = textOf('out').split('\n');
  expect(JSON.parse(first as string)).toEqual({
    ...{ messageid: String(messageid), message: 'سلام', sender: '09120000001', receptor: '3000', date: String(date) },
    ...{ lineNumber: '3000', redelivered: false },
  });
});

test('inbox run runs its command again when it did not exit with 0, with redelivered', async () => {
  const { child, outcome } = start(`cat >> ${file('out')}; test $(wc -l < ${file('out')}) = 2 || exit 3`);
  const { messageid } = receive('a');
  await until(() => textOf('out').split('\n').length === 3);
  child.kill('SIGTERM');
  const { code, stderr } = await outcome;
  expect(stderr).toBe(
    `${begins()}warning: message ${messageid}: --exec exited with 3; running it again later\n${ENDS}`,
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
  expect(stderr).toMatch(
    /--exec was ended by SIGKILL; running it again at the next start\n1 message known, 1 waiting, 0 set aside\n$/,
  );
  expect(code).toBe(130);
  expect(() => process.kill(Number(textOf('pid')), 0)).toThrow('ESRCH');
  const again = start(`cat >> ${file('out')}`);
  await until(() => textOf('out').includes('\n'));
  again.child.kill('SIGINT');
  await again.outcome;
  expect(textOf('out')).toContain('"redelivered":true');
});

test('a second inbox run with the same journal is refused', async () => {
  const first = start(`touch ${file('out')}`);
  receive('a');
  await until(() => existsSync(file('out')));
  const { code, stderr } = await inbox(runWords('true'));
  expect(stderr).toMatch(/^error: .*inbox\.journal is in use by process \d+ on /);
  expect(code).toBe(2);
  first.child.kill('SIGINT');
  await first.outcome;
});

test('inbox run ends when the service refuses the API key', async () => {
  const { code, stderr } = await inbox(runWords('true'), 'wrong-key');
  expect(stderr).toMatch(/^error: ReceiveByApikey: service returned status 403 \(invalid apikey\)/m);
  expect(code).toBe(3);
});

test('a message whose command fails too often is set aside, shown by inbox status, and handed out again after inbox retry', async () => {
  const first = start(`test -e ${file('repaired')} && cat >> ${file('out')}`, ['--max-attempts', '2']);
  const { messageid } = receive('سلام');
  await until(() => textOf('inbox.journal').includes('"set-aside"'));
  const status = await inbox(['status', file('inbox.journal')]);
  expect(status.stdout).toMatch(
    new RegExp(
      `^messageid,lineNumber,state,attempts,sender,date,message\r\n${messageid},3000,set aside,2,09120000001,\\d+,سلام\r\n$`,
    ),
  );
  expect(status.stderr).toMatch(
    /^1 message known, 0 waiting, 1 set aside; process \d+ on .* uses the journal\nafter a stop, `.* inbox retry \S+` makes messages that were set aside wait again\n$/,
  );
  const locked = await inbox(['retry', file('inbox.journal')]);
  expect([locked.code, locked.stderr]).toEqual([2, expect.stringMatching(/is in use by process \d+/)]);
  first.child.kill('SIGINT');
  // The command that the program has printed.
  const [, command = ''] = /after a stop, `(.*?)` makes it wait again\n/.exec((await first.outcome).stderr) ?? [];
  const words = shellWords(command);
  expect(words).toContain(file('inbox.journal'));
  const retry = await inbox(words.slice(words.indexOf('inbox') + 1));
  expect(retry).toEqual({ code: 0, stdout: '', stderr: '1 message waits again\n' });
  writeFileSync(file('repaired'), '');
  const second = start(`test -e ${file('repaired')} && cat >> ${file('out')}`);
  await until(() => textOf('out').includes('\n'));
  second.child.kill('SIGINT');
  await second.outcome;
  expect(textOf('out')).toMatch(/"redelivered":true\}\n$/);
});

test('inbox run reports an outage once when it begins, and once when it ends', async () => {
  for (let count = 0; count < 5; count++) sandbox.reply('*', { http: { status: 503, body: 'closed' } });
  const { child, outcome } = start(`cat >> ${file('out')}`);
  receive('a');
  await until(() => textOf('out').includes('\n'));
  child.kill('SIGINT');
  const { stderr } = await outcome;
  expect(stderr.match(/retrying|responds again/g)).toEqual(['retrying', 'responds again']);
});

test('on a terminal, inbox run shows its counts in place', async () => {
  const { running, signals, stderr } = runOnTerminal('true');
  receive('a');
  await until(() => stderr.text.includes('\r1 message known, 0 waiting, 0 set aside'));
  signals.emit('SIGTERM');
  expect(await running).toMatchObject({ code: 143 });
});

test.each([
  ['run j --exec true', /^error: --line-number: missing; --unread: missing\n$/],
  ['run j --line-number 3000 --unread 0', /^error: missing: --exec\n$/],
  [
    'run j --line-number 3000 --unread 0 --exec=',
    /^error: --exec: the command is empty; a shell variable may be unset\n$/,
  ],
  ['run --line-number 3000 j --unread 0 --exec true', /^error: .*--line-number/],
  ['retry --id 5 j', /^error: .*--id/],
  [
    'run j --line-number 3000 --exec true --unread x',
    /^error: --unread: "x" is not a whole number from -32768 to 32767\n$/,
  ],
  [
    'run j --line-number 3000 --exec true --unread 0 --max-attempts 0',
    /^error: --max-attempts: 0 is not a whole number/,
  ],
  ['status nofile', /^error: there is no journal nofile\n$/],
  ['retry nofile', /^error: there is no journal nofile\n$/],
  ['retry nofile --id x', /^error: --id: "x" is not a whole number\n$/],
])('inbox refuses %s', async (line, message) => {
  const outcome = await inbox(line.split(' '));
  expect(outcome.stderr).toMatch(message);
  expect(outcome.code).toBe(2);
  expect(existsSync('nofile')).toBe(false);
});

test('inbox run with swapped values ends before it runs its command, and names the flags', async () => {
  receive('a');
  const swapped = await inbox(runWords(`touch ${file('out')}`, ['--unread', '1', '--read', '0']));
  expect(swapped.stderr).toMatch(/^error: --unread: give 0: line 3000 .*; --read: give 1$/m);
  expect(swapped.code).toBe(2);
  expect(existsSync(file('out'))).toBe(false);
  const { child, outcome } = start(`cat >> ${file('out')}`);
  await until(() => textOf('out').includes('\n'));
  child.kill('SIGINT');
  expect((await outcome).stderr).toContain(ENDS);
});

test('a message that is set aside is not said to be run again', async () => {
  const { child, outcome } = start('exit 3', ['--max-attempts', '1']);
  const { messageid } = receive('a');
  await until(() => textOf('inbox.journal').includes('"set-aside"'));
  child.kill('SIGINT');
  const { stderr } = await outcome;
  expect(stderr).toContain(`warning: message ${messageid}: --exec exited with 3; it is set aside: after a stop, `);
  expect(stderr).not.toContain('running it again');
});

test('the status line of inbox run leaves the terminal to the command while it runs', async () => {
  const { running, signals, stderr } = runOnTerminal(`touch ${file('began')}; sleep 1.2; touch ${file('out')}`);
  receive('a');
  await until(() => existsSync(file('began')));
  const { length } = stderr.text;
  await until(() => existsSync(file('out')));
  expect(stderr.text.slice(length)).toBe('');
  signals.emit('SIGTERM');
  expect(await running).toMatchObject({ code: 143 });
});
