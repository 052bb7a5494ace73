import { Option } from 'commander';
import { operations as elements } from '../../../../generated/operations';
import { type BulkFields, type BulkOperation, journalPathOf, type Listing, type RowOptions } from '../../../bulk';
import type { Element, Operation } from '../../../soap/element';
import type { CliCommand } from '../../commander/command';
import type { DateUnit } from '../../fields/dates';
import { readValue } from '../../fields/field-values';
import { OperationFields } from '../../fields/fields';
import { flagOf, ownBulkOptions, ownOptions } from '../../fields/option-names';
import { clientSettings } from '../../settings/client-settings';
import { type CliSettings, dateUnit } from '../../settings/settings';
import { UsageError } from '../../terminal/failure';
import type { BulkCall } from './bulk-command';
import type { BulkFlags } from './flags';
import { differingFields, serviceOf } from './saved-settings';

// The options that several bulk commands have.

/** The methods that send rows, by the name that a user writes. */
const methods: Readonly<Record<string, BulkOperation>> = { 'send-simple': 'sendSimple', 'send-array': 'sendArray' };

/** Adds the options of a list: its fields, how its rows share requests, and its journal. */
export function addListOptions(command: CliCommand): void {
  const group = "Fields that are not columns of the file; {{column}} in a text is replaced by the row's value:";
  rowFields().addTo(command, group, '');
  const operation = new Option('--operation <name>', 'send rows with this operation (default: send-simple)');
  command
    .optionsGroup('Options:')
    .addOption(operation.choices(Object.keys(methods)))
    .option('--batch-size <n>', 'let up to this many rows share a request (default: 1)')
    .option('--ids-in-order', 'match ids to rows by their order; only for a service that returns them in this order')
    .option('--start-within-ms <ms>', 'begin a request within this time after its journal entry (default: 5000)');
  command.option('--ignore-columns', 'ignore columns that are neither fields nor used in a text');
  addJournalOptions(command);
}

/** Adds the options of a command that opens the journal. */
export function addJournalOptions(command: CliCommand): CliCommand {
  const help = 'confirm that the process on another host which left the journal open has ended';
  return addJournalPath(command).option('--take-over', help);
}

export function addJournalPath(command: CliCommand): CliCommand {
  return command.option('--journal <path>', 'use this journal (default: the file with .journal)');
}

/** Adds the options about the time before the first row is sent. */
export function addFirstOptions(command: CliCommand): void {
  command
    .option('--dry-run', 'check the file, show what would be sent, and send nothing')
    .option('--skip-duplicates', 'leave out rows that repeat the sender, receptor and text of an earlier row')
    .option('--exclude <path>', 'leave out rows whose receptor is in this file, which has one on each line');
  addListingOptions(command, 'baseline-', 'before the first row is sent, list');
}

export function addListingOptions(command: CliCommand, prefix: '' | 'baseline-', verb: string): void {
  command
    .option(`--${prefix}pagesize <n>`, `${verb} this many of the latest messages`)
    .option(`--${prefix}start-unixdate <long>`, `${verb} the messages from this date on`)
    .option(`--${prefix}end-unixdate <long>`, `${verb} the messages up to this date`);
}

/** Adds the options about the sending of requests. @param scope what the rate holds for */
export function addSendOptions(command: CliCommand, scope = ''): void {
  command
    .option('--concurrency <n>', 'send this many requests at a time (default: 16)')
    .option('--rows-per-second <n>', `start at most this many rows in a second${scope} (default: no limit)`)
    .option('--stop-after-failures <n>', 'stop after this many failed requests in a row, 0 for no limit (default: 10)');
}

/** Adds the option of a command that looks for unknown rows. */
export function addSettleOption(command: CliCommand): void {
  command.option('--settle-ms <ms>', 'wait until this time has passed since the last request (default: 60000)');
}

/** The names of the options of addSendOptions. */
export const sendOptions = ['concurrency', 'rowsPerSecond', 'stopAfterFailures'] as const;

/** The fields of a row as options. A list in the request has one value for all rows here. */
export function rowFields(): OperationFields {
  const { request }: Operation = elements.SendSimpleByApikey;
  // An item of a list cannot be left out, and is named after the list.
  const fields = request.map(
    (element): Element => (element.kind === 'list' ? { ...element.item, name: element.name } : element),
  );
  return new OperationFields('SendSimpleByApikey', fields, false, [...ownOptions, ...ownBulkOptions]);
}

/** Reads the options of a list, which the library checks. @throws {UsageError} */
export async function readListOptions(
  { file, flags, saved, context }: BulkCall,
  settings: CliSettings,
): Promise<RowOptions & { readonly journal: string }> {
  const dates = dateUnit(settings);
  const { defaults: given = {} } = clientSettings({ defaults: settings.defaults });
  // The options of the fields come from the same table as the type.
  const fields = (await rowFields().read({ ...flags }, [], { io: context.io, dates })) as BulkFields;
  const operation = methods[flags.operation ?? ''];
  if (saved) await saved.refuse(differingFields(saved.settings.fields, fields));
  return {
    input: file,
    journal: journalOf(file, flags),
    fields: { ...saved?.settings.fields, ...fields },
    defaults: flags.defaults === undefined ? (saved?.settings.defaults ?? given) : given,
    ...(operation && { operation }),
    ...givenOf(flags, ['takeOver', 'idsInOrder', 'ignoreColumns', 'skipDuplicates', 'exclude']),
    ...numbersOf(flags, ['batchSize', 'startWithinMs']),
    save: { baseline: readBaseline(flags, dates), service: serviceOf(settings, flags, context) },
  };
}

/** The path of the journal. */
export function journalOf(file: string, { journal }: BulkFlags): string {
  return journal ?? journalPathOf(file);
}

/** Reads the options of a listing; undefined without them. @throws {UsageError} when they are incomplete */
export function readListing(flags: BulkFlags, dates: DateUnit | undefined): Listing | undefined {
  return readListingOf(['pagesize', 'startUnixdate', 'endUnixdate'], flags, dates);
}

/** Reads the options of the baseline; undefined without them. @throws {UsageError} when they are incomplete */
export function readBaseline(flags: BulkFlags, dates: DateUnit | undefined): Listing | undefined {
  return readListingOf(['baselinePagesize', 'baselineStartUnixdate', 'baselineEndUnixdate'], flags, dates);
}

type TextFlag = Exclude<
  keyof BulkFlags,
  | 'idsInOrder'
  | 'takeOver'
  | 'dryRun'
  | 'acceptLoss'
  | 'untilEmpty'
  | 'revoke'
  | 'ignoreColumns'
  | 'skipDuplicates'
  | 'untilDone'
  | 'within'
  | 'every'
>;

function readListingOf(
  names: readonly [page: TextFlag, start: TextFlag, end: TextFlag],
  flags: BulkFlags,
  dates: DateUnit | undefined,
): Listing | undefined {
  const [page, start, end] = names.map((name) => flags[name] as string | undefined);
  if (page === undefined && start === undefined && end === undefined) return undefined;
  if (page !== undefined && start === undefined && end === undefined) return { pagesize: numberOf(page) };
  const [pageOption, startOption, endOption] = names.map(flagOf) as [string, string, string];
  if (page !== undefined || start === undefined || end === undefined)
    throw new UsageError(`give ${pageOption}, or ${startOption} and ${endOption}`);
  const read = (name: string, text: string, option: string) =>
    readValue({ name, kind: 'integer', type: 'long' }, text, option, dates) as bigint;
  return {
    startUnixdate: read('startUnixdate', start, startOption),
    endUnixdate: read('endUnixdate', end, endOption),
    dates,
  };
}

/** Picks the options that were given. */
export function givenOf<K extends keyof BulkFlags>(flags: BulkFlags, names: readonly K[]): Pick<BulkFlags, K> {
  const given = names.filter((name) => flags[name] !== undefined).map((name) => [name, flags[name]]);
  return Object.fromEntries(given) as Pick<BulkFlags, K>;
}

/** Picks the options that were given, as numbers. */
export function numbersOf<K extends TextFlag>(flags: BulkFlags, names: readonly K[]): { readonly [N in K]?: number } {
  const given = Object.entries(givenOf(flags, names)).map(([name, text]) => [name, numberOf(text as string)]);
  return Object.fromEntries(given);
}

/** A number in decimal digits. The library refuses any other text, together with all other problems. */
function numberOf(text: string): number {
  return /^\d{1,15}(?:\.\d+)?$/.test(text) ? Number(text) : (text as unknown as number);
}
