import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import {
  connectionFailure,
  type Handle,
  type HttpRequest,
  type Sink,
  type Transport,
  type TransportSettings,
} from './transport';
import { UnderWay } from './under-way';

/** A connection of its own for each request: for one-off calls, since node:http is loaded sooner than undici. */
export class SingleTransport implements Transport {
  readonly #settings: TransportSettings;
  readonly #underWay = new UnderWay();

  constructor(settings: TransportSettings) {
    this.#settings = settings;
  }

  send(request: HttpRequest, sink: Sink): Handle {
    const handle = new SingleRequest(sink, () => this.#underWay.end());
    this.#underWay.start();
    handle.start(this.#settings, request);
    return handle;
  }

  close(): Promise<void> {
    return this.#underWay.none();
  }
}

class SingleRequest implements Handle {
  readonly #sink: Sink;
  readonly #onDone: () => void;
  #request: ClientRequest | undefined;
  #response: IncomingMessage | undefined;
  #done = false;

  constructor(sink: Sink, onDone: () => void) {
    this.#sink = sink;
    this.#onDone = onDone;
  }

  start(settings: TransportSettings, { headers, body }: HttpRequest): void {
    const secure = settings.url.startsWith('https:');
    const { request } = (secure ? require('node:https') : require('node:http')) as typeof import('node:https');
    const length = { 'Content-Length': Buffer.byteLength(body) };
    try {
      // agent: false means a new agent and connection for this request alone.
      this.#request = request(settings.url, {
        ...settings.tls,
        agent: false,
        method: 'POST',
        headers: { ...headers, ...length },
      });
    } catch (error) {
      // A certificate or key that cannot be used.
      this.#fail(error as Error);
      return;
    }
    this.#request.on('socket', (socket) => this.#watch(socket, secure ? 'secureConnect' : 'connect', settings));
    this.#request.on('error', (error) => this.#fail(error));
    // Without an error when the service switches to another protocol.
    this.#request.on('close', () => this.#fail(new Error('the connection was closed')));
    this.#request.on('response', (response) => this.#read(response));
    this.#request.end(body);
  }

  #watch(socket: Socket, connected: 'connect' | 'secureConnect', { connectTimeoutMs }: TransportSettings): void {
    const onTimeout = () => this.#finish(() => this.#sink.onFailure({ kind: 'connect-timeout' }));
    const timer = connectTimeoutMs > 0 ? setTimeout(onTimeout, connectTimeoutMs) : undefined;
    socket.once('close', () => clearTimeout(timer));
    socket.once(connected, () => {
      clearTimeout(timer);
      if (!this.#done) this.#sink.onSent();
    });
  }

  abort(): void {
    this.#finish(() => {});
  }

  pause(): void {
    this.#response?.pause();
  }

  resume(): void {
    this.#response?.resume();
  }

  #read(response: IncomingMessage): void {
    this.#response = response;
    response.on('error', (error) => this.#fail(error));
    response.on('data', (chunk: Buffer) => {
      if (!this.#done) this.#sink.onData(chunk);
    });
    response.on('end', () => this.#finish(() => this.#sink.onEnd()));
    const { 'content-type': contentType = '', 'content-encoding': contentEncoding = '' } = response.headers;
    this.#sink.onHeaders({ status: response.statusCode as number, contentType, contentEncoding });
  }

  #fail(error: Error): void {
    this.#finish(() => this.#sink.onFailure(connectionFailure(error)));
  }

  #finish(tell: () => void): void {
    if (this.#done) return;
    this.#done = true;
    this.#request?.destroy();
    this.#onDone();
    tell();
  }
}
