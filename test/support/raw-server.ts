import { EventEmitter, once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type TlsOptions } from 'node:tls';
import { cleanUp } from './clean-up';
import { type HttpResponse, httpResponse } from './http-response';

/** A request as it came off the socket. */
export interface RawRequest {
  readonly requestLine: string;
  /** By name in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** `Name: value`, as they were spelled. */
  readonly headerLines: readonly string[];
  readonly body: string;
  readonly socket: Socket;
}

interface RawServerOptions {
  /** Called for each complete request. */
  onRequest?(request: RawRequest, server: RawServer): void;
  /** Called for each connection; with TLS after the handshake. */
  onConnection?(socket: Socket, server: RawServer): void;
  readonly tls?: TlsOptions;
}

/**
 * A server on a free loopback port that counts what reaches it. It speaks only as much HTTP as it takes to know when a
 * request is complete, so that a test decides every byte that goes back.
 */
export class RawServer {
  /** TCP connections. */
  connections = 0;
  /** Connections that are closed again. */
  closed = 0;
  /** Bytes of requests; with TLS, decrypted ones. */
  bytes = 0;
  readonly requests: RawRequest[] = [];
  readonly sockets = new Set<Socket>();
  readonly #options: RawServerOptions;
  readonly #server: Server;
  readonly #changes = new EventEmitter().setMaxListeners(0);

  private constructor(options: RawServerOptions) {
    this.#options = options;
    this.#server = options.tls ? createTlsServer(options.tls) : createServer();
    this.#server.on('connection', (socket) => this.#count(socket));
    this.#server.on(options.tls ? 'secureConnection' : 'connection', (socket) => this.#serve(socket));
  }

  /** Starts one that is closed after the test, or after the file (clean-up.ts). */
  static async start(options: RawServerOptions | NonNullable<RawServerOptions['onRequest']>): Promise<RawServer> {
    const server = new RawServer(typeof options === 'function' ? { onRequest: options } : options);
    server.#server.listen(0, '127.0.0.1');
    await once(server.#server, 'listening');
    cleanUp(() => server.close());
    return server;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get baseUrl(): string {
    return `${this.#options.tls ? 'https' : 'http'}://127.0.0.1:${this.port}`;
  }

  /** Connections that are open. */
  get open(): number {
    return this.connections - this.closed;
  }

  /** Waits until what the server has seen fulfils the condition. */
  async until(condition: () => boolean): Promise<void> {
    while (!condition()) await once(this.#changes, 'change');
  }

  close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }

  #count(socket: Socket): void {
    this.connections++;
    this.sockets.add(socket);
    // Resets are part of what is tested.
    socket.on('error', () => {});
    socket.on('close', () => {
      this.closed++;
      this.sockets.delete(socket);
      this.#changes.emit('change');
    });
    this.#changes.emit('change');
  }

  #serve(socket: Socket): void {
    socket.setNoDelay(true);
    socket.on('error', () => {});
    let chunks: Buffer[] = [];
    let size = 0;
    let needed = 0;
    socket.on('data', (chunk: Buffer) => {
      this.bytes += chunk.length;
      chunks.push(chunk);
      size += chunk.length;
      // A large request is looked at once, when it is complete.
      if (size >= needed) {
        let rest: Buffer = Buffer.concat(chunks);
        needed = requestLength(rest);
        while (rest.length >= needed) {
          const request = parseRequest(rest.subarray(0, needed), socket);
          rest = rest.subarray(needed);
          needed = requestLength(rest);
          this.requests.push(request);
          this.#options.onRequest?.(request, this);
        }
        chunks = [rest];
        size = rest.length;
        if (needed === Number.POSITIVE_INFINITY) needed = 0;
      }
      this.#changes.emit('change');
    });
    this.#options.onConnection?.(socket, this);
  }
}

/** A server that gives every request the same response, or the bytes that a function gives for it. */
export function serve(response: HttpResponse | string | Buffer | ((request: RawRequest) => Buffer | Promise<Buffer>)) {
  if (typeof response === 'function') {
    return RawServer.start(async (request) => request.socket.write(await response(request)));
  }
  const bytes = Buffer.isBuffer(response) ? response : httpResponse(response);
  return RawServer.start(({ socket }) => socket.write(bytes));
}

/** How many bytes the request has that begins here; Infinity while its head is not complete. */
function requestLength(bytes: Buffer): number {
  const end = bytes.indexOf('\r\n\r\n');
  if (end < 0) return Number.POSITIVE_INFINITY;
  const [, length = '0'] = /\r\ncontent-length: *(\d+)/i.exec(bytes.toString('latin1', 0, end)) ?? [];
  return end + 4 + Number(length);
}

function parseRequest(bytes: Buffer, socket: Socket): RawRequest {
  const end = bytes.indexOf('\r\n\r\n');
  const [requestLine = '', ...headerLines] = bytes.toString('latin1', 0, end).split('\r\n');
  const headers = Object.fromEntries(
    headerLines.map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
  return { requestLine, headers, headerLines, body: bytes.toString('utf8', end + 4), socket };
}
