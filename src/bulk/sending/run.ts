import { MessagingError } from '../../errors';
import type { BulkClient } from '../client';
import type { List } from '../list/list';
import { reconcile, settle } from '../reconcile/reconcile';
import { formatProblem, InputError } from '../rows/input-error';
import { sendAll } from './engine';
import { JournalLedger } from './journal-ledger';
import type { RunResult, RunSettings } from './options';
import { Pace } from './pace';
import { Repeats } from './repeats';

/** Sends the rows of a list. Used once. */
export class Run {
  readonly #list: List;
  readonly #client: BulkClient;
  readonly #settings: RunSettings;
  readonly #pace: Pace;
  readonly #repeats: Repeats | undefined;
  readonly #ledger: JournalLedger;

  constructor(list: List, client: BulkClient, settings: RunSettings) {
    this.#list = list;
    this.#client = client;
    this.#settings = settings;
    this.#pace = new Pace(settings, list.state.table.count('sent') > 0);
    const { uniqueClientmessageid: time } = settings;
    this.#repeats = time === 'never' ? undefined : new Repeats(list, time);
    this.#ledger = new JournalLedger(list, client, settings, this.#pace, this.#repeats);
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
      if (error instanceof InputError && this.#ledger.hasAttempts) return changedInput(this.#list, error);
      throw error;
    }
    return { ...this.#list.state.table.counts(), stopped: this.#pace.reason ?? this.#list.stopped };
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
    const { pending, unknown } = this.#list.state.table.counts();
    return 2 * pending + unknown;
  }

  async #lookForUnknown(): Promise<void> {
    const { isWorthLooking, table } = this.#list.state;
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
    await settle(this.#list, this.#settings).catch(() => undefined);
    if (this.#pace.signal.aborted) return;
    const rows = this.#repeats.begin();
    if (rows > 0) this.#settings.onRepeat?.(rows);
  }

  /** Sends what is pending or may be repeated, until the service has pushed nothing back. */
  async #sendPending(): Promise<void> {
    do {
      try {
        await sendAll(this.#client, this.#pace, this.#ledger.batches());
      } finally {
        // Brings the outcomes of the last batches to the disk.
        await this.#list.journal.flush();
      }
    } while (this.#ledger.isPushedBack && !this.#pace.signal.aborted);
  }
}

/** The result when rows were sent or are in a queue, and the file has changed. */
export function changedInput({ state }: List, { problems: [problem] }: InputError): RunResult {
  const words = problem === undefined ? 'the file has changed' : formatProblem(problem);
  return { ...state.table.counts(), stopped: `${words}; the next run begins a new list with the file` };
}
