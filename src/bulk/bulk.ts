import { ConfigurationError } from '../errors';
import { combineSignals } from '../internal/signals';
import { checkOptions, wrongOption } from '../options/table';
import type { BulkClient } from './client';
import { beginList } from './list/begin';
import { List } from './list/list';
import {
  type BulkOptions,
  checkRate,
  checkRowOptions,
  checkSettling,
  checkUniqueIds,
  journalOptions,
  type RowOptions,
} from './options';
import { listBaseline } from './reconcile/listing';
import { type ReconcileOptions, type Reconciliation, reconcile, reconcileOptions } from './reconcile/reconcile';
import { type ResolveOptions, type RetryOptions, resolveRows, retryRows } from './resolve';
import { type BulkResult, resultsOf } from './results';
import { type RunOptions, type RunResult, runOptions } from './sending/options';
import { Run } from './sending/run';
import type { RowState } from './state/row-table';
import { type BulkRow, type BulkStatus, statusOf } from './status';
import { type BulkDelivery, type BulkTrackOptions, trackBulk } from './track';

/**
 * Opens a list of rows, so that this program sends no row twice and forgets none, whatever crashes. It writes to a
 * journal the rows that it is about to send, before the first byte leaves, and the outcome afterwards. A row between
 * the two is `unknown` until it has been looked up. The same call opens the same rows again, and `run` goes on where it
 * stopped.
 *
 * Without `input`, the list of a journal is opened for everything that reads no rows.
 *
 * @example
 * const fields = { sender: '3000', message: 'Hello', unixdate: 0n, msgmode: 1 };
 * const bulk = await openBulk({ client, input: 'list.csv', fields });
 * const { sent, unknown } = await bulk.run();
 * await bulk.close();
 * @throws {ConfigurationError} when an option is wrong; {InputError} that names every problem of the rows;
 * {JournalError} when the journal is damaged, or something of other rows may have been sent, and `again` does not say
 * what becomes of them. Nothing was sent, and nothing was written.
 */
export async function openBulk({ client, ...options }: BulkOptions): Promise<Bulk> {
  if (options.input === undefined) {
    const { journal, takeOver } = checkOptions(journalOptions, options);
    return new Bulk(client, await List.read(journal, { takeOver }));
  }
  return new Bulk(client, await List.of(checkRowOptions(options as RowOptions)));
}

/**
 * A list of rows with its journal. It does one thing at a time. The first method that writes opens the journal for this
 * process until `close`; before, another process may write it.
 */
export class Bulk {
  readonly #client: BulkClient | undefined;
  readonly #list: List;
  #working: Promise<unknown> | undefined;
  readonly #closing = new AbortController();
  #closed: Promise<void> | undefined;

  /** Use openBulk. @param list has no rows when it was opened by its journal alone */
  constructor(client: BulkClient | undefined, list: List) {
    this.#client = client;
    this.#list = list;
  }

  /**
   * Brings the list to its end: looks for unknown rows, sends what is pending, and repeats this while it lowers the
   * number of unfinished rows. No row is in more than three requests. A list of which nothing may have been sent is
   * begun anew. Resolves with the counts when nothing is under way any more.
   *
   * @throws {JournalWriteError} when the journal cannot be written; {JournalError}; {InputError} when the file has
   * changed before anything was sent, or when somebody has messages of the list and `again` does not say what becomes
   * of them; {MessagingError} with an `operation` when the baseline cannot be listed: nothing
   * was sent
   */
  run(options: RunOptions = {}): Promise<RunResult> {
    return this.#work(options, async (signal) => {
      const settings = { ...checkOptions(runOptions, options), signal };
      const [list, client] = [this.#list, this.#service()];
      checkUniqueIds(settings.uniqueClientmessageid, list.rows);
      checkSettling(settings.settleMs, list.plan);
      checkRate(settings.rowsPerSecond, list.plan.batchSize);
      if (list.hasEnded) return list.state.table.counts();
      const { baselinePagesize, onBegin } = settings;
      await beginList(list, { listBaseline: () => listBaseline(client, baselinePagesize, signal), onBegin, signal });
      return new Run(list, client, settings).run();
    });
  }

  status(): BulkStatus {
    return statusOf(this.#list);
  }

  /** Lists the rows that are in a state, or all rows, in their order. */
  rows(state?: RowState): IterableIterator<BulkRow> {
    return this.status().rows(state);
  }

  /** Reads every row of the input with its outcome, in its order. @throws {InputError} when the input has changed */
  results(): AsyncGenerator<BulkResult> {
    return resultsOf(this.#list);
  }

  /**
   * Looks for unknown rows among the messages that the service lists. A row that is found becomes sent. A row that the
   * service provably does not have becomes pending. Every other row stays unknown, with a reason.
   *
   * @throws {MessagingError} when the service cannot be asked; {JournalError}; {JournalWriteError}
   */
  reconcile(options: ReconcileOptions = {}): Promise<Reconciliation> {
    return this.#work(options, async (signal) => {
      const settings = checkOptions(reconcileOptions, options);
      const list = this.#list;
      if (list.state.table.count('unknown') === 0) return { found: 0, notFound: 0, undecided: [] };
      checkSettling(settings.settleMs, list.plan);
      await list.open();
      return reconcile(list, this.#service(), { ...settings, signal });
    });
  }

  /**
   * Makes rejected rows pending, and left-out ones by their number. Resolves with their number. @throws
   * {ConfigurationError} and as `resolve` does
   */
  retry(options: RetryOptions): Promise<number> {
    return this.#work({}, async () => retryRows(await this.#list.open(), options));
  }

  /**
   * Records the findings of an operator about unknown rows. Resolves with their number.
   *
   * @throws {ConfigurationError} when a row is not unknown; {JournalError}; {JournalWriteError}
   */
  resolve(options: ResolveOptions): Promise<number> {
    return this.#work({}, async () => resolveRows(await this.#list.open(), options));
  }

  /**
   * Follows the sent rows that have an id of their own until each has a final status. Statuses are kept in a file
   * beside the journal, so that the next tracking goes on where this one stopped. Another process may send rows
   * meanwhile. Resolves with the rows by status.
   *
   * @throws {TrackingTimeout | MessagingError} as `client.track` does; {JournalError} when the file of statuses cannot
   * be used
   */
  track(options: BulkTrackOptions): Promise<BulkDelivery> {
    return this.#work(options, async (signal) => {
      await this.#list.flush();
      return trackBulk(this.#list, { ...options, signal, client: this.#service() });
    });
  }

  /** Starts nothing more, waits for the requests under way, and closes the journal. */
  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  #service(): BulkClient {
    if (this.#client) return this.#client;
    throw wrongOption('client', 'missing: this method needs it');
  }

  async #close(): Promise<void> {
    this.#closing.abort(new ConfigurationError({ message: 'the bulk is closed' }));
    await this.#working?.catch(() => undefined);
    await this.#list.close();
  }

  async #work<T>({ signal }: Pick<RunOptions, 'signal'>, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
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
