import { AsyncLocalStorage } from 'node:async_hooks';
import files, { type FileHandle } from 'node:fs/promises';
import { ownOpenings } from '../../../src/journal/owner';

/** The failure of everything that a killed process does. */
export class Killed extends Error {
  override name = 'Killed';
}

/** A command, as a process of its own would run it. It may be killed at any call that changes the disk. */
export class WalkProcess {
  isDead = false;
  readonly #handles: FileHandle[] = [];
  readonly #openings: string[] = [];
  /** The number of calls that are left before it is killed. */
  #left: number;

  constructor(left = Number.POSITIVE_INFINITY) {
    this.#left = left;
  }

  /** Counts a call. @throws {Killed} */
  step(): void {
    if (this.isDead) throw new Killed();
    this.#left -= 1;
    if (this.#left > 0) return;
    this.kill();
    throw new Killed();
  }

  kill(): void {
    this.isDead = true;
    // The system knows that it has ended.
    for (const opening of this.#openings) ownOpenings.delete(opening);
  }

  opened(handle: FileHandle): void {
    this.#handles.push(handle);
  }

  openedJournal(opening: string): void {
    if (this.isDead) throw new Killed();
    this.#openings.push(opening);
  }

  /** Runs the command to its end. Resolves with undefined when it was killed. */
  async run<T>(work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await current.run(this, work);
    } catch (error) {
      if (!this.isDead) throw error;
      return undefined;
    } finally {
      for (const handle of this.#handles) await handle.close().catch(() => undefined);
      for (const opening of this.#openings) ownOpenings.delete(opening);
    }
  }
}

const current = new AsyncLocalStorage<WalkProcess>();

/** The process that runs now. */
export function currentProcess(): WalkProcess | undefined {
  return current.getStore();
}

/** Watches what processes do to the disk, until the function that it returns is called. */
export function watchProcesses(cut: (length: number) => number): () => void {
  const { open } = files;
  const spies = [
    jest.spyOn(files, 'open').mockImplementation(async (...args) => {
      const process = currentProcess();
      if (args[1] !== 'r') process?.step();
      const handle = await open(...args);
      if (!process) return handle;
      process.opened(handle);
      const write = handle.write.bind(handle) as (bytes: Uint8Array, offset: number) => ReturnType<FileHandle['write']>;
      return Object.assign(handle, {
        // No walk has a power loss.
        sync: async () => undefined,
        datasync: async () => undefined,
        write: async (bytes: Uint8Array, offset = 0) => {
          try {
            process.step();
          } catch (error) {
            // A kill may come while a line is written.
            if (String(args[1]).startsWith('a') && error instanceof Killed)
              await write(bytes.subarray(0, cut(bytes.length)), 0).catch(() => undefined);
            throw error;
          }
          return write(bytes, offset);
        },
      });
    }),
    ...(['rename', 'link', 'rm'] as const).map((name) => {
      const original = files[name] as (...args: unknown[]) => Promise<void>;
      return jest.spyOn(files, name).mockImplementation((async (...args: unknown[]) => {
        currentProcess()?.step();
        return original(...args);
      }) as never);
    }),
    jest.spyOn(ownOpenings, 'add').mockImplementation((opening) => {
      currentProcess()?.openedJournal(opening);
      return Set.prototype.add.call(ownOpenings, opening) as typeof ownOpenings;
    }),
  ];
  return () => {
    for (const spy of spies) spy.mockRestore();
  };
}
