import { open, readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { List } from '../../../bulk/list';
import type { BulkCall } from './command';
import { summaryOf } from './words';

/** The beginning of a journal, in which its first list record is. */
const HEAD_BYTES = 1 << 16;

/** Names the journal that has sent the same rows as a new list. Resolves with true when there is one. */
export async function tellTwin({ journal, context }: BulkCall, fingerprint: string): Promise<boolean> {
  const twin = await findTwin(journal, fingerprint);
  if (!twin) return false;
  const advice = `if the file was renamed, rename its journal too, to ${journal}`;
  context.log(`${twin.path} has the same rows: ${summaryOf(twin.state.table.counts())}; ${advice}`);
  return true;
}

/**
 * Finds a journal in the same folder that has sent the same rows: the file of the list was renamed, or copied. A list
 * of which all rows were moved has sent none.
 */
async function findTwin(journal: string, fingerprint: string): Promise<List | undefined> {
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
