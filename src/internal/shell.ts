/**
 * Quotes an argument where the platform's shell would not read it unchanged: a POSIX shell, or cmd.exe and PowerShell.
 * On Windows the same text suits both, except where an argument has a character that one of them expands: then it suits
 * PowerShell.
 */
export function quoteForShell(argument: string, platform = process.platform): string {
  if (platform === 'win32') {
    if (/^[\w+=:.\\/-]+$/.test(argument)) return argument;
    if (/[$`"%]/.test(argument)) return `'${argument.replaceAll("'", "''")}'`;
    // A program reads a backslash before the closing quote as an escape of the quote.
    return `"${argument.replace(/\\+$/, '$&$&')}"`;
  }
  return /^[\w@%+=:,./-]+$/.test(argument) ? argument : `'${argument.replaceAll("'", `'\\''`)}'`;
}
