import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { drawTerminal, runKilledList } from '../../scripts/pictures';
import { rowStates } from '../../src/bulk';
import { programPath, ROOT } from '../support/process';

const pages = ['README.md', 'docs/architecture.md', 'docs/bulk.md'].map((path) => {
  return { folder: join(ROOT, path, '..'), text: readFileSync(join(ROOT, path), 'utf8') };
});
const pictures = pages.flatMap(({ folder, text }) =>
  [...text.matchAll(/(?:src|srcset)="([^"]+)"/g)].map(([, path = '']) => join(folder, path)),
);

/** The names that a drawing shows. */
function namesOf(picture: string): string[] {
  const svg = readFileSync(join(ROOT, 'docs/pictures', picture), 'utf8');
  return [...svg.matchAll(/class="name"[^>]*>([^<]*)</g)].map(([, name = '']) => name);
}

test('each picture is on a page, and all have at most 200 kB together', () => {
  const folder = join(ROOT, 'docs/pictures');
  expect(pictures.map((path) => relative(folder, path)).sort()).toEqual(readdirSync(folder).sort());
  const sizes = pictures.map((path) => statSync(path).size);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(200_000);
});

test('each picture says in words what it shows', () => {
  const images = pages.flatMap(({ text }) => text.match(/<img [^>]*>/g) ?? []);
  expect(images.length).toBeGreaterThan(2);
  for (const image of images) expect(image).toMatch(/ alt="[^"]{20,}"/);
});

test('the drawing of the states has each state, and so has the table below it, which has no other', () => {
  const page = readFileSync(join(ROOT, 'docs/bulk.md'), 'utf8');
  const [, drawing = '', table = ''] = /## The states of a row\n+```text\n(.*?)```\n+(.*?)\n\n/s.exec(page) ?? [];
  const names = [...table.matchAll(/^\| ([a-z ]+) \|/gm)].map(([, name = '']) => name).slice(1);
  expect(names.map((name) => name.replace(' ', '-')).sort()).toEqual([...rowStates].sort());
  expect(names.filter((name) => !drawing.includes(name))).toEqual([]);
});

test('the files in the picture of the spine exist', () => {
  const files = namesOf('spine.svg');
  expect(files.length).toBeGreaterThan(5);
  expect(files.filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
});

test('the lines of the terminal are those of a list that is killed and goes on', async () => {
  const lines = await runKilledList([process.execPath, programPath('messaging')]);
  expect(lines.length).toBeLessThanOrEqual(14);
  for (const line of lines) expect(line.length).toBeLessThanOrEqual(100);
  expect(readFileSync(join(ROOT, 'docs/pictures/killed-list.svg'), 'utf8')).toBe(drawTerminal(lines));
});
