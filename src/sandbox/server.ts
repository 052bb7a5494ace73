import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { ENDPOINT_PATH } from '../soap/versions';
import { type Endpoint, tooLongAnswer } from './endpoint';
import { DEFAULT_API_KEY, type SandboxSettings } from './options';
import type { RequestLog } from './request-log';
import { documentAnswer } from './wire/documents';
import type { HttpAnswer } from './wire/http-answer';

/** The HTTP server: connections, routes and limits. */
export class HttpServer {
  readonly #settings: SandboxSettings;
  readonly #endpoint: Endpoint;
  readonly #requestLog: RequestLog;
  readonly #sockets = new Set<Socket>();
  readonly #timers = new Set<NodeJS.Timeout>();
  readonly #server: Server;
  #closed: Promise<void> | undefined;
  #baseUrl = '';

  constructor(settings: SandboxSettings, endpoint: Endpoint, requestLog: RequestLog) {
    this.#settings = settings;
    this.#endpoint = endpoint;
    this.#requestLog = requestLog;
    this.#server = createServer(limits, (request, response) => this.#receive(request, response));
    this.#server.on('connection', (socket) => {
      this.#sockets.add(socket);
      socket.on('close', () => this.#sockets.delete(socket));
    });
  }

  /** The URL without the path of the endpoint. Empty until the server listens. */
  get baseUrl(): string {
    return this.#baseUrl;
  }

  listen(): Promise<void> {
    const { port, host } = this.#settings;
    return new Promise((resolve, reject) => {
      this.#server.once('error', (error: NodeJS.ErrnoException) => reject(listenError(error, port, host)));
      this.#server.listen(port, host, () => {
        this.#server.removeAllListeners('error');
        // Without a listener, a connection that fails for lack of file descriptors would end the process.
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
      // Node's closeAllConnections does not close upgraded connections.
      for (const socket of this.#sockets) socket.destroy();
    });
    return this.#closed;
  }

  /** Reads the whole body before it answers. If the connection closed while the caller still writes, the answer would be lost. */
  #receive(request: IncomingMessage, response: ServerResponse): void {
    const { maxRequestBytes } = this.#settings;
    const chunks: Buffer[] = [];
    let length = 0;
    request.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length <= maxRequestBytes) chunks.push(chunk);
      else chunks.length = 0;
    });
    request.on('end', () =>
      this.#serve(request, response, length > maxRequestBytes ? undefined : Buffer.concat(chunks)),
    );
    // The caller left in the middle of its request.
    request.on('error', () => response.destroy());
  }

  /** @param body undefined when it is too long */
  #serve(request: IncomingMessage, response: ServerResponse, body: Buffer | undefined): void {
    const { method = '', url = '', headers } = request;
    const recorded = { method, url, headers, body: body?.toString('utf8') ?? '' };
    const [path, query] = splitTarget(url);
    if (method !== 'POST' || path !== ENDPOINT_PATH) {
      this.#requestLog.add(recorded);
      send(response, this.#documentAnswer(method, path, query, headers.host));
      return;
    }
    const contentType = headers['content-type'];
    if (body === undefined) {
      this.#requestLog.add(recorded);
      send(response, tooLongAnswer(contentType));
      return;
    }
    const soapAction = headers.soapaction as string | undefined;
    const { operation, answer, delayMs } = this.#endpoint.handle({ contentType, soapAction, body });
    this.#requestLog.add(operation === undefined ? recorded : { operation, ...recorded });
    this.#after(delayMs, () => (answer === 'drop' ? request.socket.destroy() : send(response, answer)));
  }

  #documentAnswer(method: string, path: string, query: string, host: string | undefined): HttpAnswer {
    const { namespace, apiKeys } = this.#settings;
    // The page must not show a key that someone chose.
    const apiKey = apiKeys.includes(DEFAULT_API_KEY) ? DEFAULT_API_KEY : 'YOUR-API-KEY';
    const address = `${this.#originFor(host)}${ENDPOINT_PATH}`;
    return documentAnswer(method, path, query, { namespace, address, apiKey });
  }

  /** The origin that the caller used, which differs from the sandbox's own behind a forwarded port. */
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
 * Times in milliseconds. A caller that never finishes its request is disconnected. An idle connection stays open for longer
 * than callers keep theirs, so that no caller sends on a connection that is just being closed.
 */
const limits = {
  headersTimeout: 20_000,
  requestTimeout: 120_000,
  connectionsCheckingInterval: 5_000,
  keepAliveTimeout: 120_000,
} as const;

/** Path and query of a request target, which is a whole URL when the caller takes the sandbox for a proxy. */
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

function formatBaseUrl(host: string, port: number): string {
  // Wildcard addresses cannot be dialled.
  const name = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
}

function listenError(error: NodeJS.ErrnoException, port: number, host: string): Error {
  const message =
    error.code === 'EADDRINUSE'
      ? `port ${port} on ${host} is taken`
      : `cannot listen on port ${port} of ${host}: ${error.message}`;
  return Object.assign(new Error(message, { cause: error }), { code: error.code });
}
