/** Returns the first `length` UTF-16 units of a text, or one unit less where the cut would split a surrogate pair. */
export function truncate(text: string, length: number): string {
  return text.length > length ? text.slice(0, length).replace(/[\ud800-\udbff]$/, '') : text;
}

/** Truncates a text, and marks the cut with an ellipsis. */
export function abbreviate(text: string, length: number): string {
  return text.length > length ? `${truncate(text, length)}…` : text;
}

/**
 * Copies a text that was cut out of a larger text. V8 keeps the larger text alive as long as a part of it is used, but
 * copies both parts of a joined text when it takes a part of that. It also copies parts of less than 13 characters.
 */
export function detach(text: string): string {
  return text.length < 13 ? text : ` ${text}`.slice(1);
}
