import { createReadStream } from 'node:fs';
import { readdir, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import type { Signal } from '../../internal/signals';
import { JournalError } from '../../journal/errors';
import { parseLine } from '../../journal/records';
import { bulkKind } from '../state/bulk-journal';
import { type OtherList, readOther } from './other-list';
import type { RowIndex } from './row-index';

/** The lists with which a list is compared: all of the folder of its journal, or those with these journals. */
export type Others = 'folder' | readonly string[];

/** A journal that cannot be compared, and the reason. */
export interface Unreadable {
  readonly path: string;
  readonly error: JournalError;
}

/** The progress of a comparison. */
export interface Comparing {
  /** The path of the journal that is read now. */
  readonly path: string;
  /** Its number, from 1 on, and the number of all journals. */
  readonly number: number;
  readonly of: number;
}

/** The identity of a file, which all of its names have. */
type FileId = `${bigint}:${bigint}`;

interface FoundFile {
  readonly path: string;
  readonly id: FileId;
  readonly size: number;
}

/** Reads the other lists of a folder, and again those that have changed. */
export class OtherLists {
  /** The journals that could not be read. */
  unreadable: readonly Unreadable[] = [];
  /** True when the lists were not those of the reading before. */
  hasChanged = false;
  readonly #journal: string;
  readonly #others: Others;
  readonly #without: ReadonlySet<string>;
  readonly #onComparing: ((progress: Comparing) => void) | undefined;
  #known = new Map<FileId, OtherList>();

  /**
   * @param journal the path of the list's own journal, which is left out
   * @param without the names of journals that are left out, or their paths
   */
  constructor(
    journal: string,
    others: Others,
    without: ReadonlySet<string>,
    onComparing?: (progress: Comparing) => void,
  ) {
    this.#journal = journal;
    this.#others = others;
    this.#without = without;
    this.#onComparing = onComparing;
  }

  /** Reads the lists, but for those that have not changed since they were read last. */
  async read(index: RowIndex, signal?: Signal): Promise<readonly OtherList[]> {
    const files = await this.#find();
    const known = new Map<FileId, OtherList>();
    const unreadable: Unreadable[] = [];
    for (const [position, { path, id, size }] of files.entries()) {
      signal?.throwIfAborted();
      const before = this.#known.get(id);
      if (before?.size === size && before.path === path) {
        known.set(id, before);
        continue;
      }
      this.#onComparing?.({ path, number: position + 1, of: files.length });
      try {
        if (!(await isOfLists(path))) continue;
        const list = await readOther(path, index);
        if (list) known.set(id, list);
      } catch (error) {
        if (!(error instanceof JournalError)) throw error;
        unreadable.push({ path, error });
      }
    }
    const lists = [...known.values()];
    const before = new Set(this.#known.values());
    this.hasChanged = lists.length !== before.size || lists.some((list) => !before.has(list));
    this.#known = known;
    this.unreadable = unreadable;
    return lists;
  }

  /** Finds the other journals. Several names of one file are one. */
  async #find(): Promise<readonly FoundFile[]> {
    const own = await idOf(this.#journal).catch(() => undefined);
    const found = new Map<FileId, FoundFile>();
    for (const path of await this.#paths()) {
      if (this.#without.has(basename(path)) || this.#without.has(path)) continue;
      const file = await idOf(path).catch((error: NodeJS.ErrnoException) => {
        // It was deleted in the meantime, or is a link to nothing.
        if (error.code === 'ENOENT' && this.#others === 'folder') return undefined;
        throw new JournalError('unusable', { problems: [{ option: 'others', message: error.message }] });
      });
      if (file && file.id !== own?.id) found.set(file.id, file);
    }
    return [...found.values()];
  }

  async #paths(): Promise<readonly string[]> {
    if (this.#others !== 'folder') return this.#others.map((path) => resolve(path));
    const folder = dirname(await realpath(this.#journal).catch(() => resolve(this.#journal)));
    const names = await readdir(folder);
    return names.filter((name) => name.endsWith('.journal')).map((name) => join(folder, name));
  }
}

async function idOf(path: string): Promise<FoundFile | undefined> {
  const found = await stat(path, { bigint: true });
  return found.isFile() ? { path, id: `${found.dev}:${found.ino}`, size: Number(found.size) } : undefined;
}

/** The greatest length of the record that opens a journal. */
const MAX_OPENING = 1 << 16;

/** False for a journal of another kind, and for a file that no program of this package has written. */
async function isOfLists(path: string): Promise<boolean> {
  let rest = '';
  try {
    for await (const text of createReadStream(path, { encoding: 'utf8' }) as AsyncIterable<string>) {
      const lines = (rest + text).split('\n');
      // A line that begins otherwise need not be kept.
      rest = (lines.pop() ?? '').slice(0, MAX_OPENING);
      const first = lines.find((line) => line.startsWith('{"t":"'));
      if (first !== undefined) return isOfList(first);
    }
  } catch {
    // The reader of the journal says why.
    return true;
  }
  return rest.startsWith('{"t":"') && isOfList(rest);
}

function isOfList(line: string): boolean {
  const record = parseLine(line, bulkKind.readRecord);
  return record?.t !== 'open' || record.kind === bulkKind.name;
}
