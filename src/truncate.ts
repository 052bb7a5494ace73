/** The first `length` UTF-16 units of a text, one less where that would cut a surrogate pair. */
export function truncate(text: string, length: number): string {
  return text.length > length ? text.slice(0, length).replace(/[\ud800-\udbff]$/, '') : text;
}

/** The same, with an ellipsis where something was left out. */
export function abbreviate(text: string, length: number): string {
  return text.length > length ? `${truncate(text, length)}…` : text;
}
