import { ConfigurationError } from '../../errors';
import { trueOrFalse } from '../../options/checks';
import { checkOptions, type FlagTable, type ResolvedOptions } from '../../options/table';
import { journalOptions } from '../options';
import { type BulkJournal, findList, openBulkJournal, readList } from '../state/bulk-journal';
import type { QueuedBatch } from '../state/bulk-state';
import type { OutcomeRecord } from '../state/records';
import { type BulkStatus, statusOf } from '../status';
import { chunksOf } from './chunks';
import { type ClaimState, Claims } from './claims';
import { jobId } from './job';
import { type QueueOptions, redisOptions, withoutPassword } from './options';
import { type RedisConnection, withRedis } from './redis';

/** The journal of a list that was queued. By default its Redis is the one that the journal names. */
export interface CollectOptions extends Partial<QueueOptions> {
  /** The path of the journal. */
  readonly journal: string;
  /** As for `openBulk`. Default false. */
  readonly takeOver?: boolean | undefined;
  /** Takes back the rows that no worker has claimed, so that they are pending again. Default true. */
  readonly revoke?: boolean | undefined;
}

/** The options of a collection. */
export const collectOptions = {
  ...redisOptions,
  ...journalOptions,
  revoke: { read: trueOrFalse, default: true },
} as const satisfies FlagTable;

/** The status of a list after a collection, and the result in rows. */
export interface Collected extends BulkStatus {
  /** The number of rows whose outcome is in the journal now. */
  readonly collected: number;
  /** The number of rows that workers are sending. Collect again. */
  readonly beingSent: number;
  /** The number of rows that no worker has claimed, and that were left in the queue. */
  readonly waiting: number;
}

/**
 * Writes to the journal the outcomes of the rows that `enqueueBulk` put in a queue. A row that no worker has claimed is
 * revoked, and so is provably not sent: it is pending. A row whose worker has ended since its claim is unknown. The
 * input and the service are not needed.
 *
 * @throws {ConfigurationError} when an option is wrong, a peer is missing, or Redis may lose data or does not know the
 * rows (with `acceptLoss` these rows become unknown); {RedisError}; {JournalError}; {JournalWriteError}
 */
export async function collectBulk(options: CollectOptions): Promise<Collected> {
  const { journal: path } = checkOptions({ journal: journalOptions.journal }, { journal: options.journal });
  const found = options.redis === undefined ? await readList(path) : await findList(path);
  const { redis = found?.state.queue?.redis } = options;
  const settings = checkOptions(collectOptions, { ...options, redis });
  // A revocation has to last.
  return withRedis({ ...settings, durable: settings.revoke }, async (connection) => {
    const journal = await openBulkJournal(path, settings.takeOver, found);
    try {
      const rows = { collected: 0, beingSent: 0, waiting: 0 };
      for (const opening of journal.state.queueOpenings)
        await collectOpening(journal, connection, opening, settings, rows);
      const { queue } = journal.state;
      const given = withoutPassword(settings.redis);
      // After a failover, the list is in another Redis than the one that took its rows.
      if (queue && queue.redis !== given.redis)
        await journal.commit({ ...queue, ...given, replicas: settings.replicas });
      return { ...statusOf(journal), ...rows };
    } finally {
      await journal.close();
    }
  });
}

/**
 * Asks for the outcomes of the batches that one opening of the journal has queued, and writes them to the journal.
 *
 * @param rows the numbers of the result, to which these rows are added
 * @throws {ConfigurationError} unless loss is accepted: workers of another Redis may still send these rows
 */
async function collectOpening(
  journal: BulkJournal,
  connection: RedisConnection,
  opening: string,
  { revoke, acceptLoss, replicas }: ResolvedOptions<typeof collectOptions>,
  rows: Record<'collected' | 'beingSent' | 'waiting', number>,
): Promise<void> {
  const claims = new Claims(connection, opening, replicas);
  let isDone = true;
  for await (const batches of chunksOf(batchesOf(journal, opening))) {
    const numbers = batches.map(({ n }) => n);
    const states = await claims.inspect(numbers, revoke ? 'revoke' : 'keep');
    if (states.includes('lost') && !acceptLoss) throw lostError(opening);
    const at = Date.now();
    const records: OutcomeRecord[] = [];
    for (const [index, batch] of batches.entries()) {
      const state = states[index] as ClaimState;
      const record = outcomeOf(batch, state, at);
      if (record) records.push(record);
      rows[record ? 'collected' : state === 'waiting' ? 'waiting' : 'beingSent'] += countRows(batch);
    }
    if (records.length > 0) await journal.commit(...records);
    isDone &&= records.length === batches.length;
    // Only now, with the outcomes on the disk. The job of any other batch has ended. A job that a worker holds is not
    // removed: its worker cannot claim it any more.
    const left = numbers.filter((_, index) => states[index] === 'revoked' || states[index] === 'abandoned');
    if (left.length > 0) await removeJobs(connection, await claims.queue(), opening, left);
  }
  // No worker may claim a batch any more, and there is no place for an outcome: the journal's outcome holds.
  if (isDone) await claims.close();
}

function* batchesOf({ state }: BulkJournal, opening: string): Generator<QueuedBatch> {
  for (const batch of state.queued()) if (batch.opening === opening) yield batch;
}

function countRows({ range: [from, to] }: QueuedBatch): number {
  return to - from + 1;
}

async function removeJobs(
  connection: RedisConnection,
  name: string | null,
  opening: string,
  numbers: readonly number[],
): Promise<void> {
  if (name === null) return;
  const queue = connection.openQueue(name);
  try {
    await connection.attempt(() => Promise.all(numbers.map((n) => queue.remove(jobId(opening, n)))));
  } finally {
    await queue.close();
  }
}

function lostError(opening: string): ConfigurationError {
  const advice = 'give the Redis in which they were queued';
  return new ConfigurationError({
    problems: [
      { option: 'redis', message: `Redis does not know the rows that were queued as ${opening}: ${advice}` },
      { option: 'acceptLoss', message: 'makes these rows unknown, if this Redis has lost them' },
    ],
  });
}

const reasons = {
  abandoned: 'its worker ended',
  lost: 'lost by Redis',
  unreadable: 'its outcome cannot be read',
} as const;

/** The record of a batch; undefined for a batch that stays under way. */
function outcomeOf(batch: QueuedBatch, state: ClaimState, at: number): OutcomeRecord | undefined {
  const { n } = batch;
  if (state === 'waiting' || state === 'under-way') return undefined;
  if (state === 'revoked') return { t: 'not-sent', n, error: 'revoked' };
  if (typeof state === 'string') return { t: 'unknown', n, error: reasons[state], at };
  if (state.t === 'sent' && state.ids.length !== countRows(batch))
    return { t: 'unknown', n, error: reasons.unreadable, at };
  return state.t === 'unknown' ? { ...state, at } : state;
}
