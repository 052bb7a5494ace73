/**
 * Formats values as a row of CSV. An absent value is empty, an empty text is `""`.
 *
 * @param lineEnd LF in a file that people edit, because Unix tools write it; CRLF on stdout, as RFC 4180 has it
 */
export function formatCsvRow(values: readonly unknown[], lineEnd: '\n' | '\r\n'): string {
  return values.map(formatCell).join(',') + lineEnd;
}

function formatCell(value: unknown): string {
  if (value === undefined || value === null) return '';
  const text = String(value);
  return text === '' || /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
