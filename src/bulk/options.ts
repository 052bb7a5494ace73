import type { Signal } from '../internal/signals';
import { MAX_DELAY_MS } from '../internal/signals';
import { nonEmptyText, oneOf, readDefaults, showValue, trueOrFalse, unchecked, wholeNumber } from '../options/checks';
import { checkOptions, type OptionTable, type ResolvedOptions, readOptions, refuseValue } from '../options/table';
import type { RequestDefaults } from '../types';
import { type ListingClient, MAX_PAGESIZE } from './reconcile/listing';
import type { ReconcileOptions, ReconcileSettings } from './reconcile/reconcile';
import type { BulkFields } from './rows/fields';
import type { BulkInput } from './rows/input';
import type { RowSource } from './rows/reader';
import type { RunClient, RunOptions, RunSettings } from './sending/run';
import { type FurtherSettings, journalPathOf } from './settings-file';
import { type PlanOptions, planNames, planOptions } from './state/plan';
import type { Listing } from './state/records';
import type { TrackClient } from './track';

/** The methods of a client that bulk sending uses. A MessagingClient has them. */
export interface BulkClient extends RunClient, ListingClient, TrackClient {}

/** The rows of a list, and how they are sent. */
export interface BulkOptions extends RowOptions {
  /** A MessagingClient. */
  readonly client: BulkClient;
}

/** The rows of a list, their journal, and how they share requests. */
export interface RowOptions extends Partial<{ readonly [K in keyof PlanOptions]: PlanOptions[K] | undefined }> {
  /** The path of a CSV file in UTF-8 with a header, or row objects that can be read more than once, such as an array. */
  readonly input: BulkInput;
  /**
   * Values for all rows, by the contract's names. `{{column}}` in a text is filled from the row; `\{{column}}` is sent as it is. The
   * client's own `defaults` are not used: bulk must know the values that are sent.
   */
  readonly fields?: BulkFields | undefined;
  /** Values for fields that are neither in `fields` nor a column. Values for fields of other operations are ignored. */
  readonly defaults?: RequestDefaults | undefined;
  /** Ignores columns that are neither fields nor used in a text. By default such a column is an error. */
  readonly ignoreColumns?: boolean | undefined;
  /** Leaves out each row that repeats the sender, receptor and text of an earlier row. Default false. */
  readonly skipDuplicates?: boolean | undefined;
  /** The path of a file with a receptor on each line. Pending rows with these receptors are left out, however they are written. */
  readonly exclude?: string | undefined;
  /** The path of the journal. Default: the path of the input, without symbolic links, with `.journal` at its end. */
  readonly journal?: string | undefined;
  /**
   * Set it when a process on another host left the journal open and you know that it has ended. This cannot be checked from here.
   * Default false.
   */
  readonly takeOver?: boolean | undefined;
  /**
   * Writes the settings of the list to a file beside the input before the first row is sent, with these. The command does so, and needs
   * only the name of the input afterwards: see `readSavedSettings`.
   */
  readonly save?: FurtherSettings | undefined;
}

/** Has a name, because declarations must not spell `AbortSignal` out: a program may have no type of this name. */
interface SignalOption {
  readonly read: (value: unknown) => Signal;
}

/** The options of a function that opens a journal without its input. */
export const journalOptions = {
  journal: { read: nonEmptyText('a path'), required: true },
  takeOver: { read: trueOrFalse, default: false },
} as const;

export const clientRow = { client: { ...unchecked<BulkClient>(), required: true } } as const;

const listingOptions = {
  pagesize: { read: wholeNumber(1, MAX_PAGESIZE) },
  startUnixdate: { read: readDate },
  endUnixdate: { read: readDate },
  dates: { read: oneOf(['seconds', 'milliseconds']) },
} as const;

/** The checks and the defaults of RunOptions. */
export const runOptions = {
  // Each request has a connection.
  concurrency: { read: wholeNumber(1, 65_535), default: 16 },
  rowsPerSecond: { read: readRate, default: Number.POSITIVE_INFINITY },
  stopAfterFailures: { read: wholeNumber(0), default: 10 },
  baseline: { read: readBaseline },
  untilDone: { read: trueOrFalse, default: false },
  settleMs: { read: wholeNumber(1, MAX_DELAY_MS) },
  onWait: unchecked<NonNullable<RunOptions['onWait']>>(),
  onReconciled: unchecked<NonNullable<RunOptions['onReconciled']>>(),
  signal: unchecked<Signal>() as SignalOption,
  onProgress: unchecked<NonNullable<RunOptions['onProgress']>>(),
  onWarning: unchecked<NonNullable<RunOptions['onWarning']>>(),
} as const;

/**
 * Checks the options of a run and fills in the defaults. `run` does it too, but only after the journal was made.
 *
 * @throws {ConfigurationError} that names every wrong and unknown option
 */
export function checkRunOptions(options: RunOptions): RunSettings {
  return checkedOptions(runOptions, options);
}

/** The checked options of a list of rows. */
export interface ListSettings {
  readonly plan: PlanOptions;
  readonly source: RowSource;
  readonly journal: string;
  readonly takeOver: boolean;
  readonly skipDuplicates: boolean;
  readonly exclude?: string | undefined;
  readonly save?: FurtherSettings | undefined;
}

/**
 * Checks the options of a list of rows, and further options.
 *
 * @throws {ConfigurationError} that names every wrong and unknown option
 */
export function resolveList<Table extends OptionTable>(
  options: RowOptions,
  further: Table,
): ListSettings & ResolvedOptions<Table> {
  const { input, journal = typeof input === 'string' ? journalPathOf(input) : undefined } = options;
  const table = {
    ...planOptions,
    // The reader of the rows checks these two, and reports their problems with those of the rows.
    input: unchecked<BulkInput>(),
    fields: { ...unchecked<BulkFields>(), default: {} as BulkFields },
    defaults: { read: readDefaults, default: {} as Readonly<Record<string, unknown>> },
    journal: {
      read: (path: unknown) => (path === input ? refuseValue('it cannot be the input itself') : readPath(path)),
      required: true,
    },
    takeOver: { read: trueOrFalse, default: false },
    ignoreColumns: { read: trueOrFalse, default: false },
    skipDuplicates: { read: trueOrFalse, default: false },
    exclude: { read: readPath },
    save: unchecked<FurtherSettings>(),
  } as const;
  const resolved = checkedOptions({ ...table, ...further }, { ...options, journal });
  const { fields, defaults, ignoreColumns } = resolved as ResolvedOptions<typeof table>;
  const plan = Object.fromEntries(planNames.map((name) => [name, resolved[name]])) as unknown as PlanOptions;
  const source = { input, operation: plan.operation, fields, defaults, ignoreColumns };
  return { ...(resolved as ResolvedOptions<typeof table> & ResolvedOptions<Table>), plan, source };
}

const readPath = nonEmptyText('a path');

/** Checks the options of `reconcile`. @throws {ConfigurationError} that names every wrong and unknown option */
export function resolveReconcileOptions(options: ReconcileOptions, { startWithinMs }: PlanOptions): ReconcileSettings {
  const table = {
    listing: { read: readListing },
    settleMs: { read: (value: unknown) => readSettleMs(value, startWithinMs), default: 60_000 },
    signal: unchecked<Signal>(),
    onWait: unchecked<NonNullable<ReconcileOptions['onWait']>>(),
  } as const;
  return checkedOptions(table, options);
}

/** Checks options. @throws {ConfigurationError} that names every wrong and unknown option */
export function checkedOptions<Table extends OptionTable>(table: Table, options: unknown): ResolvedOptions<Table> {
  return checkOptions(table, options);
}

/** A time that is not longer could end while a request may still begin. */
function readSettleMs(value: unknown, startWithinMs: number): number {
  const settleMs = wholeNumber(1, MAX_DELAY_MS)(value);
  if (settleMs > startWithinMs) return settleMs;
  return refuseValue(`${settleMs} is not longer than the time within which a request begins (${startWithinMs})`);
}

function readRate(value: unknown): number {
  return typeof value === 'number' && value > 0 ? value : refuseValue(`${showValue(value)} is not a number above 0`);
}

function readListing(value: unknown): Listing {
  const { pagesize, startUnixdate, endUnixdate, dates } = readOptions(listingOptions, value);
  const hasDates = startUnixdate !== undefined && endUnixdate !== undefined;
  if (pagesize === undefined && hasDates) return { startUnixdate, endUnixdate, dates };
  if (pagesize !== undefined && startUnixdate === undefined && endUnixdate === undefined) return { pagesize };
  return refuseValue('give pagesize, or startUnixdate and endUnixdate');
}

function readBaseline(value: unknown): Listing {
  const listing = readListing(value);
  if ('pagesize' in listing || listing.dates !== undefined) return listing;
  return refuseValue('give the unit of the dates too, so that a later listing can end after now');
}

function readDate(value: unknown): bigint | number {
  if (typeof value === 'bigint' || (typeof value === 'number' && Number.isSafeInteger(value))) return value;
  return refuseValue(`${showValue(value)} is not a date: give a bigint or a safe integer`);
}
