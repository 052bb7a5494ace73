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

/** Lists the rows to leave out, with the reason. @throws {ConfigurationError} when the file of receptors cannot be read */
export async function excludedRows(rows: CheckedRows, options: Exclusions): Promise<readonly ExcludedRecord[]> {
  const records: ExcludedRecord[] = [];
  if (options.exclude !== undefined) {
    const ranges = rangesOf(await rowsOfReceptors(rows, await readReceptorKeys(options.exclude)));
    records.push({ t: 'excluded', ranges, error: 'the receptor is in the file of --exclude' });
  }
  if (options.skipDuplicates) {
    const ranges = rangesOf(repeatedRows(rows).sort((a, b) => a - b));
    records.push({ t: 'excluded', ranges, error: 'a duplicate of an earlier row' });
  }
  return records.filter(({ ranges }) => ranges.length > 0);
}

/** The rows that repeat the sender, receptor and text of an earlier row. */
export function repeatedRows({ digests }: CheckedRows): number[] {
  return equalRows(digests.count, (row) => digests.message(row)).flatMap(([, ...others]) => others);
}

/**
 * The rows that are alike another row of the list: after a lost response, a message of one could be that of the other.
 *
 * @param isLeftOut true for a row that is in no request, and so has no message
 */
export function alikeRows({ digests }: CheckedRows, isLeftOut: (row: number) => boolean): number[] {
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
