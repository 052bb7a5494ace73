import type { OperationName, SoapVersion } from '../types';
import { unixSeconds } from './record';
import type { HttpAnswer } from './wire/http-answer';

/** An HTTP request as it arrived, with the answer that it was given. */
export interface SandboxRequest {
  /** Differs from that of every other request of the sandbox, also after a reset. */
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
  /** The body as text, in the encoding in which the service reads it. Empty when it was longer than `maxRequestBytes`. */
  readonly body: string;
  /** Undefined while there is none yet, and when the connection was dropped. */
  readonly answer?: SandboxAnswer;
  /** The outcome: `status 200`, `fault Client`, `HTTP 404` or `dropped`. Absent until then. */
  readonly summary?: string;
  /** Milliseconds from the end of the request to its answer. Absent until then. */
  readonly durationMs?: number;
}

/** An HTTP answer as it was given. */
export interface SandboxAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Decoded as UTF-8. */
  readonly body: string;
}

/** A kept request, which is completed when it has been answered. */
interface Entry {
  readonly request: { -readonly [F in keyof SandboxRequest]: SandboxRequest[F] };
  /** The positions of the messages that the request sent: of the first, and after the last. */
  readonly sent: readonly [first: number, end: number];
  readonly started: number;
}

const MAX_REQUESTS = 1000;
/** Bounds the memory of 1,000 requests of 64 MB. */
const MAX_CHARACTERS = 134_217_728;

/**
 * The last requests, newest last: at most 1,000, with bodies and answers of at most 128 Mi characters together, except that
 * the newest is always kept.
 */
export class RequestLog {
  readonly #report: (request: SandboxRequest) => void;
  #entries: Entry[] = [];
  #characters = 0;
  /** Never goes back, since a request from before a reset may still be completed. */
  #count = 0;

  /** @param report is given each request when it has been answered */
  constructor(report: (request: SandboxRequest) => void) {
    this.#report = report;
  }

  get requests(): SandboxRequest[] {
    return this.#entries.map(({ request }) => ({ ...request }));
  }

  /** The request that sent the message at a position; none when it is no longer kept. */
  requestOf(position: number): SandboxRequest[] {
    const found = this.#entries.find(({ sent: [first, end] }) => position >= first && position < end);
    return found === undefined ? [] : [{ ...found.request }];
  }

  /** @returns what `finish` completes */
  add(request: Omit<SandboxRequest, 'id' | 'date' | 'answer' | 'summary' | 'durationMs'>, sent: Entry['sent']): Entry {
    this.#count += 1;
    const added = Object.assign(request, { id: String(this.#count), date: unixSeconds() });
    const entry = { request: added, sent, started: performance.now() };
    this.#entries.push(entry);
    this.#grow(request.body.length);
    return entry;
  }

  /** @param answer undefined when the connection was dropped */
  finish(entry: Entry, answer: HttpAnswer | undefined, summary: string): void {
    const { request, started } = entry;
    if (answer !== undefined) request.answer = textOf(answer);
    request.summary = summary;
    request.durationMs = performance.now() - started;
    if (this.#entries.lastIndexOf(entry) >= 0) this.#grow(request.answer?.body.length ?? 0);
    this.#report(request);
  }

  reset(): void {
    this.#entries = [];
    this.#characters = 0;
  }

  #grow(characters: number): void {
    this.#characters += characters;
    while (this.#entries.length > MAX_REQUESTS || (this.#characters > MAX_CHARACTERS && this.#entries.length > 1)) {
      const { body, answer } = (this.#entries.shift() as Entry).request;
      this.#characters -= body.length + (answer?.body.length ?? 0);
    }
  }
}

function textOf({ status, headers, body }: HttpAnswer): SandboxAnswer {
  return { status, headers, body: typeof body === 'string' ? body : Buffer.from(body).toString('utf8') };
}
