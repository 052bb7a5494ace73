import type { Counts } from '../journal/row-table';
import { resolveRunOptions } from '../options';
import type { RunOptions } from '../sending/run';
import type { BulkClient } from '../session/bulk-client';
import { BulkWorker } from './bulk-worker';
import { checkQueueOptions, DEFAULT_QUEUE, type QueueOptions } from './queue-options';
import { withRedis } from './redis-connection';

/** How the rows of a queue are sent. */
export interface WorkOptions extends QueueOptions, Omit<RunOptions, 'baseline' | 'rowsPerSecond'> {
  /** A MessagingClient. */
  readonly client: BulkClient;
  /** The name of the queue that rows were put in. Default `messaging-bulk`. */
  readonly queue?: string | undefined;
  /** Rows that start in a second, at most, over all workers of the queue, which have to be given the same. Default: no limit. */
  readonly rowsPerSecond?: number | undefined;
  /** Ends when no job is left in the queue, also with no other worker. Default false: it waits for more. */
  readonly untilEmpty?: boolean | undefined;
}

/**
 * Sends the rows that `enqueueBulk` has put in a queue, each batch once, whatever happens to this worker, to others, or to the
 * queue. It takes jobs until the signal is aborted, `stopAfterFailures` batches have failed here, or with `untilEmpty` nothing is
 * left; then it waits for what is under way. Until a first row is sent here, one batch is sent at a time.
 *
 * Resolves with the counts of the rows that this worker has claimed; those that were not sent are `pending`.
 *
 * @throws {ConfigurationError} when an option is wrong, a peer is missing, or Redis may forget; {RedisError} when Redis cannot be
 * reached at the start
 */
export async function workBulk(options: WorkOptions): Promise<Counts> {
  const { client, queue = DEFAULT_QUEUE, untilEmpty = false } = options;
  checkQueueOptions(options, queue);
  const settings = resolveRunOptions(options);
  return withRedis(options, true, (connection) => {
    const worker = new BulkWorker(connection, { ...settings, client, queue, untilEmpty });
    return worker.run();
  });
}
