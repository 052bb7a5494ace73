import type { Socket } from 'node:net';
import { Attempt, type TlsSessions } from './attempt';
import { Connection, type ConnectionOwner } from './connection';
import { PendingRequest } from './pending-request';
import type { Failure, Handle, HttpRequest, Sink, TransportSettings } from './transport';

/** How long a free connection is kept, in milliseconds: servers, and what lies between, close those that are long idle. */
const MAX_IDLE_MS = 4000;
/** How long before the service closes a free connection it is not used any more, in milliseconds: a request takes its time. */
const MARGIN_MS = 1000;
/** For how long what the event loop has learnt of its sockets counts as fresh, in milliseconds. */
const FRESH_MS = 5;

/**
 * Sends requests over HTTP/1.1 connections, and keeps those open for the next ones if the settings say so. It never sends a
 * request twice, follows no redirect and reads no environment variable.
 *
 * A service may close a connection after any answer, and a request that is written before this process has heard of it has
 * an unknown outcome. So a free connection rests until the event loop has polled its sockets once more. An answer to a later
 * request shows that it has: one call right after the other takes turns between two connections. Where nothing shows it, a
 * request waits until the event loop has.
 */
export class ConnectionPool implements ConnectionOwner {
  readonly head: string;
  readonly #settings: TransportSettings;
  readonly #tlsSessions: TlsSessions = new Map();
  /** Those without a connection yet are linked in order: taking the first from a list of many thousands is slow. */
  #firstWaiting: PendingRequest | undefined;
  #lastWaiting: PendingRequest | undefined;
  /** Free connections in the order in which they became free: those that have rested, and those that have not. */
  readonly #rested: Connection[] = [];
  readonly #resting: Connection[] = [];
  /** Connections, and attempts to make one. */
  #count = 0;
  /** When the event loop was last seen to have polled, on the clock of `performance.now()`. */
  #polledAt = 0;
  #awaitsPoll = false;
  #sweeper: NodeJS.Timeout | undefined;
  #underWay = 0;
  #onNoneUnderWay: (() => void) | undefined;

  constructor(settings: TransportSettings) {
    this.#settings = settings;
    const { host, pathname } = new URL(settings.url);
    const connection = settings.keepAlive ? 'keep-alive' : 'close';
    this.head = `POST ${pathname} HTTP/1.1\r\nHost: ${host}\r\nConnection: ${connection}\r\n`;
  }

  /** Sends one request. Everything that happens to it is told to the sink; nothing is thrown. */
  send(http: HttpRequest, sink: Sink): Handle {
    const request = new PendingRequest(http, sink, this.#onDone);
    this.#underWay++;
    if (this.#lastWaiting) this.#lastWaiting.next = request;
    else this.#firstWaiting = request;
    this.#lastWaiting = request;
    this.#serve();
    return request;
  }

  /** Lets requests under way finish, then closes the connections. */
  async close(): Promise<void> {
    if (this.#underWay > 0) await new Promise<void>((resolve) => (this.#onNoneUnderWay = resolve));
    for (const connection of this.#free()) connection.destroy();
  }

  /** What became free before has rested, or is known to be closed. */
  onPolled(since: number): void {
    this.#polledAt = performance.now();
    for (let first = this.#resting[0]; first && first.freeSince < since; first = this.#resting[0]) {
      this.#resting.shift();
      this.#rested.push(first);
    }
  }

  onFree(connection: Connection, maxIdleMs: number): void {
    if (!this.#settings.keepAlive) return connection.destroy();
    connection.freeSince = this.#polledAt;
    connection.freeUntil = this.#polledAt + Math.min(MAX_IDLE_MS, maxIdleMs - MARGIN_MS);
    this.#resting.push(connection);
    this.#sweepLater();
    this.#serve();
  }

  onClosed(connection: Connection): void {
    for (const list of [this.#rested, this.#resting]) {
      const index = list.indexOf(connection);
      if (index >= 0) list.splice(index, 1);
    }
    this.#count--;
    this.#serve();
  }

  readonly #onDone = (): void => {
    this.#underWay--;
    if (this.#underWay === 0) this.#onNoneUnderWay?.();
  };

  /** Gives connections to those that wait, as far as there are any. */
  #serve(): void {
    for (let request = this.#firstWaiting; request; request = this.#firstWaiting) {
      if (request.done) {
        this.#dequeue(request);
        continue;
      }
      const now = performance.now();
      const fresh = now - this.#polledAt <= FRESH_MS;
      const anyFree = this.#rested.length > 0 || this.#resting.length > 0;
      const connection = fresh ? this.#rested.pop() : undefined;
      if (connection && connection.freeUntil <= now) {
        connection.destroy();
      } else if (connection) {
        this.#dequeue(request);
        connection.send(request, now);
      } else if (this.#count < this.#settings.maxConnections && (fresh || !anyFree)) {
        this.#dequeue(request);
        this.#connect(request);
      } else {
        if (anyFree) this.#awaitPoll();
        return;
      }
    }
  }

  #dequeue(first: PendingRequest): void {
    this.#firstWaiting = first.next;
    if (!this.#firstWaiting) this.#lastWaiting = undefined;
    first.next = undefined;
  }

  #connect(request: PendingRequest): void {
    const onOpen = (socket: Socket) => new Connection(socket, this).send(request, performance.now());
    const onFailure = (failure: Failure) => {
      this.#count--;
      request.onFailure(failure);
      this.#serve();
    };
    const attempt = new Attempt(this.#settings, this.#tlsSessions, onOpen, onFailure);
    this.#count++;
    request.giveUp = () => {
      attempt.cancel();
      this.#count--;
      this.#serve();
    };
  }

  #awaitPoll(): void {
    if (this.#awaitsPoll) return;
    this.#awaitsPoll = true;
    const since = performance.now();
    // The event loop polls between one round of these and the next.
    setImmediate(() =>
      setImmediate(() => {
        this.#awaitsPoll = false;
        this.onPolled(since);
        this.#serve();
      }),
    );
  }

  #sweepLater(): void {
    this.#sweeper ??= setTimeout(() => {
      this.#sweeper = undefined;
      const now = performance.now();
      for (const connection of this.#free()) if (connection.freeUntil <= now) connection.destroy();
      if (this.#free().length > 0) this.#sweepLater();
    }, MAX_IDLE_MS).unref();
  }

  #free(): Connection[] {
    return [...this.#rested, ...this.#resting];
  }
}
