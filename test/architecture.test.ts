import { readdirSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { dirname, join, relative } from 'node:path';
import ts from 'typescript';

// The plan of the house, held on the files as they are: who may import whom.

const root = join(__dirname, '..');
const src = join(root, 'src');

/** Each file of src, with what it imports: files as paths from the root without their ending, packages by their names. */
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
const roomOf = (file: string) => file.split('/')[1] ?? '';

/** The rooms of src, from the top down. A file may import from its own level, and from those below. */
const LEVELS: readonly (readonly string[])[] = [
  ['cli'],
  ['index', 'client', 'bulk', 'contract', 'sandbox'],
  ['options', 'settings', 'soap'],
];
const levelOf = (room: string) => {
  const level = LEVELS.findIndex((rooms) => rooms.includes(room));
  return level < 0 ? LEVELS.length : level;
};

describe('imports in src', () => {
  const inside = edges.filter(({ imported }) => imported.startsWith('src/'));

  test('lead to files that there are', () => {
    expect(written(inside.filter(({ imported }) => !files.has(imported)))).toEqual([]);
    expect(files.size).toBeGreaterThan(50);
  });

  test('point down', () => {
    const upward = inside.filter(({ file, imported }) => levelOf(roomOf(imported)) < levelOf(roomOf(file)));
    expect(written(upward)).toEqual([]);
  });

  test('of the sandbox lead to no part of the client but soap', () => {
    const forbidden = ['index', 'client', 'options', 'settings', 'bulk', 'contract'];
    const wrong = inside.filter(
      ({ file, imported }) => roomOf(file) === 'sandbox' && forbidden.includes(roomOf(imported)),
    );
    expect(written(wrong)).toEqual([]);
  });

  test('of xml lead nowhere else', () => {
    expect(
      written(
        edges.filter(({ file, imported }) => roomOf(file) === 'xml' && isFile(imported) && roomOf(imported) !== 'xml'),
      ),
    ).toEqual([]);
  });

  test('never lead to scripts or tests', () => {
    expect(written(edges.filter(({ imported }) => /^(?:scripts|test)\//.test(imported)))).toEqual([]);
  });

  test.each([
    ['soap', 'src/soap/node-soap/'],
    ['undici', 'src/soap/http/'],
  ])('of the package %s stand in %s only', (name, folder) => {
    const elsewhere = edges.filter(
      ({ file, imported }) => !isFile(imported) && packageOf(imported) === name && !file.startsWith(folder),
    );
    expect(written(elsewhere)).toEqual([]);
  });

  test('are of packages that users get', () => {
    const { dependencies, peerDependencies = {} } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    const known = [...builtinModules, ...Object.keys(dependencies), ...Object.keys(peerDependencies)];
    const others = edges.filter(
      ({ imported }) => !isFile(imported) && !imported.startsWith('node:') && !known.includes(packageOf(imported)),
    );
    expect(written(others)).toEqual([]);
  });

  test('make no circle of files', () => {
    expect(circles(inside.map(({ file, imported }) => [file, imported]))).toEqual([]);
  });

  test('make no circle of folders', () => {
    // A file at the top of src is a part of its own.
    const folderOf = (file: string) => (dirname(file) === 'src' ? file : dirname(file));
    const between = inside.map(({ file, imported }) => [folderOf(file), folderOf(imported)] as const);
    expect(circles(between.filter(([from, to]) => from !== to))).toEqual([]);
  });
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
