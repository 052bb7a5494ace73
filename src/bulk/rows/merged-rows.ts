import { readReceptor } from '../../messages/receptor';

/** The columns of a file, as a line that a stray quote has merged into a value would have them. */
export interface LineForm {
  readonly delimiter: string | RegExp;
  /** The number of cells. */
  readonly width: number;
  /** The indexes of the cells of which one is a receptor. */
  readonly receptors: readonly number[];
}

/**
 * Finds a line within a value that looks like a row of its own: it has as many cells as the header, with a receptor in
 * its place. A quote that is missing or too many merges rows. In a file of one column, a line may be a receptor more.
 */
export function findMergedRow(values: readonly string[], form: LineForm): string | undefined {
  const { delimiter, width, receptors } = form;
  if (width < 2) return undefined;
  for (const value of values) {
    if (!value.includes('\n')) continue;
    for (const line of value.split('\n').slice(1)) {
      const cells = line.split(delimiter);
      if (cells.length === width && receptors.some((index) => readReceptor(cells[index] ?? '').kind === 'one'))
        return line;
    }
  }
  return undefined;
}
