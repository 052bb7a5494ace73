import { CommanderError } from 'commander';
import {
  ConfigurationError,
  ConnectionError,
  FaultError,
  HttpError,
  MessagingError,
  RequestError,
  ResponseError,
  StatusError,
  TimeoutError,
} from '../errors';
import { variables } from '../options';
import { exitCodes } from './exit-codes';
import { IncompleteOutput, Interrupted, OperationFailure, UsageError } from './failure';
import { fieldsOf, spell } from './fields';
import { kebabCase } from './kebab';
import { OutputError } from './output/sink';
import { helpTexts } from './texts';

/** A failure as a script and an operator understand it. */
export interface Explanation {
  readonly exitCode: number;
  /** One line: what happened, whether it took effect, what to do next. */
  readonly message: string;
}

export function explain(failure: unknown): Explanation {
  const { error, call, count } = unwrap(failure);
  const parts = [describe(error, call), effectOf(error, call), incompleteness(count), adviceOn(error)];
  return { exitCode: exitCodeOf(error, call), message: parts.filter((part) => part !== '').join('; ') };
}

interface Circumstances {
  readonly error: unknown;
  readonly call?: OperationFailure['call'];
  /** Records that were printed before the failure. */
  readonly count?: number;
}

function unwrap(error: unknown): Circumstances {
  if (error instanceof OperationFailure) return { ...unwrap(error.cause), call: error.call };
  if (error instanceof IncompleteOutput) return { error: error.cause, count: error.count };
  return { error };
}

function exitCodeOf(error: unknown, call: Circumstances['call']): number {
  if (error instanceof Interrupted) return exitCodes[error.signal];
  if (error instanceof StatusError) return exitCodes.status;
  if (error instanceof FaultError || error instanceof HttpError) return exitCodes.fault;
  if (error instanceof OutputError) return exitCodes.unexpected;
  if (isUsage(error)) return exitCodes.usage;
  if (error instanceof MessagingError) return error.outcome === 'not-sent' ? exitCodes.notSent : exitCodes.unknown;
  return call ? exitCodes.unknown : exitCodes.unexpected;
}

function isUsage(error: unknown): boolean {
  return [UsageError, ConfigurationError, RequestError, CommanderError].some((kind) => error instanceof kind);
}

function describe(error: unknown, call: Circumstances['call']): string {
  if (error instanceof RequestError && call) return describeRequest(error, call);
  if (error instanceof StatusError) return error.message + describeResult(error.result);
  if (error instanceof OutputError && hasEffect(call)) return `${call?.operation} was done, but ${error.message}`;
  if (error instanceof CommanderError) return error.message.replace(/^error: /, '').replace('\n', ' ');
  if (error instanceof ConfigurationError) {
    // Its messages begin with the option's name.
    return error.message.replace(/^\w+/, (name) => (Object.hasOwn(variables, name) ? `--${kebabCase(name)}` : name));
  }
  const known = [MessagingError, Interrupted, UsageError, OutputError].some((kind) => error instanceof kind);
  const message = error instanceof Error ? error.message : String(error);
  return known ? message : `unexpected failure: ${message}`;
}

/** The client names fields as the contract does; an operator knows them as options. */
function describeRequest(error: RequestError, { operation, request }: OperationFailure['call']): string {
  const [, name = '', index] = /^([^[]*)(?:\[(\d+)\])?$/.exec(error.field ?? '') ?? [];
  const fields = fieldsOf(operation).map((field) => field.name);
  if (fields.includes(name) && !Object.hasOwn(request, name)) {
    const missing = fields.filter((field) => !Object.hasOwn(request, field));
    return `missing: ${missing.map((field) => spell(operation, field)).join(', ')}`;
  }
  const spelling = `${spell(operation, name)}${index === undefined ? '' : ` (value ${Number(index) + 1})`}`;
  return error.message.replace(`${operation}: `, '').replace(error.field ?? '', () => spelling);
}

/** The ids of sent messages must not get lost because a status was not known to mean success. */
function describeResult(result: unknown): string {
  const values = (Array.isArray(result) ? result : [result]).filter((value) => typeof value !== 'object' && value);
  return values.length === 0 ? '' : ` with result ${values.join(' ')}`;
}

/** Whether the call took effect, in words, where that matters. */
function effectOf(error: unknown, call: Circumstances['call']): string {
  const effect = call && helpTexts[call.operation].effect;
  if (!effect || error instanceof OutputError || isUsage(error)) return '';
  const outcome = error instanceof MessagingError ? error.outcome : 'unknown';
  // Which statuses mean success is a setting, and may be wrong.
  if (error instanceof StatusError) return 'taken as refused';
  if (outcome === 'rejected') return 'the service refused it';
  return outcome === 'not-sent' ? effect.none : effect.unknown;
}

function hasEffect(call: Circumstances['call']): boolean {
  return call !== undefined && helpTexts[call.operation].effect !== undefined;
}

function incompleteness(count: number | undefined): string {
  return count === undefined
    ? ''
    : `the output is incomplete, it ends after ${count} ${count === 1 ? 'record' : 'records'}`;
}

/** What to do next, where the message does not say it. */
function adviceOn(error: unknown): string {
  if (error instanceof StatusError) return `if ${error.status} means success, add it to --success-statuses`;
  if (error instanceof HttpError) return error.httpStatus < 500 ? 'is --base-url right?' : '';
  if (error instanceof ResponseError) return 'is --base-url right?';
  if (error instanceof ConnectionError) return 'check --base-url and the network';
  if (error instanceof TimeoutError) return '--timeout-ms sets the limit';
  return '';
}
