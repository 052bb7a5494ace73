import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

const running = new Set<ChildProcess>();

/** A process that is stopped at the latest when this one ends, however that comes about. */
export function start(command: readonly string[], options: SpawnOptions = {}): ChildProcess {
  const [program, ...args] = command as [string, ...string[]];
  const child = spawn(program, args, options);
  running.add(child);
  child.once('exit', () => running.delete(child));
  return child;
}

export async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await ended;
}

/** Ctrl-C, SIGTERM and an error nobody caught all end in `exit`. */
export function stopAllAtExit(): void {
  process.once('exit', () => {
    for (const child of running) child.kill('SIGKILL');
  });
  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const) {
    process.once(signal, () => process.exit(code));
  }
}

/** A process that is spoken to in lines: one in, one out. */
export class LineProcess {
  readonly #child: ChildProcess;
  readonly #lines: AsyncIterator<string>;
  readonly #what: string;
  #words = '';

  constructor(what: string, command: readonly string[]) {
    this.#what = what;
    this.#child = start(command, { stdio: ['pipe', 'pipe', 'pipe'] });
    this.#child.once('error', (error) => (this.#words += error.message));
    // A process that ended says why on stderr; the write that it did not read says nothing more.
    this.#child.stdin?.on('error', () => {});
    this.#child.stderr?.on('data', (chunk) => {
      this.#words = (this.#words + chunk).slice(-2000);
    });
    this.#lines = createInterface(this.#child.stdout as NodeJS.ReadableStream & { read(): void })[
      Symbol.asyncIterator
    ]();
  }

  async line(): Promise<string> {
    const { value, done } = await this.#lines.next();
    if (!done) return value;
    // What it said on its way out may come after the end of its stdout.
    await new Promise((resolve) => setTimeout(resolve, 50));
    throw new Error(`${this.#what} ended: ${this.#words.trim() || 'without a word'}`);
  }

  ask(command: string): Promise<string> {
    this.#child.stdin?.write(`${command}\n`);
    return this.line();
  }

  /** Lets it end by itself: its input is over. */
  end(): void {
    this.#child.stdin?.end();
  }

  stop(): Promise<void> {
    return stop(this.#child);
  }
}
