import {
  type JournalRecord,
  type RecordTables,
  readIdText,
  readIdTexts,
  readPlainText,
  recordReader,
} from '../../journal/records';
import { oneOf, trueOrFalse, wholeNumber } from '../../options/checks';
import { isObject, readOptions, refuseValue } from '../../options/table';
import { type PlanOptions, planOptions } from './plan';

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

/** Texts by name. */
export type Texts = Readonly<Record<string, string>>;

/** A record of a list of rows. Ids are decimal texts, times are milliseconds since 1970. */
export type BulkRecord =
  | ListRecord
  | BaselineRecord
  | IntentRecord
  | OutcomeRecord
  | QueueRecord
  /** The file from which later commands read the API key. */
  | { readonly t: 'key-file'; readonly path: string }
  /** A row was sent. An operator may know this without an id. */
  | { readonly t: 'found'; readonly row: number; readonly id?: string | undefined }
  /** Unknown rows that the service provably does not have. They are pending again. */
  | { readonly t: 'not-found'; readonly ranges: readonly RowRange[] }
  /** Unknown rows that a reconciliation could not decide, and the reason. */
  | { readonly t: 'undecided'; readonly ranges: readonly RowRange[]; readonly reason: string }
  | MovedRecord
  /** Rows that become pending again because an operator says so. */
  | { readonly t: 'retry'; readonly ranges: readonly RowRange[] };

/** A value of a field for all rows. JSON has no bigint, so a long is a decimal text. */
type RecordedValue = string | number | boolean | null;

/** The beginning of a list. While nothing of a list may have been sent, another record begins it anew. */
export interface ListRecord {
  readonly t: 'list';
  /** The fingerprint of the rows as they are sent. */
  readonly sha256: string;
  readonly total: number;
  readonly plan: PlanOptions;
  /** The values for all rows, with every text as it was given. */
  readonly fields: Readonly<Record<string, RecordedValue>>;
  readonly defaults: Readonly<Record<string, RecordedValue>>;
  /** True when the operator wants no baseline. Otherwise its record follows. */
  readonly noBaseline?: boolean | undefined;
  /** The service, the profile, the path of the key file and the proxy, as the command's settings name them; no secret. */
  readonly service?: Texts | undefined;
}

/** The messages that the service listed before anything was sent. */
export interface BaselineRecord {
  readonly t: 'baseline';
  readonly ids: readonly string[];
  /** Numbers are decimal texts. */
  readonly listing: Texts;
}

/** Written before a batch is sent. */
export interface IntentRecord {
  readonly t: 'intent';
  /** The number of the batch. */
  readonly n: number;
  readonly range: RowRange;
  readonly at: number;
  /** True if a worker will send the batch: it stays under way when the process that wrote this has ended. */
  readonly queued?: boolean | undefined;
}

/** The queue that has rows of the list, for the command that collects them. */
export interface QueueRecord {
  readonly t: 'queue';
  /** The URL of Redis without its password. */
  readonly redis: string;
  /** True when the URL had a password, which a later command needs too. */
  readonly hasPassword?: boolean | undefined;
  readonly replicas: number;
  readonly acceptLoss: boolean;
}

/** Pending or rejected rows that are in a list of their own now. */
export interface MovedRecord {
  readonly t: 'moved';
  readonly ranges: readonly RowRange[];
  /** The absolute path of the CSV file that has them. */
  readonly to: string;
}

/** The outcome of a batch. */
export type OutcomeRecord =
  | { readonly t: 'sent'; readonly n: number; readonly ids: readonly string[] }
  | {
      readonly t: 'not-sent' | 'rejected' | 'unknown';
      readonly n: number;
      readonly error: string;
      /** The kind of a response that refused the batch, for `retry`: `412`, `http-404` or `fault`. */
      readonly refusal?: string | undefined;
      /** True when one response refused several rows: nothing says which of them is wrong. */
      readonly together?: boolean | undefined;
      /** The time at which the outcome was known or, if a worker sent the batch, was asked for. */
      readonly at?: number | undefined;
    };

const text = { read: readPlainText, default: '' } as const;
const count = { read: wholeNumber(0), required: true } as const;
const time = { read: wholeNumber(0) } as const;
const mark = { read: trueOrFalse } as const;
const ids = { read: readIdTexts, required: true } as const;
const ranges = { read: readRanges, required: true } as const;
const texts = { read: readTexts } as const;
const values = { read: readRecordedValues, required: true } as const;
const failure = { n: count, error: text, refusal: { read: readPlainText }, together: mark, at: time } as const;

const tables: RecordTables<BulkRecord> = {
  list: {
    sha256: text,
    total: count,
    plan: { read: readPlan, required: true },
    fields: values,
    defaults: values,
    noBaseline: mark,
    service: texts,
  },
  baseline: { ids, listing: { ...texts, required: true } },
  intent: { n: count, range: { read: readRange, required: true }, at: time, queued: mark },
  sent: { n: count, ids },
  'not-sent': failure,
  rejected: failure,
  unknown: failure,
  queue: {
    redis: { read: readPlainText, required: true },
    hasPassword: mark,
    replicas: count,
    acceptLoss: { ...mark, required: true },
  },
  'key-file': { path: { read: readPlainText, required: true } },
  found: { row: count, id: { read: readIdText } },
  'not-found': { ranges },
  undecided: { ranges, reason: text },
  moved: { ranges, to: { read: readPlainText, required: true } },
  retry: { ranges },
};

/** Reads a record that was parsed from JSON; undefined for a value that is no record. */
export const readRecord: (value: JournalRecord) => BulkRecord | undefined = recordReader<BulkRecord>(tables);

function readPlan(value: unknown): PlanOptions {
  return readOptions(planOptions, value);
}

function readRange(value: unknown): RowRange {
  const isCount = (each: unknown) => Number.isSafeInteger(each) && (each as number) >= 0;
  const isRange = Array.isArray(value) && value.length === 2 && value.every(isCount);
  return isRange ? (value as unknown as RowRange) : refuseValue('two rows are needed');
}

function readRanges(value: unknown): readonly RowRange[] {
  return Array.isArray(value) ? value.map(readRange) : refuseValue('a list of ranges is needed');
}

function readTexts(value: unknown): Texts {
  if (!isObject(value)) return refuseValue('an object is needed');
  for (const each of Object.values(value)) readPlainText(each);
  return value as Texts;
}

const scalarTypes = ['string', 'number', 'boolean'] as const;

function readRecordedValues(value: unknown): ListRecord['fields'] {
  if (!isObject(value)) return refuseValue('an object is needed');
  for (const each of Object.values(value)) if (each !== null) oneOf(scalarTypes)(typeof each);
  return value as ListRecord['fields'];
}

/** Joins rows in ascending order to ranges. */
export function rangesOf(rows: Iterable<number>): RowRange[] {
  const joined: [number, number][] = [];
  for (const row of rows) {
    const last = joined.at(-1);
    if (last && last[1] === row - 1) last[1] = row;
    else joined.push([row, row]);
  }
  return joined;
}
