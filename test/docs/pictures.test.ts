import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { drawTerminal, runKilledList } from '../../scripts/pictures';
import { programPath, ROOT } from '../support/process';

const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');
const pictures = [...readme.matchAll(/(?:src|srcset)="([^"]+)"/g)].map(([, path = '']) => path);

test('each picture of the README exists, and all have at most 200 kB together', () => {
  expect(pictures.length).toBeGreaterThan(2);
  expect(pictures.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  const sizes = pictures.map((path) => statSync(join(ROOT, path)).size);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(200_000);
});

test('each picture says in words what it shows', () => {
  const images = readme.match(/<img [^>]*>/g) ?? [];
  expect(images.length).toBeGreaterThan(1);
  for (const image of images) expect(image).toMatch(/ alt="[^"]{20,}"/);
});

test('the lines of the terminal are those of a list that is killed and goes on', async () => {
  const lines = await runKilledList([process.execPath, programPath('messaging')]);
  expect(lines.length).toBeLessThanOrEqual(14);
  for (const line of lines) expect(line.length).toBeLessThanOrEqual(100);
  expect(readFileSync(join(ROOT, 'docs/pictures/killed-list.svg'), 'utf8')).toBe(drawTerminal(lines));
}, 60_000);
