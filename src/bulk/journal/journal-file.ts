import type { BigIntStats } from 'node:fs';
import { type FileHandle, open, realpath, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { JournalWriteError } from './journal-errors';

/** What a journal needs of its file. */
export interface JournalFile {
  /** Writes at the end, wherever other processes have moved it. */
  append(bytes: Uint8Array): Promise<void>;
  /** Resolves when everything written so far would survive a power loss. */
  sync(): Promise<void>;
  /**
   * In bytes, with what other processes wrote.
   *
   * @throws {JournalWriteError} when the file is not at its path any more
   */
  size(): Promise<number>;
  close(): Promise<void>;
}

/** Opens a file for appending. A new one can be read by its owner only. Its name survives a power loss. */
export async function openJournalFile(path: string): Promise<JournalFile> {
  // The process may go to another folder.
  const fullPath = resolve(path);
  const handle = await open(fullPath, 'a', 0o600);
  try {
    // At every opening: the process that made the file may have ended before it synced the folder. The path may be a link's.
    await syncFolder(dirname(await realpath(fullPath)));
    const opened = await handle.stat({ bigint: true });
    return {
      append: (bytes) => appendAll(handle, bytes),
      sync: () => handle.datasync(),
      size: () => sizeOf(fullPath, opened),
      close: () => handle.close(),
    };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** By the path and not the handle, which leads to a deleted file too: the next process would make a new one and send all again. */
async function sizeOf(path: string, opened: BigIntStats): Promise<number> {
  const found = await stat(path, { bigint: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
    throw error;
  });
  if (found?.dev === opened.dev && found.ino === opened.ino) return Number(found.size);
  throw new JournalWriteError(
    `the journal was moved or deleted (${path}): nothing more is sent; put it back before the next run, since it knows what was sent`,
    { isGone: true },
  );
}

/** A nearly full disk takes a part. */
async function appendAll(handle: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let offset = 0; offset < bytes.length; ) {
    const { bytesWritten } = await handle.write(bytes, offset);
    offset += bytesWritten;
  }
}

async function syncFolder(path: string): Promise<void> {
  // Windows opens no folders, and keeps names without being asked.
  if (process.platform === 'win32') return;
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
