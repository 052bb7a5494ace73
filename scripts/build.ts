import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { build, type Metafile, type Plugin } from 'esbuild';
import { borrowed } from '../src/sandbox/page/page-files';
import { lean } from './lean';

// Writes dist: the library as the compiler compiles it, and the command as a bundle, because one file is loaded sooner
// than many. A build that fails changes nothing: programs may run from dist, and install it again.

const root = resolve(__dirname, '..');
const dist = join(root, 'dist');
/** The folder that becomes dist at the end. Source maps need the same depth. */
const made = join(root, `dist-${process.pid}`);

/** The commands that few people use. Each is a file of its own, and other commands start sooner without it. */
const ownFiles = ['bulk', 'inbox', 'setup', 'doctor', 'completion'];

/**
 * Loads from dist what few commands need: the sandbox, the comparison of contracts and the commands with files of their
 * own. Loads the program apart from its start: Node keeps compiled code only of files that are loaded after it.
 */
const loadedApart: Plugin = {
  name: 'loaded-apart',
  setup({ onResolve }) {
    onResolve({ filter: /^(?:\.\.\/)+(?:sandbox|contract)$/ }, ({ path }) => ({
      path: `../src/${basename(path)}/index.js`,
      external: true,
    }));
    const required = new RegExp(`^\\./(?:main|commands/(?:${ownFiles.join('|')})/[a-z]+)$`);
    onResolve({ filter: required }, ({ kind, path }) =>
      kind === 'require-call' ? { path: `./${basename(path)}.js`, external: true } : undefined,
    );
  },
};

/** Collects the licences of all bundled packages. Their texts must be distributed with the code. */
function licencesOf({ inputs }: Metafile): string {
  const folders = Object.keys(inputs).flatMap((path) => /^node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path) ?? []);
  const texts = [...new Set(folders)].sort().map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
    const file = readdirSync(join(root, folder)).find((entry) => /^licen[cs]e/i.test(entry));
    const text = file ? readFileSync(join(root, folder, file), 'utf8').trim() : `Licence: ${license}`;
    const heading = `${name} ${version}`;
    return `${heading}\n${'='.repeat(heading.length)}\n\n${text}\n`;
  });
  return texts.join('\n\n');
}

/** Removes the source maps of generated code, which nobody debugs. */
function removeGeneratedMaps(): void {
  for (const name of readdirSync(join(made, 'generated'), { recursive: true, encoding: 'utf8' })) {
    const path = join(made, 'generated', name);
    if (name.endsWith('.map')) rmSync(path);
    if (name.endsWith('.js'))
      writeFileSync(path, readFileSync(path, 'utf8').replace(/\/\/# sourceMappingURL=.*\n?$/, ''));
  }
}

/** Writes typed arrays in declarations without parameters, which TypeScript infers and does not know before 5.7. */
function writeOlderArrays(): void {
  for (const name of readdirSync(made, { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.d.ts')) continue;
    const path = join(made, name);
    const text = readFileSync(path, 'utf8');
    const older = text.replace(/\b(\w*Array|Buffer)<ArrayBuffer(?:Like)?>/g, '$1');
    if (older !== text) writeFileSync(path, older);
  }
}

async function main(): Promise<void> {
  // The compiler of `npm run types`. The other one has the interface that tools need, and takes five times as long.
  const compiler = join(root, 'node_modules/typescript-native/bin/tsc');
  const args = [compiler, '-p', 'tsconfig.build.json', '--outDir', made];
  execFileSync(process.execPath, args, { cwd: root, stdio: 'inherit' });
  removeGeneratedMaps();
  writeOlderArrays();
  // The sandbox serves these files as its page.
  const page = join(made, 'src/sandbox/page/web');
  const filter = (path: string) => !/\.d\.m?ts$/.test(path);
  cpSync(join(root, 'src/sandbox/page/web'), page, { recursive: true, filter });
  const htm = join(dirname(require.resolve('htm')), '..');
  for (const [name, source] of Object.entries(borrowed)) cpSync(join(htm, source), join(page, name));
  const bin = join(made, 'bin');
  const modules = join(bin, 'modules');
  const common = {
    absWorkingDir: root,
    platform: 'node',
    target: 'node20',
    // Names stay long: with short names, Node takes about 4 ms more to load the bundle.
    minifySyntax: true,
    minifyWhitespace: true,
    // The map holds no sources. `node --enable-source-maps` names files and lines by it.
    sourcemap: 'linked',
    sourcesContent: false,
    legalComments: 'none',
    logLevel: 'warning',
  } as const;
  // esbuild shares code between files only if they are ES modules. Node 20 takes 80 ms more to load those, so the
  // second pass makes CommonJS of them.
  const { metafile } = await build({
    ...common,
    entryPoints: {
      messaging: 'src/cli/start.ts',
      main: 'src/cli/main.ts',
      ...Object.fromEntries(ownFiles.map((name) => [name, `src/cli/commands/${name}/${name}.ts`])),
    },
    outdir: modules,
    bundle: true,
    format: 'esm',
    splitting: true,
    // Optional peer dependencies are loaded from the user's project. Only `bulk` needs csv-parse,
    // and only `bulk prepare` the last two.
    external: ['bullmq', 'redis', 'prom-client', 'csv-parse', '@exodus/bytes', 'awesome-phonenumber'],
    metafile: true,
    plugins: [lean, loadedApart],
  });
  await build({ ...common, entryPoints: [join(modules, '*.js')], outdir: bin, format: 'cjs' });
  rmSync(modules, { recursive: true });
  writeFileSync(join(bin, 'LICENSES.txt'), licencesOf(metafile));
  chmodSync(join(bin, 'messaging.js'), 0o755);
  replaceDist();
}

function replaceDist(): void {
  const old = `${made}-old`;
  if (existsSync(dist)) renameSync(dist, old);
  renameSync(made, dist);
  rmSync(old, { recursive: true, force: true });
}

main()
  .catch((error: unknown) => {
    console.error(error);
    process.exitCode = 1;
  })
  .finally(() => rmSync(made, { recursive: true, force: true }));
