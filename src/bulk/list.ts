import { createHmac, randomInt } from 'node:crypto';
import type { OptionProblem } from '../errors';
import type { Signal } from '../internal/signals';
import { JournalError } from '../journal/errors';
import { refuseHolder } from '../journal/journal';
import { isSameBaseUrl, showValue } from '../options/checks';
import type { ListSettings } from './options';
import { type ListingClient, listBaseline } from './reconcile/listing';
import { CheckedRows } from './rows/checked-rows';
import { bulkFields, type FieldValue } from './rows/fields';
import type { RunSettings } from './sending/run';
import {
  type BulkJournal,
  type BulkView,
  type FoundList,
  findList,
  type OpenList,
  openBulkJournal,
  refuseMissing,
} from './state/bulk-journal';
import { BulkState } from './state/bulk-state';
import { type PlanOptions, planNames } from './state/plan';
import type { BulkRecord, ListRecord, Texts } from './state/records';
import type { ListJournal } from './status';

/** The journal of a list, before it is opened. */
export interface ListFile {
  /** The path of the journal. */
  readonly journal: string;
  readonly takeOver: boolean;
  /** The journal as it was read; undefined when the file does not exist. */
  readonly found: FoundList | undefined;
}

/** A list as it was given, with its checked rows. Its journal may belong to it, or may be begun with it. */
export interface GivenList extends ListFile {
  readonly rows: CheckedRows;
  readonly record: ListRecord;
  /** How the service is reached, and the limits, as they were given; undefined when none were given. */
  readonly settings: Texts | undefined;
  /** The account of the service, of which the journal keeps a mark. */
  readonly account: string | undefined;
  readonly serviceMoved: boolean;
}

/**
 * Reads and checks the rows of a list, and compares them with the journal. It writes nothing.
 *
 * @param found the journal, where it was read already
 * @throws {InputError} that names every problem; {JournalError} when something of another list may have been sent
 */
export async function checkList(settings: ListSettings, found?: FoundList, signal?: Signal): Promise<GivenList> {
  const { journal, takeOver, source, plan, service, account, serviceMoved } = settings;
  const known = found?.path === journal ? found : await findList(journal);
  const isFixed = known?.state.isFixed ?? false;
  const rows = await CheckedRows.check(source, !isFixed, signal);
  const given: ListRecord = {
    t: 'list',
    id: newListId(),
    sha256: rows.fingerprint(planNames.map((name) => plan[name])),
    total: rows.count,
    plan,
    fields: recordValues(source.fields, plan),
    defaults: recordValues(source.defaults, plan),
    service: service && identityOf(service),
  };
  const { list } = known?.state ?? {};
  if (list && isFixed) refuseChanges(journal, list, given, serviceMoved);
  const record = list && isSameList(list, given) ? { ...given, id: list.id } : given;
  return { journal, takeOver, rows, record, settings: service, account, serviceMoved, found: known };
}

/** Makes ten random digits. With nine more digits, they fit in 64 bits. */
function newListId(): string {
  return String(randomInt(1_000_000_000, 9_000_000_000));
}

/** The names that say which service it is. A list that has begun stays with it. */
const identity = ['baseUrl', 'namespace'] as const;

function identityOf(texts: Texts): Texts {
  return Object.fromEntries(identity.flatMap((name) => (texts[name] === undefined ? [] : [[name, texts[name]]])));
}

/** The values for all rows that the operation has, as JSON: a long is a text, however it was given. */
function recordValues(values: Readonly<Record<string, unknown>>, { operation }: PlanOptions): ListRecord['fields'] {
  const used = bulkFields(operation).filter(({ name }) => values[name] !== undefined);
  const entries = used.map(({ name, element }) => {
    const value = values[name] as FieldValue;
    const isLong = element.kind === 'integer' && element.type === 'long' && value !== null;
    return [name, isLong || typeof value === 'bigint' ? String(value) : value];
  });
  return Object.fromEntries(entries);
}

/** The knowledge about a list: that of its journal, unless the journal has another list, of which nothing was sent. */
export function journalOf({ found, record }: GivenList): ListJournal {
  if (found && isSameList(found.state.list, record)) return found;
  const state = new BulkState();
  state.apply(record);
  return { notices: [], ...found, state };
}

/**
 * Opens the journal of a list in order to send its rows. While nothing of a list may have been sent, the baseline is
 * listed again, and a list that has changed begins anew: all of its rows are pending. The first record is written when
 * everything else has been done.
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
  // The process that had the journal open may have ended since.
  if (!open) refuseHolder(found?.holder ? await findList(path) : found, takeOver);
  const { isFixed, list } = open?.state ?? found?.state ?? new BulkState();
  const first: BulkRecord[] = [];
  if (!isFixed) {
    const isSame = isSameList(list, record);
    await options.onBegin?.({
      rows: record.total,
      parts: rows.parts,
      senders: rows.senders,
      indistinguishable: rows.indistinguishable.length,
      oddReceptors: rows.oddReceptors,
      ofSeveralLines: rows.ofSeveralLines,
      isNew: list === undefined,
      isChanged: list !== undefined && !isSame,
      fingerprint: record.sha256,
    });
    if (!isSame) first.push(record);
    first.push(await listBaseline(client, options.baselinePagesize, options.signal));
    options.signal.throwIfAborted();
  }
  const journal = open ?? (await openList(given, first));
  if (open) await journal.commit(...withSettings(first, given, journal.state));
  return { plan: record.plan, rows, journal };
}

/**
 * Opens the journal of a list that was begun.
 *
 * @param first begins a list of which nothing may have been sent
 * @throws {JournalError}
 */
export function openList(given: GivenList, first: readonly BulkRecord[] = []): Promise<BulkJournal> {
  const { journal: path, takeOver, record, found, serviceMoved } = given;
  return openBulkJournal(path, takeOver, found, (state) => {
    const { isFixed, list } = state;
    const isBegun = !isFixed && first.length > 0;
    // Another process may have begun it, or changed it, meanwhile.
    if (!isBegun || first[0]?.t !== 'list') refuseChanges(path, list ?? refuseMissing(path), record, serviceMoved);
    return withSettings(isBegun ? first : [], given, state);
  });
}

/** Puts the settings and the account before the baseline, which belongs to the account. */
function withSettings(first: readonly BulkRecord[], given: GivenList, state: BulkView): readonly BulkRecord[] {
  const begun = first.find((record) => record.t === 'list');
  const others = first.filter((record) => record !== begun);
  const moved = begun ? undefined : serviceAfterMove(given, state);
  const list = begun ?? (state.list as ListRecord);
  return [
    ...(begun ? [begun] : []),
    ...(moved ? [{ t: 'service', texts: moved } as const] : []),
    ...newSettings(given, state, moved ? { ...list, service: moved } : list),
    ...others,
  ];
}

/** The service of a list that has moved; undefined for any other list. @throws {JournalError} while rows are queued */
function serviceAfterMove({ journal, record, serviceMoved }: GivenList, state: BulkView): Texts | undefined {
  const known = state.list?.service;
  const { service } = record;
  if (!serviceMoved || !service || isSameService(known, service)) return undefined;
  if (state.queued().next().done) return service;
  const message = `${journal}: rows are in a queue, whose workers know the earlier service: take them back first`;
  throw new JournalError('changed', { message });
}

/** The settings and the account that were given, when the journal has others. @param list the list as it begins */
function newSettings(
  { settings, account }: GivenList,
  { settings: known, accounts }: BulkView,
  list: ListRecord,
): readonly BulkRecord[] {
  const names = Object.keys({ ...known, ...settings });
  const isNew = settings !== undefined && names.some((name) => settings[name] !== known[name]);
  const mark = account === undefined ? undefined : markOf(account, list);
  return [
    ...(isNew ? [{ t: 'settings', texts: settings } as const] : []),
    ...(mark !== undefined && mark !== accounts.at(-1)?.mark ? [{ t: 'account', mark } as const] : []),
  ];
}

/** Marks an account with four bytes: enough to notice another one, too few to find out a key. */
function markOf(account: string, { id, service }: ListRecord): string {
  const text = JSON.stringify([service?.baseUrl ?? '', account]);
  return createHmac('sha256', id).update(text).digest('hex').slice(0, 8);
}

/** The settings of a list that stay once something may have been sent, by the name of the option. */
function fixedSettings({ plan, fields, service = {} }: ListRecord): Readonly<Record<string, unknown>> {
  return { ...plan, ...fields, ...service };
}

/** True for lists that are sent alike. */
function isSameList(one: ListRecord | undefined, other: ListRecord): boolean {
  if (one === undefined) return false;
  const [before, now] = [one, other].map(({ service: _, id: __, ...others }) => JSON.stringify(others));
  return before === now && isSameService(one.service, other.service);
}

function isSameService(one: Texts = {}, other: Texts = {}): boolean {
  return identity.every((name) => !isDifferent(name, one[name], other[name]));
}

/** @throws {JournalError} when something of another list may have been sent */
export function refuseChanges(path: string, list: ListRecord, given: ListRecord, serviceMoved = false): void {
  const known = serviceMoved ? { ...list, service: given.service } : list;
  const [before, now] = [fixedSettings(known), fixedSettings(given)];
  const names = Object.keys({ ...before, ...now }).filter((name) => isDifferent(name, before[name], now[name]));
  const show = (value: unknown) => (value === undefined ? 'none' : showValue(value));
  const problems: OptionProblem[] = names.map((option) => ({
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

function isDifferent(name: string, one: unknown, other: unknown): boolean {
  if (name !== 'baseUrl' && name !== 'namespace') return one !== other;
  // A list does not record the service of a client that a program gives.
  if (one === undefined || other === undefined) return false;
  return name === 'baseUrl' ? !isSameBaseUrl(String(one), String(other)) : one !== other;
}

/** The values of a record as the reader of the rows takes them: a long becomes a bigint again. */
export function readRecordedValues(values: ListRecord['fields'], { plan }: ListRecord): Record<string, unknown> {
  const isNumber = (name: string) =>
    bulkFields(plan.operation).some((field) => field.name === name && field.element.kind === 'integer');
  const read = (name: string, value: unknown) =>
    typeof value === 'string' && isNumber(name) && /^-?\d+$/.test(value) ? BigInt(value) : value;
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, read(name, value)]));
}
