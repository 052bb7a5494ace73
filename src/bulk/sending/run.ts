import type { Signal } from '../../internal/signals';
import { wait } from '../../internal/signals';
import type { Reconciliation } from '../reconcile/reconcile';
import type { OpenList } from '../state/bulk-journal';
import type { Listing, RowRange } from '../state/records';
import type { Counts } from '../state/row-table';
import { type Batch, pendingBatches } from './batches';
import { FailureLimit } from './failure-limit';
import { type AskingClient, checkMessage } from './first-message';
import { RateLimiter } from './rate-limiter';
import { type SendingClient, sendBatch, startTimeLimit } from './send-batch';

/** How rows are sent. */
export interface RunOptions {
  /** The number of requests at a time. Default 16. */
  readonly concurrency?: number | undefined;
  /** The greatest number of rows that start in a second. Default: no limit. */
  readonly rowsPerSecond?: number | undefined;
  /**
   * The number of failed requests in a row after which no further request starts; 0 for no limit. With a limit, a run also stops when
   * the first request of the list fails. Default 10.
   */
  readonly stopAfterFailures?: number | undefined;
  /** Lists the service's messages before the first row is sent. Without a baseline, fewer unknown rows can be decided later. */
  readonly baseline?: Listing | undefined;
  /**
   * Repeats passes: each looks for unknown rows first, makes those pending that the service provably does not have, and sends what is
   * pending. Ends when a pass has not lowered the number of unfinished rows. No row is sent more than three times. Default false.
   */
  readonly untilDone?: boolean | undefined;
  /** With `untilDone`, as for `reconcile`. Default 60,000. */
  readonly settleMs?: number | undefined;
  /** Called with the milliseconds until unknown rows are looked for. */
  readonly onWait?: ((waitMs: number) => void) | undefined;
  /** Called after unknown rows were looked for. */
  readonly onReconciled?: ((result: Reconciliation) => void) | undefined;
  /** Stops the run: no further request starts, and the run waits for the requests under way. */
  readonly signal?: Signal | undefined;
  /** Called after each batch. */
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  /** Called when the service shows the first message in another way than it was sent. */
  readonly onWarning?: ((message: string) => void) | undefined;
}

/** The number of rows in each state, after a batch. */
export interface Progress extends Counts {
  /** The batch, if it was not sent: its rows, and the reason. */
  readonly failure?: { readonly range: RowRange; readonly message: string; readonly error?: unknown } | undefined;
}

/** The number of rows in each state after a run. */
export interface RunResult extends Counts {
  /** The reason why failures ended the run before all rows were sent. */
  readonly stopped?: string | undefined;
}

/** The options of a run, with every default in place. */
export type RunSettings = {
  readonly [K in 'concurrency' | 'rowsPerSecond' | 'stopAfterFailures']: number;
} & Pick<
  RunOptions,
  'signal' | 'onProgress' | 'onWarning' | 'baseline' | 'untilDone' | 'settleMs' | 'onWait' | 'onReconciled'
>;

/** The methods of a MessagingClient that a run uses. */
export interface RunClient extends SendingClient, AskingClient {}

/** Sends all pending rows, each batch once. Resolves when nothing is under way any more. */
export async function sendPending(list: OpenList, client: RunClient, settings: RunSettings): Promise<RunResult> {
  return new Run(list, client, settings).start();
}

class Run {
  readonly #list: OpenList;
  readonly #client: RunClient;
  readonly #settings: RunSettings;
  readonly #limiter: RateLimiter;
  readonly #underWay = new Set<Promise<void>>();
  readonly #stop = new AbortController();
  readonly #failures: FailureLimit;
  #checking: Promise<unknown> | undefined;
  #fatal: { readonly error: unknown } | undefined;

  constructor(list: OpenList, client: RunClient, settings: RunSettings) {
    this.#list = list;
    this.#client = client;
    this.#settings = settings;
    this.#limiter = new RateLimiter(settings.rowsPerSecond);
    this.#failures = new FailureLimit(settings.stopAfterFailures);
  }

  async start(): Promise<RunResult> {
    const { journal } = this.#list;
    const { signal } = this.#settings;
    const stop = () => this.#stop.abort();
    signal?.addEventListener('abort', stop);
    if (signal?.aborted) stop();
    try {
      for await (const batch of pendingBatches(this.#list)) {
        await this.#waitForSlot(batch);
        if (this.#stop.signal.aborted) break;
        this.#launch(batch);
      }
    } finally {
      signal?.removeEventListener('abort', stop);
      await Promise.all([...this.#underWay, this.#checking]);
    }
    if (this.#fatal) throw this.#fatal.error;
    // Brings the outcomes of the last batches to the disk.
    await journal.flush();
    return { ...journal.state.table.counts(), stopped: this.#failures.reason };
  }

  async #waitForSlot({ rows }: Batch): Promise<void> {
    while (this.#underWay.size >= this.#limit) await Promise.race(this.#underWay);
    const waitMs = this.#limiter.reserve(rows.length, performance.now());
    await wait(waitMs, this.#stop.signal).catch(() => undefined);
  }

  /**
   * One batch at a time until a row is known to be sent: a wrong setting fails once, and a reconciliation can conclude nothing
   * without a row that is known to be sent.
   */
  get #limit(): number {
    return this.#list.journal.state.table.count('sent') === 0 ? 1 : this.#settings.concurrency;
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

  /** Brings the intent to the disk, then the request to the service, then the outcome to the journal. */
  async #send({ range, rows }: Batch): Promise<void> {
    const { journal, plan } = this.#list;
    const timeLeft = startTimeLimit(plan.startWithinMs);
    const n = journal.state.batches + 1;
    const isFirst = journal.state.table.count('sent') === 0;
    await journal.commit({ t: 'intent', n, range, at: Date.now() });
    const { outcome, error } = await sendBatch(this.#client, plan.operation, rows, timeLeft());
    journal.append({ ...outcome, n, ...(outcome.t === 'unknown' && { at: Date.now() }) });
    const message = outcome.t === 'sent' ? undefined : error instanceof Error ? error.message : outcome.error;
    if (message === undefined) this.#failures.countSent();
    else this.#failures.countFailure(n === 1);
    if (this.#failures.reason !== undefined) this.#stop.abort();
    if (isFirst && outcome.t === 'sent') this.#check(rows, BigInt(outcome.ids[0] as string));
    const failure = message === undefined ? undefined : { range, message, error };
    this.#settings.onProgress?.({ ...journal.state.table.counts(), failure });
  }

  /** Compares the first message with what the service shows, while further rows are sent. */
  #check(rows: Batch['rows'], id: bigint): void {
    const { operation } = this.#list.plan;
    const checking = checkMessage(this.#client, operation, rows, id, this.#stop.signal)
      .then((warning) => warning && this.#settings.onWarning?.(warning))
      .catch(() => undefined);
    this.#checking = checking;
  }
}
