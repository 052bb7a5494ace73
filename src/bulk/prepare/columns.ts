import type { ConfigurationError } from '../../errors';
import { wrongOption } from '../../options/table';
import type { PrepareSettings } from './options';

/** The columns that `prepareList` adds to the rows that it leaves out, and ignores when it reads them again. */
export const leftOutColumns: readonly string[] = ['left_out_line', 'left_out_reason'];

/** The encodings in which office programs write CSV when they do not write UTF-8. */
const ENCODINGS = 'windows-1256 (Persian, Arabic), windows-1252 (Western Europe) or windows-1251 (Cyrillic)';

/** The error for text that was read in the wrong encoding. */
export function wrongEncoding(found: string): ConfigurationError {
  return wrongOption(
    'encoding',
    `${found}: these bytes are not text in this encoding; name the right one, such as ${ENCODINGS}`,
  );
}

/** A column of an export, by its index in a row. */
export interface Column {
  readonly name: string;
  readonly index: number;
}

/** The columns of an export, with names that differ. */
export interface Columns {
  /** All columns of the export without those of an earlier `prepareList`. */
  readonly all: readonly Column[];
  readonly receptor: Column;
  /** The columns that are written beside the receptor, by their names in the list. */
  readonly others: readonly Column[];
  /** The number of cells of the header. */
  readonly width: number;
}

/**
 * Reads the columns of an export. A column without a name and without any value is dropped.
 *
 * @param found.filled the columns without a name that have a value
 * @param found.headerLine a later line with a cell named like the column of the receptors
 * @throws {ConfigurationError} when a column that an option names is missing, and for another encoding
 */
export function readColumns(
  header: readonly string[],
  { receptorColumn, columns }: Pick<PrepareSettings, 'receptorColumn' | 'columns'>,
  { filled, headerLine }: { readonly filled: ReadonlySet<number>; readonly headerLine: number | undefined },
): Columns {
  const wrong = header.find((cell) => cell.includes('\ufffd'));
  if (wrong !== undefined) throw wrongEncoding(`the header, ${JSON.stringify(wrong)}`);
  const all = nameColumns(header).filter(
    ({ name, index }) => !leftOutColumns.includes(name) && (isNamed(header[index]) || filled.has(index)),
  );
  const names = all.map(({ name }) => name);
  const find = (option: string, from: readonly Column[], name: string): Column => {
    const column = from.find((each) => each.name === name);
    if (column) return column;
    const known = `the file has no column ${JSON.stringify(name)} (columns: ${names.join(', ')})`;
    if (headerLine === undefined || option !== 'receptorColumn') throw wrongOption(option, known);
    throw wrongOption('headerLine', `${known}, but line ${headerLine} has a cell of this name: give this line`);
  };
  const receptor = find('receptorColumn', all, receptorColumn);
  const others = all
    .filter((column) => column !== receptor)
    .map(({ name, index }) => ({ name: name === 'receptor' ? freeName('receptor_original', names) : name, index }));
  const picked = columns
    ?.split(',')
    .map((name) => name.trim())
    .filter((name) => name !== receptorColumn && name !== 'receptor')
    .map((name) => find('columns', others, name));
  return { all, receptor, others: [...new Set(picked ?? others)], width: header.length };
}

/** Finds the column with the receptors in the first row of a file; undefined when no cell of it has such a name. */
export function findReceptors(header: readonly string[], receptorColumn: string): number | undefined {
  const columns = nameColumns(header);
  const find = (name: string) => columns.find((column) => column.name === name);
  return (find(receptorColumn) ?? find('receptor'))?.index;
}

/** True for a cell of a header that is not blank. */
export function isNamed(cell = ''): boolean {
  return cell.trim() !== '';
}

/** Names the columns so that all names differ. Blanks around a name are removed, and a line end becomes a blank. */
function nameColumns(header: readonly string[]): readonly Column[] {
  const names: string[] = [];
  for (const [index, cell] of header.entries()) {
    const name = cell.replace(/\s+/g, ' ').trim();
    names.push(freeName(name || `column_${index + 1}`, names));
  }
  return names.map((name, index) => ({ name, index }));
}

/** Adds a number to a name that is taken: `_2`, `_3`. */
function freeName(name: string, taken: readonly string[]): string {
  if (!taken.includes(name)) return name;
  let number = 2;
  while (taken.includes(`${name}_${number}`)) number += 1;
  return `${name}_${number}`;
}
