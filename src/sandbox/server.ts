import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { SandboxSettings } from './options';
import type { HttpRequest } from './wire/http-request';
import type { HttpResponse } from './wire/http-response';

/** Responds to the requests of a server. */
export interface RequestHandler {
  /** The longest body that is read for a path, in bytes. */
  maxBytes(path: string): number;
  handle(request: HttpRequest, response: ServerResponse): void;
  /** Shows a failure of the server to the user of the sandbox. */
  reportFailure(error: unknown): void;
}

/** The HTTP server: connections, limits and bodies. */
export class HttpServer {
  readonly #settings: SandboxSettings;
  readonly #handler: RequestHandler;
  readonly #sockets = new Set<Socket>();
  readonly #server: Server;
  #baseUrl = '';

  constructor(settings: SandboxSettings, handler: RequestHandler) {
    this.#settings = settings;
    this.#handler = handler;
    const { tls } = settings;
    this.#server = tls === undefined ? createServer(limits) : createSecureServer(tls);
    this.#server.on('request', (request, response) => this.#receive(request, response));
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
    const { port, host, tls } = this.#settings;
    return new Promise((resolve, reject) => {
      this.#server.once('error', (error: NodeJS.ErrnoException) => reject(listenError(error, port, host)));
      this.#server.listen(port, host, () => {
        this.#server.removeAllListeners('error');
        // Without a listener, a connection that fails for lack of file descriptors would end the process.
        this.#server.on('error', (error) => this.#handler.reportFailure(error));
        const scheme = tls === undefined ? 'http' : 'https';
        this.#baseUrl = `${scheme}://${formatHost(host)}:${(this.#server.address() as AddressInfo).port}`;
        resolve();
      });
    });
  }

  close(): Promise<void> {
    return new Promise((resolve) => {
      this.#server.close(() => resolve());
      // Node's closeAllConnections does not close upgraded connections.
      for (const socket of this.#sockets) socket.destroy();
    });
  }

  /**
   * Reads the whole body before it responds. A caller that still writes when the connection closes would lose the
   * response.
   */
  #receive(request: IncomingMessage, response: ServerResponse): void {
    const { method = '', url = '', headers, socket } = request;
    const [path, query] = splitTarget(url);
    const maxBytes = this.#handler.maxBytes(path);
    const chunks: Buffer[] = [];
    let length = 0;
    request.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length <= maxBytes) chunks.push(chunk);
      else chunks.length = 0;
    });
    request.on('end', () => {
      const body = length > maxBytes ? undefined : Buffer.concat(chunks);
      const origin = this.#originFor(headers.host);
      const localAddress = socket.localAddress ?? '';
      this.#handler.handle({ method, url, path, query, headers, body, origin, localAddress }, response);
    });
    // The caller left before it sent its whole request.
    request.on('error', () => response.destroy());
  }

  #originFor(host: string | undefined): string {
    return host !== undefined && /^[\w.-]+(:\d+)?$|^\[[\da-f:.]+\](:\d+)?$/i.test(host)
      ? this.#baseUrl.replace(/\/\/.*/, `//${host}`)
      : this.#baseUrl;
  }
}

/** Sends a response. It adds Content-Length unless the headers give a length or an encoding. */
export function sendResponse(response: ServerResponse, { status, headers, body }: HttpResponse): void {
  const names = Object.keys(headers).map((name) => name.toLowerCase());
  const needsLength = status !== 204 && !names.includes('content-length') && !names.includes('transfer-encoding');
  response.writeHead(status, needsLength ? { 'Content-Length': Buffer.byteLength(body), ...headers } : headers);
  response.end(body);
}

/**
 * Times in milliseconds. A caller that never finishes its request is disconnected. An idle connection stays open for
 * longer than callers keep theirs, so that no caller sends on a connection that the sandbox is closing.
 */
const limits = {
  headersTimeout: 20_000,
  requestTimeout: 120_000,
  connectionsCheckingInterval: 5_000,
  keepAliveTimeout: 120_000,
} as const;

function createSecureServer(tls: NonNullable<SandboxSettings['tls']>): Server {
  // Node accepts a Uint8Array too, although its types name a Buffer.
  return createTlsServer({ ...limits, cert: tls.cert as string | Buffer, key: tls.key as string | Buffer });
}

/** The path and query of a request target, which is a whole URL when the caller uses the sandbox as a proxy. */
function splitTarget(target: string): [path: string, query: string] {
  const relative = target.startsWith('/') || !URL.canParse(target) ? target : target.replace(/^[^:]*:\/\/[^/?]*/, '');
  const mark = relative.indexOf('?');
  return mark < 0 ? [relative, ''] : [relative.slice(0, mark), relative.slice(mark + 1)];
}

/** The host that callers use. A wildcard address cannot be connected to. */
function formatHost(host: string): string {
  const name = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  return name.includes(':') ? `[${name}]` : name;
}

function listenError(error: NodeJS.ErrnoException, port: number, host: string): Error {
  const message =
    error.code === 'EADDRINUSE'
      ? `port ${port} on ${host} is taken`
      : `cannot listen on port ${port} of ${host}: ${error.message}`;
  return Object.assign(new Error(message, { cause: error }), { code: error.code });
}
