import { execFileSync } from 'node:child_process';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { basename } from 'node:path';
import { threadId } from 'node:worker_threads';
import { type OpenRecord, type OwnerIdentity, type ProcessIdentity, VERSION } from './records';

/** A process that has a journal open, or may have it open. */
export interface JournalHolder {
  readonly pid: number;
  readonly host: string;
  /** True for a process on another host or in another container. It cannot be seen from here, and may have ended. */
  readonly isElsewhere: boolean;
}

const REGISTRY = Symbol.for('messaging-soap:journal-openings');
const registry = globalThis as { [REGISTRY]?: Set<string> };

/**
 * The openings of this thread, whichever copy of the package made them: a program may have several copies, as bundles
 * and tests have. A journal whose file failed has no `close` record, and is free nevertheless.
 */
registry[REGISTRY] ??= new Set();
export const ownOpenings: Set<string> = registry[REGISTRY];

/** The thread that opened a journal last and did not close it; undefined when it has ended. */
export function holderOf(opened: OpenRecord | undefined): JournalHolder | undefined {
  if (opened === undefined) return undefined;
  const { pid, host } = opened;
  const isHeld = isOpen(opened);
  return isHeld === false ? undefined : { pid, host, isElsewhere: isHeld === undefined };
}

/** True while a journal is open; undefined where this cannot be seen from here. */
function isOpen(opened: OpenRecord): boolean | undefined {
  const { pid, opening, thread } = opened;
  const isRunning = isAlive(opened);
  if (!isRunning || pid !== process.pid) return isRunning;
  // A thread knows which journals it has open.
  return thread === ownThread() ? ownOpenings.has(opening) : isThreadAlive(thread);
}

/** The record with which this process opens a journal. @param kind the name of the journal's kind */
export function openRecord(kind: string, opening: string): OpenRecord {
  return { t: 'open', v: VERSION, kind, opening, at: Date.now(), ...ownIdentity() };
}

export function ownIdentity(): OwnerIdentity {
  const start = startOf(process.pid) ?? null;
  return { pid: process.pid, host: hostname(), start, space: spaceOf(), thread: ownThread() };
}

/** This thread: on Linux by its number in the system and the time of its start, elsewhere by its number in Node. */
function ownThread(): string {
  // The link has the form 4711/task/4712.
  const task = tryTo(() => basename(readlinkSync('/proc/thread-self')));
  const start = task === undefined ? undefined : startOfTask(task);
  return start === undefined ? `thread ${threadId}` : `${task}:${start}`;
}

/** False for a thread of this process that is known to have ended. */
function isThreadAlive(thread: string | null): boolean {
  const [, task, start] = /^(\d+):(\d+)$/.exec(thread ?? '') ?? [];
  return task === undefined || startOfTask(task) === start;
}

/** The clock ticks from the boot to the start of a thread of this process; undefined when there is no such thread. */
function startOfTask(task: string): string | undefined {
  const stat = tryTo(() => readFileSync(`/proc/self/task/${task}/stat`, 'latin1'));
  return stat === undefined ? undefined : fieldOf(stat, 22);
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
  const state = fieldOf(stat, 3);
  return state === 'Z' || state === 'X' ? 'ended' : `${boot}:${fieldOf(stat, 22)}`;
}

/** A field of a stat file of Linux, from the third on. Fields are counted from 1. */
function fieldOf(stat: string, field: number): string | undefined {
  // The second field is a name that may hold anything; the last bracket ends it.
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[field - 3];
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
