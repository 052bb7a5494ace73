import type { IncomingHttpHeaders } from 'node:http';

/** An HTTP request with its whole body. */
export interface HttpRequest {
  readonly method: string;
  /** The target of the request line. */
  readonly url: string;
  readonly path: string;
  /** Without the question mark. */
  readonly query: string;
  readonly headers: IncomingHttpHeaders;
  /** Undefined for a body that exceeds its limit. */
  readonly body: Buffer | undefined;
  /** The origin that the caller used, which differs from the sandbox's own behind a forwarded port. */
  readonly origin: string;
  /** The address at which the request arrived. */
  readonly localAddress: string;
}
