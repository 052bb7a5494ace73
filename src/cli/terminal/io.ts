import type { EventEmitter } from 'node:events';
import { basename, sep } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { quoteForShell } from '../../internal/strings';
import { Interrupted } from './failure';

/** The parts of its process that the program uses. Tests pass their own. */
export interface Io {
  readonly stdin: Readable;
  readonly stdout: Terminal;
  readonly stderr: Terminal;
  readonly environment: NodeJS.ProcessEnv;
  /** Emits SIGINT and SIGTERM, as the process does. */
  readonly signals: EventEmitter;
  /** How to start this program from a shell, for command lines that a user pastes. */
  readonly invocation: string;
}

/** A stream that may be a terminal. */
export type Terminal = Writable & {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
};

/** Runs work that SIGINT (Ctrl-C) and SIGTERM abort. Only the first of each is caught: a second one ends the process. */
export async function interruptible<T>(signals: EventEmitter, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const interrupt = (name: 'SIGINT' | 'SIGTERM'): void => controller.abort(new Interrupted(name));
  signals.once('SIGINT', interrupt).once('SIGTERM', interrupt);
  try {
    return await work(controller.signal);
  } finally {
    signals.off('SIGINT', interrupt).off('SIGTERM', interrupt);
  }
}

/** The shell command that starts this program again: its name if the PATH has it. */
export function invocationOf({
  argv,
  execPath,
  execArgv,
}: Pick<NodeJS.Process, 'argv' | 'execPath' | 'execArgv'>): string {
  const [, script = ''] = argv;
  if (basename(script) !== 'messaging')
    return [execPath, ...execArgv, script].map((word) => quoteForShell(word)).join(' ');
  // npx keeps what it has fetched in a cache that it may clear.
  if (script.split(sep).includes('_npx')) return 'npx -p messaging-soap messaging';
  // A project's own copy, started by npx or a script, is not on the PATH of another terminal.
  return script.includes(`${sep}node_modules${sep}`) ? quoteForShell(script) : 'messaging';
}
