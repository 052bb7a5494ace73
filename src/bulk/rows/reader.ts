import { WrongValue } from '../../options/table';
import { readCsv } from './csv';
import { type BulkOperation, bulkFields, checkValue, type FieldValue, type RowField } from './fields';
import { type BulkInput, type RawRow, readObjects } from './input';
import { InputError, type InputProblem } from './input-error';
import { nearestName } from './near-names';
import { parseTemplate, type Template } from './template';

/** A row as it is sent: the values of bulkFields, in their order. */
export type RowValues = readonly FieldValue[];

/** The input of a list, and the values that its rows share. */
export interface RowSource {
  readonly input: BulkInput;
  readonly operation: BulkOperation;
  /** Values for all rows, by the contract's names. A text may contain `{{column}}`. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** Values for fields that are neither in `fields` nor a column. A text may contain `{{column}}`. */
  readonly defaults: Readonly<Record<string, unknown>>;
  /** True to accept an empty text, and a receptor without a digit. */
  readonly asIs: boolean;
}

/** A row as it was given and as it is sent. A row that cannot be read was reported as a problem, and has no values. */
export interface ReadRow {
  /** Counted from 1; the header of a file is not a row. */
  readonly row: number;
  readonly columns: RawRow | undefined;
  readonly values: RowValues | undefined;
}

/**
 * Reads the rows of an input and checks them.
 *
 * @param onProblem called with every problem. By default the first problem is thrown as an InputError.
 */
export async function* readRows(
  source: RowSource,
  onProblem: (problem: InputProblem) => void = (problem) => {
    throw new InputError([problem]);
  },
): AsyncGenerator<readonly ReadRow[]> {
  const { input } = source;
  const reader = new RowReader(source, onProblem);
  const onColumns = (columns: readonly string[]) => reader.setColumns(columns);
  const chunks = typeof input === 'string' ? readCsv(input, { onColumns, onProblem }) : readObjects(input);
  for await (const chunk of chunks) yield chunk.map((columns) => reader.read(columns));
}

class RowReader {
  readonly #fields: readonly RowField[];
  readonly #given: ReadonlyMap<string, FieldValue | Template>;
  readonly #defaults: ReadonlyMap<string, FieldValue | Template>;
  readonly #tell: (row: number | undefined, message: string) => void;
  readonly #isText: boolean;
  readonly #asIs: boolean;
  #columns: readonly string[] = [];
  /** The value of each field for all rows with these columns; undefined for a field that the row itself has. */
  #shared: readonly (FieldValue | Template | undefined)[] = [];
  #row = 0;

  constructor({ input, operation, fields, defaults, asIs }: RowSource, onProblem: (problem: InputProblem) => void) {
    this.#asIs = asIs;
    this.#fields = bulkFields(operation);
    this.#tell = (row, message) => onProblem({ row, message });
    this.#isText = typeof input === 'string';
    this.#given = this.#readGiven(fields);
    // Defaults are shared by all operations, so other names are not wrong.
    const isUsed = (name: string) => this.#fields.some((field) => field.name === name) && fields[name] === undefined;
    this.#defaults = this.#readGiven(Object.fromEntries(Object.entries(defaults).filter(([name]) => isUsed(name))));
  }

  /** Checks the columns of the rows that follow. @param row undefined for a file's header */
  setColumns(columns: readonly string[], row?: number): void {
    this.#columns = columns;
    const names = this.#fields.map(({ name }) => name);
    this.#shared = names.map(
      (name) => this.#given.get(name) ?? (columns.includes(name) ? undefined : this.#defaults.get(name)),
    );
    const used = new Set(this.#shared.flatMap((value) => (isTemplate(value) ? value.columns : [])));
    for (const name of names) {
      const [isColumn, isGiven] = [columns.includes(name), this.#given.has(name)];
      if (isColumn && isGiven && !used.has(name)) this.#tell(row, `${name} is given both as a column and for all rows`);
      if (isColumn || isGiven || this.#defaults.has(name)) continue;
      const near = columns.find((column) => nearestName(column, names) === name);
      const other = name === 'receptor' ? ", such as '{{Mobile}}' for a column Mobile" : '';
      const advice = near === undefined ? other : `; is column ${near} meant?`;
      this.#tell(row, `${name} is missing: give it as a column or for all rows${advice}`);
    }
    for (const column of used)
      if (!columns.includes(column)) this.#tell(row, `{{${column}}}: there is no column ${column}`);
  }

  read(columns: RawRow | undefined): ReadRow {
    const row = ++this.#row;
    if (columns === undefined) return { row, columns, values: undefined };
    if (typeof columns !== 'object' || columns === null) {
      this.#tell(row, 'the row is not an object');
      return { row, columns: undefined, values: undefined };
    }
    if (!this.#isText) this.#checkObject(columns, row);
    return { row, columns, values: this.#fields.map((field, index) => this.#value(field, index, columns, row)) };
  }

  #readGiven(values: Readonly<Record<string, unknown>>): Map<string, FieldValue | Template> {
    const given = new Map<string, FieldValue | Template>();
    for (const [name, value] of Object.entries(values)) {
      const field = this.#fields.find((known) => known.name === name);
      if (value === undefined) continue;
      if (field === undefined) {
        const names = this.#fields.map((known) => known.name).join(', ');
        this.#tell(undefined, `${name} is not a field (${names})`);
        continue;
      }
      const hasText = field.element.kind === 'text' || field.element.kind === 'enumeration';
      const template = typeof value === 'string' && hasText ? parseTemplate(value) : undefined;
      given.set(name, template ?? this.#check(field, value, undefined, false));
    }
    return given;
  }

  #checkObject(raw: RawRow, row: number): void {
    const columns = Object.keys(raw);
    const isSame = columns.length === this.#columns.length && columns.every((name, at) => name === this.#columns[at]);
    if (row === 1 || !isSame) this.setColumns(columns, row);
  }

  #value(field: RowField, index: number, raw: RawRow, row: number): FieldValue {
    const shared = this.#shared[index];
    // A field that no row has was reported with the columns.
    if (shared === undefined) return field.name in raw ? this.#check(field, raw[field.name], row, this.#isText) : null;
    if (!isTemplate(shared)) return shared;
    const missing = shared.columns.find((column) => typeof raw[column] !== 'string');
    if (missing === undefined) return this.#check(field, shared.fill(raw), row, true);
    if (missing in raw) this.#tell(row, `${field.name}: {{${missing}}} is not a text`);
    return null;
  }

  /** The value as it is sent; null for a value that is wrong, which is reported. */
  #check(field: RowField, value: unknown, row: number | undefined, isText: boolean): FieldValue {
    try {
      return checkValue(field, value, { isText, asIs: this.#asIs });
    } catch (error) {
      if (!(error instanceof WrongValue)) throw error;
      this.#tell(row, `${field.name}: ${error.message}`);
      return null;
    }
  }
}

function isTemplate(value: FieldValue | Template | undefined): value is Template {
  return typeof value === 'object' && value !== null;
}
