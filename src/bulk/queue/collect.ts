import { ConfigurationError } from '../../errors';
import { trueOrFalse } from '../../options/checks';
import { checkOptions, type FlagTable, type GivenOptions, type ResolvedOptions } from '../../options/table';
import { List } from '../list/list';
import { journalOptions } from '../options';
import type { BulkJournal } from '../state/bulk-journal';
import type { QueuedBatch } from '../state/bulk-state';
import type { OutcomeRecord } from '../state/records';
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
  const list = await List.read(path, { takeOver });
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
      const rows = { collected: 0, silent: 0 };
      for (const opening of journal.state.queueOpenings) {
        const { collected, silent } = await collectOpening(journal, connection, opening, settings);
        rows.collected += collected;
        rows.silent += silent;
      }
      for (const opening of journal.state.queueOpenings) await closeOpening(journal, connection, opening, settings);
      const { queue } = journal.state;
      const given = withoutPassword(settings.redis);
      // After a failover, the list is in another Redis than the one that took its rows.
      if (queue && queue.redis !== given.redis)
        await journal.commit({ ...queue, ...given, replicas: settings.replicas });
      return { ...statusOf(list), ...rows };
    } finally {
      await list.close();
    }
  });
}

/**
 * Asks for the outcomes of the batches that one opening of the journal has queued, and writes them to the journal.
 * Resolves with the number of rows that have an outcome now, and of those of silent workers.
 */
async function collectOpening(
  journal: BulkJournal,
  connection: RedisConnection,
  opening: string,
  { acceptLoss, replicas, takeBack }: ResolvedOptions<typeof collectOptions>,
): Promise<{ readonly collected: number; readonly silent: number }> {
  const claims = new Claims(connection, opening, replicas);
  const isOwn = (batch: QueuedBatch) => batch.opening === opening;
  const queued = [...journal.state.queued()].filter(isOwn);
  const givenUp = [...journal.state.givenUp()].filter(isOwn);
  const late = await claims.collectLate(givenUp);
  if (late.length > 0) await journal.commit(late);
  const rows = { collected: countRows(havingOutcome(givenUp, late)), silent: 0 };
  for await (const batches of chunksOf(queued)) {
    const { outcomes: records, silent } = await claims.collect(batches, { takeBack, acceptLoss });
    rows.silent += countRows(silent);
    rows.collected += countRows(havingOutcome(batches, records));
    if (records.length === 0) continue;
    await journal.commit(records);
    // Only now, with the outcomes on the disk. The job of a batch that was sent has ended.
    const left = records.filter(({ t }) => t !== 'sent').map(({ n }) => jobId(opening, n));
    const name = left.length > 0 ? await claims.queue() : null;
    if (name !== null) await removeJobs(connection, name, left);
  }
  return rows;
}

/** Ends the claims of an opening of which no batch is in a queue or with a worker any more. */
async function closeOpening(
  { state }: BulkJournal,
  connection: RedisConnection,
  opening: string,
  { replicas }: ResolvedOptions<typeof collectOptions>,
): Promise<void> {
  const isOwn = (batch: QueuedBatch) => batch.opening === opening;
  if ([...state.queued()].some(isOwn)) return;
  await new Claims(connection, opening, replicas).close([...state.givenUp()].some(isOwn));
}

/** The batches that have one of these outcomes. */
function havingOutcome(batches: readonly QueuedBatch[], outcomes: readonly OutcomeRecord[]): readonly QueuedBatch[] {
  const numbers = new Set(outcomes.map(({ n }) => n));
  return batches.filter(({ n }) => numbers.has(n));
}

function countRows(batches: readonly QueuedBatch[]): number {
  return batches.reduce((rows, { range: [from, to] }) => rows + to - from + 1, 0);
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
