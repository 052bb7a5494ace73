import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { chmod, cp, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { build, type Metafile, type Plugin } from 'esbuild';
import { lean } from './build/lean';

const root = resolve(__dirname, '..');
const dist = join(root, 'dist');
const bin = join(dist, 'bin/messaging.js');

/**
 * Leaves out of the bundle what few commands need: the sandbox and the comparison of contracts. They are loaded from dist.
 */
const loadedApart: Plugin = {
  name: 'loaded-apart',
  setup({ onResolve }) {
    onResolve({ filter: /^(?:\.\.\/)+(?:sandbox|contract)$/ }, ({ path }) => ({
      path: `../src/${basename(path)}/index.js`,
      external: true,
    }));
  },
};

/** Collects the licences of all bundled packages. Their texts must be distributed with the code. */
async function licences(metafile: Metafile): Promise<string> {
  const names = Object.keys(metafile.inputs).flatMap(
    (path) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.slice(0, 2).join('\n') ?? [],
  );
  const packages = new Map(
    names.map((line) => line.split('\n') as [string, string]).map(([path, name]) => [name, path]),
  );
  const texts: string[] = [];
  for (const [name, path] of [...packages].sort()) {
    const { version, license } = JSON.parse(await readFile(join(root, path, 'package.json'), 'utf8'));
    const file = readdirSync(join(root, path)).find((entry) => /^licen[cs]e/i.test(entry));
    const text = file ? await readFile(join(root, path, file), 'utf8') : `Licence: ${license}\n`;
    texts.push(`${name} ${version}\n${'='.repeat(name.length + version.length + 1)}\n\n${text.trim()}\n`);
  }
  return texts.join('\n\n');
}

/** Removes the source maps of generated code, which nobody debugs. */
async function removeGeneratedMaps(): Promise<void> {
  const folder = join(dist, 'generated');
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const path = join(folder, name);
    if (name.endsWith('.map')) await rm(path);
    else if (name.endsWith('.js')) {
      await writeFile(path, (await readFile(path, 'utf8')).replace(/\/\/# sourceMappingURL=.*\n?$/, ''));
    }
  }
}

/** Leaves out of the map of the bundle the sources of packages, which are large. Lines of them are still named. */
async function removeForeignSources(path: string): Promise<void> {
  const map = JSON.parse(await readFile(path, 'utf8'));
  map.sourcesContent = map.sourcesContent.map((text: string | null, index: number) =>
    map.sources[index].includes('node_modules/') ? null : text,
  );
  await writeFile(path, JSON.stringify(map));
}

async function main(): Promise<void> {
  await rm(dist, { recursive: true, force: true });
  execFileSync(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', 'tsconfig.build.json'], {
    cwd: root,
    stdio: 'inherit',
  });
  await removeGeneratedMaps();
  // The sandbox serves these files as its page.
  await cp(join(root, 'src/sandbox/page/web'), join(dist, 'src/sandbox/page/web'), {
    recursive: true,
    filter: (path) => !path.endsWith('.d.ts'),
  });
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: ['src/cli/main.ts'],
    outfile: bin,
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'cjs',
    // Optional peer dependencies are loaded from the user's project. Only `bulk` needs csv-parse.
    external: ['bullmq', 'redis', 'prom-client', 'csv-parse'],
    minifySyntax: true,
    minifyWhitespace: true,
    // Names are not minified, because users see the names of error classes.
    sourcemap: 'linked',
    legalComments: 'none',
    metafile: true,
    plugins: [lean, loadedApart],
    logLevel: 'warning',
  });
  await removeForeignSources(`${bin}.map`);
  await writeFile(join(dist, 'bin/LICENSES.txt'), await licences(metafile));
  await chmod(bin, 0o755);
  if (!existsSync(join(dist, 'src/index.d.ts'))) throw new Error('tsc wrote no declarations');
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
