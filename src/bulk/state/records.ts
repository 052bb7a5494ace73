import { type Check, isId, isIds, isText, readShape } from '../../journal/record-shape';
import type { JournalRecord } from '../../journal/records';
import { type PlanOptions, readPlan } from './plan';

/** Rows from the first to the last, both counted from 1. */
export type RowRange = readonly [from: number, to: number];

/** A way to list the service's messages: the latest ones, or those between two dates. */
export type Listing =
  | { readonly pagesize: number }
  | {
      readonly startUnixdate: bigint | number;
      readonly endUnixdate: bigint | number;
      /** The unit of the service's dates. A baseline needs it, so that a later listing can end after now. */
      readonly dates?: 'seconds' | 'milliseconds' | undefined;
    };

/** A record of a list of rows. Ids are decimal texts, times are milliseconds since 1970. */
export type BulkRecord =
  | ListRecord
  | BaselineRecord
  | IntentRecord
  | OutcomeRecord
  | ExcludedRecord
  /** A row was sent. An operator may know this without an id. */
  | { readonly t: 'found'; readonly row: number; readonly id?: string | undefined }
  /** Rows that the service provably does not have: a finding, not a state. */
  | { readonly t: 'not-found'; readonly ranges: readonly RowRange[] }
  /** A reconciliation has waited until no request of an unknown row can be under way. */
  | { readonly t: 'settled' }
  /** Rows that become pending again. */
  | { readonly t: 'retry'; readonly ranges: readonly RowRange[] };

/** The rows that a journal belongs to. Texts and phone numbers are in the fingerprint only. */
export interface ListRecord {
  readonly t: 'bulk';
  readonly sha256: string;
  readonly total: number;
  readonly options: PlanOptions;
}

/** The messages that the service listed before anything was sent. */
export interface BaselineRecord {
  readonly t: 'baseline';
  readonly ids: readonly string[];
  /** Numbers are decimal texts. */
  readonly listing: { readonly [option: string]: string };
}

/** Written before a batch is sent. */
export interface IntentRecord {
  readonly t: 'intent';
  /** The number of the batch. */
  readonly n: number;
  readonly range: RowRange;
  readonly at: number;
  /** True if a worker will send the batch: it stays under way when the process that wrote this has ended. */
  readonly queued?: true | undefined;
}

/** Rows that an option leaves out, if they are pending. */
export interface ExcludedRecord {
  readonly t: 'excluded';
  readonly ranges: readonly RowRange[];
  /** The reason, in a few words. */
  readonly error: string;
}

/** The outcome of a batch. */
export type OutcomeRecord =
  | { readonly t: 'sent'; readonly n: number; readonly ids: readonly string[] }
  | {
      readonly t: 'not-sent' | 'rejected' | 'unknown';
      readonly n: number;
      readonly error: string;
      /** The time at which the outcome was known or, if a worker sent the batch, was asked for. */
      readonly at?: number | undefined;
    };

const isCount: Check = (value) => Number.isSafeInteger(value) && (value as number) >= 0;
const isRange: Check = (value) => Array.isArray(value) && value.length === 2 && value.every(isCount);
const isRanges: Check = (value) => Array.isArray(value) && value.every(isRange);
const isTexts: Check = (value) => typeof value === 'object' && value !== null && Object.values(value).every(isText);
const isAbsentOr = (fits: Check) => (value: unknown) => value === undefined || fits(value);
const isOutcome = { n: isCount, error: isText, at: isAbsentOr(isCount) };

const shapes: { readonly [T in BulkRecord['t']]: Readonly<Record<string, Check>> } = {
  bulk: { sha256: isText, total: isCount, options: (value) => readPlan(value) !== undefined },
  baseline: { ids: isIds, listing: isTexts },
  intent: { n: isCount, range: isRange, at: isCount, queued: isAbsentOr((value) => value === true) },
  sent: { n: isCount, ids: isIds },
  'not-sent': isOutcome,
  rejected: isOutcome,
  unknown: isOutcome,
  excluded: { ranges: isRanges, error: isText },
  found: { row: isCount, id: isAbsentOr(isId) },
  settled: {},
  'not-found': { ranges: isRanges },
  retry: { ranges: isRanges },
};

/** Reads a record that was parsed from JSON; undefined for a value that is no record. */
export function readRecord(value: JournalRecord): BulkRecord | undefined {
  return readShape<BulkRecord>(shapes, renameOld(value));
}

/** Journals of version 1.0 used the name `rows` for a number, for a range and for ranges, and `again` for `retry`. */
function renameOld(record: JournalRecord & { readonly rows?: unknown }): JournalRecord {
  if (record.rows === undefined) return record;
  const { t, rows, ...others } = record;
  if (t === 'bulk') return { ...others, t, total: rows } as JournalRecord;
  if (t === 'intent') return { ...others, t, range: rows } as JournalRecord;
  // Version 1.0 concluded from absence alone, so its findings do not hold.
  if (t === 'not-found') return { ...others, t, ranges: [] } as JournalRecord;
  return { ...others, t: t === 'again' ? 'retry' : t, ranges: rows } as JournalRecord;
}

/** Joins rows in ascending order to ranges. */
export function rangesOf(rows: Iterable<number>): RowRange[] {
  const ranges: [number, number][] = [];
  for (const row of rows) {
    const last = ranges.at(-1);
    if (last && last[1] === row - 1) last[1] = row;
    else ranges.push([row, row]);
  }
  return ranges;
}
