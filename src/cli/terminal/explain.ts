import {
  AbortError,
  ConfigurationError,
  MessagingError,
  RequestError,
  StatusError,
  TrackingTimeout,
} from '../../errors';
import { adviceAfter, type Way } from './advice';
import { CommandFailure, exitCodes, type FailedCall, Interrupted, OperationFailure, UsageError } from './failure';
import { OutputError } from './output-stream';

/**
 * Explains a failure to a script, by the exit code, and to an operator, in one line: what happened, whether it took
 * effect, what to do next.
 *
 * @param options.inDoctor leaves out the advice to run `doctor`
 * @param options.way how the call went to the service, when the failure does not say it
 */
export function explain(failure: unknown, { inDoctor = false, way = {} }: { inDoctor?: boolean; way?: Way } = {}) {
  const call = failure instanceof OperationFailure ? failure.call : undefined;
  const cause = failure instanceof OperationFailure ? failure.cause : failure;
  // An interruption comes as the reason of an AbortError, which knows the outcome.
  const error = cause instanceof AbortError && cause.cause instanceof Interrupted ? cause.cause : cause;
  const advice = adviceAfter(error, call?.way ?? way, inDoctor);
  const parts = [messageOf(error, call), effectOf(cause, call), incompleteness(call), advice];
  return { exitCode: exitCodeOf(error, call), message: parts.filter((part) => part !== '').join('; ') };
}

function exitCodeOf(error: unknown, call: FailedCall | undefined): number {
  if (error instanceof Interrupted) return exitCodes[error.signal];
  if (error instanceof CommandFailure) return error.exitCode;
  if (error instanceof StatusError) return exitCodes.status;
  if (error instanceof TrackingTimeout) return exitCodes.waiting;
  if (error instanceof OutputError) return exitCodes.unexpected;
  if (isUsage(error)) return exitCodes.usage;
  if (error instanceof MessagingError) return outcomeCodes[error.outcome];
  return call?.isBegun ? exitCodes.unknown : exitCodes.unexpected;
}

const outcomeCodes = {
  'not-sent': exitCodes.notSent,
  rejected: exitCodes.rejected,
  unknown: exitCodes.unknown,
} as const satisfies Readonly<Record<MessagingError['outcome'], number>>;

function isUsage(error: unknown): boolean {
  return isWithoutFolder(error) || [UsageError, ConfigurationError, RequestError].some((kind) => error instanceof kind);
}

/** True when a relative path has no folder at which it starts. */
function isWithoutFolder(error: unknown): boolean {
  return (error as NodeJS.ErrnoException | undefined)?.syscall === 'uv_cwd';
}

function messageOf(error: unknown, call: FailedCall | undefined): string {
  if (isWithoutFolder(error)) return 'the current folder was deleted: change to another folder';
  if (error instanceof StatusError) return error.message + resultOf(error);
  if (error instanceof OutputError && call?.effect && call.isBegun)
    return `${call.operation} was done, but ${error.message}`;
  const kinds = [MessagingError, UsageError, OutputError, CommandFailure, Interrupted];
  const message = error instanceof Error ? error.message : String(error);
  return kinds.some((kind) => error instanceof kind) ? message : `unexpected failure: ${message}`;
}

/** The ids of sent messages: they must not get lost because the status was not listed as success. */
function resultOf({ result }: StatusError): string {
  const values = (Array.isArray(result) ? result : [result]).filter((value) => typeof value !== 'object' && value);
  return values.length === 0 ? '' : ` with result ${values.join(' ')}`;
}

/** Says whether the call took effect, for an operation that changes something. */
function effectOf(error: unknown, call: FailedCall | undefined): string {
  // Such an error is about the command line, or has said everything.
  if (!call?.effect || error instanceof CommandFailure || isUsage(error)) return '';
  const { effect, isBegun } = call;
  if (!isBegun) return effect.none;
  if (error instanceof OutputError) return effect.unprinted ?? '';
  const outcome = error instanceof MessagingError ? error.outcome : 'unknown';
  // The list of success statuses is a setting, and may be wrong.
  if (error instanceof StatusError) return 'treated as refused, because --success-statuses does not list it';
  if (outcome === 'rejected') return 'the service refused it';
  return outcome === 'not-sent' ? effect.none : effect.unknown;
}

function incompleteness({ printed }: Partial<FailedCall> = {}): string {
  return printed ? `the output is incomplete, it ends after ${printed} ${printed === 1 ? 'record' : 'records'}` : '';
}
