import { open, readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { List } from '../../../bulk/list';
import { summaryOf } from './words';

/** The beginning of a journal, in which its first list record is. */
const HEAD_BYTES = 1 << 16;

/**
 * Finds a journal in the same folder that has sent the same rows: the file of the list was renamed, or copied. A list
 * of which all rows were moved has sent none.
 */
export async function findTwin(journal: string, fingerprint: string): Promise<List | undefined> {
  const folder = dirname(journal);
  const names = (await readdir(folder)).filter((name) => name.endsWith('.journal') && join(folder, name) !== journal);
  for (const path of names.map((name) => join(folder, name))) {
    const head = await readHead(path).catch(() => '');
    const twin = head.includes(fingerprint) ? await List.find(path).catch(() => undefined) : undefined;
    if (!twin) continue;
    const { isLocked, list, table } = twin.state;
    if (isLocked && list?.sha256 === fingerprint && table.count('moved') < table.total) return twin;
  }
  return undefined;
}

async function readHead(path: string): Promise<string> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    return buffer.toString('latin1', 0, bytesRead);
  } finally {
    await file.close();
  }
}

/** @param journal the path of the journal that the twin would have, if its file was renamed */
export function describeTwin({ path, state }: List, journal: string): string {
  const advice = `if the file was renamed, rename its journal too, to ${journal}`;
  return `${path} has the same rows: ${summaryOf(state.table.counts())}; ${advice}`;
}
