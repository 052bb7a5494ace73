import { type BulkOperation, bulkFields, checkValue, type FieldValue, type RowField, ValueError } from './bulk-fields';
import { InputError, type Problem } from './input-error';
import type { BulkInput, RawRow } from './raw-rows';
import { readSource } from './source';
import { parseTemplate, type Template } from './template';

/** A row as it is sent: the values of bulkFields, in their order. */
export type RowValues = readonly FieldValue[];

/** Where the rows come from, and what they have in common. */
export interface RowsOptions {
  readonly input: BulkInput;
  readonly operation: BulkOperation;
  /** Values for all rows, by the contract's names; a text may hold `{{column}}`. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** The same for fields that are neither there nor a column. */
  readonly defaults: Readonly<Record<string, unknown>>;
}

/**
 * The rows of an input, checked.
 *
 * @param onProblem called with everything that is wrong. Without it the first problem is thrown as an InputError.
 */
export async function* readRows(
  options: RowsOptions,
  onProblem: (problem: Problem) => void = throwProblem,
): AsyncGenerator<readonly (RowValues | undefined)[]> {
  const reader = new RowReader(options, onProblem);
  const onColumns = (columns: readonly string[]) => reader.setColumns(columns, undefined);
  for await (const chunk of readSource(options.input, { onColumns, onProblem })) {
    yield chunk.map((row) => reader.read(row));
  }
}

function throwProblem(problem: Problem): never {
  throw new InputError([problem], 1);
}

class RowReader {
  readonly #fields: readonly RowField[];
  readonly #given: ReadonlyMap<string, FieldValue | Template>;
  readonly #defaults: ReadonlyMap<string, FieldValue | Template>;
  readonly #onProblem: (problem: Problem) => void;
  readonly #isText: boolean;
  #columns: readonly string[] | undefined;
  #row = 0;

  constructor({ input, operation, fields, defaults }: RowsOptions, onProblem: (problem: Problem) => void) {
    this.#fields = bulkFields(operation);
    this.#onProblem = onProblem;
    this.#isText = typeof input === 'string';
    this.#given = this.#readGiven(fields);
    const names = this.#fields.map(({ name }) => name);
    const ownDefaults = Object.entries(defaults).filter(([name]) => names.includes(name) && fields[name] === undefined);
    this.#defaults = this.#readGiven(Object.fromEntries(ownDefaults));
  }

  /** Checks the columns of the rows that follow. @param row undefined for a file's header */
  setColumns(columns: readonly string[], row: number | undefined): void {
    this.#columns = columns;
    const names = this.#fields.map(({ name }) => name);
    const used = [...this.#given.values()].flatMap((value) => (isTemplate(value) ? value.columns : []));
    for (const column of new Set(columns)) {
      if (column === '' || used.includes(column)) continue;
      if (!names.includes(column))
        this.#tell(
          row,
          `column ${column} is neither a field (${names.join(', ')}) nor in a template${hintOn(columns)}`,
        );
      else if (this.#given.has(column)) this.#tell(row, `${column} is given both as a column and for all rows`);
    }
    for (const name of names) {
      if (!columns.includes(name) && !this.#given.has(name) && !this.#defaults.has(name))
        this.#tell(row, `${name} is missing: give it as a column or for all rows`);
    }
    for (const column of new Set(used)) {
      if (!columns.includes(column)) this.#tell(row, `{{${column}}}: there is no column ${column}`);
    }
  }

  read(raw: RawRow | undefined): RowValues | undefined {
    const row = ++this.#row;
    if (raw === undefined) return undefined;
    if (typeof raw !== 'object' || raw === null) {
      this.#tell(row, 'it is not an object');
      return undefined;
    }
    if (!this.#isText) this.#checkObject(raw, row);
    return this.#fields.map((field) => this.#value(field, raw, row));
  }

  #readGiven(fields: Readonly<Record<string, unknown>>): Map<string, FieldValue | Template> {
    const given = new Map<string, FieldValue | Template>();
    for (const [name, value] of Object.entries(fields)) {
      const field = this.#fields.find((known) => known.name === name);
      if (value === undefined) continue;
      if (field === undefined) {
        this.#tell(undefined, `${name} is no field (${this.#fields.map((known) => known.name).join(', ')})`);
        continue;
      }
      const isText = field.element.kind === 'text' || field.element.kind === 'enumeration';
      const template = typeof value === 'string' && isText ? parseTemplate(value) : undefined;
      given.set(name, template ?? this.#check(field, value, undefined, false) ?? null);
    }
    return given;
  }

  #checkObject(raw: RawRow, row: number): void {
    const columns = Object.keys(raw);
    const isSame =
      columns.length === this.#columns?.length && columns.every((name, index) => name === this.#columns?.[index]);
    if (!isSame) this.setColumns(columns, row);
  }

  #value(field: RowField, raw: RawRow, row: number): FieldValue {
    const given = this.#given.get(field.name) ?? (field.name in raw ? undefined : this.#defaults.get(field.name));
    if (given === undefined)
      return field.name in raw ? (this.#check(field, raw[field.name], row, this.#isText) ?? null) : null;
    if (!isTemplate(given)) return given;
    const missing = given.columns.find((column) => typeof raw[column] !== 'string');
    // That a column is not there at all was reported with the columns.
    if (missing === undefined) return this.#check(field, given.fill(raw), row, true) ?? null;
    if (missing in raw) this.#tell(row, `${field.name}: {{${missing}}} is not a text`);
    return null;
  }

  #check(field: RowField, value: unknown, row: number | undefined, isText: boolean): FieldValue | undefined {
    try {
      return checkValue(field, value, isText);
    } catch (error) {
      if (!(error instanceof ValueError)) throw error;
      this.#tell(row, `${field.name}: ${error.message}`);
      return undefined;
    }
  }

  #tell(row: number | undefined, message: string): void {
    this.#onProblem({ row, message });
  }
}

function hintOn(columns: readonly string[]): string {
  return columns.length === 1 && columns[0]?.includes(';') ? '; is the separator a semicolon? A comma is needed' : '';
}

function isTemplate(value: FieldValue | Template): value is Template {
  return typeof value === 'object' && value !== null;
}
