import { wrongOption } from '../../options/table';
import { InputError } from '../rows/input-error';
import { nearestName } from '../rows/near-names';
import type { PrepareSettings } from './options';

/** The columns that `prepareList` adds to the rows that it leaves out, and ignores when it reads them again. */
export const leftOutColumns = ['left_out_line', 'left_out_reason'] as const;

/** A column of an export, by its index in a row. */
export interface Column {
  readonly name: string;
  readonly index: number;
}

/** The columns of an export, with names that differ. */
export interface Columns {
  /** All columns of the export without those of an earlier `prepareList`. */
  readonly all: readonly Column[];
  /** The index of the column with the receptors. */
  readonly receptor: number;
  /** The columns that are written beside the receptor, by their names in the list. */
  readonly others: readonly Column[];
  /** The number of cells of the header. */
  readonly width: number;
  /** Names that had to change, and the new names. */
  readonly renamed: ReadonlyMap<string, string>;
}

/**
 * Reads the columns of an export.
 *
 * @throws {ConfigurationError} when a column that an option names is missing; {InputError} for another encoding
 */
export function readColumns(
  header: readonly string[],
  { receptorColumn, columns }: Pick<PrepareSettings, 'receptorColumn' | 'columns'>,
): Columns {
  const wrong = header.find((cell) => /[\ufffd\0]/.test(cell));
  if (wrong !== undefined) {
    const message = `the header has ${JSON.stringify(wrong)}, which is no text in this encoding: name the right encoding`;
    throw new InputError([{ message }]);
  }
  const all = nameColumns(header).filter(({ name }) => !leftOutColumns.some((own) => own === name));
  const names = all.map(({ name }) => name);
  const receptor = all.find(({ name }) => name === receptorColumn);
  if (!receptor) throw wrongOption('receptorColumn', describeMissing(receptorColumn, names));
  const renamed = new Map<string, string>();
  for (const { name, index } of all) if (plainName(header[index]) !== name) renamed.set(`column ${index + 1}`, name);
  const others = all
    .filter((column) => column !== receptor)
    .map(({ name, index }) => {
      if (name !== 'receptor') return { name, index };
      const changed = freeName('receptor_original', names);
      renamed.set(name, changed);
      return { name: changed, index };
    });
  const wanted = columns?.filter((name) => name !== receptorColumn && name !== 'receptor');
  const picked = wanted?.map((name) => {
    const column = others.find((other) => other.name === name);
    if (!column) throw wrongOption('columns', describeMissing(name, names));
    return column;
  });
  return { all, receptor: receptor.index, others: [...new Set(picked ?? others)], width: header.length, renamed };
}

/** Finds the column with the receptors in the first row of a file; undefined when no cell of it has such a name. */
export function findReceptors(header: readonly string[], receptorColumn: string): number | undefined {
  const columns = nameColumns(header);
  const named = [receptorColumn, 'receptor'].map((name) => columns.find((column) => column.name === name));
  return (named[0] ?? named[1])?.index;
}

/** Names the columns so that all names differ. Blanks around a name are removed, and a line end becomes a blank. */
function nameColumns(header: readonly string[]): readonly Column[] {
  const names: string[] = [];
  for (const [index, cell] of header.entries()) names.push(freeName(plainName(cell) || `column_${index + 1}`, names));
  return names.map((name, index) => ({ name, index }));
}

function plainName(cell = ''): string {
  return cell.replace(/\s+/g, ' ').trim();
}

/** Adds a number to a name that is taken: `_2`, `_3`. */
function freeName(name: string, taken: readonly string[]): string {
  if (!taken.includes(name)) return name;
  let number = 2;
  while (taken.includes(`${name}_${number}`)) number += 1;
  return `${name}_${number}`;
}

function describeMissing(name: string, names: readonly string[]): string {
  const near = names.find((column) => nearestName(column, [name]) !== undefined);
  const advice = near === undefined ? '' : `; is ${JSON.stringify(near)} meant?`;
  return `the file has no column ${JSON.stringify(name)} (columns: ${names.join(', ')})${advice}`;
}
