import type { IncomingHttpHeaders } from 'node:http';
import { soapVersions } from '../../soap/elements/soap-versions';
import type { SoapVersion } from '../../types';

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

/** An HTTP response, ready to be sent. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
}

/** A response with the headers of ASMX, which sends another Cache-Control when it refuses a request unread. */
export function soapResponse(
  status: number,
  version: SoapVersion,
  body: string,
  cacheControl: 'private' | 'private, max-age=0' = 'private, max-age=0',
): HttpResponse {
  return {
    status,
    headers: { 'Cache-Control': cacheControl, 'Content-Type': soapVersions[version].contentType },
    body,
  };
}
