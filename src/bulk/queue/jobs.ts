import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Job, Worker } from 'bullmq';
import type { Service } from '../../client/options/service';
import { wait } from '../../internal/signals';
import { startTimeLimit, type TimeLeft } from '../../internal/time-limit';
import type { ResolvedOptions } from '../../options/table';
import { accountMark } from '../list/given';
import { checkRate } from '../options';
import type { Pace } from '../sending/pace';
import { Claims, type HeldClaim, type SharedRate } from './claims';
import { type JobData, type QueuedJob, readJob } from './job';
import type { queueOptions } from './options';
import { QueueJobs } from './queue-jobs';
import { refuseOther } from './queue-service';
import type { RedisConnection } from './redis';

/** A batch that this worker has claimed, and so may send. */
export interface ClaimedBatch {
  readonly batch: QueuedJob;
  readonly claims: Claims;
  readonly claim: HeldClaim;
  /** The time that is left for the request to begin. */
  readonly timeLeft: TimeLeft;
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
  readonly #rate: SharedRate | undefined;
  readonly #worker: Worker<JobData>;
  readonly #queue: QueueJobs;
  /** Ends when the batches before have waited for the rate: all would ask again at the same time otherwise. */
  #line: Promise<unknown> = Promise.resolve();
  readonly #service: Service;
  readonly #account: string | undefined;
  readonly #name: string;
  readonly #onWarning: ((message: string) => void) | undefined;
  /** The claims by opening. */
  readonly #claims = new Map<string, Claims>();
  /** The openings of which it was said that Redis does not know them. */
  readonly #unknownOpenings = new Set<string>();

  /**
   * @param pace gives back what is not claimed when it ends or pauses
   * @param service the service of the worker: the rows of another one are not claimed
   */
  constructor(
    connection: RedisConnection,
    settings: ResolvedOptions<typeof queueOptions> & {
      readonly rowsPerSecond: number;
      readonly account?: string | undefined;
    },
    pace: Pace,
    service: Service,
  ) {
    const { queue, replicas, rowsPerSecond } = settings;
    this.#service = service;
    this.#account = settings.account;
    this.#name = queue;
    this.#onWarning = settings.onWarning;
    this.#connection = connection;
    this.#replicas = replicas;
    this.#pace = pace;
    this.#rate = Number.isFinite(rowsPerSecond)
      ? { key: `messaging-bulk:rate:${queue}`, rowsPerSecond: Math.max(rowsPerSecond, MIN_RATE) }
      : undefined;
    this.#queue = new QueueJobs(connection, queue);
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
    return (await this.#queue.count()) === 0;
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
    const { rows, opening, startWithinMs, listId: id, service } = batch;
    refuseOther(this.#name, this.#service, service);
    const rate = this.#rate;
    if (rate) checkRate(rate.rowsPerSecond, rows.length);
    const { signal } = this.#pace;
    const claims = this.#claims.get(opening) ?? new Claims(this.#connection, opening, this.#replicas);
    this.#claims.set(opening, claims);
    const mark = this.#account === undefined ? '' : accountMark(this.#account, { id, service });
    while (!signal.aborted && this.#pace.pauseMs === 0) {
      const timeLeft = startTimeLimit(rate ? Math.min(startWithinMs, PROMPT_MS) : startWithinMs);
      const claim = await claims.claim(batch, mark, rate);
      if (claim === 'lost') this.#tellUnknown(batch);
      if (claim === 'taken' || claim === 'lost') return 'taken';
      if (typeof claim === 'number') {
        this.#line = this.#line.then(() => wait(Math.min(claim, MAX_PAUSE_MS), signal)).catch(() => undefined);
        await this.#line;
      } else if (timeLeft() > 0) return { batch, claims, claim, timeLeft };
      else if (!(await claims.release(claim))) return 'taken';
    }
    return undefined;
  }

  /** Says once of an opening that its jobs are removed. All of its rows may have an outcome in the journal. */
  #tellUnknown({ list, opening }: QueuedJob): void {
    if (this.#unknownOpenings.has(opening)) return;
    this.#unknownOpenings.add(opening);
    const words = `Redis does not know the rows of ${list} that were queued as ${opening}, so they are not sent`;
    this.#onWarning?.(`${words} and their jobs are removed; the status of the list says what became of them`);
  }

  /**
   * Puts a batch that was not sent back to the front of the queue, unless it was given up. A crash on the way leaves no
   * job: the next enqueueing adds it.
   */
  async putBack({ batch, claims, claim }: ClaimedBatch): Promise<void> {
    // Before the job: another worker may take it at once.
    if (await claims.release(claim)) await this.#queue.add([batch], true);
  }
}
