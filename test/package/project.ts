import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { version } from '../../src/internal/version';
import { makeFolder } from '../support/folder';
import { ROOT } from '../support/process';

/** An empty project with the packed package installed, as a user has it. */
export class Project {
  readonly folder = makeFolder();
  /** The files of the package. */
  readonly files: readonly string[];

  constructor() {
    const installed = installOnce();
    execFileSync('cp', ['-a', `${installed}/.`, this.folder]);
    this.files = JSON.parse(readFileSync(this.path(FILES), 'utf8'));
    rmSync(this.path(FILES));
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
    return this.tsc(compilers.native, ['--target', 'es2022', ...args, ...files]);
  }

  /** Runs a compiler with `--strict`, and returns its output. @param typescript the folder of the compiler's package */
  tsc(typescript: string, args: readonly string[]): string {
    const command = [join(typescript, 'bin/tsc'), '--strict', ...args];
    return spawnSync(process.execPath, command, { cwd: this.folder, encoding: 'utf8' }).stdout;
  }
}

/** The folders of the two compilers of this project. */
export const compilers = {
  native: join(ROOT, 'node_modules/typescript-native'),
  earlier: join(ROOT, 'node_modules/typescript'),
};

/** Returns the path of the packed package. */
export function packedFile(): string {
  return join(installOnce(), `messaging-soap-${version}.tgz`);
}

/** The last file of an installed project: the list of the files of the package. */
const FILES = 'files.json';

/** Packs and installs the package once in a run of Jest, whose workers share the folder. Waits for the worker that does it. */
function installOnce(): string {
  const folder = join(process.env.TEST_PROGRAMS as string, 'project');
  while (!existsSync(join(folder, FILES))) {
    // The next worker tries again where one has failed.
    if (mkdirSync(folder, { recursive: true }) === undefined)
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
    else
      try {
        install(folder);
      } catch (error) {
        rmSync(folder, { recursive: true });
        throw error;
      }
  }
  return folder;
}

function install(folder: string): void {
  // Scripts are ignored, because `npm run test:package` has built the package.
  const [packed] = JSON.parse(npm(ROOT, 'pack', '--json', '--ignore-scripts', '--pack-destination', folder));
  npm(folder, 'init', '-y');
  npm(folder, 'install', '--no-audit', '--no-fund', join(folder, packed.filename));
  const files = packed.files.map(({ path }: { path: string }) => path);
  writeFileSync(join(folder, FILES), JSON.stringify(files));
}

export function npm(cwd: string, ...args: string[]): string {
  return execFileSync('npm', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
}
