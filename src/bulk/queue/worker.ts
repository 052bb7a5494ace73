import { setTimeout as sleep } from 'node:timers/promises';
import type { MessagingClient } from '../../client/client';
import { Service } from '../../client/options/service';
import { nonEmptyText, trueOrFalse, unchecked, wholeNumber } from '../../options/checks';
import { checkOptions, type FlagTable, type GivenOptions, type ResolvedOptions } from '../../options/table';
import { sendAll } from '../sending/engine';
import { type RunResult, sendOptions } from '../sending/options';
import { Pace } from '../sending/pace';
import type { SendingClient } from '../sending/send-batch';
import { countQueue, RENEW_MS } from './claims';
import { serveHealth } from './health';
import { Jobs } from './jobs';
import { loadMetrics, type Metrics, type WorkerHealth } from './metrics';
import { type QueueOptions, type queueOption, queueOptions } from './options';
import { checkQueue } from './queue-service';
import { type RedisConnection, withRedis } from './redis';
import { RedisLedger } from './redis-ledger';

const ownOptions = {
  /**
   * The greatest number of rows that start in a second, over all workers of the queue. Give each worker the same
   * number. Default: no limit.
   */
  rowsPerSecond: {
    ...sendOptions.rowsPerSecond,
    flag: { value: 'n', help: 'start at most n rows a second over all workers (default: off, no limit)' },
  },
  /** Ends the worker when no job is left in the queue. Default false: it waits for more. */
  untilEmpty: { read: trueOrFalse, default: false, flag: { help: 'end when nothing is left in the queue' } },
  /** Serves `/healthz` at this port and, with `prom-client` installed, `/metrics` for Prometheus. Default: no port. */
  healthPort: {
    read: wholeNumber(1, 65_535),
    flag: { value: 'n', help: 'serve /healthz and /metrics at this port' },
  },
} as const satisfies FlagTable;

/** The options of a worker beside those of its queue. */
export const workerOptions = { ...sendOptions, ...ownOptions } as const;

const clientOption = {
  /**
   * A text that differs for each account of the service, such as the API key. Redis keeps a mark of four bytes.
   * Default: the rows are taken to be sent with the account with which their list was put in the queue.
   */
  account: { read: nonEmptyText('a text') },
  /** A MessagingClient. A queue whose rows are for another service than that of the client is refused. */
  client: {
    ...unchecked<SendingClient & Partial<Pick<MessagingClient, 'baseUrl' | 'namespace'>>>(),
    required: true,
  },
} as const;

const workOptions = { ...workerOptions, ...queueOptions, ...clientOption } as const;

/** How the rows of a queue are sent. */
export interface WorkOptions
  extends QueueOptions,
    GivenOptions<typeof queueOption>,
    GivenOptions<typeof sendOptions>,
    GivenOptions<typeof ownOptions>,
    GivenOptions<typeof clientOption> {}

/**
 * Sends the rows that `enqueueBulk` has put in a queue, each batch once, whatever happens to this worker, to other
 * workers, or to the queue. It takes jobs until the signal is aborted, `stopAfterFailures` consecutive batches have
 * failed here, or with `untilEmpty` no job is left; then it waits for what is under way. Until a first row is sent
 * here, it sends one batch at a time. Resolves with the number of rows that it has claimed, by state, and with the
 * reason why it stopped before it was told to.
 *
 * @throws {ConfigurationError} when an option is wrong, a peer is missing, or Redis may lose data; {RedisError} when
 * Redis cannot be reached at the start, or for `redisTimeoutMs` later, or has lost the claims
 */
export async function workBulk(options: WorkOptions): Promise<RunResult> {
  return workWhenReady(options, () => undefined);
}

/** Works as `workBulk` does. @param onReady is called when Redis can be used, before the first job is taken */
export async function workWhenReady(options: WorkOptions, onReady: () => void): Promise<RunResult> {
  const settings = checkOptions(workOptions, options);
  return withRedis(settings, (connection) => new BulkWorker(connection, settings).run(onReady));
}

/** The time in which Redis must respond to a question about the health of a worker, in milliseconds. */
const REPLY_MS = 1000;

/** Sends what is in a queue. Used once. */
class BulkWorker {
  readonly #connection: RedisConnection;
  readonly #settings: ResolvedOptions<typeof workOptions>;
  readonly #pace: Pace;
  readonly #jobs: Jobs;
  readonly #ledger: RedisLedger;
  readonly #service: Service;
  readonly #metrics: Metrics | undefined;

  constructor(connection: RedisConnection, settings: ResolvedOptions<typeof workOptions>) {
    this.#connection = connection;
    this.#settings = settings;
    this.#pace = new Pace({ ...settings, signal: connection.signal }, false);
    this.#service = new Service(settings.client);
    this.#jobs = new Jobs(connection, settings, this.#pace, this.#service);
    this.#metrics = settings.healthPort === undefined ? undefined : loadMetrics();
    this.#ledger = new RedisLedger(this.#jobs, this.#pace, settings.onProgress, this.#metrics);
  }

  async run(onReady: () => void): Promise<RunResult> {
    const { client, healthPort, queue, rowsPerSecond, untilEmpty } = this.#settings;
    let endHealth: (() => void) | undefined;
    const renewing = setInterval(() => this.#ledger.renew().catch(this.#pace.fail), RENEW_MS);
    try {
      await checkQueue(this.#connection, queue, { service: this.#service, rowsPerSecond });
      await this.#jobs.open();
      onReady();
      if (healthPort !== undefined) endHealth = await serveHealth(healthPort, () => this.#checkHealth(), this.#metrics);
      await sendAll(client, this.#pace, this.#ledger.batches(untilEmpty));
    } finally {
      clearInterval(renewing);
      await this.#jobs.close();
      endHealth?.();
    }
    return { ...this.#ledger.counts, stopped: this.#pace.reason };
  }

  async #checkHealth(): Promise<WorkerHealth> {
    const { signal, consecutiveFailures } = this.#pace;
    const own = { underWay: this.#ledger.counts['under-way'], consecutiveFailures };
    if (signal.aborted) return { ...own, queue: undefined, problem: 'the worker is stopping' };
    const counting = countQueue(this.#connection, this.#settings.queue).then(
      (queue) => ({ queue, problem: undefined }),
      () => ({ queue: undefined, problem: 'Redis cannot be reached' }),
    );
    const silence = sleep(REPLY_MS, { queue: undefined, problem: 'Redis does not respond' }, { ref: false });
    return { ...own, ...(await Promise.race([counting, silence])) };
  }
}
