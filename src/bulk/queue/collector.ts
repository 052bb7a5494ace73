import { ConfigurationError } from '../../errors';
import type { OpenJournal } from '../journal/open-journal';
import type { QueuedBatch } from '../journal/queued-batches';
import type { OutcomeRecord, RowRange } from '../journal/records';
import { Claims, type Standing } from './claims';
import type { Collected } from './collected';
import { jobId } from './job';
import type { RedisConnection } from './redis-connection';

/** Batches that are asked about together. */
const CHUNK_BATCHES = 1000;

/** Asks what became of the queued batches of a journal, and writes it down. */
export class Collector {
  readonly #opened: OpenJournal;
  readonly #connection: RedisConnection;
  readonly #options: { readonly revoke: boolean; readonly acceptLoss: boolean };
  readonly #rows = { collected: 0, beingSent: 0, waiting: 0 };

  constructor(opened: OpenJournal, connection: RedisConnection, options: { revoke: boolean; acceptLoss: boolean }) {
    this.#opened = opened;
    this.#connection = connection;
    this.#options = options;
  }

  async collect(): Promise<Collected> {
    const { queued, table } = this.#opened.ledger;
    const unfinished = new Set<string>();
    for (const { run, batches } of chunksOf(queued)) if (!(await this.#collectChunk(run, batches))) unfinished.add(run);
    // A worker that is woken later finds nothing to claim and no place for an outcome: what the journal says then holds.
    for (const run of queued.runs) if (!unfinished.has(run)) await new Claims(this.#connection.redis, run).delete();
    return { counts: table.counts(), ...this.#rows };
  }

  /** False if a batch stays under way. */
  async #collectChunk(run: string, batches: readonly QueuedBatch[]): Promise<boolean> {
    const { redis, bullmq, warn } = this.#connection;
    const claims = new Claims(redis, run);
    const name = await claims.queue();
    if (name === undefined) return this.#write(batches, () => this.#lost(run));
    const queue = new bullmq.Queue(name, { connection: redis, skipMetasUpdate: true });
    queue.on('error', warn);
    try {
      const settle = ({ n }: QueuedBatch) => claims.settle(n, queue.toKey(jobId(run, n)), this.#options.revoke);
      const found = await Promise.all(batches.map(settle));
      const isDone = await this.#write(batches, (index) => {
        const standing = found[index]?.standing as Standing;
        return standing === 'lost' ? this.#lost(run) : standing;
      });
      // Only now, with the outcomes on the disk. A job that a worker holds is not removed: it ends by itself.
      const { queued } = this.#opened.ledger;
      const jobs = batches.filter(({ n }, index) => found[index]?.hasJob && !queued.rowsOf(n));
      await Promise.all(jobs.map(({ n }) => queue.remove(jobId(run, n))));
      return isDone;
    } finally {
      await queue.close();
    }
  }

  /** Writes outcomes to the journal; false if a batch has none. */
  async #write(batches: readonly QueuedBatch[], standingOf: (index: number) => Standing): Promise<boolean> {
    const { ledger, journal } = this.#opened;
    const at = Date.now();
    const records: OutcomeRecord[] = [];
    for (const [index, { n, rows }] of batches.entries()) {
      const standing = standingOf(index);
      const record = outcomeOf(n, rows, standing, at);
      if (record) records.push(record);
      this.#rows[record ? 'collected' : standing === 'waiting' ? 'waiting' : 'beingSent'] += rows[1] - rows[0] + 1;
    }
    for (const record of records) ledger.apply(record);
    if (records.length > 0) await journal.commit(...records);
    return records.length === batches.length;
  }

  /** @throws {ConfigurationError} unless that is accepted: workers of another Redis may still send these rows */
  #lost(run: string): 'lost' {
    if (this.#options.acceptLoss) return 'lost';
    const queued = `knows nothing of the rows that were queued as ${run}: is it the Redis in which they were queued?`;
    throw new ConfigurationError({
      problems: [
        { option: 'redis', message: queued },
        { option: 'acceptLoss', message: 'if Redis has lost the rows, takes them as unknown' },
      ],
    });
  }
}

/** Batches of one opening of the journal, some at a time. */
function* chunksOf(queued: Iterable<QueuedBatch>): Generator<{ run: string; batches: readonly QueuedBatch[] }> {
  let batches: QueuedBatch[] = [];
  for (const batch of queued) {
    const [first] = batches;
    if (first && (first.run !== batch.run || batches.length === CHUNK_BATCHES)) {
      yield { run: first.run, batches };
      batches = [];
    }
    batches.push(batch);
  }
  const [first] = batches;
  if (first) yield { run: first.run, batches };
}

/** The record of a batch, or undefined for one that stays under way. */
function outcomeOf(n: number, rows: RowRange, standing: Standing, at: number): OutcomeRecord | undefined {
  switch (standing) {
    case 'waiting':
    case 'under way':
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
      if (standing.t === 'sent' && standing.ids.length !== rows[1] - rows[0] + 1)
        return { t: 'unknown', n, error: 'its outcome cannot be read', at };
      return standing.t === 'unknown' ? { ...standing, at } : standing;
  }
}
