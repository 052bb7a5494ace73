import type { Signal } from '../internal/signals';
import { MAX_DELAY_MS } from '../internal/signals';
import { takeOverOption } from '../journal/options';
import {
  nonEmptyText,
  readDefaults,
  readSignal,
  showValue,
  trueOrFalse,
  unchecked,
  wholeNumber,
} from '../options/checks';
import {
  checkOptions,
  type FlagTable,
  type OptionTable,
  type ResolvedOptions,
  refuseValue,
  wrongOption,
} from '../options/table';
import type { RequestDefaults } from '../types';
import { journalPathOf } from './journal-path';
import { MAX_PAGESIZE } from './reconcile/listing';
import type { ReconcileOptions } from './reconcile/reconcile';
import type { CheckedRows } from './rows/checked-rows';
import { type BulkFields, bulkFields, ID_FIELD } from './rows/fields';
import type { BulkInput } from './rows/input';
import type { RowSource } from './rows/reader';
import { parseUniqueTime } from './sending/repeats';
import type { BulkClient, RunOptions } from './sending/run';
import { type PlanOptions, planNames, planOptions } from './state/plan';
import type { Texts } from './state/records';

/** A list of rows, or the journal of a list. */
export interface BulkOptions extends Partial<RowOptions> {
  /** A MessagingClient. Only methods that call the service need it. */
  readonly client?: BulkClient | undefined;
}

/** The rows of a list, their journal, and how they share requests. */
export interface RowOptions extends Partial<{ readonly [K in keyof PlanOptions]: PlanOptions[K] | undefined }> {
  /** The path of a CSV file in UTF-8 with a header, or rows that can be read more than once, such as an array. */
  readonly input: BulkInput;
  /**
   * Values for all rows, by the contract's names. `{{column}}` in a text is filled from the row; `\{{column}}` is sent
   * as it is. The client's own `defaults` are not used: bulk must know the values that are sent.
   */
  readonly fields?: BulkFields | undefined;
  /** Values for fields that are neither in `fields` nor a column. Values for fields of other operations are ignored. */
  readonly defaults?: RequestDefaults | undefined;
  /** The path of the journal. Default: the path of the input, without symbolic links, with `.journal` at its end. */
  readonly journal?: string | undefined;
  /**
   * Set it when a process on another host left the journal open and you know that it has ended. This cannot be checked
   * from here. Default false.
   */
  readonly takeOver?: boolean | undefined;
  /** Texts that the journal keeps with the list. The command keeps the settings of the service there. */
  readonly service?: Texts | undefined;
  /**
   * A text that differs for each account of the service, such as the API key. The journal keeps a mark of four bytes.
   * Messages of another account decide no row. Default: all requests are taken to be of one account.
   */
  readonly account?: string | undefined;
  /**
   * Records that the service has moved to the base URL and the namespace of `service`, although something may have been
   * sent. Unknown rows of before are undecided until a message that was sent before is listed there. Default false.
   */
  readonly serviceMoved?: boolean | undefined;
}

/** Has a name, because declarations must not spell `AbortSignal` out: a program may have no type of this name. */
export interface SignalOption {
  readonly read: (value: unknown) => Signal;
}

const readPath = nonEmptyText('a path');

export const journalOptions = {
  journal: { read: readPath, required: true },
  ...takeOverOption,
} as const satisfies FlagTable;

export const movedOption = {
  serviceMoved: {
    read: trueOrFalse,
    default: false,
    flag: { help: 'go on with a list at a new address of its provider, which the other options name' },
  },
} as const satisfies FlagTable;

export const sendOptions = {
  // Each request has a connection.
  concurrency: {
    read: wholeNumber(1, 65_535),
    default: 16,
    flag: { value: 'n', help: 'send this many requests at a time' },
  },
  rowsPerSecond: {
    read: readRate,
    default: Number.POSITIVE_INFINITY,
    flag: { value: 'n', help: 'start at most n rows a second (default: no limit)' },
  },
  stopAfterFailures: {
    read: wholeNumber(0),
    default: 10,
    flag: { value: 'n', help: 'stop after n consecutive failures, 0 for no limit' },
  },
  signal: { read: readSignal } as SignalOption,
  onProgress: unchecked<NonNullable<RunOptions['onProgress']>>(),
  onPause: unchecked<NonNullable<RunOptions['onPause']>>(),
  onWarning: unchecked<NonNullable<RunOptions['onWarning']>>(),
} as const satisfies FlagTable;

export const beginOptions = {
  baselinePagesize: {
    read: wholeNumber(0, MAX_PAGESIZE),
    default: 100,
    flag: { value: 'n', help: 'first list this many of the latest messages, 0 for none' },
  },
  onBegin: unchecked<NonNullable<RunOptions['onBegin']>>(),
} as const satisfies FlagTable;

export const settleOption = {
  settleMs: {
    read: wholeNumber(1, MAX_DELAY_MS),
    default: 60_000,
    flag: { value: 'ms', help: 'look for unknown rows this long after their requests' },
  },
} as const satisfies FlagTable;

export const runOptions = {
  ...sendOptions,
  ...beginOptions,
  ...settleOption,
  once: { read: trueOrFalse, default: false, flag: { help: 'send what is pending, look for no unknown row' } },
  uniqueClientmessageid: {
    read: readUniqueTime,
    flag: {
      value: 'time',
      help: 'send an unknown row again with its clientmessageid for this time, such as 24h, or always; only for a provider that sends one message for each clientmessageid',
      isText: true,
    },
  },
  onWait: unchecked<NonNullable<RunOptions['onWait']>>(),
  onReconciled: unchecked<NonNullable<RunOptions['onReconciled']>>(),
} as const satisfies FlagTable;

export const reconcileOptions = {
  ...settleOption,
  signal: { read: readSignal } as SignalOption,
  onWait: unchecked<NonNullable<ReconcileOptions['onWait']>>(),
} as const;

/** The checked options of a list of rows. */
export interface ListSettings {
  readonly plan: PlanOptions;
  readonly source: RowSource;
  readonly journal: string;
  readonly takeOver: boolean;
  readonly service?: Texts | undefined;
  readonly account?: string | undefined;
  readonly serviceMoved: boolean;
}

/**
 * Checks the options of a list of rows, and further options.
 *
 * @throws {ConfigurationError} that names every wrong and unknown option
 */
export function resolveList<Table extends OptionTable = Record<never, never>>(
  options: RowOptions,
  further: Table = {} as Table,
): ListSettings & ResolvedOptions<Table> {
  const { input, journal = typeof input === 'string' ? journalPathOf(input) : undefined } = options;
  const table = {
    ...planOptions,
    ...journalOptions,
    ...movedOption,
    // The reader of the rows checks these two, and reports their problems with those of the rows.
    input: unchecked<BulkInput>(),
    fields: { ...unchecked<BulkFields>(), default: {} as BulkFields },
    defaults: { read: readDefaults, default: {} as Readonly<Record<string, unknown>> },
    journal: {
      read: (path: unknown) => (path === input ? refuseValue('it cannot be the input itself') : readPath(path)),
      required: true,
    },
    service: unchecked<Texts>(),
    account: { read: nonEmptyText('a text') },
  } as const;
  const resolved = checkOptions({ ...table, ...further }, { ...options, journal });
  const { fields, defaults } = resolved as ResolvedOptions<typeof table>;
  const plan = Object.fromEntries(planNames.map((name) => [name, resolved[name]])) as unknown as PlanOptions;
  if (plan.batchSize > 1 && !bulkFields(plan.operation).some(({ isList }) => isList))
    throw wrongOption('batchSize', `${plan.operation} sends one row in a request`);
  const source = { input, operation: plan.operation, fields, defaults, asIs: plan.asIs };
  return { ...(resolved as ResolvedOptions<typeof table> & ResolvedOptions<Table>), plan, source };
}

/** Refuses a time to settle that could end while a request may still begin. @throws {ConfigurationError} */
export function checkSettling(settleMs: number, { startWithinMs }: PlanOptions): void {
  if (settleMs > startWithinMs) return;
  const problem = `${settleMs} is not longer than the time within which a request begins (${startWithinMs})`;
  throw wrongOption('settleMs', problem);
}

/** Refuses a rate that one request would exceed. @throws {ConfigurationError} */
export function checkRate(rowsPerSecond: number, { batchSize }: PlanOptions): void {
  if (batchSize <= Math.max(1, rowsPerSecond)) return;
  throw wrongOption('rowsPerSecond', `${rowsPerSecond} is less than the rows that share a request (${batchSize})`);
}

/** Refuses a promise about ids that the program does not make. @throws {ConfigurationError} */
export function checkUniqueIds(time: string | undefined, { makesIds }: CheckedRows): void {
  if (time === undefined || makesIds) return;
  // An id of another list would call a row sent that was not sent.
  const what = `the program has to make each ${ID_FIELD}: use sendAdvance, and give none as a column or for all rows`;
  throw wrongOption('uniqueClientmessageid', what);
}

function readUniqueTime(value: unknown): string {
  const isTime = typeof value === 'string' && parseUniqueTime(value) !== undefined;
  return isTime ? value : refuseValue(`${showValue(value)} is neither always nor a time such as 90m, 24h or 7d`);
}

function readRate(value: unknown): number {
  return typeof value === 'number' && value > 0 ? value : refuseValue(`${showValue(value)} is not a number above 0`);
}
