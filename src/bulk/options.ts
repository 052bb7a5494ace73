import { takeOverOption } from '../journal/options';
import { nonEmptyText, oneOf, readDefaults, trueOrFalse, unchecked } from '../options/checks';
import {
  checkOptions,
  type FlagTable,
  type GivenOptions,
  listOf,
  type OptionTable,
  type ResolvedOptions,
  refuseValue,
  wrongOption,
} from '../options/table';
import type { RequestDefaults } from '../types';
import type { BulkClient } from './client';
import { journalPathOf } from './journal-path';
import type { Comparing, Others } from './others/other-lists';
import type { CheckedRows } from './rows/checked-rows';
import { type BulkFields, bulkFields, ID_FIELD } from './rows/fields';
import type { BulkInput } from './rows/input';
import type { RowSource } from './rows/reader';
import { type PlanOptions, planNames, planOptions } from './state/plan';
import type { Texts } from './state/records';

const readPath = nonEmptyText('a path');

/** The decision about rows that somebody was asked about. */
export type Fate = 'send' | 'leave out';

export const journalOptions = {
  /** The path of the journal. */
  journal: { read: readPath, required: true },
  ...takeOverOption,
} as const satisfies FlagTable;

export const movedOption = {
  /**
   * Records that the service has moved to the base URL and the namespace of `service`, although something may have been
   * sent. Unknown rows of before are undecided until a message that was sent before is listed there. Default false.
   */
  serviceMoved: {
    read: trueOrFalse,
    default: false,
    flag: { help: 'go on with a list at a new address of its provider, which the other options name' },
  },
} as const satisfies FlagTable;

const ownOptions = {
  /** The path of the journal. Default: the path of the input, without symbolic links, with `.journal` at its end. */
  journal: { read: readPath },
  /** The path of a CSV file in UTF-8 with a header, or rows that can be read more than once, such as an array. */
  input: { ...unchecked<BulkInput>(), required: true },
  /**
   * Values for all rows, by the contract's names. `{{column}}` in a text is filled from the row; `\{{column}}` is sent
   * as it is. The client's own `defaults` are not used: bulk must know the values that are sent.
   */
  // The reader of the rows checks these and the input, and reports their problems with those of the rows.
  fields: { ...unchecked<BulkFields>(), default: {} as BulkFields },
  /** Values for fields that are neither in `fields` nor a column. Values for fields of other operations are ignored. */
  defaults: { read: (value: unknown): RequestDefaults => readDefaults(value), default: {} as RequestDefaults },
  /**
   * The other lists with which the rows are compared before any of them is sent, by their journals; `'folder'` stands
   * for all journals in the folder of this one. A row whose message another list has sent is not sent again, unless
   * `again` says so; a row whose message another list may have sent waits. By default no other list is compared.
   */
  others: { read: readOthers },
  /**
   * The decision about rows whose messages somebody has: `'send'` sends them again, `'leave out'` does not send them,
   * `'refuse'` refuses to begin the list with an InputError that counts them. With one of these values, rows of which
   * some have changed since something may have been sent begin a new list in the place of the old one, and are compared
   * with it. By default they are refused.
   */
  again: { read: readFate },
  /**
   * The decision about rows whose persons have another text of the earlier list of the file, as for `again`.
   * Default `'refuse'`.
   */
  corrected: { read: readFate },
  /** The names of journals in the folder that are not compared, such as one that is damaged. Default: none. */
  without: { read: listOf(readPath), default: [] as readonly string[] },
  /** Called before each journal that is compared. */
  onComparing: unchecked<(progress: Comparing) => void>(),
  /** Texts that the journal keeps with the list. The command keeps the settings of the service there. */
  settings: unchecked<Texts>(),
  /**
   * A text that differs for each account of the service, such as the API key. The journal keeps a mark of four bytes.
   * Messages of another account decide no row. Default: all requests are taken to be of one account.
   */
  account: { read: nonEmptyText('a text') },
} as const satisfies FlagTable;

function readOthers(value: unknown): Others {
  return value === 'folder' ? value : readPaths(value);
}

const readPaths = listOf(readPath);
const readFateName = oneOf(['send', 'leave out', 'refuse']);

function readFate(value: unknown): Fate | 'refuse' {
  return readFateName(value);
}

const rowOptions = { ...planOptions, ...takeOverOption, ...movedOption, ...ownOptions } as const;

/** The rows of a list, their journal, and how they share requests. */
export interface RowOptions
  extends GivenOptions<typeof planOptions>,
    GivenOptions<typeof takeOverOption>,
    GivenOptions<typeof movedOption>,
    GivenOptions<typeof ownOptions> {}

/** A list of rows, or the journal of a list. */
export interface BulkOptions extends Partial<RowOptions> {
  /** A MessagingClient. Only methods that call the service need it. */
  readonly client?: BulkClient | undefined;
}

/** The checked options of a list of rows. */
export interface RowSettings extends ResolvedOptions<typeof rowOptions> {
  readonly journal: string;
  readonly plan: PlanOptions;
  readonly source: RowSource;
}

/**
 * Checks the options of a list of rows, and further options.
 *
 * @throws {ConfigurationError} that names every wrong and unknown option
 */
export function checkRowOptions<Table extends OptionTable = Record<never, never>>(
  options: RowOptions,
  further: Table = {} as Table,
): RowSettings & ResolvedOptions<Table> {
  const { input, journal = typeof input === 'string' ? journalPathOf(input) : undefined } = options;
  const readJournalPath = (path: unknown) =>
    path === input ? refuseValue('it cannot be the input itself') : readPath(path);
  const table = { ...rowOptions, journal: { read: readJournalPath, required: true } } as const;
  const resolved = checkOptions({ ...table, ...further }, { ...options, journal }) as ResolvedOptions<typeof table> &
    ResolvedOptions<Table>;
  const { fields, defaults } = resolved;
  const plan = Object.fromEntries(planNames.map((name) => [name, resolved[name]])) as unknown as PlanOptions;
  if (plan.batchSize > 1 && !bulkFields(plan.operation).some(({ isList }) => isList))
    throw wrongOption('batchSize', `${plan.operation} sends one row in a request`);
  return {
    ...resolved,
    plan,
    source: { input, operation: plan.operation, fields, defaults: { ...defaults }, asIs: plan.asIs },
  };
}

/** Refuses a time to settle that could end while a request may still begin. @throws {ConfigurationError} */
export function checkSettling(settleMs: number, { startWithinMs }: PlanOptions): void {
  if (settleMs > startWithinMs) return;
  const problem = `${settleMs} is not longer than the time within which a request begins (${startWithinMs})`;
  throw wrongOption('settleMs', problem);
}

/** Refuses a rate that one request would exceed. @throws {ConfigurationError} */
export function checkRate(rowsPerSecond: number, batchSize: number): void {
  if (batchSize <= Math.max(1, rowsPerSecond)) return;
  throw wrongOption('rowsPerSecond', `${rowsPerSecond} is less than the rows that share a request (${batchSize})`);
}

/** Refuses a promise about ids that the program does not make. @throws {ConfigurationError} */
export function checkUniqueIds(time: string, { makesIds }: CheckedRows): void {
  if (time === 'never' || makesIds) return;
  // An id of another list would call a row sent that was not sent.
  const what = `the program has to make each ${ID_FIELD}: use sendAdvance, and give none as a column or for all rows`;
  throw wrongOption('uniqueClientmessageid', what);
}
