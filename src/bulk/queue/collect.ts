import { openJournal } from '../journal/open-journal';
import type { Collected } from './collected';
import { Collector } from './collector';
import { checkQueueOptions, type QueueOptions } from './queue-options';
import { withRedis } from './redis-connection';

/** What is collected, and from where. */
export interface CollectOptions extends QueueOptions {
  /** Path of the journal of the rows. */
  readonly journal: string;
  /** As for openBulk. Default false. */
  readonly takeOver?: boolean | undefined;
  /** Takes back what no worker has claimed, so that it is pending again. Default true. */
  readonly revoke?: boolean | undefined;
}

/**
 * Writes down in the journal what became of the rows that `enqueueBulk` put in a queue. What no worker has claimed is revoked, and
 * so is provably not sent: pending. What a worker has claimed that has ended since is unknown. The input and the service are not
 * needed.
 *
 * @throws {ConfigurationError} when an option is wrong, a peer is missing, or Redis may forget, or does not know of the rows (with
 * `acceptLoss` these are unknown then); {RedisError}; {JournalError}; {JournalWriteError}
 */
export async function collectBulk(options: CollectOptions): Promise<Collected> {
  const { journal: path, takeOver = false, revoke = true, acceptLoss = false } = options;
  checkQueueOptions(options);
  // A revocation has to last.
  return withRedis(options, revoke, async (connection) => {
    const opened = await openJournal({ path, takeOver });
    try {
      return await new Collector(opened, connection, { revoke, acceptLoss }).collect();
    } finally {
      await opened.journal.close();
    }
  });
}
