import { timers } from '../internal/timers';
import { HttpConnection, type HttpHandler, type PostRequest } from './connection';
import type { ConnectorSettings, TlsSession } from './connector';

interface PoolSettings extends ConnectorSettings {
  readonly keepAlive: boolean;
  readonly maxConnections: number;
}

/** The time for which the last poll of the event loop counts as current, in milliseconds. */
const FRESH_MS = 5;

/**
 * Sends requests through connections that each hold at most one request. It never sends a request twice, follows no
 * redirect and reads no environment variable.
 *
 * undici's Pool is not used because, after a refused connection, it opens more connections than allowed and leaves one
 * behind.
 */
export class ConnectionPool {
  readonly #settings: PoolSettings;
  readonly #tlsSession: TlsSession = {};
  readonly #connections: HttpConnection[] = [];
  /** The connections without a request. The last one in the list was used last. */
  readonly #idle: HttpConnection[] = [];
  /** The requests without a connection, the first one first. */
  readonly #waiting = new Map<HttpHandler, PostRequest>();
  /** The last time at which the event loop is known to have polled its sockets, on the clock of `timers.now()`. */
  #polledAt = 0;
  #awaitsPoll = false;
  #onIdle = (): void => {};

  constructor(settings: PoolSettings) {
    this.#settings = settings;
  }

  /** Sends one POST request. Throws nothing: the handler gets every event. @param headers names and values in turn */
  send(headers: string[], body: string, handler: HttpHandler): void {
    this.#waiting.set(handler, { headers, body });
    this.#serve();
  }

  /** Forgets a request that waits, or for which a connection is being made. */
  cancel(handler: HttpHandler): void {
    if (!this.#waiting.delete(handler)) handler.connection?.cancel();
  }

  /** Lets calls under way finish, then closes the connections. */
  async close(): Promise<void> {
    for (const handler of this.#handlers) handler.onClose();
    if (!this.#isIdle) await new Promise<void>((resolve) => (this.#onIdle = resolve));
    await Promise.all(this.#connections.map((connection) => connection.close()));
  }

  /** Cancels all calls. */
  cancelAll(): void {
    for (const handler of this.#handlers) handler.onCancel();
    for (const connection of this.#connections) connection.cancel();
    this.#serve();
  }

  get #isIdle(): boolean {
    return this.#idle.length === this.#connections.length && this.#waiting.size === 0;
  }

  /** The handlers of all requests. The waiting ones come first: no connection that becomes free sends one of them. */
  get #handlers(): HttpHandler[] {
    return [...this.#waiting.keys(), ...this.#connections.flatMap(({ handler }) => handler ?? [])];
  }

  /** Assigns connections to the waiting requests, until there is no free connection. */
  #serve(): void {
    for (const [handler, request] of this.#waiting) {
      const connection = this.#idle.at(-1) ?? this.#add();
      if (!connection) return;
      const now = timers.now();
      if (connection.isOpen && now - this.#polledAt > FRESH_MS) return this.#awaitPoll();
      this.#idle.pop();
      this.#waiting.delete(handler);
      connection.send(handler, request, now);
    }
    if (this.#isIdle) this.#onIdle();
  }

  #add(): HttpConnection | undefined {
    if (this.#connections.length === this.#settings.maxConnections) return undefined;
    const connection = new HttpConnection(this.#settings, this.#settings.keepAlive, this.#tlsSession, () => {
      // The response came with a later poll than the request.
      this.#polledAt = Math.max(this.#polledAt, connection.usedAt);
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
    timers.setImmediate(() =>
      timers.setImmediate(() => {
        this.#awaitsPoll = false;
        this.#polledAt = timers.now();
        this.#serve();
      }),
    );
  }
}
