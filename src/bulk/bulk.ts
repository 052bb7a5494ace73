import { ConfigurationError } from '../errors';
import { type OpenOptions, openJournal } from './journal/open-journal';
import type { Listing } from './journal/records';
import type { Counts, RowState } from './journal/row-table';
import { type BulkOptions, resolveBulkOptions, resolveReconcileOptions, resolveRunOptions, sourceOf } from './options';
import { parseListing } from './reconciling/listing';
import { type ReconcileOptions, type Reconciliation, reconcile } from './reconciling/reconcile';
import { type BulkRow, listRows } from './row-list';
import { checkRows } from './rows/check-rows';
import { type AgainState, sendAgain } from './send-again';
import { type RunOptions, sendPending } from './sending/run';
import type { Session } from './session/session';

/**
 * Opens rows to be sent so that after any crash no row was sent twice by this program and none is forgotten. What is about
 * to be sent is written to a journal before the first byte leaves, what became of it afterwards; what lies between is
 * `unknown` until it has been looked up. The same call opens the same rows again, and `run` goes on where it stopped.
 *
 * @throws {ConfigurationError} when an option is wrong; {InputError} with everything that is wrong with the rows; {JournalError}
 * when the journal is in use, damaged, or belongs to other rows. Nothing was sent.
 */
export async function openBulk(options: BulkOptions): Promise<Bulk> {
  return new Bulk(await openSession(options));
}

/** @param openFile how the journal's file is opened */
export async function openSession(options: BulkOptions, openFile?: OpenOptions['openFile']): Promise<Session> {
  const { plan, journal: path } = resolveBulkOptions(options);
  const source = sourceOf(options, plan);
  const digests = await checkRows(source);
  const expected = { sha256: digests.fingerprint(plan), rows: digests.count, options: plan };
  const opened = await openJournal({ path, takeOver: options.takeOver ?? false, expected, openFile });
  return { ...opened, client: options.client, source, digests };
}

/** Rows and their journal, open in this process. One thing is done at a time. */
export class Bulk {
  readonly #session: Session;
  #working: Promise<unknown> | undefined;
  readonly #closing = new AbortController();
  #closed: Promise<void> | undefined;

  /** Use openBulk. */
  constructor(session: Session) {
    this.#session = session;
  }

  /**
   * Sends all pending rows, each batch once, and resolves with the counts when nothing is under way any more: when all is
   * sent, after `stopAfterFailures`, or when the signal is aborted. What failed is given to `onProgress`.
   *
   * @throws {JournalWriteError} when the journal cannot be written; {InputError} when the input has changed since it was opened;
   * {MessagingError} with an `operation` when the baseline cannot be listed: nothing was sent
   */
  run(options: RunOptions = {}): Promise<Counts> {
    return this.#work(
      (signal) => sendPending(this.#session, { ...resolveRunOptions(options), signal }),
      options.signal,
    );
  }

  /** How many rows stand where. */
  counts(): Counts {
    return this.#session.ledger.table.counts();
  }

  /** How messages were listed before the first row was sent; undefined if they were not. */
  get baseline(): Listing | undefined {
    const { baseline } = this.#session.ledger;
    return baseline && parseListing(baseline.listing);
  }

  /** Whether a request was ever decided on. From then on no baseline is listed. */
  get isBegun(): boolean {
    return this.#session.ledger.batches > 0;
  }

  /** The rows that stand in a state, or all, in their order. */
  rows(state?: RowState): IterableIterator<BulkRow> {
    return listRows(this.#session, state);
  }

  /**
   * Looks for unknown rows among the messages that the service lists. A row that is found is sent from then on; one that
   * is not can be sent again.
   *
   * @throws {MessagingError} when the service cannot be asked; {JournalWriteError}
   */
  reconcile(options: ReconcileOptions): Promise<Reconciliation> {
    const work = (signal: AbortSignal) => {
      const { listing, settleMs } = resolveReconcileOptions(options, this.#session.options);
      return reconcile(this.#session, listing, { settleMs, signal, onWait: options.onWait });
    };
    return this.#work(work, options.signal);
  }

  /**
   * Makes rows pending again: those that the last sound reconciliation did not find, or those that were rejected. Gives
   * how many they are.
   *
   * @throws {JournalWriteError}
   */
  sendAgain(state: AgainState): Promise<number> {
    return this.#work(() => sendAgain(this.#session, state), undefined);
  }

  /** Starts nothing more, waits for what is under way, and closes the journal. */
  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    this.#closing.abort(new ConfigurationError({ message: 'the bulk is closed' }));
    await this.#working?.catch(() => undefined);
    await this.#session.journal.close();
  }

  async #work<T>(work: (signal: AbortSignal) => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    if (this.#working) throw new ConfigurationError({ message: 'the bulk is busy: one thing is done at a time' });
    if (this.#closing.signal.aborted) throw this.#closing.signal.reason;
    const signals = signal ? AbortSignal.any([this.#closing.signal, signal]) : this.#closing.signal;
    const working = work(signals);
    this.#working = working;
    try {
      return await working;
    } finally {
      this.#working = undefined;
    }
  }
}
