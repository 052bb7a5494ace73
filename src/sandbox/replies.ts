import { validateHeaderName, validateHeaderValue } from 'node:http';
import { operations } from '../../generated/operations';
import type { MessagingResult, OperationName } from '../types';
import { isOperationName } from './wire/arguments';
import type { SandboxFault } from './wire/write-fault';

/**
 * A reply to arm: exactly one of a fault, a status, a result, raw HTTP or a dropped connection, after `delayMs` if given; or
 * `delayMs` alone, which delays the service's own answer. With `delayMs` alone and with `drop: 'after'` the operation takes
 * effect as soon as the request arrives. With all others it takes no effect.
 */
export type Reply<O extends OperationName | '*' = OperationName> = (
  | One<FaultReply>
  | One<StatusReply>
  | One<ResultReply<O>>
  | One<HttpReply>
  | One<DropReply>
  | One<DelayReply>
) & {
  /** Milliseconds to wait before the answer, or before the connection is dropped. Default 0. */
  readonly delayMs?: number;
};

/** A SOAP fault, with HTTP status 500. */
export interface FaultReply {
  readonly fault: {
    /** Local name. Client and Server are written as Sender and Receiver in SOAP 1.2, and vice versa. */
    readonly code: string;
    readonly reason: string;
    /** URI of the node that raised the fault. Default: none. */
    readonly actor?: string;
    /** XML to write unchanged into the detail element. Default: none. */
    readonly detail?: string;
  };
}

/** Another status, with an empty list or 0 as the result. */
export interface StatusReply {
  /** xsd:int. */
  readonly status: number;
  /** Default empty; null leaves the element out. */
  readonly statusmessage?: string | null;
}

/** Any content as the result. */
export interface ResultReply<O extends OperationName | '*' = OperationName> {
  readonly result: RawResult<O>;
  /** xsd:int. Default 200. */
  readonly status?: number;
  /** Default `ok`; null leaves the element out. */
  readonly statusmessage?: string | null;
}

/** A raw HTTP answer. */
export interface HttpReply {
  readonly http: {
    /** From 200 to 999. */
    readonly status: number;
    /** Content-Length is added unless it or Transfer-Encoding is given. Default: none. */
    readonly headers?: Readonly<Record<string, string>>;
    /** A string is sent as UTF-8. Default: empty. */
    readonly body?: string | Uint8Array;
  };
}

/** The connection is closed without an answer, before or after the operation takes effect. */
export interface DropReply {
  readonly drop: 'before' | 'after';
}

/** The service's own answer after a delay. */
export interface DelayReply {
  /** Milliseconds. */
  readonly delayMs: number;
}

/**
 * A result to write without checks: null leaves the element out, a string or number is its text, an array is a list. In a
 * list, null is a nil item and any value may be given for an item. In a record, null leaves a field out.
 */
export type RawResult<O extends OperationName | '*'> =
  | RawValue
  | null
  | (O extends OperationName ? (MessagingResult<O> extends readonly (infer Item)[] ? RawItems<Item> : never) : never);
type RawValue = string | number | bigint;
type RawItems<Item> = readonly (RawValue | null | (Item extends object ? RawRecord<Item> : never))[];
type RawRecord<Item> = { readonly [F in keyof Item]?: RawValue | null | undefined };

/** Makes two kinds in one reply a compile error. */
type One<T> = T & { readonly [K in Exclude<ReplyKey, keyof T>]?: never };
type ReplyKey = 'fault' | 'status' | 'statusmessage' | 'result' | 'http' | 'drop';

/** How often a reply is given. */
export interface ReplyOptions {
  /** A whole number, or Infinity. Default 1. */
  readonly times?: number;
}

/** A checked reply, with its kind and every default in place. */
export type ArmedReply = (
  | { readonly kind: 'fault'; readonly fault: SandboxFault }
  | {
      readonly kind: 'answer';
      readonly result: unknown;
      readonly status: number;
      readonly statusmessage: string | null;
    }
  | {
      readonly kind: 'http';
      readonly status: number;
      readonly headers: Readonly<Record<string, string>>;
      readonly body: string | Uint8Array;
    }
  | { readonly kind: 'drop'; readonly when: 'before' | 'after' }
  | { readonly kind: 'service' }
) & { readonly delayMs: number };

/** The armed replies. The oldest one that fits a request answers it. */
export class ArmedReplies {
  readonly #armed: { readonly operation: OperationName | '*'; readonly reply: ArmedReply; times: number }[] = [];

  /** @throws {TypeError} when an argument is not what its type says */
  arm(operation: OperationName | '*', reply: Reply, { times = 1 }: ReplyOptions): void {
    if (operation !== '*' && !isOperationName(operation)) throw new TypeError(`unknown operation ${String(operation)}`);
    if (times !== Number.POSITIVE_INFINITY && (!Number.isInteger(times) || times < 1)) {
      throw new TypeError(`times ${String(times)} is neither a positive whole number nor Infinity`);
    }
    this.#armed.push({ operation, reply: resolveReply(operation, reply), times });
  }

  take(operation: OperationName): ArmedReply | undefined {
    const index = this.#armed.findIndex((armed) => armed.operation === '*' || armed.operation === operation);
    const found = this.#armed[index];
    if (found === undefined) return undefined;
    found.times -= 1;
    if (found.times === 0) this.#armed.splice(index, 1);
    return found.reply;
  }
}

/** The longest delay that Node's timers support. */
const MAX_DELAY_MS = 2_147_483_647;

function resolveReply(operation: OperationName | '*', reply: Reply): ArmedReply {
  const delayMs = reply.delayMs ?? 0;
  if (!(delayMs >= 0 && delayMs <= MAX_DELAY_MS)) {
    throw new TypeError(`delayMs ${String(delayMs)} is not from 0 to ${MAX_DELAY_MS}`);
  }
  const kinds = (['fault', 'http', 'drop', 'result'] as const).filter((key) => reply[key] !== undefined);
  if (kinds.length > 1) throw new TypeError(`a reply cannot hold ${kinds.join(' and ')} together`);
  if (reply.fault !== undefined) return { kind: 'fault', fault: reply.fault, delayMs };
  if (reply.http !== undefined) return resolveHttp(reply.http, delayMs);
  if (reply.drop !== undefined) return { kind: 'drop', when: reply.drop, delayMs };
  if (reply.result !== undefined) {
    if (Array.isArray(reply.result) && !isListOperation(operation)) {
      throw new TypeError(`the result of ${operation === '*' ? 'some operations' : operation} is not a list`);
    }
    const { result, status = 200, statusmessage = 'ok' } = reply;
    return { kind: 'answer', result, status, statusmessage, delayMs };
  }
  if (reply.status !== undefined) {
    const { status, statusmessage = '' } = reply;
    return { kind: 'answer', result: undefined, status, statusmessage, delayMs };
  }
  if (reply.delayMs === undefined) throw new TypeError('a reply needs fault, status, result, http, drop or delayMs');
  return { kind: 'service', delayMs };
}

function resolveHttp({ status, headers = {}, body = '' }: HttpReply['http'], delayMs: number): ArmedReply {
  if (!Number.isInteger(status) || status < 200 || status > 999) {
    throw new TypeError(`HTTP status ${String(status)} is not a whole number from 200 to 999`);
  }
  for (const [name, value] of Object.entries(headers)) {
    validateHeaderName(name);
    validateHeaderValue(name, value);
  }
  return { kind: 'http', status, headers, body, delayMs };
}

function isListOperation(operation: OperationName | '*'): boolean {
  return operation !== '*' && 'item' in operations[operation].response[0];
}
