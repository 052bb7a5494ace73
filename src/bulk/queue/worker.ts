import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Job, Worker } from 'bullmq';
import { trueOrFalse } from '../../internal/option-checks';
import type { ResolvedOptions } from '../../internal/option-table';
import { checkedOptions, runOptions } from '../options';
import { FailureLimit } from '../sending/failure-limit';
import type { RunOptions } from '../sending/run';
import { type SendingClient, sendBatch, startTimeLimit } from '../sending/send-batch';
import type { OutcomeRecord } from '../state/records';
import type { Counts } from '../state/row-table';
import { Claims } from './claims';
import { type JobData, type QueuedJob, readJob } from './job';
import { type QueueOptions, queueName, queueOptions } from './options';
import { type RedisConnection, withRedis } from './redis';
import { SharedRateLimiter } from './shared-rate-limiter';

/** How the rows of a queue are sent. */
export interface WorkOptions extends QueueOptions, Omit<RunOptions, 'baseline' | 'rowsPerSecond'> {
  /** A MessagingClient. */
  readonly client: SendingClient;
  /** The name of the queue that rows were put in. Default `messaging-bulk`. */
  readonly queue?: string | undefined;
  /**
   * The greatest number of rows that start in a second, over all workers of the queue. Give each worker the same number. Default: no
   * limit.
   */
  readonly rowsPerSecond?: number | undefined;
  /** Ends the worker when no job is left in the queue, also when there is no other worker. Default false: it waits for more. */
  readonly untilEmpty?: boolean | undefined;
}

const { baseline: _, ...sendingOptions } = runOptions;
const workOptions = {
  ...sendingOptions,
  ...queueOptions,
  ...queueName,
  client: { read: (value: unknown) => value as SendingClient, required: true },
  untilEmpty: { read: trueOrFalse, default: false },
} as const;

/**
 * Sends the rows that `enqueueBulk` has put in a queue, each batch once, whatever happens to this worker, to other workers, or to the
 * queue. It takes jobs until the signal is aborted, `stopAfterFailures` batches have failed here, or with `untilEmpty` no job is left;
 * then it waits for what is under way. Until a first row is sent here, it sends one batch at a time.
 *
 * Resolves with the counts of the rows that this worker has claimed; rows that were not sent are `pending`.
 *
 * @throws {ConfigurationError} when an option is wrong, a peer is missing, or Redis may lose data; {RedisError} when Redis cannot be
 * reached at the start
 */
export async function workBulk(options: WorkOptions): Promise<Counts> {
  const settings = checkedOptions(workOptions, options);
  return withRedis({ ...settings, durable: true }, (connection) => new BulkWorker(connection, settings).run());
}

/** The time between two questions of an idle worker whether a job is left. */
const EMPTY_CHECK_MS = 250;

/** Takes jobs from a queue and sends them. Used once. */
class BulkWorker {
  readonly #connection: RedisConnection;
  readonly #settings: ResolvedOptions<typeof workOptions>;
  readonly #limiter: SharedRateLimiter;
  readonly #worker: Worker<JobData>;
  readonly #stop = new AbortController();
  readonly #counts = { total: 0, pending: 0, 'under-way': 0, unknown: 0, sent: 0, rejected: 0, excluded: 0 };
  readonly #failures: FailureLimit;

  constructor(connection: RedisConnection, settings: ResolvedOptions<typeof workOptions>) {
    const { redis, bullmq, warn } = connection;
    this.#connection = connection;
    this.#settings = settings;
    this.#failures = new FailureLimit(settings.stopAfterFailures);
    this.#limiter = new SharedRateLimiter(redis, settings.queue, settings.rowsPerSecond);
    this.#worker = new bullmq.Worker<JobData>(settings.queue, (job, token) => this.#process(job, token), {
      connection: redis,
      autorun: false,
      concurrency: 1,
      // A job whose worker died fails, and is not run again: it may have been sent.
      maxStalledCount: 0,
      runRetryDelay: 1000,
    });
    this.#worker.on('error', warn);
    this.#worker.on('failed', (job, { message }) => warn(new Error(`job ${job?.id} failed: ${message}`)));
    // Each job that waits for its slot listens.
    setMaxListeners(0, this.#stop.signal);
  }

  async run(): Promise<Counts> {
    const { signal, untilEmpty } = this.#settings;
    const stop = () => this.#stop.abort();
    signal?.addEventListener('abort', stop);
    if (signal?.aborted) stop();
    const ready = this.#worker.waitUntilReady();
    // Closing waits for the jobs under way, and no job is taken any more. A worker that is closed before it is connected fails, and
    // leaves timers behind.
    const closed = new Promise<void>((resolve) => {
      const close = () => resolve(ready.catch(() => undefined).then(() => this.#worker.close()));
      if (this.#stop.signal.aborted) close();
      else this.#stop.signal.addEventListener('abort', close);
    });
    try {
      await ready;
      await Promise.all([this.#worker.run(), closed, untilEmpty ? this.#stopWhenEmpty() : undefined]);
    } finally {
      signal?.removeEventListener('abort', stop);
      stop();
      await closed;
    }
    return { ...this.#counts };
  }

  async #process(job: Job<JobData>, token: string | undefined): Promise<void> {
    const batch = this.#read(job);
    try {
      await this.#limiter.waitForSlot(batch.rows.length, this.#stop.signal);
    } catch (error) {
      this.#conclude(batch, 'pending', error);
      // A worker that goes on would take the job again at once, without end.
      if (!this.#stop.signal.aborted) throw error;
    }
    if (this.#stop.signal.aborted) {
      await job.moveToWait(token);
      throw new this.#connection.bullmq.WaitingError();
    }
    const claims = new Claims(this.#connection.redis, batch.opening);
    const timeLeft = startTimeLimit(batch.startWithinMs);
    let claim: string | undefined;
    try {
      claim = await claims.claim(batch.n);
    } catch (error) {
      this.#conclude(batch, 'pending', error);
      throw error;
    }
    if (claim === undefined) return;
    this.#counts['under-way'] += batch.rows.length;
    const { client } = this.#settings;
    const { outcome, error } = await sendBatch(client, batch.operation, batch.rows, timeLeft());
    this.#counts['under-way'] -= batch.rows.length;
    await this.#store(claims, claim, batch, { ...outcome, n: batch.n }, error);
  }

  #read({ data }: Job<JobData>): QueuedJob {
    try {
      return readJob(data);
    } catch (error) {
      this.#countFailure(data.n === 1);
      throw error;
    }
  }

  async #store(claims: Claims, claim: string, batch: QueuedJob, outcome: OutcomeRecord, error: unknown): Promise<void> {
    try {
      await claims.store(claim, outcome);
    } catch (storeError) {
      // `collectBulk` finds the claim without an outcome.
      this.#conclude(batch, 'unknown', storeError);
      throw storeError;
    }
    const target = outcome.t === 'not-sent' ? 'pending' : outcome.t;
    this.#conclude(batch, target, outcome.t === 'sent' ? undefined : (error ?? new Error(outcome.error)));
  }

  #conclude({ n, rows, range }: QueuedJob, target: keyof Counts, error: unknown): void {
    this.#counts.total += rows.length;
    this.#counts[target] += rows.length;
    if (target === 'sent') {
      this.#worker.concurrency = this.#settings.concurrency;
      this.#failures.countSent();
    } else this.#countFailure(n === 1);
    const failure = error === undefined ? undefined : { range, message: (error as Error).message, error };
    this.#settings.onProgress?.({ ...this.#counts, failure });
  }

  #countFailure(isFirst: boolean): void {
    this.#failures.countFailure(isFirst);
    if (this.#failures.reason !== undefined) this.#stop.abort();
  }

  /** Other workers may have jobs under way, and the jobs of a dead worker are in the queue until BullMQ notices its death. */
  async #stopWhenEmpty(): Promise<void> {
    const { redis, bullmq, warn } = this.#connection;
    const queue = new bullmq.Queue(this.#settings.queue, { connection: redis });
    queue.on('error', warn);
    const { signal } = this.#stop;
    while (!signal.aborted) {
      const left = await queue.getJobCountByTypes('waiting', 'active', 'delayed', 'prioritized');
      if (left === 0) this.#stop.abort();
      else await sleep(EMPTY_CHECK_MS, undefined, { signal }).catch(() => undefined);
    }
    await queue.close();
  }
}
