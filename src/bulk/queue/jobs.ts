import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Job, Queue, Worker } from 'bullmq';
import type { ResolvedOptions } from '../../options/table';
import type { Pace } from '../sending/pace';
import { startTimeLimit } from '../sending/send-batch';
import { Claims, newClaim } from './claims';
import { addJob, type JobData, type QueuedJob, readJob } from './job';
import type { queueOptions } from './options';
import { type QueueService, refuseOther } from './queue-service';
import type { RedisConnection } from './redis';
import { type RateSlot, SharedRateLimiter } from './shared-rate-limiter';

/** A batch that this worker has claimed, and so may send. */
export interface Held {
  readonly batch: QueuedJob;
  readonly claims: Claims;
  readonly claim: string;
  /** The time that is left for the request to begin, in milliseconds. */
  readonly timeLeft: () => number;
}

/**
 * The time for which BullMQ keeps a job for the worker that took it, and the time between its searches for jobs of dead
 * workers, in milliseconds. A job ends with its claim, so it is held only from when it is taken until it is claimed.
 */
const LOCK_MS = 5000;
/** The time in which the connections close, in milliseconds. */
const CLOSE_MS = 1000;

/** The jobs of a queue, which are taken one by one, when one can be started, and claimed. */
export class Jobs {
  /** True when the queue had no job when it was last asked for one. */
  isIdle = true;
  readonly #connection: RedisConnection;
  readonly #replicas: number;
  readonly #pace: Pace;
  readonly #limiter: SharedRateLimiter | undefined;
  readonly #worker: Worker<JobData>;
  readonly #queue: Queue;
  /** The rows of the last batch. The next one probably has as many. */
  #usualRows = 1;

  readonly #service: QueueService;
  readonly #name: string;

  /**
   * @param pace gives back what is not claimed when it ends or pauses
   * @param service the service of the worker: the rows of another one are not claimed
   */
  constructor(
    connection: RedisConnection,
    settings: ResolvedOptions<typeof queueOptions> & { readonly rowsPerSecond: number },
    pace: Pace,
    service: QueueService,
  ) {
    const { queue, replicas, rowsPerSecond } = settings;
    this.#service = service;
    this.#name = queue;
    this.#connection = connection;
    this.#replicas = replicas;
    this.#pace = pace;
    this.#limiter = Number.isFinite(rowsPerSecond)
      ? new SharedRateLimiter(connection, queue, rowsPerSecond)
      : undefined;
    this.#queue = connection.openQueue(queue);
    // A job that its worker has left goes to the next worker, however often this happens: the claim decides whether it
    // is sent.
    this.#worker = new connection.bullmq.Worker<JobData>(queue, null, {
      ...connection.queueOptions,
      autorun: false,
      lockDuration: LOCK_MS,
      stalledInterval: LOCK_MS,
      maxStalledCount: Number.MAX_SAFE_INTEGER,
    });
    this.#worker.on('error', connection.warn);
  }

  async open(): Promise<void> {
    // A worker of BullMQ that is closed before it is ready leaves a connection behind.
    await this.#connection.attempt(() => this.#worker.waitUntilReady());
    await this.#worker.startStalledCheckTimer();
  }

  async close(): Promise<void> {
    // Closing by force ends the second connection of BullMQ at once.
    const closing = Promise.all([this.#worker.close(true), this.#queue.close()]).catch(this.#connection.warn);
    await Promise.race([closing, sleep(CLOSE_MS, undefined, { ref: false })]);
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
   * Takes a job, once there is a slot for it, and claims its batch. Resolves with undefined when there is no job, or
   * its batch must not be sent.
   */
  async take(): Promise<Held | undefined> {
    let slot: RateSlot | undefined;
    if (this.#limiter) {
      // No slot is taken for an empty queue.
      this.isIdle = (await this.#connection.attempt(() => this.#queue.getWaitingCount())) === 0;
      if (!this.isIdle) slot = await this.#limiter.reserve(this.#usualRows, this.#pace.signal);
      if (!slot) return undefined;
    }
    const token = randomUUID();
    const next = () => this.#worker.getNextJob(token, { block: false }) as Promise<Job<JobData> | undefined>;
    const job = await this.#connection.attempt(next);
    this.isIdle = job === undefined;
    if (!job) return undefined;
    let held: Held | 'taken' | undefined;
    try {
      held = await this.#claim(readJob(job.data), slot);
    } finally {
      // The job ends with the claim, which also keeps the outcome; otherwise it goes back. When this fails, the job
      // goes to the next worker, and the claim decides what it may do.
      const ending: Promise<unknown> = held ? job.moveToCompleted(undefined, token, false) : job.moveToWait(token);
      await this.#connection.inTime(ending).catch(() => undefined);
    }
    return held === 'taken' ? undefined : held;
  }

  /** Claims a batch, so that the claim is there when its slot begins. Resolves with undefined when it must wait. */
  async #claim(batch: QueuedJob, given: RateSlot | undefined): Promise<Held | 'taken' | undefined> {
    const { n, rows, opening } = batch;
    refuseOther(this.#name, this.#service, batch.service);
    const { signal } = this.#pace;
    this.#usualRows = rows.length;
    const claims = new Claims(this.#connection, opening, this.#replicas);
    const mayStart = () => !signal.aborted && this.#pace.pauseMs === 0;
    for (let slot = given; ; slot = undefined) {
      if (this.#limiter && (slot?.rows ?? 0) < rows.length) slot = await this.#limiter.reserve(rows.length, signal);
      if (!mayStart()) return undefined;
      const claim = newClaim();
      const timeLeft = startTimeLimit(batch.startWithinMs);
      if (!(await claims.claim(n, claim))) return 'taken';
      if (!slot || ((await slot.begin(signal)) && mayStart())) return { batch, claims, claim, timeLeft };
      await claims.settle(n, claim);
    }
  }

  /**
   * Puts a batch that was not sent back to the front of the queue. A crash on the way leaves no job: `collectBulk`
   * finds it unclaimed.
   */
  async putBack({ batch, claims, claim }: Held): Promise<void> {
    // Before the job: another worker may take it at once.
    await claims.settle(batch.n, claim);
    await this.#connection.attempt(() => addJob(this.#queue, batch, true));
  }
}
