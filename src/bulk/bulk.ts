import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { ConfigurationError } from '../errors';
import { combineSignals } from '../internal/signals';
import { alikeRows, excludedRows } from './excluded-rows';
import {
  type BulkClient,
  type BulkOptions,
  checkRunOptions,
  clientRow,
  type ListSettings,
  resolveList,
  resolveReconcileOptions,
} from './options';
import { recordBaseline } from './reconcile/listing';
import { type ReconcileOptions, type Reconciliation, reconcile } from './reconcile/reconcile';
import { type ResolveOptions, resolveRows } from './resolve';
import { type BulkResult, resultsOf } from './results';
import { type RetryState, retryRows } from './retry';
import { CheckedRows } from './rows/checked-rows';
import { bulkFields } from './rows/fields';
import type { RowSource } from './rows/reader';
import { type RunOptions, type RunResult, sendPending } from './sending/run';
import { type SavedSettings, settingsPathOf, writeSavedSettings } from './settings-file';
import { identityOf, type OpenList, openBulkJournal } from './state/bulk-journal';
import type { RowState } from './state/row-table';
import { type BulkRow, type BulkStatus, listRows, statusOf } from './status';
import { type BulkDelivery, type BulkTrackOptions, trackBulk } from './track';
import { sendUntilDone } from './until-done';

/**
 * Opens a list of rows, so that this program sends no row twice and forgets none, whatever crashes. It writes to a journal what it
 * is about to send, before the first byte leaves, and the outcome afterwards. A row between the two is `unknown` until it has been
 * looked up. The same call opens the same rows again, and `run` goes on where it stopped.
 *
 * @throws {ConfigurationError} when an option is wrong; {InputError} that names every problem of the rows; {JournalError} when the
 * journal is in use, is damaged, or belongs to other rows. Nothing was sent.
 */
export async function openBulk(options: BulkOptions): Promise<Bulk> {
  const settings = resolveList(options, clientRow);
  return new Bulk(await openList(settings), settings.client);
}

/** Checks the rows and opens their journal. @throws {InputError | JournalError} */
export async function openList({
  plan,
  source,
  journal: path,
  takeOver,
  save,
  exclude,
  skipDuplicates,
}: ListSettings): Promise<OpenList> {
  const rows = await CheckedRows.check(source);
  const journal = await openBulkJournal(path, takeOver, identityOf(rows, plan));
  try {
    const excluded = await excludedRows(rows, { exclude, skipDuplicates });
    if (excluded.length > 0) await journal.commit(...excluded);
    if (save)
      await saveSettings(
        source,
        { ...plan, exclude, skipDuplicates, ...save, journal: resolve(path) },
        journal.state.batches > 0,
      );
    return { plan, rows, journal };
  } catch (error) {
    await journal.close();
    throw error;
  }
}

/** Writes the settings that later commands need. @throws {ConfigurationError} when they cannot be written before the first row is sent */
async function saveSettings(
  { input, operation, fields, defaults: given, ignoreColumns }: RowSource,
  settings: Omit<SavedSettings, 'fields' | 'defaults' | 'ignoreColumns'>,
  isBegun: boolean,
): Promise<void> {
  if (typeof input !== 'string' || (isBegun && existsSync(settingsPathOf(input)))) return;
  const isUsed = ([name]: [string, unknown]) => bulkFields(operation).some((field) => field.name === name);
  const defaults = Object.fromEntries(Object.entries(given).filter(isUsed));
  await writeSavedSettings(input, { ...settings, ignoreColumns, fields, defaults }).catch((error: unknown) => {
    // A journal of version 1.0 has no settings. Its list goes on where none can be written.
    if (!isBegun) throw error;
  });
}

/** A list of rows with its journal, open in this process. It does one thing at a time. */
export class Bulk {
  readonly #list: OpenList;
  readonly #client: BulkClient;
  #working: Promise<unknown> | undefined;
  readonly #closing = new AbortController();
  #closed: Promise<void> | undefined;

  /** Use openBulk. */
  constructor(list: OpenList, client: BulkClient) {
    this.#list = list;
    this.#client = client;
  }

  /**
   * Sends all pending rows, each batch once. Resolves with the counts when nothing is under way any more: when all is sent, after
   * `stopAfterFailures`, or when the signal is aborted. `onProgress` receives each failure.
   *
   * @throws {JournalWriteError} when the journal cannot be written; {InputError} when the input has changed since it was opened;
   * {MessagingError} with an `operation` when the baseline cannot be listed: nothing was sent
   */
  run(options: RunOptions = {}): Promise<RunResult> {
    return this.#work(options, async (signal) => {
      const { baseline, untilDone, settleMs, onWait, ...settings } = checkRunOptions(options);
      const reconciling = resolveReconcileOptions({ settleMs, onWait, signal }, this.#list.plan);
      if (baseline) await recordBaseline(this.#list.journal, this.#client, baseline, signal);
      if (!untilDone) return sendPending(this.#list, this.#client, { ...settings, signal });
      return sendUntilDone(this.#list, this.#client, { ...settings, signal, reconciling });
    });
  }

  /** What is known about the rows now. */
  status(): BulkStatus {
    const { state, notices } = this.#list.journal;
    return statusOf(state, notices);
  }

  /** Lists the rows that are in a state, or all rows, in their order. */
  rows(state?: RowState): IterableIterator<BulkRow> {
    return listRows(this.#list.journal.state.table, this.#list.plan.idsInOrder, state);
  }

  /** Counts the rows that are alike another row. When a response to one is lost, only a person can decide it. */
  countAlike(): number {
    const { table } = this.#list.journal.state;
    return alikeRows(this.#list.rows, (row) => table.state(row) === 'excluded' && table.firstIntent(row) === 0).length;
  }

  /** Reads every row of the input with what became of it, in its order. @throws {InputError} when the input has changed */
  results(): AsyncGenerator<BulkResult> {
    const { rows, journal, plan } = this.#list;
    return resultsOf(rows, journal.state.table, plan.idsInOrder, journal.path);
  }

  /**
   * Looks for unknown rows among the messages that the service lists. A row that is found becomes sent. A row that the service provably
   * does not have can be sent again. Every other row stays unknown, with a reason.
   *
   * @throws {MessagingError} when the service cannot be asked; {JournalWriteError}
   */
  reconcile(options: ReconcileOptions = {}): Promise<Reconciliation> {
    return this.#work(options, async (signal) => {
      const settings = resolveReconcileOptions(options, this.#list.plan);
      return reconcile(this.#list, this.#client, { ...settings, signal });
    });
  }

  /**
   * Makes rows pending again: those that the last reconciliation did not find, or those that were rejected. Resolves with their
   * number.
   *
   * @throws {JournalWriteError}
   */
  retry(state: RetryState): Promise<number> {
    return this.#work({}, () => retryRows(this.#list.journal, state));
  }

  /**
   * Records what an operator has found out about unknown rows. Resolves with their number.
   *
   * @throws {ConfigurationError} when a row is not unknown; {JournalWriteError}
   */
  resolve(options: ResolveOptions): Promise<number> {
    return this.#work({}, () => resolveRows(this.#list.journal, options));
  }

  /**
   * Follows the sent rows that have an id of their own until each has a final status. Statuses are kept in a file beside the journal,
   * so that the next tracking goes on where this one stopped. Resolves with the rows by status.
   *
   * @throws {TrackingTimeout | MessagingError} as `client.track` does; {JournalError} when the file of statuses cannot be used
   */
  track(options: BulkTrackOptions): Promise<BulkDelivery> {
    return this.#work(options, async (signal) => {
      await this.#list.journal.flush();
      return trackBulk({ ...options, signal, client: this.#client, journal: this.#list.journal.path });
    });
  }

  /** Starts nothing more, waits for what is under way, and closes the journal. */
  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    this.#closing.abort(new ConfigurationError({ message: 'the bulk is closed' }));
    await this.#working?.catch(() => undefined);
    await this.#list.journal.close();
  }

  async #work<T>(
    { signal }: { readonly signal?: AbortSignal | undefined },
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    if (this.#working) throw new ConfigurationError({ message: 'the bulk is busy: it does one thing at a time' });
    if (this.#closing.signal.aborted) throw this.#closing.signal.reason;
    const combined = combineSignals([this.#closing.signal, signal]);
    const working = work(combined.signal);
    this.#working = working;
    try {
      return await working;
    } finally {
      this.#working = undefined;
      combined.release();
    }
  }
}
