import { explain } from '../../src/cli/terminal/explain';
import {
  CommandFailure,
  exitCodeHelp,
  exitCodes,
  Interrupted,
  OperationFailure,
  UsageError,
} from '../../src/cli/terminal/failure';
import { OutputError } from '../../src/cli/terminal/output-stream';
import {
  ConfigurationError,
  ConnectionError,
  FaultError,
  HttpError,
  MessagingError,
  type Outcome,
  RequestError,
  ResponseError,
  StatusError,
  TimeoutError,
} from '../../src/errors';
import { messaging } from './support';

const outcomes: readonly Outcome[] = ['not-sent', 'rejected', 'unknown'];

/** An error of a class with any outcome, whichever its constructor allows. */
function errorOf(kind: { readonly prototype: object }, outcome: Outcome): unknown {
  return Object.assign(Object.create(kind.prototype), { message: 'failed', outcome });
}

/** As it reaches the program from a call. */
const inCall = (error: unknown): unknown =>
  new OperationFailure(error, { operation: 'SendAdvance', isBegun: true, way: {}, effect: undefined, printed: 0 });

describe('the exit code follows the outcome, whatever the class of the error', () => {
  const byOutcome = { 'not-sent': 5, rejected: 4, unknown: 6 };
  test.each([
    ['FaultError', FaultError, byOutcome],
    ['HttpError', HttpError, byOutcome],
    ['ConnectionError', ConnectionError, byOutcome],
    ['TimeoutError', TimeoutError, byOutcome],
    ['ResponseError', ResponseError, byOutcome],
    ['a class that is new', MessagingError, byOutcome],
    // These say more than their outcome.
    ['StatusError', StatusError, { 'not-sent': 3, rejected: 3, unknown: 3 }],
    ['RequestError', RequestError, { 'not-sent': 2, rejected: 2, unknown: 2 }],
    ['ConfigurationError', ConfigurationError, { 'not-sent': 2, rejected: 2, unknown: 2 }],
  ])('the exit code follows the outcome of a %s', (_, kind, expected) => {
    for (const outcome of outcomes) {
      expect([outcome, explain(inCall(errorOf(kind, outcome))).exitCode]).toEqual([outcome, expected[outcome]]);
      expect(explain(errorOf(kind, outcome)).exitCode).toBe(expected[outcome]);
    }
  });
});

test.each<[string, unknown, number]>([
  ['a mistake of usage', new UsageError('wrong'), 2],
  ['output that cannot be written', new OutputError(new Error('full')), 1],
  ['output of a call that cannot be written', inCall(new OutputError(new Error('full'))), 1],
  ['a failure of the program', new TypeError('x is undefined'), 1],
  ['a failure of the program during a call', inCall(new TypeError('x is undefined')), 6],
  ['Ctrl-C', inCall(new Interrupted('SIGINT')), 130],
  ['SIGTERM', inCall(new Interrupted('SIGTERM')), 143],
  ['a command that says its code', new CommandFailure(exitCodes.contract, 'breaks'), 7],
])('%s has an exit code of its own', (_, error, exitCode) => {
  expect(explain(error).exitCode).toBe(exitCode);
});

test('the help names every exit code', () => {
  for (const code of Object.values(exitCodes)) expect(exitCodeHelp).toMatch(new RegExp(`^  ${code} `, 'm'));
});

test('help exit-codes says how the commands of a list exit', async () => {
  const { stdout } = await messaging(['help', 'exit-codes']);
  expect(stdout).toMatch(/bulk run, .* exit by the states of the rows: 6 when rows\nare unknown, else 3 .*, else 5/);
});
