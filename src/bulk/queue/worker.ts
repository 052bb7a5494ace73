import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Job, Queue, Worker } from 'bullmq';
import { ConfigurationError } from '../../errors';
import { trueOrFalse, wholeNumber } from '../../internal/option-checks';
import type { ResolvedOptions } from '../../internal/option-table';
import { wait } from '../../internal/timers';
import { checkedOptions, runOptions } from '../options';
import { FailureLimit } from '../sending/failure-limit';
import type { RunOptions } from '../sending/run';
import { type SendingClient, sendBatch, startTimeLimit } from '../sending/send-batch';
import type { OutcomeRecord } from '../state/records';
import type { Counts } from '../state/row-table';
import { type ClaimResult, Claims, newClaim, RENEW_MS } from './claims';
import { serveHealth, type WorkerHealth } from './health';
import { type JobData, type QueuedJob, readJob } from './job';
import { type QueueOptions, queueName, queueOptions } from './options';
import { type RedisConnection, withRedis } from './redis';
import { RedisError } from './redis-error';
import { type RateSlot, SharedRateLimiter } from './shared-rate-limiter';

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
  /** Serves `/healthz` and, for Prometheus, `/metrics` at this port, with `prom-client` installed. Default: no port. */
  readonly healthPort?: number | undefined;
}

/** The result of a worker: the rows that it has claimed, by state. */
export interface WorkResult extends Counts {
  /** The reason why the worker stopped before it was told to; undefined when its signal or an empty queue ended it. */
  readonly stopped: string | undefined;
}

const { baseline: _, ...sendingOptions } = runOptions;
const workOptions = {
  ...sendingOptions,
  ...queueOptions,
  ...queueName,
  client: { read: (value: unknown) => value as SendingClient, required: true },
  untilEmpty: { read: trueOrFalse, default: false },
  healthPort: { read: wholeNumber(1, 65_535) },
} as const;

/**
 * Sends the rows that `enqueueBulk` has put in a queue, each batch once, whatever happens to this worker, to other workers, or to the
 * queue. It takes jobs until the signal is aborted, `stopAfterFailures` batches in a row have failed here, or with `untilEmpty` no job
 * is left; then it waits for what is under way. Until a first row is sent here, it sends one batch at a time.
 *
 * @throws {ConfigurationError} when an option is wrong, a peer is missing, or Redis may lose data; {RedisError} when Redis cannot be
 * reached at the start, or for `redisTimeoutMs` later, or has lost the claims
 */
export async function workBulk(options: WorkOptions): Promise<WorkResult> {
  const settings = checkedOptions(workOptions, options);
  return withRedis({ ...settings, durable: true }, (connection) => new BulkWorker(connection, settings).run());
}

/** The pause of an idle worker before it asks for a job again, in milliseconds. */
const IDLE_MS = 250;
/** The time between two checks of Redis, in milliseconds. */
const BEAT_MS = 1000;
/** The greatest time that is planned for a claim before its slot begins, in milliseconds. */
const MAX_LEAD_MS = 1000;
/**
 * The time for which BullMQ keeps a job for the worker that took it, and the time between its searches for jobs of dead workers, in
 * milliseconds. A job ends with its claim, so this is the time between the two.
 */
const LOCK_MS = 5000;

/** A batch that this worker may send. */
interface Held {
  readonly batch: QueuedJob;
  readonly claims: Claims;
  readonly claim: string;
  /** The time that is left for the request to begin, in milliseconds. */
  readonly timeLeft: () => number;
}

/** A job that this worker has taken from the queue. */
interface Taken {
  readonly job: Job<JobData>;
  readonly token: string;
  readonly batch: QueuedJob;
}

/** Takes jobs from a queue and sends them. Used once. */
class BulkWorker implements WorkerHealth {
  readonly #connection: RedisConnection;
  readonly #settings: ResolvedOptions<typeof workOptions>;
  readonly #limiter: SharedRateLimiter;
  readonly #worker: Worker<JobData>;
  readonly #queue: Queue;
  readonly #failures: FailureLimit;
  readonly #stop = new AbortController();
  readonly counts = { total: 0, pending: 0, 'under-way': 0, unknown: 0, sent: 0, rejected: 0, excluded: 0 };
  /** The claims under way, each with the time of its last renewal. */
  readonly #underWay = new Map<Held, number>();
  readonly #lanes = new Set<Promise<void>>();
  #fatal: { readonly error: unknown } | undefined;
  /** True while a lane waits for the queue to have a job. */
  #isWaiting = false;
  /** The rows of the last batch. The next one probably has as many. */
  #usualRows = 1;
  /** The time that the last claim took. */
  #leadMs = 0;

  constructor(connection: RedisConnection, settings: ResolvedOptions<typeof workOptions>) {
    const { bullmq, warn } = connection;
    this.#connection = connection;
    this.#settings = settings;
    this.#failures = new FailureLimit(settings.stopAfterFailures);
    this.#limiter = new SharedRateLimiter(connection, settings.queue, settings.rowsPerSecond);
    this.#queue = new bullmq.Queue(settings.queue, connection.queueOptions);
    this.#queue.on('error', warn);
    // Jobs are fetched one by one, when one can be started. A job that its worker has left goes to the next worker, however often
    // this happens: the claim decides whether it is sent.
    this.#worker = new bullmq.Worker<JobData>(settings.queue, null, {
      ...connection.queueOptions,
      autorun: false,
      lockDuration: LOCK_MS,
      stalledInterval: LOCK_MS,
      maxStalledCount: Number.MAX_SAFE_INTEGER,
    });
    this.#worker.on('error', warn);
    // Each request that waits for its slot listens.
    setMaxListeners(0, this.#stop.signal);
  }

  async run(): Promise<WorkResult> {
    const { signal, healthPort } = this.#settings;
    const stop = () => this.#stop.abort();
    let endHealth: (() => void) | undefined;
    signal?.addEventListener('abort', stop);
    if (signal?.aborted) stop();
    try {
      // A worker of BullMQ that is closed before it is ready leaves a connection behind.
      await this.#connection.attempt(() => this.#worker.waitUntilReady());
      if (healthPort !== undefined) endHealth = await serveHealth(healthPort, this);
      await this.#worker.startStalledCheckTimer();
      await Promise.race([this.#runLanes(), this.#beat()]);
    } finally {
      signal?.removeEventListener('abort', stop);
      stop();
      await this.#close();
      endHealth?.();
    }
    return { ...this.counts, stopped: this.#failures.reason };
  }

  get failuresInARow(): number {
    return this.#failures.inARow;
  }

  async findProblem(): Promise<string | undefined> {
    if (this.#stop.signal.aborted) return 'the worker is stopping';
    const silent = beat().then(() => 'Redis does not respond');
    const ping = this.#connection.redis.ping().then(
      () => undefined,
      () => 'Redis cannot be reached',
    );
    return Promise.race([ping, silent]);
  }

  async #close(): Promise<void> {
    // Closing by force ends the second connection of BullMQ at once. Nothing is under way.
    const closing = Promise.all([this.#worker.close(true), this.#queue.close()]);
    await Promise.race([closing, beat()]).catch(this.#connection.warn);
  }

  /** Sends batches, each lane one at a time, until the last lane ends. */
  async #runLanes(): Promise<void> {
    this.#addLane();
    while (this.#lanes.size > 0) await Promise.race(this.#lanes);
    if (this.#fatal) throw this.#fatal.error;
  }

  /** One lane until a row is known to be sent: a wrong setting fails once. */
  #addLane(): void {
    const limit = this.counts.sent === 0 ? 1 : this.#settings.concurrency;
    if (this.#lanes.size >= limit || this.#stop.signal.aborted) return;
    const lane = this.#runLane()
      .catch((error: unknown) => {
        this.#fatal ??= { error };
        this.#stop.abort();
      })
      .finally(() => this.#lanes.delete(lane));
    this.#lanes.add(lane);
  }

  async #runLane(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      if (await this.#sendNext()) continue;
      // One lane is enough to wait for jobs, and adds the others when there are some.
      if (this.#isWaiting) return;
      this.#isWaiting = true;
      if (this.#settings.untilEmpty && (await this.#isEmpty())) this.#stop.abort();
      await wait(IDLE_MS, signal).catch(() => undefined);
      this.#isWaiting = false;
    }
  }

  /** Asks Redis to respond, and renews the claims that have been under way for long. Ends with the last lane, or when Redis is gone. */
  async #beat(): Promise<void> {
    while (this.#lanes.size > 0) {
      const now = performance.now();
      const old = [...this.#underWay].filter(([, renewedAt]) => now - renewedAt > RENEW_MS);
      for (const [held] of old) this.#underWay.set(held, now);
      await Promise.all(old.map(([{ claims, batch, claim }]) => claims.renew(batch.n, claim)));
      await this.#connection.attempt(() => this.#connection.redis.ping());
      await Promise.race([beat(), ...this.#lanes]);
    }
  }

  /** Sends the next batch of the queue. Resolves with false when there is none. */
  async #sendNext(): Promise<boolean> {
    let slot: RateSlot | undefined;
    if (this.#isLimited) {
      // No slot is taken for an empty queue.
      if ((await this.#connection.attempt(() => this.#queue.getWaitingCount())) === 0) return false;
      slot = await this.#limiter.reserve(this.#usualRows, this.#leadMs, this.#stop.signal);
      if (!slot) return true;
    }
    const began = performance.now();
    const taken = await this.#take();
    if (taken === undefined) return false;
    this.#addLane();
    if (taken === 'unreadable') return true;
    const held = await this.#hold(taken, slot, began);
    if (held) await this.#send(held);
    return true;
  }

  get #isLimited(): boolean {
    return Number.isFinite(this.#settings.rowsPerSecond);
  }

  /** Takes a job from the queue; undefined when there is none. */
  async #take(): Promise<Taken | 'unreadable' | undefined> {
    const token = randomUUID();
    const job = (await this.#connection.attempt(() => this.#worker.getNextJob(token, { block: false }))) as
      | Job<JobData>
      | undefined;
    if (!job) return undefined;
    try {
      return { job, token, batch: readJob(job.data) };
    } catch (error) {
      await this.#end(() => job.moveToFailed(error as Error, token, false));
      this.#connection.warn(new Error(`job ${job.id} failed: ${(error as Error).message}`));
      this.#countFailure(job.data.n === 1);
      return 'unreadable';
    }
  }

  /** Claims a batch, so that the claim is there when its slot begins. Resolves with undefined when the batch must not be sent. */
  async #hold({ job, token, batch }: Taken, first: RateSlot | undefined, began: number): Promise<Held | undefined> {
    const { n, rows, opening } = batch;
    const { signal } = this.#stop;
    const claims = new Claims(this.#connection, opening, this.#settings.replicas);
    const giveBack = () => this.#end(() => job.moveToWait(token));
    let slot = first;
    let started = began;
    this.#usualRows = rows.length;
    for (;;) {
      if (slot && slot.rows < rows.length) {
        await this.#checkSize(rows.length, giveBack);
        slot = await this.#limiter.reserve(rows.length, this.#leadMs, signal);
        started = performance.now();
      }
      if (signal.aborted) {
        await giveBack();
        return undefined;
      }
      const claim = newClaim();
      const timeLeft = startTimeLimit(batch.startWithinMs);
      const result: ClaimResult = await claims.claim(n, claim);
      if (result === 'lost') {
        await giveBack();
        const words = `Redis does not know the claims of the rows that were queued as ${opening}, so they are not sent: it has lost them`;
        throw new RedisError(words);
      }
      if (result === 'claimed' && slot) {
        this.#leadMs = Math.min(performance.now() - started, MAX_LEAD_MS);
        const isInTime = await slot.begin(signal);
        if (!isInTime || signal.aborted) {
          await claims.release(n, claim);
          slot = { ...slot, rows: 0 };
          continue;
        }
      }
      // The job has done its service: an outcome is kept with the claim.
      const ended = this.#end(() => job.moveToCompleted(undefined, token, false));
      if (result === 'claimed') return { batch, claims, claim, timeLeft };
      await ended;
      return undefined;
    }
  }

  async #checkSize(rows: number, giveBack: () => Promise<void>): Promise<void> {
    if (rows <= this.#limiter.mostRows) return;
    await giveBack();
    const message = `a batch has ${rows} rows, which is more than may start in a second`;
    throw new ConfigurationError({ problems: [{ option: 'rowsPerSecond', message }] });
  }

  /** Ends this worker's part in a job. When that fails, the job goes to the next worker, and the claim decides what it may do. */
  async #end(operation: () => Promise<unknown>): Promise<void> {
    await operation().catch(() => undefined);
  }

  async #send(held: Held): Promise<void> {
    const { batch, claims, claim, timeLeft } = held;
    this.#underWay.set(held, performance.now());
    this.counts['under-way'] += batch.rows.length;
    const { outcome, error } = await sendBatch(this.#settings.client, batch.operation, batch.rows, timeLeft());
    this.counts['under-way'] -= batch.rows.length;
    const record: OutcomeRecord = { ...outcome, n: batch.n };
    try {
      await claims.store(claim, record);
    } catch (storeError) {
      // `collectBulk` finds the claim without an outcome.
      this.#conclude(batch, 'unknown', storeError);
      throw storeError;
    } finally {
      this.#underWay.delete(held);
    }
    const target = record.t === 'not-sent' ? 'pending' : record.t;
    this.#conclude(batch, target, record.t === 'sent' ? undefined : (error ?? new Error(record.error)));
  }

  #conclude({ n, rows, range }: QueuedJob, target: keyof Counts, error: unknown): void {
    this.counts.total += rows.length;
    this.counts[target] += rows.length;
    if (target === 'sent') this.#failures.countSent();
    else this.#countFailure(n === 1);
    const failure = error === undefined ? undefined : { range, message: (error as Error).message, error };
    this.#settings.onProgress?.({ ...this.counts, failure });
  }

  #countFailure(isFirst: boolean): void {
    this.#failures.countFailure(isFirst);
    if (this.#failures.reason !== undefined) this.#stop.abort();
  }

  /** Other workers may hold jobs, and the jobs of a dead worker are in the queue until BullMQ notices its death. */
  async #isEmpty(): Promise<boolean> {
    const count = () => this.#queue.getJobCountByTypes('waiting', 'active', 'delayed', 'prioritized');
    return (await this.#connection.attempt(count)) === 0;
  }
}

/** Waits without keeping the process alive. */
function beat(): Promise<void> {
  return sleep(BEAT_MS, undefined, { ref: false });
}
