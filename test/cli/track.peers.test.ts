import type { Sandbox } from '../../src/sandbox';
import { programPath } from '../support/process';
import { openSandbox } from '../support/sandbox';
import { TerminalSession } from '../support/terminal';
import { environmentOf, messaging } from './support';

const [FIRST, SECOND] = [9007199254740993n, 9007199254740994n];

let sandbox: Sandbox;
let environment: NodeJS.ProcessEnv;
beforeEach(async () => {
  sandbox = await openSandbox();
  environment = { ...environmentOf(sandbox), MESSAGING_FINAL_STATUSES: '6,10' };
  await messaging(['send-simple', '--sender', '1', '--message', 'a', '--receptor', '912', '913', ...DATE], {
    environment,
  });
});

const DATE = ['--unixdate', '0', '--msgmode', '1'];

const inTerminal = (options: readonly string[], columns = 80, more: NodeJS.ProcessEnv = {}) => {
  const command = [process.execPath, programPath('messaging'), 'track', ...options];
  return new TerminalSession(command, columns, { ...environment, ...more });
};

test('on a terminal, track shows a table with a row for each message and updates it in place', async () => {
  const session = inTerminal([String(FIRST), String(SECOND), '--every', '10ms']);
  while (!session.output.includes(String(SECOND))) await new Promise((resolve) => setTimeout(resolve, 5));
  sandbox.setStatus(FIRST, 10);
  sandbox.setStatus(SECOND, 6);
  expect(await session.end()).toBe(0);
  const last = session.output.split('\x1b[J').at(-1) ?? '';
  expect(last.trimEnd().split('\r\n')).toEqual([
    '       messageid  status  previous  final',
    `${FIRST}      10         1  true`,
    `${SECOND}       6         1  true`,
  ]);
  // The cursor goes back to the header, and no further.
  expect(session.output).toContain('\x1b[3A\x1b[J');
  expect(session.output).not.toMatch(/\x1b\[[4-9]A/);
});

test('on a terminal, a warning stays above the table', async () => {
  sandbox.setStatus(SECOND, 6);
  const session = inTerminal([String(FIRST), String(SECOND), '--every', '10ms']);
  while (!session.output.includes(String(SECOND))) await new Promise((resolve) => setTimeout(resolve, 5));
  sandbox.reply('GetStatusByApikey', { fault: { code: 'Server', reason: 'out of order' } });
  while (!session.output.includes('retrying')) await new Promise((resolve) => setTimeout(resolve, 5));
  sandbox.setStatus(FIRST, 10);
  expect(await session.end()).toBe(0);
  expect(session.output.split('retrying').at(-1)).not.toContain('\x1b');
});

test.each<[string, readonly string[], number, NodeJS.ProcessEnv]>([
  ['of more messages than lines', Array.from({ length: 39 }, (_, index) => String(FIRST + BigInt(index))), 80, {}],
  ['that is too narrow for the table', [String(FIRST)], 50, {}],
  ['that cannot move its cursor', [String(FIRST)], 80, { TERM: 'dumb' }],
])('on a terminal %s, track prints a line for each change', async (_, ids, columns, more) => {
  sandbox.setStatus(FIRST, 10);
  const session = inTerminal([...ids, '--final-statuses', '1,10,100'], columns, more);
  expect(await session.end()).toBe(0);
  expect(session.output).not.toContain('\x1b');
  expect(session.output).toContain(String(FIRST));
});
