import type { EventEmitter } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { quoteForShell } from '../../internal/shell';
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

export type Terminal = Writable & {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
};

/** A signal that SIGINT, SIGTERM and SIGHUP abort. */
interface CaughtSignals {
  readonly signal: AbortSignal;
  /** Gives the signals back to the process. */
  release(): void;
}

/**
 * Catches the first SIGINT (Ctrl-C), SIGTERM and SIGHUP; a second one of a kind ends the process. SIGHUP, which a lost
 * connection of a terminal sends, counts as SIGTERM.
 */
export function catchSignals(signals: EventEmitter): CaughtSignals {
  const controller = new AbortController();
  const interrupt = (name: 'SIGINT' | 'SIGTERM' | 'SIGHUP'): void =>
    controller.abort(new Interrupted(name === 'SIGINT' ? name : 'SIGTERM'));
  signals.once('SIGINT', interrupt).once('SIGTERM', interrupt).once('SIGHUP', interrupt);
  return {
    signal: controller.signal,
    release: () => void signals.off('SIGINT', interrupt).off('SIGTERM', interrupt).off('SIGHUP', interrupt),
  };
}

/** Runs work that the first SIGINT, SIGTERM or SIGHUP aborts. */
export async function interruptible<T>(signals: EventEmitter, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const { signal, release } = catchSignals(signals);
  try {
    return await work(signal);
  } finally {
    release();
  }
}

/** The part of the process that says how the program was called. */
type Caller = Pick<NodeJS.Process, 'argv' | 'argv0' | 'execPath' | 'execArgv'>;

const COMMANDS = ['messaging', 'messaging-soap'];

/**
 * The shell command that starts this program again, as the user called it. The name `messaging-soap` is this package's
 * for npx: outside a project, `npx messaging` would fetch a package of a stranger.
 */
export function invocationOf(
  { argv, argv0, execPath, execArgv }: Caller,
  platform = process.platform,
  folder = currentFolder(),
): string {
  const [, script = ''] = argv;
  const folders = script.split(/[\\/]/);
  const place = folders.lastIndexOf('node_modules');
  const name = folders.at(-1) ?? '';
  // The name by which Node was called, where the path of the shell leads to it.
  const node = /[\\/]/.test(argv0) ? execPath : argv0;
  const quoted = [node, ...execArgv, script].map((word) => quoteForShell(word, platform)).join(' ');
  // npx keeps what it has fetched in a cache of this name.
  if (folders.includes('_npx')) return 'npx messaging-soap';
  // On Windows a small program starts the file of the package, and that of a global installation is in a folder npm.
  if (platform === 'win32' && place > 0 && folders[place - 1] === 'npm') return 'messaging';
  const isInstalled = place >= 0 && ['.bin', 'messaging-soap'].includes(folders[place + 1] ?? '');
  if (!isInstalled) return COMMANDS.includes(name) ? name : quoted;
  // npx finds a project's own copy from a folder of the project only.
  const project = script.slice(0, folders.slice(0, place).join('/').length);
  const isInside = folder === project || [`${project}/`, `${project}\\`].some((start) => folder.startsWith(start));
  if (isInside) return 'npx messaging-soap';
  return COMMANDS.includes(name) ? quoteForShell(script, platform) : quoted;
}

/** The folder of this process; empty when it was deleted. */
function currentFolder(): string {
  try {
    return process.cwd();
  } catch {
    return '';
  }
}
