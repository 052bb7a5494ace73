import { ConfigurationError } from '../../errors';
import { trueOrFalse } from '../../options/checks';
import { checkOptions, type FlagTable, type GivenOptions, type ResolvedOptions } from '../../options/table';
import { List } from '../list/list';
import { journalOptions } from '../options';
import type { BulkJournal } from '../state/bulk-journal';
import type { QueuedBatch, QueueOpening } from '../state/bulk-state';
import { countRows, type OutcomeRecord } from '../state/records';
import { type BulkStatus, statusOf } from '../status';
import { chunksOf } from './chunks';
import { Claims } from './claims';
import { type QueueOptions, redisOptions, withoutPassword } from './options';
import { outcomeOf } from './outcome-of';
import { QueueJobs } from './queue-jobs';
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
  /**
   * Makes rows unknown that Redis does not know, because it has lost them. A worker with another Redis, or with an
   * older copy of this one, may still send them. Default false: such a Redis is refused.
   */
  lostAreUnknown: {
    read: trueOrFalse,
    default: false,
    flag: { help: 'make rows unknown that this Redis has lost; no other Redis may have them' },
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
  /** The number of queued rows that wait for a worker and are in no queue: `enqueueBulk` puts them back. */
  readonly inNoQueue: number;
}

type CollectSettings = ResolvedOptions<typeof collectOptions>;

/**
 * Writes to the journal the outcomes of the rows that `enqueueBulk` put in a queue, while workers go on or afterwards.
 * With `takeBack`, a row that no worker has claimed is revoked, and so is provably not sent: it is pending; and a row
 * whose worker is silent since its claim is unknown. The input and the service are not needed.
 *
 * @throws {ConfigurationError} when an option is wrong, a peer is missing, no row was put in a queue, Redis may lose
 * data, which nobody has accepted, or does not know the rows (with `lostAreUnknown` these rows become unknown);
 * {RedisError}; {JournalError}; {JournalWriteError}
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
  const { replicas = isOwn ? own.replicas : 0, acceptLoss = isOwn && own.acceptLoss } = options;
  const settings = checkOptions(collectOptions, { ...options, redis, replicas, acceptLoss });
  return withRedis(settings, async (connection) => {
    const journal = await list.open();
    try {
      const rows = { collected: 0, silent: 0, inNoQueue: 0 };
      const { state } = journal;
      for (const opening of state.queueOpenings) await collectOpening(journal, connection, opening, settings, rows);
      // The outcome of one opening may decide rows of an earlier one.
      for (const { opening, name } of state.queueOpenings)
        if (state.queued(opening).next().done)
          await new Claims(connection, opening, settings.replicas).close(!state.givenUp(opening).next().done, name);
      const { queue } = state;
      const given = withoutPassword(settings.redis);
      // After a failover, the list is in another Redis than the one that took its rows.
      if (queue && queue.redis !== given.redis)
        await journal.commit({ ...queue, ...given, replicas: settings.replicas, acceptLoss });
      return { ...statusOf(list), ...rows };
    } finally {
      await list.close();
    }
  });
}

/**
 * Asks for the values of the batches that one opening of the journal has queued, and writes the outcomes to the
 * journal. Adds to the numbers of rows.
 */
async function collectOpening(
  journal: BulkJournal,
  connection: RedisConnection,
  { opening, name }: QueueOpening,
  settings: CollectSettings,
  rows: { collected: number; silent: number; inNoQueue: number },
): Promise<void> {
  const { state } = journal;
  const claims = new Claims(connection, opening, settings.replicas);
  const jobs = name === undefined ? undefined : new QueueJobs(connection, name);
  try {
    // The workers of these may still report. What Redis has lost of them comes no more.
    for await (const batches of chunksOf([...state.givenUp(opening)])) {
      const values = await claims.collect(batches, false);
      const late = batches.flatMap((batch, index) => lateOutcomeOf(batch, values[index] as string) ?? []);
      if (late.length > 0) await journal.commit(late);
      rows.collected += countRows(havingOutcome(batches, late));
    }
    for await (const batches of chunksOf([...state.queued(opening)])) {
      const values = await claims.collect(batches, settings.takeBack);
      if (values.includes('lost') && !settings.lostAreUnknown) refuseLost();
      const at = (value: string) => batches.filter((_, index) => values[index] === value);
      const outcomes = batches.flatMap((batch, index) => foundOutcomeOf(batch, values[index] as string) ?? []);
      rows.silent += countRows(at('silent'));
      rows.collected += countRows(havingOutcome(batches, outcomes));
      if (outcomes.length > 0) await journal.commit(outcomes);
      if (jobs) rows.inNoQueue += countRows(await jobs.missing(claims, at('queued')));
    }
    // Only now, with the outcomes on the disk.
    const queued = new Set(Array.from(state.queued(opening), ({ n }) => n));
    await jobs?.remove(opening, queued);
  } finally {
    await jobs?.close();
  }
}

/** The outcome of a batch that was given up: that of its worker, which has come since. */
function lateOutcomeOf(batch: QueuedBatch, value: string): OutcomeRecord | undefined {
  return value.startsWith('given-up:') ? undefined : outcomeOf(batch, value);
}

function foundOutcomeOf(batch: QueuedBatch, value: string): OutcomeRecord | undefined {
  return value === 'lost' ? { t: 'unknown', n: batch.n, error: 'lost by Redis', lost: true } : outcomeOf(batch, value);
}

/** @throws {ConfigurationError}: workers of another Redis may still send these batches */
function refuseLost(): never {
  const message = 'it does not know rows that were queued: give the Redis in which they were queued';
  const loss = 'makes these rows unknown, if Redis has lost them and no worker uses another Redis that has them';
  throw new ConfigurationError({
    problems: [
      { option: 'redis', message },
      { option: 'lostAreUnknown', message: loss },
    ],
  });
}

/** The batches that have one of these outcomes. */
function havingOutcome(batches: readonly QueuedBatch[], outcomes: readonly OutcomeRecord[]): readonly QueuedBatch[] {
  const numbers = new Set(outcomes.map(({ n }) => n));
  return batches.filter(({ n }) => numbers.has(n));
}
