import type { OperationName, SoapVersion } from '../../types';
import { unixSeconds } from './messages';

/** An HTTP request as it arrived, with the response that it was given. */
export interface SandboxRequest {
  /** Differs from the id of every other request of the sandbox, also after a reset. */
  readonly id: string;
  /** Seconds since 1970. */
  readonly date: bigint;
  /** Absent when the request could not be read or names no operation. */
  readonly operation?: OperationName;
  /** The version of the envelope. Absent when the request could not be read. */
  readonly soapVersion?: SoapVersion;
  /** The fields that the service has read, without the API key. Absent when the request could not be read. */
  readonly fields?: Readonly<Record<string, RequestField>>;
  /** The id of the armed reply that was given in place of the service's own response. */
  readonly reply?: string;
  readonly method: string;
  /** The target of the request line: path and query. */
  readonly url: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /**
   * The body as text, in the encoding in which the service reads it. Empty for a body longer than `maxRequestBytes`.
   */
  readonly body: string;
  /** Undefined before the response, and when the connection was dropped. */
  readonly response?: SandboxResponse;
  /** The outcome: `status 200`, `fault Client`, `HTTP 404` or `dropped`. Absent before the response. */
  readonly summary?: string;
  /**
   * The kind of the outcome: `done`, `refused` by a status, a SOAP `fault`, an `http` status other than 2xx, or
   * `dropped`. Absent before the response.
   */
  readonly result?: RequestResult;
  /** The reason of a fault, or the words of a status that is no success. */
  readonly reason?: string;
  /** Milliseconds from the end of the request to its response. Absent before the response. */
  readonly durationMs?: number;
}

/** The value of a field. A list is its number of items and the first ten of them. */
export type RequestField = FieldItem | { readonly count: number; readonly first: readonly FieldItem[] };
type FieldItem = string | number | bigint | boolean | null;

/** The kinds of outcomes of a request. */
export const requestResults = ['done', 'refused', 'fault', 'http', 'dropped'] as const;
export type RequestResult = (typeof requestResults)[number];

export interface SandboxResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Decoded as UTF-8. */
  readonly body: string;
}

/** A response before its body is text. This file names no type of Node, because users need none for their programs. */
type UndecodedResponse = Omit<SandboxResponse, 'body'> & { readonly body: string | Uint8Array };

type Completing<T> = { -readonly [K in keyof T]: T[K] };

/** The effect of a request on the service. */
interface LoggedResult {
  /** Absent when the service could not read the request. */
  readonly call?:
    | {
        readonly operation: OperationName;
        readonly version: SoapVersion;
        readonly arguments: Readonly<Record<string, unknown>>;
      }
    | undefined;
  /** The id of the call that sent messages. Absent when the request sent none. */
  readonly sent?: bigint | undefined;
  /** The id of the armed reply that was given. */
  readonly reply?: string | undefined;
}

/** A kept request, which is completed when its response is sent. */
export interface LoggedRequest {
  readonly request: SandboxRequest;
  /** The fields that the service has read, with all items of each list. Absent when the request could not be read. */
  readonly given: Readonly<Record<string, unknown>> | undefined;
  /** The id of the call that sent messages. Absent when the request sent none. */
  readonly call: bigint | undefined;
}

const MAX_REQUESTS = 1000;
/** The longest bodies of all requests and responses together. They bound the memory of 1,000 requests of 64 MB. */
const MAX_CHARACTERS = 134_217_728;

/** The last requests, newest last. The log always keeps the newest request. */
export class RequestLog {
  #entries: LoggedRequest[] = [];
  /** The number of characters of all bodies. */
  #characters = 0;
  /** Never goes back, since a request from before a reset may still be completed. */
  #count = 0;

  /** @param report is given each request when its response is sent or its connection dropped */
  constructor(private readonly report: (request: SandboxRequest) => void) {}

  get size(): number {
    return this.#entries.length;
  }

  get entries(): readonly LoggedRequest[] {
    return this.#entries;
  }

  get requests(): SandboxRequest[] {
    return this.#entries.map(({ request }) => ({ ...request }));
  }

  /** The request that made a call that sent messages; undefined when it is no longer kept. */
  requestOf(call: bigint): SandboxRequest | undefined {
    const found = this.#entries.find((entry) => entry.call === call);
    return found && { ...found.request };
  }

  /**
   * @param result what the service read in the request, and what it did
   * @returns a function that completes the request; its response is undefined when the connection was dropped
   */
  add(
    { method, url, headers, body }: Pick<SandboxRequest, 'method' | 'url' | 'headers' | 'body'>,
    { call: read, sent: call, reply }: LoggedResult = {},
  ): (response: UndecodedResponse | undefined, summary: string, reason?: string) => void {
    this.#count += 1;
    const started = performance.now();
    const request: Completing<SandboxRequest> = {
      id: String(this.#count),
      date: unixSeconds(),
      method,
      url,
      headers,
      body,
    };
    if (read) {
      request.operation = read.operation;
      request.soapVersion = read.version;
      request.fields = fieldsOf(read.arguments);
    }
    if (reply !== undefined) request.reply = reply;
    const entry = { request, given: read?.arguments, call };
    this.#entries.push(entry);
    this.#grow(body.length);
    return (response, summary, reason) => {
      if (response) {
        // Without a spread, which costs several microseconds when a property follows it.
        const { status, headers: fields, body: content } = response;
        request.response = { status, headers: fields, body: textOf(content) };
      }
      request.summary = summary;
      request.result = resultOf(summary);
      if (reason !== undefined) request.reason = reason;
      request.durationMs = performance.now() - started;
      this.report(request);
      // A reset may have removed the request.
      if (this.#entries.lastIndexOf(entry) >= 0) this.#grow(request.response?.body.length ?? 0);
    };
  }

  reset(): void {
    this.#entries = [];
    this.#characters = 0;
  }

  /** Counts further characters, and drops the oldest requests. */
  #grow(characters: number): void {
    this.#characters += characters;
    while (this.#entries.length > MAX_REQUESTS || (this.#characters > MAX_CHARACTERS && this.#entries.length > 1)) {
      const { body, response } = (this.#entries.shift() as LoggedRequest).request;
      this.#characters -= body.length + (response?.body.length ?? 0);
    }
  }
}

function resultOf(summary: string): RequestResult {
  if (summary.startsWith('status ')) return summary === 'status 200' ? 'done' : 'refused';
  if (summary.startsWith('HTTP ')) return summary.startsWith('HTTP 2') ? 'done' : 'http';
  return summary.startsWith('fault ') ? 'fault' : 'dropped';
}

/** The number of items of a list that are kept. */
const FIRST_ITEMS = 10;

function fieldsOf(given: Readonly<Record<string, unknown>>): NonNullable<SandboxRequest['fields']> {
  const fields: Record<string, RequestField> = {};
  for (const name in given) {
    const value = given[name];
    if (name === 'apikey') continue;
    fields[name] = (
      Array.isArray(value) ? { count: value.length, first: value.slice(0, FIRST_ITEMS) } : value
    ) as RequestField;
  }
  return fields;
}

function textOf(body: string | Uint8Array): string {
  return typeof body === 'string' ? body : Buffer.from(body).toString('utf8');
}
