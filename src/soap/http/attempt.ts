import { on, once } from 'node:events';
import { connect as connectTcp, isIP, type Socket } from 'node:net';
import type { ConnectionOptions } from 'node:tls';
import type { TlsOptions } from '../../options';
import { HttpResponse } from './http-response';
import { CLOSED, connectionFailure, type Failure, type TransportSettings } from './transport';

/** The newest TLS session with each host: with one, the next handshake is shorter. */
export type TlsSessions = Map<string, Buffer>;

/** A connection that is being made, within `connectTimeoutMs`: TCP, then the proxy's tunnel if there is one, then TLS. */
export class Attempt {
  readonly #settings: TransportSettings;
  readonly #sessions: TlsSessions;
  readonly #timer: NodeJS.Timeout | undefined;
  /** The socket of the step that is under way; destroying it destroys the one below it. */
  #socket: Socket | undefined;
  #over = false;

  /** Tells one of both, later, unless it is cancelled. */
  constructor(
    settings: TransportSettings,
    sessions: TlsSessions,
    onOpen: (socket: Socket) => void,
    onFailure: (failure: Failure) => void,
  ) {
    this.#settings = settings;
    this.#sessions = sessions;
    const fail = (failure: Failure) => {
      if (this.#over) return;
      this.cancel();
      onFailure(failure);
    };
    if (settings.connectTimeoutMs > 0)
      this.#timer = setTimeout(() => fail({ kind: 'connect-timeout' }), settings.connectTimeoutMs);
    this.#open().then(
      (socket) => {
        if (this.#over) return;
        if (socket.destroyed) return fail(CLOSED);
        clearTimeout(this.#timer);
        onOpen(socket);
      },
      (error: Error) => fail(connectionFailure(error)),
    );
  }

  cancel(): void {
    this.#over = true;
    clearTimeout(this.#timer);
    this.#socket?.destroy();
  }

  async #open(): Promise<Socket> {
    const { url, proxy, tls } = this.#settings;
    const service = new URL(url);
    if (proxy === undefined) return this.#connect(service, tls);
    const tunnel = await this.#openTunnel(new URL(proxy), service);
    return service.protocol === 'https:' ? this.#secure(service, { ...tls, socket: tunnel }) : tunnel;
  }

  async #connect(url: URL, tls: TlsOptions): Promise<Socket> {
    const address = { host: hostOf(url), port: portOf(url) };
    if (url.protocol === 'https:') return this.#secure(url, { ...tls, ...address });
    const socket = this.#hold(connectTcp(address));
    await once(socket, 'connect');
    return socket;
  }

  async #secure(url: URL, options: TlsOptions & ConnectionOptions): Promise<Socket> {
    const { connect } = require('node:tls') as typeof import('node:tls');
    const host = hostOf(url);
    // An address is no server name in TLS; the certificate is checked against it all the same.
    const servername = options.servername ?? (isIP(host) ? undefined : host);
    const name = servername === undefined ? {} : { servername };
    const session = this.#sessions.get(url.host);
    const resumed = session === undefined ? {} : { session };
    const socket = this.#hold(connect({ host, ALPNProtocols: ['http/1.1'], ...options, ...name, ...resumed }));
    await once(socket, 'secureConnect');
    // Not before: Node does not check again whose certificate it was when a session is resumed.
    const keep = (next: Buffer) => this.#sessions.set(url.host, next);
    // TLS 1.2 has one by now, TLS 1.3 sends it later.
    const first = socket.getSession();
    if (first) keep(first);
    socket.on('session', keep);
    return socket;
  }

  /** Asks the proxy for a connection to the service (RFC 9110, section 9.3.6). */
  async #openTunnel(proxy: URL, service: URL): Promise<Socket> {
    // The client certificate is for the service alone.
    const { ca } = this.#settings.tls;
    const socket = await this.#connect(proxy, ca === undefined ? {} : { ca });
    const target = `${service.hostname}:${portOf(service)}`;
    const head = [`CONNECT ${target} HTTP/1.1`, `Host: ${target}`, ...authorizationOf(proxy)];
    socket.write(`${head.join('\r\n')}\r\n\r\n`);
    const status = await readStatus(socket);
    if (status !== 200) throw new ProxyError(`the proxy answered with HTTP status ${status}`);
    return socket;
  }

  #hold<S extends Socket>(socket: S): S {
    this.#socket = socket;
    // Whoever waits for the socket hears of its errors; between two steps nobody does.
    socket.on('error', () => {});
    socket.setNoDelay(true);
    // Finds out in the end that the other side is gone, where no time limit does.
    socket.setKeepAlive(true, 60_000);
    if (this.#over) socket.destroy();
    return socket;
  }
}

class ProxyError extends Error {
  readonly code = 'ERR_PROXY_TUNNEL';
}

/** The HTTP status of the proxy's answer. */
async function readStatus(socket: Socket): Promise<number> {
  let status: number | undefined;
  const answer = new HttpResponse({
    onHeaders: (head) => {
      status = head.status;
    },
    // Neither HTTP nor TLS lets the service speak first.
    onData: () => {
      if (status === 200) throw new ProxyError('the proxy sent more than an answer');
    },
  });
  for await (const [chunk] of on(socket, 'data', { close: ['end', 'close'] })) {
    answer.read(chunk);
    if (status !== undefined) return status;
  }
  throw new ProxyError('the proxy closed the connection');
}

function authorizationOf({ username, password }: URL): string[] {
  if (username === '' && password === '') return [];
  const credentials = Buffer.from(decodeURIComponent(`${username}:${password}`));
  return [`Proxy-Authorization: Basic ${credentials.toString('base64')}`];
}

/** Without the brackets of an IPv6 address. */
function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[(.*)\]$/, '$1');
}

function portOf({ port, protocol }: URL): number {
  if (port !== '') return Number(port);
  return protocol === 'https:' ? 443 : 80;
}
