import type { Counts, Progress } from '../../../bulk';
import type { Context } from '../../commander/command';
import { ProgressLine } from '../../terminal/progress-line';
import { formatCount, summaryOf } from './report';

/** The milliseconds between two lines where a line does not replace the line before. */
const LOG_MS = 60_000;
/** The number of failures that are shown one by one. */
const MAX_FAILURES = 10;

/** Says how many rows are done and how many are left; undefined where the number is not known. */
export interface Measure {
  readonly done: (counts: Counts) => number;
  readonly left: (counts: Counts) => number | undefined;
}

const sending: Measure = { done: doneOf, left: (counts) => counts.pending + counts['under-way'] };
export const enqueuing: Measure = { done: (counts) => counts['under-way'], left: ({ pending }) => pending };
/** A worker does not know how many rows are in the queue. */
export const working: Measure = { done: doneOf, left: () => undefined };

/** The counts before the file was read. */
export const NO_ROWS: Counts = { total: 0, pending: 0, 'under-way': 0, unknown: 0, sent: 0, rejected: 0, excluded: 0 };

/** Shows a run to a person: a line that changes on a terminal, a line a minute anywhere else, and the first failures. */
export class BulkProgress {
  readonly #context: Context;
  readonly #measure: Measure;
  readonly #now: () => number;
  readonly #start: { readonly at: number; readonly counts: Counts };
  readonly #terminal: ProgressLine | undefined;
  #lastLog: number;
  #failures = 0;

  /** @param now milliseconds of a clock that only goes forward */
  constructor(context: Context, counts: Counts, measure = sending, now: () => number = () => performance.now()) {
    this.#context = context;
    this.#measure = measure;
    this.#now = now;
    this.#start = { at: now(), counts };
    this.#lastLog = now();
    const { stderr } = context.io;
    this.#terminal = stderr.isTTY ? new ProgressLine(stderr, now) : undefined;
  }

  show({ failure, ...counts }: Progress): void {
    if (failure) this.#tell(failure);
    const now = this.#now();
    if (this.#terminal) {
      this.#terminal.show(() => this.#line(counts, now));
    } else if (now - this.#lastLog >= LOG_MS) {
      this.#lastLog = now;
      this.#context.log(this.#line(counts, now));
    }
  }

  /** Says that no further request starts. */
  stopping(): void {
    this.end();
    this.#context.log('stopping: waiting for the requests that are under way; Ctrl-C again leaves them unknown');
  }

  /** Removes the line from the terminal. */
  end(): void {
    this.#terminal?.clear();
  }

  #line(counts: Counts, now: number): string {
    const { done, left } = this.#measure;
    const rate = (done(counts) - done(this.#start.counts)) / Math.max(0.001, (now - this.#start.at) / 1000);
    const text = `${summaryOf(counts)}; ${formatCount(Math.round(rate))}/s`;
    const rows = left(counts);
    return rows === undefined ? text : `${text}, ${rate > 0 ? formatSeconds(Math.ceil(rows / rate)) : '?'} left`;
  }

  #tell({ range: [from, to], message }: NonNullable<Progress['failure']>): void {
    this.#failures += 1;
    if (this.#failures > MAX_FAILURES) return;
    this.end();
    this.#context.log(`${from === to ? `row ${from}` : `rows ${from} to ${to}`}: ${message}`);
    if (this.#failures === MAX_FAILURES) this.#context.log('`bulk status` lists further failures');
  }
}

function doneOf({ sent, rejected, unknown }: Counts): number {
  return sent + rejected + unknown;
}

/** "1:05:09" */
function formatSeconds(seconds: number): string {
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  const [hours, minutes, rest] = parts.map((part) => String(part).padStart(2, '0'));
  return seconds < 3600 ? `${minutes}:${rest}` : `${hours}:${minutes}:${rest}`;
}
