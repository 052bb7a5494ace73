import type { Queue } from 'bullmq';
import type { QueuedBatch } from '../state/bulk-state';
import { chunksOf } from './chunks';
import type { Claims } from './claims';
import { addJob, jobId, type QueuedJob } from './job';
import type { RedisConnection } from './redis';

/** The lists of a queue that have jobs which have not ended. */
const OPEN_LISTS = ['waiting', 'active', 'prioritized', 'delayed'] as const;
/** The number of jobs that are read at once. */
const PAGE = 1000;

/** The jobs of a queue. A job is only a hint to look at a batch: its claims decide what becomes of it. */
export class QueueJobs {
  readonly #connection: RedisConnection;
  readonly #queue: Queue;

  constructor(connection: RedisConnection, name: string) {
    this.#connection = connection;
    this.#queue = connection.openQueue(name);
  }

  /** The number of jobs that have not ended, of all lists. */
  count(): Promise<number> {
    const count = () => this.#queue.getJobCountByTypes(...OPEN_LISTS);
    return this.#connection.attempt(count);
  }

  /**
   * Puts batches in the queue. A batch that has a job already gets no other one.
   *
   * @param isNext true to put them before all others
   */
  async add(jobs: readonly QueuedJob[], isNext = false): Promise<void> {
    // Not by addBulk: its transaction fails for good once Redis has started again and forgotten BullMQ's scripts.
    await this.#connection.attempt(() => Promise.all(jobs.map((job) => addJob(this.#queue, job, isNext))));
  }

  /** The batches of an opening that wait for a worker and have no job. */
  async missing(claims: Claims, batches: Iterable<QueuedBatch>): Promise<readonly QueuedBatch[]> {
    const missing: QueuedBatch[] = [];
    const { redis } = this.#connection;
    const exists = ({ n }: QueuedBatch) => redis.exists(this.#queue.toKey(jobId(claims.opening, n)));
    for await (const chunk of chunksOf(batches)) {
      const found = await this.#connection.attempt(() => Promise.all(chunk.map(exists)));
      const withoutJob = chunk.filter((_, index) => found[index] === 0);
      if (withoutJob.length === 0) continue;
      // Only now: a job ends when its batch is claimed.
      const values = await claims.collect(withoutJob, false);
      missing.push(...withoutJob.filter((_, index) => values[index] === 'queued'));
    }
    return missing;
  }

  /**
   * Removes the jobs of an opening, but for those of some batches. A job that a worker holds stays: its worker cannot
   * claim it any more.
   *
   * @param kept the numbers of these batches
   */
  async remove(opening: string, kept: ReadonlySet<number>): Promise<void> {
    const isLeft = (id: string) => id.startsWith(`${opening}-`) && !kept.has(Number(id.slice(opening.length + 1)));
    const ids = new Set<string>();
    for (let from = 0; ; from += PAGE) {
      const page = await this.#connection.attempt(() => this.#queue.getRanges([...OPEN_LISTS], from, from + PAGE - 1));
      for (const id of page.filter(isLeft)) ids.add(id);
      if (page.length === 0) break;
    }
    for (const id of ids) await this.#connection.attempt(() => this.#queue.remove(id));
  }

  close(): Promise<void> {
    return this.#queue.close();
  }
}
