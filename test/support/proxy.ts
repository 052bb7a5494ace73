import { connect, type Socket } from 'node:net';
import type { TlsOptions } from 'node:tls';
import { type RawRequest, RawServer } from './raw-server';

/** Starts a proxy that connects to the target of each CONNECT, and keeps the heads of these requests. */
export async function startProxy({
  tls,
  status = '200 Connection established',
}: {
  readonly tls?: TlsOptions | undefined;
  readonly status?: string;
} = {}): Promise<{ service: RawServer; asked: RawRequest[] }> {
  const asked: RawRequest[] = [];
  const service = await RawServer.start({
    ...(tls && { tls }),
    onRequest(request) {
      asked.push(request);
      const { socket } = request;
      const [, target = ''] = request.requestLine.split(' ');
      const [host = '', port] = target.split(':');
      const upstream: Socket = connect(Number(port), host);
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
