import { ConfigurationError } from '../../errors';
import { trueOrFalse } from '../../options/checks';
import { checkOptions, type FlagTable, type GivenOptions, type ResolvedOptions } from '../../options/table';
import { List } from '../list';
import { journalOptions } from '../options';
import type { BulkJournal } from '../state/bulk-journal';
import { type BulkStatus, statusOf } from '../status';
import { chunksOf } from './chunks';
import { Claims } from './claims';
import { jobId } from './job';
import { type QueueOptions, redisOptions, withoutPassword } from './options';
import { type RedisConnection, withRedis } from './redis';

const ownOptions = {
  /**
   * Takes back the rows that no worker has claimed: they are pending. Rows of a worker that is silent since its claim
   * become unknown. Default false: what workers have done is recorded, and nothing is taken from them.
   */
  takeBack: {
    read: trueOrFalse,
    default: false,
    flag: { help: 'take back what no worker has claimed, and give up silent workers' },
  },
} as const satisfies FlagTable;

/** The options of a collection. */
export const collectOptions = { ...redisOptions, ...journalOptions, ...ownOptions } as const;

/** The journal of a list that was queued. By default its Redis is the one that the journal names. */
export interface CollectOptions
  extends Partial<QueueOptions>,
    GivenOptions<typeof journalOptions>,
    GivenOptions<typeof ownOptions> {}

/** The status of a list after a collection. Workers are sending the rows that are still queued: collect again. */
export interface Collected extends BulkStatus {
  /** The number of rows whose outcome was written to the journal. */
  readonly collected: number;
  /** The number of queued rows whose worker has ended, or is silent for longer than its claim holds. */
  readonly silent: number;
}

/**
 * Writes to the journal the outcomes of the rows that `enqueueBulk` put in a queue, while workers go on or afterwards.
 * With `takeBack`, a row that no worker has claimed is revoked, and so is provably not sent: it is pending; and a row
 * whose worker is silent since its claim is unknown. The input and the service are not needed.
 *
 * @throws {ConfigurationError} when an option is wrong, a peer is missing, no row was put in a queue, or Redis may lose
 * data or does not know the rows (with `acceptLoss` these rows become unknown); {RedisError}; {JournalError};
 * {JournalWriteError}
 */
export async function collectBulk(options: CollectOptions): Promise<Collected> {
  const { journal: path, takeOver } = checkOptions(journalOptions, {
    journal: options.journal,
    takeOver: options.takeOver,
  });
  const list = await List.read(path, takeOver);
  const nothing = `${path}: no row of this list was put in a queue, so there is nothing to collect`;
  const own = list.state.queue;
  if (own === undefined) throw new ConfigurationError({ message: nothing });
  const { redis = own.redis } = options;
  // After a failover, another Redis has the list, and may have no replicas.
  const isOwn = options.redis === undefined || (URL.canParse(redis) && withoutPassword(redis).redis === own.redis);
  const { replicas = isOwn ? own.replicas : 0 } = options;
  const settings = checkOptions(collectOptions, { ...options, redis, replicas });
  return withRedis(settings, async (connection) => {
    const journal = await list.open();
    try {
      const { queued } = statusOf(list);
      let silent = 0;
      for (const opening of journal.state.queueOpenings)
        silent += await collectOpening(journal, connection, opening, settings);
      const { queue } = journal.state;
      const given = withoutPassword(settings.redis);
      // After a failover, the list is in another Redis than the one that took its rows.
      if (queue && queue.redis !== given.redis)
        await journal.commit({ ...queue, ...given, replicas: settings.replicas });
      const status = statusOf(list);
      return { ...status, collected: queued - status.queued, silent };
    } finally {
      await list.close();
    }
  });
}

/**
 * Asks for the outcomes of the batches that one opening of the journal has queued, and writes them to the journal.
 * Resolves with the number of rows of silent workers.
 */
async function collectOpening(
  journal: BulkJournal,
  connection: RedisConnection,
  opening: string,
  { acceptLoss, replicas, takeBack }: ResolvedOptions<typeof collectOptions>,
): Promise<number> {
  const claims = new Claims(connection, opening, replicas);
  let [isDone, silentRows] = [true, 0];
  const queued = [...journal.state.queued()].filter((batch) => batch.opening === opening);
  for await (const batches of chunksOf(queued)) {
    const { outcomes: records, silent } = await claims.collect(batches, { takeBack, acceptLoss });
    isDone &&= records.length === batches.length;
    for (const { range } of silent) silentRows += range[1] - range[0] + 1;
    if (records.length === 0) continue;
    await journal.commit(...records);
    // Only now, with the outcomes on the disk. The job of a batch that was sent has ended.
    const left = records.filter(({ t }) => t !== 'sent').map(({ n }) => jobId(opening, n));
    const name = left.length > 0 ? await claims.queue() : null;
    if (name !== null) await removeJobs(connection, name, left);
  }
  // No worker may claim a batch any more, and there is no place for an outcome: the journal's outcome holds.
  if (isDone) await claims.close();
  return silentRows;
}

/** Removes jobs that have not ended. A job that a worker holds stays: its worker cannot claim it any more. */
async function removeJobs(connection: RedisConnection, name: string, jobs: readonly string[]): Promise<void> {
  const queue = connection.openQueue(name);
  try {
    await connection.attempt(() => Promise.all(jobs.map((job) => queue.remove(job))));
  } finally {
    await queue.close();
  }
}
