import { type JournalRecord, type RecordsOf, readIdText, readPlainText, recordReader } from '../../journal/records';
import { trueOrFalse, wholeNumber } from '../../options/checks';
import { isObject, listOf, type OptionTable, readOptions, refuseValue } from '../../options/table';
import { type PlanOptions, planOptions } from './plan';

/** Rows from the first to the last, both counted from 1. */
export type RowRange = readonly [from: number, to: number];

export type Texts = Readonly<Record<string, string>>;

const text = { read: readPlainText, default: '' } as const;
const count = { read: wholeNumber(0), required: true } as const;
const time = { read: wholeNumber(0) } as const;
const mark = { read: trueOrFalse } as const;
const ids = { read: listOf(readIdText), required: true } as const;
const ranges = { read: readRanges, required: true } as const;
const values = { read: objectOf(readScalar), required: true } as const;

/** The fields of an outcome that a worker has reported. */
const work = {
  /** The mark of the account with which the batch was sent; undefined for that of the list. */
  account: { read: readPlainText },
  /** The places of its claim and of its outcome in the order of all claims and outcomes of its opening. */
  ticks: { read: readRange },
} as const;

const failure = {
  n: count,
  ...work,
  error: text,
  /** The kind of a response that refused the batch, for `retry`: `412`, `http-404` or `fault`. */
  refusal: { read: readPlainText },
  /** True when one response refused several rows: nothing says which of them is wrong. */
  refusedTogether: mark,
  /** True when Redis has lost the claim of the worker that may have sent the rows. */
  lost: mark,
  /** True when the worker was silent: its outcome may still come, and then counts. */
  silent: mark,
} as const;

/** The records of a list, with the checks of their values. Ids are decimal texts, times milliseconds since 1970. */
const tables = {
  /** The beginning of a list. While nothing of a list may have been sent, another record begins it anew. */
  list: {
    /** Ten random digits, with which the ids that the program makes begin. */
    id: text,
    /** The fingerprint of the values of all rows. */
    sha256: text,
    total: count,
    plan: { read: readPlan, required: true },
    /** The names of the fields that the operation had when the list began. The contract may have others since. */
    names: { read: listOf(readPlainText) },
    /** The values for all rows, with every text as it was given. */
    fields: values,
    defaults: values,
    /** The base URL and the namespace; undefined for a list that a program began without them. */
    service: { read: objectOf(readPlainText) },
  },
  /**
   * The digests of the messages of up to 4,096 rows, from a row on, in base64. They follow the list record. A list
   * without the digests of all rows was not begun.
   */
  digests: { from: count, data: { read: readPlainText, required: true } },
  /** The ids of messages that earlier lists of the file have sent. */
  known: { ids },
  /** The ids of messages that other lists have sent, and that are equal to messages of open rows. */
  elsewhere: { ids },
  /** Rows that the earlier list of the file had as rejected, and that have not changed. */
  'known-rejected': { ranges, error: text, refusal: { read: readPlainText }, refusedTogether: mark },
  /** Rows that this list does not send, and the reason. */
  'left-out': {
    ranges,
    reason: text,
    /** True when the person has another text of the earlier list. */
    corrected: mark,
  },
  /** A journal of the folder that cannot be read, and with which this list is not compared. */
  without: { journal: text },
  /** Another list takes the place of this one, which never sends again. */
  replaced: { by: text },
  /**
   * How the service is reached, and the limits that were last given, as the command's settings name them; no secret.
   * The last record counts. It never begins a list anew.
   */
  settings: { texts: { read: objectOf(readPlainText), required: true } },
  /** The service has moved: its base URL and namespace from here on. */
  service: { texts: { read: objectOf(readPlainText), required: true } },
  /** A mark of the account of the service, from which the account cannot be read. It counts for what follows. */
  account: { mark: text },
  /** The latest messages of the service before anything was sent. A page size of 0 is no baseline. */
  baseline: { ids, pagesize: count },
  /**
   * Written before a batch is sent. A queued batch stays under way when the process that wrote this has ended. A repeat
   * sends a row that is unknown, with the id that it had.
   */
  intent: { n: count, range: { read: readRange, required: true }, at: time, queued: mark, repeat: mark },
  sent: { n: count, ids, ...work },
  'not-sent': failure,
  rejected: failure,
  unknown: failure,
  /** The queue that has rows of the list, for the command that collects them. */
  queue: {
    /** The name of the queue in BullMQ. */
    name: { read: readPlainText },
    /** The URL of Redis without its password. */
    redis: { read: readPlainText, required: true },
    /** True when the URL had a password, which a later command needs too. */
    hasPassword: mark,
    replicas: count,
    /** True when the user accepted that this Redis may lose data. */
    acceptLoss: { ...mark, required: true },
  },
  /** A row was sent. An operator may know this without an id. */
  'known-sent': { row: count, id: { read: readIdText } },
  /** Unknown rows that the service provably does not have. They are pending again. */
  'not-found': { ranges },
  /** Unknown rows that a reconciliation could not decide, and the reason. */
  undecided: {
    ranges,
    reason: text,
    /** True when rows are looked for again, because another list has to come to its end first. */
    again: mark,
  },
  /** Rows that become pending again because an operator says so. */
  pending: { ranges },
} as const satisfies Readonly<Record<string, OptionTable>>;

type Records = RecordsOf<typeof tables>;
export type BulkRecord = Records[keyof Records];
export type ListRecord = Records['list'];
export type BaselineRecord = Records['baseline'];
export type IntentRecord = Records['intent'];
/** The outcome of a batch. */
export type OutcomeRecord = Records['sent' | 'not-sent' | 'rejected' | 'unknown'];
export type QueueRecord = Records['queue'];

export const readRecord: (value: JournalRecord) => BulkRecord | undefined = recordReader<BulkRecord>(tables);

function readPlan(value: unknown): PlanOptions {
  return readOptions(planOptions, value);
}

function readRange(value: unknown): RowRange {
  const isRow = (each: unknown) => Number.isSafeInteger(each) && (each as number) >= 1;
  const isRange = Array.isArray(value) && value.length === 2 && value.every(isRow) && value[0] <= value[1];
  return isRange ? (value as unknown as RowRange) : refuseValue(NO_RANGES);
}

const NO_RANGES = 'a list of ranges such as [[1, 3]] is needed';

export function readRanges(value: unknown): readonly RowRange[] {
  return Array.isArray(value) ? value.map(readRange) : refuseValue(NO_RANGES);
}

/** Makes a reader of an object. */
function objectOf<T>(read: (value: unknown) => T): (value: unknown) => Readonly<Record<string, T>> {
  return (value) => {
    if (!isObject(value)) return refuseValue('an object is needed');
    for (const each of Object.values(value)) read(each);
    return value as Readonly<Record<string, T>>;
  };
}

/** Reads a value of a field for all rows. JSON has no bigint, so a long is a decimal text. */
function readScalar(value: unknown): string | number | boolean | null {
  const isScalar = value === null || ['string', 'number', 'boolean'].includes(typeof value);
  return isScalar ? (value as string) : refuseValue('a text, a number, true, false or null is needed');
}

/** Joins rows to ranges in ascending order. */
export function rangesOf(rows: Iterable<number>): RowRange[] {
  const joined: [number, number][] = [];
  for (const row of [...rows].sort((a, b) => a - b)) {
    const last = joined.at(-1);
    if (last && last[1] === row - 1) last[1] = row;
    else joined.push([row, row]);
  }
  return joined;
}

/** The number of rows of a range. */
export function rowsIn([from, to]: RowRange): number {
  return to - from + 1;
}

/** The number of rows of batches. */
export function countRows(batches: Iterable<{ readonly range: RowRange }>): number {
  let rows = 0;
  for (const { range } of batches) rows += rowsIn(range);
  return rows;
}

export function* rowsOf(ranges: Iterable<RowRange>): Generator<number> {
  for (const [from, to] of ranges) for (let row = from; row <= to; row++) yield row;
}
