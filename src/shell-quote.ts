/** Quotes an argument, where it needs that, so that a POSIX shell reads it back unchanged. */
export function quoteForShell(argument: string): string {
  return /^[\w@%+=:,./-]+$/.test(argument) ? argument : `'${argument.replaceAll("'", `'\\''`)}'`;
}
