import type { RawRow } from './input';

/** A text with places that rows fill: `Hello {{name}}`. Blanks inside the braces do not count. */
export interface Template {
  readonly columns: readonly string[];
  /** The text of a row that has a text in each of the columns. */
  fill(row: RawRow): string;
}

/**
 * Reads a template; undefined for a text without `{{column}}`. A backslash before the braces keeps them as they are:
 * `\{{name}}` is sent as `{{name}}`, and two backslashes are sent as one before the column's value.
 */
export function parseTemplate(text: string): Template | undefined {
  const places = [...text.matchAll(PLACE)];
  if (places.length === 0) return undefined;
  const columns = places.flatMap(([, slashes, column = '']) => (slashes === '\\' ? [] : column.trim()));
  return {
    columns: [...new Set(columns)],
    fill: (row) =>
      text.replace(PLACE, (place: string, slashes: string | undefined, column: string) =>
        slashes === '\\' ? place.slice(1) : `${slashes ? '\\' : ''}${row[column.trim()]}`,
      ),
  };
}

/** A column in braces, after the backslashes that escape it. Without a limit, each `{{` would be tried to the end. */
const PLACE = /(\\{1,2})?\{\{((?:(?!\{\{|\}\}).)*)\}\}/gs;
