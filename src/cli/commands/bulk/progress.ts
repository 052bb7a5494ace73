import type { Counts, Progress } from '../../../bulk';
import { RedisError } from '../../../bulk/queue/redis-error';
import type { MessagingClient } from '../../../client/client';
import type { SettingsInForce } from '../../../client/options/sources';
import type { Context } from '../../commander/command';
import { openSession } from '../../settings/session';
import { StatusLine } from '../../terminal/status-line';
import type { BulkCall } from './command';
import { countsOf, formatCount, formatRows } from './words';

/** The time over which the rate is measured, in milliseconds. */
const WINDOW_MS = 10_000;
/** The number of failures of a run that are shown one by one. The operator of a machine reads all of a worker. */
const MAX_FAILURES = 10;

/** The reasons of a wait. */
export const SETTLING = 'for requests to settle';
export const PUSHED_BACK = 'because the service asks for fewer requests (HTTP 429)';

/**
 * Works with a client until a signal, which may also have been aborted when the work is done. With `--verbose`,
 * requests and responses are printed meanwhile.
 */
export async function withBulkClient<T>(
  { flags, context }: BulkCall,
  inForce: SettingsInForce,
  progress: BulkProgress,
  work: (client: MessagingClient, signal: AbortSignal, apiKey: string) => Promise<T>,
): Promise<{ readonly result: T; readonly signal: AbortSignal }> {
  const { verbose } = flags;
  // Each of the requests at a time has a connection.
  const clientOptions = { keepAlive: true, maxConnections: 65_535 };
  const session = openSession(inForce, context, { verbose, clientOptions });
  const { client, signal, options } = session;
  signal.addEventListener('abort', () => progress.stopping());
  try {
    return { result: await work(client, signal, options.apiKey), signal };
  } catch (error) {
    // Redis may fail while the command stops.
    if (!signal.aborted || !(error instanceof RedisError)) throw error;
    progress.tell(`warning: ${error.message}`);
    throw signal.reason;
  } finally {
    progress.end();
    session.close();
  }
}

/** Shows the rows that a command has done, their rate and the time left, waits, and failures. */
export class BulkProgress {
  readonly #status: StatusLine;
  /** The number of rows that were done at times within the window. */
  #samples: { readonly at: number; readonly done: number }[] = [];
  #waiting = { words: '', until: 0 };
  readonly #toldReasons = new Set<string>();
  #failures = 0;

  constructor(
    { io, log }: Context,
    public counts: Counts,
    private readonly command: 'run' | 'enqueue' | 'work' = 'run',
  ) {
    this.#status = new StatusLine(io.stderr, log);
  }

  show({ failure, ...counts }: Progress): void {
    if (failure) this.#tellFailure(failure);
    this.counts = counts;
    this.#start();
  }

  /** Shows why no row is sent for a while. A line that stays says it the first time. @param why a reason from above */
  wait(ms: number, why: string): void {
    const until = performance.now() + ms;
    this.#waiting = { words: `waiting ${Math.ceil(ms / 1000)} s ${why}`, until };
    if (!this.#toldReasons.has(why)) this.tell(this.#waiting.words);
    this.#toldReasons.add(why);
    // A long wait is no work. Short ones belong to the rate at which the service takes rows.
    if (ms >= WINDOW_MS) this.#samples = [{ at: until, done: this.#done }];
    this.#start();
  }

  /** Prints a line that stays. */
  tell(line: string): void {
    this.#status.tell(line);
  }

  stopping(): void {
    const requests = 'no further request starts; Ctrl-C again leaves those that are under way unknown';
    this.tell(`stopping: ${this.command === 'enqueue' ? 'rows that are not in the queue yet stay pending' : requests}`);
  }

  end(): void {
    this.#status.end();
  }

  #start(): void {
    if (this.#samples.length === 0) this.#samples.push({ at: performance.now(), done: this.#done });
    this.#status.start(() => this.#line());
  }

  get #done(): number {
    const { sent, rejected, 'under-way': queued } = this.counts;
    return this.command === 'enqueue' ? queued : sent + rejected;
  }

  #line(): string {
    const [now, done] = [performance.now(), this.#done];
    if (now > (this.#samples.at(-1)?.at ?? 0)) this.#samples.push({ at: now, done });
    while (this.#samples.length > 2 && now - (this.#samples[0]?.at ?? now) > WINDOW_MS) this.#samples.shift();
    const first = this.#samples[0] ?? { at: now, done };
    const rate = now > first.at ? (1000 * (done - first.done)) / (now - first.at) : 0;
    // The reason of a wait comes first: a narrow terminal cuts the line.
    const waiting = now < this.#waiting.until ? this.#waiting.words : '';
    return [waiting, this.#describe(done, rate), countsOf(this.counts).join(', ')].filter(Boolean).join('; ');
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

  #tellFailure({ list, range: [from, to], message }: NonNullable<Progress['failure']>): void {
    this.#failures += 1;
    const left = this.command === 'work' ? 1 : MAX_FAILURES - this.#failures;
    const rows = from === to ? `row ${from}` : `rows ${from} to ${to}`;
    if (left >= 0) this.tell(`${list === undefined ? '' : `${list}, `}${rows}: ${message}`);
    if (left === 0) this.tell('further failures are not shown one by one');
  }
}

/** "1:05:09" */
function formatSeconds(seconds: number): string {
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  const [hours, ...rest] = parts.map((part) => String(part).padStart(2, '0'));
  return [...(seconds < 3600 ? [] : [hours]), ...rest].join(':');
}
