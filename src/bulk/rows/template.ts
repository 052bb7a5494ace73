import type { RawRow } from './raw-rows';

/** A text that rows fill: `Hello {{name}}`. Blanks inside the braces do not count. */
export interface Template {
  /** The columns that it names. */
  readonly columns: readonly string[];
  /** The text of a row that has a text in each of the columns. */
  fill(row: RawRow): string;
}

/** The template that a text is, or undefined for a text without `{{column}}`. */
export function parseTemplate(text: string): Template | undefined {
  // With a group in the pattern, every second part is a column.
  const parts = text.split(/\{\{\s*(.*?)\s*\}\}/s);
  if (parts.length === 1) return undefined;
  const isColumn = (_: string, index: number) => index % 2 === 1;
  return {
    columns: [...new Set(parts.filter(isColumn))],
    fill: (row) => parts.map((part, index) => (isColumn(part, index) ? row[part] : part)).join(''),
  };
}
