import type { MessagingClient } from '../../client/client';
import { MessagingError } from '../../errors';
import { type Signal, wait } from '../../internal/signals';
import { type Reconciliation, reconcile, settle } from '../reconcile/reconcile';
import type { OddReceptors } from '../rows/checked-rows';
import { formatProblem, InputError } from '../rows/input-error';
import type { OpenList } from '../state/bulk-journal';
import type { Counts } from '../state/row-table';
import { type Batch, batchesToSend } from './batches';
import { checkMessage } from './first-message';
import { Pace } from './pace';
import { RateLimiter } from './rate-limiter';
import { Repeats } from './repeats';
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
   * The number of the service's latest messages that are listed before the first row is sent, for a list that is begun:
   * they must not be taken for rows later. 0 lists nothing; fewer unknown rows can then be decided. Default 100.
   */
  readonly baselinePagesize?: number | undefined;
  /** Sends what is pending, and looks for no unknown row. Default false. */
  readonly once?: boolean | undefined;
  /** As for `reconcile`. Default 60,000. */
  readonly settleMs?: number | undefined;
  /**
   * The time for which the provider promises to send one message for each clientmessageid, and to respond to a repeated
   * one with the id of this message: such as `90m`, `24h` or `7d`, or `always`. A run then sends an unknown row again
   * with its clientmessageid, without a proof, within this time. **A service that does not keep this promise sends
   * twice.** Only for `sendAdvance`, where the program makes each clientmessageid. Default: no row is repeated.
   */
  readonly uniqueClientmessageid?: string | undefined;
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
  /** The receptors that are not 3 to 15 ASCII digits with at most one leading plus sign. */
  readonly oddReceptors: OddReceptors;
  /** The number of rows whose text has several lines, and the first of them. */
  readonly ofSeveralLines: { readonly count: number; readonly row: number };
  /** True when the journal has no list yet. */
  readonly isNew: boolean;
  /** True when the list differs from the one that the journal has. */
  readonly isChanged: boolean;
  /** The fingerprint of the rows as they are sent. Two lists with the same one send the same messages. */
  readonly fingerprint: string;
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
export type RunSettings = RunOptions & {
  readonly [K in 'concurrency' | 'rowsPerSecond' | 'stopAfterFailures' | 'baselinePagesize' | 'settleMs']: number;
};

/** The methods of a client that bulk sending uses. A MessagingClient has them. */
export type BulkClient = SendingClient & Pick<MessagingClient, 'select' | 'selectLatestStream' | 'track'>;

/** The greatest number of requests of one run that may contain a row, without those that the service pushed back. */
const MAX_ATTEMPTS = 3;

/** Sends the rows of a list. Used once. */
export class Run {
  readonly #list: OpenList;
  readonly #client: BulkClient;
  readonly #settings: RunSettings;
  /** The number of requests that contained each row. */
  readonly #attempts: Uint8Array;
  readonly #limiter: RateLimiter;
  readonly #pace: Pace;
  readonly #repeats: Repeats | undefined;
  /** True when the service has pushed a batch back in this pass. */
  #isPushedBack = false;
  #isFirst: boolean;

  constructor(list: OpenList, client: BulkClient, settings: RunSettings) {
    const { state } = list.journal;
    this.#list = list;
    this.#client = client;
    this.#settings = settings;
    this.#attempts = new Uint8Array(state.table.total + 1);
    this.#limiter = new RateLimiter(settings.rowsPerSecond);
    this.#pace = new Pace(settings, state.table.count('sent') > 0);
    const { uniqueClientmessageid: time } = settings;
    this.#repeats = time === undefined ? undefined : new Repeats(list, time);
    this.#isFirst = state.isUntouched;
  }

  /**
   * Sends the pending rows in passes, or in one pass. Resolves when nothing is under way any more.
   *
   * @throws {InputError} when the file has changed before anything was sent
   */
  async run(): Promise<RunResult> {
    try {
      if (this.#settings.once) await this.#sendPending();
      else await this.#sendInPasses();
    } catch (error) {
      // The outcomes of what was sent are on the disk.
      if (error instanceof InputError && this.#attempts.some(Boolean)) return changedInput(this.#list, error);
      throw error;
    }
    return { ...this.#list.journal.state.table.counts(), stopped: this.#pace.reason };
  }

  /**
   * Looks for unknown rows where that may decide more than the last look, and then sends what is pending. Repeats this
   * until a pass has not lowered the number of unfinished rows, or was stopped.
   */
  async #sendInPasses(): Promise<void> {
    const { signal } = this.#pace;
    for (let before = Number.POSITIVE_INFINITY, now = this.#unfinished(); 0 < now && now < before; ) {
      await this.#lookForUnknown();
      if (!signal.aborted) await this.#allowRepeats();
      if (!signal.aborted) await this.#sendPending();
      if (signal.aborted) return;
      [before, now] = [now, this.#unfinished()];
    }
  }

  /** Weighs the rows that are not finished: a row that became unknown has come one step further than a pending one. */
  #unfinished(): number {
    const { pending, unknown } = this.#list.journal.state.table.counts();
    return 2 * pending + unknown;
  }

  async #lookForUnknown(): Promise<void> {
    const { isWorthLooking, table } = this.#list.journal.state;
    // A worker's message could be taken for that of an unknown row.
    if (!isWorthLooking || table.count('under-way') > 0) return;
    const { signal, onReconciled, onWarning } = this.#settings;
    try {
      const result = await reconcile(this.#list, this.#client, this.#settings);
      onReconciled?.(result);
    } catch (error) {
      if (signal?.aborted) return;
      if (error instanceof InputError || !(error instanceof MessagingError)) throw error;
      onWarning?.(`unknown rows cannot be looked for now: ${error.message}`);
    }
  }

  /** Lets the rows be repeated that are unknown now, once their requests have settled. */
  async #allowRepeats(): Promise<void> {
    if (!this.#repeats?.areWorthWaiting()) return;
    await settle(this.#list.journal, this.#settings).catch(() => undefined);
    if (!this.#pace.signal.aborted) this.#repeats.begin();
  }

  /**
   * Sends all pending rows, each once, and those that may be repeated. Rows that the service pushed back are pending
   * again, so they are sent later.
   */
  async #sendPending(): Promise<void> {
    const pace = this.#pace;
    const { table } = this.#list.journal.state;
    const maySend = (row: number) =>
      (this.#attempts[row] as number) < MAX_ATTEMPTS &&
      (table.state(row) === 'pending' || this.#repeats?.mayRepeat(row) === true);
    do {
      this.#isPushedBack = false;
      try {
        for await (const batch of batchesToSend(this.#list, maySend)) {
          const slotMs = this.#limiter.reserve(batch.rows.length, performance.now());
          await wait(slotMs, pace.signal).catch(() => undefined);
          if (!(await pace.turn())) break;
          pace.start(() => this.#send(batch));
        }
      } finally {
        await pace.drain();
        // Brings the outcomes of the last batches to the disk.
        await this.#list.journal.flush();
      }
    } while (this.#isPushedBack && !pace.signal.aborted);
  }

  /** Brings the intent to the disk, then the request to the service, then the outcome to the journal. */
  async #send({ range, rows }: Batch): Promise<void> {
    const { journal, plan } = this.#list;
    const timeLeft = startTimeLimit(plan.startWithinMs);
    const n = journal.state.batches + 1;
    const isFirstSent = journal.state.table.count('sent') === 0;
    const isRepeat = journal.state.table.state(range[0]) === 'unknown';
    // It may have waited since it was chosen.
    const repeats = isRepeat ? this.#repeats : undefined;
    if (isRepeat && !repeats?.mayRepeat(range[0], rows[0])) return;
    await journal.commit({ t: 'intent', n, range, at: Date.now(), ...(isRepeat && { repeat: true }) });
    const response = await sendBatch(this.#client, plan.operation, rows, timeLeft());
    const result = repeats?.check(response) ?? response;
    const outcome = this.#pace.keep(result, this.#isFirst);
    journal.append({ ...outcome, n });
    this.#pace.count(result, this.#isFirst);
    if (result.pushback) {
      this.#isPushedBack = true;
      return;
    }
    this.#isFirst = false;
    for (let row = range[0]; row <= range[1]; row++) this.#attempts[row] = (this.#attempts[row] as number) + 1;
    const { onProgress, onWarning } = this.#settings;
    onProgress?.({ ...journal.state.table.counts(), failure: failureOf(range, result) });
    if (!isFirstSent || outcome.t !== 'sent') return;
    const id = BigInt(outcome.ids[0] as string);
    const warning = await checkMessage(this.#client, plan.operation, rows, id, this.#pace.signal);
    if (warning !== undefined) onWarning?.(warning);
  }
}

/** The result when rows were sent or are in a queue, and the file has changed. */
export function changedInput({ journal }: OpenList, { problems: [problem] }: InputError): RunResult {
  const words = problem === undefined ? 'the file has changed' : formatProblem(problem);
  return { ...journal.state.table.counts(), stopped: `${words}; restore the file before you go on` };
}
