import { openList } from '../bulk';
import { type BulkOptions, clientRow, resolveList, runOptions } from '../options';
import { recordBaseline } from '../reconcile/listing';
import { type Batch, pendingBatches } from '../sending/batches';
import type { RunOptions } from '../sending/run';
import type { OpenList } from '../state/bulk-journal';
import type { Counts } from '../state/row-table';
import { type BulkStatus, statusOf } from '../status';
import { Claims } from './claims';
import { jobId, writeJob } from './job';
import { type QueueOptions, queueName, queueOptions } from './options';
import { type RedisConnection, withRedis } from './redis';

/** The rows of a list, and the queue that they are put in. */
export interface EnqueueOptions
  extends BulkOptions,
    QueueOptions,
    Pick<RunOptions, 'baseline' | 'signal' | 'onProgress'> {
  /** The name of the queue in BullMQ. Workers must use the same name. Default `messaging-bulk`. */
  readonly queue?: string | undefined;
}

const { baseline, signal, onProgress } = runOptions;
const enqueueOptions = { ...clientRow, ...queueOptions, ...queueName, baseline, signal, onProgress } as const;

/** The number of rows that go to the disk and to Redis together. */
const CHUNK_ROWS = 1000;

/**
 * Puts all pending rows in a queue, for workers on any machine to send: see `workBulk`. The rows are `under-way` from then on, until
 * `collectBulk` has asked for their outcomes. The input is checked and the baseline is listed, as `openBulk` and `run` do. The queue
 * holds texts and phone numbers, and no API key. An abort of the signal leaves the remaining rows pending.
 *
 * @throws {ConfigurationError} when an option is wrong, a peer is missing, or Redis may lose data; {RedisError}; {InputError};
 * {JournalError}; {JournalWriteError}; {MessagingError} with an `operation` when the baseline cannot be listed
 */
export async function enqueueBulk(options: EnqueueOptions): Promise<BulkStatus> {
  const settings = resolveList(options, enqueueOptions);
  return withRedis({ ...settings, durable: true }, async (connection) => {
    const list = await openList(settings);
    const { journal } = list;
    try {
      if (settings.signal?.aborted) return statusOf(journal.state, journal.notices);
      if (settings.baseline) await recordBaseline(journal, settings.client, settings.baseline, settings.signal);
      for await (const counts of enqueuePending(list, connection, settings)) {
        settings.onProgress?.(counts);
        if (settings.signal?.aborted) break;
      }
      return statusOf(journal.state, journal.notices);
    } finally {
      await journal.close();
    }
  });
}

/** Puts rows in the queue chunk by chunk, and yields the counts after each chunk. */
async function* enqueuePending(
  list: OpenList,
  connection: RedisConnection,
  { queue: name, replicas }: { readonly queue: string; readonly replicas: number },
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
      await journal.commit(...intents);
      const add = ({ range, rows }: Batch, index: number) => {
        const n = first + index;
        const data = writeJob({ opening, n, range, operation, rows, startWithinMs });
        // A job that has ended is not needed: the claims keep its batch from being sent again.
        const opts = { jobId: jobId(opening, n), attempts: 1, removeOnComplete: true, removeOnFail: true };
        return queue.add(operation, data, opts);
      };
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
