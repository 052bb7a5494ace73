import type { Field } from '../../../generated/operations';
import { displayWidth, visibleExactly, wrap } from './text';

/** The smallest width of a text column. Records that then do not fit are shown as blocks. */
const NARROWEST = 12;
const GAP = '  ';
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;

type Row = Readonly<Record<string, unknown>>;

/**
 * Records as an aligned table, one column per field. With `width`, the columns of a terminal, wide texts are wrapped; in a
 * terminal too narrow for that, each record is a block of `field  value` lines. Dates, costs and statuses are the contract's
 * raw numbers. An absent text is left blank.
 */
export function formatTable(fields: readonly Field[], rows: readonly Row[], width = Number.POSITIVE_INFINITY): string {
  const table = rows.map((row) => fields.map(({ name }) => cellText(row[name])));
  const widths = fields.map(({ name }, column) =>
    table.reduce((widest, cells) => Math.max(widest, displayWidth(cells[column] as string)), name.length),
  );
  if (!narrow(fields, widths, width)) return formatBlocks(fields, table, width);
  const header = fields.map(({ name }) => name);
  return [header, ...table].map((cells) => formatRow(fields, widths, cells)).join('');
}

function cellText(value: unknown): string {
  return value === undefined ? '' : visibleExactly(String(value));
}

/** Narrows the widest text column until the row fits; false if it cannot. */
function narrow(fields: readonly Field[], widths: number[], width: number): boolean {
  let excess = widths.reduce((sum, column) => sum + column, GAP.length * (widths.length - 1)) - width;
  for (; excess > 0; excess--) {
    const widest = Math.max(...widths.filter((_, column) => fields[column]?.type === 'string'));
    if (!(widest > NARROWEST)) return false;
    widths[widths.findIndex((size, column) => size === widest && fields[column]?.type === 'string')] = widest - 1;
  }
  return true;
}

function formatRow(fields: readonly Field[], widths: readonly number[], cells: readonly string[]): string {
  const columns = cells.map((cell, column) => wrap(cell, widths[column] as number));
  const height = Math.max(...columns.map((lines) => lines.length));
  let text = '';
  for (let line = 0; line < height; line++) {
    const parts = columns.map((lines, column) =>
      align(lines[line] ?? '', widths[column] as number, fields[column]?.type !== 'string'),
    );
    text += `${parts.join(GAP).trimEnd()}\n`;
  }
  return text;
}

function align(text: string, width: number, right: boolean): string {
  const padding = ' '.repeat(width - displayWidth(text));
  return right ? padding + text : isolate(text) + padding;
}

/** A left-to-right mark after right-to-left text keeps the numbers of the next column from moving to its other side. */
function isolate(text: string): string {
  return RIGHT_TO_LEFT.test(text) ? `${text}\u200e` : text;
}

function formatBlocks(fields: readonly Field[], table: readonly (readonly string[])[], width: number): string {
  const indent = Math.max(...fields.map(({ name }) => name.length)) + GAP.length;
  const room = Math.max(width - indent, NARROWEST);
  const formatField = (name: string, cell: string): string =>
    `${name.padEnd(indent)}${wrap(cell, room).join(`\n${' '.repeat(indent)}`)}`.trimEnd();
  return table
    .map((cells) => `${fields.map(({ name }, column) => formatField(name, cells[column] as string)).join('\n')}\n`)
    .join('\n');
}

/** The header row of CSV: the contract's field names. */
export function formatCsvHeader(fields: readonly Field[]): string {
  return csvLine(fields.map(({ name }) => name));
}

/**
 * A record, or the value of a single column, as a row of RFC 4180. An absent text is empty, an empty one is `""`.
 *
 * @param show changes texts before they are quoted
 */
export function formatCsvRow(fields: readonly Field[], row: unknown, show: (text: string) => string): string {
  const values = typeof row === 'object' ? fields.map(({ name }) => (row as Row)[name]) : [row];
  return csvLine(values.map((value) => (typeof value === 'string' ? show(value) : value)));
}

function csvLine(values: readonly unknown[]): string {
  return `${values.map(csvCell).join(',')}\r\n`;
}

function csvCell(value: unknown): string {
  if (value === undefined) return '';
  const text = String(value);
  return text === '' || /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Characters that JSON allows raw but a terminal acts on: C1 controls, line separators, direction overrides. */
const ACTIVE_IN_JSON = /[\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;

/** A value as one line of JSON, safe to show in a terminal. A long is a string: JSON's numbers would round it. */
export function formatJson(value: unknown): string {
  const text = JSON.stringify(value, (_, item) => (typeof item === 'bigint' ? item.toString() : item));
  // They stand inside strings only, where an escape means the same.
  return text.replace(ACTIVE_IN_JSON, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
