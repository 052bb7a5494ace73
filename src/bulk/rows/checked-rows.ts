import { describeText } from '../../messages/describe-text';
import { digestLikeness, digestMessage, digestRow, messageReader, RowDigests } from './digests';
import type { BulkOperation } from './fields';
import { InputError, InputProblems } from './input-error';
import { type RowSource, type RowValues, readRawRows, readRows } from './reader';

/** The number of senders that are kept. */
const MAX_SENDERS = 1000;

/** The rows of an input as they were checked. They are not kept: their digests show whether the input has changed since. */
export class CheckedRows {
  /** The number of parts of all messages, as networks commonly count them, and the first thousand senders, where they were counted. */
  parts = 0;
  readonly senders = new Set<string | null>();
  readonly digests = new RowDigests();
  readonly #source: RowSource;

  private constructor(source: RowSource) {
    this.#source = source;
  }

  get operation(): BulkOperation {
    return this.#source.operation;
  }

  /**
   * Reads all rows once and checks them.
   *
   * @param counts true counts parts and senders too, which takes a few seconds for a million rows
   * @throws {InputError} with everything that is wrong; a list without rows is wrong too
   */
  static async check(source: RowSource, counts = false): Promise<CheckedRows> {
    const problems = new InputProblems();
    const checked = new CheckedRows(source);
    const { digests, senders } = checked;
    const messageOf = messageReader(source.operation);
    for await (const chunk of readRows(source, problems.add)) {
      // After the first wrong row, only further problems are of interest.
      if (problems.count > 0) continue;
      for (const values of chunk) {
        if (values === undefined) continue;
        const message = messageOf(values);
        digests.add(digestRow(values), digestMessage(message), digestLikeness(message));
        if (!counts) continue;
        checked.parts += describeText(message.message ?? '').parts;
        if (senders.size < MAX_SENDERS) senders.add(message.sender ?? null);
      }
    }
    if (problems.count === 0 && digests.count === 0) problems.add({ row: undefined, message: 'the list has no rows' });
    problems.check();
    return checked;
  }

  /** Reads the rows again, without a comparison with their digests. */
  read(): AsyncIterable<readonly (RowValues | undefined)[]> {
    return readRows(this.#source);
  }

  /** Reads the rows again, as they were given and as they are sent. */
  readRaw(): ReturnType<typeof readRawRows> {
    return readRawRows(this.#source);
  }

  /** Returns the values of a row that was read again. @throws {InputError} when the row has changed since it was checked */
  checkUnchanged(values: RowValues | undefined, row: number): RowValues {
    if (values === undefined || digestRow(values) !== this.digests.row(row)) throw inputHasChanged(row);
    return values;
  }

  /** @param total the number of rows that were read again @throws {InputError} when rows are missing */
  checkTotal(total: number): void {
    if (total !== this.digests.count) throw inputHasChanged(undefined);
  }
}

function inputHasChanged(row: number | undefined): InputError {
  return new InputError([{ row, message: 'the file has changed since it was checked' }]);
}
