import { Option } from 'commander';
import { type Element, type Operation, operations } from '../../../../generated/operations';
import type { BulkFields, BulkOperation, BulkOptions, Listing, RunOptions } from '../../../bulk';
import { resolveRunOptions } from '../../../bulk/options';
import { bulkOperations } from '../../../bulk/rows/bulk-fields';
import type { CliCommand } from '../../commander/command';
import type { DateUnit } from '../../fields/dates';
import { readValue } from '../../fields/field-values';
import { type FieldSources, OperationFields } from '../../fields/fields';
import { kebabCase, ownBulkOptions, ownOptions } from '../../fields/option-names';
import { UsageError } from '../../terminal/failure';

/** The options of the bulk commands as they were given. */
export type BulkFlags = Readonly<Partial<Record<string, unknown>>> & {
  readonly journal?: string;
  readonly state?: string;
  readonly dryRun?: boolean;
  readonly takeOver?: boolean;
  readonly settleMs?: string;
  readonly redis?: string;
  readonly queue?: string;
  readonly acceptLoss?: boolean;
};

const operationNames = Object.keys(bulkOperations).map(kebabCase);

export function addRunOptions(command: CliCommand): void {
  addFieldOptions(command);
  addPlanOptions(command);
  addSendOptions(command, 'rows that start in a second, at most (default: no limit)');
  addFirstOptions(command);
}

/** How requests are made. */
export function addSendOptions(command: CliCommand, rate: string): void {
  command
    .option('--concurrency <n>', 'requests at a time (default: 16)')
    .option('--rows-per-second <n>', rate)
    .option('--stop-after-failures <n>', 'stop after this many failed requests, 0 for no limit (default: 1)');
}

/** What is done before the first row is sent. */
export function addFirstOptions(command: CliCommand): void {
  command.option('--dry-run', 'check the file and send nothing');
  addListingOptions(command, 'baseline-', 'list before the first row is sent');
  addJournalOptions(command);
}

/** What every command needs that opens the journal. */
export function addJournalOptions(command: CliCommand): CliCommand {
  return command
    .option('--journal <path>', 'path of the journal (default: the file with .journal)')
    .option('--take-over', 'the process of another host that has the journal open has ended');
}

/** What decides on requests; the journal knows it after the first run. */
export function addPlanOptions(command: CliCommand): void {
  command
    .addOption(
      new Option('--operation <name>', `how rows are sent (default: ${operationNames[0]})`).choices(operationNames),
    )
    .option('--batch-size <n>', 'rows that share a request, at most (default: 1)')
    .option('--ids-in-order', 'the service gives ids in the order of receptors')
    .option('--start-within-ms <ms>', 'a request must begin within this time after its journal entry (default: 5000)');
}

export function addFieldOptions(command: CliCommand): void {
  const group = "Fields that are not columns of the file; {{column}} in a text is replaced by the row's value:";
  rowFields().addTo(command, group, '');
  command.optionsGroup('Options:');
}

/** The fields of a row as options: what is a list in the request is one value here, for all rows. */
export function rowFields(): OperationFields {
  const { sendSimple } = bulkOperations;
  const { request }: Operation = operations[sendSimple];
  // An item of a list cannot be left out, and is named after the list.
  const fields = request.map(
    (element): Element => (element.kind === 'list' ? { ...element.item, name: element.name } : element),
  );
  return new OperationFields(sendSimple, fields, false, [...ownOptions, ...ownBulkOptions]);
}

export function addListingOptions(command: CliCommand, prefix: '' | 'baseline-', purpose: string): void {
  command
    .option(`--${prefix}pagesize <n>`, `${purpose}: this many of the latest messages`)
    .option(`--${prefix}start-unixdate <long>`, `${purpose}: the messages from this date on`)
    .option(`--${prefix}end-unixdate <long>`, `${purpose}: the messages up to this date`);
}

/** Where values come from beside the options of a bulk command. */
export interface BulkSources extends FieldSources {
  readonly defaults: BulkOptions['defaults'];
}

/** @throws {UsageError} */
export async function readBulkOptions(
  file: string,
  flags: BulkFlags,
  { defaults, ...sources }: BulkSources,
): Promise<Omit<BulkOptions, 'client'> & { readonly journal: string }> {
  const operation = readOperation(flags.operation);
  return {
    input: file,
    journal: flags.journal ?? `${file}.journal`,
    takeOver: flags.takeOver === true,
    fields: (await rowFields().read(flags, [], sources)) as BulkFields,
    defaults,
    ...(operation && { operation }),
    ...(flags.idsInOrder === true && { idsInOrder: true }),
    ...readGiven(flags, 'batchSize'),
    ...readGiven(flags, 'startWithinMs'),
  };
}

/** @throws {UsageError | ConfigurationError} */
export function readRunOptions(
  flags: BulkFlags,
  dates: DateUnit | undefined,
): RunOptions & { readonly concurrency: number } {
  const options = {
    concurrency: 16,
    ...readGiven(flags, 'concurrency'),
    ...readGiven(flags, 'stopAfterFailures'),
    rowsPerSecond: flags.rowsPerSecond === undefined ? undefined : Number(flags.rowsPerSecond),
    baseline: readListing(flags, 'baseline', dates),
  };
  // Before a journal is made.
  resolveRunOptions(options);
  return options;
}

/** @throws {UsageError} */
export function readListing(
  flags: BulkFlags,
  prefix: '' | 'baseline',
  dates: DateUnit | undefined,
): Listing | undefined {
  const flag = (name: string) => flags[prefix === '' ? name : `${prefix}${name[0]?.toUpperCase()}${name.slice(1)}`];
  const option = (name: string) => `--${prefix === '' ? '' : 'baseline-'}${kebabCase(name)}`;
  const [pagesize, start, end] = ['pagesize', 'startUnixdate', 'endUnixdate'].map((name) => flag(name));
  if (pagesize === undefined && start === undefined && end === undefined) return undefined;
  if (pagesize !== undefined && start === undefined && end === undefined)
    return { pagesize: readWhole(option('pagesize'), pagesize, 1) };
  if (pagesize === undefined && start !== undefined && end !== undefined) {
    const read = (name: string, text: unknown) =>
      readValue({ name, kind: 'integer', type: 'long' }, String(text), option(name), dates) as bigint;
    return { startUnixdate: read('startUnixdate', start), endUnixdate: read('endUnixdate', end) };
  }
  throw new UsageError(`give ${option('pagesize')}, or ${option('startUnixdate')} and ${option('endUnixdate')}`);
}

/** @throws {UsageError} */
export function readWhole(option: string, text: unknown, min = 0): number {
  if (!/^\d{1,15}$/.test(String(text)) || Number(text) < min)
    throw new UsageError(`${option}: ${JSON.stringify(text)} is not a whole number${min > 0 ? ` from ${min}` : ''}`);
  return Number(text);
}

function readGiven(flags: BulkFlags, name: string): Readonly<Record<string, number>> {
  return flags[name] === undefined ? {} : { [name]: readWhole(`--${kebabCase(name)}`, flags[name]) };
}

function readOperation(name: unknown): BulkOperation | undefined {
  return (Object.keys(bulkOperations) as BulkOperation[]).find((known) => kebabCase(known) === name);
}
