import type { MessagingResult, OperationName } from '../../types';

/**
 * A reply to arm: exactly one of a fault, a status, a result, raw HTTP or a dropped connection, optionally after
 * `delayMs`. `delayMs` alone delays the service's own response. With `delayMs` alone and with `drop: 'after'`, the
 * operation takes effect as soon as the request arrives. With every other reply the operation takes no effect.
 */
export type Reply<O extends OperationName | '*' = OperationName> = (
  | One<FaultReply>
  | One<StatusReply>
  | One<ResultReply<O>>
  | One<HttpReply>
  | One<DropReply>
  | One<DelayReply>
) & {
  /** Milliseconds to wait before the response, or before the connection is dropped. Default 0. */
  readonly delayMs?: number;
};

/** A SOAP fault, with HTTP status 500. */
export interface FaultReply {
  readonly fault: {
    /** The local name of the code. Client and Server are written as Sender and Receiver in SOAP 1.2, and vice versa. */
    readonly code: string;
    readonly reason: string;
    /** The URI of the node that raised the fault. Default: none. */
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

/** A raw HTTP response. */
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

/** A connection that is closed without a response, before or after the operation takes effect. */
export interface DropReply {
  readonly drop: 'before' | 'after';
}

/** The service's own response after a delay. */
export interface DelayReply {
  /** Milliseconds. */
  readonly delayMs: number;
}

/**
 * A result to write without checks. Null leaves the element out, a string or number becomes its text, and an array
 * becomes a list. In a list, null is a nil item, and any value may be given for an item. In a record, null leaves a
 * field out.
 */
export type RawResult<O extends OperationName | '*'> =
  | RawValue
  | null
  | (O extends OperationName ? RawContent<MessagingResult<O>> : never);
type RawValue = string | number | bigint | boolean;
type RawContent<R> = R extends readonly (infer Item)[] ? RawItems<Item> : R extends object ? RawRecord<R> : never;
type RawItems<Item> = readonly (RawValue | null | (Item extends object ? RawRecord<Item> : never))[];
type RawRecord<Item> = { readonly [F in keyof Item]?: RawValue | null | undefined };

/** Makes a reply of two kinds a compile error. */
type One<T> = T & { readonly [K in Exclude<ReplyKey, keyof T>]?: never };
type ReplyKey = 'fault' | 'status' | 'statusmessage' | 'result' | 'http' | 'drop';

/** The options of `reply`. */
export interface ReplyOptions {
  /** The number of requests that get the reply: a positive whole number, or Infinity. Default 1. */
  readonly times?: number;
  /** Only requests with a receptor that contains this text get the reply. Default: all requests. */
  readonly receptor?: string;
  /** Only requests with a text that contains this one get the reply. Default: all requests. */
  readonly message?: string;
}

/** A reply that is armed. */
export interface ArmedReply {
  readonly id: string;
  readonly operation: OperationName | '*';
  readonly receptor?: string | undefined;
  readonly message?: string | undefined;
  /** The number of times that this reply will still be used. */
  readonly times: number;
  readonly reply: Reply;
}

/** Disarms a reply. */
export interface ReplyHandle {
  readonly id: string;
  /** Disarms the reply. It has no effect on a reply that was used up. */
  clear(): void;
}
