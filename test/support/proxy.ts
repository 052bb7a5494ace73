import { connect, type Socket } from 'node:net';
import type { TlsOptions } from 'node:tls';
import { type RawRequest, RawServer } from './raw-server';

/**
 * Starts a proxy that connects to the target of each CONNECT, and keeps the heads of these requests.
 *
 * @param options.tls the TLS options of an https proxy; without them it is an http proxy
 * @param options.resolvesTo the port on this machine that every target leads to
 */
export async function startProxy({
  tls,
  status = '200 Connection established',
  resolvesTo,
}: {
  readonly tls?: TlsOptions | undefined;
  readonly status?: string;
  readonly resolvesTo?: number;
} = {}): Promise<{ service: RawServer; asked: RawRequest[] }> {
  const asked: RawRequest[] = [];
  const service = await RawServer.start({
    ...(tls && { tls }),
    onRequest(request) {
      asked.push(request);
      const { socket } = request;
      const [, target = ''] = request.requestLine.split(' ');
      const [host = '', port] = target.split(':');
      const upstream: Socket = resolvesTo === undefined ? connect(Number(port), host) : connect(resolvesTo);
      upstream.on('error', () => socket.destroy());
      upstream.on('close', () => socket.destroy());
      socket.on('close', () => upstream.destroy());
      upstream.on('connect', () => {
        // From here on the proxy only carries bytes.
        socket.removeAllListeners('data');
        socket.write(`HTTP/1.1 ${status}\r\n\r\n`);
        socket.on('data', (chunk: Buffer) => upstream.write(chunk));
        upstream.on('data', (chunk) => socket.write(chunk));
      });
    },
  });
  return { service, asked };
}
