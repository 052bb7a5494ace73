import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Io } from '../../terminal/io';

/**
 * Runs a command in a shell. The command has a process group of its own, because Ctrl-C in a terminal reaches the whole
 * group: the first signal waits for the command, and the second one kills it.
 *
 * @param signal aborted by the first signal
 * @throws {Error} when the command does not exit with 0
 */
export async function runCommand(
  command: string,
  input: string,
  signal: AbortSignal,
  { signals }: Pick<Io, 'signals'>,
): Promise<void> {
  const isPosix = process.platform !== 'win32';
  const child = spawn(command, { shell: true, detached: isPosix, stdio: ['pipe', 'inherit', 'inherit'] });
  const kill = (): void => {
    if (child.pid === undefined || child.exitCode !== null) return;
    if (isPosix) process.kill(-child.pid, 'SIGKILL');
    else child.kill('SIGKILL');
  };
  const killAtNextSignal = (): void => {
    signals.once('SIGINT', kill).once('SIGTERM', kill).once('SIGHUP', kill);
  };
  signal.addEventListener('abort', killAtNextSignal);
  if (signal.aborted) killAtNextSignal();
  try {
    // A command need not read its stdin.
    child.stdin.on('error', () => undefined).end(input);
    const [code, name] = await once(child, 'exit');
    if (code !== 0) throw new Error(code === null ? `--exec was ended by ${name}` : `--exec exited with ${code}`);
  } finally {
    signal.removeEventListener('abort', killAtNextSignal);
    signals.off('SIGINT', kill).off('SIGTERM', kill).off('SIGHUP', kill);
  }
}
