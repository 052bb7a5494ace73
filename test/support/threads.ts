import { execFileSync } from 'node:child_process';
import { closeSync, constants, open, openSync } from 'node:fs';
import { join } from 'node:path';
import { cleanUp } from './clean-up';
import { makeFolder } from './folder';

/** The number of threads on which zlib, crypto and the file system work in this process. */
const THREADS = Number(process.env.UV_THREADPOOL_SIZE ?? 4);

/** Blocks these threads until `release` is called, as a busy process does: each thread waits to open a pipe. */
export function blockThreads(): { release(): void } {
  const pipe = join(makeFolder(), 'pipe');
  execFileSync('mkfifo', [pipe]);
  for (let thread = 0; thread < THREADS; thread++) open(pipe, (_, file) => file !== undefined && closeSync(file));
  let other: number | undefined;
  const release = () => {
    other ??= openSync(pipe, constants.O_RDWR);
  };
  cleanUp(() => {
    release();
    closeSync(other as number);
  });
  return { release };
}
