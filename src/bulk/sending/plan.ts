import type { PlanOptions, RowRange } from '../journal/records';
import { type BulkOperation, bulkFields } from '../rows/bulk-fields';
import { checkUnchanged, inputHasChanged } from '../rows/check-rows';
import type { RowDigests } from '../rows/row-digests';
import type { RowValues } from '../rows/row-reader';

/** Neighbouring rows that one request sends. */
export interface Batch {
  readonly range: RowRange;
  readonly rows: readonly RowValues[];
}

/** What decides which rows go together. */
export interface Plan {
  readonly options: PlanOptions;
  /** Of the rows as they were checked. */
  readonly digests: RowDigests;
  readonly isPending: (row: number) => boolean;
}

/**
 * The batches of an input: neighbouring pending rows whose single fields are equal, up to `batchSize`. The operation's lists
 * get an entry for each row.
 *
 * @throws {InputError} when a row is not what was checked
 */
export async function* planBatches(
  chunks: AsyncIterable<readonly (RowValues | undefined)[]>,
  { options: { operation, batchSize }, digests, isPending }: Plan,
): AsyncGenerator<Batch> {
  const shared = bulkFields(operation).flatMap(({ isList }, index) => (isList ? [] : [index]));
  let rows: RowValues[] = [];
  let row = 0;
  for await (const chunk of chunks) {
    for (const values of chunk) {
      row += 1;
      const pending = isPending(row);
      const [first] = rows;
      const joins = pending && rows.length < batchSize && shared.every((index) => first?.[index] === values?.[index]);
      if (first && !joins) {
        yield { range: [row - rows.length, row - 1], rows };
        rows = [];
      }
      if (pending) rows.push(checkUnchanged(values, row, digests));
    }
  }
  if (row !== digests.count) throw inputHasChanged(undefined);
  if (rows.length > 0) yield { range: [row - rows.length + 1, row], rows };
}

/** The request of a batch, by the contract's names. */
export function requestOf(operation: BulkOperation, rows: readonly RowValues[]): Readonly<Record<string, unknown>> {
  const entries = bulkFields(operation).map(({ name, isList }, index) => [
    name,
    isList ? rows.map((values) => values[index]) : rows[0]?.[index],
  ]);
  return Object.fromEntries(entries);
}
