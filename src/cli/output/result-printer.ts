import type { DateUnit } from '../../client/options/settings';
import { formatCsvRow } from '../../internal/csv';
import type { Element, ItemElement } from '../../soap/element';
import { fieldsOf } from '../../soap/record-fields';
import type { Context } from '../commander/command';
import type { Format, OutputOptions } from '../settings/global-options';
import { UsageError } from '../terminal/failure';
import { StatusLine } from '../terminal/status-line';
import { visibleExactly } from '../terminal/text';
import { formatJson } from './json';
import { BYTE_ORDER_MARK, protectCell } from './spreadsheet';
import { Table } from './table';

type Row = Readonly<Record<string, unknown>>;
type Rows = AsyncIterable<unknown> | Iterable<unknown>;

export interface ResultType {
  /** The elements of its records; for other values a single element. */
  readonly columns: readonly Element[];
  readonly isRecord: boolean;
  readonly isList: boolean;
  /** True when a line on stderr says the number of rows of a table. */
  readonly isCounted: boolean;
  /** A row that is as wide as any other; with it, a table is printed row by row. */
  readonly widest?: Row;
}

/** The type of a report: rows of texts with these columns. */
export function reportType(columns: readonly string[], widest?: Row): ResultType {
  const elements = columns.map((name): Element => ({ name, kind: 'text' }));
  return { columns: elements, isRecord: true, isList: true, isCounted: false, ...(widest && { widest }) };
}

export function resultType(result: Element): ResultType {
  const isList = result.kind === 'list';
  const item: ItemElement = isList ? result.item : result;
  const isRecord = item.kind === 'record';
  const columns = isRecord ? fieldsOf(item) : [{ ...item, name: result.name }];
  return { columns, isRecord, isList, isCounted: isList && isRecord };
}

export class ResultPrinter {
  readonly format: Format;
  /** Shows the number of rows so far, when stdout is a file or a pipe while stderr is a terminal. */
  readonly progress: StatusLine | undefined;
  /** The number of printed rows of a print that is under way: a failure leaves them behind as incomplete output. */
  printed = 0;
  #rows = 0;
  readonly #type: ResultType;
  readonly #context: Context;
  readonly #dates: DateUnit | undefined;
  /** The columns that were asked for, or all. */
  readonly #columns: readonly Element[];
  /** True for CSV that a spreadsheet program shows without changing a value. */
  readonly #isSpreadsheet: boolean;
  /** Printed with the first row, or at a good end: a failed call prints nothing. */
  #header: string;
  /** The table of the rows so far: the next one continues it. */
  #last: Table | undefined;

  /**
   * @throws {UsageError} for a column that the result does not have, and for an option that has no effect on the format
   */
  constructor(type: ResultType, given: OutputOptions, context: Context, dates?: DateUnit) {
    const { stdout, stderr } = context.io;
    this.#type = type;
    this.#context = context;
    this.#dates = dates;
    this.#columns = given.columns === undefined ? type.columns : chooseColumns(type, given.columns);
    this.#isSpreadsheet = given.spreadsheet === true;
    const usual = stdout.isTTY || !type.isRecord ? 'table' : 'csv';
    this.format = given.output ?? (this.#isSpreadsheet ? 'csv' : usual);
    if (this.#isSpreadsheet && this.format !== 'csv')
      throw new UsageError(`--spreadsheet: the output is ${this.format}, not csv`);
    const isShown = type.isRecord && type.isList && !stdout.isTTY && stderr.isTTY;
    this.progress = isShown ? new StatusLine(stderr, context.log) : undefined;
    const names = this.#columns.map(({ name }) => name);
    this.#header = this.format === 'csv' ? (this.#isSpreadsheet ? BYTE_ORDER_MARK : '') + this.#formatCsv(names) : '';
  }

  /** True when rows are printed as they arrive. */
  get streams(): boolean {
    return this.format === 'table' ? this.#type.widest !== undefined : this.format !== 'json';
  }

  /** May be called several times in a format that streams, and for a table. */
  async print(rows: Rows, signal?: AbortSignal): Promise<void> {
    const all: unknown[] = [];
    for await (const row of rows) {
      if (this.streams) {
        await this.#context.stdout.write(this.#header + this.#formatRow(row), signal);
        this.#header = '';
        this.printed++;
      } else all.push(row);
      this.#rows++;
      this.progress?.start(() => countOf(this.#rows));
    }
    this.printed = 0;
    if (this.streams) return;
    const text = this.format === 'json' ? this.json(this.#type.isList ? all : all[0]) : this.#formatTable(all);
    await this.#context.stdout.write(text, signal);
  }

  async end(signal?: AbortSignal): Promise<void> {
    await this.#context.stdout.write(this.#header, signal);
    // The summary comes after the data, also where both go to one terminal.
    await this.#context.stdout.finish(signal);
    this.progress?.end();
    if (this.format === 'table' && this.#type.isCounted) this.#context.log(countOf(this.#rows || 'no'));
  }

  /** Formats rows of any shape, with the chosen columns, as JSON: for people on a terminal, in one line elsewhere. */
  json(value: unknown): string {
    return `${formatJson(this.pick(value), this.format === 'json' && this.#context.io.stdout.isTTY)}\n`;
  }

  /** The chosen columns of a record, or of each record in a list; any other value unchanged. */
  pick(value: unknown): unknown {
    if (this.#columns === this.#type.columns) return value ?? null;
    if (Array.isArray(value)) return value.map((row) => this.pick(row));
    if (typeof value !== 'object' || value === null) return value ?? null;
    const names = this.#columns.map(({ name }) => name).filter((name) => Object.hasOwn(value, name));
    return Object.fromEntries(names.map((name) => [name, (value as Row)[name]]));
  }

  #formatRow(row: unknown): string {
    if (this.format === 'table') return this.#formatTable([row]);
    if (this.format === 'ndjson') return this.json(row);
    const values = this.#type.isRecord ? this.#columns.map(({ name }) => (row as Row)[name]) : [row];
    return this.#formatCsv(values);
  }

  #formatCsv(values: readonly unknown[]): string {
    const show = (value: unknown): unknown => {
      if (value === undefined || value === null) return value;
      if (this.#isSpreadsheet) return this.#show(protectCell(String(value)));
      return typeof value === 'string' ? this.#show(value) : value;
    };
    return formatCsvRow(values.map(show), '\r\n');
  }

  /** A file gets texts to the letter; a terminal would act on control characters. */
  #show(text: string): string {
    return this.#context.io.stdout.isTTY ? visibleExactly(text) : text;
  }

  #formatTable(rows: readonly unknown[]): string {
    if (!this.#type.isRecord) return rows.map((value) => `${this.#show(String(value ?? ''))}\n`).join('');
    const { stdout } = this.#context.io;
    const { widest } = this.#type;
    this.#last = new Table(this.#columns, widest ? [widest] : (rows as Row[]), {
      // A terminal of unknown width reports 0.
      width: (stdout.isTTY && stdout.columns) || undefined,
      dates: this.#dates,
      after: this.#last,
    });
    return this.#last.format(rows as Row[]);
  }
}

function countOf(rows: number | 'no'): string {
  return `${rows.toLocaleString('en')} ${rows === 1 ? 'record' : 'records'}`;
}

function chooseColumns({ columns, isRecord }: ResultType, list: string): readonly Element[] {
  if (!isRecord) throw new UsageError('--columns: the result has no columns');
  return list.split(',').map((name) => {
    const column = columns.find((element) => element.name === name.trim());
    if (column) return column;
    const known = columns.map((element) => element.name).join(', ');
    throw new UsageError(`--columns: there is no field ${JSON.stringify(name.trim())} (fields: ${known})`);
  });
}
