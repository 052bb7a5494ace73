import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { cleanUp } from '../support/clean-up';
import { blockOf } from '../support/documents';
import { makeFolder } from '../support/folder';
import { ROOT } from '../support/process';
import { openSandbox } from '../support/sandbox';

const ADDRESS = '127.0.0.1:8080';

test('the program of docs/inbox.md runs word for word, is killed, and goes on', async () => {
  const sandbox = await openSandbox();
  const here = (block: string) => block.replaceAll(ADDRESS, new URL(sandbox.baseUrl).host);
  const folder = makeFolder();
  const source = join(ROOT, 'src');
  await build({
    stdin: { contents: here(blockOf('docs/inbox.md', 'js')), resolveDir: ROOT, loader: 'js' },
    outfile: join(folder, 'inbox.mjs'),
    bundle: true,
    platform: 'node',
    format: 'esm',
    alias: { 'messaging-soap': join(source, 'index.ts'), 'messaging-soap/inbox': join(source, 'inbox/index.ts') },
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
    logLevel: 'error',
  });
  const start = () => {
    const child = spawn(process.execPath, ['inbox.mjs'], { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] });
    cleanUp(() => child.kill('SIGKILL'));
    return { child, lines: createInterface(child.stdout)[Symbol.asyncIterator]() };
  };
  const receive = (message: string) =>
    promisify(execFile)('sh', ['-c', here(blockOf('docs/inbox.md', 'sh')).replace('hello', message)]);
  const first = start();
  // The first start records what is listed as read.
  while (sandbox.requests.length < 2) await new Promise((resolve) => setTimeout(resolve, 5));
  await receive('hello');
  expect((await first.lines.next()).value).toBe('new: 09120000001 hello');
  // The success of the handler is written at once, but after the line.
  const journal = join(folder, 'inbox.journal');
  while (!readFileSync(journal, 'utf8').includes('"t":"handled"'))
    await new Promise((resolve) => setTimeout(resolve, 5));
  first.child.kill('SIGKILL');
  await once(first.child, 'close');
  await receive('other');
  const second = start();
  expect((await second.lines.next()).value).toBe('new: 09120000001 other');
  second.child.kill('SIGINT');
  expect(await once(second.child, 'close')).toEqual([0, null]);
  expect(await second.lines.next()).toMatchObject({ done: true });
});
