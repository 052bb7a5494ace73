import { createHmac, randomInt } from 'node:crypto';
import type { OptionProblem } from '../errors';
import type { Signal } from '../internal/signals';
import { JournalError } from '../journal/errors';
import { openJournal, refuseHolder } from '../journal/journal';
import type { JournalHolder } from '../journal/owner';
import { type ReadJournal, readJournal } from '../journal/read-journal';
import { isSameBaseUrl, showValue } from '../options/checks';
import { wrongOption } from '../options/table';
import type { RowSettings } from './options';
import { CheckedRows, type OddReceptors } from './rows/checked-rows';
import { bulkFields, type FieldValue } from './rows/fields';
import { type BulkJournal, type BulkView, bulkKind, refuseMissing } from './state/bulk-journal';
import { BulkState } from './state/bulk-state';
import { fingerprintOf, type PlanOptions } from './state/plan';
import type { BaselineRecord, BulkRecord, ListRecord, Texts } from './state/records';

/** A list before it is begun. */
export interface BeforeList {
  /** The number of rows. */
  readonly rows: number;
  /** The number of parts of all messages, as networks commonly count them. */
  readonly parts: number;
  readonly senders: ReadonlySet<string | null>;
  /**
   * The number of rows with the receptor and the text of another row. After a lost response, their messages are only
   * counted.
   */
  readonly indistinguishable: number;
  /** The receptors that are not 3 to 15 ASCII digits with at most one leading plus sign. */
  readonly oddReceptors: OddReceptors;
  /** The number of rows whose text has several lines, and the first of them. */
  readonly ofSeveralLines: { readonly count: number; readonly row: number };
  /** The text of the first row; null for a row without a text. */
  readonly firstText: string | null;
  /** True when the journal has no list yet. */
  readonly isNew: boolean;
  /** True when the list differs from the one that the journal has. */
  readonly isChanged: boolean;
  /** The fingerprint of the rows as they are sent. Two lists with the same one send the same messages. */
  readonly fingerprint: string;
}

/** Rows that were given, and the record that begins a list with them. */
interface Given {
  readonly settings: RowSettings;
  readonly rows: CheckedRows;
  readonly record: ListRecord;
}

/**
 * A list: its journal, and its rows when they were given. Until it is opened, it is as its journal was read, and
 * another process may write the journal. From then on, only this process does.
 */
export class List {
  /** The path of the journal. */
  readonly path: string;
  /** The last time at which the request of an unknown row may have been under way, by `performance.now()`. */
  lastRequestAt = performance.now();
  readonly #takeOver: boolean;
  readonly #given: Given | undefined;
  /** The journal as it was read; undefined when there is none. */
  readonly #earlier: ReadJournal<BulkState> | undefined;
  readonly #stateBefore: BulkView;
  #journal: BulkJournal | undefined;

  private constructor(path: string, takeOver: boolean, earlier?: ReadJournal<BulkState>, given?: Given) {
    this.path = path;
    this.#takeOver = takeOver;
    this.#earlier = earlier;
    this.#given = given;
    // The journal may have another list, of which nothing was sent.
    const isEarlier = given === undefined || isSameList(earlier?.state.list, given.record);
    this.#stateBefore = isEarlier && earlier ? earlier.state : stateOf(given?.record);
  }

  /** Reads the list of a journal, which may be in use; undefined without a list. @throws {JournalError} */
  static async find(path: string, takeOver = false): Promise<List | undefined> {
    const earlier = await readJournal(path, bulkKind);
    return earlier?.state.list && new List(path, takeOver, earlier);
  }

  /** Reads the list of a journal, which must exist. @throws {JournalError} */
  static async read(path: string, takeOver = false): Promise<List> {
    return (await List.find(path, takeOver)) ?? refuseMissing(path);
  }

  /**
   * Reads and checks the rows of a list, and compares them with the journal. It writes nothing.
   *
   * @param known the list as its journal was read already
   * @throws {InputError} that names every problem; {JournalError} when something of another list may have been sent
   */
  static async check(settings: RowSettings, known?: List, signal?: Signal): Promise<List> {
    const { journal: path, takeOver, source, plan, service, serviceMoved } = settings;
    const earlier = known?.path === path ? known.#earlier : await readJournal(path, bulkKind);
    const { list, isLocked = false } = earlier?.state ?? {};
    const rows = await CheckedRows.check(source, !isLocked, signal);
    const record: ListRecord = {
      t: 'list',
      id: newListId(),
      sha256: fingerprintOf(rows, plan),
      total: rows.count,
      plan,
      fields: recordValues(source.fields, plan),
      defaults: recordValues(source.defaults, plan),
      service: service && identityOf(service),
    };
    if (list && isLocked) refuseChanges(path, list, record, serviceMoved);
    const own = list && isSameList(list, record) ? { ...record, id: list.id } : record;
    return new List(path, takeOver, earlier, { settings, rows, record: own });
  }

  /** What is known about the list. */
  get state(): BulkView {
    return this.#journal?.state ?? this.#stateBefore;
  }

  /** Another process that has the journal open, or may have it open on another host. */
  get holder(): JournalHolder | undefined {
    return this.#journal ? undefined : this.#earlier?.holder;
  }

  /** Sentences about what a crash has left at the end of the journal. */
  get notices(): readonly string[] {
    return (this.#journal ?? this.#earlier)?.notices ?? [];
  }

  get plan(): PlanOptions {
    return (this.state.list as ListRecord).plan;
  }

  /** The checked rows. @throws {ConfigurationError} when the list was opened by its journal alone */
  get rows(): CheckedRows {
    return this.#needRows().rows;
  }

  /** The journal, which must be open. */
  get journal(): BulkJournal {
    if (this.#journal) return this.#journal;
    throw new Error('the list is not open');
  }

  /** Refuses rows that are not those of the journal, also when nothing of it was sent. @throws {JournalError} */
  refuseOtherRows(): void {
    refuseChanges(this.path, this.#earlier?.state.list ?? refuseMissing(this.path), this.#needRows().record);
  }

  /** Opens the journal of a list that was begun. @throws {JournalError} */
  async open(): Promise<BulkJournal> {
    this.#journal ??= await this.#open([]);
    return this.#journal;
  }

  /**
   * Opens the journal of a list in order to send its rows. While nothing of a list may have been sent, the baseline is
   * listed again, and a list that has changed begins anew: all of its rows are pending. The first record is written
   * when everything else has been done.
   *
   * @param listBaseline lists the messages that the service has before the first row is sent
   * @throws as `listBaseline` does; {JournalError}
   */
  async begin(
    listBaseline: () => Promise<BaselineRecord>,
    { onBegin, signal }: { readonly onBegin?: ((list: BeforeList) => unknown) | undefined; readonly signal: Signal },
  ): Promise<void> {
    const given = this.#needRows();
    const { rows, record } = given;
    if (!this.#journal) {
      // The process that had the journal open may have ended since.
      const earlier = this.#earlier?.holder ? await readJournal(this.path, bulkKind) : this.#earlier;
      refuseHolder(earlier, this.#takeOver);
    }
    const { isLocked = false, list } = (this.#journal ?? this.#earlier)?.state ?? {};
    const first: BulkRecord[] = [];
    if (!isLocked) {
      const isSame = isSameList(list, record);
      await onBegin?.({
        rows: record.total,
        parts: rows.parts,
        senders: rows.senders,
        indistinguishable: rows.indistinguishable.length,
        oddReceptors: rows.oddReceptors,
        ofSeveralLines: rows.ofSeveralLines,
        firstText: rows.firstText,
        isNew: list === undefined,
        isChanged: list !== undefined && !isSame,
        fingerprint: record.sha256,
      });
      if (!isSame) first.push(record);
      first.push(await listBaseline());
      signal.throwIfAborted();
    }
    if (this.#journal) await this.#journal.commit(withSettings(first, this.path, given, this.#journal.state));
    else this.#journal = await this.#open(first);
  }

  /**
   * Records how the service is reached, for later commands. While another process has the journal open, nothing is
   * recorded.
   *
   * @throws {JournalError} when the journal cannot be opened; {JournalWriteError}
   */
  async keepSettings(service: Texts): Promise<void> {
    if (this.holder || !isNewSettings(service, this.state.settings)) return;
    try {
      await (await this.open()).commit({ t: 'settings', texts: service });
    } catch (error) {
      // It was opened in the meantime.
      if (!(error instanceof JournalError && error.code === 'locked')) throw error;
    }
  }

  /** Brings to the disk what was recorded. */
  async flush(): Promise<void> {
    await this.#journal?.flush();
  }

  /** Closes the journal. */
  async close(): Promise<void> {
    await this.#journal?.close();
  }

  /** @param first begins a list of which nothing may have been sent */
  async #open(first: readonly BulkRecord[]): Promise<BulkJournal> {
    const [path, given] = [this.path, this.#given];
    const start = (state: BulkState): readonly BulkRecord[] => {
      const { isLocked } = state;
      const isBegun = !isLocked && first.length > 0;
      // Another process may have begun it, or changed it, meanwhile.
      if (!isBegun || first[0]?.t !== 'list') {
        const list = state.list ?? refuseMissing(path);
        if (given) refuseChanges(path, list, given.record, given.settings.serviceMoved);
      }
      return given ? withSettings(isBegun ? first : [], path, given, state) : [];
    };
    const found = this.#earlier;
    const journal = await openJournal({ path, kind: bulkKind, takeOver: this.#takeOver, found, start });
    // The journal was read again, because another process has written to it since.
    if (journal.state !== found?.state) this.lastRequestAt = performance.now();
    return journal;
  }

  #needRows(): Given {
    if (this.#given) return this.#given;
    throw wrongOption('input', 'missing: the rows are needed');
  }
}

function stateOf(record: ListRecord | undefined): BulkState {
  const state = new BulkState();
  if (record) state.apply(record);
  return state;
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

/** Puts the settings and the account before the baseline, which belongs to the account. */
function withSettings(
  first: readonly BulkRecord[],
  path: string,
  given: Given,
  state: BulkView,
): readonly BulkRecord[] {
  const begun = first.find((record) => record.t === 'list');
  const others = first.filter((record) => record !== begun);
  const moved = begun ? undefined : serviceAfterMove(path, given, state);
  const list = begun ?? (state.list as ListRecord);
  return [
    ...(begun ? [begun] : []),
    ...(moved ? [{ t: 'service', texts: moved } as const] : []),
    ...newSettings(given, state, moved ? { ...list, service: moved } : list),
    ...others,
  ];
}

/** The service of a list that has moved; undefined for any other list. @throws {JournalError} while rows are queued */
function serviceAfterMove(path: string, { record, settings }: Given, state: BulkView): Texts | undefined {
  const known = state.list?.service;
  const { service } = record;
  if (!settings.serviceMoved || !service || isSameService(known, service)) return undefined;
  if (state.queued().next().done) return service;
  const message = `${path}: rows are in a queue, whose workers know the earlier service: take them back first`;
  throw new JournalError('changed', { message });
}

/** The settings and the account that were given, when the journal has others. @param list the list as it begins */
function newSettings(
  { settings: { service: settings, account } }: Given,
  { settings: known, accounts }: BulkView,
  list: ListRecord,
): readonly BulkRecord[] {
  const isNew = settings !== undefined && isNewSettings(settings, known);
  const mark = account === undefined ? undefined : markOf(account, list);
  return [
    ...(isNew ? [{ t: 'settings', texts: settings } as const] : []),
    ...(mark !== undefined && mark !== accounts.at(-1)?.mark ? [{ t: 'account', mark } as const] : []),
  ];
}

function isNewSettings(given: Texts, known: Texts): boolean {
  return Object.keys({ ...known, ...given }).some((name) => given[name] !== known[name]);
}

/** Marks an account with four bytes: enough to notice another one, too few to find out a key. */
function markOf(account: string, { id, service }: ListRecord): string {
  const text = JSON.stringify([service?.baseUrl ?? '', account]);
  return createHmac('sha256', id).update(text).digest('hex').slice(0, 8);
}

/** The settings of a list that stay once something may have been sent, by the name of the option. */
function lockedSettings({ plan, fields, service = {} }: ListRecord): Readonly<Record<string, unknown>> {
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
function refuseChanges(path: string, list: ListRecord, given: ListRecord, serviceMoved = false): void {
  const known = serviceMoved ? { ...list, service: given.service } : list;
  const [before, now] = [lockedSettings(known), lockedSettings(given)];
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
