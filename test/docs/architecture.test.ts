import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT, RUN_TYPESCRIPT } from '../support/process';

const page = readFileSync(join(ROOT, 'docs/architecture.md'), 'utf8');

test('the table of docs/architecture.md is what plain node-soap and this package give', () => {
  const program = [...RUN_TYPESCRIPT, 'scripts/plain-node-soap.ts'];
  const printed = execFileSync(process.execPath, program, { cwd: ROOT, encoding: 'utf8' });
  const [, table] = /<!-- made by scripts\/plain-node-soap\.ts -->\n(.*?)<!-- end of the table -->/s.exec(page) ?? [];
  expect(table).toBe(printed);
});

test('the files that docs/architecture.md names exist', () => {
  // The way of a call is told below src/client, that of a sandbox request below src/sandbox, that of a row below src/bulk.
  const folders = ['', 'src/client', 'src/sandbox', 'src/bulk'];
  const paths = [...page.matchAll(/`((?:\.\.\/)?[\w./-]+(?:\.ts|\/))`/g)].map(([, path = '']) => path);
  expect(paths.length).toBeGreaterThan(20);
  expect(paths.filter((path) => !folders.some((folder) => existsSync(join(ROOT, folder, path))))).toEqual([]);
});
