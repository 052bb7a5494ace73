import { type Field, type RecordName, records } from '../../soap/elements/legacy-fields';
import type { Context } from '../commander/command';
import type { DateUnit } from '../fields/dates';
import type { Format, GlobalOptions } from '../settings/settings';
import { UsageError } from '../terminal/failure';
import { ProgressLine } from '../terminal/progress-line';
import { visibleExactly } from '../terminal/text';
import { escapeFormula, formatCsvHeader, formatCsvRow, formatJson, formatTable } from './formats';

type Values = Readonly<Record<string, unknown>>;
/** Rows as they arrive, or all at once. */
type Rows = AsyncIterable<unknown> | Iterable<unknown>;

/** What a result consists of. */
export interface ResultType {
  /** The fields of its records; for other values a single one. */
  readonly columns: readonly Field[];
  readonly isRecord: boolean;
  readonly isList: boolean;
  /** Whether a line on stderr tells the number of rows of a table. */
  readonly isCounted: boolean;
}

/** Rows of texts with these columns. */
export function reportType(...names: readonly string[]): ResultType {
  const columns = names.map((name): Field => ({ name, type: 'string', optional: false }));
  return { columns, isRecord: true, isList: true, isCounted: false };
}

/** The type of an operation's result element. */
export function resultType(result: Field): ResultType {
  const isRecord = Object.hasOwn(records, result.type);
  const columns = isRecord ? records[result.type as RecordName] : [result];
  const isList = result.item !== undefined;
  return { columns, isRecord, isList, isCounted: isList };
}

/** Prints rows on stdout in one of the formats. */
export class ResultPrinter {
  readonly format: Format;
  /** Shows how many rows have come, when stdout is a file or a pipe while stderr is a terminal. */
  readonly progress: ProgressLine | undefined;
  /** Rows of a print that is under way: what a failure leaves behind as incomplete output. */
  printed = 0;
  #rows = 0;
  readonly #type: ResultType;
  readonly #context: Context;
  readonly #dates: DateUnit | undefined;
  /** Only the columns that were asked for. */
  readonly #columns: readonly Field[];
  readonly #chosen: boolean;
  readonly #formatLine: (row: unknown) => string;
  #header: string;

  /** @throws {UsageError} for a column that the result does not have */
  constructor(type: ResultType, given: GlobalOptions, context: Context, dates?: DateUnit) {
    const { stdout, stderr } = context.io;
    this.#type = type;
    this.#context = context;
    this.#dates = dates;
    this.#chosen = given.columns !== undefined;
    this.#columns = given.columns === undefined ? type.columns : chooseColumns(type, given.columns);
    this.format = given.output ?? (stdout.isTTY || !type.isRecord ? 'table' : 'csv');
    this.progress =
      type.isRecord && type.isList && !stdout.isTTY && stderr.isTTY ? new ProgressLine(stderr) : undefined;
    // A file gets texts to the letter; a terminal would act on control characters.
    const show = stdout.isTTY ? visibleExactly : (text: string) => text;
    const protect = given.csvSafe ? (text: string) => show(escapeFormula(text)) : show;
    const isCsv = this.format === 'csv';
    this.#formatLine = isCsv ? (row) => formatCsvRow(this.#columns, row, protect) : (row) => this.json(row);
    // Printed with the first row, or at a good end: a failed call prints nothing.
    this.#header = isCsv ? formatCsvHeader(this.#columns) : '';
  }

  /** Whether rows are printed as they arrive. */
  get streams(): boolean {
    return this.format === 'csv' || this.format === 'ndjson';
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
    this.progress?.clear();
    if (this.format === 'table' && this.#type.isCounted) this.#context.log(this.#summary());
  }

  /** Whatever the rows are made of, with the chosen columns, as a line of JSON. */
  json(value: unknown): string {
    return `${formatJson(this.pick(value))}\n`;
  }

  /** The chosen columns of a record, or of each record in a list; anything else as it is. */
  pick(value: unknown): unknown {
    if (Array.isArray(value)) return this.#chosen ? value.map((row) => this.pick(row)) : value;
    if (!this.#chosen || typeof value !== 'object' || value === null) return value ?? null;
    const names = this.#columns.map(({ name }) => name).filter((name) => Object.hasOwn(value, name));
    return Object.fromEntries(names.map((name) => [name, (value as Values)[name]]));
  }

  async #gather(rows: Rows): Promise<unknown[]> {
    const all: unknown[] = [];
    for await (const row of rows) this.#count(all.push(row));
    return all;
  }

  #count(rows: number): void {
    this.progress?.show(() => `${rows.toLocaleString('en')} ${rows === 1 ? 'record' : 'records'}`);
  }

  async #printWhole(rows: readonly unknown[], signal: AbortSignal | undefined): Promise<void> {
    const text = this.format === 'json' ? this.json(this.#type.isList ? rows : rows[0]) : this.#formatTable(rows);
    await this.#context.stdout.write(text, signal);
    this.#rows += rows.length;
  }

  #formatTable(rows: readonly unknown[]): string {
    const { isTTY, columns } = this.#context.io.stdout;
    if (this.#type.isRecord) {
      // A terminal of unknown width reports 0.
      const width = isTTY && columns ? columns : undefined;
      return rows.length === 0 ? '' : formatTable(this.#columns, rows as Values[], { width, dates: this.#dates });
    }
    const show = isTTY ? visibleExactly : (text: string) => text;
    return rows.map((value) => `${show(String(value ?? ''))}\n`).join('');
  }

  #summary(): string {
    const noun = this.#type.isRecord ? 'record' : 'value';
    return `${this.#rows || 'no'} ${noun}${this.#rows === 1 ? '' : 's'}`;
  }
}

function chooseColumns({ columns, isRecord }: ResultType, list: string): readonly Field[] {
  if (!isRecord) throw new UsageError('--columns: the result has no columns');
  return list.split(',').map((name) => {
    const column = columns.find((field) => field.name === name.trim());
    if (column) return column;
    const known = columns.map((field) => field.name).join(', ');
    throw new UsageError(`--columns: there is no field ${JSON.stringify(name.trim())} (fields: ${known})`);
  });
}
