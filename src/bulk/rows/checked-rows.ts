import { describeText } from '../../messages/describe-text';
import { digestLikeness, digestMessage, digestRow, messageReader, RowDigests } from './digests';
import type { BulkOperation } from './fields';
import { InputError, InputProblems } from './input-error';
import { type RowSource, type RowValues, readRawRows, readRows } from './reader';

/** The messages of all rows. */
export interface RowSummary {
  /** The number of parts, as networks commonly count them; undefined when they were not counted. */
  readonly parts: number | undefined;
  /** The senders, at most a few of them. */
  readonly senders: ReadonlySet<string | null>;
}

/** The number of senders that are kept. */
const MAX_SENDERS = 1000;

/** The rows of an input as they were checked. They are not kept: their digests show whether the input has changed since. */
export class CheckedRows {
  readonly digests: RowDigests;
  readonly summary: RowSummary;
  readonly #source: RowSource;

  private constructor(source: RowSource, digests: RowDigests, summary: RowSummary) {
    this.#source = source;
    this.digests = digests;
    this.summary = summary;
  }

  get operation(): BulkOperation {
    return this.#source.operation;
  }

  /**
   * Reads all rows once and checks them.
   *
   * @param counts true counts the parts of all messages too, which takes a few seconds for a million rows
   * @throws {InputError} with everything that is wrong
   */
  static async check(source: RowSource, counts = false): Promise<CheckedRows> {
    const problems = new InputProblems();
    const digests = new RowDigests();
    const messageOf = messageReader(source.operation);
    const senders = new Set<string | null>();
    let parts = 0;
    for await (const chunk of readRows(source, problems.add)) {
      // After the first wrong row, only further problems are of interest.
      if (problems.count > 0) continue;
      for (const values of chunk) {
        if (values === undefined) continue;
        const message = messageOf(values);
        digests.add(digestRow(values), digestMessage(message), digestLikeness(message));
        if (!counts) continue;
        parts += describeText(message.message ?? '').parts;
        if (senders.size < MAX_SENDERS) senders.add(message.sender ?? null);
      }
    }
    problems.check();
    return new CheckedRows(source, digests, { parts: counts ? parts : undefined, senders });
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
