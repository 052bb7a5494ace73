import { lookup } from 'node:dns';
import { once } from 'node:events';
import { request } from 'node:http';
import { connect as connectSocket, isIP, type Socket } from 'node:net';
import { type ConnectionOptions, connect as connectTls } from 'node:tls';
import { combineSignals, onAbort, type Signal } from '../internal/signals';
import { timers } from '../internal/timers';
import type { TlsOptions } from './tls';

export interface ConnectorSettings {
  readonly url: string;
  /** The limit for TCP, tunnel and TLS together, in milliseconds; 0 means none. */
  readonly connectTimeoutMs: number;
  readonly proxy: string | undefined;
  readonly tls: TlsOptions;
}

/** Node accepts a Uint8Array too, although its types ask for a Buffer. */
type NodeTlsOptions = Pick<ConnectionOptions, keyof TlsOptions>;

/** The newest TLS session with the host of the settings. It shortens the next handshake. */
export interface TlsSession {
  newest?: Buffer;
}

/** The time for making the connection is over. The message names the addresses when there are several. */
export class ConnectTimeout extends Error {}

/** An error of the system, of TLS or of the HTTP library. */
export type SystemError = Error & { readonly code?: unknown; readonly errors?: readonly Error[] };

class ProxyError extends Error {
  readonly code = 'ERR_PROXY_TUNNEL';
}

/** The step that makes a connection at present. It also serves as the options of `once`. */
interface Step {
  /** Aborts when the connection is no longer needed, or its time is over. */
  readonly signal: AbortSignal;
  /** Destroying it destroys the connection below it. */
  current?: { destroy(): unknown };
}

/**
 * Makes one connection: TCP, then the proxy's tunnel if there is a proxy, then TLS. undici's own connector has a coarse
 * timer, cannot be cancelled and resumes TLS sessions of a host whose certificate was refused, so that the host name is
 * not checked again.
 *
 * @param session is used for the TLS handshake, and gets the new session
 * @throws {ConnectTimeout | SystemError} or an AbortError of Node when the signal aborts
 */
export async function connect(settings: ConnectorSettings, session: TlsSession, signal: AbortSignal): Promise<Socket> {
  const service = new URL(settings.url);
  const proxy = settings.proxy === undefined ? undefined : new URL(settings.proxy);
  const tls = settings.tls as NodeTlsOptions;
  const limit = combineSignals([signal], settings.connectTimeoutMs);
  const step: Step = { signal: limit.signal };
  try {
    let socket = await connectTcp(addressOf(proxy ?? service), step.signal);
    step.current = socket;
    // The client certificate is for the service alone.
    if (proxy?.protocol === 'https:') socket = await secure(socket, proxy, tls.ca ? { ca: tls.ca } : {}, {}, step);
    if (proxy) socket = await openTunnel(socket, proxy, service, step);
    return service.protocol === 'https:' ? await secure(socket, service, tls, session, step) : socket;
  } catch (error) {
    step.current?.destroy();
    if (!step.signal.aborted || signal.aborted) throw error;
    throw new ConnectTimeout(error instanceof AggregateError ? explainFailure(error).message : '');
  } finally {
    limit.release();
  }
}

/** The time after which the next address of a name is tried too, in milliseconds. */
const NEXT_ADDRESS_MS = 250;

/**
 * Connects to the first address of a host that accepts, and tries the next one while the others go on (RFC 8305). Node
 * gives up each address but the last after 250 ms, and so never reaches a host that is far away.
 *
 * @param signal belongs to this connection: the listeners stay on it
 * @throws {SystemError} the error of the address, or an AggregateError with the error of each address
 */
export async function connectTcp({ host, port }: Address, signal: Signal): Promise<Socket> {
  const addresses = isIP(host) ? [host] : await resolveName(host, signal);
  if (signal.aborted) throw signal.reason;
  const sockets = new Map<Socket, string>();
  const errors: Error[] = [];
  let timer: NodeJS.Timeout | undefined;
  try {
    return await new Promise<Socket>((resolve, reject) => {
      const fail = () => reject(addresses.length === 1 ? errors[0] : new AggregateError(errors));
      const tryNext = (): void => {
        timers.clearTimeout(timer);
        const address = addresses[sockets.size];
        if (address === undefined) return;
        const socket = prepare(connectSocket({ host: address, port }));
        sockets.set(socket, address);
        socket.once('connect', () => {
          sockets.delete(socket);
          resolve(socket);
        });
        socket.once('error', (error) => {
          errors.push(error);
          if (errors.length === addresses.length) fail();
          else tryNext();
        });
        if (sockets.size < addresses.length) timer = timers.setTimeout(tryNext, NEXT_ADDRESS_MS);
      };
      onAbort(signal, () => {
        const silent = [...sockets].filter(([socket]) => !socket.destroyed);
        errors.push(...silent.map(([, address]) => new Error(`no response from ${address}`)));
        fail();
      });
      tryNext();
    });
  } finally {
    timers.clearTimeout(timer);
    for (const socket of sockets.keys()) socket.destroy();
  }
}

function resolveName(host: string, signal: Signal): Promise<string[]> {
  return new Promise((resolve, reject) => {
    // A lookup cannot be aborted.
    onAbort(signal, () => reject(signal.reason));
    lookup(host, { all: true }, (error, found) => {
      if (error) reject(error);
      else resolve(found.map(({ address }) => address));
    });
  });
}

async function secure(
  socket: Socket,
  url: URL,
  options: NodeTlsOptions,
  session: TlsSession,
  step: Step,
): Promise<Socket> {
  const { host } = addressOf(url);
  // An IP address is not a server name in TLS. The certificate is checked against it all the same.
  const servername = options.servername ?? (isIP(host) ? undefined : host);
  const name = servername !== undefined && { servername };
  const resumed = session.newest && { session: session.newest };
  const secured = prepare(connectTls({ host, ALPNProtocols: ['http/1.1'], ...options, socket, ...name, ...resumed }));
  step.current = secured;
  await once(secured, 'secureConnect', step);
  // No session is kept before this point, because Node does not check the host name again when a session is resumed.
  const keep = (newest: Buffer) => {
    session.newest = newest;
  };
  // TLS 1.2 has its session already. TLS 1.3 sends it later.
  const first = secured.getSession();
  if (first) keep(first);
  secured.on('session', keep);
  return secured;
}

/** Asks the proxy for a connection to the service (RFC 9110, section 9.3.6). Any 2xx response opens the tunnel. */
async function openTunnel(socket: Socket, proxy: URL, service: URL, step: Step): Promise<Socket> {
  const target = `${service.hostname}:${addressOf(service).port}`;
  const tunnelRequest = request({
    createConnection: () => socket,
    method: 'CONNECT',
    path: target,
    headers: { Host: target, ...authorizationOf(proxy) },
  });
  step.current = tunnelRequest.on('error', ignore).end();
  const [{ statusCode }, tunnel, head] = await once(tunnelRequest, 'connect', step);
  step.current = tunnel;
  if (statusCode < 200 || statusCode > 299) {
    throw new ProxyError(`the proxy responded with HTTP status ${statusCode}`);
  }
  // Neither HTTP nor TLS lets the service speak first.
  if (head.length > 0) throw new ProxyError('the proxy sent more than a response');
  return tunnel;
}

function prepare<S extends Socket>(socket: S): S {
  socket.on('error', ignore);
  socket.setNoDelay(true);
  // Detects a dead peer when no time limit is set.
  return socket.setKeepAlive(true, 60_000);
}

/** Nobody listens between two steps and after an abort. An error without a listener would end the process. */
function ignore(): void {}

function authorizationOf({ username, password }: URL): { 'Proxy-Authorization'?: string } {
  if (username === '' && password === '') return {};
  const credentials = Buffer.from(decodeURIComponent(`${username}:${password}`));
  return { 'Proxy-Authorization': `Basic ${credentials.toString('base64')}` };
}

interface Address {
  readonly host: string;
  readonly port: number;
}

/** Returns the host without the brackets of an IPv6 address, and the port with its default. */
export function addressOf({ hostname, port, protocol }: URL): Address {
  const defaultPort = protocol === 'https:' ? 443 : 80;
  return { host: hostname.replace(/^\[(.*)\]$/, '$1'), port: port === '' ? defaultPort : Number(port) };
}

/** Returns the code and the words of a failure to make a connection, or of a broken connection. */
export function explainFailure(error: SystemError): { code: string | undefined; message: string } {
  // The error of several addresses wraps those of each. The wrapper itself says nothing.
  const causes = error.errors?.length ? error.errors : [error];
  const message = causes.map((cause) => withoutInternals(cause.message)).join('; ');
  const code = error.code ?? (causes[0] as SystemError).code;
  return { code: typeof code === 'string' ? code : undefined, message };
}

/** Removes OpenSSL's thread, function, source file and line from its errors. Only the reason tells a user something. */
function withoutInternals(message: string): string {
  const [, reason] = /:error:[0-9A-F]+:[^:]*:[^:]*:([^:]*)/.exec(message) ?? [];
  return reason === undefined ? message : `TLS failed: ${reason}`;
}
