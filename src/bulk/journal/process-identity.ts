import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import type { ProcessIdentity } from './records';

/** This process, so that another one can tell whether it still lives. */
export function ownIdentity(): ProcessIdentity {
  return { pid: process.pid, host: hostname(), start: startOf(process.pid) ?? null };
}

/**
 * Whether a process lives. A process id is given again after its process has ended, so the start time must be equal too. A
 * stopped process lives. Of another host nothing is known: undefined.
 */
export function isAlive({ pid, host, start }: ProcessIdentity): boolean | undefined {
  if (host !== hostname()) return undefined;
  try {
    process.kill(pid, 0);
  } catch (error) {
    // EPERM: it lives, and belongs to another user.
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
  }
  const current = startOf(pid);
  return current === undefined || start === null || current === start;
}

/** When a process was started, in a form that only serves for comparison; undefined where the system does not say. */
function startOf(pid: number): string | undefined {
  return process.platform === 'linux' ? readProc(pid) : askPs(pid);
}

/** Clock ticks since the boot, and which boot that was. A process that has ended and waits for its parent counts as ended. */
function readProc(pid: number): string | undefined {
  let stat: string;
  let boot: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    boot = readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim();
  } catch {
    return undefined;
  }
  // The second field is a name that may hold anything; the last bracket ends it. Fields are counted from 1.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state, ticks] = [fields[0], fields[22 - 3]];
  return state === 'Z' || state === 'X' ? 'ended' : `${boot}:${ticks}`;
}

/** Asks `ps`, on macOS and the BSDs. It writes local time in the user's language, so both are fixed: two processes must agree. */
function askPs(pid: number): string | undefined {
  try {
    const env = { ...process.env, LC_ALL: 'C', TZ: 'UTC' };
    const started = execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8', env });
    return started.trim() || undefined;
  } catch {
    return undefined;
  }
}
