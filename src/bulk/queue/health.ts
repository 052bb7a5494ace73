import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Registry } from 'prom-client';
import { wrongOption } from '../../options/table';
import type { Counts } from '../state/row-table';
import { loadOptional } from './peers';

/** The health of a worker and its counts. */
export interface WorkerHealth {
  /** A few words; undefined while the worker works and Redis responds. */
  readonly problem: string | undefined;
  readonly counts: Counts;
  /** The number of requests that failed since the last one that was sent. */
  readonly consecutiveFailures: number;
}

/**
 * Serves `/healthz` and, for Prometheus, `/metrics` until the function that it resolves with is called.
 *
 * @throws {ConfigurationError} when the port cannot be used
 */
export async function serveHealth(port: number, check: () => Promise<WorkerHealth>): Promise<() => void> {
  const server = createServer(async ({ url }, response) => {
    const health = await check();
    const respond = (status: number, text: string, type = 'text/plain') =>
      response.writeHead(status, { 'content-type': type }).end(text);
    if (url === '/healthz') respond(health.problem === undefined ? 200 : 503, `${health.problem ?? 'ok'}\n`);
    else if (url !== '/metrics') respond(404, 'only /healthz and /metrics are served\n');
    else {
      try {
        const registry = metricsOf(health);
        respond(200, await registry.metrics(), registry.contentType);
      } catch (error) {
        respond(501, `${(error as Error).message}\n`);
      }
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

/** @throws {ConfigurationError} when prom-client is not installed */
function metricsOf({ problem, counts, consecutiveFailures }: WorkerHealth): Registry {
  const missing = 'metrics need prom-client, which is not installed: npm install prom-client';
  const { Gauge, Registry } = loadOptional<typeof import('prom-client')>('prom-client', missing);
  const registry = new Registry();
  const gauge = (name: string, help: string, labelNames: readonly string[] = []) =>
    new Gauge({ name: `messaging_bulk_${name}`, help, labelNames, registers: [registry] });
  const words = 'Rows that this worker has claimed, by state. Only rows under way change their state.';
  const rows = gauge('rows', words, ['state']);
  const { total: _, ...states } = counts;
  for (const [state, count] of Object.entries(states)) rows.set({ state }, count);
  gauge('consecutive_failures', 'Requests that failed since the last one that was sent.').set(consecutiveFailures);
  gauge('up', '1 while the worker works and Redis responds, else 0.').set(problem === undefined ? 1 : 0);
  return registry;
}
