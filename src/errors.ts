import { type Masker, maskStart, noMasker } from './internal/mask';
import { onOneLine, readableText } from './internal/readable-text';
import { abbreviate, truncate } from './internal/text';
import { bigintReplacer } from './json';

/**
 * Says whether a request that failed took effect:
 * - `not-sent`: no byte of the request reached the service; it is safe to try again
 * - `rejected`: the service responded and refused the request
 * - `unknown`: the request may have taken effect; check before you send it again
 */
export type Outcome = 'not-sent' | 'rejected' | 'unknown';

/** The call that failed. */
interface FailedOperation {
  /** The contract's name of the operation; undefined when the failure belongs to no operation. */
  readonly operation?: string | undefined;
}

/**
 * The client spreads this object into the argument of an error's constructor, which then masks each text before it
 * cuts it. Errors that a user constructs are not masked.
 */
export interface ErrorContext extends FailedOperation, Masker {}

function maskerOf(failure: FailedOperation): Masker {
  return 'mask' in failure ? (failure as ErrorContext) : noMasker;
}

/**
 * The base of every failure. Branch with `instanceof` or on `outcome`, never on the message.
 *
 * @example
 * try {
 *   await client.sendSimple(request);
 * } catch (error) {
 *   if (error instanceof MessagingError && error.outcome === 'not-sent') retryLater(request);
 *   else throw error;
 * }
 */
export abstract class MessagingError extends Error {
  /** The contract's name of the operation; undefined when the failure belongs to no operation. */
  readonly operation: string | undefined;
  /** Says whether the request took effect. */
  readonly outcome: Outcome;

  /** @param failure.message the message without the name of the operation */
  constructor(
    failure: FailedOperation & { readonly outcome: Outcome; readonly message: string; readonly cause?: unknown },
  ) {
    const { operation, outcome, message } = failure;
    const { mask } = maskerOf(failure);
    super(mask(operation === undefined ? message : `${operation}: ${message}`), failure);
    this.operation = operation === undefined ? undefined : mask(operation);
    this.outcome = outcome;
  }

  /** Returns all fields as plain data, and never throws. A bigint becomes a string. */
  toJSON(): Record<string, unknown> {
    const names = ['name', 'message', ...Object.keys(this)];
    return Object.fromEntries(names.map((name) => [name, plainField(this, name)]));
  }
}

/** Returns a field as JSON holds it. A program may have added what JSON cannot hold, such as a request with a cycle. */
function plainField(error: object, name: string): unknown {
  try {
    const json: string | undefined = JSON.stringify(error[name as keyof typeof error], bigintReplacer);
    return json === undefined ? undefined : JSON.parse(json);
  } catch {
    return '[not JSON]';
  }
}

/** The content of a ConfigurationError. */
export type ConfigurationFailure = { readonly problems: readonly OptionProblem[] } | { readonly message: string };

/** One thing that is wrong with the options. */
export interface OptionProblem {
  /** The option's name, such as `baseUrl`; a setting inside an option follows a dot, as in `tls.ca`. */
  readonly option: string;
  /** The problem with the option's value, such as `missing`. The API key is masked. */
  readonly message: string;
  /** The environment variable of the option, where it has one. */
  readonly variable?: string;
}

/** Writes a problem on one line: `timeoutMs (MESSAGING_TIMEOUT_MS): -1 is not a whole number from 0 to 2147483647`. */
export function formatOptionProblem({ option, variable, message }: OptionProblem): string {
  return `${option}${variable === undefined ? '' : ` (${variable})`}: ${message}`;
}

/** Options are missing or wrong. Nothing was sent. The message names all of them and their environment variables. */
export class ConfigurationError extends MessagingError {
  /** The problem of each option; empty when the failure belongs to no option. */
  readonly problems: readonly OptionProblem[];

  /** @param failure the problems, which make the message, or the message of a failure that belongs to no option */
  constructor(failure: ConfigurationFailure) {
    const problems = 'problems' in failure ? failure.problems : [];
    const message = 'message' in failure ? failure.message : problems.map(formatOptionProblem).join('; ');
    super({ outcome: 'not-sent', message });
    this.problems = problems;
  }
}

/** One thing that is wrong with the fields of a request. */
export interface RequestProblem {
  /** The name of the field. */
  readonly field: string;
  /** The index of the wrong item, when the field is a list. */
  readonly index?: number;
  /** The problem with the value, such as `a string is needed, not a number`. The API key is masked. */
  readonly message: string;
}

/** Writes a field with the index of its item: `receptor[2]`. */
function nameField({ field, index }: RequestProblem): string {
  return index === undefined ? field : `${field}[${index}]`;
}

/** Names the first ten problems, because a list may have thousands. */
function formatRequestProblems(problems: readonly RequestProblem[]): string {
  const named = problems.slice(0, 10).map((problem) => `${nameField(problem)}: ${problem.message}`);
  return named.join('; ') + (problems.length > 10 ? `; and ${problems.length - 10} more` : '');
}

/**
 * A field of a request is unknown, missing, of the wrong type, outside the range of its XSD type, or not writable as
 * XML 1.0. Nothing was sent.
 */
export class RequestError extends MessagingError {
  /** The first wrong field, with the index of a list's item: `receptor[2]`; undefined when no field is wrong. */
  readonly field: string | undefined;
  /**
   * The problem of each wrong field, and of each wrong item of a list; empty when no field is wrong. Unknown fields are
   * named alone, then missing ones, and only then wrong values.
   */
  readonly problems: readonly RequestProblem[];

  /** @param failure the problems, with a message when it says more than they do; or a message alone */
  constructor(
    failure: FailedOperation &
      (
        | { readonly problems: readonly RequestProblem[]; readonly message?: string }
        | { readonly problems?: undefined; readonly message: string }
      ),
  ) {
    const { mask } = maskerOf(failure);
    const { problems = [], message = formatRequestProblems(problems) } = failure;
    super({ ...failure, message, outcome: 'not-sent' });
    this.problems = problems.map((one) => ({ ...one, field: mask(one.field), message: mask(one.message) }));
    const [first] = this.problems;
    this.field = first && nameField(first);
  }
}

/** The limit for a statusmessage, in characters. A longer one is cut off there. */
const MAX_TEXT = 1_000_000;
/** The characters of a service's text from which the words of a message are taken. */
const MAX_WORDS = 16_384;

/** The service responded with a status that is not in `successStatuses`. It refused the request. */
export class StatusError extends MessagingError {
  /** The status of the response. The contract does not define the values. */
  readonly status: number;
  /** The statusmessage of the response, at most its first 1,000,000 characters; empty when the service sent none. */
  readonly statusmessage: string;
  /** The plain result of the response; undefined when the service sent none. */
  readonly result: unknown;

  constructor(
    failure: FailedOperation & { readonly status: number; readonly statusmessage: string; readonly result?: unknown },
  ) {
    const masker = maskerOf(failure);
    const { status } = failure;
    const statusmessage = maskStart(failure.statusmessage, MAX_TEXT, masker);
    super({
      ...failure,
      outcome: 'rejected',
      message: `service returned status ${status}${inBrackets(statusmessage)}`,
    });
    this.status = status;
    this.statusmessage = statusmessage;
    this.result = maskTexts(failure.result, masker.mask);
  }
}

/** The part of the HTTP response that an error shows. */
interface ResponseHead {
  readonly httpStatus: number;
  /** The headers of the response, with names in lower case. Default none. */
  readonly headers?: Readonly<Record<string, string | string[] | undefined>> | undefined;
}

/**
 * The service responded with a SOAP fault. The outcome is `rejected` for a fault that blames the request (`Client`,
 * `Sender`, `VersionMismatch`, `MustUnderstand`), else `unknown`. It is `unknown` too when the body also says that the
 * request succeeded.
 */
export class FaultError extends MessagingError {
  /** The local name of the fault code as the service wrote it: `Server`, `Receiver`, `Client`, `Sender`, … */
  readonly code: string;
  /** The reason of the fault, in English where the service sends several. */
  readonly reason: string;
  /** The XML inside the detail element; empty when the fault has none. */
  readonly detail: string;
  /** The HTTP status, which is often 500. */
  readonly httpStatus: number;
  /** The headers of the response by lower-case name, such as `retry-after`. */
  readonly headers: Readonly<Record<string, string>>;

  /** @param failure.outcome the outcome, when the fault alone does not say it */
  constructor(
    failure: FailedOperation &
      ResponseHead & {
        readonly code: string;
        readonly reason: string;
        readonly detail?: string | undefined;
        readonly outcome?: Outcome | undefined;
      },
  ) {
    const { mask } = maskerOf(failure);
    // The key may contain a colon, so the prefix is cut off after masking.
    const code = localName(mask(failure.code));
    const reason = mask(failure.reason);
    const detail = mask(failure.detail ?? '');
    const words = [reason, readableText(detail)].filter((text) => text !== '').join('; ');
    const hint = isUnknownAction(reason) ? '; check the namespace and its final slash' : '';
    super({
      ...failure,
      outcome: failure.outcome ?? outcomeOfFault(localName(failure.code)),
      message: `service returned fault ${onOneLine(code)}${inBrackets(words)}${hint}`,
    });
    this.code = code;
    this.reason = reason;
    this.detail = detail;
    this.httpStatus = failure.httpStatus;
    this.headers = maskHeaders(failure.headers, mask);
  }
}

/** The name after the prefix. */
function localName(name: string): string {
  return name.replace(/^.*:/s, '');
}

/**
 * A service that blames the request did not carry it out. Any other fault may have come after a part of the work. SOAP
 * 1.1 refines a code after a dot: Client.Authentication.
 */
function outcomeOfFault(code: string): Outcome {
  return /^(?:Client|Sender|VersionMismatch|MustUnderstand)(?:\.|$)/.test(code) ? 'rejected' : 'unknown';
}

/** True for the reason by which ASP.NET refuses an unknown action. An action begins with the namespace. */
export function isUnknownAction(reason: string): boolean {
  return /did not recognize the value of HTTP Header|without a valid action parameter/i.test(reason);
}

/**
 * The HTTP status is not 200, and the body is not a fault: a page of a proxy, an empty body, a redirect. The outcome is
 * `rejected` for 4xx except 408, else `unknown`. It is `unknown` too when the body says that the request succeeded.
 */
export class HttpError extends MessagingError {
  readonly httpStatus: number;
  /** The headers of the response by lower-case name, such as `location` and `retry-after`. */
  readonly headers: Readonly<Record<string, string>>;
  /** The first 1,000 characters of the body, or less. */
  readonly body: string;

  /** @param failure.outcome the outcome, when the HTTP status alone does not say it */
  constructor(
    failure: FailedOperation &
      ResponseHead & { readonly body?: string | undefined; readonly outcome?: Outcome | undefined },
  ) {
    const { mask } = maskerOf(failure);
    const { httpStatus } = failure;
    const headers = maskHeaders(failure.headers, mask);
    const body = mask(failure.body ?? '');
    const words = headers.location === undefined ? readableText(body) : `location: ${headers.location}`;
    const hint = isMisaddressed(httpStatus, words) ? '; check the base URL' : '';
    // A gateway sends 408 for a slow service, and a redirected request may have taken effect.
    const isRefusal = httpStatus >= 400 && httpStatus < 500 && httpStatus !== 408;
    super({
      ...failure,
      outcome: failure.outcome ?? (isRefusal ? 'rejected' : 'unknown'),
      message: `service returned HTTP status ${httpStatus}${inBrackets(words)}${hint}`,
    });
    this.httpStatus = httpStatus;
    this.headers = headers;
    this.body = truncate(body, 1000);
  }
}

/** True for a response that looks like the response of another address than the service's. */
export function isMisaddressed(httpStatus: number, words: string): boolean {
  const redirected = httpStatus >= 300 && httpStatus < 400;
  return redirected || [404, 405, 410].includes(httpStatus) || /unrecognized for URL/i.test(words);
}

/**
 * The connection could not be made, or it broke: DNS, refused, TLS, reset. The outcome is `not-sent` when no byte of
 * the request was written, else `unknown`. `cause` is a copy of the error of the system, without the API key.
 */
export class ConnectionError extends MessagingError {
  /** The code of the system, such as `ECONNREFUSED`, or `CLOSED` after `close()`; `UNKNOWN` when it gave none. */
  readonly code: string;

  /** @param failure.message the message; the code is added where the message does not contain it */
  constructor(
    failure: FailedOperation & {
      readonly outcome: Outcome;
      readonly code?: string | undefined;
      readonly message: string;
      readonly cause?: Error | undefined;
    },
  ) {
    const { code, message, cause, ...others } = failure;
    const { mask } = maskerOf(failure);
    super({
      ...others,
      message: code === undefined || message.includes(code) ? message : `${message} (${code})`,
      ...(cause && { cause: maskTexts(cause, mask) }),
    });
    this.code = mask(code ?? 'UNKNOWN');
  }
}

/** A time limit of the call ran out. The outcome is `not-sent` before a byte was written, else `unknown`. */
export class TimeoutError extends MessagingError {
  /** The limit that ran out, in milliseconds. */
  readonly timeoutMs: number;

  /**
   * @param failure.phase completes the message: "timed out after 30000 ms waiting for the response"
   * @param failure.message the whole message, in place of this one
   */
  constructor(
    failure: FailedOperation & {
      readonly outcome: Outcome;
      readonly timeoutMs: number;
      readonly phase?: string | undefined;
      readonly message?: string | undefined;
    },
  ) {
    const { timeoutMs, phase = '', message = `timed out after ${timeoutMs} ms ${phase}`.trim() } = failure;
    super({ ...failure, message });
    this.timeoutMs = timeoutMs;
  }
}

/** `track` ran out of time before each message had a final status. It sends no message: the outcome is `not-sent`. */
export class TrackingTimeout extends MessagingError {
  /** The ids without a final status. */
  readonly pending: readonly bigint[];

  /** @param failure.total the number of messages that were tracked */
  constructor(failure: { readonly pending: readonly bigint[]; readonly total: number; readonly withinMs: number }) {
    const { pending, total, withinMs } = failure;
    const message = `${pending.length} of ${total} messages ${pending.length === 1 ? 'has' : 'have'} no final status after ${withinMs} ms`;
    super({ operation: 'GetStatusByApikey', outcome: 'not-sent', message });
    this.pending = pending;
  }
}

/**
 * The caller's signal aborted the call. `cause` is the reason of the signal. The outcome is `not-sent`, or `unknown`
 * once a byte of the request may have been written.
 */
export class AbortError extends MessagingError {
  constructor(failure: FailedOperation & { readonly outcome: Outcome; readonly cause?: unknown }) {
    const message = failure.outcome === 'not-sent' ? 'aborted before it was sent' : 'aborted while it was under way';
    super({ ...failure, message });
  }
}

/**
 * The HTTP status is 200, and the body is not the promised response: it is empty, truncated or not XML, an element or
 * namespace is wrong, or a number is not valid. The request may have taken effect.
 */
export class ResponseError extends MessagingError {
  /** The first 1,000 characters of the body, or less. */
  readonly body: string;

  constructor(failure: FailedOperation & { readonly message: string; readonly body?: string | undefined }) {
    super({ ...failure, outcome: 'unknown' });
    this.body = truncate(maskerOf(failure).mask(failure.body ?? ''), 1000);
  }
}

/** Names the errors of a class, because a minifier renames it. On the prototype, a name is no field of an error. */
export function nameErrors(type: { readonly prototype: MessagingError }, name: string): void {
  Object.defineProperty(type.prototype, 'name', { value: name, configurable: true, writable: true });
}

const classes = {
  MessagingError,
  ConfigurationError,
  RequestError,
  StatusError,
  FaultError,
  HttpError,
  ConnectionError,
  TimeoutError,
  TrackingTimeout,
  AbortError,
  ResponseError,
};
for (const [name, type] of Object.entries(classes)) nameErrors(type, name);

/**
 * Replaces the stack of a failure with the caller's: a socket's stack names no line of the user. It is called where the
 * promise of a call rejects.
 */
export function captureCallSite(error: unknown): void {
  // Any other error is a bug of this package, whose own stack is needed.
  if (error instanceof MessagingError) Error.captureStackTrace(error, captureCallSite);
}

/** The service's own words, for a message. A field of the error holds the whole text, such as a stack trace. */
function inBrackets(words: string): string {
  const line = onOneLine(words.slice(0, MAX_WORDS));
  return line ? ` (${abbreviate(line, 300)})` : '';
}

function maskHeaders(headers: ResponseHead['headers'] = {}, mask: Masker['mask']): Readonly<Record<string, string>> {
  const named = Object.entries(headers).filter(([, value]) => value !== undefined);
  return Object.fromEntries(named.map(([name, value]) => [mask(name), mask(String(value))]));
}

/**
 * Copies a result or an error with its texts masked. Leaves out bytes, such as those of a certificate, and what lies
 * deeper than `depth`, because a certificate may refer to itself.
 */
function maskTexts(value: unknown, mask: Masker['mask'], depth = 5): unknown {
  if (typeof value === 'string') return mask(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth === 0 || ArrayBuffer.isView(value)) return undefined;
  const copy = (item: unknown) => maskTexts(item, mask, depth - 1);
  if (Array.isArray(value)) return value.map(copy);
  // An error of Node may be of another realm, as in Jest. Its message and its stack are not enumerable.
  const isError = Object.prototype.toString.call(value) === '[object Error]';
  const names = isError ? Object.getOwnPropertyNames(value) : Object.keys(value);
  const fields = Object.fromEntries(names.map((name) => [name, copy(value[name as keyof typeof value])]));
  return isError ? Object.assign(new Error(''), fields) : fields;
}

/** True for a transient failure: the same request may succeed later. */
export function isTransient(error: unknown): error is MessagingError {
  if (!(error instanceof MessagingError)) return false;
  if (error instanceof AbortError || error instanceof ConfigurationError || error instanceof RequestError) return false;
  if (error instanceof ConnectionError) return error.code !== 'CLOSED';
  return isBusy(error) || error.outcome !== 'rejected';
}

/** True for a response that asks for fewer requests. */
export function isBusy(error: unknown): error is HttpError | FaultError {
  return (error instanceof HttpError || error instanceof FaultError) && error.httpStatus === 429;
}
