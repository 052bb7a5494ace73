import type { IncomingHttpHeaders, ServerResponse } from 'node:http';

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

/** True for a method that changes nothing. Node leaves out the body of a response to HEAD. */
export function isReading(method: string): boolean {
  return method === 'GET' || method === 'HEAD';
}

/**
 * True for a host, with an optional port, that leads to this sandbox only. A foreign page could make any other name
 * than these lead here, but nobody else controls an address or localhost.
 */
export function isOwnHost(host: string | undefined, localAddress: string, names: readonly string[]): boolean {
  const [, name = ''] = /^([^:[\]]+|\[[^\]]*\])(?::\d+)?$/.exec(host ?? '') ?? [];
  const address = localAddress.replace(/^::ffff:/, '');
  const own = ['localhost', '127.0.0.1', '[::1]', address, `[${address}]`, ...names];
  return name !== '' && own.some((one) => one.toLowerCase() === name.toLowerCase());
}

/** Sends a response. It adds Content-Length unless the headers give a length or an encoding. */
export function sendResponse(response: ServerResponse, { status, headers, body }: HttpResponse): void {
  const names = Object.keys(headers).map((name) => name.toLowerCase());
  const needsLength = status !== 204 && !names.includes('content-length') && !names.includes('transfer-encoding');
  response.writeHead(status, needsLength ? { 'Content-Length': Buffer.byteLength(body), ...headers } : headers);
  response.end(body);
}
