import { wait } from '../../internal/signals';
import type { Attempt, Begin } from '../sending/engine';
import type { Progress } from '../sending/options';
import type { Pace } from '../sending/pace';
import { failureOf, isNotBegun, type SendResult } from '../sending/send-batch';
import { rowsIn } from '../state/records';
import { type Counts, NO_ROWS } from '../state/row-table';
import type { QueuedJob } from './job';
import type { ClaimedBatch, Jobs } from './jobs';
import type { Metrics } from './metrics';

/** The pause of an idle worker before it asks for a job again, in milliseconds. */
const IDLE_MS = 250;

/** Takes the batches of a worker from a queue, and keeps in Redis what becomes of them. */
export class RedisLedger {
  readonly #jobs: Jobs;
  readonly #pace: Pace;
  readonly #onProgress: ((progress: Progress) => void) | undefined;
  readonly #counts = { ...NO_ROWS };
  readonly #metrics: Metrics | undefined;
  /** The batches whose requests are under way. */
  readonly #held = new Set<ClaimedBatch>();
  /** The batches whose last requests here had not begun in time, by their openings and numbers. */
  readonly #notBegun = new Set<string>();

  constructor(
    jobs: Jobs,
    pace: Pace,
    onProgress: ((progress: Progress) => void) | undefined,
    metrics: Metrics | undefined,
  ) {
    this.#jobs = jobs;
    this.#pace = pace;
    this.#onProgress = onProgress;
    this.#metrics = metrics;
  }

  /** The number of rows that this worker has claimed, by state. */
  get counts(): Counts {
    return this.#counts;
  }

  /**
   * Yields batches side by side; while the queue has none, one at a time.
   *
   * @param untilEmpty true ends it when no job is left in the queue
   */
  async *batches(untilEmpty: boolean): AsyncGenerator<Begin> {
    const [pace, jobs] = [this.#pace, this.#jobs];
    while (await pace.turn()) {
      let taking: Promise<unknown> = Promise.resolve();
      yield () => {
        const attempt = this.#begin();
        taking = attempt;
        return attempt;
      };
      // Its failure has ended the sending.
      if (jobs.isIdle) await taking.catch(() => undefined);
      if (!jobs.isIdle) continue;
      // A batch that is under way may come back to the queue.
      if (untilEmpty && this.#held.size === 0 && (await jobs.isEmpty())) return;
      await wait(IDLE_MS, pace.signal).catch(() => undefined);
    }
  }

  /** Renews the claims of the batches under way. */
  async renew(): Promise<void> {
    await Promise.all([...this.#held].map(({ claims, claim }) => claims.renew(claim)));
  }

  async #begin(): Promise<Attempt | undefined> {
    const held = await this.#jobs.take();
    if (!held) return undefined;
    const { batch, timeLeft } = held;
    this.#held.add(held);
    this.#counts['under-way'] += batch.rows.length;
    const startedAt = performance.now();
    return {
      ...batch,
      timeLeft,
      review: (result) => this.#review(batch, result),
      end: (result) => this.#end(held, startedAt, result),
    };
  }

  /**
   * A batch that was not begun in time goes back to the queue, because this process was busy or stopped. If its next
   * request has not begun in time either, that is a failure: the service may be out of reach.
   */
  #review({ opening, n }: QueuedJob, result: SendResult): SendResult {
    const key = `${opening} ${n}`;
    const isAgain = this.#notBegun.delete(key);
    if (!isNotBegun(result)) return result;
    // Without a request, the service has no part in it.
    if (result.error !== undefined) {
      if (isAgain) return result;
      this.#notBegun.add(key);
    }
    return { ...result, goesBack: true };
  }

  async #end(held: ClaimedBatch, startedAt: number, result: SendResult): Promise<void> {
    const { batch, claims, claim } = held;
    const { n, rows } = batch;
    this.#counts['under-way'] -= rows.length;
    this.#metrics?.countRequest((performance.now() - startedAt) / 1000);
    const goesBack = result.goesBack === true || result.pushback !== undefined;
    let kept = result;
    try {
      if (goesBack) await this.#jobs.putBack(held);
      else if (!(await claims.store(claim, { ...result.outcome, n })))
        kept = withoutRecord('its outcome will not be recorded: Redis does not know its claim any more', result.error);
    } catch (error) {
      // `collectBulk` finds the claim without an outcome.
      kept = withoutRecord(`its outcome could not be stored: ${(error as Error).message}`, error);
      throw error;
    } finally {
      this.#held.delete(held);
      if (!goesBack || kept !== result) this.#conclude(batch, kept);
    }
  }

  #conclude({ list, range }: QueuedJob, result: SendResult): void {
    const { t } = result.outcome;
    const rows = rowsIn(range);
    this.#counts.total += rows;
    this.#counts[t === 'not-sent' ? 'pending' : t] += rows;
    this.#metrics?.countRows(t, rows);
    const failure = failureOf(range, result);
    this.#onProgress?.({ ...this.#counts, failure: failure && { list, ...failure } });
  }
}

/** The result of a batch whose outcome is not in Redis. */
function withoutRecord(words: string, cause: unknown): SendResult {
  return { outcome: { t: 'unknown', error: words }, error: new Error(words, { cause }) };
}
