import { Agent, request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { connect } from 'node:net';

export const NAMESPACE = 'http://messaging.example/';
export const KEY = 'sandbox-key';
export const versions = ['1.1', '1.2'] as const;
export type Version = (typeof versions)[number];

export const envelopes = {
  '1.1': { prefix: 'soap', namespace: 'http://schemas.xmlsoap.org/soap/envelope/', mediaType: 'text/xml' },
  '1.2': { prefix: 'soap12', namespace: 'http://www.w3.org/2003/05/soap-envelope', mediaType: 'application/soap+xml' },
} as const;

export interface WireAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** An envelope as the contract has it, around any body. */
export function envelope(version: Version, body: string, header = ''): string {
  const { prefix, namespace } = envelopes[version];
  return (
    `<?xml version="1.0" encoding="utf-8"?><${prefix}:Envelope xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"` +
    ` xmlns:xsd="http://www.w3.org/2001/XMLSchema" xmlns:${prefix}="${namespace}">${header}` +
    `<${prefix}:Body>${body}</${prefix}:Body></${prefix}:Envelope>`
  );
}

/** The element of an operation. */
export function element(operation: string, children: string, namespace = NAMESPACE): string {
  return `<${operation} xmlns="${namespace}">${children}</${operation}>`;
}

/** The headers of a request as the contract has them. */
export function headersFor(version: Version, operation: string): Record<string, string> {
  const { mediaType } = envelopes[version];
  return {
    'Content-Type': `${mediaType}; charset=utf-8`,
    ...(version === '1.1' ? { SOAPAction: `"${NAMESPACE}${operation}"` } : {}),
  };
}

const agent = new Agent({ keepAlive: false });

/** One HTTP request, on a connection of its own. */
export function send(
  url: string,
  options: { method?: string; headers?: Record<string, string | string[]>; body?: string | Buffer; agent?: Agent } = {},
): Promise<WireAnswer> {
  return new Promise((resolve, reject) => {
    const { method = 'POST', headers = {}, body } = options;
    const request = httpRequest(url, { method, headers, agent: options.agent ?? agent }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => {
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          body: Buffer.concat(chunks).toString(),
        });
      });
      response.on('error', reject);
    });
    request.on('error', reject);
    request.end(body);
  });
}

/** Calls an operation as the contract has it. */
export function call(
  sandbox: { baseUrl: string },
  version: Version,
  operation: string,
  children: string,
): Promise<WireAnswer> {
  return send(`${sandbox.baseUrl}/soap/v1.asmx`, {
    headers: headersFor(version, operation),
    body: envelope(version, element(operation, children)),
  });
}

/** Posts any body with any headers to the endpoint. */
export function post(
  sandbox: { baseUrl: string },
  headers: Record<string, string | string[]>,
  body: string | Buffer,
): Promise<WireAnswer> {
  return send(`${sandbox.baseUrl}/soap/v1.asmx`, { headers, body });
}

/** What stands between the first `<name>` and the last `</name>`; null when the element is absent, empty when it is. */
export function textOf(body: string, name: string): string | null {
  if (body.includes(`<${name} />`)) return '';
  const start = body.indexOf(`<${name}>`);
  const end = body.lastIndexOf(`</${name}>`);
  return start < 0 || end < 0 ? null : body.slice(start + name.length + 2, end);
}

/** The texts of all elements of a name. */
export function textsOf(body: string, name: string): string[] {
  return [...body.matchAll(new RegExp(`<${name}>([^<]*)</${name}>|<${name} />`, 'g'))].map(([, text = '']) => text);
}

/** Code and reason of a fault of either version, with references resolved; undefined when it is none. */
export function faultOf({ body }: WireAnswer): { code: string; reason: string } | undefined {
  const old = /<soap:Fault><faultcode>soap:(\w+)<\/faultcode><faultstring>([^<]*)<\/faultstring>/.exec(body);
  const renewed =
    /<soap12:Fault><soap12:Code><soap12:Value>soap12:(\w+)<\/soap12:Value><\/soap12:Code><soap12:Reason><soap12:Text xml:lang="en">([^<]*)<\/soap12:Text>/.exec(
      body,
    );
  const [, code, reason] = old ?? renewed ?? [];
  if (code === undefined || reason === undefined) return undefined;
  return { code, reason: reason.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&') };
}

/** Writes bytes to a new connection and gives all that comes back, until the answer is whole or the connection ends. */
export function exchange(baseUrl: string, bytes: string | Buffer): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(baseUrl).port), '127.0.0.1', () => socket.write(bytes));
    const chunks: Buffer[] = [];
    const finish = (): void => {
      socket.destroy();
      resolve(Buffer.concat(chunks).toString());
    };
    socket.on('data', (chunk) => {
      chunks.push(chunk);
      if (isWhole(Buffer.concat(chunks))) finish();
    });
    socket.on('end', finish);
    socket.on('close', finish);
    socket.on('error', (error: NodeJS.ErrnoException) => (error.code === 'ECONNRESET' ? finish() : reject(error)));
  });
}

function isWhole(received: Buffer): boolean {
  const answer = received.subarray(received.indexOf('HTTP/1.1 100 Continue') === 0 ? 25 : 0);
  const head = answer.indexOf('\r\n\r\n');
  if (head < 0) return false;
  const [, length] = /content-length: (\d+)/i.exec(answer.toString('latin1', 0, head)) ?? [];
  return length !== undefined && answer.length >= head + 4 + Number(length);
}
