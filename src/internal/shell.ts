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

/**
 * Quotes an argument of a command that is printed on a terminal. For a POSIX shell, characters that a terminal would
 * act on are written in visible characters.
 */
export function quoteForTerminal(argument: string): string {
  const isVisible = !/[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u.test(argument);
  // A shell takes the line feeds off the end of what a command prints.
  if (isVisible || argument.endsWith('\n') || process.platform === 'win32') return quoteForShell(argument);
  const bytes = [...Buffer.from(argument)].map((byte) =>
    /[\w./-]/.test(String.fromCharCode(byte)) ? String.fromCharCode(byte) : `\\${byte.toString(8).padStart(3, '0')}`,
  );
  return `"$(printf '${bytes.join('')}')"`;
}
