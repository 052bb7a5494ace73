import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { type Sandbox, startSandbox } from '../../src/sandbox';
import { version } from '../../src/version';
import { makeFolder } from '../support/folder';

const root = resolve(__dirname, '../..');
/** What users read: the README, and docs/ where there is one. */
const documents = [
  'README.md',
  ...(existsSync(join(root, 'docs')) ? readdirSync(join(root, 'docs')).map((name) => `docs/${name}`) : []),
]
  .filter((name) => name.endsWith('.md'))
  .map((name) => ({ name, text: readFileSync(join(root, name), 'utf8') }));
jest.setTimeout(240_000);

/** An empty project with the packed package installed, as a user has it. */
let project: string;
let sandbox: Sandbox;
let environment: NodeJS.ProcessEnv;

beforeAll(async () => {
  project = makeFolder();
  const [packed] = JSON.parse(npm(root, 'pack', '--json', '--pack-destination', project).replace(/^[^[]*/, ''));
  writeFileSync(join(project, 'package.json'), JSON.stringify({ name: 'project', private: true }));
  npm(project, 'install', '--no-audit', '--no-fund', join(project, packed.filename));
  sandbox = await startSandbox();
  environment = {
    ...process.env,
    MESSAGING_BASE_URL: sandbox.baseUrl,
    MESSAGING_NAMESPACE: sandbox.namespace,
    MESSAGING_API_KEY: sandbox.apiKey,
    MESSAGING_SUCCESS_STATUSES: '200',
  };
});
afterAll(async () => {
  await sandbox.close();
});

function npm(cwd: string, ...args: string[]): string {
  return execFileSync('npm', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
}

/** Runs a file of the project to its end, beside the sandbox that runs in this process. */
async function run(file: string, text: string): Promise<string> {
  writeFileSync(join(project, file), text);
  const child = spawn(process.execPath, [file], { cwd: project, env: environment, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`${file} exited with ${code}:\n${output}`);
  return output;
}

/** A document's blocks of a language, in order. */
function blocks(document: string, language: string): string[] {
  return [...document.matchAll(new RegExp(`^\`\`\`${language}\n([\\s\\S]*?)^\`\`\`$`, 'gm'))].map(
    ([, text = '']) => text,
  );
}

const SEND = `
  const client = MessagingClient.fromEnv({ defaults: { msgmode: 1, unixdate: 0n } });
  const ids = await client.sendSimple({ sender: '3000', message: 'سلام', receptor: ['1'] });
  console.log(typeof ids[0], (await client.select({ messageid: ids }))[0].message);
  await client.close();
  const sandbox = await startSandbox();
  await sandbox.close();`;

test('it holds what users need and nothing else', () => {
  const files = JSON.parse(npm(root, 'pack', '--json', '--dry-run', '--ignore-scripts'))[0].files.map(
    ({ path }: { path: string }) => path,
  );
  for (const file of [
    'LICENSE',
    'README.md',
    'CHANGELOG.md',
    'wsdl/messaging.v1.wsdl',
    'dist/bin/LICENSES.txt',
    'dist/bin/messaging.js.map',
  ]) {
    expect(files).toContain(file);
  }
  expect(
    files.filter((path: string) => !/^(dist\/(src|generated|bin)\/|wsdl\/|package\.json$|[A-Z]+(\.md)?$)/.test(path)),
  ).toEqual([]);
});

test('its version is the one that the client names itself by', () => {
  expect(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version).toBe(version);
});

test('CommonJS requires it', async () => {
  const text = `const { MessagingClient } = require('messaging-soap');\nconst { startSandbox } = require('messaging-soap/sandbox');\n(async () => {${SEND}})();`;
  expect(await run('main.cjs', text)).toBe('bigint سلام\n');
});

test('ESM imports it', async () => {
  const text = `import { MessagingClient } from 'messaging-soap';\nimport { startSandbox } from 'messaging-soap/sandbox';${SEND}`;
  expect(await run('main.mjs', text)).toBe('bigint سلام\n');
});

/** Compiles files of the project, strictly, and gives what the compiler says against them. */
function compile(files: readonly string[], ...args: string[]): string {
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  const common = [
    '--strict',
    '--target',
    'es2022',
    '--typeRoots',
    join(root, 'node_modules/@types'),
    '--types',
    'node',
  ];
  return spawnSync(process.execPath, [tsc, ...common, ...args, ...files], { cwd: project, encoding: 'utf8' }).stdout;
}

test.each([
  ['node16', 'node16', ['types-node16.mts', 'types-node16.cts']],
  ['bundler', 'esnext', ['types-bundler.ts']],
  ['node10', 'commonjs', ['types-node10.ts']],
])('TypeScript finds its types with moduleResolution %s', (moduleResolution, module, files) => {
  for (const file of files) {
    writeFileSync(
      join(project, file),
      `import { MessagingClient, type ApiSelect } from 'messaging-soap';
import { startSandbox, type Sandbox } from 'messaging-soap/sandbox';
export async function use(): Promise<bigint> {
  const sandbox: Sandbox = await startSandbox();
  const client = new MessagingClient(sandbox.clientOptions);
  const records: ApiSelect[] = await client.selectLatest({ pagesize: 1 });
  // @ts-expect-error a message id is a bigint
  const id: number = records[0]!.messageid;
  return records[0]!.messageid + BigInt(id);
}
`,
    );
  }
  const args = ['--noEmit', '--skipLibCheck', 'false', '--module', module, '--moduleResolution', moduleResolution];
  expect(compile(files, ...args)).toBe('');
});

test('its command runs, and a stack of its own has a source map', () => {
  const bin = join(project, 'node_modules/.bin/messaging');
  expect(execFileSync(bin, ['--version'], { encoding: 'utf8' })).toBe(`${version}\n`);
  expect(readFileSync(join(project, 'node_modules/messaging-soap/dist/bin/messaging.js'), 'utf8')).toMatch(
    /\/\/# sourceMappingURL=messaging\.js\.map\n$/,
  );
});

describe.each(documents)('$name', ({ name, text: document }) => {
  const commands = blocks(document, 'sh').flatMap((text) => text.trim().split('\n'));

  test('has no block that is run nowhere', () => {
    const languages = document.match(/^```\w+$/gm) ?? [];
    const others = languages.filter((fence) => !['```sh', '```ts', '```json', '```text'].includes(fence));
    expect(others).toEqual([]);
    for (const text of blocks(document, 'json')) expect(() => JSON.parse(text)).not.toThrow();
  });

  test('names commands for a clone that .ci/run runs', () => {
    const ci = readFileSync(join(root, '.ci/run'), 'utf8');
    for (const command of commands.filter((command) => command.startsWith('npm '))) expect(ci).toContain(command);
  });

  const programs = blocks(document, 'ts').map((text, index) => ({
    file: `${name.replace(/\W/g, '-')}-${index + 1}`,
    text,
  }));
  if (programs.length > 0) {
    test('has blocks of TypeScript that compile', () => {
      for (const { file, text } of programs) writeFileSync(join(project, `${file}.mts`), text);
      const files = programs.map(({ file }) => `${file}.mts`);
      expect(compile(files, '--module', 'node16')).toBe('');
    });

    test.each(programs)('runs to its end: $file', async ({ file }) => {
      await run(`${file}.mjs`, readFileSync(join(project, `${file}.mjs`), 'utf8'));
    });
  }

  test('shows a session in a terminal that works word for word, but for the port', async () => {
    const port = await freePort();
    const service = spawn('bash', ['-c', `exec node_modules/.bin/messaging sandbox --port ${port}`], { cwd: project });
    try {
      const [line] = await once(createInterface(service.stdout), 'line');
      expect(line).toBe(`Sandbox ready at http://127.0.0.1:${port}/soap/v1.asmx`);
      const session = commands.filter((command) => !command.startsWith('npm ') && command !== START);
      const script = ['set -euo pipefail', ...session].join('\n').replaceAll('127.0.0.1:8080', `127.0.0.1:${port}`);
      const { status, stdout, stderr } = spawnSync('bash', ['-c', script], { cwd: project, encoding: 'utf8' });
      expect({ status, stderr }).toMatchObject({ status: 0 });
      if (name === 'README.md') {
        expect(commands).toContain(START);
        expect(stdout).toContain('9007199254740993');
        expect(stdout).toContain('سلام');
      }
    } finally {
      service.kill('SIGTERM');
      await once(service, 'exit');
    }
  });
});

/** What a session begins with, in another terminal. */
const START = 'npx messaging sandbox';

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
