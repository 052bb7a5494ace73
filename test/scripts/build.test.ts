import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from '../support/folder';
import { outcomeOf, ROOT, RUN_TYPESCRIPT, startNode } from '../support/process';
import { copySources } from '../support/sources';

test('a build that fails leaves the built package as it was', async () => {
  const folder = makeFolder();
  copySources(folder);
  for (const name of ['scripts', 'generated']) cpSync(join(ROOT, name), join(folder, name), { recursive: true });
  const compilerOptions = { rootDir: '.', noEmit: false, types: [] };
  const config = { extends: './tsconfig.json', compilerOptions, include: ['wrong.ts'] };
  writeFileSync(join(folder, 'tsconfig.build.json'), JSON.stringify(config));
  writeFileSync(join(folder, 'wrong.ts'), "export const number: number = 'text';\n");
  mkdirSync(join(folder, 'dist'));
  writeFileSync(join(folder, 'dist/index.js'), 'built before');
  const before = readdirSync(folder).sort();

  const program = [...RUN_TYPESCRIPT, join(folder, 'scripts/build.ts')];
  const { code, stdout } = await outcomeOf(startNode(program));
  expect([code, stdout]).toEqual([1, expect.stringContaining("Type 'string' is not assignable to type 'number'")]);
  expect(readFileSync(join(folder, 'dist/index.js'), 'utf8')).toBe('built before');
  expect(readdirSync(folder).sort()).toEqual(before);
});
