import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { Registry } from 'prom-client';
import { ConfigurationError } from '../../errors';
import type { Counts } from '../state/row-table';
import { loadOptional } from './peers';

/** The health of a worker and its counts. */
export interface WorkerHealth {
  readonly counts: Counts;
  /** The number of requests that failed since the last one that was sent. */
  readonly consecutiveFailures: number;
  /** Resolves with the problem in a few words; with undefined while the worker works and Redis responds. */
  findProblem(): Promise<string | undefined>;
}

/**
 * Serves `/healthz` and, for Prometheus, `/metrics` until the function that it resolves with is called.
 *
 * @throws {ConfigurationError} when prom-client is not installed, or the port cannot be used
 */
export async function serveHealth(port: number, worker: WorkerHealth): Promise<() => void> {
  const registry = metricsOf(worker);
  const server = createServer(async ({ url }, response) => {
    const problem = await worker.findProblem();
    if (url === '/healthz') response.writeHead(problem === undefined ? 200 : 503).end(`${problem ?? 'ok'}\n`);
    else if (url === '/metrics')
      response.writeHead(200, { 'content-type': registry.contentType }).end(await registry.metrics());
    else response.writeHead(404).end('only /healthz and /metrics are served\n');
  });
  await listen(server, port);
  return () => {
    server.close();
    server.closeAllConnections();
  };
}

async function listen(server: Server, port: number): Promise<void> {
  try {
    await once(server.listen(port), 'listening');
  } catch (error) {
    throw new ConfigurationError({ problems: [{ option: 'healthPort', message: (error as Error).message }] });
  }
}

function metricsOf(worker: WorkerHealth): Registry {
  const prometheus = loadOptional('prom-client', () => require('prom-client') as typeof import('prom-client'));
  if (!prometheus)
    throw new ConfigurationError({
      message: 'metrics need prom-client, which is not installed: npm install prom-client',
    });
  const registry = new prometheus.Registry();
  new prometheus.Gauge({
    name: 'messaging_bulk_rows',
    help: 'Rows that this worker has claimed, by state. Only rows under way change their state.',
    labelNames: ['state'],
    registers: [registry],
    collect() {
      const { total: _, ...states } = worker.counts;
      for (const [state, count] of Object.entries(states)) this.set({ state }, count);
    },
  });
  new prometheus.Gauge({
    name: 'messaging_bulk_consecutive_failures',
    help: 'Requests that failed since the last one that was sent.',
    registers: [registry],
    collect() {
      this.set(worker.consecutiveFailures);
    },
  });
  new prometheus.Gauge({
    name: 'messaging_bulk_up',
    help: '1 while the worker works and Redis responds, else 0.',
    registers: [registry],
    async collect() {
      this.set((await worker.findProblem()) === undefined ? 1 : 0);
    },
  });
  return registry;
}
