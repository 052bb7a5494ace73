import { createHmac, randomInt } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { Service, type ServiceTexts, serviceParts } from '../../client/options/service';
import type { Signal } from '../../internal/signals';
import type { RowSettings } from '../options';
import { CheckedRows } from '../rows/checked-rows';
import { bulkFields, type FieldValue } from '../rows/fields';
import { InputError } from '../rows/input-error';
import type { RowSource } from '../rows/reader';
import type { BulkView } from '../state/bulk-journal';
import type { PlanOptions } from '../state/plan';
import type { BulkRecord, ListRecord, Texts } from '../state/records';

/** Rows that were given, and the record that begins a list with them. */
export interface Given {
  readonly settings: RowSettings;
  readonly rows: CheckedRows;
  readonly record: ListRecord;
  /** The state of the file before it was read; undefined for objects. */
  readonly file: FileState | undefined;
}

/** The size and time of a file. They change while another program writes it. */
interface FileState {
  readonly size: number;
  readonly mtimeMs: number;
}

/** Reads and checks rows. @throws {InputError} that names every problem */
export async function readGivenRows(
  settings: RowSettings,
  { counts, ...how }: { readonly counts: boolean } & Pick<RowSource, 'names' | 'isRecorded'>,
  signal?: Signal,
): Promise<Given> {
  const { source, plan, settings: texts } = settings;
  const file = await stateOf(source.input);
  const rows = await CheckedRows.check({ ...source, ...how }, counts, signal);
  const record: ListRecord = {
    t: 'list',
    id: newListId(),
    sha256: rows.fingerprint,
    total: rows.count,
    plan,
    names: rows.fields.map(({ name }) => name),
    fields: recordValues(source.fields, plan),
    defaults: recordValues(source.defaults, plan),
    service: texts && pickService(texts),
  };
  return { settings, rows, record, file };
}

async function stateOf(input: RowSource['input']): Promise<FileState | undefined> {
  if (typeof input !== 'string') return undefined;
  // The reader of the file says why it cannot be read.
  const found = await stat(input).catch(() => undefined);
  return found && { size: found.size, mtimeMs: found.mtimeMs };
}

/** @throws {InputError} when the file has changed since it was read: a program may still be writing it */
export async function refuseWrittenFile({ settings, file }: Given): Promise<void> {
  const now = await stateOf(settings.source.input);
  if (file?.size === now?.size && file?.mtimeMs === now?.mtimeMs) return;
  const message =
    'the file has changed since it was read, so another program may be writing it: run again when it is complete';
  throw new InputError([{ message }]);
}

/** Makes ten random digits. With nine more digits, they fit in 64 bits. */
function newListId(): string {
  return String(randomInt(1_000_000_000, 9_000_000_000));
}

function pickService(texts: Texts): Texts {
  return Object.fromEntries(serviceParts.flatMap((part) => (texts[part] === undefined ? [] : [[part, texts[part]]])));
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

/** The values of a record as the reader of the rows takes them: a long becomes a bigint again. */
export function readRecordedValues(values: ListRecord['fields'], { plan }: ListRecord): Record<string, unknown> {
  const isNumber = (name: string) =>
    bulkFields(plan.operation).some((field) => field.name === name && field.element.kind === 'integer');
  const read = (name: string, value: unknown) =>
    typeof value === 'string' && isNumber(name) && /^-?\d+$/.test(value) ? BigInt(value) : value;
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, read(name, value)]));
}

/** The digests of the messages of all rows, which follow the list record. */
export function* digestRecords({ messages }: CheckedRows): Generator<BulkRecord> {
  let from = 1;
  for (const [data, rows] of messages.records()) {
    yield { t: 'digests', from, data };
    from += rows;
  }
}

/** The settings and the account that were given, when the journal has others. @param list the list as it begins */
export function* newSettings(
  { settings: { settings, account } }: Given,
  { settings: known, accounts }: Pick<BulkView, 'settings' | 'accounts'>,
  list: ListRecord,
): Generator<BulkRecord> {
  if (settings !== undefined && areNewSettings(settings, known)) yield { t: 'settings', texts: settings };
  const mark = account === undefined ? undefined : accountMark(account, list);
  if (mark !== undefined && mark !== accounts.at(-1)?.mark) yield { t: 'account', mark };
}

export function areNewSettings(given: Texts, known: Texts): boolean {
  return Object.keys({ ...known, ...given }).some((name) => given[name] !== known[name]);
}

/** Marks an account with four bytes: enough to notice another one, too few to find out a key. */
export function accountMark(
  account: string,
  { id, service }: { readonly id: string; readonly service?: ServiceTexts | undefined },
): string {
  const { baseUrl = '', namespace = '' } = new Service(service);
  return createHmac('sha256', id)
    .update(JSON.stringify([baseUrl, namespace, account]))
    .digest('hex')
    .slice(0, 8);
}
