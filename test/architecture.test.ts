import { readdirSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { dirname, join, relative } from 'node:path';
import ts from 'typescript';

// Rules of the source tree: which file may import which, and which names files export.

const root = join(__dirname, '..');
const src = join(root, 'src');

/**
 * Each file of src, with what it imports: files as paths from the root without their ending, packages by their names.
 */
const files = new Map(
  readdirSync(src, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .map((path) => {
      const file = join(src, path);
      const { importedFiles } = ts.preProcessFile(readFileSync(file, 'utf8'), true, true);
      const imports = importedFiles.map(({ fileName }) => resolve(file, fileName));
      return [relative(root, file).replace(/\.ts$/, ''), [...new Set(imports)]] as const;
    }),
);

function resolve(from: string, name: string): string {
  if (!name.startsWith('.')) return name;
  const path = join(dirname(from), name);
  return relative(
    root,
    ts.sys.fileExists(`${path}.ts`) || !ts.sys.fileExists(`${path}/index.ts`) ? path : `${path}/index`,
  );
}

const isFile = (name: string) => /^(?:src|generated|scripts|test)\//.test(name);
const packageOf = (name: string) => /^(?:@[^/]+\/)?[^/]+/.exec(name)?.[0] ?? name;
const edges = [...files].flatMap(([file, imports]) => imports.map((imported) => ({ file, imported })));
const written = (rows: typeof edges) => rows.map(({ file, imported }) => `${file} → ${imported}`).sort();

/** The part of src that a file belongs to: a folder, or the file itself. */
const partOf = (file: string) => file.split('/')[1] ?? '';

/** The parts of src, from the top down. A part imports from lower levels only, and never from another part of its level. */
const LEVELS: readonly (readonly string[])[] = [
  ['cli'],
  ['index', 'bulk', 'inbox'],
  ['client', 'sandbox', 'contract'],
  ['journal', 'http'],
  ['options'],
  ['errors'],
  ['soap', 'internal'],
  ['types', 'json', 'messages', 'xml'],
];
const levelOf = (part: string) => LEVELS.findIndex((parts) => parts.includes(part));

const inside = edges.filter(({ imported }) => imported.startsWith('src/'));

test('every import in src leads to a file that exists', () => {
  expect(written(inside.filter(({ imported }) => !files.has(imported)))).toEqual([]);
  expect(files.size).toBeGreaterThan(50);
});

test('every part of src has a level', () => {
  expect([...files.keys()].filter((file) => levelOf(partOf(file)) < 0)).toEqual([]);
});

test('every import in src points down', () => {
  const wrong = inside.filter(
    ({ file, imported }) => partOf(imported) !== partOf(file) && levelOf(partOf(imported)) <= levelOf(partOf(file)),
  );
  expect(written(wrong)).toEqual([]);
});

test('the folder xml imports nothing of the other folders', () => {
  const isOutward = ({ file, imported }: (typeof edges)[number]) =>
    partOf(file) === 'xml' && isFile(imported) && partOf(imported) !== 'xml';
  expect(written(edges.filter(isOutward))).toEqual([]);
});

test('src imports neither scripts nor tests', () => {
  expect(written(edges.filter(({ imported }) => /^(?:scripts|test)\//.test(imported)))).toEqual([]);
});

test.each([
  ['soap', 'src/client/node-soap/'],
  ['undici', 'src/http/'],
])('the package %s is imported in %s only', (name, folder) => {
  const elsewhere = edges.filter(
    ({ file, imported }) => !isFile(imported) && packageOf(imported) === name && !file.startsWith(folder),
  );
  expect(written(elsewhere)).toEqual([]);
});

test('the generated client is imported in src/client/node-soap/ only, and the generated types nowhere import node-soap', () => {
  const importers = edges.filter(({ imported }) => /^generated\/v1\/(?:client|services\/)/.test(imported));
  expect(written(importers)).toEqual(['src/client/node-soap/transport → generated/v1/client']);
  const generated = readdirSync(join(root, 'generated'), { recursive: true, encoding: 'utf8' });
  const texts = generated.filter((path) => path.endsWith('.ts') && path !== join('v1', 'client.ts'));
  expect(
    texts.filter((path) => /from ['"]soap['"/]/.test(readFileSync(join(root, 'generated', path), 'utf8'))),
  ).toEqual([]);
});

test('src imports only packages that users get, and the command also those that are inside its bundle', () => {
  const { dependencies, peerDependencies = {} } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const known = [...builtinModules, ...Object.keys(dependencies), ...Object.keys(peerDependencies)];
  const bundled = ['commander', '@clack/prompts'];
  const others = edges.filter(
    ({ file, imported }) =>
      !isFile(imported) &&
      !imported.startsWith('node:') &&
      !known.includes(packageOf(imported)) &&
      !(partOf(file) === 'cli' && bundled.includes(imported)),
  );
  expect(written(others)).toEqual([]);
});

test('files of src never import each other in a circle', () => {
  expect(circles(inside.map(({ file, imported }) => [file, imported]))).toEqual([]);
});

test('folders of src never import each other in a circle', () => {
  const parents = new Set([...files.keys()].map((file) => dirname(dirname(file))));
  // A file beside folders is a part of its own.
  const folderOf = (file: string) => (parents.has(dirname(file)) ? file : dirname(file));
  const between = inside.map(({ file, imported }) => [folderOf(file), folderOf(imported)] as const);
  expect(circles(between.filter(([from, to]) => from !== to))).toEqual([]);
});

/** Groups of nodes of which each leads to every other, written as one line each. */
function circles(pairs: readonly (readonly [string, string])[]): string[] {
  const targets = new Map<string, Set<string>>();
  for (const [from, to] of pairs) targets.set(from, (targets.get(from) ?? new Set()).add(to));
  const reached = new Map([...targets.keys()].map((node) => [node, reachableFrom(node, targets)]));
  const groups = [...reached]
    .filter(([node, others]) => others.has(node))
    .map(([node, others]) =>
      [...others]
        .filter((other) => reached.get(other)?.has(node))
        .sort()
        .join(' ↔ '),
    );
  return [...new Set(groups)].sort();
}

function reachableFrom(start: string, targets: ReadonlyMap<string, ReadonlySet<string>>): Set<string> {
  const reached = new Set<string>();
  const waiting = [start];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    for (const next of targets.get(node) ?? []) {
      if (reached.has(next)) continue;
      reached.add(next);
      waiting.push(next);
    }
  }
  return reached;
}

// limit-programs.ts keeps these tests from a program that is found by its name.
test('a test of npm test names no program of the system by its path', () => {
  const paths = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' });
  const imports = new Map(
    paths
      .filter((path) => path.endsWith('.ts'))
      .map((path) => {
        const file = join(root, 'test', path);
        const { importedFiles } = ts.preProcessFile(readFileSync(file, 'utf8'), true, true);
        return [
          `test/${path.slice(0, -'.ts'.length)}`,
          new Set(importedFiles.map(({ fileName }) => resolve(file, fileName))),
        ];
      }),
  );
  const namesProgram = (file: string) =>
    imports.has(file) && /['"`]\/(?:usr\/)?bin\/(?!node\b)/.test(readFileSync(join(root, `${file}.ts`), 'utf8'));
  const tests = [...imports.keys()].filter((file) => /\.test$/.test(file));
  const wrong = tests.filter((file) => [file, ...reachableFrom(file, imports)].some(namesProgram));
  expect(wrong.filter((file) => !file.endsWith('.peers.test'))).toEqual([]);
  expect(wrong.length).toBeGreaterThan(5);
});

test('no line of a comment in src and scripts is longer than 120 characters', () => {
  const long: string[] = [];
  for (const folder of ['src', 'scripts'])
    for (const path of readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })) {
      if (!/\.(ts|mjs)$/.test(path)) continue;
      const lines = readFileSync(join(root, folder, path), 'utf8').split('\n');
      const isLong = (line: string) => line.length > 120 && /^\s*(\/\/|\/?\*)/.test(line);
      long.push(...lines.flatMap((line, index) => (isLong(line) ? [`${folder}/${path}:${index + 1}`] : [])));
    }
  expect(long).toEqual([]);
});
