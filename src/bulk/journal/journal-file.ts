import { type FileHandle, open } from 'node:fs/promises';
import { dirname } from 'node:path';

/** What a journal needs of its file. */
export interface JournalFile {
  /** Writes at the end, wherever other processes have moved it. */
  append(text: string): Promise<void>;
  /** Resolves when everything written so far would survive a power loss. */
  sync(): Promise<void>;
  /** In bytes, with what other processes wrote. */
  size(): Promise<number>;
  close(): Promise<void>;
}

/** Opens a file for appending. A new one can be read by its owner only, and its name survives a power loss. */
export async function openJournalFile(path: string, isNew: boolean): Promise<JournalFile> {
  const handle = await open(path, 'a', 0o600);
  if (isNew) await syncFolder(dirname(path));
  return {
    append: (text) => appendAll(handle, Buffer.from(text, 'latin1')),
    sync: () => handle.datasync(),
    size: async () => (await handle.stat()).size,
    close: () => handle.close(),
  };
}

/** A nearly full disk takes a part. */
async function appendAll(handle: FileHandle, bytes: Buffer): Promise<void> {
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
