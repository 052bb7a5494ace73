import { transcode } from 'node:buffer';
import { maxHeaderSize as limitOfNode } from 'node:http';
import type { Socket } from 'node:net';
// Bun replaces the module `undici` by its own, which has no Client. It does not replace the file that it leads to.
import { Client, type Dispatcher } from 'undici/index.js';
import { areTimersReplaced } from '../internal/timers';
import { type ConnectorSettings, connect, explainFailure, type SystemError, type TlsSession } from './connector';

/** Controls a request from the start of its writing to the end of its response. */
export type HttpController = Dispatcher.DispatchController;

/**
 * Follows one request. `onRequestStart` is called before the first byte is written: without it, no byte has left. After
 * `onResponseEnd` or `onResponseError` nothing more is called.
 */
export interface HttpHandler extends Dispatcher.DispatchHandler {
  /** @param error a NotConnected when no connection could be made */
  onResponseError(controller: HttpController, error: Error): void;
  /** True once the call has settled. An unwritten request is then dropped. */
  readonly settled: boolean;
  /** The connection of the request. Undefined before the request has one, and after the connection was released. */
  connection: HttpConnection | undefined;
  /** Called when the pool is closed and waits for the call. */
  onClose(): void;
  /** Called when the pool is closed and waits no longer for the call. */
  onCancel(): void;
}

/** Headers by name in lower case. A repeated header has a list. */
export type HttpHeaders = Readonly<Record<string, string | string[] | undefined>>;

export interface PostRequest {
  /** Names and values in turn. */
  readonly headers: string[];
  /** The body, which is sent as UTF-8. */
  readonly body: string;
}

/** The error of a request for which no connection could be made. Its cause is the reason. */
export class NotConnected extends Error {}

/** The time for which an idle connection is kept, in milliseconds. Servers close idle connections too. */
const MAX_IDLE_MS = 4000;
/** The time before the server's keep-alive limit, in milliseconds, in which an idle connection is not reused. */
const MARGIN_MS = 1000;

/**
 * Node's limit for the headers of a response, in bytes. The command line loads node:http where it is first used, which
 * takes time, so that it is asked only when a user has set a limit. 16 KiB are Node's default.
 */
const maxHeaderSize = /--max[-_]http[-_]header[-_]size/.test([...process.execArgv, process.env.NODE_OPTIONS].join(' '))
  ? limitOfNode
  : 16_384;

/**
 * One connection: a Client of undici, which holds at most one request. This file has all that undici 7 makes necessary.
 * The tests in test/http/undici.test.ts fail without it, and say with which version it can go.
 */
export class HttpConnection {
  handler: HttpHandler | undefined;
  isOpen = false;
  #request: PostRequest | undefined;
  /** True when the connection ended before it began to write the request. */
  #isUnsent = false;
  /** The time at which the last request was written, on the clock of `timers.now()`. */
  usedAt = 0;
  readonly #client: Client;
  readonly #path: string;
  /** Ends the making of a connection. Undefined while none is being made. */
  #connecting: AbortController | undefined;
  #socket: Socket | undefined;
  #isPaused = false;
  /** The bytes that may be the beginning of a `100 Continue`. Undefined once the response has begun. */
  #interim: Buffer | undefined;
  /** True when undici can take another request. */
  #isReady = true;
  readonly #onIdle: () => void;

  /** @param onIdle is called when the connection can take another request */
  constructor(settings: ConnectorSettings, keepAlive: boolean, tlsSession: TlsSession, onIdle: () => void) {
    const { origin, pathname, search } = new URL(settings.url);
    this.#path = pathname + search;
    this.#onIdle = onIdle;
    this.#client = new Client(origin, {
      pipelining: keepAlive ? 1 : 0,
      keepAliveTimeout: MAX_IDLE_MS,
      keepAliveMaxTimeout: MAX_IDLE_MS,
      keepAliveTimeoutThreshold: MARGIN_MS,
      maxHeaderSize,
      // The limits of a call are watched by its clock.
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: (_options, callback) => {
        // undici asks for a connection again when it closes the connection of an aborted request.
        if (this.handler?.settled) return void Promise.resolve().then(() => callback(new Error('settled'), null));
        this.#connecting = new AbortController();
        const settle = (error: unknown, socket?: Socket): void => {
          this.#connecting = undefined;
          this.#socket = socket;
          if (socket) callback(null, this.#adapt(socket));
          // undici treats ERR_TLS_CERT_ALTNAME_INVALID apart and then never frees the client, so it gets no code.
          else callback(new NotConnected('', { cause: error }), null);
        };
        connect(settings, tlsSession, this.#connecting.signal).then((socket) => settle(undefined, socket), settle);
      },
    });
    this.#client.on('connect', () => (this.isOpen = true));
    this.#client.on('disconnect', () => (this.isOpen = false));
    this.#client.on('drain', () => {
      // The service responded before it had read the whole request. The next request would wait behind the unread part.
      if (this.isWriting) this.#socket?.destroy();
      // An idle connection is read, so that its end is noticed.
      this.pause(false);
      this.#isReady = true;
      if (this.#isUnsent && this.handler && !this.handler.settled) this.#dispatch(this.handler);
      else this.release();
    });
  }

  /** @param now the time on the clock of `timers.now()` */
  send(handler: HttpHandler, request: PostRequest, now: number): void {
    this.usedAt = now;
    this.handler = handler;
    this.#request = request;
    handler.connection = this;
    // undici would wait for a timer before it uses the connection again. Without a socket, it makes another one.
    if (this.isOpen && areTimersReplaced()) this.#socket?.destroy();
    this.#dispatch(handler);
  }

  #dispatch(handler: HttpHandler): void {
    const { headers, body } = this.#request as PostRequest;
    this.#isReady = false;
    this.#isUnsent = false;
    this.#interim = NOTHING;
    // One literal, because undici takes half as long again for options that are spread.
    this.#client.dispatch({ path: this.#path, method: 'POST', headers, body: encode(body) }, handler);
  }

  /**
   * Sends the request over another connection, when this error of an open one came before the request began: undici
   * gives up a request for which a reset connection was chosen. False for any other error.
   */
  sendsAgainAfter(error: SystemError): boolean {
    // An error of undici itself is not about the connection.
    this.#isUnsent = !(error instanceof NotConnected) && !/^UND_ERR_/.test(String(error.code));
    return this.#isUnsent;
  }

  /** Notes that HTTP has delivered the whole response. */
  onResponseEnd(): void {
    // undici would wait for a timer before it frees the connection.
    if (areTimersReplaced()) void Promise.resolve().then(() => this.#socket?.destroy());
  }

  /** Frees the connection, unless its call has not settled: a response that has arrived may still be decompressed. */
  release(): void {
    if (!this.#isReady || !this.handler?.settled) return;
    this.handler.connection = undefined;
    // The handler keeps the whole response.
    this.handler = undefined;
    this.#request = undefined;
    this.#onIdle();
  }

  /** Ends the making of a connection. */
  cancel(): void {
    this.#connecting?.abort();
  }

  async close(): Promise<void> {
    this.cancel();
    // Its promise may wait for a timer.
    void this.#client.destroy();
    const socket = this.#socket;
    if (socket && !socket.closed) await new Promise((resolve) => socket.once('close', resolve));
  }

  /** True while bytes of the request wait to be sent. */
  get isWriting(): boolean {
    return this.#socket !== undefined && this.#socket.writableLength > 0;
  }

  /** True when a request failed because the service closed the connection. Known only during `onResponseError`. */
  get wasClosedByService(): boolean {
    return this.#socket?.readableEnded ?? false;
  }

  /** Reads no further bytes of a response, or reads them again. */
  pause(isPaused: boolean): void {
    if (this.#isPaused === isPaused) return;
    this.#isPaused = isPaused;
    // undici reads when it hears this event.
    if (!isPaused) this.#socket?.emit('readable');
  }

  /**
   * Lets `pause` keep undici from reading the socket, and keeps a `100 Continue` from it. undici's own pause ends the
   * process with an assertion when the service closes or resets a connection that it keeps for one response.
   *
   * This relies on what undici does inside: it takes bytes with `socket.read()` only, when it hears `readable`, and
   * stops when it gets null. A version that does otherwise would fill the memory with a paused response.
   */
  #adapt(socket: Socket): Socket {
    const read = socket.read.bind(socket);
    socket.read = (size?: number) => (this.#isPaused ? null : this.#withoutContinue(read(size)));
    return socket;
  }

  /**
   * Removes each `100 Continue` in front of a response. Old services send it unasked, a client has to read on (RFC
   * 9110, section 15.2), and undici ends the connection.
   */
  #withoutContinue(chunk: Buffer | null): Buffer | null {
    if (!chunk || !this.#interim) return chunk;
    let bytes = this.#interim.length > 0 ? Buffer.concat([this.#interim, chunk]) : chunk;
    // The first digit of the status decides for almost all responses.
    while (bytes.length < CONTINUE.length || bytes[9] === ONE) {
      const head = bytes.toString('latin1', 0, maxHeaderSize);
      const [interim] = /^HTTP\/1\.1 100\b.*?\n\r?\n/s.exec(head) ?? [];
      if (interim === undefined) {
        const mayContinue = head.length < maxHeaderSize && (head.startsWith(CONTINUE) || CONTINUE.startsWith(head));
        this.#interim = mayContinue ? bytes : undefined;
        return mayContinue ? null : bytes;
      }
      bytes = bytes.subarray(interim.length);
    }
    this.#interim = undefined;
    return bytes;
  }
}

const NOTHING = Buffer.alloc(0);
const CONTINUE = 'HTTP/1.1 100';
const ONE = 0x31;

/** Encodes a long text through UTF-16: Node's own way costs a tenth of a whole call with 1,000 Persian messages. */
function encode(text: string): string | Buffer {
  return text.length > 4096 ? transcode(Buffer.from(text, 'utf16le'), 'utf16le', 'utf8') : text;
}

/** Returns the code and the words of a failure. @param hasHead true when the head of the response was read */
export function explainHttpFailure(
  error: SystemError & { data?: unknown },
  hasHead: boolean,
): { readonly code: string | undefined; readonly message: string } {
  // undici has no code for a violation of HTTP, and when the violation follows a Content-Length in the head, it blames
  // the length of the body.
  const code = 'ERR_HTTP_PROTOCOL';
  if (error.name === 'HTTPParserError') {
    // It has the unread part of the response, which may begin within the API key. No mask finds half a key.
    delete error.data;
    return { code, message: error.message };
  }
  if (error.code === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH' && !hasHead)
    return { code, message: 'the head of the response is not valid HTTP, such as a repeated Content-Length' };
  if (error.code === 'UND_ERR_HEADERS_OVERFLOW') {
    const advice = 'node --max-http-header-size sets another limit';
    return {
      code: error.code,
      message: `the headers of the response are larger than ${maxHeaderSize} bytes; ${advice}`,
    };
  }
  return explainFailure(error);
}
