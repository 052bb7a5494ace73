import type { List } from '../list/list';
import { bulkFields, type RowValues } from '../rows/fields';
import { parseUniqueTime } from './options';
import type { SendResult } from './send-batch';

/** The part of the time, and the least time in milliseconds, that clocks of two machines may differ. */
const [CLOCK_PART, CLOCK_MS] = [0.05, 60_000];
/** The time by which the wall clock may stay behind while it is adjusted, in milliseconds. */
const ADJUSTED_MS = 1000;

/**
 * Decides which unknown rows may be sent again with their clientmessageid, because the provider promises to send one
 * message for each. A row stays unknown until a repeat gives it a new id: nothing else shows what became of the row.
 */
export class Repeats {
  readonly #list: List;
  readonly #uniqueMs: number;
  readonly #started = { wall: Date.now(), monotonic: performance.now() };
  readonly #date: number;
  /** The last batch whose request has settled. */
  #settledBatch = 0;

  /** @param time the time for which the provider keeps its promise, as the option takes it */
  constructor(list: List, time: string) {
    this.#list = list;
    this.#uniqueMs = parseUniqueTime(time) ?? 0;
    this.#date = bulkFields(list.plan.operation).findIndex(({ name }) => name === 'unixdate');
  }

  /** True when a row may be repeated once its requests have settled. */
  areWorthWaiting(): boolean {
    return this.#list.state.table.filter((row) => this.#isAllowed(row)).next().done !== true;
  }

  /** Called when the requests of all unknown rows have settled. Returns the number of rows that may be repeated now. */
  begin(): number {
    this.#settledBatch = this.#list.state.batches;
    return [...this.#list.state.table.filter((row) => this.mayRepeat(row))].length;
  }

  /** True when a row may be repeated now. @param values the row, immediately before it is sent */
  mayRepeat(row: number, values?: RowValues): boolean {
    const hasSettled = this.#list.state.table.batch(row) <= this.#settledBatch;
    return hasSettled && this.#isAllowed(row) && (values === undefined || isDue(values[this.#date]));
  }

  #isAllowed(row: number): boolean {
    const { state } = this.#list;
    const { table } = state;
    if (table.state(row) !== 'unknown' || table.isLost(row) || table.isRefused(row)) return false;
    const accounts = state.accountsOf(row);
    if (accounts.size > 1 || !accounts.has(state.accounts.at(-1)?.mark)) return false;
    return this.#isInTime(table.openSince(row) * 1000);
  }

  #isInTime(openSince: number): boolean {
    const now = Date.now();
    const { wall, monotonic } = this.#started;
    // The clock was set back, since the journal was written last or since this process began.
    const isBehindJournal = now < this.#list.state.latestTime;
    const isSlow = now - wall < performance.now() - monotonic - ADJUSTED_MS;
    if (openSince === 0 || isBehindJournal || isSlow) return false;
    const margin = this.#list.plan.startWithinMs + Math.max(CLOCK_MS, CLOCK_PART * (now - openSince));
    return now - openSince + margin < this.#uniqueMs;
  }

  /** The result of a repeat: an id that was known before is the id of another message. */
  check(result: SendResult): SendResult {
    if (result.outcome.t !== 'sent') return result;
    const [id = ''] = result.outcome.ids;
    const { state } = this.#list;
    const { table, baseline } = state;
    const isListed = baseline?.ids.includes(id) === true || [...state.known()].includes(BigInt(id));
    const isKnown = isListed || table.hasId(BigInt(id));
    return isKnown
      ? { outcome: { t: 'unknown', error: `the repeat has the id ${id}, which was known before` } }
      : result;
  }
}

/** True for a row without a date, or with one that has passed whether it counts seconds or milliseconds. */
function isDue(unixdate: unknown): boolean {
  return typeof unixdate === 'bigint' && unixdate * 1000n <= BigInt(Date.now());
}
