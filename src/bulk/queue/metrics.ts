import { ConfigurationError } from '../../errors';
import type { OutcomeRecord } from '../state/records';
import { loadOptional } from './peers';

type PromClient = typeof import('prom-client');

/** The health of a worker. */
export interface WorkerHealth {
  /** A few words; undefined while the worker works and Redis responds. */
  readonly problem: string | undefined;
  /** The rows of the queue that wait, and those of silent workers; undefined while Redis does not respond. */
  readonly queue: { readonly waiting: number; readonly silent: number } | undefined;
  /** The number of rows that this worker is sending. */
  readonly underWay: number;
  /** The number of requests that failed since the last one that was sent. */
  readonly consecutiveFailures: number;
}

/** The metrics of a worker; undefined when prom-client is not installed. */
export function loadMetrics(): Metrics | undefined {
  try {
    return new Metrics(loadOptional<PromClient>('prom-client', ''));
  } catch (error) {
    if (error instanceof ConfigurationError) return undefined;
    throw error;
  }
}

/** The greatest times of requests that are counted together, in seconds. */
const SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

/** The metrics of a worker for Prometheus. docs/many-machines.md lists them. */
export class Metrics {
  readonly #registry;
  readonly #rows;
  readonly #requests;
  readonly #gauges;

  constructor({ Counter, Gauge, Histogram, Registry }: PromClient) {
    const registry = new Registry();
    const gauge = (name: string, help: string) =>
      new Gauge({ name: `messaging_bulk_${name}`, help, registers: [registry] });
    this.#registry = registry;
    this.#rows = new Counter({
      name: 'messaging_bulk_rows_total',
      help: 'Rows that this worker has done, by outcome.',
      labelNames: ['outcome'],
      registers: [registry],
    });
    for (const outcome of ['sent', 'rejected', 'unknown', 'not-sent']) this.#rows.inc({ outcome }, 0);
    this.#requests = new Histogram({
      name: 'messaging_bulk_request_seconds',
      help: 'Time of requests that have ended, in seconds.',
      buckets: SECONDS,
      registers: [registry],
    });
    this.#gauges = {
      waiting: gauge('waiting_rows', 'Rows of the queue that no worker has claimed, over all lists.'),
      silent: gauge('silent_rows', 'Rows of the queue whose worker has ended or does not respond.'),
      underWay: gauge('under_way_rows', 'Rows of requests of this worker that are under way.'),
      failures: gauge('consecutive_failures', 'Requests that failed since the last one that was sent.'),
      up: gauge('up', '1 while the worker works and Redis responds, else 0.'),
    };
  }

  /** @param seconds the time from the claim to the end of the request */
  countRequest(seconds: number): void {
    this.#requests.observe(seconds);
  }

  countRows(outcome: OutcomeRecord['t'], rows: number): void {
    this.#rows.inc({ outcome }, rows);
  }

  /** Writes the metrics as text. While Redis does not respond, those of the queue are left as they were. */
  async write({ problem, queue, underWay, consecutiveFailures }: WorkerHealth) {
    const { waiting, silent, underWay: rows, failures, up } = this.#gauges;
    if (queue) {
      waiting.set(queue.waiting);
      silent.set(queue.silent);
    }
    rows.set(underWay);
    failures.set(consecutiveFailures);
    up.set(problem === undefined ? 1 : 0);
    return { text: await this.#registry.metrics(), type: this.#registry.contentType };
  }
}
