import { once } from 'node:events';
import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { type ConnectionOptions, connect as connectTls } from 'node:tls';
import { combineSignals } from '../internal/signals';
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
  const { proxy, connectTimeoutMs } = settings;
  const tls = settings.tls as NodeTlsOptions;
  const service = new URL(settings.url);
  const isSecure = service.protocol === 'https:';
  const limit = combineSignals([signal], connectTimeoutMs);
  const step: Step = { signal: limit.signal };
  try {
    if (proxy !== undefined) {
      const tunnel = await openTunnel(new URL(proxy), service, tls, step);
      return isSecure ? await secure(service, { ...tls, socket: tunnel }, session, step) : tunnel;
    }
    const address = addressOf(service);
    if (isSecure) return await secure(service, { ...tls, ...address }, session, step);
    const socket = prepare(connectTcp(address), step);
    await once(socket, 'connect', step);
    return socket;
  } catch (error) {
    step.current?.destroy();
    throw limit.signal.aborted && !signal.aborted ? new ConnectTimeout() : error;
  } finally {
    limit.release();
  }
}

async function secure(
  url: URL,
  options: NodeTlsOptions & ConnectionOptions,
  session: TlsSession,
  step: Step,
): Promise<Socket> {
  const { host } = addressOf(url);
  // An IP address is not a server name in TLS. The certificate is checked against it all the same.
  const servername = options.servername ?? (isIP(host) ? undefined : host);
  const name = servername !== undefined && { servername };
  const resumed = session.newest && { session: session.newest };
  const socket = prepare(connectTls({ host, ALPNProtocols: ['http/1.1'], ...options, ...name, ...resumed }), step);
  await once(socket, 'secureConnect', step);
  // No session is kept before this point, because Node does not check the host name again when a session is resumed.
  const keep = (newest: Buffer) => {
    session.newest = newest;
  };
  // TLS 1.2 has its session already. TLS 1.3 sends it later.
  const first = socket.getSession();
  if (first) keep(first);
  socket.on('session', keep);
  return socket;
}

/** Asks the proxy for a connection to the service (RFC 9110, section 9.3.6). Any 2xx response opens the tunnel. */
async function openTunnel(proxy: URL, service: URL, { ca }: NodeTlsOptions, step: Step): Promise<Socket> {
  const request = proxy.protocol === 'https:' ? requestHttps : requestHttp;
  const target = `${service.hostname}:${addressOf(service).port}`;
  const address = addressOf(proxy);
  const tunnelRequest = request({
    ...address,
    // Otherwise Node checks the proxy's certificate against the Host header, which names the service.
    servername: isIP(address.host) ? '' : address.host,
    // The client certificate is for the service alone.
    ...(ca === undefined ? {} : { ca }),
    method: 'CONNECT',
    path: target,
    headers: { Host: target, ...authorizationOf(proxy) },
    agent: false,
  });
  step.current = tunnelRequest.on('error', ignore).end();
  const [response, socket, head] = await once(tunnelRequest, 'connect', step);
  prepare(socket, step);
  const { statusCode } = response;
  if (statusCode < 200 || statusCode > 299) {
    throw new ProxyError(`the proxy responded with HTTP status ${statusCode}`);
  }
  // Neither HTTP nor TLS lets the service speak first.
  if (head.length > 0) throw new ProxyError('the proxy sent more than a response');
  return socket;
}

function prepare<S extends Socket>(socket: S, step: Step): S {
  step.current = socket;
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

/** Returns the host without the brackets of an IPv6 address, and the port with its default. */
function addressOf({ hostname, port, protocol }: URL): { host: string; port: number } {
  const defaultPort = protocol === 'https:' ? 443 : 80;
  return { host: hostname.replace(/^\[(.*)\]$/, '$1'), port: port === '' ? defaultPort : Number(port) };
}

/** Returns the code and the words of a failure to make a connection, or of a broken connection. */
export function explainFailure(error: SystemError): { code: string; message: string } {
  // Node tries each address of a name and wraps the errors. The wrapper itself says nothing.
  const causes = error.errors?.length ? error.errors : [error];
  const message = causes.map((cause) => withoutInternals(cause.message)).join('; ');
  const code = error.code ?? (causes[0] as SystemError).code;
  return { code: typeof code === 'string' ? code : 'UNKNOWN', message };
}

/** Removes OpenSSL's thread, function, source file and line from its errors. Only the reason tells a user something. */
function withoutInternals(message: string): string {
  const [, reason] = /:error:[0-9A-F]+:[^:]*:[^:]*:([^:]*)/.exec(message) ?? [];
  return reason === undefined ? message : `TLS failed: ${reason}`;
}
