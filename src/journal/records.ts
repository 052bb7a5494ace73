import { wholeNumber } from '../options/checks';
import { type OptionTable, refuseValue, WrongValue } from '../options/table';

/** A line of a journal. `t` names the kind of record. */
export interface JournalRecord {
  readonly t: string;
}

/** A process. Process ids are used again, so the time of its start belongs to it. */
export interface ProcessIdentity {
  readonly pid: number;
  readonly host: string;
  /** The start of the process as its system writes it; null where the system does not say. */
  readonly start: string | null;
  /** The space in which the process id counts; null where there is only one. Containers may share a host name. */
  readonly space: string | null;
}

/** The version of the records. */
export const VERSION = 1;

/** Written when a process opens the journal. */
export interface OpenRecord extends JournalRecord, ProcessIdentity {
  readonly t: 'open';
  readonly v: number;
  /** The name of the journal's kind. */
  readonly kind: string;
  /** The id of this opening. */
  readonly opening: string;
}

/**
 * The records that every journal has. `synced` says that all lines between the opening and itself were on the disk
 * before it was written.
 */
export type OwnRecord = OpenRecord | { readonly t: 'close' } | { readonly t: 'synced' };

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
  /** Begins an opening: the processes that had the journal open before have ended. */
  begin(opening: string): void;
  /** Applies a record. False for a record that cannot follow the records before it. */
  apply(record: R): boolean;
}

/** The line of a record. */
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
  if (typeof value !== 'object' || value === null || !('t' in value) || typeof value.t !== 'string') return undefined;
  if (value.t === 'close' || value.t === 'synced') return { t: value.t };
  return value.t === 'open'
    ? (readOpen(value as OpenRecord) as OpenRecord | undefined)
    : readRecord(value as JournalRecord);
}

/** The checks of the values of each kind of record, as a table of options. */
export type RecordTables<R extends JournalRecord> = { readonly [T in R['t']]: OptionTable };

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

/** Makes a function that reads a record that was parsed from JSON; undefined for a value that is no record. */
export function recordReader<R extends JournalRecord>(
  tables: RecordTables<R>,
): (value: JournalRecord) => R | undefined {
  const readers = new Map(Object.entries<OptionTable>(tables).map(([t, table]) => [t, valuesReader(table)]));
  return (record) => readers.get(record.t)?.(record) as R | undefined;
}

/** Checks the values of a record in place: a long journal has millions of records. */
function valuesReader(table: OptionTable): (record: JournalRecord) => JournalRecord | undefined {
  const rows = Object.entries(table);
  return (record) => {
    const values = record as unknown as Record<string, unknown>;
    try {
      for (const [name, { read, required, default: fallback }] of rows) {
        const value = values[name];
        if (value !== undefined && value !== null) values[name] = read(value);
        else if (required) return undefined;
        else if (fallback !== undefined) values[name] = fallback;
      }
      return record;
    } catch (error) {
      if (error instanceof WrongValue) return undefined;
      throw error;
    }
  };
}

const openTable = {
  v: { read: wholeNumber(0), required: true },
  kind: { read: readPlainText, required: true },
  opening: { read: readPlainText, required: true },
  pid: { read: wholeNumber(0), required: true },
  host: { read: readPlainText, required: true },
  start: { read: readPlainText, default: null },
  space: { read: readPlainText, default: null },
} as const;

const readOpen = valuesReader(openTable);

/** Reads any text. */
export function readPlainText(value: unknown): string {
  return typeof value === 'string' ? value : refuseValue('a text is needed');
}

/** Reads a 64-bit number as a decimal text. */
export function readIdText(value: unknown): string {
  return typeof value === 'string' && /^-?\d{1,19}$/.test(value) ? value : refuseValue('an id is needed');
}

export function readIdTexts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(readIdText) : refuseValue('a list of ids is needed');
}
