import { Agent, request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { connect } from 'node:net';
import type { SoapVersion } from '../../src';
import { operationElement, requestEnvelope, requestHeaders } from './envelopes';

// A client for tests of the sandbox. It sends any bytes and gives the response unchanged.

/** The default API key of a sandbox. */
export const KEY = 'sandbox-key';

export interface RawResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

interface RawCall {
  readonly method?: string;
  readonly headers?: Record<string, string | string[]>;
  readonly body?: string | Buffer;
  readonly agent?: Agent;
}

const agent = new Agent({ keepAlive: false });

/** Sends one HTTP request on a connection of its own. */
export function send(
  url: string,
  { method = 'POST', headers = {}, body, ...options }: RawCall = {},
): Promise<RawResponse> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(url, { method, headers, agent, ...options }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => {
        const { statusCode: status = 0, headers } = response;
        resolve({ status, headers, body: Buffer.concat(chunks).toString() });
      });
      response.on('error', reject);
    });
    request.on('error', reject);
    request.end(body);
  });
}

/** Posts any body with any headers to the endpoint. */
export function post(
  { baseUrl }: { readonly baseUrl: string },
  headers: Record<string, string | string[]>,
  body: string | Buffer,
): Promise<RawResponse> {
  return send(`${baseUrl}/soap/v1.asmx`, { headers, body });
}

/** Calls an operation as the contract defines it. */
export function call(
  service: { readonly baseUrl: string },
  version: SoapVersion,
  operation: string,
  children: string,
): Promise<RawResponse> {
  return post(
    service,
    requestHeaders(version, operation),
    requestEnvelope(version, operationElement(operation, children)),
  );
}

/**
 * Writes bytes to a new connection and gives the bytes of the response, until it is complete or the connection ends.
 */
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

const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n';

function isWhole(received: Buffer): boolean {
  const response = received.subarray(received.indexOf(CONTINUE) === 0 ? CONTINUE.length : 0);
  const head = response.indexOf('\r\n\r\n');
  if (head < 0) return false;
  const [, length] = /content-length: (\d+)/i.exec(response.toString('latin1', 0, head)) ?? [];
  return length !== undefined && response.length >= head + 4 + Number(length);
}

/**
 * The text between the first `<name>` and the last `</name>`; null for an absent element, empty for an empty element.
 */
export function textOf(body: string, name: string): string | null {
  if (body.includes(`<${name} />`)) return '';
  const start = body.indexOf(`<${name}>`);
  const end = body.lastIndexOf(`</${name}>`);
  return start < 0 || end < 0 ? null : body.slice(start + name.length + 2, end);
}

/** The texts of all elements with this name. */
export function textsOf(body: string, name: string): string[] {
  return [...body.matchAll(new RegExp(`<${name}>([^<]*)</${name}>|<${name} />`, 'g'))].map(([, text = '']) => text);
}

/** The code and reason of a fault of either version, with references resolved; undefined for another response. */
export function faultIn({ body }: RawResponse): { code: string; reason: string } | undefined {
  const [, code, reason] =
    /<soap:Fault><faultcode>soap:(\w+)<\/faultcode><faultstring>([^<]*)<\/faultstring>/.exec(body) ??
    /<soap12:Fault><soap12:Code><soap12:Value>soap12:(\w+)<\/soap12:Value><\/soap12:Code><soap12:Reason><soap12:Text xml:lang="en">([^<]*)<\/soap12:Text>/.exec(
      body,
    ) ??
    [];
  if (code === undefined || reason === undefined) return undefined;
  return { code, reason: reason.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&') };
}
