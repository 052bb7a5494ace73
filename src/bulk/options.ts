import { ConfigurationError } from '../errors';
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

/** Everything but the rows and the client, checked. @throws {ConfigurationError} that names all that is wrong */
export function resolveBulkOptions(options: Omit<BulkOptions, 'client'>): {
  readonly plan: PlanOptions;
  readonly journal: string;
} {
  const { input, operation = 'sendSimple', batchSize = 1, idsInOrder = false, startWithinMs = 5000 } = options;
  const journal = options.journal ?? (typeof input === 'string' ? `${input}.journal` : undefined);
  checkAll([
    [Object.hasOwn(bulkOperations, operation), `operation: ${Object.keys(bulkOperations).join(' or ')} is needed`],
    [isWhole(batchSize, 1), 'batchSize: a whole number from 1 is needed'],
    [typeof idsInOrder === 'boolean', 'idsInOrder: true or false is needed'],
    // With a longer one each request would fail, after its intent was written down.
    [isWhole(startWithinMs, 1, MAX_DELAY_MS), `startWithinMs: a whole number from 1 to ${MAX_DELAY_MS} is needed`],
    [typeof journal === 'string' && journal !== '', 'journal: a path is needed'],
    [journal !== input, 'journal: it cannot be the input itself'],
  ]);
  return { plan: { operation, batchSize, idsInOrder, startWithinMs }, journal: journal as string };
}

/** Where the rows come from. */
export function sourceOf(
  { input, fields = {}, defaults = {} }: Omit<BulkOptions, 'client'>,
  { operation }: PlanOptions,
): RowsOptions {
  return { input, operation, fields, defaults };
}

/** @throws {ConfigurationError} that names all that is wrong */
export function resolveRunOptions(options: RunOptions): RunSettings {
  const { concurrency = 16, rowsPerSecond = Number.POSITIVE_INFINITY, stopAfterFailures = 1 } = options;
  const { signal, onProgress, baseline } = options;
  checkAll([
    [isWhole(concurrency, 1, MOST_AT_ONCE), `concurrency: a whole number from 1 to ${MOST_AT_ONCE} is needed`],
    [typeof rowsPerSecond === 'number' && rowsPerSecond > 0, 'rowsPerSecond: a number above 0 is needed'],
    [isWhole(stopAfterFailures, 0), 'stopAfterFailures: a whole number from 0 is needed'],
    [baseline === undefined || isListing(baseline), `baseline: ${LISTING} is needed`],
  ]);
  return { concurrency, rowsPerSecond, stopAfterFailures, signal, onProgress, baseline };
}

/** @throws {ConfigurationError} that names all that is wrong */
export function resolveReconcileOptions(
  options: ReconcileOptions,
  { startWithinMs }: PlanOptions,
): { readonly listing: Listing; readonly settleMs: number } {
  const { settleMs = 60_000 } = options;
  checkAll([
    [isListing(options), `${LISTING} is needed`],
    [
      isWhole(settleMs, startWithinMs + 1, MAX_DELAY_MS),
      `settleMs: a whole number above startWithinMs (${startWithinMs}) is needed, up to ${MAX_DELAY_MS}`,
    ],
  ]);
  if ('pagesize' in options && options.pagesize !== undefined)
    return { listing: { pagesize: options.pagesize }, settleMs };
  const { startUnixdate, endUnixdate } = options as Exclude<Listing, { pagesize: number }>;
  return { listing: { startUnixdate, endUnixdate }, settleMs };
}

/** Each request has a connection. */
const MOST_AT_ONCE = 65_535;

const LISTING = 'either pagesize or startUnixdate and endUnixdate';

function isListing({ pagesize, startUnixdate, endUnixdate }: { readonly [K in string]?: unknown }): boolean {
  if (pagesize !== undefined) return isWhole(pagesize, 1) && startUnixdate === undefined && endUnixdate === undefined;
  return [startUnixdate, endUnixdate].every((date) => typeof date === 'bigint' || Number.isSafeInteger(date));
}

function isWhole(value: unknown, min: number, max = Number.MAX_SAFE_INTEGER): boolean {
  return Number.isSafeInteger(value) && (value as number) >= min && (value as number) <= max;
}

export function checkAll(checks: readonly (readonly [holds: boolean, message: string])[]): void {
  const failed = checks.filter(([holds]) => !holds).map(([, message]) => message);
  if (failed.length > 0) throw new ConfigurationError(failed.join('; '));
}
