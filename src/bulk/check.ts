import { describeText } from '../messages/describe-text';
import { excludedRows, indistinguishableRows, markRows, repeatedRows } from './excluded-rows';
import { type RowOptions, resolveList } from './options';
import { CheckedRows } from './rows/checked-rows';
import { digestMessage, messageReader } from './rows/digests';
import { equalRows } from './rows/equal-rows';
import { InputError } from './rows/input-error';
import { isPlainReceptor, receptorKey } from './rows/receptors';
import { planBatches, requestOf } from './sending/batches';

/** Rows with something that may be a mistake. */
export interface RowSample {
  readonly count: number;
  /** The first ones, at most five. */
  readonly rows: readonly number[];
}

/** The result of a check of rows that were not sent. */
export interface CheckedList {
  /** The number of all rows. */
  readonly rows: number;
  /** The number of requests that would be sent. */
  readonly batches: number;
  /** The number of parts of all messages that would be sent, as networks commonly count them: see `describeText`. */
  readonly parts: number;
  /** The row with the longest text, and its parts; undefined when no row would be sent. */
  readonly longest: { readonly row: number; readonly parts: number; readonly characters: number } | undefined;
  /** The first request as it would be sent, by the contract's names. */
  readonly first: Readonly<Record<string, unknown>> | undefined;
  /** Rows that `exclude` and `skipDuplicates` leave out. */
  readonly excluded: RowSample;
  /** Rows that repeat the sender, receptor and text of an earlier row. */
  readonly duplicates: RowSample;
  /** Rows with the receptor and the text of another row, however they are written. Only a person can decide them after a lost response. */
  readonly indistinguishable: RowSample;
  /** Rows whose receptor is not digits, with a plus sign before them or without. */
  readonly strangeReceptors: RowSample;
  /** Rows with the receptor of an earlier row in another writing. */
  readonly rewrittenReceptors: RowSample;
}

/**
 * Checks rows as `openBulk` does, counts them and their requests, and notices what may be a mistake. It makes no journal.
 *
 * @throws {ConfigurationError | InputError}
 */
export async function checkBulk(options: RowOptions): Promise<CheckedList> {
  const { source, plan, exclude, skipDuplicates } = resolveList(options);
  const rows = await CheckedRows.check(source);
  const { count } = rows.digests;
  if (count === 0) throw new InputError([{ row: undefined, message: 'the list has no rows' }]);
  const isExcluded = markRows(await excludedRows(rows, { exclude, skipDuplicates }), count);
  let longest: CheckedList['longest'];
  let batches = 0;
  let parts = 0;
  const readMessage = messageReader(plan.operation);
  let first: CheckedList['first'];
  for await (const batch of planBatches(rows, plan, (row) => isExcluded[row] === 0)) {
    first ??= requestOf(plan.operation, batch.rows);
    batches += 1;
    for (const [index, values] of batch.rows.entries()) {
      const text = describeText(readMessage(values).message ?? '');
      parts += text.parts;
      if (text.characters <= (longest?.characters ?? -1)) continue;
      longest = { row: batch.range[0] + index, parts: text.parts, characters: text.characters };
    }
  }
  const { strange, rewritten } = await checkReceptors(rows);
  const excluded = Array.from(isExcluded.keys()).filter((row) => isExcluded[row] === 1);
  return {
    rows: count,
    batches,
    parts,
    longest,
    first,
    excluded: sampleOf(excluded),
    duplicates: sampleOf(repeatedRows(rows)),
    indistinguishable: sampleOf(indistinguishableRows(rows, (row) => isExcluded[row] === 1)),
    strangeReceptors: sampleOf(strange),
    rewrittenReceptors: sampleOf(rewritten),
  };
}

function sampleOf(rows: number[]): RowSample {
  return { count: rows.length, rows: rows.sort((a, b) => a - b).slice(0, 5) };
}

async function checkReceptors(rows: CheckedRows): Promise<{ strange: number[]; rewritten: number[] }> {
  const { count } = rows.digests;
  const [keys, texts] = [new BigUint64Array(count), new BigUint64Array(count)];
  const strange: number[] = [];
  const read = messageReader(rows.operation);
  let row = 0;
  for await (const chunk of rows.read()) {
    for (const values of chunk) {
      const receptor = read(rows.checkUnchanged(values, row + 1)).receptor ?? '';
      keys[row] = digestMessage({ receptor: receptorKey(receptor) });
      texts[row] = digestMessage({ receptor });
      row += 1;
      if (!isPlainReceptor(receptor)) strange.push(row);
    }
  }
  const rewritten = equalRows(count, (each) => keys[each - 1]).flatMap(([first = 0, ...others]) =>
    others.filter((other) => texts[other - 1] !== texts[first - 1]),
  );
  return { strange, rewritten };
}
