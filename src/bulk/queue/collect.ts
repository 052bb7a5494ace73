import { ConfigurationError } from '../../errors';
import { trueOrFalse } from '../../options/checks';
import { checkOptions, type FlagTable } from '../../options/table';
import { journalOptions } from '../options';
import { type BulkJournal, findList, openBulkJournal, readList } from '../state/bulk-journal';
import type { QueuedBatch } from '../state/queued-batches';
import type { OutcomeRecord, RowRange } from '../state/records';
import { type BulkStatus, statusOf } from '../status';
import { type ClaimState, Claims } from './claims';
import { jobId } from './job';
import { type QueueOptions, queueOptions, withoutPassword } from './options';
import { loadPeers } from './peers';
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
  ...queueOptions,
  ...journalOptions,
  revoke: { read: trueOrFalse, default: true },
} as const satisfies FlagTable;

/** The result of a collection, in rows. */
export interface Collected {
  readonly status: BulkStatus;
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
  // Before anything else, so that a missing package is told.
  loadPeers();
  const { journal: path } = checkOptions({ journal: journalOptions.journal }, { journal: options.journal });
  const found = options.redis === undefined ? await readList(path) : await findList(path);
  const { redis = found?.state.queue?.redis } = options;
  const settings = checkOptions(collectOptions, { ...options, redis });
  // A revocation has to last.
  return withRedis({ ...settings, durable: settings.revoke }, async (connection) => {
    const journal = await openBulkJournal(path, settings.takeOver, found);
    try {
      const collected = await new Collector(journal, connection, settings).collect();
      const { queue } = journal.state;
      const given = withoutPassword(settings.redis);
      // After a failover, the list is in another Redis than the one that took its rows.
      if (queue && queue.redis !== given.redis)
        await journal.commit({ ...queue, ...given, replicas: settings.replicas });
      return { ...collected, status: statusOf(journal.state, journal.notices) };
    } finally {
      await journal.close();
    }
  });
}

/** The number of batches that are asked about together. */
const CHUNK_BATCHES = 1000;

type CollectorOptions = { readonly revoke: boolean; readonly acceptLoss: boolean; readonly replicas: number };

/** Asks for the outcomes of the queued batches of a journal, and writes them to the journal. */
class Collector {
  readonly #journal: BulkJournal;
  readonly #connection: RedisConnection;
  readonly #options: CollectorOptions;
  readonly #rows = { collected: 0, beingSent: 0, waiting: 0 };

  constructor(journal: BulkJournal, connection: RedisConnection, options: CollectorOptions) {
    this.#journal = journal;
    this.#connection = connection;
    this.#options = options;
  }

  async collect(): Promise<Omit<Collected, 'status'>> {
    const { state } = this.#journal;
    const unfinished = new Set<string>();
    for (const { opening, batches } of chunksByOpening(state.queued))
      if (!(await this.#collectChunk(opening, batches))) unfinished.add(opening);
    // A worker that wakes later finds nothing to claim and no place for an outcome: the journal's outcome holds.
    for (const opening of state.queued.openings)
      if (!unfinished.has(opening)) await new Claims(this.#connection, opening).close();
    return this.#rows;
  }

  /** Resolves with false if a batch stays under way. */
  async #collectChunk(opening: string, batches: readonly QueuedBatch[]): Promise<boolean> {
    const { bullmq, warn } = this.#connection;
    const claims = new Claims(this.#connection, opening, this.#options.replicas);
    const name = await claims.queue();
    if (name === undefined) return this.#write(batches, () => this.#lost(opening));
    const queue = new bullmq.Queue(name, this.#connection.queueOptions);
    queue.on('error', warn);
    try {
      const numbers = batches.map(({ n }) => n);
      const states = await claims.inspect(numbers, this.#options.revoke ? 'revoke' : 'keep');
      const isDone = await this.#write(batches, (index) => {
        const state = states[index] as ClaimState;
        return state === 'lost' ? this.#lost(opening) : state;
      });
      // Only now, with the outcomes on the disk. The job of any other batch has ended. A job that a worker holds is not
      // removed: its worker cannot claim it any more.
      const left = numbers.filter((_, index) => states[index] === 'revoked' || states[index] === 'abandoned');
      await this.#connection.attempt(() => Promise.all(left.map((n) => queue.remove(jobId(opening, n)))));
      return isDone;
    } finally {
      await queue.close();
    }
  }

  /** Writes outcomes to the journal. Resolves with false if a batch has none. */
  async #write(batches: readonly QueuedBatch[], stateOf: (index: number) => ClaimState): Promise<boolean> {
    const at = Date.now();
    const records: OutcomeRecord[] = [];
    for (const [index, { n, range }] of batches.entries()) {
      const state = stateOf(index);
      const record = outcomeOf(n, range, state, at);
      if (record) records.push(record);
      this.#rows[record ? 'collected' : state === 'waiting' ? 'waiting' : 'beingSent'] += range[1] - range[0] + 1;
    }
    if (records.length > 0) await this.#journal.commit(...records);
    return records.length === batches.length;
  }

  /** @throws {ConfigurationError} unless loss is accepted: workers of another Redis may still send these rows */
  #lost(opening: string): 'lost' {
    if (this.#options.acceptLoss) return 'lost';
    const advice = 'give the Redis in which they were queued';
    throw new ConfigurationError({
      problems: [
        { option: 'redis', message: `Redis does not know the rows that were queued as ${opening}: ${advice}` },
        { option: 'acceptLoss', message: 'makes these rows unknown, if this Redis has lost them' },
      ],
    });
  }
}

/** Splits batches into chunks, each of one opening of the journal. */
function* chunksByOpening(
  queued: Iterable<QueuedBatch>,
): Generator<{ opening: string; batches: readonly QueuedBatch[] }> {
  let batches: QueuedBatch[] = [];
  for (const batch of queued) {
    const [first] = batches;
    if (first && (first.opening !== batch.opening || batches.length === CHUNK_BATCHES)) {
      yield { opening: first.opening, batches };
      batches = [];
    }
    batches.push(batch);
  }
  const [first] = batches;
  if (first) yield { opening: first.opening, batches };
}

/** The record of a batch; undefined for a batch that stays under way. */
function outcomeOf(n: number, range: RowRange, state: ClaimState, at: number): OutcomeRecord | undefined {
  switch (state) {
    case 'waiting':
    case 'under-way':
      return undefined;
    case 'revoked':
      return { t: 'not-sent', n, error: 'revoked' };
    case 'abandoned':
      return { t: 'unknown', n, error: 'its worker ended', at };
    case 'lost':
      return { t: 'unknown', n, error: 'lost by Redis', at };
    case 'unreadable':
      return { t: 'unknown', n, error: 'its outcome cannot be read', at };
    default:
      if (state.t === 'sent' && state.ids.length !== range[1] - range[0] + 1)
        return { t: 'unknown', n, error: 'its outcome cannot be read', at };
      return state.t === 'unknown' ? { ...state, at } : state;
  }
}
