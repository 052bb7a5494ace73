/** Rows from the first to the last, both counted from 1. */
export type RowRange = readonly [from: number, to: number];

/** How the service's messages are listed: the latest ones, or those between two dates. */
export type Listing =
  | { readonly pagesize: number }
  | { readonly startUnixdate: bigint | number; readonly endUnixdate: bigint | number };

/** What the rows were planned with. Texts and numbers are in the fingerprint alone. */
export interface PlanOptions {
  readonly operation: 'sendSimple' | 'sendArray';
  readonly batchSize: number;
  readonly idsInOrder: boolean;
  readonly startWithinMs: number;
}

/** The process that has the journal open. */
export interface ProcessIdentity {
  readonly pid: number;
  readonly host: string;
  /** When the process was started, as its system says; null where the system does not say. */
  readonly start: string | null;
}

/** Who opened a journal. */
export interface Holder extends ProcessIdentity {
  /** Names one opening. */
  readonly run: string;
}

/** A line of the journal. Ids are decimal texts, times are milliseconds since 1970. */
export type JournalRecord =
  | ({ readonly t: 'open' } & Holder)
  | { readonly t: 'close' }
  | {
      readonly t: 'bulk';
      readonly v: 1;
      readonly sha256: string;
      readonly rows: number;
      readonly options: PlanOptions;
    }
  | BaselineRecord
  | IntentRecord
  | OutcomeRecord
  | { readonly t: 'found'; readonly row: number; readonly id: string }
  /** What the last sound reconciliation did not find: a finding, not a state. */
  | { readonly t: 'not-found'; readonly rows: readonly RowRange[] }
  | { readonly t: 'again'; readonly rows: readonly RowRange[] };

/** The messages that the service listed before anything was sent. */
export interface BaselineRecord {
  readonly t: 'baseline';
  readonly ids: readonly string[];
  /** Numbers are decimal texts. */
  readonly listing: { readonly [option: string]: string };
}

/** That a batch is about to be sent. */
export interface IntentRecord {
  readonly t: 'intent';
  readonly n: number;
  readonly rows: RowRange;
  readonly at: number;
  /** That a worker will send it: it stays under way when the process that wrote this has ended. */
  readonly queued?: true | undefined;
}

/** What became of a batch. */
export type OutcomeRecord =
  | { readonly t: 'sent'; readonly n: number; readonly ids: readonly string[] }
  | {
      readonly t: 'not-sent' | 'rejected' | 'unknown';
      readonly n: number;
      readonly error: string;
      /**
       * When its outcome was known, or asked for if a worker sent it: a request whose outcome is unknown settles from then on.
       */
      readonly at?: number | undefined;
    };

export function formatRecord(record: JournalRecord): string {
  return `${JSON.stringify(record)}\n`;
}

const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 0;
const isRange = (value: unknown): boolean => Array.isArray(value) && value.length === 2 && value.every(isCount);
const isRanges = (value: unknown): boolean => Array.isArray(value) && value.every(isRange);
const isId = (value: unknown): boolean => typeof value === 'string' && /^-?\d{1,19}$/.test(value);
const isIds = (value: unknown): boolean => Array.isArray(value) && value.every(isId);
const isText = (value: unknown): boolean => typeof value === 'string';
const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null;
const isAbsentOr = (fits: (value: unknown) => boolean) => (value: unknown) => value === undefined || fits(value);
const isOutcome = { n: isCount, error: isText, at: isAbsentOr(isCount) };

const shapes: { readonly [T in JournalRecord['t']]: Readonly<Record<string, (value: unknown) => boolean>> } = {
  open: { run: isText, pid: isCount, host: isText, start: (value) => value === null || isText(value) },
  close: {},
  bulk: { v: (value) => value === 1, sha256: isText, rows: isCount, options: isObject },
  baseline: { ids: isIds, listing: isObject },
  intent: { n: isCount, rows: isRange, at: isCount, queued: isAbsentOr((value) => value === true) },
  sent: { n: isCount, ids: isIds },
  'not-sent': isOutcome,
  rejected: isOutcome,
  unknown: isOutcome,
  found: { row: isCount, id: isId },
  'not-found': { rows: isRanges },
  again: { rows: isRanges },
};

/** The record of a line, or undefined if the line is none. */
export function parseRecord(line: string): JournalRecord | undefined {
  let record: Record<string, unknown>;
  try {
    record = JSON.parse(line);
  } catch {
    return undefined;
  }
  if (!isObject(record) || !Object.hasOwn(shapes, record.t as string)) return undefined;
  const shape = Object.entries(shapes[record.t as JournalRecord['t']]);
  return shape.every(([name, fits]) => fits(record[name])) ? (record as unknown as JournalRecord) : undefined;
}
