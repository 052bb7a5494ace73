import { checkOptions } from '../../options/table';
import type { List } from '../list/list';
import type { QueuedBatch, QueueOpening } from '../state/bulk-state';
import { countRows } from '../state/records';
import { Claims } from './claims';
import { type QueueOptions, queueOptions } from './options';
import { QueueJobs } from './queue-jobs';
import { RedisConnection } from './redis';

/** The queued rows of a list, by what Redis has of them. */
export interface QueueCounts {
  /** The number of rows that wait for a worker in the queue. */
  readonly waiting: number;
  /** The number of rows that wait for a worker and are in no queue: `enqueueBulk` puts them back. */
  readonly inNoQueue: number;
  /** The number of rows that a worker has claimed and that have no outcome yet. */
  readonly claimed: number;
  /** The number of rows whose worker has ended, or is silent for longer than its claim holds. */
  readonly silent: number;
  /** The number of rows that have an outcome, which the next collection records. */
  readonly done: number;
  /** The number of rows that Redis does not know. */
  readonly lost: number;
}

/** The time that the counting takes at most, in milliseconds. */
const COUNT_MS = 2000;

/**
 * Asks Redis how far the queued rows of a list are, for two seconds at most. It writes nothing.
 *
 * @returns undefined when the counting takes longer
 * @throws {ConfigurationError | RedisError} when Redis cannot be asked
 */
export async function countQueued({ state }: List, options: QueueOptions): Promise<QueueCounts | undefined> {
  const connection = new RedisConnection(checkOptions(queueOptions, { ...options, acceptLoss: true }));
  let isOver = false;
  const timer = setTimeout(() => {
    isOver = true;
    connection.close();
  }, COUNT_MS);
  const counts = { waiting: 0, inNoQueue: 0, claimed: 0, silent: 0, done: 0, lost: 0 };
  let isOpen = false;
  try {
    await connection.open();
    isOpen = true;
    for (const opening of state.queueOpenings) {
      const queued = [...state.queued(opening.opening)];
      if (queued.length === 0) continue;
      for (const [name, rows] of Object.entries(await countOpening(connection, opening, queued)))
        counts[name as keyof QueueCounts] += rows;
    }
    return counts;
  } catch (error) {
    if (isOver && isOpen) return undefined;
    throw error;
  } finally {
    clearTimeout(timer);
    connection.close();
  }
}

async function countOpening(
  connection: RedisConnection,
  { opening, name, rows, batches }: QueueOpening,
  queued: readonly QueuedBatch[],
): Promise<Partial<QueueCounts>> {
  const total = countRows(queued);
  const claims = new Claims(connection, opening);
  const known = await claims.count();
  if (known === 'lost') return { lost: total };
  const { heldRows, heldBatches, claimedRows, silentRows } = known ?? {
    ...{ heldRows: rows, heldBatches: batches, claimedRows: 0, silentRows: 0 },
  };
  const waiting = rows - heldRows;
  const isFew = waiting > 0 && name !== undefined;
  const inNoQueue = isFew ? await countMissing(connection, name, claims, queued, batches - heldBatches) : 0;
  const others = { claimed: claimedRows - silentRows, silent: silentRows, done: total - waiting - claimedRows };
  return { waiting: waiting - inNoQueue, inNoQueue, ...others };
}

/** The waiting rows of an opening that have no job. A queue that has enough jobs is not asked for each of them. */
async function countMissing(
  connection: RedisConnection,
  name: string,
  claims: Claims,
  queued: readonly QueuedBatch[],
  waitingBatches: number,
): Promise<number> {
  const jobs = new QueueJobs(connection, name);
  try {
    if ((await jobs.count()) >= waitingBatches) return 0;
    return countRows(await jobs.missing(claims, queued));
  } finally {
    await jobs.close();
  }
}
