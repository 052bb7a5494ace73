import { existsSync, writeSync } from 'node:fs';
import { chmod, chown, copyFile, link, open, realpath, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/** The number of characters that are written at once. */
const CHUNK = 1 << 18;

/**
 * Replaces a file by a new one that only its owner can read. A reader sees the old file or the whole new one, also
 * after a crash or a power loss; a crash leaves at most a file beside it that the next replacement writes again. A
 * symbolic link keeps its target.
 *
 * @param write is given a function that adds text to the new file
 * @param options.keepsAccess gives the new file the owner and the mode of the old one, so that whoever could read the
 * old file can read the new one
 */
export async function replaceFile(
  path: string,
  write: (put: (text: string) => void) => Promise<void> | void,
  { keepsAccess = false } = {},
): Promise<void> {
  const target = await realPathOf(path);
  const beside = `${target}.new`;
  await writeNewFile(beside, write);
  try {
    if (keepsAccess) await copyAccess(target, beside);
    await renameFile(beside, target);
  } catch (error) {
    await rm(beside, { force: true });
    throw error;
  }
}

async function copyAccess(from: string, to: string): Promise<void> {
  if (process.platform === 'win32' || !existsSync(from)) return;
  const { uid, gid, mode } = await stat(from);
  await chown(to, uid, gid);
  await chmod(to, mode & 0o777);
}

/**
 * Writes a new file that only its owner can read, and brings its content and its name to the disk. A file that is there
 * is deleted first. A failure leaves no file.
 *
 * @param write is given a function that adds text to the file
 */
export async function writeNewFile(
  path: string,
  write: (put: (text: string) => void) => Promise<void> | void,
): Promise<void> {
  // The file that a crash left there may belong to another user, or be readable by others.
  await rm(path, { force: true });
  const handle = await open(path, 'wx', 0o600);
  try {
    let text = '';
    const writeText = (): void => {
      const bytes = Buffer.from(text);
      for (let offset = 0; offset < bytes.length; ) offset += writeSync(handle.fd, bytes, offset);
      text = '';
    };
    await write((more) => {
      text += more;
      if (text.length > CHUNK) writeText();
    });
    writeText();
    await handle.sync();
    await syncFolder(dirname(path));
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  } finally {
    await handle.close();
  }
}

/** The failures of a file system that has no hard links, or no more of them. */
const NO_LINKS = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK', 'EXDEV'];

/**
 * Gives a file another name too, or its content on a file system without hard links. A name that exists gets `-2`
 * before its ending.
 */
export async function keepFile(path: string, name: string): Promise<void> {
  for (let number = 1; ; number++) {
    const target = number === 1 ? name : name.replace(/(\.[^.]*)?$/, `-${number}$1`);
    try {
      await link(path, target);
      await syncFolder(dirname(target));
      return;
    } catch (error) {
      const { code = '' } = error as NodeJS.ErrnoException;
      if (NO_LINKS.includes(code)) return copyWhole(path, target);
      if (code !== 'EEXIST') throw error;
    }
  }
}

/** Copies a file, so that its new name always has the whole content. */
async function copyWhole(path: string, target: string): Promise<void> {
  const part = `${target}.part`;
  await copyFile(path, part);
  const handle = await open(part, 'r+');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
  await renameFile(part, target);
}

/** Renames a file, so that its new name survives a power loss. */
export async function renameFile(path: string, target: string): Promise<void> {
  await rename(path, target);
  await syncFolder(dirname(target));
}

/** Brings the names of a folder to the disk. */
export async function syncFolder(path: string): Promise<void> {
  // Windows opens no folders, and keeps names without being asked.
  if (process.platform === 'win32') return;
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/** The path without symbolic links; the path itself when there is no file. */
async function realPathOf(path: string): Promise<string> {
  return realpath(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return path;
    throw error;
  });
}
