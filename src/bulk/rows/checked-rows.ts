import { createHash } from 'node:crypto';
import type { Signal } from '../../internal/signals';
import { describeText } from '../../messages/describe-text';
import { DigestList, digestRow } from './digests';
import { type BulkOperation, ID_FIELD, type MessageKey, messageReader, type RowField, type RowValues } from './fields';
import { InputError, type InputProblem, MAX_PROBLEMS } from './input-error';
import { MessageDigests } from './message-digests';
import { type OddReceptors, ReceptorForms } from './odd-receptors';
import { type ReadRow, type RowSource, readRows, rowFieldsOf } from './reader';

const MAX_SENDERS = 1000;

/** The checked rows of an input. They are not kept: their digests show whether the input has changed since. */
export class CheckedRows {
  /** The text of the first row. This and all up to `messages` are 0 or empty unless counted. */
  firstText: string | null = null;
  /** The parts of all messages, as networks commonly count. */
  parts = 0;
  /** The row with the longest text. */
  longest = { row: 0, parts: 0, characters: -1 };
  /** The first thousand senders. */
  readonly senders = new Set<string | null>();
  /**
   * The rows that have the receptor and the text of another row, however they are written: after a lost response, a
   * message of one could be that of the other.
   */
  indistinguishable: readonly number[] = [];
  /** The rows whose text has several lines: their number, and the first of them. */
  readonly ofSeveralLines = { count: 0, row: 0 };
  /** The receptors that are not 3 to 15 ASCII digits with at most one leading plus sign. */
  oddReceptors: OddReceptors = { count: 0, first: [] };
  /** The receptors with another number of digits than nearly all others, or without the zero that most begin with. */
  otherLengths: OddReceptors = { count: 0, first: [] };
  readonly messages = new MessageDigests();
  /** True when the program makes an id for each row. */
  makesIds: boolean;
  readonly fields: readonly RowField[];
  /** Picks the message of a row. */
  readonly messageOf: (values: RowValues) => MessageKey;
  readonly #digests = new DigestList();
  readonly #source: RowSource;

  private constructor(source: RowSource) {
    this.#source = source;
    this.fields = rowFieldsOf(source);
    this.messageOf = messageReader(this.fields);
    this.makesIds = this.fields.some(({ name }) => name === ID_FIELD);
  }

  get count(): number {
    return this.#digests.count;
  }

  get operation(): BulkOperation {
    return this.#source.operation;
  }

  /**
   * Reads all rows once and checks them.
   *
   * @param counts true counts and digests what a list shows before it begins, which takes seconds for a million rows
   * @throws {InputError} with everything that is wrong; a list without rows is wrong too
   */
  static async check(source: RowSource, counts = false, signal?: Signal): Promise<CheckedRows> {
    const problems: InputProblem[] = [];
    let wrong = 0;
    const onProblem = (problem: InputProblem): void => {
      wrong += 1;
      if (wrong <= MAX_PROBLEMS) problems.push(problem);
    };
    const checked = new CheckedRows(source);
    const receptors = new ReceptorForms();
    let text: { message?: string | null | undefined; parts: number; characters: number } = describeText('');
    for await (const chunk of readRows(source, onProblem)) {
      signal?.throwIfAborted();
      // After the first wrong row, only further problems are of interest.
      if (wrong > 0) continue;
      for (const { row, values } of chunk) {
        if (values === undefined) continue;
        checked.#digests.add(digestRow(values, checked.fields));
        checked.makesIds &&= values.includes(undefined);
        if (!counts) continue;
        const message = checked.messageOf(values);
        checked.messages.add(message);
        if (row === 1) checked.firstText = message.message ?? null;
        // Neighbouring rows often have the same text, and describing a text takes long.
        if (text.message !== message.message)
          text = { message: message.message, ...describeText(message.message ?? '') };
        if (message.message?.includes('\n') && ++checked.ofSeveralLines.count === 1) checked.ofSeveralLines.row = row;
        receptors.add(row, message.receptor ?? '');
        const { parts, characters } = text;
        checked.parts += parts;
        if (characters > checked.longest.characters) checked.longest = { row, parts, characters };
        if (checked.senders.size < MAX_SENDERS) checked.senders.add(message.sender ?? null);
      }
    }
    if (wrong === 0 && checked.count === 0) onProblem({ message: 'the list has no rows' });
    if (wrong > 0) throw new InputError(problems, wrong);
    checked.indistinguishable = checked.messages.repeated();
    checked.oddReceptors = receptors.notPlain;
    checked.otherLengths = receptors.findOthers();
    return checked;
  }

  /** A digest of the values of all rows. */
  get fingerprint(): string {
    return createHash('sha256').update(this.#digests.all).digest('hex');
  }

  /** Reads the rows again; `valuesOf` compares them. @throws {InputError} at the end, when rows are missing */
  async *read(): AsyncGenerator<readonly ReadRow[]> {
    let count = 0;
    for await (const chunk of readRows(this.#source)) {
      count += chunk.length;
      yield chunk;
    }
    if (count !== this.count) throw inputHasChanged();
  }

  /** The values of a row that was read again. @throws {InputError} when the row has changed since it was checked */
  valuesOf({ row, values }: ReadRow): RowValues {
    if (values === undefined || digestRow(values, this.fields) !== this.#digests.at(row)) throw inputHasChanged(row);
    return values;
  }
}

function inputHasChanged(row?: number): InputError {
  return new InputError([{ row, message: 'the file has changed since it was checked' }]);
}
