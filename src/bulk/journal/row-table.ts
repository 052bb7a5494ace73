import type { RowRange } from './records';

/** Where a row stands. `under way`: its request was decided on, and the process that did so may be sending it. */
export type RowState = 'pending' | 'under way' | 'unknown' | 'sent' | 'rejected';

/** How many rows stand where. */
export interface Counts {
  readonly rows: number;
  readonly pending: number;
  readonly underWay: number;
  readonly unknown: number;
  readonly sent: number;
  readonly rejected: number;
}

const states: readonly RowState[] = ['pending', 'under way', 'unknown', 'sent', 'rejected'];

/** More different texts share the last one. */
const MAX_ERRORS = 1000;

/** What is known of each row, in 16 bytes a row. Rows are counted from 1. */
export class RowTable {
  readonly rows: number;
  readonly #counts: number[];
  readonly #states: Uint8Array;
  readonly #batches: Uint32Array;
  readonly #ids: BigInt64Array;
  readonly #errors: Uint16Array;
  readonly #errorTexts: string[] = [''];
  readonly #missing: Uint8Array;

  constructor(rows: number) {
    this.rows = rows;
    this.#counts = [rows, 0, 0, 0, 0];
    this.#states = new Uint8Array(rows);
    this.#batches = new Uint32Array(rows);
    this.#ids = new BigInt64Array(rows);
    this.#errors = new Uint16Array(rows);
    this.#missing = new Uint8Array(rows);
  }

  counts(): Counts {
    const [pending, underWay, unknown, sent, rejected] = this.#counts as [number, number, number, number, number];
    return { rows: this.rows, pending, underWay, unknown, sent, rejected };
  }

  has([from, to]: RowRange): boolean {
    return from >= 1 && from <= to && to <= this.rows;
  }

  state(row: number): RowState {
    return states[this.#states[row - 1] as number] as RowState;
  }

  setState(row: number, state: RowState): void {
    const [before, after] = [this.#states[row - 1] as number, states.indexOf(state)];
    this.#counts[before] = (this.#counts[before] as number) - 1;
    this.#counts[after] = (this.#counts[after] as number) + 1;
    this.#states[row - 1] = after;
    // Whatever happens to a row makes older findings void.
    this.#missing[row - 1] = 0;
  }

  /** The number of the batch that a row was last sent with; 0 for none. */
  batch(row: number): number {
    return this.#batches[row - 1] as number;
  }

  setBatch(row: number, n: number): void {
    this.#batches[row - 1] = n;
  }

  /** An id of the batch that the row was sent with: its own if ids are in order, or if it was found. */
  id(row: number): bigint {
    return this.#ids[row - 1] as bigint;
  }

  setId(row: number, id: bigint): void {
    this.#ids[row - 1] = id;
  }

  /** Whether the row was found, and so is in no batch any more. */
  isFound(row: number): boolean {
    return this.state(row) === 'sent' && this.#batches[row - 1] === 0;
  }

  /** Why a row was last not sent, in a word; empty if it was. */
  error(row: number): string {
    return this.#errorTexts[this.#errors[row - 1] as number] as string;
  }

  setError(row: number, text: string): void {
    let index = this.#errorTexts.indexOf(text);
    if (index < 0) index = this.#errorTexts.length < MAX_ERRORS ? this.#errorTexts.push(text) - 1 : MAX_ERRORS - 1;
    this.#errors[row - 1] = index;
  }

  /** Whether the last sound reconciliation did not find the row, and nothing has happened to it since. */
  isMissing(row: number): boolean {
    return this.#missing[row - 1] === 1;
  }

  /** Replaces what an earlier reconciliation found. */
  setMissing(ranges: readonly RowRange[]): void {
    this.#missing.fill(0);
    for (const [from, to] of ranges) this.#missing.fill(1, from - 1, to);
  }
}
