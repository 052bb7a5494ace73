import { ConfigurationError } from '../errors';
import { nonEmptyText, oneOf, showValue, trueOrFalse, wholeNumber } from '../internal/option-checks';
import { type OptionTable, type ResolvedOptions, readOptions, refuseValue } from '../internal/option-table';
import { MAX_DELAY_MS } from '../internal/timers';
import type { Listing, PlanOptions } from './journal/records';
import type { ReconcileOptions } from './reconciling/reconcile';
import { type BulkOperation, bulkOperations } from './rows/bulk-fields';
import type { BulkInput } from './rows/raw-rows';
import type { RowsOptions } from './rows/row-reader';
import type { RunOptions, RunSettings } from './sending/run';
import type { BulkClient } from './session/bulk-client';

/** Values by the contract's names. Null leaves an element out, where the contract allows that. */
export type BulkFields = Readonly<Record<string, string | number | bigint | null | undefined>>;

/** What is sent, and where it is written down. */
export interface BulkOptions {
  /** A MessagingClient. */
  readonly client: BulkClient;
  /** A path of a CSV file in UTF-8 with a header, or row objects that can be gone through more than once, such as an array. */
  readonly input: BulkInput;
  /** Default `sendSimple`. */
  readonly operation?: BulkOperation | undefined;
  /**
   * Values for all rows, by the contract's names. `{{column}}` in a text is filled from the row. The client's own `defaults` are
   * not used: what is sent has to be known here.
   */
  readonly fields?: BulkFields | undefined;
  /** Values for fields that are neither in `fields` nor a column; those of other operations are passed over. */
  readonly defaults?: Readonly<Record<string, unknown>> | undefined;
  /** Rows that share a request, at most. The contract shows no limit. Default 1. */
  readonly batchSize?: number | undefined;
  /** That the service gives ids in the order of receptors, which the contract does not show. Default false. */
  readonly idsInOrder?: boolean | undefined;
  /** How long after its intent was written down a request may begin, in milliseconds. Default 5,000. */
  readonly startWithinMs?: number | undefined;
  /** Path of the journal. Default: that of the input with `.journal`. */
  readonly journal?: string | undefined;
  /** That a process which has the journal open on another host, where it cannot be asked about, has ended. Default false. */
  readonly takeOver?: boolean | undefined;
}

/** Checks all options but the rows and the client. @throws {ConfigurationError} that names every wrong option */
export function resolveBulkOptions(options: Omit<BulkOptions, 'client'>): {
  readonly plan: PlanOptions;
  readonly journal: string;
} {
  const { input } = options;
  const { journal, ...plan } = resolveOwn(
    {
      operation: { read: oneOf(Object.keys(bulkOperations) as BulkOperation[]), default: 'sendSimple' },
      batchSize: { read: wholeNumber(1), default: 1 },
      idsInOrder: { read: trueOrFalse, default: false },
      // With a longer one each request would fail, after its intent was written down.
      startWithinMs: { read: wholeNumber(1, MAX_DELAY_MS), default: 5000 },
      journal: {
        read: (path: unknown) =>
          path === input ? refuseValue('it cannot be the input itself') : nonEmptyText('a path')(path),
        required: true,
      },
    },
    typeof input === 'string' ? { ...options, journal: options.journal ?? `${input}.journal` } : options,
  );
  return { plan, journal };
}

/** Where the rows come from. */
export function sourceOf(
  { input, fields = {}, defaults = {} }: Omit<BulkOptions, 'client'>,
  { operation }: PlanOptions,
): RowsOptions {
  return { input, operation, fields, defaults };
}

/** Checks the options of a run. @throws {ConfigurationError} that names every wrong option */
export function resolveRunOptions(options: RunOptions): RunSettings {
  const { signal, onProgress } = options;
  return { ...resolveOwn(runOptions, options), signal, onProgress };
}

const runOptions = {
  // Each request has a connection.
  concurrency: { read: wholeNumber(1, 65_535), default: 16 },
  rowsPerSecond: { read: numberAbove0, default: Number.POSITIVE_INFINITY },
  stopAfterFailures: { read: wholeNumber(0), default: 1 },
  baseline: { read: readListing },
};

/** Checks the options of `reconcile`. @throws {ConfigurationError} that names every wrong option */
export function resolveReconcileOptions(
  options: ReconcileOptions,
  { startWithinMs }: PlanOptions,
): { readonly listing: Listing; readonly settleMs: number } {
  return resolveOwn(
    {
      listing: { read: readListing, required: true },
      // A shorter time could end while a request may still begin.
      settleMs: { read: wholeNumber(startWithinMs + 1, MAX_DELAY_MS), default: 60_000 },
    },
    { settleMs: options.settleMs, listing: options },
  );
}

/** Reads the options of a table; other options of the object belong to other tables. */
export function resolveOwn<Table extends OptionTable>(table: Table, options: object): ResolvedOptions<Table> {
  const own = Object.entries(options).filter(([name]) => Object.hasOwn(table, name));
  return readOptions(table, Object.fromEntries(own), (problems) => {
    throw new ConfigurationError({ problems });
  });
}

function numberAbove0(value: unknown): number {
  return typeof value === 'number' && value > 0 ? value : refuseValue(`${showValue(value)} is not a number above 0`);
}

/** Reads how messages are listed. */
function readListing(value: unknown): Listing {
  const { pagesize, startUnixdate, endUnixdate } = value as { readonly [K in string]?: unknown };
  const isDate = (date: unknown): date is number | bigint => typeof date === 'bigint' || Number.isSafeInteger(date);
  if (pagesize === undefined && isDate(startUnixdate) && isDate(endUnixdate)) return { startUnixdate, endUnixdate };
  const isPage = Number.isSafeInteger(pagesize) && (pagesize as number) >= 1;
  if (isPage && startUnixdate === undefined && endUnixdate === undefined) return { pagesize: pagesize as number };
  return refuseValue('either pagesize or startUnixdate and endUnixdate is needed');
}
