import type { RawRow } from './input';

/** A text with places that rows fill: `Hello {{name}}`. Blanks inside the braces do not count. */
export interface Template {
  /** The columns that it names. */
  readonly columns: readonly string[];
  /** The text of a row that has a text in each of the columns. */
  fill(row: RawRow): string;
}

/**
 * Reads a template; undefined for a text without `{{column}}`. A backslash before the braces keeps them as they are:
 * `\{{name}}` is sent as `{{name}}`, and two backslashes are sent as one before the column's value.
 */
export function parseTemplate(text: string): Template | undefined {
  const parts: ({ readonly text: string } | { readonly column: string })[] = [];
  let end = 0;
  for (const { 0: match, 1: slashes = '', 2: column = '', index } of text.matchAll(PLACE)) {
    parts.push({ text: text.slice(end, index) + (slashes.length === 2 ? '\\' : '') });
    parts.push(slashes.length === 1 ? { text: match.slice(1) } : { column });
    end = index + match.length;
  }
  if (end === 0) return undefined;
  parts.push({ text: text.slice(end) });
  return {
    columns: [...new Set(parts.flatMap((part) => ('column' in part ? part.column : [])))],
    fill: (row) => parts.map((part) => ('column' in part ? row[part.column] : part.text)).join(''),
  };
}

/** A column in braces, after the backslashes that escape it. */
const PLACE = /(\\{1,2})?\{\{\s*(.*?)\s*\}\}/gs;
