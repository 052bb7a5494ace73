import { wait } from '../../internal/signals';
import { startTimeLimit } from '../../internal/time-limit';
import type { BulkClient } from '../client';
import type { List } from '../list/list';
import { type Batch, batchesToSend } from './batches';
import type { Attempt, Begin } from './engine';
import { checkMessage } from './first-message';
import type { RunSettings } from './options';
import type { Pace } from './pace';
import { RateLimiter } from './rate-limiter';
import type { Repeats } from './repeats';
import { failureOf, type SendResult } from './send-batch';

/** The greatest number of requests of one run that may contain a row, without those that the service pushed back. */
const MAX_ATTEMPTS = 3;

/** Takes the batches of a run from a list, and writes down in its journal what becomes of them. */
export class JournalLedger {
  /** True when the service has pushed back a batch of the last pass. */
  isPushedBack = false;
  readonly #list: List;
  readonly #client: BulkClient;
  readonly #settings: RunSettings;
  readonly #pace: Pace;
  readonly #repeats: Repeats | undefined;
  readonly #limiter: RateLimiter;
  /** The number of requests that contained each row. */
  readonly #attempts: Uint8Array;
  /** True for the first request of the run while no row of the list is sent. */
  #isFirst: boolean;

  /** @param repeats says which unknown rows may be sent again; undefined for none */
  constructor(list: List, client: BulkClient, settings: RunSettings, pace: Pace, repeats: Repeats | undefined) {
    const { state } = list;
    this.#list = list;
    this.#client = client;
    this.#settings = settings;
    this.#pace = pace;
    this.#repeats = repeats;
    this.#limiter = new RateLimiter(settings.rowsPerSecond);
    this.#attempts = new Uint8Array(state.table.total + 1);
    this.#isFirst = state.table.count('sent') === 0;
  }

  /** True when a row was in a request of this run. */
  get hasAttempts(): boolean {
    return this.#attempts.some(Boolean);
  }

  /**
   * Yields all pending rows, each once, and those that may be repeated. Rows that the service pushes back are pending
   * again, and belong to the next pass.
   */
  async *batches(): AsyncGenerator<Begin> {
    const { table } = this.#list.state;
    const maySend = (row: number) =>
      (this.#attempts[row] as number) < MAX_ATTEMPTS &&
      this.#list.maySend(row) &&
      (table.state(row) === 'pending' || this.#repeats?.mayRepeat(row) === true);
    this.isPushedBack = false;
    for await (const batch of batchesToSend(this.#list, maySend)) {
      const slotMs = this.#limiter.reserve(batch.rows.length, performance.now());
      await wait(slotMs, this.#pace.signal).catch(() => undefined);
      yield () => this.#begin(batch);
    }
  }

  /** Brings the intent to the disk. */
  async #begin({ range, rows }: Batch): Promise<Attempt | undefined> {
    const { journal, plan } = this.#list;
    const timeLeft = startTimeLimit(plan.startWithinMs);
    const n = journal.state.batches + 1;
    const isFirstSent = journal.state.table.count('sent') === 0;
    const isRepeat = journal.state.table.state(range[0]) === 'unknown';
    // It may have waited since it was chosen.
    const repeats = isRepeat ? this.#repeats : undefined;
    if (isRepeat && !repeats?.mayRepeat(range[0], rows[0])) return undefined;
    await journal.commit({ t: 'intent', n, range, at: Date.now(), ...(isRepeat && { repeat: true }) });
    return {
      range,
      rows,
      operation: plan.operation,
      isFirst: this.#isFirst,
      timeLeft,
      review: repeats && ((result) => repeats.check(result)),
      end: (result) => this.#end({ range, rows }, n, result, isFirstSent),
    };
  }

  /** Writes the outcome, which is on the disk soon. @param isFirstSent true when no row was sent before */
  async #end({ range, rows }: Batch, n: number, result: SendResult, isFirstSent: boolean): Promise<void> {
    const { journal, rows: list } = this.#list;
    const { outcome, pushback } = result;
    journal.append({ ...outcome, n });
    if (outcome.t === 'unknown') this.#list.lastRequestAt = performance.now();
    if (pushback) {
      this.isPushedBack = true;
      return;
    }
    this.#isFirst = false;
    for (let row = range[0]; row <= range[1]; row++) this.#attempts[row] = (this.#attempts[row] as number) + 1;
    const { onProgress, onWarning } = this.#settings;
    onProgress?.({ ...journal.state.table.counts(), failure: failureOf(range, result) });
    if (!isFirstSent || outcome.t !== 'sent') return;
    const id = BigInt(outcome.ids[0] as string);
    const warning = await checkMessage(this.#client, rows.map(list.messageOf), id, this.#pace.signal);
    if (warning !== undefined) onWarning?.(warning);
  }
}
