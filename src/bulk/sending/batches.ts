import type { List } from '../list/list';
import type { CheckedRows } from '../rows/checked-rows';
import { type BulkOperation, bulkFields, type RowValues } from '../rows/fields';
import type { PlanOptions } from '../state/plan';
import type { RowRange } from '../state/records';

/** Neighbouring rows that share a request. */
export interface Batch {
  readonly range: RowRange;
  readonly rows: readonly RowValues[];
}

/** The batches of the rows that may be sent now, with the ids that the program makes. @throws {InputError} */
export function batchesToSend(list: List, maySend: (row: number) => boolean): AsyncGenerator<Batch> {
  const { table } = list.state;
  return batchesWithIds(list, maySend, (row) => !table.mustGoAlone(row) && !table.mustGoAlone(row - 1));
}

/** The batches with these numbers, as they were queued. @throws {InputError} */
export async function* queuedBatches(
  list: List,
  numbers: ReadonlySet<number>,
): AsyncGenerator<Batch & { readonly n: number }> {
  const { table } = list.state;
  const isQueued = (row: number) => table.state(row) === 'under-way' && numbers.has(table.batch(row));
  for await (const batch of batchesWithIds(list, isQueued, (row) => table.batch(row) === table.batch(row - 1)))
    yield { ...batch, n: table.batch(batch.range[0]) };
}

async function* batchesWithIds(
  { rows, plan, state }: List,
  isIncluded: (row: number) => boolean,
  mayJoinBefore: (row: number) => boolean,
): AsyncGenerator<Batch> {
  const { table, list } = state;
  // After a retry, a row needs another id: a service may remember the id that it has refused.
  const idOf = (row: number) => `${list?.id}${pad(row, 7)}${pad(table.retries(row), 2)}`;
  for await (const { range, rows: values } of planBatches(rows, plan, isIncluded, mayJoinBefore)) {
    const withId = (each: RowValues, index: number) =>
      each.map((value) => (value === undefined ? idOf(range[0] + index) : value));
    yield { range, rows: rows.makesIds ? values.map(withId) : values };
  }
}

function pad(value: number, digits: number): string {
  return String(value).padStart(digits, '0');
}

/**
 * Plans batches: neighbouring rows whose single fields are equal, up to `batchSize` rows. The operation's lists get an
 * item for each row.
 *
 * @param mayJoinBefore true for a row that may share a request with the row before it
 * @throws {InputError} when a row has changed since it was checked
 */
export async function* planBatches(
  rows: CheckedRows,
  { operation, batchSize }: PlanOptions,
  isPending: (row: number) => boolean,
  mayJoinBefore: (row: number) => boolean = () => true,
): AsyncGenerator<Batch> {
  const shared = bulkFields(operation).flatMap(({ isList }, index) => (isList ? [] : [index]));
  let batch: RowValues[] = [];
  let last = 0;
  for await (const chunk of rows.read()) {
    for (const read of chunk) {
      const { row, values } = read;
      last = row;
      const pending = isPending(row);
      const [first] = batch;
      const mayJoin = pending && batch.length < batchSize && mayJoinBefore(row);
      const joins = mayJoin && shared.every((index) => first?.[index] === values?.[index]);
      if (first && !joins) {
        yield { range: [row - batch.length, row - 1], rows: batch };
        batch = [];
      }
      if (pending) batch.push(rows.valuesOf(read));
    }
  }
  if (batch.length > 0) yield { range: [last - batch.length + 1, last], rows: batch };
}

/** The request of a batch, by the contract's names. */
export function requestOf(operation: BulkOperation, rows: readonly RowValues[]): Readonly<Record<string, unknown>> {
  const entries = bulkFields(operation).map(({ name, isList, omittable }, index) => {
    const items = rows.map((values) => values[index]);
    // Rows that leave out an optional list leave it out together.
    const isAbsent = omittable && items.every((item) => item === null);
    return [name, isList && !isAbsent ? items : items[0]];
  });
  return Object.fromEntries(entries);
}
