/** Formats values as a row of RFC 4180. An absent value is empty, an empty text is `""`. */
export function formatCsvRow(values: readonly unknown[]): string {
  return `${values.map(formatCell).join(',')}\r\n`;
}

function formatCell(value: unknown): string {
  if (value === undefined || value === null) return '';
  const text = String(value);
  return text === '' || /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
