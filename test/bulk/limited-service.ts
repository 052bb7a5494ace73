import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { cleanUp } from '../support/clean-up';

/** A way to a service that takes only some requests in each second, as providers do. */
export interface LimitedService {
  readonly baseUrl: string;
  /** The number of requests that send, by what became of them. */
  readonly counts: { accepted: number; refused: number };
}

const SECOND_MS = 1000;

/**
 * Starts a server that forwards requests to the service. Beyond the limit, a request that sends gets HTTP status 429
 * with `Retry-After: 1`, and nothing is forwarded.
 *
 * @param perSecond the greatest number of requests in any second
 */
export async function startLimitedService(target: string, perSecond: number): Promise<LimitedService> {
  const { hostname, port } = new URL(target);
  const counts = { accepted: 0, refused: 0 };
  /** The times of the requests that were accepted in the last second. */
  const accepted: number[] = [];
  const isAllowed = (): boolean => {
    const now = performance.now();
    while (accepted.length > 0 && now - (accepted[0] as number) >= SECOND_MS) accepted.shift();
    if (accepted.length >= perSecond) return false;
    accepted.push(now);
    return true;
  };
  const server = createServer(async (incoming, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    if (body.includes('SendSimpleByApikey')) {
      const isAccepted = isAllowed();
      counts[isAccepted ? 'accepted' : 'refused'] += 1;
      if (!isAccepted) return response.writeHead(429, { 'retry-after': '1' }).end('too many requests');
    }
    const { method, url, headers } = incoming;
    const forwarded = request({ hostname, port, method, path: url, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    forwarded.on('error', () => response.destroy());
    return forwarded.end(body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanUp(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  return { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, counts };
}
