import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { buildSync } from 'esbuild';

export const ROOT = join(__dirname, '../..');

/** What a person or a script sees of one run. */
export interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A program that was built before the tests (build-programs.ts). */
export function programPath(name: 'messaging' | 'sender' | 'worker' | 'long-list' | 'sandbox'): string {
  return join(process.env.TEST_PROGRAMS as string, `${name}.js`);
}

/** A file of the project as one JavaScript file with all that it needs: started in a fifth of the time that ts-node takes. */
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

/** Starts a JavaScript file, with nothing of this process's environment but PATH. */
export function startNode(args: readonly string[], environment: NodeJS.ProcessEnv = {}): ChildProcess {
  return spawn(process.execPath, args, {
    cwd: ROOT,
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
