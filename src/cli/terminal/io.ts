import type { EventEmitter } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { quoteForShell } from '../../internal/strings';
import { Interrupted } from './failure';

/** The parts of its process that the program uses. Tests pass their own. */
export interface Io {
  readonly stdin: Readable;
  readonly stdout: Terminal;
  readonly stderr: Terminal;
  readonly environment: NodeJS.ProcessEnv;
  /** Emits SIGINT, SIGTERM and SIGHUP, as the process does. */
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

/**
 * Runs work that SIGINT (Ctrl-C), SIGTERM and SIGHUP abort. Only the first of each is caught: a second one ends the process. SIGHUP,
 * which a lost connection of a terminal sends, counts as SIGTERM.
 */
export async function interruptible<T>(signals: EventEmitter, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const interrupt = (name: 'SIGINT' | 'SIGTERM' | 'SIGHUP'): void =>
    controller.abort(new Interrupted(name === 'SIGINT' ? name : 'SIGTERM'));
  signals.once('SIGINT', interrupt).once('SIGTERM', interrupt).once('SIGHUP', interrupt);
  try {
    return await work(controller.signal);
  } finally {
    signals.off('SIGINT', interrupt).off('SIGTERM', interrupt).off('SIGHUP', interrupt);
  }
}

/** The shell command that starts this program again: its name if the PATH has it. */
export function invocationOf(
  { argv, execPath, execArgv }: Pick<NodeJS.Process, 'argv' | 'execPath' | 'execArgv'>,
  platform = process.platform,
): string {
  const [, script = ''] = argv;
  const folders = script.split(/[\\/]/);
  // npx keeps what it has fetched in a cache that it may clear.
  if (folders.includes('_npx')) return 'npx -p messaging-soap messaging';
  // On Windows a small program starts the file of the package. PowerShell and cmd do not agree about a quoted program.
  if (platform === 'win32' && folders.includes('node_modules')) {
    return folders.at(folders.indexOf('node_modules') - 1) === 'npm' ? 'messaging' : 'npx messaging';
  }
  if (folders.at(-1) !== 'messaging') {
    return [execPath, ...execArgv, script].map((word) => quoteForShell(word, platform)).join(' ');
  }
  // A project's own copy, started by npx or a script, is not on the PATH of another terminal.
  return folders.includes('node_modules') ? quoteForShell(script, platform) : 'messaging';
}
