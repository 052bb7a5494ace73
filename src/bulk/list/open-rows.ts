import { areShared, digitsIn } from '../../messages/person';
import { MessageDigests } from '../rows/message-digests';
import type { BulkView } from '../state/bulk-journal';
import type { Given } from './given';

/** The number of rows that are named. */
const MAX_NAMED = 10;

/** The rows of a list whose outcome is open. What an operator has said of the rows of a silent worker decides them. */
function openRows({ table }: BulkView): Iterable<number> {
  return table.filter((row) => ['unknown', 'under-way'].includes(table.state(row)));
}

/** A row of the journal, and where it is in a file that has changed. */
export interface RowPlace {
  readonly row: number;
  /** Undefined for a row that is not in the file any more. */
  readonly now: { readonly row: number; readonly line: number | undefined; readonly receptor: string } | undefined;
}

/**
 * Finds rows of the journal in a file that has changed, by their messages. A message that comes twice is found once.
 */
export async function placeRows(
  { digests }: BulkView,
  sought: readonly number[],
  { rows }: Given,
): Promise<RowPlace[]> {
  const places = new Map<number, RowPlace['now']>(sought.map((row) => [row, undefined]));
  if (digests === undefined) return [];
  for await (const chunk of rows.read()) {
    for (const read of chunk) {
      const message = rows.messageOf(rows.valuesOf(read));
      const own = new MessageDigests();
      own.add(message);
      const digits = digitsIn(own.further(1));
      const found = sought.find(
        (row) =>
          places.get(row) === undefined &&
          digests.message(row) === own.message(1) &&
          areShared(digits, digitsIn(digests.further(row))),
      );
      const { row, line } = read;
      if (found !== undefined) places.set(found, { row, line, receptor: message.receptor ?? '' });
    }
  }
  return [...places].map(([row, now]) => ({ row, now }));
}

/** Says of each row whose outcome is open where it is in a file that has changed. */
export async function describeOpenRows(state: BulkView, given: Given): Promise<readonly string[]> {
  const open = [...openRows(state)];
  const named = open.slice(0, MAX_NAMED);
  const places = new Map((await placeRows(state, named, given)).map((place) => [place.row, place]));
  const words = named.map((row) => {
    const place = places.get(row);
    const is = `row ${row} is ${state.table.state(row).replace('-', ' ')}`;
    return place === undefined ? is : `${is}: ${describePlace(place)}`;
  });
  return open.length > named.length ? [...words, `and ${open.length - named.length} more`] : words;
}

/** "it is row 5 (line 6) of the file now, to 09120000001" */
export function describePlace({ now }: RowPlace): string {
  if (now === undefined) return 'it is not in the file any more';
  const line = now.line === undefined ? '' : ` (line ${now.line})`;
  return `it is row ${now.row}${line} of the file now, to ${now.receptor}`;
}
