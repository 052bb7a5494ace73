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
}

/** Written when a process opens the journal. */
export interface OpenRecord extends JournalRecord, ProcessIdentity {
  readonly t: 'open';
  /** The form of the records until the next opening: 1 has no `synced` records. */
  readonly v: 1 | 2;
  /** The id of this opening. */
  readonly opening: string;
}

/**
 * The records that every journal has. `synced` says that all lines between the opening and itself were on the disk before it was
 * written.
 */
export type OwnRecord = OpenRecord | { readonly t: 'close' } | { readonly t: 'synced' };

/** What a program keeps in a journal. */
export interface JournalKind<R extends JournalRecord, S extends JournalState<R>> {
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
  return value.t === 'open' ? readOpen(value) : readRecord(value as JournalRecord);
}

function readOpen(value: object): OpenRecord | undefined {
  const { v = 1, opening, run, pid, host, start } = value as Readonly<Record<string, unknown>>;
  // Form 1 named an opening `run`.
  const id = v === 1 ? run : opening;
  if ((v !== 1 && v !== 2) || typeof id !== 'string' || typeof host !== 'string') return undefined;
  if (typeof pid !== 'number' || (start !== null && typeof start !== 'string')) return undefined;
  return { t: 'open', v, opening: id, pid, host, start };
}
