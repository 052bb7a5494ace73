import { basename } from 'node:path';
import { Service } from '../../client/options/service';
import { unchecked } from '../../options/checks';
import { type GivenOptions, type ResolvedOptions, wrongOption } from '../../options/table';
import type { BulkClient } from '../client';
import { beginList } from '../list/begin';
import { List } from '../list/list';
import { checkRowOptions, type RowOptions } from '../options';
import { listBaseline } from '../reconcile/listing';
import { InputError } from '../rows/input-error';
import { batchesToSend, queuedBatches } from '../sending/batches';
import { beginOptions, sendOptions } from '../sending/options';
import { changedInput } from '../sending/run';
import { type BulkRecord, countRows } from '../state/records';
import { type BulkStatus, statusOf } from '../status';
import { chunksOf } from './chunks';
import { Claims } from './claims';
import type { QueuedJob } from './job';
import { type QueueOptions, type queueOption, queueOptions, withoutPassword } from './options';
import { QueueJobs } from './queue-jobs';
import { bindQueue } from './queue-service';
import { type RedisConnection, withRedis } from './redis';

const ownOptions = {
  /** A MessagingClient, which lists the baseline. */
  client: { ...unchecked<BulkClient>(), required: true },
  /** Leaves the rows that are not in the queue yet pending. */
  signal: sendOptions.signal,
  /** Called with the number of rows in each state, after some batches. */
  onProgress: sendOptions.onProgress,
} as const;

const enqueueOptions = { ...queueOptions, ...beginOptions, ...ownOptions } as const;

/** The rows of a list, and the queue that they are put in. */
export interface EnqueueOptions
  extends RowOptions,
    QueueOptions,
    GivenOptions<typeof queueOption>,
    GivenOptions<typeof beginOptions>,
    GivenOptions<typeof ownOptions> {}

/** The result of an enqueueing. */
export interface Enqueued extends BulkStatus {
  /** The reason why rows are not in the queue although nothing interrupted it: the file has changed. */
  readonly stopped: string | undefined;
  /** The number of rows that waited for a worker and were in no queue, and that are in it again. */
  readonly putBack: number;
}

/**
 * Puts all pending rows in a queue, for workers on any machine to send: see `workBulk`. The rows are `under-way` from
 * then on, until `collectBulk` has asked for their outcomes. The input is checked and the baseline is listed, as
 * `openBulk` and `run` do. The queue holds texts and phone numbers, and no API key. An abort of the signal leaves the
 * remaining rows pending. Rows
 * that are queued, but have lost their job, get it again.
 *
 * @throws {ConfigurationError} when an option is wrong, a peer is missing, or Redis may lose data; {RedisError};
 * {InputError}; {JournalError}; {JournalWriteError}; {MessagingError} with an `operation` when the baseline cannot be
 * listed
 */
export async function enqueueBulk(options: EnqueueOptions): Promise<Enqueued> {
  const { journal, takeOver } = checkRowOptions(options, enqueueOptions);
  return enqueueList(await List.at(journal, { takeOver, keepsMessages: true }), options);
}

/** Enqueues a list, whose rows are not compared yet. */
export async function enqueueList(list: List, options: EnqueueOptions): Promise<Enqueued> {
  const settings = checkRowOptions(options, enqueueOptions);
  return withRedis(settings, async (connection) => {
    const { client, baselinePagesize, onBegin } = settings;
    const { signal } = connection;
    await list.compare(settings, signal);
    refuseOtherRedis(list, settings.redis);
    await beginList(list, { listBaseline: () => listBaseline(client, baselinePagesize, signal), onBegin, signal });
    const { batches } = list.state;
    let stopped: string | undefined;
    let putBack = 0;
    try {
      putBack = await putBackJobs(list, connection, settings);
      await enqueuePending(list, connection, settings);
    } catch (error) {
      if (!(error instanceof InputError) || list.state.batches === batches) throw error;
      stopped = changedInput(list, error).stopped;
    } finally {
      await list.close();
    }
    return { ...statusOf(list), stopped: stopped ?? list.stopped, putBack };
  });
}

/** The rows of a list are in one Redis, because `collect` asks only one. @throws {ConfigurationError} */
function refuseOtherRedis({ state }: List, redis: string): void {
  const other = state.queue?.redis;
  if (other === undefined || other === withoutPassword(redis).redis || state.queued().next().done) return;
  throw wrongOption('redis', `rows of this list are in the queue at ${other}: collect them first`);
}

type EnqueueSettings = ResolvedOptions<typeof enqueueOptions>;

/** The part of all jobs of a list. */
function ofList({ path, plan: { operation, startWithinMs }, state: { list, settings } }: List) {
  const service = new Service({ ...settings, ...list?.service });
  return { list: basename(path, '.journal'), listId: list?.id as string, operation, startWithinMs, service };
}

/**
 * Puts the jobs of batches that wait in the queue again when they have none: a crash came before they were put in it,
 * or they were removed. Resolves with the number of rows.
 */
async function putBackJobs(list: List, connection: RedisConnection, { replicas }: EnqueueSettings): Promise<number> {
  let rows = 0;
  for (const { opening, name } of list.state.queueOpenings) {
    const queued = [...list.state.queued(opening)];
    if (name === undefined || queued.length === 0) continue;
    const jobs = new QueueJobs(connection, name);
    try {
      const claims = new Claims(connection, opening, replicas);
      const missing = new Set((await jobs.missing(claims, queued)).map(({ n }) => n));
      if (missing.size === 0) continue;
      const others = { ...ofList(list), opening, isFirst: false };
      for await (const batches of chunksOf(queuedBatches(list, missing))) {
        if (connection.signal.aborted) break;
        await jobs.add(batches.map((batch) => ({ ...others, ...batch })));
        rows += countRows(batches);
      }
    } finally {
      await jobs.close();
    }
  }
  return rows;
}

/** Puts rows in the queue chunk by chunk, until the signal is aborted. */
async function enqueuePending(
  list: List,
  connection: RedisConnection,
  { queue: name, redis, replicas, acceptLoss, onProgress }: EnqueueSettings,
): Promise<void> {
  const { journal, plan, state } = list;
  const { opening } = journal;
  const jobs = new QueueJobs(connection, name);
  const claims = new Claims(connection, opening, replicas);
  const others = { ...ofList(list), opening };
  let [first, rows] = [0, 0];
  try {
    for await (const batches of chunksOf(
      batchesToSend(list, (row) => state.table.state(row) === 'pending' && list.maySend(row)),
    )) {
      if (connection.signal.aborted) return;
      // Only once: if Redis loses the claims meanwhile, it must not look as if no worker had claimed a batch.
      if (first === 0) {
        await bindQueue(connection, name, others.service, plan.batchSize);
        await claims.openFor(name, plan.startWithinMs);
      }
      const at = Date.now();
      const isFirst = first === 0 && state.table.count('sent') === 0;
      first = state.batches + 1;
      const added = batches.map(({ range, rows }, index): QueuedJob => {
        const n = first + index;
        return { ...others, n, range, rows, isFirst: isFirst && index === 0 };
      });
      const intents = added.map(({ n, range }): BulkRecord => ({ t: 'intent', n, range, at, queued: true }));
      // A crash from here on leaves intents without jobs, which the next enqueueing adds; never a job without an
      // intent.
      await journal.commit([{ t: 'queue', name, ...withoutPassword(redis), replicas, acceptLoss }, ...intents]);
      await jobs.add(added);
      rows += countRows(added);
      await claims.countRows(rows);
      onProgress?.(state.table.counts());
    }
  } finally {
    await jobs.close();
  }
}
