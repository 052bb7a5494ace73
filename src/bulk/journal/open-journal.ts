import { randomUUID } from 'node:crypto';
import { Journal } from './journal';
import { JournalError } from './journal-errors';
import { type JournalFile, openJournalFile } from './journal-file';
import { Ledger } from './ledger';
import { isAlive, ownIdentity } from './process-identity';
import { type JournalState, readJournal } from './read-journal';
import type { Holder, JournalRecord, PlanOptions } from './records';

/** A journal that this process has open. */
export interface OpenJournal {
  readonly ledger: Ledger;
  readonly journal: Journal;
  readonly options: PlanOptions;
  /** Names this opening. */
  readonly run: string;
}

/** What a journal has to belong to. */
export interface Expected {
  readonly sha256: string;
  readonly rows: number;
  readonly options: PlanOptions;
}

export interface OpenOptions {
  readonly path: string;
  /** That the process which has it open on another host has ended. */
  readonly takeOver: boolean;
  /** Without it the journal has to be there. */
  readonly expected?: Expected | undefined;
  /** How the file is opened. */
  readonly openFile?: ((path: string) => Promise<JournalFile>) | undefined;
}

/**
 * Opens a journal, which is made if there is none.
 *
 * @throws {JournalError} when another process has it open, when it belongs to another input, is damaged, or cannot be opened
 */
export async function openJournal({
  path,
  takeOver,
  expected,
  openFile = openJournalFile,
}: OpenOptions): Promise<OpenJournal> {
  const found = await readJournal(path);
  checkHolder(path, found?.holder, takeOver);
  const bulk = found?.bulk ?? (expected && ({ t: 'bulk', v: 1, ...expected } as const));
  if (bulk === undefined) throw new JournalError('changed', `there is no journal ${path}, or it has no rows yet`);
  if (expected) checkUnchanged(path, bulk, expected);

  const run = randomUUID();
  const file = await openFile(path).catch((error: Error) => {
    // A new journal in another place would not know what was sent.
    const advice = found
      ? 'make it writable, since it knows what was sent; nothing more was sent'
      : 'choose another place with the journal option; nothing was sent';
    throw new JournalError('unusable', `the journal cannot be opened: ${error.message}; ${advice}`);
  });
  openRuns.add(run);
  const journal = new Journal(file, found?.size ?? 0, () => void openRuns.delete(run));
  const ledger = found?.ledger ?? new Ledger();
  const records: JournalRecord[] = [{ t: 'open', run, ...ownIdentity() }];
  if (found?.bulk === undefined) records.push(bulk);
  try {
    await journal.commit(...records);
  } catch (error) {
    await journal.close();
    throw error;
  }
  for (const record of records) ledger.apply(record);
  return { ledger, journal, options: bulk.options, run };
}

/** What this process has open: a journal that failed has no `close` record, and is free nevertheless. */
const openRuns = new Set<string>();

/** A process that has a journal open, or may have. */
export interface JournalHolder {
  readonly pid: number;
  readonly host: string;
  /** Whether it is a process of another host: then it may have ended. */
  readonly isElsewhere: boolean;
}

/** The process that opened a journal last and did not close it; undefined when that one has ended. */
export function holderOf({ holder }: JournalState): JournalHolder | undefined {
  if (holder === undefined) return undefined;
  const isHeld = isHolding(holder);
  return isHeld === false ? undefined : { pid: holder.pid, host: holder.host, isElsewhere: isHeld === undefined };
}

/** Undefined for a process of another host, of which nothing is known. */
function isHolding(holder: Holder): boolean | undefined {
  const { pid, host, start } = ownIdentity();
  const isOwn = holder.pid === pid && holder.host === host && holder.start === start;
  return isOwn ? openRuns.has(holder.run) : isAlive(holder);
}

function checkHolder(path: string, holder: Holder | undefined, takeOver: boolean): void {
  const alive = holder && isHolding(holder);
  if (holder === undefined || alive === false || (alive === undefined && takeOver)) return;
  const who = `process ${holder.pid} on ${holder.host}`;
  if (alive) throw new JournalError('locked', `${path} is in use by ${who}`);
  const problems = [
    { option: 'journal', message: `${path} was opened by ${who} and not closed` },
    { option: 'takeOver', message: 'give it if this process has ended' },
  ];
  throw new JournalError('locked', { problems });
}

function checkUnchanged(path: string, { sha256, rows, options }: Expected, expected: Expected): void {
  const changed = (['operation', 'batchSize', 'idsInOrder', 'startWithinMs'] as const)
    .filter((name) => options[name] !== expected.options[name])
    .map((name) => ({ option: name as string, message: `was ${options[name]} and is ${expected.options[name]}` }));
  if (rows !== expected.rows) {
    changed.push({ option: 'input', message: `there were ${rows} rows and are ${expected.rows}` });
  } else if (changed.length === 0 && sha256 !== expected.sha256) {
    changed.push({ option: 'input', message: 'a row, a field or a template has changed' });
  }
  if (changed.length === 0) return;
  const advice =
    'use the same file and options as before, or put other rows in a file of their own; do not delete the journal, it knows what was sent';
  const journal = { option: 'journal', message: `${path} belongs to other rows: ${advice}` };
  throw new JournalError('changed', { problems: [...changed, journal] });
}
