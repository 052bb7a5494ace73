import type { Socket } from 'node:net';
// Bun replaces the module `undici` by its own, which has no Client. It does not replace the file that it leads to.
import { Client, type Dispatcher } from 'undici/index.js';
import { type ConnectorSettings, connect, type TlsSession } from './connector';

export interface PoolSettings extends ConnectorSettings {
  readonly keepAlive: boolean;
  readonly maxConnections: number;
}

/** Controls a request from the start of its writing to the end of its response. */
export type HttpController = Dispatcher.DispatchController;

/**
 * Follows one request. `onRequestStart` is called before the first byte is written: without it, no byte has left. After
 * `onResponseEnd` or `onResponseError` nothing more is called.
 */
export interface HttpHandler extends Dispatcher.DispatchHandler {
  /** @param error has the reason as its `cause` when no connection could be made */
  onResponseError(controller: HttpController, error: Error): void;
  /** True once the call has settled. An unwritten request is then dropped. */
  readonly settled: boolean;
  /** Called when the pool is closed and waits for the request. */
  onClose(): void;
  /** Called when the pool is closed and waits no longer for the request. */
  onCancel(): void;
}

/** Headers by name in lower case. A repeated header has a list. */
export type HttpHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** The time for which an idle connection is kept, in milliseconds. Servers close idle connections too. */
const MAX_IDLE_MS = 4000;
/** The time before the server's keep-alive limit, in milliseconds, in which an idle connection is not reused. */
const MARGIN_MS = 1000;
/** The time for which the last poll of the event loop counts as current, in milliseconds. */
const FRESH_MS = 5;

/**
 * Sends requests through undici Clients, each of which holds at most one connection and one request. It never sends a
 * request twice, follows no redirect and reads no environment variable.
 *
 * undici's Pool is not used because, after a refused connection, it opens more connections than allowed and leaves one
 * behind.
 */
export class ConnectionPool {
  readonly #settings: PoolSettings;
  readonly #origin: string;
  readonly #path: string;
  readonly #tlsSession: TlsSession = {};
  readonly #connections: Connection[] = [];
  /** The connections without a request. The last one in the list was used last. */
  readonly #idle: Connection[] = [];
  /** The requests without a connection, the first one first. */
  readonly #waiting = new Map<HttpHandler, HttpRequest>();
  /** Walks over the waiting requests. A new iterator for each of them would skip all places of earlier requests. */
  #order = this.#waiting.entries();
  /** The last time at which the event loop is known to have polled its sockets, on the clock of `performance.now()`. */
  #polledAt = 0;
  #awaitsPoll = false;
  #onIdle: (() => void) | undefined;

  constructor(settings: PoolSettings) {
    const { origin, pathname, search } = new URL(settings.url);
    this.#settings = settings;
    this.#origin = origin;
    this.#path = pathname + search;
  }

  /** Sends one POST request. Throws nothing: the handler gets every event. @param headers names and values in turn */
  send(headers: string[], body: string | Buffer, handler: HttpHandler): void {
    this.#waiting.set(handler, { headers, body });
    this.#serve();
  }

  /** Forgets a request that waits, or for which a connection is being made. */
  cancel(handler: HttpHandler): void {
    // An iterator keeps removed requests alive until it moves on.
    if (this.#waiting.delete(handler)) this.#order = this.#waiting.entries();
    else this.#connectionOf(handler)?.connecting?.abort();
  }

  /** Reads no further bytes of a response, or reads them again. */
  pause(handler: HttpHandler, isPaused: boolean): void {
    this.#connectionOf(handler)?.pause(isPaused);
  }

  /** True when a request failed because the service closed its connection. Known only during `onResponseError`. */
  isClosed(handler: HttpHandler): boolean {
    return this.#connectionOf(handler)?.socket?.readableEnded ?? false;
  }

  /** Lets requests under way finish, then closes the connections. */
  async close(): Promise<void> {
    for (const handler of this.#waiting.keys()) handler.onClose();
    for (const { handler } of this.#connections) handler?.onClose();
    if (!this.#isIdle) await new Promise<void>((resolve) => (this.#onIdle = resolve));
    await Promise.all(this.#connections.map(({ client }) => client.destroy()));
  }

  /** Cancels all requests. The waiting ones come first, so that no connection that becomes free sends one of them. */
  cancelAll(): void {
    for (const handler of this.#waiting.keys()) handler.onCancel();
    for (const { handler, connecting } of this.#connections) {
      handler?.onCancel();
      connecting?.abort();
    }
    this.#serve();
  }

  get #isIdle(): boolean {
    return this.#idle.length === this.#connections.length && this.#waiting.size === 0;
  }

  #connectionOf(handler: HttpHandler): Connection | undefined {
    return this.#connections.find((connection) => connection.handler === handler);
  }

  /** Assigns connections to the waiting requests, until there is no free connection. */
  #serve(): void {
    while (this.#waiting.size > 0) {
      const connection = this.#idle.at(-1) ?? this.#add();
      if (!connection) return;
      const now = performance.now();
      if (connection.open && now - this.#polledAt > FRESH_MS) return this.#awaitPoll();
      connection.usedAt = now;
      this.#idle.pop();
      const [handler, { headers, body }] = this.#takeFirst();
      connection.handler = handler;
      // One literal, because undici takes half as long again for options that are spread.
      connection.client.dispatch({ path: this.#path, method: 'POST', headers, body }, handler);
    }
    if (this.#isIdle) this.#onIdle?.();
  }

  /** Takes the first waiting request. There must be one. */
  #takeFirst(): [HttpHandler, HttpRequest] {
    let first = this.#order.next();
    if (first.done) {
      // An iterator that has reached the end sees no later request.
      this.#order = this.#waiting.entries();
      first = this.#order.next();
    }
    const entry = first.value as [HttpHandler, HttpRequest];
    this.#waiting.delete(entry[0]);
    return entry;
  }

  #add(): Connection | undefined {
    if (this.#connections.length === this.#settings.maxConnections) return undefined;
    const connection = new Connection(this.#origin, this.#settings, this.#tlsSession, () => {
      // The response came with a later poll than the request.
      this.#polledAt = Math.max(this.#polledAt, connection.usedAt);
      // The handler keeps the whole response.
      connection.handler = undefined;
      this.#idle.push(connection);
      this.#serve();
    });
    this.#connections.push(connection);
    this.#idle.push(connection);
    return connection;
  }

  /**
   * Waits until the event loop has polled its sockets. A service may close an idle connection while this process is
   * busy, and a request that is then written to it has an unknown outcome. After a poll, the closed connection is
   * known. The poll comes between one round of `setImmediate` and the next, so it takes two of them to wait for it.
   */
  #awaitPoll(): void {
    if (this.#awaitsPoll) return;
    this.#awaitsPoll = true;
    setImmediate(() =>
      setImmediate(() => {
        this.#awaitsPoll = false;
        this.#polledAt = performance.now();
        this.#serve();
      }),
    );
  }
}

class Connection {
  readonly client: Client;
  open = false;
  /** The time at which the last request was written, on the clock of `performance.now()`. */
  usedAt = 0;
  handler: HttpHandler | undefined;
  /** Ends the making of a connection. Undefined while none is being made. */
  connecting: AbortController | undefined;
  socket: Socket | undefined;
  #isPaused = false;

  constructor(origin: string, settings: PoolSettings, tlsSession: TlsSession, onIdle: () => void) {
    this.client = new Client(origin, {
      pipelining: settings.keepAlive ? 1 : 0,
      keepAliveTimeout: MAX_IDLE_MS,
      keepAliveMaxTimeout: MAX_IDLE_MS,
      keepAliveTimeoutThreshold: MARGIN_MS,
      maxHeaderSize: 16_384,
      // The limits of a call are watched by its exchange.
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: (_options, callback) => {
        // undici asks for a connection again when it closes the connection of an aborted request.
        if (this.handler?.settled) return queueMicrotask(() => callback(new Error('settled'), null));
        this.connecting = new AbortController();
        const settle = (error: unknown, socket?: Socket): void => {
          this.connecting = undefined;
          this.socket = socket;
          if (socket) callback(null, this.#pausable(socket));
          // undici treats ERR_TLS_CERT_ALTNAME_INVALID apart and then never frees the client, so it gets no code.
          else callback(new Error('not connected', { cause: error }), null);
        };
        connect(settings, tlsSession, this.connecting.signal).then((socket) => settle(undefined, socket), settle);
      },
    });
    this.client.on('connect', () => (this.open = true));
    this.client.on('disconnect', () => (this.open = false));
    this.client.on('drain', () => {
      // The service responded before it had read the whole request. The next request would wait behind the unread part.
      if (this.socket && this.socket.writableLength > 0) this.socket.destroy();
      // An idle connection is read, so that its end is noticed.
      this.pause(false);
      onIdle();
    });
  }

  pause(isPaused: boolean): void {
    if (this.#isPaused === isPaused) return;
    this.#isPaused = isPaused;
    // undici reads when it hears this event.
    if (!isPaused) this.socket?.emit('readable');
  }

  /**
   * Lets `pause` keep undici from reading the socket. undici's own pause ends the process with an assertion when the
   * service closes or resets a connection that it keeps for one response.
   */
  #pausable(socket: Socket): Socket {
    const read = socket.read.bind(socket);
    socket.read = (size?: number) => (this.#isPaused ? null : read(size));
    return socket;
  }
}

interface HttpRequest {
  readonly headers: string[];
  /** The body. A string is sent as UTF-8. */
  readonly body: string | Buffer;
}
