import { type Mask, noMask } from './internal/mask';
import { formatOptionProblem, type OptionProblem } from './internal/option-table';
import { readableText } from './internal/readable-text';
import { abbreviate, truncate } from './internal/strings';

/**
 * What a caller of a send needs to know about a failure:
 * - `not-sent`: provably no byte of the request reached the service; safe to try again
 * - `rejected`: the service answered and refused
 * - `unknown`: it may have taken effect; look before sending again
 */
export type Outcome = 'not-sent' | 'rejected' | 'unknown';

/** Where an error comes from, and what keeps the API key out of it. */
export interface ErrorContext extends Mask {
  readonly operation: string | undefined;
}

/** The base of every failure. Branch with `instanceof` or on `outcome`, never on the message. */
export abstract class MessagingError extends Error {
  /** The contract's name of the operation; undefined when the failure belongs to none. */
  readonly operation: string | undefined;
  readonly outcome: Outcome;

  constructor(context: ErrorContext, outcome: Outcome, message: string) {
    super(context.mask(context.operation === undefined ? message : `${context.operation}: ${message}`));
    this.operation = context.operation === undefined ? undefined : context.mask(context.operation);
    this.outcome = outcome;
  }

  static {
    // On the prototype, so that `name` is not listed among the fields.
    Object.defineProperty(MessagingError.prototype, 'name', {
      get(this: MessagingError) {
        return this.constructor.name;
      },
    });
  }

  /** All fields as plain data; a bigint becomes a string. */
  toJSON(): Record<string, unknown> {
    return toPlain(Object.assign({ name: this.name, message: this.message }, this)) as Record<string, unknown>;
  }
}

/** What a ConfigurationError says. */
export type ConfigurationFailure = { readonly problems: readonly OptionProblem[] } | { readonly message: string };

/** Options are missing or wrong. Nothing was sent. The message names all of them and their environment variables. */
export class ConfigurationError extends MessagingError {
  /** What is wrong with each option; empty when the failure belongs to no option. */
  readonly problems: readonly OptionProblem[];

  /** @param failure the problems, of which the message is made, or the message of a failure that belongs to no option */
  constructor(failure: ConfigurationFailure) {
    const problems = 'problems' in failure ? failure.problems : [];
    const message = 'message' in failure ? failure.message : problems.map(formatOptionProblem).join('; ');
    super({ operation: undefined, ...noMask }, 'not-sent', message);
    this.problems = problems;
  }
}

/** A field is unknown, missing, of the wrong type, out of its XSD range, or not writable as XML 1.0. Nothing was sent. */
export class RequestError extends MessagingError {
  /** The field, with the index for an entry of a list: `receptor[2]`; undefined when no single field is at fault. */
  readonly field: string | undefined;

  constructor(context: ErrorContext, field: string | undefined, message: string) {
    super(context, 'not-sent', message);
    this.field = field === undefined ? undefined : context.mask(field);
  }
}

/** The service answered with a status that is not in `successStatuses` (contract, section 7). */
export class StatusError extends MessagingError {
  readonly status: number;
  readonly statusmessage: string;
  /** The plain result that came with it, if any. */
  readonly result: unknown;

  constructor(context: ErrorContext, answer: { status: number; statusmessage: string; result: unknown }) {
    const { status, statusmessage } = answer;
    super(context, 'rejected', `service returned status ${status}${inBrackets(context.mask(statusmessage))}`);
    this.status = status;
    this.statusmessage = context.mask(statusmessage);
    this.result = maskDeep(answer.result, context.mask);
  }
}

/** What of an answer's HTTP head an error shows. */
export interface AnswerHead {
  readonly httpStatus: number;
  /** By names in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** What a fault says. */
interface FaultParts {
  readonly code: string;
  readonly reason: string;
  readonly detail: string;
  /** The part whose end was cut off: it may end in half a key, which the mask would not know. */
  readonly cut: 'code' | 'reason' | 'detail' | undefined;
}

/** The service answered with a SOAP fault. */
export class FaultError extends MessagingError {
  /** Local name of the fault code as the service wrote it: `Server`, `Receiver`, `Client`, `Sender`, … */
  readonly code: string;
  readonly reason: string;
  /** The XML inside the detail element; empty when there is none. */
  readonly detail: string;
  readonly httpStatus: number;
  /** The answer's headers by lower-case name, such as `retry-after`. */
  readonly headers: Readonly<Record<string, string>>;

  constructor(context: ErrorContext, fault: FaultParts, head: AnswerHead) {
    const maskPart = (part: 'code' | 'reason' | 'detail'): string =>
      (fault.cut === part ? context.maskTruncated : context.mask)(fault[part]);
    const code = maskPart('code');
    const reason = maskPart('reason');
    const detail = maskPart('detail');
    const words = [reason, readableText(detail)].filter((text) => text !== '').join('; ');
    const hint = UNKNOWN_ACTION.test(reason) ? '; is the namespace right, with its final slash?' : '';
    super(context, FaultError.#outcomeOf(fault.code), `service returned fault ${code}${inBrackets(words)}${hint}`);
    this.code = code;
    this.reason = reason;
    this.detail = detail;
    this.httpStatus = head.httpStatus;
    this.headers = maskHeaders(context, head.headers);
  }

  /** A service that blames the request did not carry it out; any other fault may have come half-way. */
  static #outcomeOf(code: string): Outcome {
    // SOAP 1.1 refines a code after a dot: Client.Authentication.
    const [base = ''] = code.split('.');
    return ['Client', 'Sender', 'VersionMismatch', 'MustUnderstand'].includes(base) ? 'rejected' : 'unknown';
  }
}

/** An HTTP status other than 200 without a fault in the body: a page of a proxy, an empty answer, a redirect. */
export class HttpError extends MessagingError {
  readonly httpStatus: number;
  /** The answer's headers by lower-case name, such as `location` and `retry-after`. */
  readonly headers: Readonly<Record<string, string>>;
  /** At most the first 1,000 characters. */
  readonly body: string;

  constructor(context: ErrorContext, head: AnswerHead, body: string) {
    const { httpStatus } = head;
    const headers = maskHeaders(context, head.headers);
    const text = context.mask(body);
    const words = headers.location === undefined ? readableText(text) : `location: ${headers.location}`;
    const hint = isMisaddressed(httpStatus, words) ? '; is the base URL right?' : '';
    const rejected = httpStatus >= 400 && httpStatus < 500;
    super(
      context,
      rejected ? 'rejected' : 'unknown',
      `service answered with HTTP status ${httpStatus}${inBrackets(words)}${hint}`,
    );
    this.httpStatus = httpStatus;
    this.headers = headers;
    this.body = truncate(text, 1000);
  }
}

/** Whether an answer looks like one from another address than the endpoint's. */
function isMisaddressed(httpStatus: number, words: string): boolean {
  const redirected = httpStatus >= 300 && httpStatus < 400;
  return redirected || [404, 405, 410].includes(httpStatus) || /unrecognized for URL/i.test(words);
}

/** How ASP.NET refuses an action that it does not know. Both the SOAPAction header and the body hold the namespace. */
const UNKNOWN_ACTION = /did not recognize the value of HTTP Header|without a valid action parameter/i;

/** The connection could not be made, or broke: DNS, refused, TLS, reset. */
export class ConnectionError extends MessagingError {
  /** The system's code, such as ECONNREFUSED. */
  readonly code: string;

  constructor(context: ErrorContext, outcome: Outcome, failure: { code: string; message: string }) {
    super(context, outcome, `${failure.message}${failure.message.includes(failure.code) ? '' : ` (${failure.code})`}`);
    this.code = context.mask(failure.code);
  }
}

/** A time limit ran out. */
export class TimeoutError extends MessagingError {
  /** The limit that ran out, in milliseconds. */
  readonly timeoutMs: number;

  constructor(context: ErrorContext, outcome: Outcome, timeoutMs: number, waitingFor: string) {
    super(context, outcome, `timed out after ${timeoutMs} ms ${waitingFor}`);
    this.timeoutMs = timeoutMs;
  }
}

/** The caller's signal aborted the call. `cause` is the signal's reason. */
export class AbortError extends MessagingError {
  constructor(context: ErrorContext, outcome: Outcome, reason: unknown) {
    super(context, outcome, outcome === 'not-sent' ? 'aborted before it was sent' : 'aborted while it was under way');
    // Not listed among the fields, as with other errors.
    Object.defineProperty(this, 'cause', { value: reason, configurable: true, writable: true });
  }
}

/** HTTP 200 with a body that is not the promised response: empty, truncated, not XML, another element, an invalid number. */
export class ResponseError extends MessagingError {
  /** At most the first 1,000 characters. */
  readonly body: string;

  constructor(context: ErrorContext, message: string, body: string) {
    super(context, 'unknown', message);
    this.body = truncate(context.mask(body), 1000);
  }
}

/** The service's own words, for a message. Some services send a whole stack trace; a field of the error holds all of it. */
function inBrackets(words: string): string {
  return words ? ` (${abbreviate(words, 300)})` : '';
}

function maskHeaders(context: ErrorContext, headers: AnswerHead['headers']): Readonly<Record<string, string>> {
  const named = Object.entries(headers).filter(([, value]) => value !== undefined);
  return Object.fromEntries(named.map(([name, value]) => [context.mask(name), context.mask(String(value))]));
}

function maskDeep(value: unknown, mask: (text: string) => string): unknown {
  if (typeof value === 'string') return mask(value);
  if (Array.isArray(value)) return value.map((item) => maskDeep(item, mask));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, maskDeep(item, mask)]));
}

function toPlain(value: unknown): unknown {
  if (typeof value === 'bigint') return value.toString();
  if (Array.isArray(value)) return value.map(toPlain);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, toPlain(item)]));
}
