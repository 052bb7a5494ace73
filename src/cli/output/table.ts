import type { DateUnit } from '../../client/options/settings';
import type { Element } from '../../soap/element';
import { formatDate, isDate } from '../fields/dates';
import { displayWidth, visibleExactly, wrap } from '../terminal/text';

/** The smallest width of a wrapped column, so that a phone number stays on one line. */
const NARROWEST = 12;
const GAP = '  ';
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;

type Row = Readonly<Record<string, unknown>>;

interface Column {
  /** The place of its values in a row. */
  readonly index: number;
  readonly name: string;
  readonly isNumber: boolean;
  readonly width: number;
}

export interface TableOptions {
  /** The columns of the terminal. Default: no limit. */
  readonly width?: number | undefined;
  /** The unit of dates; with it, dates are shown in ISO 8601. */
  readonly dates?: DateUnit | undefined;
  /** The table that this one continues: its header is not printed again, and columns become no narrower. */
  readonly after?: Table | undefined;
}

/**
 * Formats records as an aligned table with a column for each element. Where the table is too wide, the longest text is
 * wrapped in its column. Where this is too wide as well, each record is a block of lines `name  value`. Costs and
 * statuses are the contract's raw numbers, and so are dates whose unit is not known. An absent text is left blank.
 */
export class Table {
  readonly #elements: readonly Element[];
  readonly #columns: readonly Column[];
  /** The columns as they fit the width; undefined if they do not. */
  readonly #fitting: readonly Column[] | undefined;
  readonly #width: number;
  readonly #dates: DateUnit | undefined;
  #isBegun: boolean;

  /** @param rows the rows that decide the widths of the columns */
  constructor(
    elements: readonly Element[],
    rows: readonly Row[],
    { width = Number.POSITIVE_INFINITY, dates, after }: TableOptions = {},
  ) {
    this.#isBegun = after ? after.#isBegun : false;
    this.#elements = elements;
    this.#width = width;
    this.#dates = dates;
    const table = rows.map((row) => this.#cellsOf(row));
    this.#columns = elements.map(({ name, kind }, index) => ({
      index,
      name,
      isNumber: kind === 'integer',
      width: table.reduce(
        (widest, cells) => Math.max(widest, displayWidth(cells[index] as string)),
        after ? (after.#columns[index] as Column).width : name.length,
      ),
    }));
    this.#fitting = narrow(this.#columns, width);
  }

  /** Formats the next rows; the first of them come after the header. */
  format(rows: readonly Row[]): string {
    return rows.map((row) => this.#formatNext(this.#cellsOf(row))).join('');
  }

  #formatNext(cells: readonly string[]): string {
    const isFirst = !this.#isBegun;
    this.#isBegun = true;
    const columns = this.#fitting;
    if (!columns) return (isFirst ? '' : '\n') + formatBlock(this.#columns, cells, this.#width);
    const names = this.#columns.map(({ name }) => name);
    return (isFirst ? formatRow(columns, names) : '') + formatRow(columns, cells);
  }

  #cellsOf(row: Row): string[] {
    return this.#elements.map((element) => {
      const value = row[element.name];
      if (value === undefined || value === null) return '';
      return this.#dates && isDate(element) ? formatDate(value as bigint, this.#dates) : visibleExactly(String(value));
    });
  }
}

/** Makes the longest text as narrow as the width requires; undefined if this is too narrow. */
function narrow(columns: readonly Column[], width: number): readonly Column[] | undefined {
  const needed = columns.reduce((sum, column) => sum + column.width, GAP.length * (columns.length - 1));
  if (needed <= width) return columns;
  const [longest] = columns.filter(({ isNumber }) => !isNumber).sort((a, b) => b.width - a.width);
  const room = longest ? width - (needed - longest.width) : 0;
  if (room < NARROWEST) return undefined;
  return columns.map((column) => (column === longest ? { ...column, width: room } : column));
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

function align(text: string, { width, isNumber }: Column): string {
  const padding = ' '.repeat(Math.max(width - displayWidth(text), 0));
  return isNumber ? padding + text : isolate(text) + padding;
}

/** Puts a left-to-right mark after right-to-left text: it keeps the numbers of the next column on their side. */
function isolate(text: string): string {
  return RIGHT_TO_LEFT.test(text) ? `${text}\u200e` : text;
}

/** Formats lines of `name  value`, the values wrapped. */
function formatBlock(columns: readonly Column[], cells: readonly string[], width: number): string {
  const names = columns.reduce((widest, { name }) => Math.max(widest, name.length), 0) + GAP.length;
  const room = Math.max(width - names, NARROWEST);
  const hanging = `\n${' '.repeat(names)}`;
  return columns
    .map(({ index, name }) => {
      const value = wrap(cells[index] as string, room).join(hanging);
      return `${`${name.padEnd(names)}${value}`.trimEnd()}\n`;
    })
    .join('');
}
