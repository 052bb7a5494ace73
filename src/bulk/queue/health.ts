import { once } from 'node:events';
import { createServer } from 'node:http';
import { wrongOption } from '../../options/table';
import type { Metrics, WorkerHealth } from './metrics';

/** The time for which a question about the health is not asked again, in milliseconds. */
const SHARED_MS = 1000;

/**
 * Serves `/healthz` and, for Prometheus, `/metrics` until the function that it resolves with is called.
 *
 * @param check is called once a second at most, however often it is asked
 * @param metrics undefined when prom-client is not installed
 * @throws {ConfigurationError} when the port cannot be used
 */
export async function serveHealth(
  port: number,
  check: () => Promise<WorkerHealth>,
  metrics: Metrics | undefined,
): Promise<() => void> {
  let [checked, asked] = [Number.NEGATIVE_INFINITY, undefined as Promise<WorkerHealth> | undefined];
  const health = () => {
    const now = performance.now();
    if (asked === undefined || now - checked >= SHARED_MS) [checked, asked] = [now, check()];
    return asked;
  };
  const server = createServer(async ({ url }, response) => {
    const respond = (status: number, text: string, type = 'text/plain') =>
      response.writeHead(status, { 'content-type': type }).end(text);
    if (url === '/healthz') {
      const { problem } = await health();
      respond(problem === undefined ? 200 : 503, `${problem ?? 'ok'}\n`);
    } else if (url !== '/metrics') respond(404, 'only /healthz and /metrics are served\n');
    else if (!metrics) respond(501, 'metrics need prom-client, which is not installed: npm install prom-client\n');
    else {
      const { text, type } = await metrics.write(await health());
      respond(200, text, type);
    }
  });
  await once(server.listen(port), 'listening').catch((error: Error) => {
    throw wrongOption('healthPort', error.message);
  });
  return () => {
    server.close();
    server.closeAllConnections();
  };
}
