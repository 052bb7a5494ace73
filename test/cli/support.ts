import { type ChildProcess, execFileSync } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { Readable, Writable } from 'node:stream';
import { run } from '../../src/cli/program';
import type { Sandbox } from '../../src/sandbox';
import { type Outcome, programPath, startNode } from '../support/process';

export { type Outcome, outcomeOf } from '../support/process';

export interface RunOptions {
  readonly environment?: NodeJS.ProcessEnv;
  readonly signals?: EventEmitter;
  /** The width of the terminal that stdout leads to. */
  readonly columns?: number;
  readonly stdout?: Writable;
  readonly stderr?: Writable;
  readonly stdin?: string | Readable;
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
    stdin:
      options.stdin instanceof Readable
        ? options.stdin
        : Readable.from(options.stdin === undefined ? [] : [Buffer.from(options.stdin)]),
    stderr: options.stderr ?? stderr,
    // A test of colours sets the variable to an empty text.
    environment: { NO_COLOR: '1', ...options.environment },
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

/** Starts the built command. */
export function startProcess(args: readonly string[], environment: NodeJS.ProcessEnv = {}): ChildProcess {
  return startNode([programPath('messaging'), ...args], environment);
}

/** The words of a command line, as a shell reads them. */
export function shellWords(line: string): string[] {
  // To start a shell takes longer than most commands do. It would do the same to a line of such signs.
  if (/^[\w ./:@=,+-]*$/.test(line)) return line.split(' ').filter((word) => word !== '');
  const output = execFileSync('sh', ['-c', `printf '%s\\0' ${line}`], { encoding: 'utf8' });
  return output.split('\0').slice(0, -1);
}
