import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { rmSync, statSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';

/** Another holder has locked the file. */
export class FileInUse extends Error {}

/**
 * Locks a file against other processes of this machine. The lock is a local socket, because Node has no file locks and
 * the system closes a socket however its process ends. It is named after the name of the file in its folder: the file
 * itself is replaced when it is rewritten.
 *
 * @param path without symbolic links
 * @returns a function that releases the lock
 * @throws {FileInUse} when the file is locked already
 */
export async function lockFile(path: string): Promise<() => Promise<void>> {
  const { dev, ino } = statSync(dirname(path), { bigint: true });
  const hash = createHash('sha256')
    .update(`${dev} ${ino} ${basename(path)}`)
    .digest('hex');
  const address = await addressOf(`messaging-${hash.slice(0, 32)}`);
  const server = createServer((socket) => socket.destroy()).listen(address);
  await once(server, 'listening').catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'EADDRINUSE' ? new FileInUse(`${path} is in use`) : error;
  });
  server.unref();
  return () => new Promise((resolve) => server.close(() => resolve()));
}

/** The address of a socket. On Linux and Windows the system removes the socket when its process ends. */
async function addressOf(name: string): Promise<string> {
  if (process.platform === 'linux') return `\0${name}`;
  if (process.platform === 'win32') return `\\\\.\\pipe\\${name}`;
  const path = join(tmpdir(), `${name}.sock`);
  const socket = connect(path);
  // On other systems a killed process leaves the socket behind as a file.
  await once(socket, 'connect').catch(() => rmSync(path, { force: true }));
  socket.destroy();
  return path;
}
