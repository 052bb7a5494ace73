import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import module from 'node:module';
import { join } from 'node:path';
import { build } from 'esbuild';
import { version } from '../../src/internal/version';
import { type Sandbox, startSandbox } from '../../src/sandbox';
import { makeFolder } from '../support/folder';
import { testInFull } from '../support/loops';
import { ROOT } from '../support/process';
import { compilers, npm, Project } from './project';

let project: Project;
let sandbox: Sandbox;

beforeAll(async () => {
  project = new Project();
  sandbox = await startSandbox();
});
afterAll(() => sandbox.close());

/** Variables with which `fromEnv` makes a client of the sandbox. */
function environment(): NodeJS.ProcessEnv {
  return {
    ...process.env,
    MESSAGING_BASE_URL: sandbox.baseUrl,
    MESSAGING_NAMESPACE: sandbox.namespace,
    MESSAGING_API_KEY: sandbox.apiKey,
    MESSAGING_SUCCESS_STATUSES: '200',
  };
}

function run(file: string, text: string): Promise<string> {
  project.write(file, text);
  return project.run(file, environment());
}

const SEND = `
  const client = MessagingClient.fromEnv({ defaults: { msgmode: 1, unixdate: 0n } });
  const ids = await client.sendSimple({ sender: '3000', message: 'سلام', receptor: ['1'] });
  console.log(typeof ids[0], (await client.select({ messageid: ids }))[0].message);
  await client.close();
  const sandbox = await startSandbox();
  await sandbox.close();`;

/** Installs a release of TypeScript outside the project, and returns the folder of its package. */
function installTypeScript(release: string): string {
  const folder = makeFolder();
  npm(folder, 'install', '--no-audit', '--no-fund', '--prefix', folder, `typescript@${release}`);
  return join(folder, 'node_modules/typescript');
}

test('the package contains what users need and nothing else', () => {
  for (const file of [
    'LICENSE',
    'README.md',
    'CHANGELOG.md',
    'dist/bin/LICENSES.txt',
    'dist/bin/main.js.map',
    'docs/errors.md',
    'examples/send.mts',
  ]) {
    expect(project.files).toContain(file);
  }
  expect(
    project.files.filter(
      (path) =>
        !/^(dist\/(src|generated|bin)\/|wsdl\/messaging\.v1\.wsdl$|docs\/[A-Za-z-]+\.md$|docs\/pictures\/[a-z-]+\.(webp|svg)$|examples\/|Containerfile$|package\.json$|[A-Z]+(\.md)?$)/.test(
          path,
        ),
    ),
  ).toEqual([]);
});

test('the package has nothing twice, and no source maps of generated code', () => {
  // The command is a bundle.
  expect(project.files.filter((path) => path.startsWith('dist/src/cli/'))).toEqual([]);
  expect(project.files.filter((path) => /^dist\/generated\/.*\.map$/.test(path))).toEqual([]);
  const holdsWsdl = (path: string): boolean =>
    readFileSync(project.path(join('node_modules/messaging-soap', path)), 'utf8').includes('<wsdl:definitions');
  expect(project.files.filter((path) => /\.(js|wsdl|map)$/.test(path) && holdsWsdl(path))).toEqual([
    'wsdl/messaging.v1.wsdl',
  ]);
  const generated = project.path('node_modules/messaging-soap/dist/generated/operations.js');
  expect(readFileSync(generated, 'utf8')).not.toContain('sourceMappingURL');
});

test('the command, the comparison of contracts and the sandbox find the WSDL of the package', async () => {
  const messaging = (...args: string[]): string =>
    execFileSync(project.path('node_modules/.bin/messaging'), args, { cwd: project.folder, encoding: 'utf8' });
  const wsdl = messaging('wsdl', '--base-url', sandbox.baseUrl, '--namespace', sandbox.namespace);
  project.write('their.wsdl', wsdl);
  expect(messaging('contract', 'diff', 'their.wsdl')).toMatch(/^their\.wsdl: no difference\n/);
  const program = `require('messaging-soap/sandbox').startSandbox().then(async (sandbox) => {
    const response = await fetch(sandbox.baseUrl + '/soap/v1.asmx?wsdl');
    console.log((await response.text()).replaceAll(sandbox.baseUrl, '${sandbox.baseUrl}'));
    await sandbox.close();
  });`;
  expect(await run('wsdl.cjs', program)).toBe(`${wsdl}\n`);
});

test('the User-Agent of the client names the version of the package', () => {
  expect(JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).version).toBe(version);
});

test('a CommonJS program can require the package', async () => {
  const text = `const { MessagingClient } = require('messaging-soap');\nconst { startSandbox } = require('messaging-soap/sandbox');\n(async () => {${SEND}})();`;
  expect(await run('main.cjs', text)).toBe('bigint سلام\n');
});

test('an ES module can import the package', async () => {
  const text = `import { MessagingClient } from 'messaging-soap';\nimport { startSandbox } from 'messaging-soap/sandbox';${SEND}`;
  expect(await run('main.mjs', text)).toBe('bigint سلام\n');
});

// docs/api.md says the same: a bundle that is an ES module has no `require` for Node's own modules.
const banner = "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);";

test.each([
  ['CommonJS', 'bundle.cjs', { format: 'cjs' }],
  ['an ES module', 'bundle.mjs', { format: 'esm', banner: { js: banner } }],
] as const)('a program that uses the package runs as a bundle of esbuild: %s', async (_, file, options) => {
  project.write(
    'bundled.js',
    `import { ConnectionError, MessagingClient } from 'messaging-soap';
    (async () => {
      const client = MessagingClient.fromEnv({ defaults: { msgmode: 1, unixdate: 0n } });
      const [id] = await client.sendSimple({ sender: '3000', message: 'سلام', receptor: ['1'] });
      for await (const { messageid, message } of client.selectLatestStream({ pagesize: 1 })) console.log(messageid === id, message);
      await client.close();
      console.log((await client.remainCredit().catch((error) => error)) instanceof ConnectionError);
    })();`,
  );
  // Outside the project, where the package is not installed.
  const outfile = join(makeFolder(), file);
  const bundle = { ...options, outfile, bundle: true, minify: true, platform: 'node' } as const;
  await build({ ...bundle, absWorkingDir: project.folder, entryPoints: ['bundled.js'], logLevel: 'error' });
  expect(await project.run(outfile, environment())).toBe('true سلام\ntrue\n');
});

test.each([
  ['node16', 'node16', ['types-node16.mts', 'types-node16.cts'], compilers.native],
  ['bundler', 'esnext', ['types-bundler.ts'], compilers.native],
  // TypeScript 7 does not have it any more.
  ['node10', 'commonjs', ['types-node10.ts'], compilers.earlier],
])('TypeScript finds the types of the package with moduleResolution %s', (resolution, module, files, compiler) => {
  for (const file of files) {
    project.write(
      file,
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
  const args = ['--noEmit', '--skipLibCheck', 'false', '--typeRoots', 'none', '--target', 'es2022'];
  const options = [...args, '--module', module, '--moduleResolution', resolution];
  expect(project.tsc(compiler, [...options, ...files])).toBe('');
});

describe('types', () => {
  const source = `import {
  bigintReplacer, FaultError, HttpError, MessagingClient, type ApiReceive, type CallOptions, type CallTrace,
  type MessagingOptions, type WireMessage,
} from 'messaging-soap';
import { type BulkOptions, openBulk } from 'messaging-soap/bulk';
import { collectBulk, type EnqueueOptions, enqueueBulk, RedisError, workBulk } from 'messaging-soap/bullmq';
import { type InboxOptions, openInbox } from 'messaging-soap/inbox';
import { type Sandbox, type SandboxOptions, startSandbox } from 'messaging-soap/sandbox';
declare const inbox: InboxOptions;
declare const options: SandboxOptions & { readonly traces: (CallTrace | WireMessage)[]; readonly bulk: BulkOptions & EnqueueOptions };
export async function use(): Promise<readonly ApiReceive[]> {
  const sandbox: Sandbox = await startSandbox(options);
  const settings: MessagingOptions = { ...sandbox.clientOptions, retries: 1, tls: { ca: new Uint8Array(1) } };
  const client = new MessagingClient(settings);
  const call: CallOptions = { signal: AbortSignal.timeout(5), startWithinMs: 1 };
  for await (const { messageid } of client.selectLatestStream({ pagesize: 1 }, call)) JSON.stringify(messageid, bigintReplacer);
  await client.close({ withinMs: 5 }).catch((error: unknown) => {
    if (error instanceof FaultError || error instanceof HttpError) throw error.headers['retry-after'];
  });
  await openBulk(options.bulk);
  const received = await openInbox({ ...inbox, client });
  await received.run(({ messageid }, { redelivered }) => (redelivered ? undefined : messageid + 1n), { signal: call.signal });
  const { counts } = await enqueueBulk(options.bulk).catch((error: RedisError) => { throw new RedisError(error.message); });
  await workBulk({ ...options.bulk, stopAfterFailures: counts.sent, untilEmpty: true });
  await collectBulk({ ...options.bulk, journal: 'list.journal' });
  return await client.receive({ lineNumber: '3000', isread: 0 });
}
`;

  const noTypes = ['--noEmit', '--module', 'node16', '--typeRoots', 'none'];
  const strict = [...noTypes, '--skipLibCheck', 'false'];

  /** Compiles a program that is right and one that is wrong with a compiler. */
  function checkTypes(typescript: string): void {
    project.write('use.ts', source);
    // Its error shows that the compiler did check the programs.
    project.write('wrong.ts', source.replace('retries: 1', "retries: '1'"));
    expect(project.tsc(typescript, [...strict, 'use.ts', 'wrong.ts'])).toMatch(
      /^wrong\.ts\(\d+,\d+\): error TS2322.*\n$/,
    );
  }

  // The newest, and in full the oldest. The test of node10 checks the types with one between them.
  test('a program compiles without @types/node and without skipLibCheck under TypeScript 7.0.2', () => {
    checkTypes(compilers.native);
  });

  testInFull('a program compiles without @types/node and without skipLibCheck under TypeScript 5.4.5', () => {
    checkTypes(installTypeScript('5.4.5'));
  });

  test('a program compiles with neither the library of the DOM nor @types/node', () => {
    project.write('use.ts', source.replace('signal: AbortSignal.timeout(5), ', ''));
    expect(project.tsc(compilers.native, [...strict, '--lib', 'ES2023', 'use.ts'])).toBe('');
  });

  test('the types of the package need no declarations of node-soap or undici', () => {
    project.write('use.ts', source);
    const listed = project.tsc(compilers.native, [...noTypes, '--listFilesOnly', 'use.ts']);
    expect(listed).toContain('messaging-soap/dist/src/client/client.d.ts');
    expect(listed).not.toMatch(/node_modules\/(soap|undici|@types|saxes|commander|bullmq|redis|prom-client)\//);
  });
});

test('without the optional peer dependencies everything but a queue works, and a queue says how to install them', async () => {
  const text = `const { workBulk } = require('messaging-soap/bullmq');
    workBulk({ client: {}, redis: 'redis://127.0.0.1:1' }).catch(({ name, message }) => console.log(name, message));`;
  const words = 'a queue needs bullmq and redis, and bullmq is not installed: npm install bullmq redis\n';
  expect(await run('queue.cjs', text)).toBe(`ConfigurationError ${words}`);
  const bin = project.path('node_modules/.bin/messaging');
  const service = ['--base-url', 'http://127.0.0.1:1', '--namespace', 'http://messaging.example/'];
  const work = ['bulk', 'work', '--redis', 'redis://127.0.0.1:1', ...service, '--success-statuses', '200'];
  const env = { ...process.env, MESSAGING_API_KEY: 'key' };
  const { status, stderr } = spawnSync(bin, work, { encoding: 'utf8', env });
  expect({ status, stderr }).toEqual({ status: 2, stderr: `error: ${words}` });
});

test('the messaging command of the package names a wrong option of the sandbox by its flag', () => {
  const bin = project.path('node_modules/.bin/messaging');
  const { status, stderr } = spawnSync(bin, ['sandbox', '--port', '0', '--allow-host', 'a:80'], { encoding: 'utf8' });
  expect([status, stderr]).toEqual([2, 'error: --allow-host: "a:80" is not a host name without a port\n']);
});

test('the messaging command of the package runs and has a source map', () => {
  const bin = project.path('node_modules/.bin/messaging');
  expect(execFileSync(bin, ['--version'], { encoding: 'utf8' })).toBe(`${version}\n`);
  expect(readFileSync(project.path('node_modules/messaging-soap/dist/bin/main.js'), 'utf8')).toMatch(
    /\/\/# sourceMappingURL=main\.js\.map\n$/,
  );
});

test('a call loads no file of the commands that it does not use', async () => {
  const filesOf = async (...args: string[]): Promise<string[]> => {
    const text = `process.argv.splice(2, 0, ...${JSON.stringify(args)});
      const { basename } = require('node:path');
      process.on('exit', () => console.log(Object.keys(require.cache).map((path) => basename(path, '.js')).join()));
      require('./node_modules/messaging-soap/dist/bin/messaging.js');`;
    return (await run('files.cjs', text)).trimEnd().split('\n').at(-1)?.split(',') ?? [];
  };
  const own = ['bulk', 'inbox', 'setup', 'doctor', 'completion'];
  expect((await filesOf('remain-credit')).filter((name) => own.includes(name))).toEqual([]);
  for (const name of own) expect(await filesOf(name, '--help')).toContain(name);
});

test('the messaging command keeps compiled code in a folder for such files only where the user has one', () => {
  const bin = project.path('node_modules/.bin/messaging');
  const start = (environment: NodeJS.ProcessEnv): void => {
    const { status, stderr } = spawnSync(bin, ['--version'], { env: { PATH: process.env.PATH, ...environment } });
    expect([status, stderr.toString()]).toEqual([0, '']);
  };
  const caches = makeFolder();
  const home = makeFolder();
  start({ XDG_CACHE_HOME: caches, HOME: home });
  expect(readdirSync(caches)).toEqual('enableCompileCache' in module ? ['messaging'] : []);
  start({ HOME: home });
  start({ XDG_CACHE_HOME: join(home, 'missing'), HOME: home });
  expect(readdirSync(home)).toEqual([]);
  start({ XDG_CACHE_HOME: bin });
  start({});
});
