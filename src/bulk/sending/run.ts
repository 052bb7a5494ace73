import { performance } from 'node:perf_hooks';
import type { Signal } from '../../internal/signal';
import { wait } from '../../internal/timers';
import type { Listing, RowRange } from '../journal/records';
import type { Counts } from '../journal/row-table';
import { recordBaseline } from '../reconciling/baseline';
import { readRows } from '../rows/row-reader';
import type { Session } from '../session/session';
import { Pacer } from './pacer';
import { type Batch, planBatches } from './plan';
import { sendBatch } from './send-batch';
import { startStopwatch } from './stopwatch';

/** How rows are sent. */
export interface RunOptions {
  /** Requests at a time. Default 16. */
  readonly concurrency?: number | undefined;
  /** Rows that start in a second, at most. Default: no limit. */
  readonly rowsPerSecond?: number | undefined;
  /** Batches that fail before no further one starts; 0 for no limit. Default 1. */
  readonly stopAfterFailures?: number | undefined;
  /** Lists what looks like one of the rows before the first is sent. Without it unknown rows cannot be cleared later. */
  readonly baseline?: Listing | undefined;
  /** Its abort starts no further request and waits for those under way. */
  readonly signal?: Signal | undefined;
  /** Called after each batch. */
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

/** Where the rows stand after a batch. */
export interface Progress extends Counts {
  /** The batch, if it was not sent: its rows, and what came in place of ids. */
  readonly failure?: { readonly rows: RowRange; readonly message: string; readonly error?: unknown } | undefined;
}

/** The options of a run, with every default in place. */
export type RunSettings = {
  readonly [K in 'concurrency' | 'rowsPerSecond' | 'stopAfterFailures']: number;
} & Pick<RunOptions, 'signal' | 'onProgress' | 'baseline'>;

/** Sends all pending rows, each batch once. Resolves when nothing is under way any more. */
export async function sendPending(session: Session, settings: RunSettings): Promise<Counts> {
  return new Run(session, settings).start();
}

class Run {
  readonly #session: Session;
  readonly #settings: RunSettings;
  readonly #pacer: Pacer;
  readonly #underWay = new Set<Promise<void>>();
  readonly #stop = new AbortController();
  #failures = 0;
  #fatal: { readonly error: unknown } | undefined;

  constructor(session: Session, settings: RunSettings) {
    this.#session = session;
    this.#settings = settings;
    this.#pacer = new Pacer(settings.rowsPerSecond);
  }

  async start(): Promise<Counts> {
    const { source, ledger, options, digests } = this.#session;
    const { signal } = this.#settings;
    const stop = () => this.#stop.abort();
    signal?.addEventListener('abort', stop);
    if (signal?.aborted) stop();
    try {
      if (this.#settings.baseline) await recordBaseline(this.#session, this.#settings.baseline, signal);
      const isPending = (row: number) => ledger.table.state(row) === 'pending';
      for await (const batch of planBatches(readRows(source), { options, digests, isPending })) {
        await this.#turn(batch);
        if (this.#stop.signal.aborted) break;
        this.#launch(batch);
      }
    } finally {
      signal?.removeEventListener('abort', stop);
      await Promise.all(this.#underWay);
    }
    if (this.#fatal) throw this.#fatal.error;
    // The outcomes of the last batches.
    await this.#session.journal.commit();
    return ledger.table.counts();
  }

  /** Waits until the batch may start. */
  async #turn({ rows }: Batch): Promise<void> {
    while (this.#underWay.size >= this.#limit) await Promise.race(this.#underWay);
    const waitMs = this.#pacer.take(rows.length, performance.now());
    await wait(waitMs, this.#stop.signal).catch(() => undefined);
  }

  /**
   * Until a row is known to be sent, one batch at a time: a wrong setting fails once, and a reconciliation needs a row that
   * is known to be sent, or it can conclude nothing.
   */
  get #limit(): number {
    return this.#session.ledger.table.counts().sent === 0 ? 1 : this.#settings.concurrency;
  }

  #launch(batch: Batch): void {
    const sending = this.#send(batch)
      .catch((error: unknown) => {
        this.#fatal ??= { error };
        this.#stop.abort();
      })
      .finally(() => this.#underWay.delete(sending));
    this.#underWay.add(sending);
  }

  /** The intent reaches the disk, then the request the service, then the outcome the journal. */
  async #send({ range, rows }: Batch): Promise<void> {
    const { client, journal, ledger, options } = this.#session;
    const passed = startStopwatch();
    const n = ledger.batches + 1;
    const intent = { t: 'intent', n, rows: range, at: Date.now() } as const;
    ledger.apply(intent);
    await journal.commit(intent);
    const { outcome, error } = await sendBatch(client, options.operation, rows, options.startWithinMs - passed());
    const record = { ...outcome, n, ...(outcome.t === 'unknown' && { at: Date.now() }) };
    ledger.apply(record);
    journal.append(record);
    if (outcome.t !== 'sent') this.#countFailure();
    const message = outcome.t === 'sent' ? undefined : error instanceof Error ? error.message : outcome.error;
    const failure = message === undefined ? undefined : { rows: range, message, error };
    this.#settings.onProgress?.({ ...ledger.table.counts(), failure });
  }

  #countFailure(): void {
    this.#failures += 1;
    if (this.#failures === this.#settings.stopAfterFailures) this.#stop.abort();
  }
}
