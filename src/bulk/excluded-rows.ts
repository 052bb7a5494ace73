import type { CheckedRows } from './rows/checked-rows';
import { messageReader } from './rows/digests';
import { equalRows } from './rows/equal-rows';
import { readReceptorKeys, receptorKey } from './rows/receptors';
import type { ExcludedRecord } from './state/records';
import { rangesOf } from './state/records';

/** The rows that a list leaves out. */
export interface Exclusions {
  /** True leaves out each row that repeats the sender, receptor and text of an earlier row. */
  readonly skipDuplicates: boolean;
  /** The path of a file with one receptor on each line; rows with these receptors are left out. */
  readonly exclude?: string | undefined;
}

/**
 * Lists the rows to leave out, with the reason.
 *
 * @param isPending false for a row that cannot be left out any more
 * @throws {ConfigurationError} when the file of receptors cannot be read
 */
export async function excludedRows(
  rows: CheckedRows,
  { exclude, skipDuplicates }: Exclusions,
  isPending: (row: number) => boolean = () => true,
): Promise<readonly ExcludedRecord[]> {
  const records: ExcludedRecord[] = [];
  const add = (found: readonly number[], error: string) => {
    const ranges = rangesOf(found.filter(isPending));
    if (ranges.length > 0) records.push({ t: 'excluded', ranges, error });
  };
  if (exclude !== undefined)
    add(await rowsOfReceptors(rows, await readReceptorKeys(exclude)), 'the receptor is in the file of --exclude');
  if (skipDuplicates)
    add(
      repeatedRows(rows).sort((a, b) => a - b),
      'a duplicate of an earlier row',
    );
  return records;
}

/** Marks the rows that records leave out with 1, by row number. */
export function markRows(records: readonly ExcludedRecord[], total: number): Uint8Array {
  const marks = new Uint8Array(total + 1);
  for (const [from, to] of records.flatMap(({ ranges }) => ranges)) marks.fill(1, from, to + 1);
  return marks;
}

/** The rows that repeat the sender, receptor and text of an earlier row. */
export function repeatedRows({ digests }: CheckedRows): number[] {
  return equalRows(digests.count, (row) => digests.message(row)).flatMap(([, ...others]) => others);
}

/**
 * The rows that have the receptor and the text of another row: after a lost response, a message of one could be that of the other.
 *
 * @param isLeftOut true for a row that is in no request, and so has no message
 */
export function indistinguishableRows({ digests }: CheckedRows, isLeftOut: (row: number) => boolean): number[] {
  return equalRows(digests.count, (row) => (isLeftOut(row) ? undefined : digests.likeness(row))).flat();
}

async function rowsOfReceptors(rows: CheckedRows, keys: ReadonlySet<string>): Promise<number[]> {
  const found: number[] = [];
  const read = messageReader(rows.operation);
  let row = 0;
  for await (const chunk of rows.read()) {
    for (const values of chunk) {
      row += 1;
      if (keys.has(receptorKey(read(rows.checkUnchanged(values, row)).receptor ?? ''))) found.push(row);
    }
  }
  return found;
}
