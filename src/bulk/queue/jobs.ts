import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Job, Queue, Worker } from 'bullmq';
import { wait } from '../../internal/signals';
import type { ResolvedOptions } from '../../options/table';
import { checkRate } from '../options';
import type { Pace } from '../sending/pace';
import { startTimeLimit } from '../sending/send-batch';
import { Claims, newClaim, type SharedRate } from './claims';
import { addJob, type JobData, type QueuedJob, readJob } from './job';
import type { queueOptions } from './options';
import { type QueueService, refuseOther } from './queue-service';
import type { RedisConnection } from './redis';

/** A batch that this worker has claimed, and so may send. */
export interface ClaimedBatch {
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
/** The time in which a request begins after its claim where a rate is kept: later, it would add to other rows. */
const PROMPT_MS = 1000;
/** The longest pause before Redis is asked again for the rate: its clock may be set back meanwhile. */
const MAX_PAUSE_MS = 5000;
/** The time in which the connections close, in milliseconds. */
const CLOSE_MS = 1000;

/** One row in 31 years. Redis does not count further. */
const MIN_RATE = 1e-9;

/** The jobs of a queue, which are taken one by one, when one can be started, and claimed. */
export class Jobs {
  /** True when the queue had no job when it was last asked for one. */
  isIdle = true;
  readonly #connection: RedisConnection;
  readonly #replicas: number;
  readonly #pace: Pace;
  readonly #rate: Omit<SharedRate, 'rows'> | undefined;
  readonly #worker: Worker<JobData>;
  readonly #queue: Queue;
  /** Ends when the batches before have waited for the rate: all would ask again at the same time otherwise. */
  #line: Promise<unknown> = Promise.resolve();
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
    this.#rate = Number.isFinite(rowsPerSecond)
      ? { key: `messaging-bulk:rate:${queue}`, rowsPerSecond: Math.max(rowsPerSecond, MIN_RATE) }
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
   * Takes a job and claims its batch, as soon as the rate allows it. Resolves with undefined when there is no job, or
   * its batch must not be sent.
   */
  async take(): Promise<ClaimedBatch | undefined> {
    const token = randomUUID();
    const next = () => this.#worker.getNextJob(token, { block: false }) as Promise<Job<JobData> | undefined>;
    const job = await this.#connection.attempt(next);
    this.isIdle = job === undefined;
    if (!job) return undefined;
    let held: ClaimedBatch | 'taken' | undefined;
    // A wait for the rate may last longer than BullMQ keeps the job.
    const keeping = setInterval(() => job.extendLock(token, LOCK_MS).catch(() => undefined), LOCK_MS / 2);
    try {
      held = await this.#claim(readJob(job.data));
    } finally {
      clearInterval(keeping);
      // The job ends with the claim, which also keeps the outcome; otherwise it goes back. When this fails, the job
      // goes to the next worker, and the claim decides what it may do.
      const ending: Promise<unknown> = held ? job.moveToCompleted(undefined, token, false) : job.moveToWait(token);
      await this.#connection.inTime(ending).catch(() => undefined);
    }
    return held === 'taken' ? undefined : held;
  }

  /** Claims a batch as soon as the rate allows it. Resolves with undefined when the worker ends or pauses. */
  async #claim(batch: QueuedJob): Promise<ClaimedBatch | 'taken' | undefined> {
    const { n, rows, opening, startWithinMs } = batch;
    refuseOther(this.#name, this.#service, batch.service);
    const rate = this.#rate && { ...this.#rate, rows: rows.length };
    if (rate) checkRate(rate.rowsPerSecond, rate.rows);
    const { signal } = this.#pace;
    const claims = new Claims(this.#connection, opening, this.#replicas);
    while (!signal.aborted && this.#pace.pauseMs === 0) {
      const claim = newClaim();
      const timeLeft = startTimeLimit(rate ? Math.min(startWithinMs, PROMPT_MS) : startWithinMs);
      const result = await claims.claim(n, claim, rate);
      if (result === 'taken') return 'taken';
      if (result !== 'claimed') {
        this.#line = this.#line.then(() => wait(Math.min(result, MAX_PAUSE_MS), signal)).catch(() => undefined);
        await this.#line;
      } else if (timeLeft() > 0) return { batch, claims, claim, timeLeft };
      else await claims.settle(n, claim);
    }
    return undefined;
  }

  /**
   * Puts a batch that was not sent back to the front of the queue. A crash on the way leaves no job: `collectBulk`
   * finds it unclaimed.
   */
  async putBack({ batch, claims, claim }: ClaimedBatch): Promise<void> {
    // Before the job: another worker may take it at once.
    await claims.settle(batch.n, claim);
    await this.#connection.attempt(() => addJob(this.#queue, batch, true));
  }
}
