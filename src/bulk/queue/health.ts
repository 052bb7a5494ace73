import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { Gauge, Registry } from 'prom-client';
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
  const problem = 'metrics need prom-client, which is not installed: npm install prom-client';
  const load = () => require('prom-client') as typeof import('prom-client');
  const { Gauge, Registry } = loadOptional('prom-client', load, problem);
  const registry = new Registry();
  const add = (name: string, help: string, read: (gauge: Gauge) => unknown, labelNames: readonly string[] = []) => {
    const collect = async () => void (await read(gauge));
    const gauge: Gauge = new Gauge({
      name: `messaging_bulk_${name}`,
      help,
      labelNames,
      registers: [registry],
      collect,
    });
  };
  const setRows = (gauge: Gauge) => {
    const { total: _, ...states } = worker.counts;
    for (const [state, count] of Object.entries(states)) gauge.set({ state }, count);
  };
  const rows = 'Rows that this worker has claimed, by state. Only rows under way change their state.';
  add('rows', rows, setRows, ['state']);
  const failures = 'Requests that failed since the last one that was sent.';
  add('consecutive_failures', failures, (gauge) => gauge.set(worker.consecutiveFailures));
  const up = '1 while the worker works and Redis responds, else 0.';
  add('up', up, async (gauge) => gauge.set((await worker.findProblem()) === undefined ? 1 : 0));
  return registry;
}
