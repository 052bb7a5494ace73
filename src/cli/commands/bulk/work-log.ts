import type { Counts, Progress } from '../../../bulk';
import type { Context } from '../../commander/command';
import { BulkProgress, NO_ROWS, working } from './progress';

/** The time between two looks at the clock, in milliseconds. */
const TICK_MS = 5000;

/** Shows the work of a worker: its progress, also while no row is sent, and each failure with its row. */
export class WorkLog {
  readonly #context: Context;
  readonly #progress: BulkProgress;
  readonly #timer: NodeJS.Timeout;
  #counts: Counts = NO_ROWS;

  /** @param now milliseconds of a clock that only goes forward */
  constructor(context: Context, now?: () => number) {
    this.#context = context;
    this.#progress = new BulkProgress(context, NO_ROWS, working, now);
    this.#timer = setInterval(() => this.tick(), TICK_MS);
    this.#timer.unref();
  }

  show({ failure, ...counts }: Progress): void {
    this.#counts = counts;
    if (failure) {
      const [from, to] = failure.range;
      this.#progress.end();
      this.#context.log(`${from === to ? `row ${from}` : `rows ${from} to ${to}`}: ${failure.message}`);
    }
    this.tick();
  }

  /** Shows the counts when it is time to. */
  tick(): void {
    this.#progress.show(this.#counts);
  }

  stopping(): void {
    this.#progress.stopping();
  }

  end(): void {
    clearInterval(this.#timer);
    this.#progress.end();
  }
}
