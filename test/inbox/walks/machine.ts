import files, { type FileHandle } from 'node:fs/promises';

/** Where a process is killed: at which operation on its files, before, in or after it. */
export interface KillPlan {
  readonly operation: number;
  readonly where: 'before' | 'in' | 'after';
}

const never = new Promise<never>(() => undefined);

/** A process of a walk. After its kill, none of its operations ends. */
export class WalkProcess {
  isKilled = false;
  readonly killed: Promise<'killed'>;
  #tellKilled: (word: 'killed') => void = () => undefined;
  #operations = 0;

  constructor(readonly plan: KillPlan | undefined) {
    this.killed = new Promise((resolve) => {
      this.#tellKilled = resolve;
    });
  }

  /** Ends the process at once. */
  kill(): Promise<never> {
    this.isKilled = true;
    this.#tellKilled('killed');
    return never;
  }

  /** Does an operation on a file, unless the process is or becomes killed. */
  async operate<T>(work: () => Promise<T>, half?: () => Promise<unknown>): Promise<T> {
    if (this.isKilled) return never;
    this.#operations += 1;
    const { operation, where } = this.plan ?? {};
    const isLast = this.#operations === operation;
    if (isLast && where === 'in') await half?.();
    if (isLast && where !== 'after') return this.kill();
    const result = await work();
    return isLast ? this.kill() : result;
  }
}

/** The symbol under which all copies of the package keep the openings of their thread. */
const openings = Symbol.for('messaging-soap:journal-openings');

/** The machine on which the processes run, one after the other. */
export class WalkMachine {
  process = new WalkProcess(undefined);
  /** Gives the file system back. */
  readonly close: () => void;
  readonly #handles = new Set<FileHandle>();

  constructor() {
    const { open, rename } = files;
    const opening = jest.spyOn(files, 'open').mockImplementation(async (path, flags, mode) => {
      const owner = this.process;
      const handle = await open(path, flags, mode);
      // Nothing of these tests is about a loss of power.
      handle.datasync = handle.sync = async () => undefined;
      if (flags === 'r') return handle;
      this.#handles.add(handle);
      const write = handle.write.bind(handle);
      handle.write = ((bytes: Buffer, offset: number) => {
        const half = Math.floor((bytes.length - offset) / 2);
        return owner.operate(
          () => write(bytes, offset),
          () => write(bytes, offset, half),
        );
      }) as unknown as FileHandle['write'];
      const close = handle.close.bind(handle);
      handle.close = () => {
        this.#handles.delete(handle);
        return close();
      };
      return handle;
    });
    const renaming = jest
      .spyOn(files, 'rename')
      .mockImplementation((from, to) => this.process.operate(() => rename(from, to)));
    this.close = () => {
      opening.mockRestore();
      renaming.mockRestore();
    };
  }

  /** Starts a process. The one before has ended. */
  async start(plan: KillPlan | undefined): Promise<WalkProcess> {
    const registry = globalThis as unknown as { readonly [openings]?: Set<string> };
    registry[openings]?.clear();
    for (const handle of this.#handles) await handle.close();
    this.process = new WalkProcess(plan);
    return this.process;
  }
}
