import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { clientOptions } from '../../src/options/client';

const docs = join(__dirname, '../../docs');
const namesIn = (folder: string) => readdirSync(folder).filter((name) => name.endsWith('.md'));
const apiPages = namesIn(join(docs, 'api')).map(
  (name) => [name, readFileSync(join(docs, 'api', name), 'utf8')] as const,
);

/** The parts of a page below headings of a level, each beginning with its heading's text. */
function partsOf(text: string, level: number): string[] {
  return text.split(new RegExp(`^#{${level}} `, 'm')).slice(1);
}

/** The classes of a page. */
function classesOf(text: string): string[] {
  const [classes = ''] = partsOf(text, 2).filter((part) => part.startsWith('Classes\n'));
  return partsOf(classes, 3);
}

test('the API reference has a page for each entry point of the package', () => {
  const { exports } = JSON.parse(readFileSync(join(docs, '../package.json'), 'utf8'));
  const entryPoints = Object.keys(exports).filter((name) => !name.endsWith('.json'));
  const headings = apiPages.map(([, text]) => /^# (.*)\n/.exec(text)?.[1]);
  const expected = entryPoints.map((name) => name.replace('.', 'messaging-soap'));
  expect(headings.sort()).toEqual(['API reference', ...expected].sort());
});

test('each class in the API reference has an example', () => {
  const classes = apiPages.flatMap(([, text]) => classesOf(text));
  const without = classes.filter(
    (part) => !/^#{4} Example$/m.test(part.split(/^#### (?:Extends|Constructors)$/m)[0] ?? ''),
  );
  expect(without.map((part) => part.split('\n')[0])).toEqual([]);
  expect(classes.length).toBeGreaterThan(12);
});

test('the API reference gives the default of each option of the client, or says that it is required', () => {
  const [, text = ''] = apiPages.find(([name]) => name === 'client.md') ?? [];
  const [options = ''] = partsOf(text, 3).filter((part) => part.startsWith('MessagingOptions'));
  for (const name of Object.keys(clientOptions)) {
    const [part = ''] = partsOf(options, 5).filter((each) => new RegExp(`^${name}\\??\\n`).test(each));
    expect(part).toMatch(/Default|Required/);
    if (name.endsWith('Ms')) expect(part).toContain('milliseconds');
  }
});

test('every page of the documentation links to the API reference', () => {
  for (const name of namesIn(docs)) expect(readFileSync(join(docs, name), 'utf8')).toContain('](api/README.md)');
  expect(readFileSync(join(docs, '../README.md'), 'utf8')).toContain('](docs/api/README.md)');
});

test('every link in the API reference leads to one of its pages', () => {
  const names = apiPages.map(([name]) => name);
  const links = apiPages.flatMap(([, text]) => [...text.matchAll(/\]\(([^)#]+\.md)/g)].map(([, target]) => target));
  expect(links.filter((target) => !names.includes(target as string))).toEqual([]);
  expect(links.length).toBeGreaterThan(20);
});
