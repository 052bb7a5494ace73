import { bulkFields } from './bulk-fields';
import { InputError, MAX_PROBLEMS, type Problem } from './input-error';
import { digestMessage, digestRow, messageReader, RowDigests } from './row-digests';
import { type RowsOptions, type RowValues, readRows } from './row-reader';

/**
 * Reads all rows once and checks them, before anything is sent.
 *
 * @throws {InputError} that has everything that is wrong
 */
export async function checkRows(options: RowsOptions): Promise<RowDigests> {
  const problems = new ProblemList();
  const digests = new RowDigests();
  const keyOf = messageReader(options.operation);
  const dateIndex = bulkFields(options.operation).findIndex(({ name }) => name === 'unixdate');
  for await (const chunk of readRows(options, problems.add)) {
    // A wrong row ends it all; only what else is wrong is still of interest.
    if (problems.count > 0) continue;
    for (const values of chunk) {
      if (values) digests.add(digestRow(values), digestMessage(keyOf(values)), values[dateIndex] ?? null);
    }
  }
  problems.check();
  return digests;
}

/** The values of a row that is read again. @throws {InputError} when they are not what was checked */
export function checkUnchanged(values: RowValues | undefined, row: number, digests: RowDigests): RowValues {
  if (values === undefined || digestRow(values) !== digests.row(row)) throw inputHasChanged(row);
  return values;
}

export function inputHasChanged(row: number | undefined): InputError {
  return new InputError([{ row, message: 'the input has changed since it was checked' }], 1);
}

/** Gathers problems, and keeps no more than an InputError shows. */
class ProblemList {
  readonly #problems: Problem[] = [];
  count = 0;

  readonly add = (problem: Problem): void => {
    this.count += 1;
    if (this.#problems.length < MAX_PROBLEMS) this.#problems.push(problem);
  };

  /** @throws {InputError} when there are any */
  check(): void {
    if (this.count > 0) throw new InputError(this.#problems, this.count);
  }
}
