import type { Socket } from 'node:net';
import { Client, type Dispatcher } from 'undici';
import { Connector, type ConnectorSettings, type TlsSessions } from './connector';

export interface PoolSettings extends ConnectorSettings {
  /** Whether connections stay open for later requests. */
  readonly keepAlive: boolean;
  readonly maxConnections: number;
}

/** Controls a request that is being written or answered. */
export type HttpController = Dispatcher.DispatchController;

/**
 * Follows one request. `onRequestStart` is called before the first byte is written: without it, no byte has left. After
 * `onResponseEnd` or `onResponseError` nothing more is called.
 */
export interface HttpHandler
  extends Required<
    Pick<
      Dispatcher.DispatchHandler,
      'onRequestStart' | 'onResponseStart' | 'onResponseData' | 'onResponseEnd' | 'onResponseError'
    >
  > {
  /** Whether the request is of no interest any more. If it is not written yet, it never is. */
  readonly settled: boolean;
  /** The pool is closed and waits no longer for the request. */
  onCancel(): void;
}

/** By names in lower case; a header that is there several times has a list. */
export type HttpHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** How long an idle connection is kept, in milliseconds: servers close idle connections too. */
const MAX_IDLE_MS = 4000;
/** How long before the service closes an idle connection it is no longer used, in milliseconds: a request takes its time. */
const MARGIN_MS = 1000;
/** For how long the last event-loop poll is taken as current, in milliseconds. */
const FRESH_MS = 5;

/**
 * Sends requests through undici Clients, each of which holds at most one connection and one request. It never sends a request
 * twice, follows no redirect and reads no environment variable.
 *
 * undici's Pool is not used because, after a refused connection, it opens more connections than allowed and leaves one behind.
 */
export class ConnectionPool {
  readonly #settings: PoolSettings;
  readonly #origin: string;
  readonly #path: string;
  readonly #tlsSessions: TlsSessions = new Map();
  readonly #connections: Connection[] = [];
  /** The connections without a request; the last one was used last. */
  readonly #idle: Connection[] = [];
  readonly #waiting = new Queue();
  /** When the event loop was last known to have polled its sockets, on the clock of `performance.now()`. */
  #polledAt = 0;
  #awaitsPoll = false;
  #onIdle: (() => void) | undefined;

  constructor(settings: PoolSettings) {
    const { origin, pathname, search } = new URL(settings.url);
    this.#settings = settings;
    this.#origin = origin;
    this.#path = pathname + search;
  }

  /** Sends one POST request. Nothing is thrown: the handler is told of everything. @param headers names and values in turn */
  send(headers: string[], body: string | Buffer, handler: HttpHandler): void {
    this.#waiting.push({ headers, body, handler });
    this.#serve();
  }

  /** Forgets a settled request that waits, or for which a connection is being made. */
  cancel(handler: HttpHandler): void {
    const connection = this.#connectionOf(handler);
    if (connection) connection.connector?.cancel();
    else this.#waiting.noteSettled();
  }

  /** Whether a request failed because the service closed its connection. Answers only while `onResponseError` is called. */
  isClosed(handler: HttpHandler): boolean {
    return this.#connectionOf(handler)?.socket?.readableEnded ?? false;
  }

  /** Lets requests under way finish, then closes the connections. */
  async close(): Promise<void> {
    if (!this.#isIdle) await new Promise<void>((resolve) => (this.#onIdle = resolve));
    await Promise.all(this.#connections.map(({ client }) => client.destroy()));
  }

  /** Cancels all requests. Those that wait come first: a connection that gets free must not send one of them. */
  cancelAll(): void {
    for (const { handler } of this.#waiting.all) handler.onCancel();
    for (const { handler, connector } of this.#connections) {
      handler?.onCancel();
      connector?.cancel();
    }
    this.#serve();
  }

  get #isIdle(): boolean {
    return this.#idle.length === this.#connections.length && this.#waiting.first === undefined;
  }

  #connectionOf(handler: HttpHandler): Connection | undefined {
    return this.#connections.find((connection) => connection.handler === handler);
  }

  /** Assigns connections to waiting requests, as far as there are any. */
  #serve(): void {
    for (let request = this.#waiting.first; request; request = this.#waiting.first) {
      const connection = this.#idle.at(-1) ?? this.#add();
      if (!connection) return;
      const now = performance.now();
      if (connection.open && now - this.#polledAt > FRESH_MS) return this.#awaitPoll();
      connection.usedAt = now;
      this.#idle.pop();
      this.#waiting.shift();
      const { headers, body, handler } = request;
      connection.handler = handler;
      // One literal: undici takes half as long again for options that are put together.
      connection.client.dispatch({ path: this.#path, method: 'POST', headers, body }, handler);
    }
    if (this.#isIdle) this.#onIdle?.();
  }

  /** Another connection, if one more is allowed. */
  #add(): Connection | undefined {
    if (this.#connections.length === this.#settings.maxConnections) return undefined;
    const connection = new Connection(this.#origin, this.#settings, this.#tlsSessions, () => {
      // Its answer came with a later poll than its request.
      this.#polledAt = Math.max(this.#polledAt, connection.usedAt);
      // The handler keeps the whole answer.
      connection.handler = undefined;
      this.#idle.push(connection);
      this.#serve();
    });
    this.#connections.push(connection);
    this.#idle.push(connection);
    return connection;
  }

  /**
   * A service may close an idle connection while this process is busy, and a request that is written then has an unknown outcome.
   * So before an idle connection is reused, the event loop polls its sockets once: then the closed one is known. The poll comes
   * between one round of `setImmediate` and the next.
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
  /** When its last request was written, on the clock of `performance.now()`. */
  usedAt = 0;
  /** Of the request that it is used for. */
  handler: HttpHandler | undefined;
  /** Set while a connection is being made. */
  connector: Connector | undefined;
  /** The last one that was made. */
  socket: Socket | undefined;

  constructor(origin: string, settings: PoolSettings, tlsSessions: TlsSessions, onIdle: () => void) {
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
        // undici asks for a connection again when it closes that of an aborted request.
        if (this.handler?.settled) return queueMicrotask(() => callback(new Error('settled'), null));
        this.connector = new Connector(settings, tlsSessions, (error, socket) => {
          this.connector = undefined;
          this.socket = socket ?? undefined;
          if (socket) callback(null, socket);
          else callback(error as Error, null);
        });
      },
    });
    this.client.on('connect', () => (this.open = true));
    this.client.on('disconnect', () => (this.open = false));
    this.client.on('drain', () => {
      // The service has answered before it has read the whole request. The next one would wait behind the rest of it.
      if (this.socket && this.socket.writableLength > 0) this.socket.destroy();
      onIdle();
    });
  }
}

interface HttpRequest {
  readonly headers: string[];
  /** A string is sent as UTF-8. */
  readonly body: string | Buffer;
  readonly handler: HttpHandler;
}

/** The waiting requests in order. Taking the first off an array of many thousands would be slow. */
class Queue {
  #requests: (HttpRequest | undefined)[] = [];
  #start = 0;
  /** The number of waiting requests that have settled, or a little more. */
  #settled = 0;

  /** The first request that has not settled. */
  get first(): HttpRequest | undefined {
    while (this.#requests[this.#start]?.handler.settled) this.shift();
    return this.#requests[this.#start];
  }

  get all(): readonly HttpRequest[] {
    return this.#requests.slice(this.#start) as HttpRequest[];
  }

  push(request: HttpRequest): void {
    this.#requests.push(request);
  }

  /** Removes the settled requests, which may be large, before they outnumber the others. */
  noteSettled(): void {
    this.#settled++;
    if (2 * this.#settled < this.#requests.length - this.#start) return;
    this.#requests = this.#requests.slice(this.#start).filter((request) => !request?.handler.settled);
    this.#start = 0;
    this.#settled = 0;
  }

  shift(): void {
    // A request may be large, and its array stays until many are taken.
    this.#requests[this.#start++] = undefined;
    if (this.#start < 1000 && this.#start < this.#requests.length) return;
    this.#requests.splice(0, this.#start);
    this.#start = 0;
  }
}
