import type { OptionProblem } from '../errors';
import type { Signal } from '../internal/signals';
import { JournalError } from '../journal/errors';
import { refuseHolder } from '../journal/journal';
import { bigintReplacer } from '../json';
import { isSameBaseUrl, showValue } from '../options/checks';
import type { ListSettings } from './options';
import { type ListingClient, listBaseline } from './reconcile/listing';
import { CheckedRows } from './rows/checked-rows';
import { bulkFields } from './rows/fields';
import type { BeforeList, RunSettings } from './sending/run';
import {
  type BulkJournal,
  type FoundList,
  findList,
  type OpenList,
  openBulkJournal,
  refuseMissing,
} from './state/bulk-journal';
import { BulkState, isSameList } from './state/bulk-state';
import { type PlanOptions, planNames } from './state/plan';
import type { BulkRecord, ListRecord } from './state/records';
import type { ListJournal } from './status';

/** A list as it was given, with its checked rows. Its journal may belong to it, or may be begun with it. */
export interface GivenList {
  /** The path of the journal. */
  readonly journal: string;
  readonly takeOver: boolean;
  readonly rows: CheckedRows;
  readonly record: ListRecord;
  /** The journal as it was read; undefined when the file does not exist. */
  readonly found: FoundList | undefined;
}

/**
 * Reads and checks the rows of a list, and compares them with the journal. It writes nothing.
 *
 * @param found the journal, where it was read already
 * @param signal ends the reading of the rows
 * @throws {InputError} that names every problem; {JournalError} when something of another list may have been sent
 */
export async function checkList(settings: ListSettings, found?: FoundList, signal?: Signal): Promise<GivenList> {
  const { journal, takeOver, source, plan, service } = settings;
  const known = found?.path === journal ? found : await findList(journal);
  const isFixed = known?.state.isFixed ?? false;
  const rows = await CheckedRows.check(source, !isFixed, signal);
  const record: ListRecord = {
    t: 'list',
    sha256: rows.fingerprint(planNames.map((name) => plan[name])),
    total: rows.count,
    plan,
    fields: recordValues(source.fields, plan),
    defaults: recordValues(source.defaults, plan),
    service,
  };
  if (known && isFixed) refuseChanges(journal, known.state.list as ListRecord, record);
  return { journal, takeOver, rows, record, found: known };
}

/** The values for all rows that the operation has, as JSON: a long is a text, however it was given. */
function recordValues(values: Readonly<Record<string, unknown>>, { operation }: PlanOptions): ListRecord['fields'] {
  const used = bulkFields(operation).flatMap(({ name, element }) => {
    const value = values[name];
    if (value === undefined) return [];
    const isLong = element.kind === 'integer' && element.type === 'long' && value !== null;
    return [[name, isLong ? String(value) : value]];
  });
  return JSON.parse(JSON.stringify(Object.fromEntries(used), bigintReplacer));
}

/** The knowledge about a list: that of its journal, unless the journal has other rows, of which nothing was sent. */
export function journalOf({ found, record }: GivenList): ListJournal {
  const list = found?.state.list;
  if (found && list?.sha256 === record.sha256 && list.total === record.total) return found;
  const state = new BulkState();
  state.apply(record);
  return { notices: [], ...found, state };
}

/**
 * Opens the journal of a list in order to send its rows. A list of which nothing may have been sent is begun anew: all
 * of its rows are pending, and the baseline is listed again. The first record is written when everything else has been
 * done.
 *
 * @throws {MessagingError} with an `operation` when the baseline cannot be listed; {JournalError}
 */
export async function beginList(
  given: GivenList,
  client: ListingClient,
  options: Pick<RunSettings, 'baselinePagesize' | 'onBegin'> & { readonly signal: Signal },
  open: BulkJournal | undefined,
): Promise<OpenList> {
  const { journal: path, takeOver, rows, record, found } = given;
  const { plan } = record;
  const known = open?.state ?? found?.state;
  // The process that had the journal open may have ended since.
  if (!open) refuseHolder(found?.holder ? await findList(path) : found, takeOver);
  if (known?.isFixed) {
    const journal = open ?? (await openList(given));
    await journal.commit(...newKeyFile(record, journal));
    return { plan, rows, journal };
  }
  await options.onBegin?.(describeList(given));
  const records = [record, await listBaseline(client, options.baselinePagesize, options.signal)];
  options.signal.throwIfAborted();
  if (open) {
    await open.commit(...records);
    return { plan, rows, journal: open };
  }
  const journal = await openBulkJournal(path, takeOver, found, ({ isFixed, list }) => {
    if (!isFixed) return records;
    // Another process has begun it meanwhile.
    refuseChanges(path, list as ListRecord, record);
    return [];
  });
  return { plan, rows, journal };
}

/** Opens the journal of a list that was begun. @throws {JournalError} */
export function openList({ journal: path, takeOver, record, found }: GivenList): Promise<BulkJournal> {
  return openBulkJournal(path, takeOver, found, ({ list = refuseMissing(path) }) => {
    refuseChanges(path, list, record);
    return [];
  });
}

/** A key file that was given to a later command. */
function newKeyFile({ service }: ListRecord, { state }: BulkJournal): readonly BulkRecord[] {
  const path = service?.apiKeyFile;
  return path === undefined || path === state.keyFile ? [] : [{ t: 'key-file', path }];
}

/** Describes a list before its record is written. */
function describeList({ found, record, rows }: GivenList): BeforeList {
  const list = found?.state.list;
  return {
    rows: record.total,
    parts: rows.parts,
    senders: rows.senders,
    indistinguishable: rows.indistinguishable.length,
    isNew: list === undefined,
    isChanged: list !== undefined && !isSameList(list, record),
  };
}

/** The settings of a list that stay once something may have been sent, by the name of the option. */
function fixedSettings({ plan, fields, service = {} }: ListRecord): Readonly<Record<string, unknown>> {
  const { baseUrl, namespace } = service;
  return { ...plan, ...fields, baseUrl, namespace };
}

/** @throws {JournalError} when something of another list may have been sent */
export function refuseChanges(path: string, list: ListRecord, given: ListRecord): void {
  const [before, now] = [fixedSettings(list), fixedSettings(given)];
  const problems: OptionProblem[] = differingNames(before, now).map((option) => ({
    option,
    message: `this list has ${show(before[option])}, and ${show(now[option])} was given`,
  }));
  if (list.total !== given.total)
    problems.push({ option: 'input', message: `this list has ${list.total} rows, and ${given.total} were given` });
  else if (problems.length === 0 && list.sha256 !== given.sha256)
    problems.push({ option: 'input', message: 'a row, or a default of a field, has changed' });
  if (problems.length === 0) return;
  const advice =
    'rows may have been sent, so these stay; nothing was changed: leave out what differs, or restore the file';
  throw new JournalError('changed', { problems: [...problems, { option: 'journal', message: `${path}: ${advice}` }] });
}

/** A setting that a list does not record, such as a service that a library gave as a client, differs from nothing. */
function differingNames(
  before: Readonly<Record<string, unknown>>,
  now: Readonly<Record<string, unknown>>,
): readonly string[] {
  const isService = (name: string) => name === 'baseUrl' || name === 'namespace';
  return [...new Set([...Object.keys(before), ...Object.keys(now)])].filter((name) => {
    const [one, other] = [before[name], now[name]];
    if (isService(name) && (one === undefined || other === undefined)) return false;
    return name === 'baseUrl' ? !isSameBaseUrl(String(one), String(other)) : one !== other;
  });
}

function show(value: unknown): string {
  return value === undefined ? 'none' : showValue(value);
}

/** The values of a record as the reader of the rows takes them: a long becomes a bigint again. */
export function readRecordedValues(values: ListRecord['fields'], { plan }: ListRecord): Record<string, unknown> {
  const isNumber = (name: string) =>
    bulkFields(plan.operation).some((field) => field.name === name && field.element.kind === 'integer');
  const read = (name: string, value: unknown) =>
    typeof value === 'string' && isNumber(name) && /^-?\d+$/.test(value) ? BigInt(value) : value;
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, read(name, value)]));
}
