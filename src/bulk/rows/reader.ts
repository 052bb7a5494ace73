import { abbreviate } from '../../internal/text';
import { WrongValue } from '../../options/table';
import { readCsv } from './csv';
import {
  type BulkOperation,
  bulkFields,
  checkValue,
  type FieldValue,
  ID_FIELD,
  type RowField,
  type RowValues,
  recordedFields,
} from './fields';
import { type BulkInput, type RawRow, readObjects } from './input';
import { InputError, type InputProblem } from './input-error';
import { findMergedRow, type LineForm } from './merged-rows';
import { nearestName } from './near-names';
import { parseTemplate, type Template } from './template';

/** The input of a list, and the values that its rows share. */
export interface RowSource {
  readonly input: BulkInput;
  readonly operation: BulkOperation;
  /** Values for all rows, by the contract's names. A text may contain `{{column}}`. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** Values for fields that are neither in `fields` nor a column. A text may contain `{{column}}`. */
  readonly defaults: Readonly<Record<string, unknown>>;
  /** True to accept an empty text, and a receptor that is no number. */
  readonly asIs: boolean;
  /** The names of the fields that the operation had when the list began; undefined for a list that begins. */
  readonly names?: readonly string[] | undefined;
  /** True to read a list as it began, whatever the contract says now. Such rows are compared, and not sent. */
  readonly isRecorded?: boolean | undefined;
}

/** The fields of the rows of a source. */
export function rowFieldsOf({ operation, names, isRecorded }: RowSource): readonly RowField[] {
  return isRecorded && names ? recordedFields(operation, names) : bulkFields(operation);
}

/** A row as it was given and as it is sent. A row that cannot be read was reported as a problem, and has no values. */
export interface ReadRow {
  /** Counted from 1; the header of a file is not a row. */
  readonly row: number;
  readonly columns: RawRow | undefined;
  /** The line of the file in which the row begins; undefined for objects. */
  readonly line: number | undefined;
  /** The names of the columns in the order of the file: an object has names such as 2024 first. */
  readonly columnNames: readonly string[];
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
  for await (const { rows, lines } of chunks) yield rows.map((columns, index) => reader.read(columns, lines?.[index]));
}

class RowReader {
  readonly #fields: readonly RowField[];
  readonly #given: ReadonlyMap<string, FieldValue | Template>;
  readonly #defaults: ReadonlyMap<string, FieldValue | Template>;
  readonly #onProblem: (problem: InputProblem) => void;
  readonly #isText: boolean;
  readonly #asIs: boolean;
  /** The fields that the contract has gained since the list began. They are left out, unless they are given. */
  readonly #newer: ReadonlySet<string>;
  #columns: readonly string[] = [];
  /** The value of each field for all rows with these columns; undefined for a field that the row itself has. */
  #shared: readonly (FieldValue | Template | undefined)[] = [];
  #row = 0;
  /** The line of the row that is read. */
  #line: number | undefined;
  #form: LineForm = { delimiter: ',', width: 0, receptors: [] };

  constructor(source: RowSource, onProblem: (problem: InputProblem) => void) {
    const { input, fields, defaults, asIs, names, isRecorded } = source;
    this.#asIs = asIs || isRecorded === true;
    this.#fields = rowFieldsOf(source);
    const isNewer = ({ name, allowsNull }: RowField) => names !== undefined && allowsNull && !names.includes(name);
    this.#newer = new Set(this.#fields.filter(isNewer).map(({ name }) => name));
    this.#onProblem = onProblem;
    this.#isText = typeof input === 'string';
    this.#given = this.#readGivenRows(fields);
    // Defaults are shared by all operations, so other names are not wrong.
    const isUsed = (name: string) => this.#fields.some((field) => field.name === name) && fields[name] === undefined;
    this.#defaults = this.#readGivenRows(Object.fromEntries(Object.entries(defaults).filter(([name]) => isUsed(name))));
  }

  /** Checks the columns of the rows that follow. @param row undefined for a file's header */
  setColumns(columns: readonly string[], row?: number): void {
    this.#columns = columns;
    const names = this.#fields.map(({ name }) => name);
    const sharedOf = (name: string) => (columns.includes(name) ? undefined : this.#defaults.get(name));
    const usualOf = (name: string) => (this.#newer.has(name) ? null : sharedOf(name));
    this.#shared = names.map((name) => (this.#given.has(name) ? this.#given.get(name) : usualOf(name)));
    const used = new Set(this.#shared.flatMap((value) => (isTemplate(value) ? value.columns : [])));
    const receptor = this.#shared[names.indexOf('receptor')];
    const from = isTemplate(receptor) ? receptor.columns : ['receptor'];
    this.#form = { delimiter: ',', width: columns.length, receptors: from.map((column) => columns.indexOf(column)) };
    for (const { name, omittable } of this.#fields) {
      const [isColumn, isGiven] = [columns.includes(name), this.#given.has(name)];
      if (this.#newer.has(name) && !isGiven) continue;
      if (isColumn && isGiven && !used.has(name)) this.#tell(row, `${name} is given both as a column and for all rows`);
      if (isColumn || isGiven || this.#defaults.has(name) || omittable || name === ID_FIELD) continue;
      const near = columns.find((column) => nearestName(column, names) === name);
      const other = name === 'receptor' ? ", such as '{{Mobile}}' for a column Mobile" : '';
      const advice = near === undefined ? other : `; is column ${near} meant?`;
      this.#tell(row, `${name} is missing: give it as a column or for all rows${advice}`);
    }
    for (const column of used) {
      if (columns.includes(column)) continue;
      const near = nearestName(column, columns);
      const advice = near === undefined ? ` (columns: ${columns.join(', ')})` : `; is column ${near} meant?`;
      this.#tell(row, `{{${column}}}: there is no column ${column}${advice}`);
    }
  }

  read(columns: RawRow | undefined, line?: number): ReadRow {
    const row = ++this.#row;
    this.#line = line;
    if (columns === undefined) return { row, line, columns, columnNames: this.#columns, values: undefined };
    if (typeof columns !== 'object' || columns === null) {
      this.#tell(row, 'the row is not an object');
      return { row, line, columns: undefined, columnNames: this.#columns, values: undefined };
    }
    if (!this.#isText) this.#checkObject(columns, row);
    else if (!this.#asIs) this.#checkLines(columns as Readonly<Record<string, string>>, row);
    return {
      row,
      line,
      columns,
      columnNames: this.#columns,
      values: this.#fields.map((field, index) => this.#value(field, index, columns, row)),
    };
  }

  #tell(row: number | undefined, message: string, mendedBy?: InputProblem['mendedBy']): void {
    this.#onProblem({ row, line: row === undefined ? undefined : this.#line, message, ...(mendedBy && { mendedBy }) });
  }

  /** Reports a value with a line that looks like a row: a stray quote merges rows. */
  #checkLines(columns: Readonly<Record<string, string>>, row: number): void {
    for (const [column, value] of Object.entries(columns)) {
      const merged = findMergedRow([value], this.#form);
      if (merged === undefined) continue;
      const what = `${column} has a line that looks like a row of its own: ${JSON.stringify(abbreviate(merged, 60))}`;
      this.#tell(row, `${what}; a quote is missing or too many`);
      return;
    }
  }

  #readGivenRows(values: Readonly<Record<string, unknown>>): Map<string, FieldValue | Template> {
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

  #value(field: RowField, index: number, raw: RawRow, row: number): FieldValue | undefined {
    const shared = this.#shared[index];
    if (shared === undefined) {
      if (field.name in raw) return this.#check(field, raw[field.name], row, this.#isText);
      // Any other field that no row has was reported with the columns.
      return field.name === ID_FIELD ? undefined : null;
    }
    if (!isTemplate(shared)) return shared;
    const missing = shared.columns.find((column) => typeof raw[column] !== 'string');
    if (missing === undefined) return this.#check(field, shared.fill(raw), row, true);
    if (missing in raw) this.#tell(row, `${field.name}: {{${missing}}} is not a text`);
    return null;
  }

  /** The value as it is sent; null for a value that is wrong, which is reported. */
  #check(field: RowField, given: unknown, row: number | undefined, isText: boolean): FieldValue {
    // As XML reads it, and as editors change it.
    const value = this.#isText && typeof given === 'string' ? given.replace(/\r\n?/g, '\n') : given;
    try {
      if (this.#isText && typeof value === 'string' && UNUSUAL.test(value)) {
        const problem = this.#findCharacter(field, value);
        if (problem !== undefined) {
          this.#tell(row, `${field.name}: ${problem}`, field.name === 'receptor' ? {} : undefined);
          return null;
        }
      }
      return checkValue(field, value, { isText, asIs: this.#asIs });
    } catch (error) {
      if (!(error instanceof WrongValue)) throw error;
      this.#tell(row, `${field.name}: ${error.message}`, field.name === 'receptor' ? {} : undefined);
      return null;
    }
  }

  /** Describes a control character, or the character that replaces bytes which are not UTF-8. */
  #findCharacter({ name }: RowField, value: string): string | undefined {
    const control = (name === 'message' ? CONTROL_IN_TEXT : CONTROL).exec(value)?.[0];
    if (control !== undefined) {
      const code = control.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0');
      return control === '\n' ? 'it has a line end' : `it has the control character U+${code}`;
    }
    return !this.#asIs && value.includes('\ufffd')
      ? 'it has U+FFFD, which replaces bytes that are not UTF-8'
      : undefined;
  }
}

/** Matches a value that needs a closer look. */
const UNUSUAL = /[\x00-\x1f\x7f-\x9f\ufffd]/;
const CONTROL = /[\x00-\x1f\x7f-\x9f]/;
/** A text may have line ends and tabs. U+0085 is a windows-1252 "…" that was read in a wrong encoding. */
const CONTROL_IN_TEXT = /[\x00-\x08\x0b-\x1f\x7f-\x9f]/;

function isTemplate(value: FieldValue | Template | undefined): value is Template {
  return typeof value === 'object' && value !== null;
}
