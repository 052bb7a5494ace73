import type { Way } from './advice';

/** The exit codes. They follow the outcome of a call, not the class of its error. */
export const exitCodes = {
  done: 0,
  unexpected: 1,
  usage: 2,
  status: 3,
  rejected: 4,
  notSent: 5,
  unknown: 6,
  contract: 7,
  waiting: 8,
  SIGINT: 130,
  SIGTERM: 143,
} as const;

export const exitCodeHelp = `Exit codes:
  0    done
  1    the output could not be written (the call may be done), or this program failed
  2    the command line, the configuration or a field is wrong; nothing was sent
  3    the service returned a status that is not in --success-statuses
  4    the service refused the request, with a SOAP fault or an HTTP status
  5    not sent: nothing reached the service, trying again is safe
  6    outcome unknown: it may have taken effect, check before trying again
  7    the service's contract differs in a way that breaks calls
  8    no final status within --within
  130  interrupted by Ctrl-C; check as after 6
  143  ended by SIGTERM or SIGHUP; check as after 6

bulk run, work, collect and reconcile exit by the states of the rows: 6 when rows
are unknown, else 3 when rows were rejected, else 5 when rows are pending, else 0.
bulk enqueue exits with 5 when rows are pending, else with 0.`;

/** The command line or its environment is wrong. The message names the option as the user writes it. */
export class UsageError extends Error {}

/** Settings are missing that say where the service is: this is the first error of a new user. */
export class NoService extends UsageError {}

/** A command ends with an exit code of its own. */
export class CommandFailure extends Error {
  /** @param message empty when the output has said everything */
  constructor(
    readonly exitCode: number,
    message = '',
  ) {
    super(message);
  }
}

/** The user or the system interrupted the program at work. */
export class Interrupted extends Error {
  constructor(readonly signal: 'SIGINT' | 'SIGTERM') {
    super('interrupted');
  }
}

/** Words for an operation that changes something, after a failed call. */
export interface Effect {
  /** The request provably had no effect. */
  readonly none: string;
  /** The request may have taken effect. */
  readonly unknown: string;
  /** The request took effect, and its result could not be printed. Undefined when nothing is lost by this. */
  readonly unprinted?: string;
}

export interface FailedCall {
  readonly operation: string;
  /** False for a failure before the request: it provably had no effect. */
  readonly isBegun: boolean;
  readonly way: Way;
  /** Undefined for an operation that changes nothing. */
  readonly effect: Effect | undefined;
  /** The number of records that were printed before the failure. */
  readonly printed: number;
}

export class OperationFailure extends Error {
  constructor(
    override readonly cause: unknown,
    readonly call: FailedCall,
  ) {
    super('the call failed');
  }
}
