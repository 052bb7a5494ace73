import { basename, sep } from 'node:path';
import { quoteForShell } from '../shell-quote';

/** How a process was started, as a command line to paste into a shell: by its name where the PATH will find that. */
export function invocationOf({
  argv,
  execPath,
  execArgv,
}: Pick<NodeJS.Process, 'argv' | 'execPath' | 'execArgv'>): string {
  const [, script = ''] = argv;
  if (basename(script) !== 'messaging') return [execPath, ...execArgv, script].map(quoteForShell).join(' ');
  // A project's own copy, found by npx or a script, is not on the PATH of another terminal.
  return script.includes(`${sep}node_modules${sep}`) ? quoteForShell(script) : 'messaging';
}
