import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { type Sandbox, startSandbox } from '../../src/sandbox';
import { freePort } from '../support/free-port';
import { ROOT } from '../support/process';
import { Project } from './project';

interface Block {
  readonly language: string;
  readonly text: string;
  /** The text of the comment above the block, such as `not run: it takes a day`. */
  readonly mark: string | undefined;
}

/** The documents that users read. */
const documents = [
  'README.md',
  ...readdirSync(join(ROOT, 'docs'))
    .filter((file) => file.endsWith('.md'))
    .map((file) => `docs/${file}`),
].map((name) => {
  const text = readFileSync(join(ROOT, name), 'utf8');
  const blocks = blocksOf(text);
  const runnable = blocks.filter(({ mark }) => !/^(walk|not run): /.test(mark ?? ''));
  const programs = runnable
    .filter(({ language }) => language === 'ts')
    .map((block, index) => ({ file: `${name.replace(/\W/g, '-')}-${index + 1}`, text: block.text }));
  return { name, text, blocks, runnable, programs };
});

function blocksOf(document: string): Block[] {
  const fenced = /(?:^<!-- (.*) -->\n)?^```(\w*)\n([\s\S]*?)^```$/gm;
  return [...document.matchAll(fenced)].map(([, mark, language = '', text = '']) => ({ mark, language, text }));
}

/** The commands that the set-up of the project replaces. */
const SETUP = ['npm init -y', 'npm install messaging-soap'];
/** The command that a reader runs in another terminal. */
const START = 'npx messaging sandbox';
const ADDRESS = '127.0.0.1:8080';
/** Matches the beginning of a block that a reader would run. */
const COMMAND = /^(npx|npm|node|messaging|curl|export|mkdir|import|const|await) /;

let project: Project;
let sandbox: Sandbox;
let compilerOutput: string;

beforeAll(async () => {
  project = new Project();
  sandbox = await startSandbox();
  // The compiler reads all programs at once, because most of its work is the same for each.
  const programs = documents.flatMap((document) => document.programs);
  for (const { file, text } of programs) project.write(`${file}.mts`, text);
  const files = programs.map(({ file }) => `${file}.mts`);
  const nodeTypes = ['--typeRoots', join(ROOT, 'node_modules/@types'), '--types', 'node'];
  compilerOutput = project.compile(files, '--module', 'node16', '--skipLibCheck', ...nodeTypes);
});
afterAll(() => sandbox.close());

function run(file: string): Promise<string> {
  return project.run(file, {
    ...process.env,
    MESSAGING_BASE_URL: sandbox.baseUrl,
    MESSAGING_NAMESPACE: sandbox.namespace,
    MESSAGING_API_KEY: sandbox.apiKey,
    MESSAGING_SUCCESS_STATUSES: '200',
  });
}

test('all blocks of TypeScript in the documents compile', () => {
  expect(compilerOutput).toBe('');
});

test('the tests that docs/guarantees.md names exist', () => {
  const rows = readFileSync(join(ROOT, 'docs/guarantees.md'), 'utf8').match(/^\| .*`test\/.*$/gm) ?? [];
  const paths = rows.flatMap((row) => {
    const [first = '', ...more] = [...row.matchAll(/`([\w./-]+(?:\.test\.ts|\/\w+))`/g)].map(([, path = '']) => path);
    return [first, ...more.map((path) => (path.startsWith('test/') ? path : join(dirname(first), path)))];
  });
  expect(paths.length).toBeGreaterThan(15);
  expect(paths.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
});

describe.each(documents)('$name', ({ name, text: document, blocks, runnable, programs }) => {
  const of = (language: string) => runnable.filter((block) => block.language === language).map(({ text }) => text);
  const commands = of('sh').flatMap((text) => text.trim().split('\n'));

  test(`${name} has no block that no test runs, except where a comment says why`, () => {
    for (const { language, text } of runnable) {
      // No test runs PowerShell, which is not installed where the tests run.
      expect(['sh', 'ts', 'js', 'json', 'text', 'powershell', '']).toContain(language);
      if (language === 'json') expect(() => JSON.parse(text)).not.toThrow();
      // These blocks hold output, or the command that starts the sandbox.
      if (language === 'text' || language === '') expect(text.trim() === START || !COMMAND.test(text)).toBe(true);
    }
    // test/contract/walk.test.ts runs those blocks.
    if (name !== 'docs/contract.md') expect(blocks.filter(({ mark }) => mark?.startsWith('walk: '))).toEqual([]);
  });

  test(`every relative link in ${name} leads to a file of the package`, () => {
    const links = [...document.matchAll(/\]\(([^)\s#]+)[^)]*\)/g)].map(([, target = '']) => target);
    const folder = project.path(join('node_modules/messaging-soap', dirname(name)));
    const dead = links.filter((target) => !/^https?:/.test(target) && !existsSync(join(folder, target)));
    expect(dead).toEqual([]);
  });

  test(`.ci/run runs every command for a clone in ${name}`, () => {
    const ci = readFileSync(join(ROOT, '.ci/run'), 'utf8');
    const forClone = commands.filter((command) => command.startsWith('npm ') && !SETUP.includes(command));
    for (const command of forClone) expect(ci).toContain(command);
  });

  if (programs.length > 0) {
    test.each(programs)('the program $file runs to its end', async ({ file }) => {
      await run(`${file}.mjs`);
    });
  }

  if (commands.length > 0) {
    test(`the terminal session in ${name} works word for word, except for the port`, async () => {
      const port = await freePort();
      const here = (text: string) => text.replaceAll(ADDRESS, `127.0.0.1:${port}`);
      // The first line of a program is a comment with the file name.
      for (const text of of('js')) project.write(/^\/\/ (\S+)\n/.exec(text)?.[1] ?? 'program.js', here(text));
      const service = spawn('bash', ['-c', `exec node_modules/.bin/messaging sandbox --port ${port}`], {
        cwd: project.folder,
      });
      try {
        const [line] = await once(createInterface(service.stdout), 'line');
        expect(line).toBe(`Sandbox ready at http://127.0.0.1:${port}/soap/v1.asmx`);
        const session = commands
          .filter((command) => !command.startsWith('npm ') && command !== START)
          .map(withItsExitCodes);
        const script = here(['set -euo pipefail', ...session].join('\n'));
        const { status, stdout, stderr } = spawnSync('bash', ['-c', script], {
          cwd: project.folder,
          encoding: 'utf8',
        });
        if (status !== 0) throw new Error(`the session ended with ${status}:\n${stdout}\n${stderr}`);
        if (name === 'README.md') {
          expect(commands).toEqual(expect.arrayContaining([...SETUP, START]));
          expect(stdout).toContain('[ 9007199254740993n ]');
          expect(stdout).toContain('سلام');
        }
        if (name === 'docs/bulk.md') expect(stdout).toMatch(/^1000\n$/m);
      } finally {
        service.kill('SIGTERM');
        await once(service, 'exit');
      }
    });
  }
});

/** Accepts the exit codes of a command that is killed, and of bulk when rows are pending or unknown. */
function withItsExitCodes(command: string): string {
  if (command.startsWith('timeout -s KILL ')) return `${command} || test $? = 137`;
  return command.startsWith('npx messaging bulk ') ? `${command} || [[ $? = [56] ]]` : command;
}
