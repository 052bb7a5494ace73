import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { wait } from '../../internal/signals';
import { trueOrFalse, wholeNumber } from '../../options/checks';
import { checkOptions, type FlagTable, type ResolvedOptions } from '../../options/table';
import { sendOptions } from '../options';
import { Pace } from '../sending/pace';
import type { RunOptions } from '../sending/run';
import { failureOf, type SendingClient, type SendResult, sendBatch } from '../sending/send-batch';
import { type Counts, NO_ROWS } from '../state/row-table';
import { RENEW_MS } from './claims';
import { serveHealth, type WorkerHealth } from './health';
import type { QueuedJob } from './job';
import { type Held, Jobs } from './jobs';
import { type QueueOptions, queueName, queueOptions } from './options';
import { type RedisConnection, withRedis } from './redis';

/** How the rows of a queue are sent. */
export interface WorkOptions
  extends QueueOptions,
    Pick<RunOptions, 'concurrency' | 'stopAfterFailures' | 'signal' | 'onProgress' | 'onPause'> {
  /** A MessagingClient. */
  readonly client: SendingClient;
  /** The name of the queue that rows were put in. Default `messaging-bulk`. */
  readonly queue?: string | undefined;
  /**
   * The greatest number of rows that start in a second, over all workers of the queue. Give each worker the same
   * number. Default: no limit.
   */
  readonly rowsPerSecond?: number | undefined;
  /**
   * Ends the worker when no job is left in the queue, also when there is no other worker. Default false: it waits for
   * more.
   */
  readonly untilEmpty?: boolean | undefined;
  /** Serves `/healthz` and, for Prometheus, `/metrics` at this port, with `prom-client` installed. Default: no port. */
  readonly healthPort?: number | undefined;
}

/** The result of a worker: the rows that it has claimed, by state. */
export interface WorkResult extends Counts {
  /** The reason why the worker stopped before it was told to; undefined when its signal or an empty queue ended it. */
  readonly stopped: string | undefined;
}

/** The options of a worker beside those of its queue. */
export const workerOptions = {
  ...sendOptions,
  rowsPerSecond: {
    ...sendOptions.rowsPerSecond,
    flag: {
      value: 'n',
      help: 'start at most this many rows in a second, over all workers that are given the same number (default: no limit)',
    },
  },
  untilEmpty: { read: trueOrFalse, default: false, flag: { help: 'end when nothing is left in the queue' } },
  healthPort: {
    read: wholeNumber(1, 65_535),
    flag: { value: 'n', help: 'serve /healthz and, for Prometheus, /metrics at this port' },
  },
} as const satisfies FlagTable;

const workOptions = {
  ...workerOptions,
  ...queueOptions,
  ...queueName,
  client: { read: (value: unknown) => value as SendingClient, required: true },
} as const;

/**
 * Sends the rows that `enqueueBulk` has put in a queue, each batch once, whatever happens to this worker, to other
 * workers, or to the queue. It takes jobs until the signal is aborted, `stopAfterFailures` consecutive batches have
 * failed here, or with `untilEmpty` no job is left; then it waits for what is under way. Until a first row is sent
 * here, it sends one batch at a time.
 *
 * @throws {ConfigurationError} when an option is wrong, a peer is missing, or Redis may lose data; {RedisError} when
 * Redis cannot be reached at the start, or for `redisTimeoutMs` later, or has lost the claims
 */
export async function workBulk(options: WorkOptions): Promise<WorkResult> {
  const settings = checkOptions(workOptions, options);
  return withRedis({ ...settings, durable: true }, (connection) => new BulkWorker(connection, settings).run());
}

/** The pause of an idle worker before it asks for a job again, in milliseconds. */
const IDLE_MS = 250;
/** The time between two checks of Redis, in milliseconds. */
const BEAT_MS = 1000;

/** Takes jobs from a queue and sends them. Used once. */
class BulkWorker implements WorkerHealth {
  readonly #connection: RedisConnection;
  readonly #settings: ResolvedOptions<typeof workOptions>;
  readonly #jobs: Jobs;
  readonly #pace: Pace;
  readonly #stop = new AbortController();
  readonly counts = { ...NO_ROWS };
  /** The claims under way, each with the time of its last renewal. */
  readonly #underWay = new Map<Held, number>();
  readonly #lanes = new Set<Promise<void>>();
  #activeLanes = 0;
  #fatal: { readonly error: unknown } | undefined;
  /** True while a lane waits for the queue to have a job. */
  #isWaiting = false;

  constructor(connection: RedisConnection, settings: ResolvedOptions<typeof workOptions>) {
    this.#connection = connection;
    this.#settings = settings;
    this.#pace = new Pace(settings, false);
    this.#jobs = new Jobs(connection, settings, this.#stop.signal, () => this.#pace.pauseMs > 0);
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
      await this.#jobs.open();
      if (healthPort !== undefined) endHealth = await serveHealth(healthPort, this);
      await Promise.race([this.#runLanes(), this.#beat()]);
    } finally {
      signal?.removeEventListener('abort', stop);
      stop();
      await this.#jobs.close();
      endHealth?.();
    }
    return { ...this.counts, stopped: this.#pace.reason };
  }

  get consecutiveFailures(): number {
    return this.#pace.consecutiveFailures;
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

  /** Sends batches, each lane one at a time, until the last lane ends. */
  async #runLanes(): Promise<void> {
    this.#addLane();
    while (this.#lanes.size > 0) await Promise.race(this.#lanes);
    if (this.#fatal) throw this.#fatal.error;
  }

  #addLane(): void {
    if (this.#activeLanes >= this.#pace.limit || this.#stop.signal.aborted) return;
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
    this.#activeLanes += 1;
    try {
      while (!signal.aborted && this.#activeLanes <= this.#pace.limit) {
        const { pauseMs } = this.#pace;
        if (pauseMs > 0) await wait(pauseMs, signal).catch(() => undefined);
        else if (!(await this.#sendNext())) {
          // One lane is enough to wait for jobs, and adds the others when there are some.
          if (this.#isWaiting) return;
          this.#isWaiting = true;
          // A batch that is under way may come back to the queue.
          const mayEnd = this.#settings.untilEmpty && this.#underWay.size === 0;
          if (mayEnd && (await this.#jobs.isEmpty())) this.#stop.abort();
          await wait(IDLE_MS, signal).catch(() => undefined);
          this.#isWaiting = false;
        }
      }
    } finally {
      // In the same turn as the condition of the loop, or all lanes would leave at once.
      this.#activeLanes -= 1;
    }
  }

  /**
   * Asks Redis to respond, and renews the claims that have been under way for long. Ends with the last lane, or when
   * Redis cannot be used.
   */
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

  /** Sends the next batch of the queue. Resolves with false when the queue is empty. */
  async #sendNext(): Promise<boolean> {
    const taken = await this.#jobs.take();
    if (taken === undefined) return false;
    this.#addLane();
    if ('failure' in taken) {
      this.#connection.warn(taken.failure);
      this.#count({ outcome: { t: 'not-sent', error: taken.failure.message } }, taken.isFirst);
      return true;
    }
    const held = await this.#jobs.claim(taken);
    if (held) await this.#send(held);
    return true;
  }

  async #send(held: Held): Promise<void> {
    const { batch, claims, claim, timeLeft } = held;
    this.#underWay.set(held, performance.now());
    this.counts['under-way'] += batch.rows.length;
    const result = await sendBatch(this.#settings.client, batch.operation, batch.rows, timeLeft());
    this.counts['under-way'] -= batch.rows.length;
    // Before the batch is in the queue again: no lane may take it during the pause.
    if (result.pushback) this.#count(result, batch.isFirst);
    try {
      if (result.pushback) await this.#jobs.putBack(held);
      else await claims.store(claim, { ...result.outcome, n: batch.n });
    } catch (error) {
      // `collectBulk` finds the claim without an outcome.
      this.#conclude(batch, { outcome: { t: 'unknown', error: (error as Error).message }, error });
      throw error;
    } finally {
      this.#underWay.delete(held);
    }
    if (!result.pushback) this.#conclude(batch, result);
  }

  #conclude({ isFirst, rows, range }: QueuedJob, result: SendResult): void {
    const { t } = result.outcome;
    this.counts.total += rows.length;
    this.counts[t === 'not-sent' ? 'pending' : t] += rows.length;
    this.#count(result, isFirst);
    this.#settings.onProgress?.({ ...this.counts, failure: failureOf(range, result) });
  }

  #count(result: SendResult, isFirst: boolean): void {
    this.#pace.count(result, isFirst);
    if (this.#pace.reason !== undefined) this.#stop.abort();
  }
}

/** Waits without keeping the process alive. */
function beat(): Promise<void> {
  return sleep(BEAT_MS, undefined, { ref: false });
}
