import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Job, Worker } from 'bullmq';
import type { OutcomeRecord } from '../journal/records';
import type { Counts } from '../journal/row-table';
import type { RunSettings } from '../sending/run';
import { sendBatch } from '../sending/send-batch';
import { startStopwatch } from '../sending/stopwatch';
import type { BulkClient } from '../session/bulk-client';
import { Claims } from './claims';
import { type JobData, type QueuedJob, readJob } from './job';
import type { RedisConnection } from './redis-connection';
import { SharedPacer } from './shared-pacer';

export type WorkSettings = RunSettings & {
  readonly client: BulkClient;
  readonly queue: string;
  readonly untilEmpty: boolean;
};

/** How often an idle worker asks whether anything is left. */
const EMPTY_CHECK_MS = 250;

/** Takes jobs from a queue and sends them. Used once. */
export class BulkWorker {
  readonly #connection: RedisConnection;
  readonly #settings: WorkSettings;
  readonly #pacer: SharedPacer;
  readonly #worker: Worker<JobData>;
  readonly #stop = new AbortController();
  readonly #counts = { rows: 0, pending: 0, underWay: 0, unknown: 0, sent: 0, rejected: 0 };
  #failures = 0;

  constructor(connection: RedisConnection, settings: WorkSettings) {
    const { redis, bullmq, warn } = connection;
    this.#connection = connection;
    this.#settings = settings;
    this.#pacer = new SharedPacer(redis, settings.queue, settings.rowsPerSecond);
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
    // Each job that waits for its turn listens.
    setMaxListeners(0, this.#stop.signal);
  }

  async run(): Promise<Counts> {
    const { signal, untilEmpty } = this.#settings;
    const stop = () => this.#stop.abort();
    signal?.addEventListener('abort', stop);
    if (signal?.aborted) stop();
    const ready = this.#worker.waitUntilReady();
    // From then on no job is taken; closing waits for those under way. A worker that is closed before it is connected fails, and
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
      await this.#pacer.wait(batch.rows.length, this.#stop.signal);
    } catch (error) {
      this.#conclude(batch, 'pending', error);
      // A worker that goes on would take the job again at once, without end.
      if (!this.#stop.signal.aborted) throw error;
    }
    if (this.#stop.signal.aborted) {
      await job.moveToWait(token);
      throw new this.#connection.bullmq.WaitingError();
    }
    const claims = new Claims(this.#connection.redis, batch.run);
    const passed = startStopwatch();
    let claim: string | undefined;
    try {
      claim = await claims.take(batch.n);
    } catch (error) {
      this.#conclude(batch, 'pending', error);
      throw error;
    }
    if (claim === undefined) return;
    this.#counts.underWay += batch.rows.length;
    const { client } = this.#settings;
    const { outcome, error } = await sendBatch(client, batch.operation, batch.rows, batch.startWithinMs - passed());
    this.#counts.underWay -= batch.rows.length;
    await this.#store(claims, claim, batch, { ...outcome, n: batch.n }, error);
  }

  #read({ data }: Job<JobData>): QueuedJob {
    try {
      return readJob(data);
    } catch (error) {
      this.#countFailure();
      throw error;
    }
  }

  async #store(claims: Claims, claim: string, batch: QueuedJob, outcome: OutcomeRecord, error: unknown): Promise<void> {
    try {
      await claims.store(claim, outcome);
    } catch (storeError) {
      // Whoever collects finds the claim alone.
      this.#conclude(batch, 'unknown', storeError);
      throw storeError;
    }
    const target = outcome.t === 'not-sent' ? 'pending' : outcome.t;
    this.#conclude(batch, target, outcome.t === 'sent' ? undefined : (error ?? new Error(outcome.error)));
  }

  #conclude({ rows, range }: QueuedJob, target: keyof Counts, error: unknown): void {
    this.#counts.rows += rows.length;
    this.#counts[target] += rows.length;
    if (target === 'sent') this.#worker.concurrency = this.#settings.concurrency;
    else this.#countFailure();
    const failure = error === undefined ? undefined : { rows: range, message: (error as Error).message, error };
    this.#settings.onProgress?.({ ...this.#counts, failure });
  }

  #countFailure(): void {
    this.#failures += 1;
    if (this.#failures === this.#settings.stopAfterFailures) this.#stop.abort();
  }

  /** Other workers may have jobs under way, and what ended without a word is in the queue until BullMQ notices. */
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
