import type { RowRange } from './records';

/** The states of a row, in the order in which they are shown. */
export const rowStates = ['pending', 'under-way', 'unknown', 'sent', 'rejected', 'left-out'] as const;

/**
 * The state of a row:
 * - `pending`: not sent; the next run sends it
 * - `under-way`: a process that is running may be sending it, or it is in a queue
 * - `unknown`: a process decided to send it, and does not know the outcome
 * - `sent`: the service took it and gave an id
 * - `rejected`: the service refused it
 * - `left-out`: this list does not send it, because somebody has its message or another text of the list
 */
export type RowState = (typeof rowStates)[number];

/** The number of rows in each state, and of all rows. */
export interface Counts extends Readonly<Record<RowState, number>> {
  readonly total: number;
}

/** The reason why a row was last not sent, is unknown, or was refused. It has no words for a sent row. */
interface RowReason {
  /** A few words; empty without a reason. */
  readonly text: string;
  /** The kind of a response that refused the row: `412`, `http-404` or `fault`; empty for any other row. */
  readonly refusal: string;
}

/** A number of each row. A list may have millions of rows, so they are no objects. */
const createColumns = (total: number) => ({
  states: new Uint8Array(total),
  /** 1 for a row that was refused together with others. */
  alone: new Uint8Array(total),
  batches: new Uint32Array(total),
  ids: new BigInt64Array(total),
  /** The index of each row's reason. Most rows share a few reasons. */
  reasons: new Uint32Array(total),
  firstIntents: new Float64Array(total),
  intents: new Float64Array(total),
  outcomes: new Float64Array(total),
  /** The index of the account with which a worker sent the row, or may have sent it; 0 for that of the list. */
  accounts: new Uint8Array(total),
  openSince: new Uint32Array(total),
  retries: new Uint8Array(total),
});

/** The ids that the program makes have two digits for it. */
const MAX_RETRIES = 99;

/** The work of a worker on a row. */
interface RowWork {
  /** The position of its claim; undefined when it is not known. */
  readonly intent: number | undefined;
  /** The mark of its account; undefined when it is that of the list. */
  readonly account: string | undefined;
}

/** The greatest number of accounts of workers that are told apart. */
const MAX_ACCOUNTS = 254;
/** Stands for an account that may be any one. */
const ANY_ACCOUNT = 'any';

/** The knowledge about each row, in 48 bytes a row. Rows are counted from 1. */
export class RowView {
  readonly total: number;
  protected readonly stateCounts: number[];
  protected readonly columns: ReturnType<typeof createColumns>;
  protected readonly knownAccounts: (string | undefined)[] = [undefined, ANY_ACCOUNT];
  protected readonly lost = new Set<number>();
  protected readonly refused = new Set<number>();
  protected readonly corrected = new Set<number>();
  protected readonly knownReasons: RowReason[] = [{ text: '', refusal: '' }];

  constructor(total: number) {
    this.total = total;
    this.stateCounts = rowStates.map((state) => (state === 'pending' ? total : 0));
    this.columns = createColumns(total);
  }

  counts(): Counts {
    const counts = Object.fromEntries(rowStates.map((state, index) => [state, this.stateCounts[index]]));
    return { total: this.total, ...(counts as Record<RowState, number>) };
  }

  count(state: RowState): number {
    return this.stateCounts[rowStates.indexOf(state)] as number;
  }

  has([from, to]: RowRange): boolean {
    return from >= 1 && from <= to && to <= this.total;
  }

  *filter(applies: (row: number) => boolean): Generator<number> {
    for (let row = 1; row <= this.total; row++) if (applies(row)) yield row;
  }

  state(row: number): RowState {
    return rowStates[this.columns.states[row - 1] as number] as RowState;
  }

  /** True for a row that was refused together with others. It shares no request: any of them may be wrong. */
  mustGoAlone(row: number): boolean {
    return this.columns.alone[row - 1] === 1;
  }

  /** True for a row whose worker may still send it, although Redis has lost its claim. */
  isLost(row: number): boolean {
    return this.lost.has(row);
  }

  /** The number of the batch in which a row was last sent; 0 for a row that was never sent or that was found. */
  batch(row: number): number {
    return this.columns.batches[row - 1] as number;
  }

  /** Lists the rows of the batch in which a row was last sent. A row that was found, or never sent, is alone. */
  *rowsOfBatch(row: number): Generator<number, void> {
    const batch = this.batch(row);
    if (batch === 0) return yield row;
    let each = row;
    while (each > 1 && this.batch(each - 1) === batch) each -= 1;
    for (; each <= this.total && this.batch(each) === batch; each++) yield each;
  }

  /** An id of the batch that sent the row: its own if ids are in order or it was found; 0 if no id is known. */
  id(row: number): bigint {
    return this.columns.ids[row - 1] as bigint;
  }

  hasId(id: bigint): boolean {
    return this.columns.ids.includes(id);
  }

  /** The position in the journal of the first intent to send the row; 0 for a row that was in no request. */
  firstIntent(row: number): number {
    return this.columns.firstIntents[row - 1] as number;
  }

  /** The position in the journal of the last intent to send the row. */
  intent(row: number): number {
    return this.columns.intents[row - 1] as number;
  }

  /** The mark of the account with which a worker may have sent the row; undefined for that of the list. */
  account(row: number): string | undefined {
    return this.knownAccounts[this.columns.accounts[row - 1] as number];
  }

  /** The position in the journal from which on the row is known to be sent. */
  outcome(row: number): number {
    return this.columns.outcomes[row - 1] as number;
  }

  /** True for an unknown row whose repeat the service has refused. */
  isRefused(row: number): boolean {
    return this.refused.has(row);
  }

  /** True for a row that was left out because its person has another text of the earlier list. */
  isCorrected(row: number): boolean {
    return this.corrected.has(row);
  }

  /** The time of the oldest request that may have sent an unknown row, in seconds since 1970; 0 when none is known. */
  openSince(row: number): number {
    return this.columns.openSince[row - 1] as number;
  }

  /** The number of times that a refused row was made pending again. Each time it gets another clientmessageid. */
  retries(row: number): number {
    return this.columns.retries[row - 1] as number;
  }

  reason(row: number): RowReason {
    return this.knownReasons[this.columns.reasons[row - 1] as number] as RowReason;
  }
}

/** The knowledge about each row, while the records of a journal are added up. */
export class RowTable extends RowView {
  readonly #reasonIndexes = new Map<string, number>([['\n', 0]]);

  setState(row: number, state: RowState): void {
    const [before, after] = [this.columns.states[row - 1] as number, rowStates.indexOf(state)];
    this.stateCounts[before] = (this.stateCounts[before] as number) - 1;
    this.stateCounts[after] = (this.stateCounts[after] as number) + 1;
    this.columns.states[row - 1] = after;
  }

  setMustGoAlone(row: number): void {
    this.columns.alone[row - 1] = 1;
  }

  setLost(row: number): void {
    this.lost.add(row);
  }

  setRefused(row: number): void {
    this.refused.add(row);
  }

  retry(row: number): void {
    this.columns.retries[row - 1] = Math.min(this.retries(row) + 1, MAX_RETRIES);
  }

  /** @param at the time of the intent, in milliseconds since 1970 */
  intend(row: number, batch: number, position: number, at: number): void {
    // A request before it may have sent an unknown row.
    if (this.state(row) === 'pending' || this.state(row) === 'rejected') {
      this.columns.openSince[row - 1] = Math.floor(at / 1000);
      this.refused.delete(row);
    }
    this.columns.batches[row - 1] = batch;
    this.columns.intents[row - 1] = position;
    this.columns.firstIntents[row - 1] ||= position;
    this.lost.delete(row);
  }

  /** Records when a worker claimed the row, and with which account. */
  setWork(row: number, { intent, account }: RowWork): void {
    if (intent !== undefined) {
      if (this.firstIntent(row) === this.intent(row)) this.columns.firstIntents[row - 1] = intent;
      this.columns.intents[row - 1] = intent;
    }
    if (account !== undefined) this.#addAccount(row, account);
  }

  #addAccount(row: number, account: string): void {
    const known = this.account(row);
    if (known === account) return;
    const isOther = known !== undefined || this.knownAccounts.length > MAX_ACCOUNTS;
    const index = this.knownAccounts.indexOf(isOther ? ANY_ACCOUNT : account);
    this.columns.accounts[row - 1] = index >= 0 ? index : this.knownAccounts.push(account) - 1;
  }

  /** Records that the row was sent, and the id that the service gave. */
  conclude(row: number, id: bigint, position: number): void {
    this.setState(row, 'sent');
    this.columns.ids[row - 1] = id;
    this.columns.outcomes[row - 1] = position;
    this.setReason(row, '');
  }

  /** Marks the row as sent when it is not known which of its requests sent it. */
  find(row: number, id: bigint, position: number): void {
    this.conclude(row, id, position);
    this.columns.batches[row - 1] = 0;
  }

  /** @param isCorrected true when the person has another text of the earlier list */
  leaveOut(row: number, reason: string, isCorrected: boolean): void {
    this.setState(row, 'left-out');
    this.setReason(row, reason);
    if (isCorrected) this.corrected.add(row);
    else this.corrected.delete(row);
  }

  setReason(row: number, text: string, refusal = ''): void {
    const key = `${text}\n${refusal}`;
    const index = this.#reasonIndexes.get(key) ?? this.knownReasons.push({ text, refusal }) - 1;
    this.#reasonIndexes.set(key, index);
    this.columns.reasons[row - 1] = index;
  }
}

export const NO_ROWS: Counts = new RowView(0).counts();
