import { randomUUID } from 'node:crypto';
import type { Job, Queue, Worker } from 'bullmq';
import { ConfigurationError } from '../../errors';
import { wait } from '../../internal/signals';
import { startTimeLimit } from '../sending/send-batch';
import { Claims, newClaim } from './claims';
import { addJob, type JobData, type QueuedJob, readJob } from './job';
import type { RedisConnection } from './redis';
import { RedisError } from './redis-error';
import { type RateSlot, SharedRateLimiter } from './shared-rate-limiter';

/** How jobs are taken. */
interface JobOptions {
  readonly queue: string;
  readonly rowsPerSecond: number;
  readonly replicas: number;
}

/** A job that was taken from the queue, with its slot where rows have a rate. */
interface Taken {
  readonly job: Job<JobData>;
  readonly token: string;
  readonly batch: QueuedJob;
  readonly slot: RateSlot | undefined;
  /** The time at which the job was asked for. */
  readonly askedAt: number;
}

/** A job that cannot be read. */
interface Unreadable {
  readonly failure: Error;
  readonly isFirst: boolean;
}

/** A batch that this worker may send. */
export interface Held {
  readonly batch: QueuedJob;
  readonly claims: Claims;
  readonly claim: string;
  /** The time that is left for the request to begin, in milliseconds. */
  readonly timeLeft: () => number;
  /** Resolves when the job of the batch has ended. */
  readonly ended: Promise<void>;
}

/**
 * The time for which BullMQ keeps a job for the worker that took it, and the time between its searches for jobs of dead
 * workers, in milliseconds. A job ends with its claim, so it is held only from when it is taken until it is claimed.
 */
const LOCK_MS = 5000;
/** The greatest time that is planned for a claim before its slot begins, in milliseconds. */
const MAX_LEAD_MS = 1000;
/** The time in which the connections close, in milliseconds. */
const CLOSE_MS = 1000;

/** The jobs of a queue, which are taken one by one, when one can be started, and claimed. */
export class Jobs {
  readonly #connection: RedisConnection;
  readonly #options: JobOptions;
  readonly #signal: AbortSignal;
  readonly #isPaused: () => boolean;
  readonly #limiter: SharedRateLimiter;
  readonly #worker: Worker<JobData>;
  readonly #queue: Queue;
  /** The rows of the last batch. The next one probably has as many. */
  #usualRows = 1;
  /** The time that the last claim took. */
  #leadMs = 0;

  /**
   * @param signal gives back what is not claimed
   * @param isPaused true while no request may start
   */
  constructor(connection: RedisConnection, options: JobOptions, signal: AbortSignal, isPaused: () => boolean) {
    const { bullmq, warn, queueOptions } = connection;
    this.#connection = connection;
    this.#options = options;
    this.#signal = signal;
    this.#isPaused = isPaused;
    this.#limiter = new SharedRateLimiter(connection, options.queue, options.rowsPerSecond);
    this.#queue = new bullmq.Queue(options.queue, queueOptions);
    this.#queue.on('error', warn);
    // A job that its worker has left goes to the next worker, however often this happens: the claim decides whether it
    // is sent.
    this.#worker = new bullmq.Worker<JobData>(options.queue, null, {
      ...queueOptions,
      autorun: false,
      lockDuration: LOCK_MS,
      stalledInterval: LOCK_MS,
      maxStalledCount: Number.MAX_SAFE_INTEGER,
    });
    this.#worker.on('error', warn);
  }

  async open(): Promise<void> {
    // A worker of BullMQ that is closed before it is ready leaves a connection behind.
    await this.#connection.attempt(() => this.#worker.waitUntilReady());
    await this.#worker.startStalledCheckTimer();
  }

  async close(): Promise<void> {
    const timeout = new AbortController();
    // Closing by force ends the second connection of BullMQ at once.
    const closing = Promise.all([this.#worker.close(true), this.#queue.close()]).catch(this.#connection.warn);
    await Promise.race([closing, wait(CLOSE_MS, timeout.signal).catch(() => undefined)]);
    timeout.abort();
  }

  /**
   * True when no job is left. Other workers may hold jobs, and those of a dead worker are left until BullMQ notices its
   * death.
   */
  async isEmpty(): Promise<boolean> {
    const count = () => this.#queue.getJobCountByTypes('waiting', 'active', 'delayed', 'prioritized');
    return (await this.#connection.attempt(count)) === 0;
  }

  /**
   * Takes a job, once there is a slot for it. Resolves with undefined when there is no job, or the signal is aborted.
   */
  async take(): Promise<Taken | Unreadable | undefined> {
    let slot: RateSlot | undefined;
    if (Number.isFinite(this.#options.rowsPerSecond)) {
      // No slot is taken for an empty queue.
      if ((await this.#connection.attempt(() => this.#queue.getWaitingCount())) === 0) return undefined;
      slot = await this.#limiter.reserve(this.#usualRows, this.#leadMs, this.#signal);
      if (!slot) return undefined;
    }
    const askedAt = performance.now();
    const token = randomUUID();
    const next = () => this.#worker.getNextJob(token, { block: false }) as Promise<Job<JobData> | undefined>;
    const job = await this.#connection.attempt(next);
    if (!job) return undefined;
    try {
      return { job, token, batch: readJob(job.data), slot, askedAt };
    } catch (error) {
      const { message } = error as Error;
      await letGo(() => job.moveToFailed(error as Error, token, false));
      return { failure: new Error(`job ${job.id} failed: ${message}`), isFirst: job.data.isFirst === true };
    }
  }

  /**
   * Claims a batch, so that the claim is there when its slot begins. Resolves with undefined when the batch must not be
   * sent.
   */
  async claim({ job, token, batch, ...taken }: Taken): Promise<Held | undefined> {
    const { n, rows, opening } = batch;
    const claims = new Claims(this.#connection, opening, this.#options.replicas);
    const giveBack = () => letGo(() => job.moveToWait(token));
    let { slot, askedAt } = taken;
    this.#usualRows = rows.length;
    for (;;) {
      if (slot && slot.rows < rows.length) {
        if (rows.length > this.#limiter.mostRows) await giveBack().then(() => refuseSize(rows.length));
        slot = await this.#limiter.reserve(rows.length, this.#leadMs, this.#signal);
        askedAt = performance.now();
      }
      if (this.#signal.aborted || this.#isPaused()) {
        await giveBack();
        return undefined;
      }
      const claim = newClaim();
      const timeLeft = startTimeLimit(batch.startWithinMs);
      const result = await claims.claim(n, claim);
      if (result === 'lost') await giveBack().then(() => refuseLost(opening));
      if (result === 'claimed' && slot) {
        this.#leadMs = Math.min(performance.now() - askedAt, MAX_LEAD_MS);
        if (!(await slot.begin(this.#signal)) || this.#signal.aborted || this.#isPaused()) {
          await claims.release(n, claim);
          slot = { ...slot, rows: 0 };
          continue;
        }
      }
      // The job ends with the claim, which also keeps the outcome.
      const ended = letGo(() => job.moveToCompleted(undefined, token, false));
      if (result === 'claimed') return { batch, claims, claim, timeLeft, ended };
      await ended;
      return undefined;
    }
  }

  /**
   * Puts a batch that was not sent back to the front of the queue. A crash on the way leaves no job: `collectBulk`
   * finds it unclaimed.
   */
  async putBack({ batch, claims, claim, ended }: Held): Promise<void> {
    await ended;
    // Before the job: another worker may take it at once.
    await claims.release(batch.n, claim);
    await this.#connection.attempt(() => addJob(this.#queue, batch, true));
  }
}

/**
 * Ends a worker's part in a job. When that fails, the job goes to the next worker, and the claim decides what it may
 * do.
 */
async function letGo(operation: () => Promise<unknown>): Promise<void> {
  await operation().catch(() => undefined);
}

function refuseSize(rows: number): never {
  const message = `a batch has ${rows} rows, which is more than may start in a second`;
  throw new ConfigurationError({ problems: [{ option: 'rowsPerSecond', message }] });
}

function refuseLost(opening: string): never {
  const why = 'it has lost them, or they were deleted';
  throw new RedisError(
    `Redis does not know the claims of the rows that were queued as ${opening}, so they are not sent: ${why}`,
  );
}
