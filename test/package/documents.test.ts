import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import type { Sandbox } from '../../src/sandbox';
import { blocksOf } from '../support/documents';
import { freePort } from '../support/free-port';
import { type Outcome, outcomeOf, ROOT } from '../support/process';
import { openSandbox } from '../support/sandbox';
import { Project } from './project';

/** The documents that users read. */
const documents = [
  'README.md',
  ...readdirSync(join(ROOT, 'docs'))
    .filter((file) => file.endsWith('.md'))
    .map((file) => `docs/${file}`),
].map((name) => {
  const text = readFileSync(join(ROOT, name), 'utf8');
  const blocks = blocksOf(name);
  const runnable = blocks.filter(({ mark }) => !/^(walk|not run): /.test(mark ?? ''));
  const programs = runnable
    .filter(({ language }) => language === 'ts')
    .map((block, index) => ({ file: `${name.replace(/\W/g, '-')}-${index + 1}`, text: block.text }));
  return { name, text, blocks, runnable, programs };
});

type Document = (typeof documents)[number];

/** The command that a reader runs in another terminal. */
const START = 'npx messaging-soap sandbox';
/** The beginning of the block of the README that makes a folder, installs the package there and starts the sandbox. */
const INSTALL = 'mkdir ../my-messages && ';
const ADDRESS = '127.0.0.1:8080';
/** Matches the beginning of a block that a reader would run. */
const COMMAND = /^(npx|npm|node|messaging|curl|export|mkdir|import|const|await) /;

let project: Project;
let sandbox: Sandbox;
let compilerOutput: string;

beforeAll(async () => {
  project = new Project();
  sandbox = await openSandbox({ delivery: true });
  writeShortcuts(project.path('node_modules/.bin'));
  cpSync(project.path('node_modules/messaging-soap'), project.path('clone'), { recursive: true });
  // The compiler reads all programs at once, because most of its work is the same for each.
  const programs = documents.flatMap((document) => document.programs);
  for (const { file, text } of programs) project.write(`${file}.mts`, text);
  const files = programs.map(({ file }) => `${file}.mts`);
  const nodeTypes = ['--typeRoots', join(ROOT, 'node_modules/@types'), '--types', 'node'];
  compilerOutput = project.compile(files, '--module', 'node16', '--skipLibCheck', ...nodeTypes);
});

/** Writes the two programs that the sessions use in place of those of the system. */
function writeShortcuts(bin: string): void {
  const shortcuts = {
    // A run waits a minute for lost requests. No request of the sandbox takes longer than three seconds.
    npx: `name=$1
shift
if [ "$1 $2" = 'bulk run' ]; then set -- "$@" --settle-ms 6000; fi
exec ${bin}/$name "$@"`,
    // Kills a command while it sends, however long it takes to start.
    timeout: `shift 3
"$@" &
while kill -0 $! && ! curl -sf $MESSAGING_BASE_URL/sandbox | grep -Eq '"messages": ?([2-9]|[0-9]{2,})'; do sleep 0.1; done
kill -s KILL $!
wait $!`,
  };
  mkdirSync(project.path('shortcut'));
  for (const [name, script] of Object.entries(shortcuts)) {
    const path = join('shortcut', name);
    project.write(path, `#!/bin/sh\n${script}\n`);
    chmodSync(project.path(path), 0o755);
  }
}

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

test('the tests that docs/how-it-is-tested.md names exist', () => {
  const rows = readFileSync(join(ROOT, 'docs/how-it-is-tested.md'), 'utf8').match(/^\| .*`test\/.*$/gm) ?? [];
  const paths = rows.flatMap((row) => {
    const [first = '', ...more] = [...row.matchAll(/`([\w./-]+(?:\.test\.ts|\/\w+))`/g)].map(([, path = '']) => path);
    return [first, ...more.map((path) => (path.startsWith('test/') ? path : join(dirname(first), path)))];
  });
  expect(paths.length).toBeGreaterThan(15);
  expect(paths.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
});

describe.each(documents)('$name', (each) => {
  const { name, text: document, blocks, runnable } = each;

  test(`${name} has no block that no test runs, except where a comment says why`, () => {
    for (const { language, text } of runnable) {
      // No test runs PowerShell, which is not installed where the tests run.
      expect(['sh', 'ts', 'js', 'json', 'text', 'powershell', 'yaml', '']).toContain(language);
      if (language === 'json') expect(() => JSON.parse(text)).not.toThrow();
      // These blocks hold output, or the command that starts the sandbox.
      if (language === 'text' || language === '') expect(text.trim() === START || !COMMAND.test(text)).toBe(true);
    }
    // contract-walk.test.ts runs those blocks, which are in CONTRIBUTING.md.
    expect(blocks.filter(({ mark }) => mark?.startsWith('walk: '))).toEqual([]);
  });

  test(`every relative link in ${name} leads to a file of the package, or of the clone`, () => {
    const links = [...document.matchAll(/\]\(([^)\s#]+)[^)]*\)/g)].map(([, target = '']) => target);
    const folder = project.path(join('node_modules/messaging-soap', dirname(name)));
    // CONTRIBUTING.md and the pages of the maintainers are in the clone only.
    const isForClone = (target: string) => /(^|\/)(CONTRIBUTING\.md|maintainers\/.*)$/.test(target);
    const root = (target: string) => (isForClone(target) ? join(ROOT, dirname(name)) : folder);
    const dead = links.filter((target) => !/^https?:/.test(target) && !existsSync(join(root(target), target)));
    expect(dead).toEqual([]);
  });

  test(`.ci/run runs every command for a clone in ${name}`, () => {
    const ci = readFileSync(join(ROOT, '.ci/run'), 'utf8');
    const forClone = commandsOf(each)
      .filter((command) => command.startsWith('npm '))
      .flatMap((command) => command.replace(/ +#.*/, '').split(' && '));
    for (const command of forClone) expect(ci).toContain(command);
  });
});

const commandsOf = ({ runnable }: Document): string[] =>
  runnable
    .filter(({ language, text }) => language === 'sh' && !text.startsWith(INSTALL))
    .flatMap(({ text }) => text.trim().split('\n'));
const sessions = documents.filter((document) => commandsOf(document).length > 0);

// Jest runs the concurrent tests of one block at the same time.
describe('a reader of the documents', () => {
  test.concurrent.each(sessions)(
    'the terminal session in $name works word for word, except for the port',
    async (document) => {
      const { name, blocks, runnable } = document;
      const commands = commandsOf(document);
      const isReadme = name === 'README.md';
      const port = await freePort();
      const here = (text: string) => text.replaceAll(ADDRESS, `127.0.0.1:${port}`);
      const folder = isReadme ? 'my-messages' : `session-${name.replace(/\W/g, '-')}`;
      const install = blocks.find(({ text }) => text.startsWith(INSTALL))?.text.trim();
      // The README's own lines install the package. The folder of a clone has the files of the package here.
      const start = isReadme ? `cd clone && ${install}` : `mkdir ${folder} && exec node_modules/.bin/messaging sandbox`;
      const service = spawn('bash', ['-c', `${start} --port ${port}`], {
        cwd: project.folder,
        env: { ...process.env, npm_config_ignore_scripts: 'true' },
        stdio: ['ignore', 'pipe', 'ignore'],
        // npx does not hand on a signal.
        detached: true,
      });
      try {
        await waitForLine(service, `Sandbox ready at http://127.0.0.1:${port}/soap/v1.asmx`);
        // The first line of a program is a comment with the file name.
        for (const { text } of runnable.filter(({ language }) => language === 'js'))
          project.write(join(folder, /^\/\/ (\S+)\n/.exec(text)?.[1] ?? 'program.js'), here(text));
        const session = commands
          .filter((command) => !command.startsWith('npm ') && command !== START)
          .map(withItsExitCodes);
        const script = here(['set -euo pipefail', ...session].join('\n'));
        // The session of the README shows that npx finds the command. In the others, npx would take most of the time.
        const path = isReadme ? process.env.PATH : `${project.path('shortcut')}:${process.env.PATH}`;
        const options = { cwd: project.path(folder), env: { ...process.env, PATH: path } };
        const { stdout, stderr } = await outputOf(spawn('bash', ['-c', script], options));
        // A comment behind a call of console.log is what it prints.
        for (const { text } of runnable.filter(({ language }) => language === 'js'))
          for (const [, comment = ''] of text.matchAll(/^ *console\.log\(.*; \/\/ (\[.*\])$/gm))
            expect(stdout).toContain(`${comment}\n`);
        if (isReadme) expect(stdout).toMatch(/^\[ 9007199254740993n \]\n1\n9007199254740875\n/);
        if (name === 'docs/bulk.md') expect(stdout).toMatch(/^1000$/m);
        if (name === 'docs/excel-to-results.md') {
          expect(stdout).toMatch(/^\d of 6 rows sent, 1 unknown/m);
          // What the page says that the commands print, in this order.
          const printed = blocks
            .filter(({ language }) => language === 'text')
            .flatMap(({ text }) => text.trim().split('\n'));
          const pattern = printed.map((line) => line.split('…').map(literally).join('.*')).join('$[^]*^');
          expect(stderr).toMatch(new RegExp(`^${pattern}$`, 'm'));
          const { messages } = (await (await fetch(`http://127.0.0.1:${port}/sandbox`)).json()) as { messages: number };
          expect(messages).toBe(7);
        }
      } finally {
        const end = once(service, 'exit');
        if (service.exitCode === null) {
          process.kill(-(service.pid as number), 'SIGTERM');
          await end;
        }
      }
    },
  );

  test.concurrent.each(documents.flatMap(({ programs }) => programs))(
    'the program $file runs to its end, and prints what the page says',
    async ({ file, text }) => {
      const printed = (await run(`${file}.mjs`)).replace(/\s+/g, ' ');
      // A comment behind a call of console.log is what it prints.
      for (const [, comment = ''] of text.matchAll(/^console\.log\(.*; \/\/ (\{.*\})$/gm))
        expect(printed).toContain(comment);
      if (text.includes('client.track(')) expect(printed).toMatch(/→ 10 final.*→ 11 final|→ 11 final.*→ 10 final/);
    },
  );
});

/** Waits until a program prints a line, and reads on. */
async function waitForLine({ stdout }: ChildProcess, wanted: string): Promise<void> {
  const lines = createInterface(stdout as Readable);
  for await (const line of lines) if (line === wanted) return void stdout?.resume();
  throw new Error(`the program ended without ${wanted}`);
}

/** Waits until a session ends, and returns its output. */
async function outputOf(session: ChildProcess): Promise<Outcome> {
  const outcome = await outcomeOf(session);
  const { code, stdout, stderr } = outcome;
  if (code !== 0) throw new Error(`the session ended with ${code}:\n${stdout}\n${stderr}`);
  return outcome;
}

function literally(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

/** Accepts the exit codes of a command that is killed, and of bulk when rows are rejected, pending or unknown. */
function withItsExitCodes(command: string): string {
  if (command.startsWith('timeout -s KILL ')) return `${command} || test $? = 137`;
  return command.startsWith('npx messaging-soap bulk ') ? `${command} || [[ $? = [356] ]]` : command;
}
