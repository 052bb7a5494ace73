import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { run } from '../../src/cli/program';
import type { Sandbox } from '../../src/sandbox';

const root = join(__dirname, '../..');

/** What a person or a script sees of one run. */
export interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly environment?: NodeJS.ProcessEnv;
  readonly signals?: EventEmitter;
  /** The width of the terminal that stdout leads to. */
  readonly columns?: number;
  readonly stdout?: Writable;
}

/** A stream that keeps what it was given. */
export class Capture extends Writable {
  text = '';
  readonly isTTY: boolean;

  constructor(readonly columns = 0) {
    super({ decodeStrings: false });
    this.isTTY = columns > 0;
  }

  override _write(chunk: string, _encoding: string, done: () => void): void {
    this.text += chunk;
    done();
  }
}

/** Runs the program inside this process, with nothing of its environment. */
export async function messaging(args: readonly string[], options: RunOptions = {}): Promise<Outcome> {
  const stdout = new Capture(options.columns);
  const stderr = new Capture();
  const code = await run(args, {
    stdout: options.stdout ?? stdout,
    stderr,
    environment: options.environment ?? {},
    signals: options.signals ?? new EventEmitter(),
    invocation: 'messaging',
  });
  return { code, stdout: stdout.text, stderr: stderr.text };
}

export function environmentOf(sandbox: Pick<Sandbox, 'baseUrl' | 'namespace' | 'apiKey'>): NodeJS.ProcessEnv {
  return {
    MESSAGING_BASE_URL: sandbox.baseUrl,
    MESSAGING_NAMESPACE: sandbox.namespace,
    MESSAGING_API_KEY: sandbox.apiKey,
    MESSAGING_SUCCESS_STATUSES: '200',
  };
}

/** Starts the program as a process of its own. */
export function startProcess(args: readonly string[], environment: NodeJS.ProcessEnv = {}): ChildProcess {
  return spawn(process.execPath, ['-r', 'ts-node/register/transpile-only', 'src/cli/main.ts', ...args], {
    cwd: root,
    env: { PATH: process.env.PATH, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

/** What a started process prints until it ends, and its exit code. */
export async function outcomeOf(child: ChildProcess): Promise<Outcome> {
  const texts = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]?.setEncoding('utf8').on('data', (text: string) => {
      texts[name] += text;
    });
  }
  const [code, signal] = await once(child, 'close');
  if (signal !== null) throw new Error(`ended by ${signal}`);
  return { code, ...texts };
}

/** The words of a command line, as a shell reads them. */
export function shellWords(line: string): string[] {
  const output = execFileSync('sh', ['-c', `printf '%s\\0' ${line}`], { encoding: 'utf8' });
  return output.split('\0').slice(0, -1);
}
