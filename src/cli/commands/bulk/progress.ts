import type { Counts, Progress } from '../../../bulk';
import type { Context } from '../../commander/command';
import { ProgressLine } from '../../terminal/progress-line';
import { countsOf, formatCount, formatRows } from './report';

/** The milliseconds between two lines where a line does not replace the line before. */
const LOG_MS = 60_000;
/** The time between two looks at the clock while nothing happens, in milliseconds. */
const TICK_MS = 5000;
/** The time over which the rate is measured, and the time between two measurements, in milliseconds. */
const [WINDOW_MS, STEP_MS] = [10_000, 500];

/** Says how many rows are done and how many are left; undefined where the number is not known. */
export interface Measure {
  readonly done: (counts: Counts) => number;
  readonly left: (counts: Counts) => number | undefined;
  /** The number of failures that are shown one by one. */
  readonly maxFailures: number;
}

const doneOf = ({ sent, rejected, unknown }: Counts): number => sent + rejected + unknown;

const sending: Measure = { done: doneOf, left: (counts) => counts.pending + counts['under-way'], maxFailures: 10 };
export const enqueuing: Measure = {
  done: (counts) => counts['under-way'],
  left: ({ pending }) => pending,
  maxFailures: 0,
};
/** A worker does not know how many rows are in the queue. Its log is read by the operator of a machine. */
export const working: Measure = { done: doneOf, left: () => undefined, maxFailures: Number.POSITIVE_INFINITY };

/** The reasons of a wait. */
export const SETTLING = 'for requests to settle';
export const PUSHED_BACK = 'because the service asks for fewer requests (HTTP 429)';

/**
 * Shows a run to a person: a line that changes on a terminal, a line a minute anywhere else, and the first failures.
 */
export class BulkProgress {
  readonly #context: Context;
  readonly #measure: Measure;
  readonly #now: () => number;
  readonly #terminal: ProgressLine | undefined;
  readonly #timer: NodeJS.Timeout | undefined;
  /** The rows that were done at times within the window. */
  #samples: { readonly at: number; readonly done: number }[];
  #counts: Counts;
  #lastLog: number;
  #lastWait = Number.NEGATIVE_INFINITY;
  #failures = 0;

  /** @param now milliseconds of a clock that only goes forward */
  constructor(context: Context, counts: Counts, measure = sending, now: () => number = () => performance.now()) {
    this.#context = context;
    this.#measure = measure;
    this.#now = now;
    this.#counts = counts;
    this.#samples = [{ at: now(), done: measure.done(counts) }];
    this.#lastLog = now();
    const { stderr } = context.io;
    this.#terminal = stderr.isTTY ? new ProgressLine(stderr, now) : undefined;
    // A worker reports also while it waits for rows.
    this.#timer = measure === working ? setInterval(() => this.tick(), TICK_MS).unref() : undefined;
  }

  show({ failure, ...counts }: Progress): void {
    if (failure) this.#tell(failure);
    this.#counts = counts;
    this.tick();
  }

  /** Shows the counts when it is time to. */
  tick(): void {
    const now = this.#now();
    const { done } = this.#measure;
    if (now - (this.#samples.at(-1)?.at ?? Number.NEGATIVE_INFINITY) >= STEP_MS)
      this.#samples.push({ at: now, done: done(this.#counts) });
    while (this.#samples.length > 1 && now - (this.#samples[0]?.at ?? now) > WINDOW_MS) this.#samples.shift();
    if (this.#terminal) {
      this.#terminal.show(() => this.#line(now));
    } else if (now - this.#lastLog >= LOG_MS) {
      this.#lastLog = now;
      this.#context.log(this.#line(now));
    }
  }

  /**
   * Says why no row is sent for a while. A service that pushes back may do so every second, so such a line is printed
   * once a minute.
   *
   * @param why words that follow the number of seconds
   */
  wait(ms: number, why: string): void {
    const now = this.#now();
    const words = waitText(ms, why);
    const isLong = ms >= WINDOW_MS;
    this.clear();
    if (isLong || now - this.#lastWait >= LOG_MS) {
      this.#context.log(words);
      this.#lastWait = now;
    }
    // The reason first: a narrow terminal cuts the line.
    this.#terminal?.show(() => `${words}; ${this.#line(now)}`);
    // A long wait is no work. Short ones belong to the rate at which the service takes rows.
    if (isLong) this.#samples = [];
  }

  /** Says that no further request starts. */
  stopping(): void {
    this.clear();
    this.#context.log('stopping: no further request starts; Ctrl-C again leaves those that are under way unknown');
  }

  /** Removes the line from the terminal. */
  clear(): void {
    this.#terminal?.clear();
  }

  end(): void {
    clearInterval(this.#timer);
    this.clear();
  }

  #line(now: number): string {
    const { done, left } = this.#measure;
    const counts = this.#counts;
    const [first] = this.#samples;
    const seconds = (now - (first?.at ?? now)) / 1000;
    const rate = seconds > 0 ? (done(counts) - (first?.done ?? 0)) / seconds : 0;
    const rows = left(counts);
    const percent = Math.floor((100 * done(counts)) / Math.max(1, counts.total));
    const all =
      rows === undefined ? formatRows(done(counts)) : `${formatCount(done(counts))} of ${formatRows(counts.total)}`;
    const time = rate > 0 && rows !== undefined ? formatSeconds(Math.ceil(rows / rate)) : '?';
    const rest = rows === undefined ? '' : `, ${time} left`;
    return [
      `${all} done${rows === undefined ? '' : ` (${percent} %)`}, ${formatCount(Math.round(rate))}/s${rest}`,
      countsOf(counts).join(', '),
    ]
      .filter(Boolean)
      .join('; ');
  }

  #tell({ range: [from, to], message }: NonNullable<Progress['failure']>): void {
    this.#failures += 1;
    const { maxFailures } = this.#measure;
    if (this.#failures > maxFailures) return;
    this.clear();
    this.#context.log(`${from === to ? `row ${from}` : `rows ${from} to ${to}`}: ${message}`);
    if (this.#failures === maxFailures) this.#context.log('further failures are not shown one by one');
  }
}

/** "waiting 60 s for requests to settle" */
export function waitText(ms: number, why: string): string {
  return `waiting ${Math.ceil(ms / 1000)} s ${why}`;
}

/** "1:05:09" */
function formatSeconds(seconds: number): string {
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  const [hours, minutes, rest] = parts.map((part) => String(part).padStart(2, '0'));
  return seconds < 3600 ? `${minutes}:${rest}` : `${hours}:${minutes}:${rest}`;
}
