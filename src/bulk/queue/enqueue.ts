import { openSession } from '../bulk';
import type { Counts } from '../journal/row-table';
import { type BulkOptions, resolveRunOptions } from '../options';
import { recordBaseline } from '../reconciling/baseline';
import { readRows } from '../rows/row-reader';
import { type Batch, planBatches } from '../sending/plan';
import type { RunOptions } from '../sending/run';
import type { Session } from '../session/session';
import { Claims } from './claims';
import { jobId, writeJob } from './job';
import { checkQueueOptions, DEFAULT_QUEUE, type QueueOptions } from './queue-options';
import { type RedisConnection, withRedis } from './redis-connection';

/** What is put in a queue, and where. */
export interface EnqueueOptions
  extends BulkOptions,
    QueueOptions,
    Pick<RunOptions, 'baseline' | 'signal' | 'onProgress'> {
  /** The name of the queue in BullMQ, which workers have to be given too. Default `messaging-bulk`. */
  readonly queue?: string | undefined;
}

/** Rows that go to the disk and to Redis together. */
const CHUNK_ROWS = 1000;

/**
 * Puts all pending rows in a queue, for workers on any machine to send: see `workBulk`. They are `under way` from then on, until
 * `collectBulk` has asked what became of them. The input is checked, and the baseline is listed, as `openBulk` and `run` do. The
 * queue holds texts and numbers, and no API key. Resolves with the counts; an abort of the signal leaves the rest pending.
 *
 * @throws {ConfigurationError} when an option is wrong, a peer is missing, or Redis may forget; {RedisError}; {InputError};
 * {JournalError}; {JournalWriteError}; {MessagingError} with an `operation` when the baseline cannot be listed
 */
export async function enqueueBulk(options: EnqueueOptions): Promise<Counts> {
  const { queue = DEFAULT_QUEUE } = options;
  checkQueueOptions(options, queue);
  const { baseline, signal, onProgress } = resolveRunOptions(options);
  return withRedis(options, true, async (connection) => {
    const session = await openSession(options);
    try {
      if (baseline) await recordBaseline(session, baseline, signal);
      for await (const counts of enqueuePending(session, connection, queue)) {
        onProgress?.(counts);
        if (signal?.aborted) break;
      }
      return session.ledger.table.counts();
    } finally {
      await session.journal.close();
    }
  });
}

/** Puts rows in the queue chunk by chunk, and gives the counts after each. */
async function* enqueuePending(
  { source, ledger, journal, options, digests, run }: Session,
  { redis, bullmq, warn }: RedisConnection,
  queueName: string,
): AsyncGenerator<Counts> {
  const { operation, startWithinMs } = options;
  const queue = new bullmq.Queue(queueName, { connection: redis });
  queue.on('error', warn);
  const claims = new Claims(redis, run);
  const isPending = (row: number) => ledger.table.state(row) === 'pending';
  let isOpen = false;
  try {
    for await (const batches of chunksOf(planBatches(readRows(source), { options, digests, isPending }))) {
      // Only once: if Redis loses the claims meanwhile, these must not look as if nobody had claimed a batch.
      if (!isOpen) await claims.open(queueName);
      isOpen = true;
      const at = Date.now();
      const intents = batches.map(
        ({ range }, index) => ({ t: 'intent', n: ledger.batches + 1 + index, rows: range, at, queued: true }) as const,
      );
      for (const intent of intents) ledger.apply(intent);
      // A crash from here on leaves intents without jobs, which collecting revokes; never a job without its intent.
      await journal.commit(...intents);
      const jobs = batches.map(({ range, rows }, index) => {
        const n = (intents[index] as { n: number }).n;
        const data = writeJob({ run, n, range, operation, rows, startWithinMs });
        // Of a job that has ended nothing is needed: its outcome is in the claims, and these keep it from being sent again.
        const opts = { jobId: jobId(run, n), attempts: 1, removeOnComplete: true, removeOnFail: true };
        return { name: operation, data, opts };
      });
      await queue.addBulk(jobs);
      yield ledger.table.counts();
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
