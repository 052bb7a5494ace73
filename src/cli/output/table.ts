import type { Field } from '../../../generated/operations';
import { visibleExactly } from './visible';
import { displayWidth } from './width';
import { wrap } from './wrap';

/** Text columns are not made narrower than this; what then does not fit is shown record by record. */
const NARROWEST = 12;
const GAP = '  ';
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;

type Row = Readonly<Record<string, unknown>>;

/**
 * Records as an aligned table, one column per field. With `width`, the columns of a terminal, wide texts are wrapped,
 * and a terminal too narrow for that gets each record as a block of `field  value` lines. Dates, costs and statuses are the
 * contract's raw numbers. An absent text is left blank.
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
