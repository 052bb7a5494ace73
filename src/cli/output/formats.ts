import { bigintReplacer } from '../../json';
import type { Field } from '../../soap/elements/legacy-fields';
import { type DateUnit, formatDate, isDate } from '../fields/dates';
import { displayWidth, visibleExactly, wrap } from '../terminal/text';

/** The smallest width of a text column, so that a phone number stays on one line. Longer texts then go below their row. */
const NARROWEST = 12;
const GAP = '  ';
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;

type Row = Readonly<Record<string, unknown>>;

/** A column of a table: where it stands in the rows, its field, and how wide it is. */
interface Column {
  readonly index: number;
  readonly field: Field;
  width: number;
}

/**
 * Records as an aligned table, one column per field. With `width`, the columns of a terminal, wide texts are wrapped; the longest
 * then go below their row, as `field  value`, and where even that is too wide each record is a block of such lines. Costs
 * and statuses are the contract's raw numbers, and so are dates without `dates`, their unit. An absent text is left blank.
 */
export function formatTable(
  fields: readonly Field[],
  rows: readonly Row[],
  {
    width = Number.POSITIVE_INFINITY,
    dates,
  }: { readonly width?: number | undefined; readonly dates?: DateUnit | undefined } = {},
): string {
  const table = rows.map((row) => fields.map((field) => cellText(field, row[field.name], dates)));
  const columns = fields.map((field, index) => ({
    index,
    field,
    width: table.reduce((widest, cells) => Math.max(widest, displayWidth(cells[index] as string)), field.name.length),
  }));
  const layout = arrange(columns, width);
  if (!layout) return table.map((cells) => formatBlock(columns, cells, '', width)).join('\n');
  const header = fields.map(({ name }) => name);
  const below = (cells: readonly string[]): string =>
    formatBlock(
      layout.below.filter(({ index }) => cells[index] !== ''),
      cells,
      GAP,
      width,
    );
  return (
    formatRow(layout.beside, header) + table.map((cells) => formatRow(layout.beside, cells) + below(cells)).join('')
  );
}

function cellText(field: Field, value: unknown, dates: DateUnit | undefined): string {
  if (value === undefined || value === null) return '';
  return dates && isDate(field) ? formatDate(value as bigint, dates) : visibleExactly(String(value));
}

/**
 * Which columns stand beside each other, narrowed until they fit, and which go below their row: at most half of the text
 * columns, the longest first. Undefined if that is not enough.
 */
function arrange(
  columns: readonly Column[],
  width: number,
): { readonly beside: readonly Column[]; readonly below: readonly Column[] } | undefined {
  const texts = columns.filter(({ field }) => field.type === 'string').sort((a, b) => b.width - a.width);
  for (let count = 0; count <= texts.length / 2; count++) {
    const below = texts.slice(0, count);
    const beside = columns.filter((column) => !below.includes(column)).map((column) => ({ ...column }));
    if (narrow(beside, width)) return { beside, below };
  }
  return undefined;
}

/** Narrows the widest text column until the row fits; false if it cannot. */
function narrow(columns: readonly Column[], width: number): boolean {
  let excess = columns.reduce((sum, column) => sum + column.width, GAP.length * (columns.length - 1)) - width;
  for (; excess > 0; excess--) {
    const widest = widestText(columns);
    if (!widest || widest.width <= NARROWEST) return false;
    widest.width--;
  }
  return true;
}

function widestText(columns: readonly Column[]): Column | undefined {
  const texts = columns.filter(({ field }) => field.type === 'string');
  return texts.reduce<Column | undefined>(
    (widest, column) => (widest && widest.width >= column.width ? widest : column),
    undefined,
  );
}

function formatRow(columns: readonly Column[], cells: readonly string[]): string {
  const wrapped = columns.map(({ index, width }) => wrap(cells[index] as string, width));
  const height = Math.max(...wrapped.map((lines) => lines.length));
  let text = '';
  for (let line = 0; line < height; line++) {
    const parts = wrapped.map((lines, place) => align(lines[line] ?? '', columns[place] as Column));
    text += `${parts.join(GAP).trimEnd()}\n`;
  }
  return text;
}

function align(text: string, { width, field }: Column): string {
  const padding = ' '.repeat(width - displayWidth(text));
  return field.type === 'string' ? isolate(text) + padding : padding + text;
}

/** A left-to-right mark after right-to-left text keeps the numbers of the next column from moving to its other side. */
function isolate(text: string): string {
  return RIGHT_TO_LEFT.test(text) ? `${text}\u200e` : text;
}

/** Lines of `field  value`, the values wrapped. */
function formatBlock(columns: readonly Column[], cells: readonly string[], indent: string, width: number): string {
  const name = columns.reduce((widest, { field }) => Math.max(widest, field.name.length), 0) + GAP.length;
  const room = Math.max(width - indent.length - name, NARROWEST);
  const hanging = `\n${indent}${' '.repeat(name)}`;
  return columns
    .map(({ index, field }) => {
      const value = wrap(cells[index] as string, room).join(hanging);
      return `${indent}${`${field.name.padEnd(name)}${value}`.trimEnd()}\n`;
    })
    .join('');
}

/** The header row of CSV: the contract's field names. */
export function formatCsvHeader(fields: readonly Field[]): string {
  return csvLine(fields.map(({ name }) => name));
}

/** A text that a spreadsheet would run, or read as a number. */
const FORMULA = /^[=+\-@\t\r]/;

/** The text with a `'` before what a spreadsheet would run as a formula. */
export function escapeFormula(text: string): string {
  return FORMULA.test(text) ? `'${text}` : text;
}

/**
 * A record, or the value of a single column, as a row of RFC 4180. An absent text is empty, an empty one is `""`.
 *
 * @param show changes texts before they are quoted
 */
export function formatCsvRow(fields: readonly Field[], row: unknown, show: (text: string) => string): string {
  const values = typeof row === 'object' && row !== null ? fields.map(({ name }) => (row as Row)[name]) : [row];
  return csvLine(values.map((value) => (typeof value === 'string' ? show(value) : value)));
}

function csvLine(values: readonly unknown[]): string {
  return `${values.map(csvCell).join(',')}\r\n`;
}

function csvCell(value: unknown): string {
  if (value === undefined || value === null) return '';
  const text = String(value);
  return text === '' || /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Characters that JSON allows raw but a terminal acts on: C1 controls, line separators, direction overrides. */
const ACTIVE_IN_JSON = /[\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;

/** A value as one line of JSON, safe to show in a terminal. A long is a string: JSON's numbers would round it. */
export function formatJson(value: unknown): string {
  const text = JSON.stringify(value, bigintReplacer);
  // They stand inside strings only, where an escape means the same.
  return text.replace(ACTIVE_IN_JSON, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
