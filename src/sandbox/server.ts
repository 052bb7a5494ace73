import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { ENDPOINT_PATH } from '../soap/versions';
import { formatWsdl } from '../soap/wsdl-text';
import { answerTooLong, type Endpoint, type HttpAnswer } from './endpoint';
import type { SandboxSettings } from './options';
import { formatDiscovery, formatErrorPage, formatPage } from './page';
import type { RequestLog } from './request-log';

/** The HTTP side: connections, routes, limits. */
export class HttpServer {
  readonly #settings: SandboxSettings;
  readonly #endpoint: Endpoint;
  readonly #recorder: RequestLog;
  readonly #sockets = new Set<Socket>();
  readonly #timers = new Set<NodeJS.Timeout>();
  readonly #server: Server;
  #closed: Promise<void> | undefined;
  #baseUrl = '';

  constructor(settings: SandboxSettings, endpoint: Endpoint, recorder: RequestLog) {
    this.#settings = settings;
    this.#endpoint = endpoint;
    this.#recorder = recorder;
    this.#server = createServer(limits, (request, response) => this.#receive(request, response));
    this.#server.on('connection', (socket) => {
      this.#sockets.add(socket);
      socket.on('close', () => this.#sockets.delete(socket));
    });
  }

  /** Where it serves, once it listens. */
  get baseUrl(): string {
    return this.#baseUrl;
  }

  listen(): Promise<void> {
    const { port, host } = this.#settings;
    return new Promise((resolve, reject) => {
      this.#server.once('error', (error: NodeJS.ErrnoException) => reject(describeFailure(error, port, host)));
      this.#server.listen(port, host, () => {
        this.#server.removeAllListeners('error');
        // A connection that could not be taken, for want of file descriptors, is no reason to end.
        this.#server.on('error', (error) => console.error(error));
        this.#baseUrl = formatBaseUrl(host, (this.#server.address() as AddressInfo).port);
        resolve();
      });
    });
  }

  close(): Promise<void> {
    this.#closed ??= new Promise((resolve) => {
      this.#server.close(() => resolve());
      for (const timer of this.#timers) clearTimeout(timer);
      // Node's own closeAllConnections leaves those that have become a tunnel.
      for (const socket of this.#sockets) socket.destroy();
    });
    return this.#closed;
  }

  /** Reads the whole body before anything is answered: a connection that closes on a caller who still writes loses the answer. */
  #receive(request: IncomingMessage, response: ServerResponse): void {
    const { maxRequestBytes } = this.#settings;
    const chunks: Buffer[] = [];
    let length = 0;
    request.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length <= maxRequestBytes) chunks.push(chunk);
      else chunks.length = 0;
    });
    request.on('end', () => this.#serve(request, response, length > maxRequestBytes ? undefined : join(chunks)));
    // The caller went away in the middle of its request: nobody is left to answer.
    request.on('error', () => response.destroy());
  }

  /** @param body undefined when it is too long */
  #serve(request: IncomingMessage, response: ServerResponse, body: Buffer | undefined): void {
    const { method = '', url = '', headers } = request;
    const recorded = { method, url, headers, body: body?.toString('utf8') ?? '' };
    const [path, query] = splitTarget(url);
    if (method !== 'POST' || path !== ENDPOINT_PATH) {
      this.#recorder.add(recorded);
      send(response, this.#answerOther(method, path, query, headers.host));
      return;
    }
    const contentType = headers['content-type'];
    if (body === undefined) {
      this.#recorder.add(recorded);
      send(response, answerTooLong({ contentType }));
      return;
    }
    const soapAction = headers.soapaction as string | undefined;
    const { operation, answer, delayMs } = this.#endpoint.handle({ contentType, soapAction, body });
    this.#recorder.add(operation === undefined ? recorded : { operation, ...recorded });
    this.#after(delayMs, () => (answer === 'drop' ? request.socket.destroy() : send(response, answer)));
  }

  #answerOther(method: string, path: string, query: string, host: string | undefined): HttpAnswer {
    if (path.startsWith(`${ENDPOINT_PATH}/`)) {
      const text = `Request format is unrecognized for URL unexpectedly ending in '${path.slice(ENDPOINT_PATH.length)}'.`;
      return htmlPage(500, formatErrorPage('Server Error', text));
    }
    if (path !== ENDPOINT_PATH) {
      return htmlPage(404, formatErrorPage('Not Found', `The service is at ${ENDPOINT_PATH}.`));
    }
    if (method !== 'GET') {
      const page = htmlPage(
        405,
        formatErrorPage('Method Not Allowed', 'The service takes POST, and GET for this page.'),
      );
      return { ...page, headers: { ...page.headers, Allow: 'GET, POST' } };
    }
    return this.#answerGet(query.toLowerCase(), `${this.#originFor(host)}${ENDPOINT_PATH}`);
  }

  #answerGet(query: string, address: string): HttpAnswer {
    const { namespace, apiKeys } = this.#settings;
    if (query === 'wsdl') return xmlDocument(formatWsdl(namespace, address));
    if (query === 'disco') return xmlDocument(formatDiscovery(address));
    // A page is no place for a key that someone chose.
    const apiKey = apiKeys.includes('sandbox-key') ? 'sandbox-key' : 'YOUR-API-KEY';
    return htmlPage(200, formatPage(namespace, address, apiKey));
  }

  /** The address that the caller used, so that it also holds behind a forwarded port. */
  #originFor(host: string | undefined): string {
    return host !== undefined && /^[\w.-]+(:\d+)?$|^\[[\da-f:.]+\](:\d+)?$/i.test(host)
      ? `http://${host}`
      : this.#baseUrl;
  }

  #after(delayMs: number, act: () => void): void {
    if (delayMs === 0) {
      act();
      return;
    }
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      act();
    }, delayMs);
    this.#timers.add(timer);
  }
}

/**
 * Time, in milliseconds, for the head of a request, for a whole request, and between two on one connection. Callers keep
 * connections open and must not meet the end of one; who never finishes is cut off.
 */
const limits = {
  headersTimeout: 20_000,
  requestTimeout: 120_000,
  connectionsCheckingInterval: 5_000,
  keepAliveTimeout: 120_000,
} as const;

function join(chunks: Buffer[]): Buffer {
  const [first] = chunks;
  return chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks);
}

/** Path and query of a request target, which is a whole URL when the sandbox stands in for a proxy. */
function splitTarget(target: string): [path: string, query: string] {
  const relative = target.startsWith('/') || !URL.canParse(target) ? target : target.replace(/^[^:]*:\/\/[^/?]*/, '');
  const mark = relative.indexOf('?');
  return mark < 0 ? [relative, ''] : [relative.slice(0, mark), relative.slice(mark + 1)];
}

function send(response: ServerResponse, { status, headers, body }: HttpAnswer): void {
  const names = Object.keys(headers).map((name) => name.toLowerCase());
  const hasLength = names.includes('content-length') || names.includes('transfer-encoding');
  response.writeHead(status, hasLength ? headers : { 'Content-Length': Buffer.byteLength(body), ...headers });
  response.end(body);
}

function htmlPage(status: number, body: string): HttpAnswer {
  return { status, headers: { 'Cache-Control': 'private', 'Content-Type': 'text/html; charset=utf-8' }, body };
}

function xmlDocument(body: string): HttpAnswer {
  return { status: 200, headers: { 'Cache-Control': 'private', 'Content-Type': 'text/xml; charset=utf-8' }, body };
}

function formatBaseUrl(host: string, port: number): string {
  // The addresses that stand for all of a machine's own are none to call.
  const name = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
}

function describeFailure(error: NodeJS.ErrnoException, port: number, host: string): Error {
  const message =
    error.code === 'EADDRINUSE'
      ? `port ${port} on ${host} is taken`
      : `cannot listen on port ${port} of ${host}: ${error.message}`;
  return Object.assign(new Error(message, { cause: error }), { code: error.code });
}
