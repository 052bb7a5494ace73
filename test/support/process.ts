import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { buildSync } from 'esbuild';

export const ROOT = join(__dirname, '../..');

/** What a person or a script sees of a program's run. */
export interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Returns the path of a program that was built before the tests (build-programs.ts). */
export function programPath(
  name:
    | ('messaging' | 'client' | 'sender' | 'worker' | 'reader' | 'long-list' | 'sandbox')
    | ('service' | 'kept-objects' | 'soak'),
): string {
  return join(process.env.TEST_PROGRAMS as string, `${name}.js`);
}

/** Bundles a file of the project into one JavaScript file, which starts in a fifth of the time that ts-node takes. */
export function bundle(source: string, outfile: string): void {
  buildSync({
    absWorkingDir: ROOT,
    entryPoints: [source],
    outfile,
    bundle: true,
    platform: 'node',
    target: 'node20',
    logLevel: 'error',
  });
}

/** The options of Node with which it runs a TypeScript file of the project. */
export const RUN_TYPESCRIPT = ['--require', join(__dirname, 'register.js')];

/** Starts a JavaScript file. Of this process's environment, it gets only PATH. */
export function startNode(args: readonly string[], environment: NodeJS.ProcessEnv = {}): ChildProcess {
  return spawn(process.execPath, args, {
    cwd: ROOT,
    env: { PATH: process.env.PATH, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

/** Waits until a started process ends, and returns its output and exit code. */
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
