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
  /** Milliseconds from the end of the request to its response. Absent before the response. */
  readonly durationMs?: number;
}

/** An HTTP response as it was given. */
export interface SandboxResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Decoded as UTF-8. */
  readonly body: string;
}

/** A response before its body is text. This file names no type of Node, because users need none for their programs. */
type GivenResponse = Omit<SandboxResponse, 'body'> & { readonly body: string | Uint8Array };

/** A kept request, which is completed when its response is sent. */
interface Entry {
  readonly request: { -readonly [F in keyof SandboxRequest]: SandboxRequest[F] };
  /** The id of the call that sent messages. Absent when the request sent none. */
  readonly call: bigint | undefined;
  readonly started: number;
}

const MAX_REQUESTS = 1000;
/** Bounds the memory of 1,000 requests of 64 MB. */
const MAX_CHARACTERS = 134_217_728;

/**
 * The last requests, newest last. The log keeps at most 1,000, whose bodies and responses have at most 128 Mi
 * characters together. It always keeps the newest request.
 */
export class RequestLog {
  readonly #report: (request: SandboxRequest) => void;
  #entries: Entry[] = [];
  #characters = 0;
  /** Never goes back, since a request from before a reset may still be completed. */
  #count = 0;

  /** @param report is given each request when its response is sent or its connection dropped */
  constructor(report: (request: SandboxRequest) => void) {
    this.#report = report;
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
   * @param read what the service read in the request. Absent when it could not read the request.
   * @param call the id of the call that sent messages
   * @returns the entry that `finish` completes
   */
  add(
    { method, url, headers, body }: Pick<SandboxRequest, 'method' | 'url' | 'headers' | 'body'>,
    read?: { readonly operation: OperationName; readonly version: SoapVersion },
    call?: bigint,
  ): Entry {
    this.#count += 1;
    const request: Entry['request'] = { id: String(this.#count), date: unixSeconds(), method, url, headers, body };
    if (read !== undefined) {
      request.operation = read.operation;
      request.soapVersion = read.version;
    }
    const entry = { request, call, started: performance.now() };
    this.#entries.push(entry);
    this.#grow(body.length);
    return entry;
  }

  /** @param response undefined when the connection was dropped */
  finish(entry: Entry, response: GivenResponse | undefined, summary: string): void {
    const { request, started } = entry;
    if (response !== undefined) request.response = textOf(response);
    request.summary = summary;
    request.durationMs = performance.now() - started;
    if (this.#entries.lastIndexOf(entry) >= 0) this.#grow(request.response?.body.length ?? 0);
    this.#report(request);
  }

  reset(): void {
    this.#entries = [];
    this.#characters = 0;
  }

  #grow(characters: number): void {
    this.#characters += characters;
    while (this.#entries.length > MAX_REQUESTS || (this.#characters > MAX_CHARACTERS && this.#entries.length > 1)) {
      const { body, response } = (this.#entries.shift() as Entry).request;
      this.#characters -= body.length + (response?.body.length ?? 0);
    }
  }
}

function textOf({ status, headers, body }: GivenResponse): SandboxResponse {
  return { status, headers, body: typeof body === 'string' ? body : Buffer.from(body).toString('utf8') };
}
