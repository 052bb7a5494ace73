import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from '../support/folder';
import { ROOT } from '../support/process';

/** An empty project with the packed package installed, as a user has it. */
export class Project {
  readonly folder = makeFolder();
  /** The files of the package. */
  readonly files: readonly string[];

  constructor() {
    // Scripts are ignored, because `npm run test:package` has built the package.
    const [packed] = JSON.parse(npm(ROOT, 'pack', '--json', '--ignore-scripts', '--pack-destination', this.folder));
    this.files = packed.files.map(({ path }: { path: string }) => path);
    npm(this.folder, 'init', '-y');
    npm(this.folder, 'install', '--no-audit', '--no-fund', join(this.folder, packed.filename));
    // The documents use these packages too.
    symlinkSync(join(ROOT, 'node_modules/@opentelemetry'), this.path('node_modules/@opentelemetry'));
  }

  path(name: string): string {
    return join(this.folder, name);
  }

  write(name: string, text: string): void {
    writeFileSync(this.path(name), text);
  }

  /** Runs a file of the project to its end, and returns its output. */
  async run(file: string, environment: NodeJS.ProcessEnv): Promise<string> {
    const child = spawn(process.execPath, [file], {
      cwd: this.folder,
      env: environment,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
    const [code] = await once(child, 'close');
    if (code !== 0) throw new Error(`${file} exited with ${code}:\n${output}`);
    return output;
  }

  /** Compiles files of the project with `--strict`, and returns the compiler's errors. */
  compile(files: readonly string[], ...args: string[]): string {
    return this.tsc(join(ROOT, 'node_modules/typescript'), ['--target', 'es2022', ...args, ...files]);
  }

  /** Runs a compiler with `--strict`, and returns its output. @param typescript the folder of the compiler's package */
  tsc(typescript: string, args: readonly string[]): string {
    const command = [join(typescript, 'bin/tsc'), '--strict', ...args];
    return spawnSync(process.execPath, command, { cwd: this.folder, encoding: 'utf8' }).stdout;
  }
}

export function npm(cwd: string, ...args: string[]): string {
  return execFileSync('npm', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
}
