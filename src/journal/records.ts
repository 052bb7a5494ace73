import { wholeNumber } from '../options/checks';
import { isObject, type OptionTable, refuseValue, WrongValue } from '../options/table';

export const VERSION = 1;

/** A line of a journal. `t` names the kind of record. */
export interface JournalRecord {
  readonly t: string;
}

/** The records that a program keeps in a journal, and their meaning. */
export interface JournalKind<R extends JournalRecord, S extends JournalState<R>> {
  /** Distinguishes the journal from those of other programs. */
  readonly name: string;
  /** The knowledge that is lost with the journal, for messages: "what was sent". */
  readonly knowledge: string;
  readonly createState: () => S;
  /** Reads a record that was parsed from JSON; undefined for a value that is no record. */
  readonly readRecord: (value: JournalRecord) => R | undefined;
}

/** The sum of a journal's records. */
export interface JournalState<R extends JournalRecord> {
  /**
   * Begins an opening: the processes that had the journal open before have ended.
   *
   * @param at the time of the opening, in milliseconds since 1970; undefined when it is not known
   */
  begin?(opening: string, at?: number): void;
  /** True for a line that need not be read, because its record would change nothing that is of interest. */
  skips?(line: string): boolean;
  /** Applies a record. False for a record that cannot follow the records before it. */
  apply(record: R): boolean;
}

export function formatLine(record: JournalRecord): string {
  return `${JSON.stringify(record)}\n`;
}

/** Reads a line; undefined for a line that is no record. */
export function parseLine<R extends JournalRecord>(
  line: string,
  readRecord: (value: JournalRecord) => R | undefined,
): R | OwnRecord | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined;
  }
  if (!isObject(value) || typeof value.t !== 'string') return undefined;
  const record = value as unknown as JournalRecord;
  return readRecord(record) ?? readOwn(record);
}

/** The checks of the values of each kind of record, as a table of options. */
type RecordTables<R extends JournalRecord> = { readonly [T in R['t']]: OptionTable };

/** The records of a set of tables, by their kinds. A value without `required` and `default` may be absent. */
export type RecordsOf<Tables extends Readonly<Record<string, OptionTable>>> = {
  readonly [T in keyof Tables & string]: Flat<
    { readonly t: T } & { readonly [K in NeededIn<Tables[T]>]: ReturnType<Tables[T][K]['read']> } & {
      readonly [K in Exclude<keyof Tables[T], NeededIn<Tables[T]>>]?: ReturnType<Tables[T][K]['read']> | undefined;
    }
  >;
};
type NeededIn<Table extends OptionTable> = {
  [K in keyof Table]: Table[K] extends { readonly required: true } | { readonly default: unknown } ? K : never;
}[keyof Table];
type Flat<T> = { readonly [K in keyof T]: T[K] };

/**
 * Makes a function that reads a record that was parsed from JSON; undefined for a value that is no record. The values
 * are checked in place: a long journal has millions of records.
 */
export function recordReader<R extends JournalRecord>(
  tables: RecordTables<R>,
): (value: JournalRecord) => R | undefined {
  const rowsOf = new Map(Object.entries<OptionTable>(tables).map(([t, table]) => [t, Object.entries(table)]));
  return (record) => {
    const rows = rowsOf.get(record.t);
    if (rows === undefined) return undefined;
    const values = record as unknown as Record<string, unknown>;
    try {
      for (const [name, { read, required, default: fallback }] of rows) {
        const value = values[name];
        if (value !== undefined && value !== null) values[name] = read(value);
        else if (required) return undefined;
        else if (fallback !== undefined) values[name] = fallback;
      }
      return record as R;
    } catch (error) {
      if (error instanceof WrongValue) return undefined;
      throw error;
    }
  };
}

export function readPlainText(value: unknown): string {
  return typeof value === 'string' ? value : refuseValue('a text is needed');
}

/** Reads a 64-bit number as a decimal text. */
export function readIdText(value: unknown): string {
  return typeof value === 'string' && /^-?\d{1,19}$/.test(value) ? value : refuseValue('an id is needed');
}

const text = { read: readPlainText, required: true } as const;
const textOrNull = { read: (value: unknown): string | null => readPlainText(value), default: null } as const;

/** The records that every journal has. */
const ownTables = {
  /** Written when a process opens the journal. */
  open: {
    v: { read: wholeNumber(0), required: true },
    /** The name of the journal's kind. */
    kind: text,
    /** The id of this opening. */
    opening: text,
    pid: { read: wholeNumber(0), required: true },
    host: text,
    /** The start of the process as its system writes it; null where the system does not say. */
    start: textOrNull,
    /** The time of the opening, in milliseconds since 1970. */
    at: { read: wholeNumber(0), default: 0 },
    /** The space in which the process id counts; null where there is only one. Containers may share a host name. */
    space: textOrNull,
    /** The thread of the process, in a form that is only for comparison; null where it is not known. */
    thread: textOrNull,
  },
  close: {},
  /** Says that all lines between the opening and this one were on the disk before it was written. */
  synced: {},
} as const satisfies Readonly<Record<string, OptionTable>>;

type OwnRecords = RecordsOf<typeof ownTables>;
export type OwnRecord = OwnRecords[keyof OwnRecords];
export type OpenRecord = OwnRecords['open'];
/** A process. Process ids are used again, so the time of its start belongs to it. */
export type ProcessIdentity = Pick<OpenRecord, 'pid' | 'host' | 'start' | 'space'>;
/** A thread of a process. */
export type OwnerIdentity = ProcessIdentity & Pick<OpenRecord, 'thread'>;

const readOwn = recordReader<OwnRecord>(ownTables);
