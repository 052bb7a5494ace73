import type { IncomingHttpHeaders } from 'node:http';
import type { OperationName } from '../types';

/** A request as it came. */
export interface SandboxRequest {
  /** Absent when the request could not be read, or named none. */
  readonly operation?: OperationName;
  readonly method: string;
  /** As in the request line: path and query. */
  readonly url: string;
  /** Names in lower case. */
  readonly headers: IncomingHttpHeaders;
  /** The body's bytes read as UTF-8, whatever their charset; empty when they were more than `maxRequestBytes`. */
  readonly body: string;
}

const MAX_REQUESTS = 1000;
/** 1,000 requests of 64 MB would be more than memory holds. */
const MAX_CHARACTERS = 134_217_728;

/** The last requests, newest last: at most 1,000, and their bodies at most 128 Mi characters, the newest excepted. */
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
