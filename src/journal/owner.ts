import { execFileSync } from 'node:child_process';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { type OpenRecord, type ProcessIdentity, VERSION } from './records';

/** A process that has a journal open, or may have it open. */
export interface JournalHolder {
  readonly pid: number;
  readonly host: string;
  /** True for a process on another host or in another container. It cannot be seen from here, and may have ended. */
  readonly isElsewhere: boolean;
}

/** The openings of this process. A journal whose file failed has no `close` record, and is free nevertheless. */
export const ownOpenings = new Set<string>();

/** The process that opened a journal last and did not close it; undefined when that process has ended. */
export function holderOf(opened: OpenRecord | undefined): JournalHolder | undefined {
  if (opened === undefined) return undefined;
  const { pid, host, opening } = opened;
  const isRunning = isAlive(opened);
  // A process knows which journals it has open.
  const isHeld = isRunning && pid === process.pid ? ownOpenings.has(opening) : isRunning;
  return isHeld === false ? undefined : { pid, host, isElsewhere: isHeld === undefined };
}

/** The record with which this process opens a journal. @param kind the name of the journal's kind */
export function openRecord(kind: string, opening: string): OpenRecord {
  return { t: 'open', v: VERSION, kind, opening, at: Date.now(), ...ownIdentity() };
}

export function ownIdentity(): ProcessIdentity {
  return { pid: process.pid, host: hostname(), start: startOf(process.pid) ?? null, space: spaceOf() };
}

/**
 * True while a process runs or is stopped; undefined for a process that cannot be seen from here. Process ids are used
 * again, so the start must be equal too.
 */
export function isAlive({ pid, host, start, space }: ProcessIdentity): boolean | undefined {
  if (host !== hostname() || space !== spaceOf()) return undefined;
  try {
    process.kill(pid, 0);
  } catch (error) {
    // EPERM: the process runs, and belongs to another user.
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
  }
  const current = startOf(pid);
  return current === undefined || start === null || current === start;
}

/** The PID namespace of the first process of a machine. Linux gives it the same number on every machine. */
const INITIAL_SPACE = 'pid:[4026531836]';

/** The PID namespace of this process on Linux. A later boot may use its number again, so the boot belongs to it. */
function spaceOf(): string | null {
  const space = tryTo(() => readlinkSync('/proc/self/ns/pid'));
  if (space === undefined) return null;
  return space === INITIAL_SPACE ? space : `${space} ${readBoot()}`;
}

function readBoot(): string {
  return readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim();
}

/** The start of a process, in a form that is only for comparison; undefined where the system does not say. */
function startOf(pid: number): string | undefined {
  return process.platform === 'linux' ? readProc(pid) : askPs(pid);
}

/** The clock ticks since the boot, and the boot's id. A zombie counts as ended. */
function readProc(pid: number): string | undefined {
  const stat = tryTo(() => readFileSync(`/proc/${pid}/stat`, 'latin1'));
  const boot = tryTo(readBoot);
  if (stat === undefined || boot === undefined) return undefined;
  // The second field is a name that may hold anything; the last bracket ends it. Fields are counted from 1.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state, ticks] = [fields[0], fields[22 - 3]];
  return state === 'Z' || state === 'X' ? 'ended' : `${boot}:${ticks}`;
}

/** Asks `ps`, on macOS and the BSDs, in a fixed language and time zone: two processes must agree. */
function askPs(pid: number): string | undefined {
  const env = { ...process.env, LC_ALL: 'C', TZ: 'UTC' };
  const ps = () => execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8', env });
  return tryTo(ps)?.trim() || undefined;
}

function tryTo<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
