/** Returns the first `length` UTF-16 units of a text, or one unit less where the cut would split a surrogate pair. */
export function truncate(text: string, length: number): string {
  return text.length > length ? text.slice(0, length).replace(/[\ud800-\udbff]$/, '') : text;
}

/** Truncates a text, and marks the cut with an ellipsis. */
export function abbreviate(text: string, length: number): string {
  return text.length > length ? `${truncate(text, length)}…` : text;
}

/** Returns an address without its user name and password. Other texts do not change. */
export function addressWithoutPassword(address: string): string {
  return address.replace(/^(https?:[\\/]*)[^\\/?#]*@/i, '$1');
}

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

/**
 * Copies a text that was cut out of a larger text. V8 keeps the larger text alive as long as a part of it is used, but
 * copies both parts of a joined text when it takes a part of that. It also copies parts of less than 13 characters.
 */
export function detach(text: string): string {
  return text.length < 13 ? text : ` ${text}`.slice(1);
}

/** True for a valid file name on every system. */
export function isFileName(name: string): boolean {
  return /^[\w-][\w.-]*$/.test(name) && !name.endsWith('.') && !isDeviceName(name);
}

/** True for the name of a Windows device. Windows allows no file of such a name, also with an ending: aux.ts. */
export function isDeviceName(name: string): boolean {
  return /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i.test(name);
}
