import { readdir, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { BulkJournal } from '../state/bulk-journal';
import type { BulkRecord } from '../state/records';

/**
 * Puts a new list in the place of an open one, which keeps its journal under a name with the time. It can be killed
 * anywhere: the next command finds a list that says that it was replaced, or the new list.
 *
 * @param id of the new list
 * @param records begin the new list
 */
export async function replaceJournal(
  old: BulkJournal,
  id: string,
  records: Iterable<BulkRecord>,
): Promise<BulkJournal> {
  await old.commit({ t: 'replaced', by: id });
  // A crash may have come after the old journal had its second name.
  const { ino, dev } = await stat(old.path);
  for (const path of await earlierJournals(old.path)) {
    const found = await stat(path);
    if (found.ino === ino && found.dev === dev) return old.replaceWith(records, undefined);
  }
  const time = new Date().toISOString().replace(/\.\d+|[:]/g, '');
  return old.replaceWith(records, `${old.path.replace(/\.journal$/, '')}.${time}.journal`);
}

/** The time in the name of an earlier list's journal. */
const TIME = /\.\d{4}-\d\d-\d\dT\d{6}Z(?:-\d+)?$/;

/** The path of the file whose earlier list has this path: `list.csv` for `list.csv.2026-11-28T101205Z`. */
export function fileOfEarlier(path: string): string {
  return path.replace(TIME, '');
}

/** Lists the journals of the earlier lists of a file, from the oldest on: `list.csv.2026-11-28T101205Z.journal`. */
export async function earlierJournals(journal: string): Promise<readonly string[]> {
  const folder = dirname(journal);
  const list = basename(journal, '.journal');
  const isEarlier = (name: string) => {
    const own = basename(name, '.journal');
    return name.endsWith('.journal') && own !== list && fileOfEarlier(own) === list;
  };
  return (await readdir(folder))
    .filter(isEarlier)
    .sort()
    .map((name) => join(folder, name));
}
