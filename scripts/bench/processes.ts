import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

const running = new Set<ChildProcess>();

/** Starts a process that is killed at the latest when this process ends. */
export function start(command: readonly string[], options: SpawnOptions = {}): ChildProcess {
  const [program, ...args] = command as [string, ...string[]];
  const child = spawn(program, args, options);
  running.add(child);
  child.once('exit', () => running.delete(child));
  return child;
}

/** Kills all started processes when this process ends, also by Ctrl-C or SIGTERM. */
export function stopAllAtExit(): void {
  process.once('exit', () => {
    for (const child of running) child.kill('SIGKILL');
  });
  process.once('SIGINT', () => process.exit(130));
  process.once('SIGTERM', () => process.exit(143));
}

/** Runs a command to its end. Its output is shown only when it fails. */
export async function run(command: readonly string[], cwd: string): Promise<void> {
  const child = start(command, { cwd });
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (printed += chunk));
  const [status] = await once(child, 'close');
  if (status !== 0) throw new Error(`${command.join(' ')}: ${printed}`);
}

/** A process that reads a line from stdin and prints a line in response. */
export class LineProcess {
  readonly #child: ChildProcess;
  readonly #lines: AsyncIterator<string>;
  readonly #name: string;

  constructor(name: string, command: readonly string[]) {
    this.#name = name;
    this.#child = start(command, { stdio: ['pipe', 'pipe', 'inherit'] });
    // A process that has ended does not read the next command. The missing line reports it.
    this.#child.stdin?.on('error', () => {});
    this.#lines = createInterface(this.#child.stdout as NodeJS.ReadableStream)[Symbol.asyncIterator]();
  }

  async line(): Promise<string> {
    const { value, done } = await this.#lines.next();
    if (done) throw new Error(`${this.#name} ended early`);
    return value;
  }

  ask(command: string): Promise<string> {
    this.#child.stdin?.write(`${command}\n`);
    return this.line();
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    this.#child.kill('SIGKILL');
    await once(this.#child, 'exit');
  }
}
