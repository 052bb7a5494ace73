export interface Answer {
  readonly status?: number;
  readonly reason?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

/** The bytes of an HTTP answer, with a Content-Length unless the headers say how long the body is. */
export function httpAnswer(answer: Answer | string): Buffer {
  const {
    status = 200,
    reason = 'Reason',
    headers = {},
    body = '',
  } = typeof answer === 'string' ? { body: answer } : answer;
  const bytes = Buffer.from(body);
  const all: Record<string, string> = { 'Content-Type': 'text/xml; charset=utf-8', ...headers };
  if (!('Content-Length' in all) && !('Transfer-Encoding' in all) && all.Connection !== 'close') {
    all['Content-Length'] = String(bytes.length);
  }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.concat([Buffer.from(`HTTP/1.1 ${status} ${reason}\r\n${lines.join('')}\r\n`, 'latin1'), bytes]);
}
