import { digestTexts, messageReader } from '../rows/digests';
import { bulkFields } from '../rows/fields';
import { receptorLikeness, textLikeness } from '../rows/likeness';
import type { RowValues } from '../rows/reader';
import type { OpenList } from '../state/bulk-journal';
import type { RowStates } from '../state/row-table';
import { IdIndex } from './id-index';

/** A row whose outcome is to be decided. */
export interface UnknownRow {
  readonly row: number;
  /** True when another row of the file is alike. */
  readonly isAlike: boolean;
  readonly sender: string | null;
  /** The digest of sender, receptor and text. */
  readonly message: bigint;
  /** The digest of sender, date and mode. */
  readonly kind: bigint;
  /** The digests of the receptor's last digits, and of the text without blanks. */
  readonly receptor: bigint;
  readonly text: bigint;
  /** The place in the journal of the first intent to send the row. */
  readonly firstIntent: number;
  /** The place in the journal of the first recorded wait after the last intent to send the row. */
  readonly settled: number;
}

/** The messages that the service listed before the first row was sent. */
export interface Baseline {
  readonly count: number;
  /** True for a listing of the latest messages, false for one by dates. */
  readonly isPage: boolean;
  /** True when the service may have had more messages than it listed. */
  readonly isFull: boolean;
  readonly index: IdIndex;
}

/** The facts about the rows that the journal and the input have. Rows are counted from 1. */
export interface Facts {
  readonly rows: readonly UnknownRow[];
  readonly baseline: Baseline | undefined;
  readonly table: RowStates;
  readonly idsInOrder: boolean;
  /** The digest of a row's sender, receptor and text. */
  message(row: number): bigint;
  /** The digest of a row's sender, date and mode. */
  kind(row: number): bigint;
}

/** Reads the input once more, because it is not kept. @throws {InputError} when it has changed */
export async function readFacts({ plan, rows, journal }: OpenList): Promise<Facts> {
  const { table } = journal.state;
  const keyOf = messageReader(plan.operation);
  const kindOf = kindReader(plan.operation);
  const kinds = new BigUint64Array(table.total);
  const found: Omit<UnknownRow, 'isAlike'>[] = [];
  let row = 0;
  for await (const chunk of rows.read()) {
    for (const values of chunk) {
      row += 1;
      const state = table.state(row);
      if (state !== 'sent' && state !== 'unknown') continue;
      const checked = rows.checkUnchanged(values, row);
      kinds[row - 1] = kindOf(checked);
      if (state === 'sent' || table.isMissing(row)) continue;
      const { sender = null, receptor, message } = keyOf(checked);
      found.push({
        row,
        sender,
        message: rows.digests.message(row),
        kind: kinds[row - 1] as bigint,
        receptor: digestTexts(receptorLikeness(receptor)),
        text: digestTexts(textLikeness(message)),
        firstIntent: table.firstIntent(row),
        settled: journal.state.waitAfter(table.intent(row)) ?? Number.POSITIVE_INFINITY,
      });
    }
  }
  rows.checkTotal(row);
  const alike = countAlike(rows.digests, table, found);
  return {
    rows: found.map((each) => ({ ...each, isAlike: (alike.get(rows.digests.likeness(each.row)) as number) > 1 })),
    baseline: baselineOf(journal.state.baseline),
    table,
    idsInOrder: plan.idsInOrder,
    message: (of) => rows.digests.message(of),
    kind: (of) => kinds[of - 1] as bigint,
  };
}

/** Counts the rows that are like an unknown row, itself included. A row that was left out of every request has no message. */
function countAlike(
  digests: OpenList['rows']['digests'],
  table: RowStates,
  unknown: readonly { readonly row: number }[],
): ReadonlyMap<bigint, number> {
  const counts = new Map(unknown.map(({ row }) => [digests.likeness(row), 0]));
  for (let row = 1; row <= digests.count; row++) {
    if (table.state(row) === 'excluded' && table.firstIntent(row) === 0) continue;
    const likeness = digests.likeness(row);
    const count = counts.get(likeness);
    if (count !== undefined) counts.set(likeness, count + 1);
  }
  return counts;
}

function kindReader(operation: OpenList['plan']['operation']): (values: RowValues) => bigint {
  const names = bulkFields(operation).map(({ name }) => name);
  const indexes = ['sender', 'unixdate', 'msgmode'].map((name) => names.indexOf(name));
  return (values) => digestTexts(...indexes.map((index) => JSON.stringify(String(values[index]))));
}

function baselineOf(record: OpenList['journal']['state']['baseline']): Baseline | undefined {
  if (record === undefined) return undefined;
  const { ids, listing } = record;
  const isPage = listing.pagesize !== undefined;
  return {
    count: ids.length,
    isPage,
    isFull: !isPage || ids.length >= Number(listing.pagesize),
    index: new IdIndex(BigInt64Array.from(ids, BigInt)),
  };
}
