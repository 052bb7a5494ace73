import { unchecked } from '../../options/checks';
import { beginList, checkList } from '../list';
import { type BulkClient, type BulkOptions, beginOptions, type RowOptions, resolveList, sendOptions } from '../options';
import { InputError } from '../rows/input-error';
import { type Batch, pendingBatches } from '../sending/batches';
import { changedInput, type RunOptions } from '../sending/run';
import type { FoundList, OpenList } from '../state/bulk-journal';
import type { QueueRecord } from '../state/records';
import type { Counts } from '../state/row-table';
import { type BulkStatus, statusOf } from '../status';
import { Claims } from './claims';
import { addJob } from './job';
import { type QueueOptions, queueName, queueOptions, withoutPassword } from './options';
import { type RedisConnection, withRedis } from './redis';

/** The rows of a list, and the queue that they are put in. */
export interface EnqueueOptions
  extends RowOptions,
    Required<Pick<BulkOptions, 'client'>>,
    QueueOptions,
    Pick<RunOptions, 'baseline' | 'onBegin' | 'signal' | 'onProgress'> {
  /** The name of the queue in BullMQ. Workers must use the same name. Default `messaging-bulk`. */
  readonly queue?: string | undefined;
}

/** The result of an enqueueing. */
export interface Enqueued extends BulkStatus {
  /** The reason why rows are not in the queue although nothing interrupted it: the file has changed. */
  readonly stopped: string | undefined;
}

const enqueueOptions = {
  client: { ...unchecked<BulkClient>(), required: true },
  ...queueOptions,
  ...queueName,
  ...beginOptions,
  signal: sendOptions.signal,
  onProgress: sendOptions.onProgress,
} as const;

/** The number of rows that go to the disk and to Redis together. */
const CHUNK_ROWS = 1000;

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
export function enqueueBulk(options: EnqueueOptions): Promise<Enqueued> {
  return enqueueFound(options);
}

/** Enqueues a list. @param found its journal, where it was read already */
export async function enqueueFound(options: EnqueueOptions, found?: FoundList): Promise<Enqueued> {
  const settings = resolveList(options, enqueueOptions);
  const { client, baseline, onBegin, onProgress, signal = new AbortController().signal } = settings;
  return withRedis({ ...settings, durable: true }, async (connection) => {
    const given = await checkList(settings, found);
    const list = await beginList(given, client, { baseline, onBegin, signal }, undefined);
    const { journal } = list;
    const before = journal.state.batches;
    let stopped: string | undefined;
    try {
      for await (const counts of enqueuePending(list, connection, settings)) {
        onProgress?.(counts);
        if (signal.aborted) break;
      }
    } catch (error) {
      if (!(error instanceof InputError) || journal.state.batches === before) throw error;
      stopped = changedInput(list, error).stopped;
    } finally {
      await journal.close();
    }
    return { ...statusOf(journal.state, journal.notices), stopped };
  });
}

/** Puts rows in the queue chunk by chunk, and yields the counts after each chunk. */
async function* enqueuePending(
  list: OpenList,
  connection: RedisConnection,
  { queue: name, redis, replicas, acceptLoss }: Omit<QueueRecord, 't' | 'hasPassword'> & { readonly queue: string },
): AsyncGenerator<Counts> {
  const { bullmq, warn } = connection;
  const { journal } = list;
  const { opening } = journal;
  const { operation, startWithinMs } = list.plan;
  const queue = new bullmq.Queue(name, connection.queueOptions);
  queue.on('error', warn);
  const claims = new Claims(connection, opening, replicas);
  let isAllowed = false;
  try {
    for await (const batches of chunksOf(pendingBatches(list))) {
      // Only once: if Redis loses the claims meanwhile, it must not look as if no worker had claimed a batch.
      if (!isAllowed) await claims.allow(name);
      isAllowed = true;
      const at = Date.now();
      const first = journal.state.batches + 1;
      const intents = batches.map(
        ({ range }, index) => ({ t: 'intent', n: first + index, range, at, queued: true }) as const,
      );
      // A crash from here on leaves intents without jobs, which `collectBulk` revokes; never a job without its intent.
      const isFirst = journal.state.isUntouched;
      await journal.commit({ t: 'queue', ...withoutPassword(redis), replicas, acceptLoss }, ...intents);
      const add = ({ range, rows }: Batch, index: number) =>
        addJob(queue, {
          ...{ opening, n: first + index, range, operation, rows, startWithinMs },
          isFirst: isFirst && index === 0,
        });
      // Not by addBulk: its transaction fails for good once Redis has started again and forgotten BullMQ's scripts.
      await connection.attempt(() => Promise.all(batches.map(add)));
      yield journal.state.table.counts();
    }
  } finally {
    await queue.close();
  }
}

async function* chunksOf(batches: AsyncIterable<Batch>): AsyncGenerator<readonly Batch[]> {
  let chunk: Batch[] = [];
  let rows = 0;
  for await (const batch of batches) {
    chunk.push(batch);
    rows += batch.rows.length;
    if (rows < CHUNK_ROWS) continue;
    yield chunk;
    [chunk, rows] = [[], 0];
  }
  if (chunk.length > 0) yield chunk;
}
