export interface HttpResponse {
  readonly status?: number;
  readonly reason?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

/** Writes an HTTP response, with a Content-Length unless the headers say how long the body is. */
export function httpResponse(response: HttpResponse | string): Buffer {
  const {
    status = 200,
    reason = 'Reason',
    headers = {},
    body = '',
  } = typeof response === 'string' ? { body: response } : response;
  const bytes = Buffer.from(body);
  const all: Record<string, string> = { 'Content-Type': 'text/xml; charset=utf-8', ...headers };
  if (!('Content-Length' in all) && !('Transfer-Encoding' in all) && all.Connection !== 'close') {
    all['Content-Length'] = String(bytes.length);
  }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.concat([Buffer.from(`HTTP/1.1 ${status} ${reason}\r\n${lines.join('')}\r\n`, 'latin1'), bytes]);
}
