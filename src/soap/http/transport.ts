import type { TlsOptions } from '../../options';

export interface HttpRequest {
  /** Header lines, each with its line's end, but for those that every HTTP request has. */
  readonly headers: string;
  /** A string is sent as UTF-8. */
  readonly body: string | Buffer;
}

/** What becomes of a request. After `onEnd` or `onFailure` nothing more is called. */
export interface Sink {
  /** From here on, bytes of the request may have reached the service. Without it, none has. */
  onSent(): void;
  onHeaders(head: ResponseHead): void;
  onData(chunk: Buffer): void;
  onEnd(): void;
  onFailure(failure: Failure): void;
}

/** What counts of an answer's head. A header that is not there is empty. */
export interface ResponseHead {
  readonly status: number;
  readonly contentType: string;
  readonly contentEncoding: string;
}

/** Holds a request under way. */
export interface Handle {
  /** Gives it up: if it was not sent yet, it never is. The sink hears nothing more. */
  abort(): void;
  /** Stops and restarts the flow of `onData`. */
  pause(): void;
  resume(): void;
}

export type Failure =
  | { readonly kind: 'connect-timeout' }
  | { readonly kind: 'connection'; readonly code: string; readonly message: string };

/** The other side closed the connection before it was due. */
export const CLOSED: Failure = { kind: 'connection', code: 'ECONNRESET', message: 'the connection was closed' };

export interface TransportSettings {
  /** Whole URL of the endpoint. */
  readonly url: string;
  /** Whether connections are kept open for later requests. */
  readonly keepAlive: boolean;
  readonly maxConnections: number;
  /** In milliseconds; 0 means none. */
  readonly connectTimeoutMs: number;
  readonly proxy: string | undefined;
  readonly tls: TlsOptions;
}

/** The system's code and words for an error of a socket. */
export function connectionFailure(error: Error & { code?: unknown; errors?: readonly Error[] }): Failure {
  // Node tries each address of a name and wraps what went wrong; the wrapper itself says nothing.
  const causes = error.errors?.length ? error.errors : [error];
  const message = causes.map((cause) => cause.message).join('; ');
  const code = error.code ?? (causes[0] as { code?: unknown }).code;
  return { kind: 'connection', code: typeof code === 'string' ? code : 'UNKNOWN', message };
}
