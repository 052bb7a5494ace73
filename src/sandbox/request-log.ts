import type { IncomingHttpHeaders } from 'node:http';
import type { OperationName, SoapVersion } from '../types';
import { unixSeconds } from './record';
import type { HttpAnswer } from './wire/http-answer';

/** An HTTP request as it arrived, with the answer that it was given. */
export interface SandboxRequest {
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
  readonly headers: IncomingHttpHeaders;
  /** The body decoded as UTF-8, whatever its charset. Empty when it was longer than `maxRequestBytes`. */
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

/** A request that has no answer yet. */
export interface UnansweredRequest {
  /** @param summary see SandboxRequest */
  finish(answer: HttpAnswer | undefined, summary: string): void;
}

interface Entry extends SandboxRequest {
  /** The ids of the messages that the request sent: the first, and the one after the last. */
  readonly sent?: readonly [first: bigint, end: bigint];
}

const MAX_REQUESTS = 1000;
/** Bounds the memory of 1,000 requests of 64 MB. */
const MAX_CHARACTERS = 134_217_728;

/**
 * The last requests, newest last: at most 1,000, with bodies and answers of at most 128 Mi characters together, except that
 * the newest is always kept. An entry is replaced and never changed.
 */
export class RequestLog {
  readonly #report: (request: SandboxRequest) => void;
  #entries: Entry[] = [];
  #characters = 0;

  /** @param report is given each request when it has been answered */
  constructor(report: (request: SandboxRequest) => void) {
    this.#report = report;
  }

  get requests(): SandboxRequest[] {
    return this.#entries.map(({ sent, ...request }) => request);
  }

  /** The request that sent a message; none when it is no longer kept. */
  requestOf(messageid: bigint): SandboxRequest[] {
    return this.#entries
      .filter(({ sent }) => sent !== undefined && messageid >= sent[0] && messageid < sent[1])
      .map(({ sent, ...request }) => request);
  }

  add(request: Omit<Entry, 'date' | 'answer' | 'summary' | 'durationMs'>): UnansweredRequest {
    const started = performance.now();
    let entry: Entry = { date: unixSeconds(), ...request };
    this.#entries.push(entry);
    this.#grow(request.body.length);
    return {
      finish: (answer, summary) => {
        const index = this.#entries.lastIndexOf(entry);
        const durationMs = performance.now() - started;
        entry = { ...entry, ...(answer && { answer: textOf(answer) }), summary, durationMs };
        if (index >= 0) {
          this.#entries[index] = entry;
          this.#grow(entry.answer?.body.length ?? 0);
        }
        const { sent, ...rest } = entry;
        this.#report(rest);
      },
    };
  }

  reset(): void {
    this.#entries = [];
    this.#characters = 0;
  }

  #grow(characters: number): void {
    this.#characters += characters;
    while (this.#entries.length > MAX_REQUESTS || (this.#characters > MAX_CHARACTERS && this.#entries.length > 1)) {
      const { body, answer } = this.#entries.shift() as Entry;
      this.#characters -= body.length + (answer?.body.length ?? 0);
    }
  }
}

function textOf({ status, headers, body }: HttpAnswer): SandboxAnswer {
  return { status, headers, body: typeof body === 'string' ? body : Buffer.from(body).toString('utf8') };
}
