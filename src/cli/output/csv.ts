import type { Field } from '../../../generated/operations';

/** The header row: the contract's field names. */
export function formatCsvHeader(fields: readonly Field[]): string {
  return formatLine(fields.map(({ name }) => name));
}

/**
 * A record, or the value of a single column, as a row of RFC 4180. An absent text is empty, an empty one is `""`.
 *
 * @param show what to do to texts before they are quoted
 */
export function formatCsvRow(fields: readonly Field[], row: unknown, show: (text: string) => string): string {
  const values = typeof row === 'object' ? fields.map(({ name }) => (row as Record<string, unknown>)[name]) : [row];
  return formatLine(values.map((value) => (typeof value === 'string' ? show(value) : value)));
}

function formatLine(values: readonly unknown[]): string {
  return `${values.map(formatValue).join(',')}\r\n`;
}

function formatValue(value: unknown): string {
  if (value === undefined) return '';
  const text = String(value);
  return text === '' || /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
