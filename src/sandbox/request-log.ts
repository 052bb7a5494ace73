import type { IncomingHttpHeaders } from 'node:http';
import type { OperationName } from '../types';

/** An HTTP request as it arrived. */
export interface SandboxRequest {
  /** Absent when the request could not be read or names no operation. */
  readonly operation?: OperationName;
  readonly method: string;
  /** The target of the request line: path and query. */
  readonly url: string;
  /** Names in lower case. */
  readonly headers: IncomingHttpHeaders;
  /** The body decoded as UTF-8, whatever its charset. Empty when it was longer than `maxRequestBytes`. */
  readonly body: string;
}

const MAX_REQUESTS = 1000;
/** Bounds the memory of 1,000 requests of 64 MB. */
const MAX_CHARACTERS = 134_217_728;

/** The last requests, newest last: at most 1,000, with bodies of at most 128 Mi characters, except that the newest is always kept. */
export class RequestLog {
  readonly #requests: SandboxRequest[] = [];
  #characters = 0;

  get requests(): SandboxRequest[] {
    return [...this.#requests];
  }

  add(request: SandboxRequest): void {
    this.#requests.push(request);
    this.#characters += request.body.length;
    while (this.#requests.length > MAX_REQUESTS || (this.#characters > MAX_CHARACTERS && this.#requests.length > 1)) {
      this.#characters -= this.#requests.shift()?.body.length ?? 0;
    }
  }
}
