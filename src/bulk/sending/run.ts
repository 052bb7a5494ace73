import type { Signal } from '../../internal/signals';
import { wait } from '../../internal/signals';
import type { Reconciliation } from '../reconcile/reconcile';
import { formatProblem, InputError } from '../rows/input-error';
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
   * The number of consecutive failures after which no further request starts; 0 for no limit. With a limit, a run also stops when the
   * first request of the list fails. Default 10.
   */
  readonly stopAfterFailures?: number | undefined;
  /**
   * The listing of the service's messages before the first row is sent, for a list that is begun: they must not be taken for rows
   * later. A page size of 0 lists nothing; fewer unknown rows can then be decided. Default: the latest 100 messages.
   */
  readonly baseline?: Listing | undefined;
  /** Sends what is pending, and looks for no unknown row. Default false. */
  readonly once?: boolean | undefined;
  /** As for `reconcile`. Default 60,000. */
  readonly settleMs?: number | undefined;
  /** Called before a list is begun, with nothing written and nothing sent. When it throws or rejects, nothing is. */
  readonly onBegin?: ((list: BeforeList) => void | Promise<void>) | undefined;
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

/** A list before it is begun. */
export interface BeforeList {
  /** The number of rows. */
  readonly rows: number;
  /** The number of parts of all messages, as networks commonly count them. */
  readonly parts: number;
  readonly senders: ReadonlySet<string | null>;
  /** The number of rows with the receptor and the text of another row. After a lost response, their messages are only counted. */
  readonly indistinguishable: number;
  /** True when the journal has no list yet. */
  readonly isNew: boolean;
  /** True when the list differs from the one that the journal has. */
  readonly isChanged: boolean;
}

/** The number of rows in each state, after a batch. */
export interface Progress extends Counts {
  /** The batch, if it was not sent: its rows, and the reason. */
  readonly failure?: { readonly range: RowRange; readonly message: string; readonly error?: unknown } | undefined;
}

/** The number of rows in each state after a run. */
export interface RunResult extends Counts {
  /** The reason why the run ended before all rows were sent: failures, or a file that has changed. */
  readonly stopped?: string | undefined;
}

/** The options of a run, with every default in place. */
export type RunSettings = {
  readonly [K in 'concurrency' | 'rowsPerSecond' | 'stopAfterFailures' | 'settleMs']: number;
} & Omit<RunOptions, 'concurrency' | 'rowsPerSecond' | 'stopAfterFailures' | 'settleMs' | 'baseline'> & {
    readonly baseline: Listing | undefined;
  };

/** The methods of a MessagingClient that a run uses. */
export interface RunClient extends SendingClient, AskingClient {}

/** The greatest number of requests of one run that may contain a row. */
const MAX_ATTEMPTS = 3;

/** The requests of a run that contained each row. */
export class Attempts {
  readonly #rows: Uint8Array;
  /** The number of requests. */
  count = 0;

  constructor(total: number) {
    this.#rows = new Uint8Array(total + 1);
  }

  add([from, to]: RowRange): void {
    this.count += 1;
    for (let row = from; row <= to; row++) this.#rows[row] = (this.#rows[row] as number) + 1;
  }

  allows(row: number): boolean {
    return (this.#rows[row] as number) < MAX_ATTEMPTS;
  }
}

/** Sends all pending rows, each batch once. Resolves when nothing is under way any more. */
export async function sendPending(
  list: OpenList,
  client: RunClient,
  settings: RunSettings,
  attempts = new Attempts(list.journal.state.table.total),
): Promise<RunResult> {
  try {
    return await new Run(list, client, settings, attempts).start();
  } catch (error) {
    if (error instanceof InputError && attempts.count > 0) return changedInput(list, error);
    throw error;
  }
}

/** The result of a run that has sent rows when the file changed: its outcomes are on the disk. */
export function changedInput({ journal }: OpenList, { problems: [problem] }: InputError): RunResult {
  const words = problem === undefined ? 'the file has changed' : formatProblem(problem);
  return { ...journal.state.table.counts(), stopped: `${words}; restore the file before you go on` };
}

class Run {
  readonly #list: OpenList;
  readonly #client: RunClient;
  readonly #settings: RunSettings;
  readonly #attempts: Attempts;
  readonly #limiter: RateLimiter;
  readonly #underWay = new Set<Promise<void>>();
  readonly #stop = new AbortController();
  readonly #failures: FailureLimit;
  #checking: Promise<unknown> | undefined;
  #fatal: { readonly error: unknown } | undefined;

  constructor(list: OpenList, client: RunClient, settings: RunSettings, attempts: Attempts) {
    this.#list = list;
    this.#client = client;
    this.#settings = settings;
    this.#attempts = attempts;
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
      for await (const batch of pendingBatches(this.#list, (row) => this.#attempts.allows(row))) {
        await this.#waitForSlot(batch);
        if (this.#stop.signal.aborted) break;
        this.#launch(batch);
      }
    } finally {
      signal?.removeEventListener('abort', stop);
      await Promise.all([...this.#underWay, this.#checking]);
      // Brings the outcomes of the last batches to the disk. After a failure of the journal, that failure is the result.
      if (!this.#fatal) await journal.flush();
    }
    if (this.#fatal) throw this.#fatal.error;
    return { ...journal.state.table.counts(), stopped: this.#failures.reason };
  }

  async #waitForSlot({ rows }: Batch): Promise<void> {
    while (this.#underWay.size >= this.#limit) await Promise.race(this.#underWay);
    const waitMs = this.#limiter.reserve(rows.length, performance.now());
    await wait(waitMs, this.#stop.signal).catch(() => undefined);
  }

  /**
   * The number of requests at a time. It is 1 until a row is known to be sent: a wrong setting fails once, and a reconciliation can
   * conclude nothing without a row that is known to be sent.
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
    const isFirst = journal.state.isUntouched;
    const isFirstSent = journal.state.table.count('sent') === 0;
    this.#attempts.add(range);
    await journal.commit({ t: 'intent', n, range, at: Date.now() });
    const { outcome, error } = await sendBatch(this.#client, plan.operation, rows, timeLeft());
    journal.append({ ...outcome, n, ...(outcome.t === 'unknown' && { at: Date.now() }) });
    const message = outcome.t === 'sent' ? undefined : error instanceof Error ? error.message : outcome.error;
    if (message === undefined) this.#failures.countSent();
    else this.#failures.countFailure(isFirst);
    if (this.#failures.reason !== undefined) this.#stop.abort();
    if (isFirstSent && outcome.t === 'sent') this.#check(rows, BigInt(outcome.ids[0] as string));
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
