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
  /** The words of a comment above it, such as `not run: it takes a day`. */
  readonly mark: string | undefined;
}

/** What users read. */
const documents = ['README.md', ...readdirSync(join(ROOT, 'docs')).map((file) => `docs/${file}`)].map((name) => {
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

/** What the project's set-up does in place of the reader. */
const SETUP = ['npm init -y', 'npm install messaging-soap'];
/** What runs in another terminal. */
const START = 'npx messaging sandbox';
const ADDRESS = '127.0.0.1:8080';
/** How a block begins that a reader would run. */
const COMMAND = /^(npx|npm|node|messaging|curl|export|mkdir|import|const|await) /;

let project: Project;
let sandbox: Sandbox;
let compilerOutput: string;

beforeAll(async () => {
  project = new Project();
  sandbox = await startSandbox();
  // All at once: most of what the compiler reads is the same for each.
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

test('the blocks of TypeScript in documents compile', () => {
  expect(compilerOutput).toBe('');
});

describe.each(documents)('$name', ({ name, text: document, blocks, runnable, programs }) => {
  const of = (language: string) => runnable.filter((block) => block.language === language).map(({ text }) => text);
  const commands = of('sh').flatMap((text) => text.trim().split('\n'));

  test('has no block that is run nowhere, unless it says why', () => {
    for (const { language, text } of runnable) {
      expect(['sh', 'ts', 'js', 'json', 'text', '']).toContain(language);
      if (language === 'json') expect(() => JSON.parse(text)).not.toThrow();
      // Output, and a command that the sandbox's own set-up runs.
      if (language === 'text' || language === '') expect(text.trim() === START || !COMMAND.test(text)).toBe(true);
    }
    // Those are run by test/contract/walk.test.ts.
    if (name !== 'docs/contract.md') expect(blocks.filter(({ mark }) => mark?.startsWith('walk: '))).toEqual([]);
  });

  test('links to what the package holds', () => {
    const links = [...document.matchAll(/\]\(([^)\s#]+)[^)]*\)/g)].map(([, target = '']) => target);
    const folder = project.path(join('node_modules/messaging-soap', dirname(name)));
    const dead = links.filter((target) => !/^https?:/.test(target) && !existsSync(join(folder, target)));
    expect(dead).toEqual([]);
  });

  test('names commands for a clone that .ci/run runs', () => {
    const ci = readFileSync(join(ROOT, '.ci/run'), 'utf8');
    const forClone = commands.filter((command) => command.startsWith('npm ') && !SETUP.includes(command));
    for (const command of forClone) expect(ci).toContain(command);
  });

  if (programs.length > 0) {
    test.each(programs)('runs to its end: $file', async ({ file }) => {
      await run(`${file}.mjs`);
    });
  }

  if (commands.length > 0) {
    test('shows a session in a terminal that works word for word, but for the port', async () => {
      const port = await freePort();
      const here = (text: string) => text.replaceAll(ADDRESS, `127.0.0.1:${port}`);
      // A program that says in its first line how the reader is to call it.
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

/** Commands whose exit code is a result: one that is killed, and one that counts the rows that are pending or unknown. */
function withItsExitCodes(command: string): string {
  if (command.startsWith('timeout -s KILL ')) return `${command} || test $? = 137`;
  return command.startsWith('npx messaging bulk ') ? `${command} || [[ $? = [56] ]]` : command;
}
