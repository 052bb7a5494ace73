import { EventEmitter } from 'node:events';
import { PassThrough, Writable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import type { Reply, Sandbox } from '../../src/sandbox';
import { FullListener } from '../support/full-listener';
import { openSandbox } from '../support/sandbox';
import { environmentOf, messaging, type Outcome, type RunOptions, shellWords } from './support';

// What a failure says about its effect: by the moment at which it happens, and by the operation.

let sandbox: Sandbox;
beforeEach(async () => {
  sandbox = await openSandbox();
});

const lines = {
  send: 'send-simple --sender 3000 --message hello --receptor 0912 --unixdate 0 --msgmode 1',
  'call of a send': 'call SendSimpleByApikey --sender 3000 --message hello --receptor 0912 --unixdate 0 --msgmode 1',
  cancel: 'cancel 5',
  receive: 'receive --line-number 3000 --isread 0',
} as const;
type Name = keyof typeof lines;
const names = Object.keys(lines) as Name[];

/** The words for an operation: when nothing was done, when it may have been done, and when its output is lost. */
const words = {
  send: ['nothing was sent', 'it may have been sent: check before sending again', ''],
  'call of a send': ['nothing was sent', 'it may have been sent: check before sending again', ''],
  cancel: ['nothing was canceled', 'it may have been canceled: check before you try again', ''],
  receive: [
    'no message was marked as read',
    'its messages may be marked as read: list the read ones too',
    'its messages may be marked as read, and not printed: list the read ones too',
  ],
} as const satisfies Readonly<Record<Name, readonly [none: string, unknown: string, lost: string]>>;

const failing = (code: string): Writable =>
  new Writable({ write: (_chunk, _encoding, done) => done(Object.assign(new Error(code), { code })) });

function run(line: string, options: RunOptions = {}): Promise<Outcome> {
  return messaging(shellWords(line), { environment: environmentOf(sandbox), ...options });
}

/** Runs a command, and sends it a signal once a condition holds. */
async function interrupt(line: string, signal: string, isTime: () => boolean, options: RunOptions = {}) {
  const signals = new EventEmitter();
  const outcome = run(line, { ...options, signals });
  while (signals.listenerCount(signal) === 0 || !isTime()) await turn();
  signals.emit(signal, signal);
  return outcome;
}

/** A moment: makes a failure of a command, with its exit code, and says whether the operation may have taken effect. */
interface Moment {
  readonly code: number;
  readonly effect: 'none' | 'unknown' | 'lost';
  readonly fail: (line: string) => Promise<Outcome>;
}

const reply = (what: Reply<'*'>) => (line: string) => {
  sandbox.reply('*', what);
  return run(line);
};
const refused = 'http://127.0.0.1:1';

const moments: Readonly<Record<string, Moment>> = {
  'when the service is not reached': {
    ...{ code: 5, effect: 'none' },
    fail: (line) => run(`${line} --base-url ${refused} --namespace x: --api-key k --success-statuses 200`),
  },
  'Ctrl-C while it connects': {
    ...{ code: 130, effect: 'none' },
    async fail(line) {
      const { port } = await FullListener.start();
      const environment = { ...environmentOf(sandbox), MESSAGING_BASE_URL: `http://127.0.0.1:${port}` };
      return interrupt(line, 'SIGINT', () => true, { environment });
    },
  },
  'Ctrl-C while it waits for the response': {
    ...{ code: 130, effect: 'unknown' },
    fail(line) {
      sandbox.reply('*', { delayMs: 60_000 });
      return interrupt(line, 'SIGINT', () => sandbox.requests.length > 0);
    },
  },
  'when the response is lost': { code: 6, effect: 'unknown', fail: reply({ drop: 'after' }) },
  'after a fault of the server': {
    ...{ code: 6, effect: 'unknown' },
    fail: reply({ fault: { code: 'Server', reason: 'boom' } }),
  },
  'when the disk is full': {
    ...{ code: 1, effect: 'lost' },
    fail: (line) => run(line, { stdout: failing('ENOSPC') }),
  },
};

describe.each(Object.entries(moments))('%s', (_, { code, effect, fail }) => {
  test.each(names)('a %s says what it may have changed', async (name) => {
    const outcome = await fail(lines[name]);
    const [none, unknown, lost] = words[name];
    const expected = { none, unknown, lost }[effect];
    expect(outcome.code).toBe(code);
    expect(outcome.stderr).toContain(expected);
    for (const other of [none, unknown]) if (other !== expected) expect(outcome.stderr).not.toContain(other);
    expect(outcome.stdout).toBe('');
  });
});

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
])('%s while a %s reads a field from stdin says that nothing was sent', async (signal, code) => {
  for (const name of ['send', 'call of a send'] as const) {
    const stdin = new PassThrough();
    const line = lines[name].replace('--message hello', '--message-file -');
    const outcome = await interrupt(line, signal, () => stdin.listenerCount('readable') > 0, { stdin });
    expect(outcome).toEqual({ code, stdout: '', stderr: 'error: interrupted; nothing was sent\n' });
  }
});

test('a dry run whose output cannot be written says that nothing was sent', async () => {
  const outcome = await run(`${lines.send} --dry-run`, { stdout: failing('ENOSPC') });
  expect(outcome).toMatchObject({
    code: 1,
    stderr: 'error: the output could not be written (ENOSPC); nothing was sent\n',
  });
  expect(sandbox.requests).toEqual([]);
});

test.each([
  ['a wrong value', '--receptor abc', 2],
  ['a missing field', '--omit message', 2],
  ['a field that XML cannot carry', "--message '\u0001'", 2],
])('%s exits with 2, and no word says that something may have been sent', async (_, more, code) => {
  const line = 'send-simple --sender 3000 --unixdate 0 --msgmode 1';
  const rest = ['--message hello', '--receptor 0912'].filter((each) => !more.startsWith(each.split(' ')[0] as string));
  const outcome = await run(`${line} ${rest.join(' ')} ${more}`);
  expect(outcome.code).toBe(code);
  expect(outcome.stderr).not.toContain('may have been');
  expect(sandbox.requests).toEqual([]);
});

test.each(['receive', 'call ReceiveByApikey'])(
  'a reader that closes the pipe of %s is a failure, because its messages are lost',
  async (command) => {
    sandbox.receive({ sender: '0912', receptor: '3000', message: 'lost' });
    const line = `${command} --line-number 3000 --isread 0 --output ndjson`;
    const outcome = await run(line, { stdout: failing('EPIPE') });
    expect(outcome).toMatchObject({
      code: 1,
      stderr: `error: the reader of the output closed it; ${words.receive[2]}\n`,
    });
  },
);
