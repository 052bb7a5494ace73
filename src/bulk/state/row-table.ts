import type { RowRange } from './records';

/** The states of a row, in the order in which they are shown. */
export const rowStates = ['pending', 'under-way', 'unknown', 'sent', 'rejected', 'excluded'] as const;

/**
 * The state of a row:
 * - `pending`: not sent; the next run sends it
 * - `under-way`: a process that is running may be sending it, or it is in a queue
 * - `unknown`: a process decided to send it, and does not know the outcome
 * - `sent`: the service took it and gave an id
 * - `rejected`: the service refused it
 * - `excluded`: an option leaves it out; it is never sent
 */
export type RowState = (typeof rowStates)[number];

/** The number of rows in each state, and of all rows. */
export interface Counts extends Readonly<Record<RowState, number>> {
  readonly total: number;
}

/** The knowledge about each row. */
export type RowStates = Omit<
  RowTable,
  'setState' | 'intend' | 'conclude' | 'find' | 'setError' | 'addMissing' | 'countSend'
>;

/** The number of different error texts. Further texts share the last one. */
const MAX_ERRORS = 1000;

/** The knowledge about each row, in 29 bytes a row. Rows are counted from 1. */
export class RowTable {
  readonly total: number;
  readonly #counts: number[];
  readonly #states: Uint8Array;
  readonly #batches: Uint32Array;
  readonly #ids: BigInt64Array;
  readonly #errors: Uint16Array;
  readonly #errorTexts: string[] = [''];
  readonly #missing: Uint8Array;
  readonly #sends: Uint8Array;
  readonly #firstIntents: Uint32Array;
  readonly #intents: Uint32Array;
  readonly #outcomes: Uint32Array;

  constructor(total: number) {
    this.total = total;
    this.#counts = rowStates.map((state) => (state === 'pending' ? total : 0));
    this.#states = new Uint8Array(total);
    this.#batches = new Uint32Array(total);
    this.#ids = new BigInt64Array(total);
    this.#errors = new Uint16Array(total);
    this.#missing = new Uint8Array(total);
    this.#sends = new Uint8Array(total);
    this.#firstIntents = new Uint32Array(total);
    this.#intents = new Uint32Array(total);
    this.#outcomes = new Uint32Array(total);
  }

  counts(): Counts {
    const counts = Object.fromEntries(rowStates.map((state, index) => [state, this.#counts[index]]));
    return { total: this.total, ...(counts as Record<RowState, number>) };
  }

  count(state: RowState): number {
    return this.#counts[rowStates.indexOf(state)] as number;
  }

  has([from, to]: RowRange): boolean {
    return from >= 1 && from <= to && to <= this.total;
  }

  /** Lists the rows to which a condition applies. */
  *filter(applies: (row: number) => boolean): Generator<number> {
    for (let row = 1; row <= this.total; row++) if (applies(row)) yield row;
  }

  state(row: number): RowState {
    return rowStates[this.#states[row - 1] as number] as RowState;
  }

  setState(row: number, state: RowState): void {
    const [before, after] = [this.#states[row - 1] as number, rowStates.indexOf(state)];
    this.#counts[before] = (this.#counts[before] as number) - 1;
    this.#counts[after] = (this.#counts[after] as number) + 1;
    this.#states[row - 1] = after;
    // An older finding no longer holds.
    this.#missing[row - 1] = 0;
  }

  /** The number of the batch in which a row was last sent; 0 for a row that was never sent or that was found. */
  batch(row: number): number {
    return this.#batches[row - 1] as number;
  }

  /** The number of requests that contained the row and that may have reached the service, at most 255. */
  sends(row: number): number {
    return this.#sends[row - 1] as number;
  }

  countSend(row: number, change: 1 | -1): void {
    this.#sends[row - 1] = Math.min(255, Math.max(0, this.sends(row) + change));
  }

  /** An id of the batch in which the row was sent: its own if ids are in order, or if it was found; 0 if no id is known. */
  id(row: number): bigint {
    return this.#ids[row - 1] as bigint;
  }

  /** The place in the journal of the first intent to send the row; 0 for a row that was in no request. */
  firstIntent(row: number): number {
    return this.#firstIntents[row - 1] as number;
  }

  /** The place in the journal before which the row's message cannot have been sent. */
  intent(row: number): number {
    return this.#intents[row - 1] as number;
  }

  /** The place in the journal from which on the row is known to be sent. */
  outcome(row: number): number {
    return this.#outcomes[row - 1] as number;
  }

  /** Records that a batch with the row is about to be sent. */
  intend(row: number, batch: number, place: number): void {
    this.#batches[row - 1] = batch;
    this.#intents[row - 1] = place;
    this.#firstIntents[row - 1] ||= place;
  }

  /** Records the id that the service gave. */
  conclude(row: number, id: bigint, place: number): void {
    this.#ids[row - 1] = id;
    this.#outcomes[row - 1] = place;
    this.setError(row, '');
  }

  /** Records that the row was sent by one of its requests, whichever it was. */
  find(row: number, id: bigint, place: number): void {
    this.setState(row, 'sent');
    this.conclude(row, id, place);
    this.#batches[row - 1] = 0;
    this.#intents[row - 1] = this.firstIntent(row);
  }

  /** The reason why a row was last not sent, in a few words; empty for a sent row. */
  error(row: number): string {
    return this.#errorTexts[this.#errors[row - 1] as number] as string;
  }

  setError(row: number, text: string): void {
    let index = this.#errorTexts.indexOf(text);
    if (index < 0) index = this.#errorTexts.length < MAX_ERRORS ? this.#errorTexts.push(text) - 1 : MAX_ERRORS - 1;
    this.#errors[row - 1] = index;
  }

  /** True if the service provably does not have the row, and nothing has happened to the row since. */
  isMissing(row: number): boolean {
    return this.#missing[row - 1] === 1;
  }

  addMissing([from, to]: RowRange): void {
    for (let row = from; row <= to; row++) if (this.state(row) === 'unknown') this.#missing[row - 1] = 1;
  }
}
