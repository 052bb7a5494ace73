import { InputError } from '../rows/input-error';
import { findReceptors } from './columns';
import { readExport, textOf } from './export-file';
import type { PrepareSettings } from './options';
import type { ReceptorReader } from './receptors';

/** The paths of the files whose receptors are left out, by the digits of the receptors. */
export type ExcludedReceptors = ReadonlyMap<string, string>;

/**
 * Reads the receptors of the files of `exclude`: from the column with the receptors, or from the only column, which
 * needs no header.
 *
 * @throws {InputError} that names the first line which is no receptor; {ConfigurationError}
 */
export async function readExcluded(
  { exclude, encoding, receptorColumn }: PrepareSettings,
  read: ReceptorReader,
): Promise<ExcludedReceptors> {
  const files = new Map<string, string>();
  for (const path of exclude) {
    const refuse: (problem: string) => never = (problem) => {
      throw new InputError([{ message: `${path}: ${problem}` }]);
    };
    let index: number | undefined;
    for await (const { line, cells, isBroken } of readExport(path, { encoding })) {
      if (isBroken) refuse(`line ${line}: a quote is out of place`);
      if (index === undefined) {
        index = findReceptors(cells, receptorColumn);
        if (index !== undefined) continue;
        index = 0;
        if (cells.length > 1) {
          const names = receptorColumn === 'receptor' ? 'receptor' : `receptor or ${receptorColumn}`;
          refuse(
            `the file has several columns, and none is named ${names}: rename the column of the receptors to receptor`,
          );
        }
        // A header has no digits. A number that is wrong must not be taken for one.
        if (!/\p{Nd}/u.test(cells[0] as string)) continue;
      }
      const cell = textOf(cells[index]);
      const receptor = read(cell);
      if ('problem' in receptor) refuse(`line ${line}: ${receptor.problem}: ${JSON.stringify(cell)}`);
      files.set(receptor.digits, path);
    }
  }
  return files;
}
