import type { ClientRequest, IncomingMessage } from 'node:http';
import {
  connectionFailure,
  type Handle,
  type HttpRequest,
  type Sink,
  type Transport,
  type TransportSettings,
} from './transport';

/** A connection of its own for each request: for one-off calls, since node:http is loaded sooner than undici. */
export class SingleTransport implements Transport {
  readonly #settings: TransportSettings;
  readonly #open = new Set<SingleRequest>();
  #onEmpty: (() => void) | undefined;

  constructor(settings: TransportSettings) {
    this.#settings = settings;
  }

  send(request: HttpRequest, sink: Sink): Handle {
    const handle = new SingleRequest(this.#settings, request, sink, () => {
      this.#open.delete(handle);
      if (this.#open.size === 0) this.#onEmpty?.();
    });
    this.#open.add(handle);
    return handle;
  }

  async close(): Promise<void> {
    if (this.#open.size > 0) await new Promise<void>((resolve) => (this.#onEmpty = resolve));
  }
}

class SingleRequest implements Handle {
  readonly #request: ClientRequest;
  readonly #sink: Sink;
  readonly #onDone: () => void;
  #response: IncomingMessage | undefined;
  #done = false;

  constructor(settings: TransportSettings, { headers, body }: HttpRequest, sink: Sink, onDone: () => void) {
    this.#sink = sink;
    this.#onDone = onDone;
    const secure = settings.url.startsWith('https:');
    const { request } = (secure ? require('node:https') : require('node:http')) as typeof import('node:https');
    // agent: false means a new agent and connection for this request alone.
    this.#request = request(settings.url, {
      ...settings.tls,
      agent: false,
      method: 'POST',
      headers: { ...headers, 'Content-Length': Buffer.byteLength(body) },
    });
    this.#request.on('socket', (socket) => {
      const timer = settings.connectTimeoutMs
        ? setTimeout(() => this.#finish(() => sink.onFailure({ kind: 'connect-timeout' })), settings.connectTimeoutMs)
        : undefined;
      socket.once('close', () => clearTimeout(timer));
      socket.once(secure ? 'secureConnect' : 'connect', () => {
        clearTimeout(timer);
        if (!this.#done) sink.onSent();
      });
    });
    if (settings.idleTimeoutMs) {
      this.#request.setTimeout(settings.idleTimeoutMs, () => {
        if (!this.#response?.isPaused()) this.#finish(() => sink.onFailure({ kind: 'idle-timeout' }));
      });
    }
    this.#request.on('error', (error) => this.#fail(error));
    this.#request.on('response', (response) => this.#read(response));
    this.#request.end(body);
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
    this.#sink.onHeaders(response.statusCode as number, response.headers);
  }

  #fail(error: Error): void {
    this.#finish(() => this.#sink.onFailure(connectionFailure(error)));
  }

  #finish(tell: () => void): void {
    if (this.#done) return;
    this.#done = true;
    this.#request.destroy();
    this.#onDone();
    tell();
  }
}
