import { records } from '../../../generated/operations';
import { formatCsvRow } from '../../internal/csv';
import type { DateUnit } from '../../options/settings';
import type { Element, ItemElement } from '../../soap/element';
import type { Context } from '../commander/command';
import type { Format, OutputOptions } from '../settings/global-options';
import { type Paint, painter } from '../terminal/color';
import { UsageError } from '../terminal/failure';
import { StatusLine } from '../terminal/status-line';
import { visibleExactly } from '../terminal/text';
import { escapeFormula } from './csv';
import { formatJson } from './json';
import { Table } from './table';

type Row = Readonly<Record<string, unknown>>;
/** Rows as they arrive, or all at once. */
type Rows = AsyncIterable<unknown> | Iterable<unknown>;

/** The shape of a result. */
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

/** The type of an operation's result. */
export function resultType(result: Element): ResultType {
  const isList = result.kind === 'list';
  const item: ItemElement = isList ? result.item : result;
  const isRecord = item.kind === 'record';
  const columns = isRecord ? records[item.record] : [{ ...item, name: result.name }];
  return { columns, isRecord, isList, isCounted: isList && isRecord };
}

/** Prints rows on stdout in one of the formats. */
export class ResultPrinter {
  readonly format: Format;
  /** Shows the number of rows so far, when stdout is a file or a pipe while stderr is a terminal. */
  readonly progress: StatusLine | undefined;
  /** The number of printed rows of a print that is under way: a failure leaves them behind as incomplete output. */
  printed = 0;
  #rows = 0;
  #counted = 0;
  readonly #type: ResultType;
  readonly #context: Context;
  readonly #dates: DateUnit | undefined;
  /** The columns that were asked for, or all. */
  readonly #columns: readonly Element[];
  readonly #chosen: boolean;
  readonly #formatLine: (row: unknown) => string;
  #header: string;
  /** The table of the rows so far: the next one continues it. */
  #last: Table | undefined;
  readonly #paint: Paint;

  /**
   * @throws {UsageError} for a column that the result does not have, and for an option that has no effect on the format
   */
  constructor(type: ResultType, given: OutputOptions, context: Context, dates?: DateUnit) {
    const { stdout, stderr } = context.io;
    this.#type = type;
    this.#context = context;
    this.#dates = dates;
    this.#paint = painter(stdout, context.io.environment);
    this.#chosen = given.columns !== undefined;
    this.#columns = given.columns === undefined ? type.columns : chooseColumns(type, given.columns);
    this.format = given.output ?? (stdout.isTTY || !type.isRecord ? 'table' : 'csv');
    if (given.csvSafe && this.format !== 'csv')
      throw new UsageError(`--csv-safe: the output is ${this.format}, not csv`);
    this.progress =
      type.isRecord && type.isList && !stdout.isTTY && stderr.isTTY ? new StatusLine(stderr, context.log) : undefined;
    // A file gets texts to the letter; a terminal would act on control characters.
    const show = stdout.isTTY ? visibleExactly : (text: string) => text;
    const protect = given.csvSafe ? (text: string) => show(escapeFormula(text)) : show;
    this.#formatLine = this.#lineFormat(protect);
    // Printed with the first row, or at a good end: a failed call prints nothing.
    this.#header = this.format === 'csv' ? formatCsvRow(this.#columns.map(({ name }) => name)) : '';
  }

  /** True when rows are printed as they arrive. */
  get streams(): boolean {
    return (
      this.format === 'csv' || this.format === 'ndjson' || (this.format === 'table' && this.#type.widest !== undefined)
    );
  }

  /** May be called several times in a format that streams, and for a table. */
  async print(rows: Rows, signal?: AbortSignal): Promise<void> {
    if (!this.streams) {
      await this.#printWhole(await this.#gather(rows), signal);
      return;
    }
    for await (const row of rows) {
      await this.#context.stdout.write(this.#header + this.#formatLine(row), signal);
      this.#header = '';
      this.#count(++this.printed);
    }
    this.#rows += this.printed;
    this.printed = 0;
  }

  /** Ends the output of a call that succeeded. */
  async end(signal?: AbortSignal): Promise<void> {
    await this.#context.stdout.write(this.#header, signal);
    // The summary comes after the data, also where both go to one terminal.
    await this.#context.stdout.finish(signal);
    this.progress?.end();
    if (this.format === 'table' && this.#type.isCounted) this.#context.log(this.#summary());
  }

  /** Formats rows of any shape, with the chosen columns, as JSON: for people on a terminal, in one line elsewhere. */
  json(value: unknown): string {
    return `${formatJson(this.pick(value), this.format === 'json' && this.#context.io.stdout.isTTY)}\n`;
  }

  /** The chosen columns of a record, or of each record in a list; any other value unchanged. */
  pick(value: unknown): unknown {
    if (Array.isArray(value)) return this.#chosen ? value.map((row) => this.pick(row)) : value;
    if (!this.#chosen || typeof value !== 'object' || value === null) return value ?? null;
    const names = this.#columns.map(({ name }) => name).filter((name) => Object.hasOwn(value, name));
    return Object.fromEntries(names.map((name) => [name, (value as Row)[name]]));
  }

  /** @param show changes a text before it is printed */
  #lineFormat(show: (text: string) => string): (row: unknown) => string {
    const { widest } = this.#type;
    if (this.format === 'csv') return (row) => this.#formatCsv(row, show);
    if (this.format === 'ndjson' || !widest) return (row) => this.json(row);
    const table = this.#table([widest]);
    return (row) => table.format([row as Row]);
  }

  #formatCsv(row: unknown, show: (text: string) => string): string {
    const values = this.#type.isRecord ? this.#columns.map(({ name }) => (row as Row)[name]) : [row];
    return formatCsvRow(values.map((value) => (typeof value === 'string' ? show(value) : value)));
  }

  async #gather(rows: Rows): Promise<unknown[]> {
    const all: unknown[] = [];
    for await (const row of rows) this.#count(all.push(row));
    return all;
  }

  #count(rows: number): void {
    this.#counted = rows;
    this.progress?.start(() => `${this.#counted.toLocaleString('en')} ${this.#counted === 1 ? 'record' : 'records'}`);
  }

  async #printWhole(rows: readonly unknown[], signal: AbortSignal | undefined): Promise<void> {
    const text = this.format === 'json' ? this.json(this.#type.isList ? rows : rows[0]) : this.#formatTable(rows);
    await this.#context.stdout.write(text, signal);
    this.#rows += rows.length;
  }

  /** @param rows the rows that decide the widths of the columns */
  #table(rows: readonly Row[]): Table {
    const { isTTY, columns } = this.#context.io.stdout;
    // A terminal of unknown width reports 0.
    const width = isTTY && columns ? columns : undefined;
    this.#last = new Table(this.#columns, rows, { width, dates: this.#dates, paint: this.#paint, after: this.#last });
    return this.#last;
  }

  #formatTable(rows: readonly unknown[]): string {
    if (this.#type.isRecord) return this.#table(rows as Row[]).format(rows as Row[]);
    const { isTTY } = this.#context.io.stdout;
    const show = isTTY ? visibleExactly : (text: string) => text;
    return rows.map((value) => `${show(String(value ?? ''))}\n`).join('');
  }

  #summary(): string {
    return `${this.#rows || 'no'} record${this.#rows === 1 ? '' : 's'}`;
  }
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
