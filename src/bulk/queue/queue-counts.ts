import { checkOptions } from '../../options/table';
import type { List } from '../list/list';
import { chunksOf } from './chunks';
import { Claims } from './claims';
import { type QueueOptions, queueOptions } from './options';
import { RedisConnection } from './redis';

/** The queued rows of a list, by what Redis has of them. */
export interface QueueCounts {
  /** The number of rows that no worker has claimed. */
  readonly waiting: number;
  /** The number of rows that a worker has claimed and that have no outcome yet. */
  readonly claimed: number;
  /** The number of rows whose worker has ended, or is silent for longer than its claim holds. */
  readonly silent: number;
  /** The number of rows that have an outcome, which the next collection records. */
  readonly done: number;
}

/** The time in which Redis must have responded to everything, in milliseconds. */
const COUNT_MS = 2000;

/**
 * Asks Redis how far the queued rows of a list are, for two seconds at most. It writes nothing.
 *
 * @throws {ConfigurationError | RedisError} when Redis cannot be asked
 */
export async function countQueued({ state }: List, options: QueueOptions): Promise<QueueCounts> {
  const connection = new RedisConnection(checkOptions(queueOptions, { ...options, acceptLoss: true }));
  const timer = setTimeout(() => connection.close(), COUNT_MS);
  const counts = { waiting: 0, claimed: 0, silent: 0, done: 0 };
  try {
    await connection.open();
    for (const opening of state.queueOpenings) {
      const claims = new Claims(connection, opening);
      const queued = [...state.queued()].filter((batch) => batch.opening === opening);
      for await (const batches of chunksOf(queued))
        for (const [index, progress] of (await claims.progress(batches)).entries()) {
          const [from, to] = (batches[index] as (typeof batches)[number]).range;
          counts[progress] += to - from + 1;
        }
    }
    return counts;
  } finally {
    clearTimeout(timer);
    connection.close();
  }
}
