import type { Signal } from '../../internal/signals';
import { wait } from '../../internal/signals';
import type { Reconciliation } from '../reconcile/reconcile';
import { formatProblem, InputError } from '../rows/input-error';
import type { OpenList } from '../state/bulk-journal';
import type { Listing } from '../state/records';
import type { Counts } from '../state/row-table';
import { type Batch, pendingBatches } from './batches';
import { type AskingClient, checkMessage } from './first-message';
import { Pace } from './pace';
import { RateLimiter } from './rate-limiter';
import { type BatchFailure, failureOf, type SendingClient, sendBatch, startTimeLimit } from './send-batch';

/** How rows are sent. */
export interface RunOptions {
  /** The number of requests at a time. Default 16. */
  readonly concurrency?: number | undefined;
  /** The greatest number of rows that start in a second. Default: no limit. */
  readonly rowsPerSecond?: number | undefined;
  /**
   * The number of consecutive failures after which no further request starts; 0 for no limit. With a limit, a run also
   * stops when the first request of the list fails. Default 10.
   */
  readonly stopAfterFailures?: number | undefined;
  /**
   * The listing of the service's messages before the first row is sent, for a list that is begun: they must not be
   * taken for rows later. A page size of 0 lists nothing; fewer unknown rows can then be decided. Default: the latest
   * 100 messages.
   */
  readonly baseline?: Listing | undefined;
  /** Sends what is pending, and looks for no unknown row. Default false. */
  readonly once?: boolean | undefined;
  /** As for `reconcile`. Default 60,000. */
  readonly settleMs?: number | undefined;
  /** Called before a list is begun, with nothing written and nothing sent. When it throws or rejects, nothing is. */
  readonly onBegin?: ((list: BeforeList) => void | Promise<void>) | undefined;
  /** Called when the service responds with HTTP status 429, with the milliseconds for which nothing is sent. */
  readonly onPause?: ((pauseMs: number) => void) | undefined;
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
  /**
   * The number of rows with the receptor and the text of another row. After a lost response, their messages are only
   * counted.
   */
  readonly indistinguishable: number;
  /** True when the journal has no list yet. */
  readonly isNew: boolean;
  /** True when the list differs from the one that the journal has. */
  readonly isChanged: boolean;
}

/** The number of rows in each state, after a batch. */
export interface Progress extends Counts {
  /** The batch, if it was not sent: its rows, and the reason. */
  readonly failure?: BatchFailure | undefined;
}

/** The number of rows in each state after a run. */
export interface RunResult extends Counts {
  /**
   * The reason why the run ended before all rows were sent: failures, a service that takes no more, or a file that has
   * changed.
   */
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

/** The greatest number of requests of one run that may contain a row, without those that the service pushed back. */
const MAX_ATTEMPTS = 3;

/** Sends the rows of a list, in one pass or several. Used by one command. */
export class Run {
  readonly #list: OpenList;
  readonly #client: RunClient;
  readonly #settings: RunSettings;
  /** The number of requests that contained each row. */
  readonly #attempts: Uint8Array;
  readonly #limiter: RateLimiter;
  readonly #pace: Pace;
  readonly #underWay = new Set<Promise<void>>();
  /** The batches that the service pushed back in this pass. */
  readonly #pushedBack: Batch[] = [];
  readonly #stop = new AbortController();
  #isFirst: boolean;
  #hasSentRequests = false;
  #checking: Promise<unknown> | undefined;
  #fatal: { readonly error: unknown } | undefined;

  constructor(list: OpenList, client: RunClient, settings: RunSettings) {
    const { state } = list.journal;
    this.#list = list;
    this.#client = client;
    this.#settings = settings;
    this.#attempts = new Uint8Array(state.table.total + 1);
    this.#limiter = new RateLimiter(settings.rowsPerSecond);
    this.#pace = new Pace(settings, state.table.count('sent') > 0);
    this.#isFirst = state.isUntouched;
  }

  /** Sends all pending rows, each batch once. Resolves when nothing is under way any more. */
  async sendPending(): Promise<RunResult> {
    try {
      return await this.#pass();
    } catch (error) {
      if (error instanceof InputError) return this.endByChange(error);
      throw error;
    }
  }

  /**
   * The result of a run that finds a changed file: the outcomes of what it has sent are on the disk.
   *
   * @throws {InputError} when nothing was sent
   */
  endByChange(error: InputError): RunResult {
    if (!this.#hasSentRequests) throw error;
    return changedInput(this.#list, error);
  }

  async #pass(): Promise<RunResult> {
    const { journal } = this.#list;
    const { signal } = this.#settings;
    const stop = () => this.#stop.abort();
    signal?.addEventListener('abort', stop);
    if (signal?.aborted) stop();
    try {
      for await (const batch of this.#batches()) {
        await this.#waitForTurn();
        await wait(this.#limiter.reserve(batch.rows.length, performance.now()), this.#stop.signal).catch(
          () => undefined,
        );
        // The service may have pushed back meanwhile.
        await this.#waitForTurn();
        if (this.#stop.signal.aborted) break;
        this.#launch(batch);
      }
    } finally {
      signal?.removeEventListener('abort', stop);
      await Promise.all([...this.#underWay, this.#checking]);
      // Brings the outcomes of the last batches to the disk. After a failure of the journal, that failure is the
      // result.
      if (!this.#fatal) await journal.flush();
    }
    if (this.#fatal) throw this.#fatal.error;
    return { ...journal.state.table.counts(), stopped: this.#pace.reason };
  }

  /** Plans batches, and repeats those that the service pushed back. */
  async *#batches(): AsyncGenerator<Batch> {
    this.#pushedBack.length = 0;
    for await (const batch of pendingBatches(this.#list, (row) => (this.#attempts[row] as number) < MAX_ATTEMPTS)) {
      yield batch;
      yield* this.#pushedBack.splice(0);
    }
    for (;;) {
      const batch = this.#pushedBack.shift();
      if (batch) yield batch;
      else if (this.#underWay.size === 0) return;
      else await Promise.race(this.#underWay);
    }
  }

  /** Waits until one more request may start, or the run is stopped. */
  async #waitForTurn(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      const { limit, pauseMs } = this.#pace;
      if (this.#underWay.size >= limit) await Promise.race(this.#underWay);
      else if (pauseMs > 0) await wait(pauseMs, signal).catch(() => undefined);
      else return;
    }
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
  async #send(batch: Batch): Promise<void> {
    const { range, rows } = batch;
    const { journal, plan } = this.#list;
    const timeLeft = startTimeLimit(plan.startWithinMs);
    const n = journal.state.batches + 1;
    const isFirstSent = journal.state.table.count('sent') === 0;
    await journal.commit({ t: 'intent', n, range, at: Date.now() });
    const result = await sendBatch(this.#client, plan.operation, rows, timeLeft());
    const { outcome } = result;
    journal.append({ ...outcome, n, ...(outcome.t === 'unknown' && { at: Date.now() }) });
    this.#pace.count(result, this.#isFirst);
    if (this.#pace.reason !== undefined) this.#stop.abort();
    if (result.pushback) {
      this.#pushedBack.push(batch);
      return;
    }
    this.#isFirst = false;
    this.#hasSentRequests = true;
    for (let row = range[0]; row <= range[1]; row++) this.#attempts[row] = (this.#attempts[row] as number) + 1;
    if (isFirstSent && outcome.t === 'sent') this.#check(rows, BigInt(outcome.ids[0] as string));
    this.#settings.onProgress?.({ ...journal.state.table.counts(), failure: failureOf(range, result) });
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

/** The result when rows were sent or are in a queue, and the file has changed. */
export function changedInput({ journal }: OpenList, { problems: [problem] }: InputError): RunResult {
  const words = problem === undefined ? 'the file has changed' : formatProblem(problem);
  return { ...journal.state.table.counts(), stopped: `${words}; restore the file before you go on` };
}
