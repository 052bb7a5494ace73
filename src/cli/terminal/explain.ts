import {
  AbortError,
  ConfigurationError,
  MessagingError,
  RequestError,
  StatusError,
  TrackingTimeout,
} from '../../errors';
import { adviceAfter } from './advice';
import { CommandFailure, exitCodes, type FailedCall, Interrupted, OperationFailure, UsageError } from './failure';
import { OutputError } from './output-stream';

/** A failure as a script and an operator understand it. */
export interface Explanation {
  readonly exitCode: number;
  /** One line: what happened, whether it took effect, what to do next. */
  readonly message: string;
}

/** @param options.inDoctor leaves out the advice to run `doctor` */
export function explain(failure: unknown, { inDoctor = false } = {}): Explanation {
  const call = failure instanceof OperationFailure ? failure.call : undefined;
  const error = failure instanceof OperationFailure ? failure.cause : failure;
  const parts = [messageOf(error, call), effectOf(error, call), incompleteness(call), adviceAfter(error, inDoctor)];
  return { exitCode: exitCodeOf(error, call), message: parts.filter((part) => part !== '').join('; ') };
}

function exitCodeOf(error: unknown, call: FailedCall | undefined): number {
  const interruption = interruptionOf(error);
  if (interruption) return exitCodes[interruption.signal];
  if (error instanceof CommandFailure) return error.exitCode;
  if (error instanceof StatusError) return exitCodes.status;
  if (error instanceof TrackingTimeout) return exitCodes.waiting;
  if (error instanceof OutputError) return exitCodes.unexpected;
  if (isUsage(error)) return exitCodes.usage;
  if (error instanceof MessagingError) return outcomeCodes[error.outcome];
  return call ? exitCodes.unknown : exitCodes.unexpected;
}

/** The signal of the process that ended the work, or that aborted the call. */
function interruptionOf(error: unknown): Interrupted | undefined {
  const reason = error instanceof AbortError ? error.cause : error;
  return reason instanceof Interrupted ? reason : undefined;
}

const outcomeCodes = {
  'not-sent': exitCodes.notSent,
  rejected: exitCodes.rejected,
  unknown: exitCodes.unknown,
} as const satisfies Readonly<Record<MessagingError['outcome'], number>>;

function isUsage(error: unknown): boolean {
  return [UsageError, ConfigurationError, RequestError].some((kind) => error instanceof kind);
}

function messageOf(error: unknown, call: FailedCall | undefined): string {
  const interruption = interruptionOf(error);
  if (interruption) return interruption.message;
  if (error instanceof StatusError) return error.message + resultOf(error);
  if (error instanceof OutputError && call?.effect) return `${call.operation} was done, but ${error.message}`;
  const known = [MessagingError, UsageError, OutputError, CommandFailure].some((kind) => error instanceof kind);
  const message = error instanceof Error ? error.message : String(error);
  return known ? message : `unexpected failure: ${message}`;
}

/** The ids of sent messages: they must not get lost because the status was not listed as success. */
function resultOf({ result }: StatusError): string {
  const values = (Array.isArray(result) ? result : [result]).filter((value) => typeof value !== 'object' && value);
  return values.length === 0 ? '' : ` with result ${values.join(' ')}`;
}

/** Says whether the call took effect, for an operation that changes something. */
function effectOf(error: unknown, call: FailedCall | undefined): string {
  if (!call?.effect || error instanceof OutputError || isUsage(error)) return '';
  const outcome = error instanceof MessagingError ? error.outcome : 'unknown';
  // The list of success statuses is a setting, and may be wrong.
  if (error instanceof StatusError) return 'taken as refused';
  if (outcome === 'rejected') return 'the service refused it';
  return outcome === 'not-sent' ? call.effect.none : call.effect.unknown;
}

function incompleteness(call: FailedCall | undefined): string {
  if (!call?.printed) return '';
  return `the output is incomplete, it ends after ${call.printed} ${call.printed === 1 ? 'record' : 'records'}`;
}
