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
export async function* batchesToSend(
  { rows, plan, state }: List,
  maySend: (row: number) => boolean,
): AsyncGenerator<Batch> {
  const { table, list } = state;
  // After a retry, a row needs another id: a service may remember the id that it has refused.
  const idOf = (row: number) => `${list?.id}${pad(row, 7)}${pad(table.retries(row), 2)}`;
  for await (const { range, rows: values } of planBatches(rows, plan, maySend, (row) => table.mustGoAlone(row))) {
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
 * @param mustGoAlone true for a row that shares no request
 * @throws {InputError} when a row has changed since it was checked
 */
export async function* planBatches(
  rows: CheckedRows,
  { operation, batchSize }: PlanOptions,
  isPending: (row: number) => boolean,
  mustGoAlone: (row: number) => boolean = () => false,
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
      const mayJoin = pending && batch.length < batchSize && !mustGoAlone(row) && !mustGoAlone(row - 1);
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
  const entries = bulkFields(operation).map(({ name, isList }, index) => [
    name,
    isList ? rows.map((values) => values[index]) : rows[0]?.[index],
  ]);
  return Object.fromEntries(entries);
}
