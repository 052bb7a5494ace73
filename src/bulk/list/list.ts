import type { Signal } from '../../internal/signals';
import { JournalError } from '../../journal/errors';
import { openJournal, refuseHolder } from '../../journal/journal';
import type { JournalHolder } from '../../journal/owner';
import { type ReadJournal, readJournal } from '../../journal/read-journal';
import type { JournalKind } from '../../journal/records';
import { wrongOption } from '../../options/table';
import type { RowSettings } from '../options';
import type { CheckedRows } from '../rows/checked-rows';
import { type BulkJournal, type BulkView, bulkKind, refuseMissing } from '../state/bulk-journal';
import { BulkState } from '../state/bulk-state';
import type { PlanOptions } from '../state/plan';
import type { BulkRecord, ListRecord, Texts } from '../state/records';
import type { RowsElsewhere } from './before-list';
import { hasSameRows, isSameList, type ListChange, refuseChangedRows, refuseOtherPlan } from './changes';
import { areNewSettings, type Given, newSettings, readGivenRows } from './given';
import { placeRows, type RowPlace } from './open-rows';
import { replaceJournal } from './replace';

/** The state with the messages of the rows, for a list whose rows are compared. */
const kindWithDigests: JournalKind<BulkRecord, BulkState> = { ...bulkKind, createState: () => new BulkState(true) };

/** How a list is read. */
interface ReadOptions {
  readonly takeOver?: boolean;
  /** True keeps the messages of the rows, in 16 bytes a row. They are needed to send, and to say what has changed. */
  readonly keepsMessages?: boolean;
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
  /** The change that the given rows make. */
  change: ListChange = 'same';
  /** False for a row that this command must not send, because another list may have sent its message. */
  maySend: (row: number) => boolean = () => true;
  /** The rows that wait until it is known whether another list has sent their messages. */
  waiting: RowsElsewhere | undefined;
  /** The reason why rows stay pending, although this command was to send them. */
  stopped: string | undefined;
  #takeOver: boolean;
  readonly #kind: JournalKind<BulkRecord, BulkState>;
  /** The journal as it was read; undefined when the file is missing. */
  #earlier: ReadJournal<BulkState> | undefined;
  #given: Given | undefined;
  /** The knowledge about given rows before they have a journal. It takes 48 bytes a row. */
  #begun: BulkState | undefined;
  #journal: BulkJournal | undefined;

  private constructor(
    path: string,
    takeOver: boolean,
    kind: JournalKind<BulkRecord, BulkState>,
    earlier: ReadJournal<BulkState> | undefined,
  ) {
    this.path = path;
    this.#takeOver = takeOver;
    this.#kind = kind;
    this.#earlier = earlier;
  }

  /** Reads the list of a journal, which may be in use, or missing. @throws {JournalError} */
  static async at(path: string, { takeOver = false, keepsMessages = false }: ReadOptions = {}): Promise<List> {
    const kind = keepsMessages ? kindWithDigests : bulkKind;
    return new List(path, takeOver, kind, await readJournal(path, kind));
  }

  /** Reads a list, and compares rows with it. @throws {JournalError} and as `compare` does */
  static async of(settings: RowSettings, signal?: Signal): Promise<List> {
    const list = await List.at(settings.journal, { takeOver: settings.takeOver, keepsMessages: true });
    await list.compare(settings, signal);
    return list;
  }

  /** Reads the list of a journal, which must exist. @throws {JournalError} */
  static async read(path: string, options?: ReadOptions): Promise<List> {
    const list = await List.at(path, options);
    return list.state.list ? list : refuseMissing(path);
  }

  /**
   * Reads and checks rows, and compares them with the journal. It writes nothing.
   *
   * @throws {InputError} that names every problem; {JournalError} when the rows cannot take the place of those of the
   * journal
   */
  async compare(settings: RowSettings, signal?: Signal): Promise<void> {
    this.#takeOver = settings.takeOver;
    const { state } = this;
    const { list, isLocked, replacedBy } = state;
    if (list && isLocked && replacedBy === undefined) {
      const given = await readGivenRows(settings, { counts: false, names: list.names }, signal);
      if (hasSameRows(list, given)) {
        refuseOtherPlan(this.path, list, given);
        this.#take(given, 'same');
        return;
      }
    }
    const given = await readGivenRows(settings, { counts: true }, signal);
    const isRunning = isLocked || replacedBy !== undefined;
    if (list && isRunning) await refuseChangedRows(this.path, state, given);
    const isSame = list !== undefined && !isRunning && isSameList(list, given.record) && state.hasDigests;
    this.#take(given, isRunning ? 'replaces' : isSame ? 'same' : list ? 'anew' : 'new');
  }

  /**
   * Reads the rows of a locked list as they began, whatever the contract says now. They are not sent.
   *
   * @throws {InputError}; {JournalError} when the rows have changed
   */
  async readRecorded(settings: RowSettings, signal?: Signal): Promise<void> {
    this.#takeOver = settings.takeOver;
    const { names } = this.state.list ?? refuseMissing(this.path);
    // No reply lets other rows take the place of these.
    const recorded = { ...settings, again: undefined };
    const given = await readGivenRows(recorded, { counts: false, names, isRecorded: true }, signal);
    if (!hasSameRows(this.state.list as ListRecord, given)) await refuseChangedRows(this.path, this.state, given);
    this.#take(given, 'same');
  }

  /** Finds rows of the journal in a file that has changed since. Without a change there is nothing to find. */
  async findRows(settings: RowSettings, rows: readonly number[]): Promise<readonly RowPlace[]> {
    const { list } = this.state;
    const given = await readGivenRows(settings, { counts: false, names: list?.names, isRecorded: true });
    return list && hasSameRows(list, given) ? [] : placeRows(this.state, rows, given);
  }

  #take(given: Given, change: ListChange): void {
    const { list } = this.state;
    this.change = change;
    this.#begun = undefined;
    this.#given = change === 'same' && list ? { ...given, record: { ...given.record, id: list.id } } : given;
  }

  /** The knowledge about the list. */
  get state(): BulkView {
    if (this.#journal) return this.#journal.state;
    // The journal may have another list, of which nothing was sent.
    const isEarlier = this.change === 'same' || this.change === 'replaces';
    const earlier = isEarlier ? this.#earlier?.state : undefined;
    if (earlier) return earlier;
    this.#begun ??= stateOf(this.#given?.record);
    return this.#begun;
  }

  /** True when nothing is left to send, to look up or to record. */
  get hasEnded(): boolean {
    const { table, isLocked, replacedBy } = this.state;
    const isDone = isLocked && table.count('pending') + table.count('unknown') === 0;
    const { settings } = this.given.settings;
    const keeps = settings === undefined || !areNewSettings(settings, this.state.settings);
    return isDone && keeps && this.change === 'same' && replacedBy === undefined && this.holder === undefined;
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
    return (this.#given?.record ?? (this.state.list as ListRecord)).plan;
  }

  /** The checked rows. @throws {ConfigurationError} when the list was opened by its journal alone */
  get rows(): CheckedRows {
    return this.given.rows;
  }

  /** The rows that were given. @throws {ConfigurationError} when the list was opened by its journal alone */
  get given(): Given {
    if (this.#given) return this.#given;
    throw wrongOption('input', 'missing: the rows are needed');
  }

  /** The journal, which must be open. */
  get journal(): BulkJournal {
    if (this.#journal) return this.#journal;
    throw new Error('the list is not open');
  }

  /** Refuses a list that another process has open. @throws {JournalError} */
  async refuseHolder(): Promise<void> {
    if (this.#journal) return;
    // The process that had the journal open may have ended since.
    if (this.#earlier?.holder) this.#earlier = await readJournal(this.path, this.#kind);
    refuseHolder(this.#earlier, this.#takeOver);
  }

  /** Opens the journal of a list that was begun. @throws {JournalError} */
  async open(): Promise<BulkJournal> {
    this.#journal ??= await this.#open((state) => {
      const { list, replacedBy } = state;
      if (!list) refuseMissing(this.path);
      if (replacedBy !== undefined) throw new JournalError('changed', { message: `${this.path}: ${REPLACED}` });
      return this.#given ? newSettings(this.#given, state, list as ListRecord) : [];
    });
    return this.#journal;
  }

  /**
   * Opens the journal, and writes further records.
   *
   * @param isAsked true when somebody was asked: the journal must be as it was before
   * @throws {JournalError} when another command has changed the journal meanwhile
   */
  async write(records: Iterable<BulkRecord>, isAsked: boolean): Promise<void> {
    if (this.change === 'replaces') {
      this.#journal ??= await this.#open((state) => this.#refuseOther(state, true));
      this.#journal = await replaceJournal(this.#journal, this.given.record.id, records);
    } else if (this.#journal) await this.#journal.commit(records);
    else
      this.#journal = await this.#open((state) => {
        this.#refuseOther(state, isAsked);
        return records;
      });
    this.change = 'same';
  }

  /** Refuses a journal that another command has changed since it was read. */
  #refuseOther(state: BulkState, isAsked: boolean): readonly never[] {
    const known = this.#earlier?.state;
    const isSame = known ? state === known : state.list === undefined;
    // Another command may have sent more of the same list.
    const goesOn = !isAsked && this.change === 'same' && state.list?.id === known?.list?.id;
    if (isSame || (goesOn && state.replacedBy === undefined)) return [];
    const when = isAsked ? 'while you were asked' : 'in the meantime';
    throw new JournalError('changed', {
      message: `${this.path}: another command has changed the list ${when}: run again`,
    });
  }

  /**
   * Records how the service is reached, for later commands. While another process has the journal open, nothing is
   * recorded.
   *
   * @throws {JournalError} when the journal cannot be opened; {JournalWriteError}
   */
  async keepSettings(settings: Texts): Promise<void> {
    if (this.holder || !areNewSettings(settings, this.state.settings)) return;
    try {
      await (await this.open()).commit({ t: 'settings', texts: settings });
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

  async #open(start: (state: BulkState) => Iterable<BulkRecord>): Promise<BulkJournal> {
    const found = this.#earlier;
    // The given rows have the messages of a new list.
    const kind = this.change === 'new' ? bulkKind : this.#kind;
    const options = { path: this.path, kind, takeOver: this.#takeOver, found, start };
    this.#begun = undefined;
    const journal = await openJournal(options);
    // The journal was read again, because another process has written to it since.
    if (journal.state !== found?.state) this.lastRequestAt = performance.now();
    return journal;
  }
}

const REPLACED = 'a changed file has taken the place of this list, and run goes on with it';

function stateOf(record: ListRecord | undefined): BulkState {
  const state = new BulkState();
  if (record) state.apply(record);
  return state;
}
