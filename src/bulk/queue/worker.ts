import { setTimeout as sleep } from 'node:timers/promises';
import type { MessagingClient } from '../../client/client';
import { wait } from '../../internal/signals';
import { trueOrFalse, unchecked, wholeNumber } from '../../options/checks';
import { checkOptions, type FlagTable, type ResolvedOptions } from '../../options/table';
import { sendOptions } from '../options';
import { Pace } from '../sending/pace';
import type { RunOptions, RunResult } from '../sending/run';
import { failureOf, type SendingClient, type SendResult, sendBatch } from '../sending/send-batch';
import type { RowRange } from '../state/records';
import { NO_ROWS } from '../state/row-table';
import { RENEW_MS } from './claims';
import { serveHealth, type WorkerHealth } from './health';
import { type Held, Jobs } from './jobs';
import { type QueueOptions, queueOptions } from './options';
import { checkQueue, type QueueService, serviceOf } from './queue-service';
import { type RedisConnection, withRedis } from './redis';

/** How the rows of a queue are sent. */
export interface WorkOptions
  extends QueueOptions,
    Pick<RunOptions, 'concurrency' | 'stopAfterFailures' | 'signal' | 'onProgress' | 'onPause'> {
  /** A MessagingClient. A queue whose rows are for another service than that of the client is refused. */
  readonly client: SendingClient & Partial<Pick<MessagingClient, 'baseUrl' | 'namespace'>>;
  /** The name of the queue that rows were put in. Default `messaging-bulk`. */
  readonly queue?: string | undefined;
  /**
   * The greatest number of rows that start in a second, over all workers of the queue. Give each worker the same
   * number. Default: no limit.
   */
  readonly rowsPerSecond?: number | undefined;
  /** Ends the worker when no job is left in the queue. Default false: it waits for more. */
  readonly untilEmpty?: boolean | undefined;
  /** Serves `/healthz` at this port and, with `prom-client` installed, `/metrics` for Prometheus. Default: no port. */
  readonly healthPort?: number | undefined;
}

/** The options of a worker beside those of its queue. */
export const workerOptions = {
  ...sendOptions,
  rowsPerSecond: {
    ...sendOptions.rowsPerSecond,
    flag: { value: 'n', help: 'start at most n rows a second over all workers (default: no limit)' },
  },
  untilEmpty: { read: trueOrFalse, default: false, flag: { help: 'end when nothing is left in the queue' } },
  healthPort: {
    read: wholeNumber(1, 65_535),
    flag: { value: 'n', help: 'serve /healthz and /metrics at this port' },
  },
} as const satisfies FlagTable;

const workOptions = {
  ...workerOptions,
  ...queueOptions,
  client: { ...unchecked<WorkOptions['client']>(), required: true },
} as const;

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

/** The pause of an idle worker before it asks for a job again, in milliseconds. */
const IDLE_MS = 250;
/** The time in which Redis must respond to a question about the health of a worker, in milliseconds. */
const PING_MS = 1000;

/** Takes jobs from a queue and sends them. Used once. */
class BulkWorker {
  readonly #counts = { ...NO_ROWS };
  readonly #connection: RedisConnection;
  readonly #settings: ResolvedOptions<typeof workOptions>;
  readonly #pace: Pace;
  readonly #jobs: Jobs;
  readonly #service: QueueService;
  /** The batches whose requests are under way. */
  readonly #held = new Set<Held>();

  constructor(connection: RedisConnection, settings: ResolvedOptions<typeof workOptions>) {
    this.#connection = connection;
    this.#settings = settings;
    this.#pace = new Pace({ ...settings, signal: connection.signal }, false);
    this.#service = serviceOf(settings.client);
    this.#jobs = new Jobs(connection, settings, this.#pace, this.#service);
  }

  async run(onReady: () => void): Promise<RunResult> {
    const { healthPort, queue, rowsPerSecond } = this.#settings;
    let endHealth: (() => void) | undefined;
    const renew = ({ claims, batch, claim }: Held) => claims.renew(batch.n, claim);
    const renewing = setInterval(() => Promise.all([...this.#held].map(renew)).catch(this.#pace.fail), RENEW_MS);
    try {
      await checkQueue(this.#connection, queue, { service: this.#service, rowsPerSecond });
      await this.#jobs.open();
      onReady();
      if (healthPort !== undefined) endHealth = await serveHealth(healthPort, () => this.#checkHealth());
      await this.#sendAll().catch(this.#pace.fail);
      await this.#pace.drain();
    } finally {
      clearInterval(renewing);
      await this.#jobs.close();
      endHealth?.();
    }
    return { ...this.#counts, stopped: this.#pace.reason };
  }

  async #checkHealth(): Promise<WorkerHealth> {
    const { signal, consecutiveFailures } = this.#pace;
    const silent = sleep(PING_MS, undefined, { ref: false }).then(() => 'Redis does not respond');
    const ping = this.#connection.redis.ping().then(
      () => undefined,
      () => 'Redis cannot be reached',
    );
    const problem = signal.aborted ? 'the worker is stopping' : await Promise.race([ping, silent]);
    return { problem, counts: this.#counts, consecutiveFailures };
  }

  /** Takes batches and sends them side by side; while the queue has none, asks for one at a time. */
  async #sendAll(): Promise<void> {
    const [pace, jobs] = [this.#pace, this.#jobs];
    while (await pace.turn()) {
      const taking = jobs.take();
      pace.start(async () => {
        const held = await taking;
        if (held) await this.#send(held);
      });
      // Its failure has ended the sending.
      if (jobs.isIdle) await taking.catch(() => undefined);
      if (!jobs.isIdle) continue;
      // A batch that is under way may come back to the queue.
      if (this.#settings.untilEmpty && this.#held.size === 0 && (await jobs.isEmpty())) pace.end();
      await wait(IDLE_MS, pace.signal).catch(() => undefined);
    }
  }

  async #send(held: Held): Promise<void> {
    const { claims, claim, timeLeft } = held;
    const { n, range, rows, operation, isFirst } = held.batch;
    this.#held.add(held);
    this.#counts['under-way'] += rows.length;
    const result = await sendBatch(this.#settings.client, operation, rows, timeLeft());
    this.#counts['under-way'] -= rows.length;
    // Before the batch is in the queue again: no request may start during the pause.
    this.#pace.count(result, isFirst);
    const outcome = this.#pace.keep(result, isFirst);
    const kept = result.pushback ? this.#jobs.putBack(held) : claims.settle(n, claim, { ...outcome, n });
    await kept
      .finally(() => this.#held.delete(held))
      .catch((error: Error) => {
        // `collectBulk` finds the claim without an outcome.
        this.#conclude(range, { outcome: { t: 'unknown', error: error.message }, error });
        throw error;
      });
    if (!result.pushback) this.#conclude(range, { ...result, outcome });
  }

  #conclude(range: RowRange, result: SendResult): void {
    const { t } = result.outcome;
    const rows = range[1] - range[0] + 1;
    this.#counts.total += rows;
    this.#counts[t === 'not-sent' ? 'pending' : t] += rows;
    this.#settings.onProgress?.({ ...this.#counts, failure: failureOf(range, result) });
  }
}
