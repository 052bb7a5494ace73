import { EventEmitter } from 'node:events';
import { PassThrough, Writable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { exitCodes } from '../../src/cli/terminal/failure';
import type { Reply, Sandbox } from '../../src/sandbox';
import { holdClock } from '../support/clock';
import { pem } from '../support/fixtures';
import { FullListener } from '../support/full-listener';
import { openSandbox } from '../support/sandbox';
import { environmentOf, messaging, type Outcome, type RunOptions, shellWords } from './support';

// What a failure says about its effect: by the moment at which it happens, and by the operation.

let listener: FullListener;
beforeAll(async () => {
  listener = await FullListener.start();
});

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

/** The words of every operation after an answer of the service. */
const answers = {
  refused: 'the service refused it',
  judged: 'treated as refused, because --success-statuses does not list it',
};

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
  /** Undefined for a mistake of usage, whose words are about the command line alone. */
  readonly effect: 'none' | 'unknown' | 'lost' | keyof typeof answers | undefined;
  readonly fail: (line: string) => Promise<Outcome>;
}

const reply = (what: Reply<'*'>) => (line: string) => {
  sandbox.reply('*', what);
  return run(line);
};
const refused = 'http://127.0.0.1:1';

/** The settings of a service that does not accept a connection. */
const ofListener = () => ({ ...environmentOf(sandbox), MESSAGING_BASE_URL: `http://127.0.0.1:${listener.port}` });
const connecting = (signal: string) => (line: string) =>
  interrupt(line, signal, () => true, { environment: ofListener() });
const waiting = (signal: string) => (line: string) => {
  sandbox.reply('*', { delayMs: 60_000 });
  return interrupt(line, signal, () => sandbox.requests.length > 0);
};

const moments: Readonly<Record<string, Moment>> = {
  'without a setting': { code: 2, effect: undefined, fail: (line) => run(line, { environment: {} }) },
  'with an unknown option': { code: 2, effect: undefined, fail: (line) => run(`${line} --nothing`) },
  'when the limit runs out while it connects': {
    ...{ code: 5, effect: 'none' },
    fail: (line) => run(`${line} --timeout-ms 300`, { environment: ofListener() }),
  },
  'when the certificate is not accepted': {
    ...{ code: 5, effect: 'none' },
    async fail(line) {
      const { baseUrl } = await openSandbox({ tls: { cert: pem('server.pem'), key: pem('server.key') } });
      return run(line, { environment: { ...environmentOf(sandbox), MESSAGING_BASE_URL: baseUrl } });
    },
  },
  'when the service is not reached': {
    ...{ code: 5, effect: 'none' },
    fail: (line) => run(`${line} --base-url ${refused} --namespace x: --api-key k --success-statuses 200`),
  },
  'Ctrl-C while it connects': { code: 130, effect: 'none', fail: connecting('SIGINT') },
  'SIGTERM while it connects': { code: 143, effect: 'none', fail: connecting('SIGTERM') },
  'SIGHUP while it connects': { code: 143, effect: 'none', fail: connecting('SIGHUP') },
  'Ctrl-C while it waits for the response': { code: 130, effect: 'unknown', fail: waiting('SIGINT') },
  'SIGTERM while it waits for the response': { code: 143, effect: 'unknown', fail: waiting('SIGTERM') },
  'when the limit runs out while it waits for the response': {
    ...{ code: 6, effect: 'unknown' },
    async fail(line) {
      sandbox.reply('*', { delayMs: 600_000 });
      const clock = holdClock();
      const outcome = run(line);
      while (sandbox.requests.length === 0) await turn();
      await clock.advanceUntilSettled(outcome, 1000);
      return outcome;
    },
  },
  'when the response is lost': { code: 6, effect: 'unknown', fail: reply({ drop: 'after' }) },
  'after a fault of the server': {
    ...{ code: 6, effect: 'unknown' },
    fail: reply({ fault: { code: 'Server', reason: 'boom' } }),
  },
  'when the response is no XML': { code: 6, effect: 'unknown', fail: reply({ http: { status: 200, body: 'ok' } }) },
  'after a failure of a gateway': { code: 6, effect: 'unknown', fail: reply({ http: { status: 502, body: '' } }) },
  'after a fault of the client': {
    ...{ code: 4, effect: 'refused' },
    fail: reply({ fault: { code: 'Client', reason: 'no' } }),
  },
  'after a refusal of a gateway': { code: 4, effect: 'refused', fail: reply({ http: { status: 403, body: '' } }) },
  'when the disk is full': {
    ...{ code: 1, effect: 'lost' },
    fail: (line) => run(line, { stdout: failing('ENOSPC') }),
  },
};

describe.each(Object.entries(moments))('%s', (_, { code, effect, fail }) => {
  test.each(names)('a %s says what it may have changed', async (name) => {
    const outcome = await fail(lines[name]);
    const [none, unknown, lost] = words[name];
    const all = { none, unknown, lost, ...answers };
    const expected = effect && all[effect];
    expect(outcome.code).toBe(code);
    if (expected !== undefined) expect(outcome.stderr).toContain(expected);
    // The words about lost output contain those about an unknown effect.
    for (const other of [none, unknown, ...Object.values(answers)])
      if (!expected?.includes(other)) expect(outcome.stderr).not.toContain(other);
    expect(outcome.stdout).toBe('');
    if (code === exitCodes.usage) expect(sandbox.requests).toEqual([]);
  });
});

test.each(['send', 'cancel', 'receive'] as const)('a %s whose status is not a success says so', async (name) => {
  sandbox.reply('*', { status: 412 });
  const { code, stderr } = await run(lines[name]);
  expect({ code, stderr }).toEqual({ code: exitCodes.status, stderr: expect.stringContaining(answers.judged) });
});

test('a send whose limit runs out names the option that sets it', async () => {
  const outcome = await moments['when the limit runs out while it waits for the response']?.fail(lines.send);
  expect(outcome?.stderr).toContain('it may have been sent: check before sending again; --timeout-ms sets');
});

test('the moments have each exit code with which a call ends', () => {
  const { done, contract, waiting: late, status, ...others } = exitCodes;
  // `call` prints a status and does not judge it, so the status has a test of its own.
  expect([done, contract, late, status]).toEqual([0, 7, 8, 3]);
  const codes = new Set(Object.values(moments).map(({ code }) => code));
  expect([...codes].sort((a, b) => a - b)).toEqual(Object.values(others).sort((a, b) => a - b));
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
