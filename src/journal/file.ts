import { type BigIntStats, createReadStream } from 'node:fs';
import { type FileHandle, open, realpath, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { syncFolder } from '../internal/atomic-file';

export interface AppendFile {
  /** Writes at the end of the file, also when other processes have moved the end. */
  append(bytes: Uint8Array): Promise<void>;
  /** Resolves when all bytes that were written so far would survive a power loss. */
  sync(): Promise<void>;
  /** The length in bytes, with the bytes of other processes; undefined when the file is no longer at its path. */
  size(): Promise<number | undefined>;
  close(): Promise<void>;
}

/**
 * Opens a file for appending. A new file can be read by its owner only. Its name survives a power loss.
 *
 * @param isNew true makes the file, and fails with the code EEXIST when there is one
 */
export async function openAppendFile(path: string, isNew = false): Promise<AppendFile> {
  // The process may change its working directory.
  const fullPath = resolve(path);
  const handle = await open(fullPath, isNew ? 'ax' : 'a', 0o600);
  try {
    // At every opening: the process that made the file may have ended before it synced the folder. The path may be a
    // symbolic link, so the folder is that of its target.
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

/** Asks by the path: the handle also leads to a deleted file, beside which the next process would begin a new one. */
async function sizeOf(path: string, opened: BigIntStats): Promise<number | undefined> {
  const found = await stat(path, { bigint: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
    throw error;
  });
  return found?.dev === opened.dev && found.ino === opened.ino ? Number(found.size) : undefined;
}

/** Writes until all is written: a nearly full disk takes a part. */
async function appendAll(handle: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let offset = 0; offset < bytes.length; ) {
    const { bytesWritten } = await handle.write(bytes, offset);
    offset += bytesWritten;
  }
}

const CHUNK = 1 << 18;

/**
 * Reads the lines of a file, which may end without a line feed.
 *
 * @returns the number of bytes that were read; undefined when there is no file
 */
export async function readLines(path: string, onLine: (line: string) => void): Promise<number | undefined> {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (found === undefined) return undefined;
  // A device keeps nothing, and opening a pipe would wait for its other end.
  if (!found.isFile()) throw Object.assign(new Error(`${path} is not a regular file`), { syscall: 'open' });
  // A buffer of its length, because a folder may have hundreds of short journals.
  const stream = createReadStream(path, { encoding: 'utf8', highWaterMark: Math.min(CHUNK, found.size + 1) });
  /** The last line so far. */
  let rest = '';
  for await (const text of stream as AsyncIterable<string>) {
    const end = text.lastIndexOf('\n');
    if (end >= 0) for (const line of (rest + text.slice(0, end)).split('\n')) onLine(line);
    rest = end >= 0 ? text.slice(end + 1) : rest + text;
  }
  onLine(rest);
  return stream.bytesRead;
}
