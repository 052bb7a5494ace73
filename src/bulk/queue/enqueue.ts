import { basename } from 'node:path';
import { unchecked } from '../../options/checks';
import { type GivenOptions, type ResolvedOptions, wrongOption } from '../../options/table';
import type { BulkClient } from '../client';
import { beginList } from '../list/begin';
import { List } from '../list/list';
import { checkRowOptions, type RowOptions } from '../options';
import { listBaseline } from '../reconcile/listing';
import { InputError } from '../rows/input-error';
import { batchesToSend } from '../sending/batches';
import { beginOptions, sendOptions } from '../sending/options';
import { changedInput } from '../sending/run';
import type { BulkRecord } from '../state/records';
import { type BulkStatus, statusOf } from '../status';
import { chunksOf } from './chunks';
import { Claims } from './claims';
import { addJob, type QueuedJob } from './job';
import { type QueueOptions, type queueOption, queueOptions, withoutPassword } from './options';
import { bindQueue, serviceOf } from './queue-service';
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
}

/**
 * Puts all pending rows in a queue, for workers on any machine to send: see `workBulk`. The rows are `under-way` from
 * then on, until `collectBulk` has asked for their outcomes. The input is checked and the baseline is listed, as
 * `openBulk` and `run` do. The queue holds texts and phone numbers, and no API key. An abort of the signal leaves the
 * remaining rows pending.
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
    try {
      await enqueuePending(list, connection, settings);
    } catch (error) {
      if (!(error instanceof InputError) || list.state.batches === batches) throw error;
      stopped = changedInput(list, error).stopped;
    } finally {
      await list.close();
    }
    return { ...statusOf(list), stopped: stopped ?? list.stopped };
  });
}

/** The rows of a list are in one Redis, because `collect` asks only one. @throws {ConfigurationError} */
function refuseOtherRedis({ state }: List, redis: string): void {
  const other = state.queue?.redis;
  if (other === undefined || other === withoutPassword(redis).redis || state.queued().next().done) return;
  throw wrongOption('redis', `rows of this list are in the queue at ${other}: collect them first`);
}

/** Puts rows in the queue chunk by chunk, until the signal is aborted. */
async function enqueuePending(
  list: List,
  connection: RedisConnection,
  { queue: name, redis, replicas, acceptLoss, onProgress }: ResolvedOptions<typeof enqueueOptions>,
): Promise<void> {
  const { journal, plan, state } = list;
  const { opening } = journal;
  const { operation, startWithinMs } = plan;
  const queue = connection.openQueue(name);
  const claims = new Claims(connection, opening, replicas);
  const service = serviceOf({ ...state.settings, ...state.list?.service });
  const ofList = { list: basename(list.path, '.journal'), opening, operation, startWithinMs, service };
  let first = 0;
  try {
    for await (const batches of chunksOf(
      batchesToSend(list, (row) => state.table.state(row) === 'pending' && list.maySend(row)),
    )) {
      if (connection.signal.aborted) return;
      // Only once: if Redis loses the claims meanwhile, it must not look as if no worker had claimed a batch.
      if (first === 0) {
        await bindQueue(connection, name, service, plan.batchSize);
        await claims.openFor(name);
      }
      const at = Date.now();
      const isFirst = first === 0 && state.table.count('sent') === 0;
      first = state.batches + 1;
      const jobs = batches.map(({ range, rows }, index): QueuedJob => {
        const n = first + index;
        return { ...ofList, n, range, rows, isFirst: isFirst && index === 0 };
      });
      const intents = jobs.map(({ n, range }): BulkRecord => ({ t: 'intent', n, range, at, queued: true }));
      // A crash from here on leaves intents without jobs, which `collectBulk` revokes; never a job without its intent.
      await journal.commit([{ t: 'queue', ...withoutPassword(redis), replicas, acceptLoss }, ...intents]);
      // Not by addBulk: its transaction fails for good once Redis has started again and forgotten BullMQ's scripts.
      await connection.attempt(() => Promise.all(jobs.map((job) => addJob(queue, job))));
      onProgress?.(state.table.counts());
    }
  } finally {
    await queue.close();
  }
}
