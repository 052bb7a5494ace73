import { basename, sep } from 'node:path';

/** An argument as a POSIX shell reads it back to the letter. */
export function quote(argument: string): string {
  return /^[\w@%+=:,./-]+$/.test(argument) ? argument : `'${argument.replaceAll("'", `'\\''`)}'`;
}

/** How a process was started, as a command line to paste into a shell: by its name where the PATH will find that. */
export function invocationOf({
  argv,
  execPath,
  execArgv,
}: Pick<NodeJS.Process, 'argv' | 'execPath' | 'execArgv'>): string {
  const [, script = ''] = argv;
  if (basename(script) !== 'messaging') return [execPath, ...execArgv, script].map(quote).join(' ');
  // A project's own copy, found by npx or a script, is not on the PATH of another terminal.
  return script.includes(`${sep}node_modules${sep}`) ? quote(script) : 'messaging';
}
