/** The first `length` UTF-16 units of a text, one less where that would cut a surrogate pair. */
export function truncate(text: string, length: number): string {
  return text.length > length ? text.slice(0, length).replace(/[\ud800-\udbff]$/, '') : text;
}

/** The same, with an ellipsis where something was left out. */
export function abbreviate(text: string, length: number): string {
  return text.length > length ? `${truncate(text, length)}…` : text;
}

/** Quotes an argument, where it needs that, so that a POSIX shell reads it back unchanged. */
export function quoteForShell(argument: string): string {
  return /^[\w@%+=:,./-]+$/.test(argument) ? argument : `'${argument.replaceAll("'", `'\\''`)}'`;
}

/** Copies a text that is part of a larger text. V8 keeps the whole text alive as long as a part of it is used. */
export function detach(text: string): string {
  return isDetached(text) ? text : Buffer.from(text).toString();
}

/** True for a text so short that V8 copies it when it is cut out of a larger text (up to 12 characters). */
export function isDetached(text: string): boolean {
  return text.length < 13;
}
