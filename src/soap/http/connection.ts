import type { Socket } from 'node:net';
import { HttpResponse } from './http-response';
import type { PendingRequest } from './pending-request';
import { CLOSED, connectionFailure, type Failure } from './transport';

/** Who a connection belongs to. */
export interface ConnectionOwner {
  /** The request line and the headers that every request has. */
  readonly head: string;
  /** The event loop has polled its sockets since then, on the clock of `performance.now()`. */
  onPolled(since: number): void;
  /** It may take another request, until so long has passed. */
  onFree(connection: Connection, maxIdleMs: number): void;
  onClosed(connection: Connection): void;
}

/** An open connection, which carries one request at a time. */
export class Connection {
  /** From when and until when it is free, on the clock of `performance.now()`. */
  freeSince = 0;
  freeUntil = 0;
  readonly #socket: Socket;
  readonly #owner: ConnectionOwner;
  #request: PendingRequest | undefined;
  #response: HttpResponse | undefined;
  #writtenAt = 0;
  #closed = false;

  constructor(socket: Socket, owner: ConnectionOwner) {
    this.#socket = socket;
    this.#owner = owner;
    socket.on('data', (chunk: Buffer) => this.#read(chunk));
    socket.on('end', () => this.#end());
    socket.on('error', (error: Error) => this.#close(connectionFailure(error)));
    socket.on('close', () => this.#close(CLOSED));
  }

  /** Writes the request. From here on it may have reached the service. */
  send(request: PendingRequest, now: number): void {
    this.#request = request;
    this.#response = new HttpResponse(request);
    this.#writtenAt = now;
    request.connection = this;
    request.onSent();
    const { headers, body } = request.http;
    const length = Buffer.byteLength(body);
    const head = `${this.#owner.head}${headers}Content-Length: ${length}\r\n\r\n`;
    const socket = this.#socket;
    socket.ref();
    if (typeof body === 'string') {
      // One text is one write, and the quickest when it is ASCII.
      socket.write(head + body, length === body.length ? 'latin1' : 'utf8');
    } else {
      socket.cork();
      socket.write(head, 'latin1');
      socket.write(body);
      socket.uncork();
    }
  }

  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  destroy(): void {
    this.#close(CLOSED);
  }

  #read(chunk: Buffer): void {
    const response = this.#response;
    // What nobody asked for must not become the answer to what comes next.
    if (!response) return this.destroy();
    // The answer came after what it answers was written.
    this.#owner.onPolled(this.#writtenAt);
    try {
      response.read(chunk);
    } catch (error) {
      return this.#close(connectionFailure(error as Error));
    }
    // Whoever was told of the bytes may have given the request up.
    if (response.complete && !this.#closed) this.#finish(response);
  }

  #end(): void {
    if (this.#response?.end()) this.#finish(this.#response);
    else this.#close(CLOSED);
  }

  #finish({ reusable, maxIdleMs }: HttpResponse): void {
    const request = this.#request as PendingRequest;
    this.#request = undefined;
    this.#response = undefined;
    // The service may have answered before it has read the whole request.
    if (reusable && this.#socket.writableLength === 0) {
      this.#socket.resume();
      this.#socket.unref();
      this.#owner.onFree(this, maxIdleMs);
    } else {
      this.#close(CLOSED);
    }
    request.onEnd();
  }

  #close(failure: Failure): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#socket.destroy();
    this.#owner.onClosed(this);
    this.#request?.onFailure(failure);
  }
}
