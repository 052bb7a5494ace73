import type { Counts, Progress } from '../../../bulk';
import { RedisError } from '../../../bulk/queue/redis-error';
import type { Context } from '../../commander/command';
import { interruptible } from '../../terminal/io';
import { StatusLine } from '../../terminal/status-line';
import { countsOf, formatCount, formatRows } from './report';

/** The time over which the rate is measured, in milliseconds. */
const WINDOW_MS = 10_000;
/** The shortest time between two printed lines about short waits, in milliseconds. */
const WAITS_MS = 60_000;
/** The number of failures of a run that are shown one by one. The operator of a machine reads all of a worker. */
const MAX_FAILURES = 10;

/** The reasons of a wait. */
export const SETTLING = 'for requests to settle';
export const PUSHED_BACK = 'because the service asks for fewer requests (HTTP 429)';

/**
 * Does the work of a command until a signal, with a line about its progress.
 *
 * @returns the result, with the signal that may have been aborted
 */
export async function withProgress<T>(
  { io, log }: Context,
  progress: BulkProgress,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<{ readonly result: T; readonly signal: AbortSignal }> {
  return interruptible(io.signals, async (signal) => {
    signal.addEventListener('abort', () => progress.stopping());
    try {
      return { result: await work(signal), signal };
    } catch (error) {
      // Redis may fail while the command stops.
      if (!signal.aborted || !(error instanceof RedisError)) throw error;
      log(`warning: ${error.message}`);
      throw signal.reason;
    } finally {
      progress.end();
    }
  });
}

/** Shows the rows that a command has done, their rate and the time left, waits, and failures. */
export class BulkProgress {
  readonly #status: StatusLine;
  /** The number of rows that were done at times within the window. */
  #samples: { readonly at: number; readonly done: number }[] = [];
  #waiting = { words: '', until: 0 };
  #nextWait = 0;
  #failures = 0;

  constructor(
    { io, log }: Context,
    private counts: Counts,
    private readonly command: 'run' | 'enqueue' | 'work' = 'run',
  ) {
    this.#status = new StatusLine(io.stderr, log);
  }

  show({ failure, ...counts }: Progress): void {
    if (failure) this.#tellFailure(failure);
    this.counts = counts;
    this.#start();
  }

  /**
   * Says why no row is sent for a while. A service that pushes back may do so every second, so a line about a short
   * wait is printed once a minute.
   *
   * @param why words that follow the number of seconds
   */
  wait(ms: number, why: string): void {
    const now = performance.now();
    const isLong = ms >= WINDOW_MS;
    this.#waiting = { words: `waiting ${Math.ceil(ms / 1000)} s ${why}`, until: now + ms };
    if (isLong || now >= this.#nextWait) {
      this.tell(this.#waiting.words);
      this.#nextWait = now + WAITS_MS;
    }
    // A long wait is no work. Short ones belong to the rate at which the service takes rows.
    if (isLong) this.#samples = [{ at: now + ms, done: this.#done }];
    this.#start();
  }

  /** Prints a line that stays. */
  tell(line: string): void {
    this.#status.tell(line);
  }

  stopping(): void {
    const effect =
      this.command === 'enqueue'
        ? 'rows that are not in the queue yet stay pending'
        : 'no further request starts; Ctrl-C again leaves those that are under way unknown';
    this.tell(`stopping: ${effect}`);
  }

  end(): void {
    this.#status.end();
  }

  #start(): void {
    if (this.#samples.length === 0) this.#samples.push({ at: performance.now(), done: this.#done });
    this.#status.start(() => this.#line());
  }

  get #done(): number {
    const { sent, rejected, unknown, 'under-way': queued } = this.counts;
    return this.command === 'enqueue' ? queued : sent + rejected + unknown;
  }

  #line(): string {
    const [now, done] = [performance.now(), this.#done];
    if (now > (this.#samples.at(-1)?.at ?? 0)) this.#samples.push({ at: now, done });
    while (this.#samples.length > 2 && now - (this.#samples[0]?.at ?? now) > WINDOW_MS) this.#samples.shift();
    const first = this.#samples[0] ?? { at: now, done };
    const rate = now > first.at ? (1000 * (done - first.done)) / (now - first.at) : 0;
    const counts = countsOf(this.counts).join(', ');
    // The reason of a wait comes first: a narrow terminal cuts the line.
    return [now < this.#waiting.until && this.#waiting.words, this.#describe(done, rate), counts]
      .filter(Boolean)
      .join('; ');
  }

  #describe(done: number, rate: number): string {
    const { total, pending, 'under-way': underWay } = this.counts;
    const speed = `${formatCount(Math.round(rate))}/s`;
    // A worker does not know how many rows are in the queue.
    if (this.command === 'work') return `${formatRows(done)} done, ${speed}`;
    const left = this.command === 'enqueue' ? pending : pending + underWay;
    const percent = Math.floor((100 * done) / Math.max(1, total));
    const time = rate > 0 ? formatSeconds(Math.ceil(left / rate)) : '?';
    return `${formatCount(done)} of ${formatRows(total)} done (${percent} %), ${speed}, ${time} left`;
  }

  #tellFailure({ range: [from, to], message }: NonNullable<Progress['failure']>): void {
    const limit = this.command === 'work' ? Number.POSITIVE_INFINITY : MAX_FAILURES;
    this.#failures += 1;
    if (this.#failures > limit) return;
    this.tell(`${from === to ? `row ${from}` : `rows ${from} to ${to}`}: ${message}`);
    if (this.#failures === limit) this.tell('further failures are not shown one by one');
  }
}

/** "1:05:09" */
function formatSeconds(seconds: number): string {
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  const [hours, minutes, rest] = parts.map((part) => String(part).padStart(2, '0'));
  return seconds < 3600 ? `${minutes}:${rest}` : `${hours}:${minutes}:${rest}`;
}
