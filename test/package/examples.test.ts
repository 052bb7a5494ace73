import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Sandbox } from '../../src/sandbox';
import { freePort } from '../support/free-port';
import { outcomeOf, ROOT } from '../support/process';
import { openSandbox } from '../support/sandbox';
import { Project } from './project';

const names = readdirSync(join(ROOT, 'examples'));
const programs = names.filter((name) => name.endsWith('.mts'));
/** Node 22.18 and later run TypeScript as it stands. On an older Node the compiled programs run. */
const runsTypeScript = Boolean((process.features as { readonly typescript?: unknown }).typescript);

let project: Project;
let sandbox: Sandbox;
let environment: NodeJS.ProcessEnv;
let errors: string;

beforeAll(() => {
  project = new Project();
  mkdirSync(project.path('examples'));
  for (const name of names) cpSync(join(ROOT, 'examples', name), project.path(join('examples', name)));
  for (const name of ['express', 'fastify', '@types', 'bullmq', 'redis']) {
    const [from, to] = [join(ROOT, 'node_modules', name), project.path(join('node_modules', name))];
    if (!existsSync(to)) symlinkSync(from, to);
  }
  const files = programs.map((name) => join('examples', name));
  errors = project.compile(
    files,
    '--module',
    'nodenext',
    '--skipLibCheck',
    '--types',
    'node',
    '--rewriteRelativeImportExtensions',
  );
});
beforeEach(async () => {
  sandbox = await openSandbox();
  environment = {
    ...process.env,
    MESSAGING_BASE_URL: sandbox.baseUrl,
    MESSAGING_NAMESPACE: sandbox.namespace,
    MESSAGING_API_KEY: sandbox.apiKey,
    MESSAGING_SUCCESS_STATUSES: '200',
  };
});

/** Starts a program as a user does, in the folder of the examples. */
function start(name: string, ...args: string[]) {
  const file = runsTypeScript ? name : name.replace(/\.mts$/, '.mjs');
  return spawn(process.execPath, [file, ...args], { cwd: project.path('examples'), env: environment });
}
const run = (name: string, ...args: string[]) => outcomeOf(start(name, ...args));

const pause = () => new Promise((resolve) => setTimeout(resolve, 10));

/** Waits for a line on stdout. */
async function waitForLine(child: ReturnType<typeof start>, text: string): Promise<void> {
  for await (const line of createInterface(child.stdout)) if (line.includes(text)) return;
  throw new Error(`the program ended without ${text}`);
}

test('each example compiles with the package as users get it, and has at most 30 lines', () => {
  expect(errors).toBe('');
  expect(programs.length).toBe(11);
  for (const name of names.filter((each) => /\.(mts|sh)$/.test(each))) {
    expect(
      readFileSync(join(ROOT, 'examples', name), 'utf8')
        .trimEnd()
        .split('\n').length,
    ).toBeLessThanOrEqual(30);
  }
});

test('examples/README.md has a row for each example', () => {
  const text = readFileSync(join(ROOT, 'examples/README.md'), 'utf8');
  expect(names.filter((name) => name !== 'README.md' && !text.includes(`\`${name}\``))).toEqual([]);
});

test('send.mts prints the id, and its exit code says what may be done after a failure', async () => {
  expect(await run('send.mts', '3000', '09120000002', 'hi')).toMatchObject({ code: 0, stdout: '9007199254740993\n' });
  expect(await run('send.mts', '3000', '09120000002', 'bad\x01')).toMatchObject({ code: 2 });
  sandbox.reply('SendSimpleByApikey', { drop: 'after' });
  expect(await run('send.mts')).toMatchObject({ code: 6 });
  for (const result of [[], ['0'], ['5', '6']]) {
    sandbox.reply('SendSimpleByApikey', { result, status: 200 });
    expect(await run('send.mts')).toMatchObject({ code: 6 });
  }
  sandbox.reply('SendSimpleByApikey', { status: 412, statusmessage: 'no' });
  expect(await run('send.mts')).toMatchObject({ code: 3 });
  environment.MESSAGING_BASE_URL = `http://127.0.0.1:${await freePort()}`;
  expect(await run('send.mts')).toMatchObject({ code: 5 });
  environment.MESSAGING_API_KEY = '';
  expect(await run('send.mts')).toMatchObject({ code: 2, stdout: '' });
});

test('one-off.sh sends once, however often it runs, and stops where the message may have been sent', async () => {
  const script = () =>
    outcomeOf(spawn('sh', [join('..', 'one-off.sh')], { cwd: project.path('examples/one-off'), env: environment }));
  environment.MESSAGING_COMMAND = project.path('node_modules/.bin/messaging');
  mkdirSync(project.path('examples/one-off'));
  const real = environment.MESSAGING_BASE_URL;
  environment.MESSAGING_BASE_URL = `http://127.0.0.1:${await freePort()}`;
  expect(await script()).toMatchObject({ code: 5 });
  environment.MESSAGING_BASE_URL = real;
  sandbox.reply('SendSimpleByApikey', { drop: 'after' });
  expect(await script()).toMatchObject({ code: 6 });
  // Until somebody has looked, no further run sends.
  expect(await script()).toMatchObject({ code: 6, stderr: expect.stringMatching(/^it may have been sent: /) });
  expect(sandbox.messages).toHaveLength(1);
  rmSync(project.path('examples/one-off/unsure'));
  sandbox.reset();
  // A success without an id may be a refusal or a sent message.
  for (const result of [[], ['0']]) {
    sandbox.reply('SendSimpleByApikey', { result, status: 200 });
    expect(await script()).toMatchObject({ code: 6 });
    expect(await script()).toMatchObject({ code: 6, stderr: expect.stringMatching(/^it may have been sent: /) });
    for (const file of ['unsure', 'id.txt']) rmSync(project.path(join('examples/one-off', file)));
  }
  expect(sandbox.requests.filter(({ operation }) => operation === 'SendSimpleByApikey')).toHaveLength(2);
  sandbox.reset();
  const tracked = script();
  while (sandbox.messages.length === 0) await pause();
  sandbox.setStatus(sandbox.messages[0]?.messageid as bigint, 10);
  expect(await tracked).toMatchObject({ code: 0 });
  expect(await script()).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(/^sent before, with id 9007199254740993\n/),
  });
  expect(sandbox.messages).toHaveLength(1);
});

test('stream.mts writes each message as a line of JSON', async () => {
  await run('send.mts');
  const { code, stdout, stderr } = await run('stream.mts');
  expect([code, stderr]).toEqual([0, '1 messages\n']);
  expect(JSON.parse(stdout)).toMatchObject({ messageid: '9007199254740993', message: 'سلام' });
});

test('delivery.mts follows a message until its status is final', async () => {
  const program = start('delivery.mts');
  const outcome = outcomeOf(program);
  while (sandbox.messages.length === 0) await pause();
  sandbox.setStatus(9007199254740993n, 10);
  expect(await outcome).toMatchObject({ code: 0, stdout: expect.stringMatching(/: status 10, final\n$/) });
});

test('inbox.mts answers a received message once, also when it is started again', async () => {
  sandbox.receive({ sender: '09120000009', receptor: '3000', message: 'are you there?' });
  for (const words of ['answered', undefined]) {
    const program = start('inbox.mts');
    if (words !== undefined) await waitForLine(program, words);
    else while (sandbox.requests.length < 8) await pause();
    program.kill('SIGTERM');
    const [code] = await once(program, 'exit');
    expect(code).toBe(0);
  }
  expect(sandbox.messages.map(({ receptor, message }) => [receptor, message])).toEqual([
    ['09120000009', 'We have read: are you there?'],
  ]);
});

test('delivery.mts and inbox.mts say to look when the service accepts a message without an id', async () => {
  sandbox.reply('SendSimpleByApikey', { result: [], status: 200 }, { times: 2 });
  const delivery = await run('delivery.mts');
  expect(delivery).toMatchObject({ code: 1, stderr: expect.stringContaining('look in the list of sent messages') });
  rmSync(project.path('examples/inbox.journal'), { force: true });
  sandbox.receive({ sender: '09120000009', receptor: '3000', message: 'are you there?' });
  const program = start('inbox.mts');
  let stderr = '';
  for await (const text of program.stderr) {
    stderr += text;
    if (stderr.includes('may have been answered: look')) break;
  }
  program.kill('SIGTERM');
  expect(await once(program, 'exit')).toEqual([0, null]);
  expect(sandbox.messages).toEqual([]);
});

test('bulk.mts sends each row once, also when it is started again', async () => {
  for (let time = 0; time < 2; time++) {
    const { code, stdout } = await run('bulk.mts');
    expect(code).toBe(0);
    expect(stdout.split('\n')[1]).toMatch(/^2\t09120000002\tsent\t9007199254740994/);
  }
  expect(sandbox.messages.map(({ message }) => message)).toEqual(['Hello Ali', 'Hello Sara']);
});

/** The programs that send a message for each HTTP request. */
const servers = [['express.mts'], ['fastify.mts']];

/** Posts a message to a server, and gives status, JSON and `Retry-After` of the response. */
async function post(body: unknown = { sender: '3000', message: 'hi', receptor: ['09120000001'] }) {
  const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
  const response = await fetch(`http://127.0.0.1:${environment.PORT}/messages`, init);
  return [response.status, await response.json(), response.headers.get('retry-after')];
}

test.each(servers)(
  '%s says by its status what the caller may do, logs each call, and writes unknown messages to a file',
  async (name) => {
    environment.PORT = String(await freePort());
    rmSync(project.path('examples/unknown.ndjson'), { force: true });
    const program = start(name);
    const outcome = outcomeOf(program);
    await waitForLine(program, 'ready');
    const look = { error: 'it may have been sent: look first' };
    expect(await post()).toEqual([201, { ids: ['9007199254740993'] }, null]);
    const problem = { field: 'receptor', message: expect.any(String) };
    expect(await post({ sender: '3000', message: 'hi' })).toEqual([400, { problems: [problem] }, null]);
    expect((await post([]))[0]).toBe(400);
    sandbox.reply('SendSimpleByApikey', { status: 412 });
    expect(await post()).toEqual([422, { error: expect.stringContaining('412') }, null]);
    sandbox.reply('SendSimpleByApikey', { http: { status: 429, headers: { 'retry-after': '9' } } });
    expect(await post()).toEqual([503, { error: 'not sent' }, '9']);
    sandbox.reply('SendSimpleByApikey', { result: ['77'], status: 201 });
    expect(await post()).toEqual([202, look, null]);
    sandbox.reply('SendSimpleByApikey', { drop: 'after' });
    expect(await post()).toEqual([202, look, null]);
    sandbox.reply('SendSimpleByApikey', { result: [], status: 200 });
    expect(await post()).toEqual([202, look, null]);
    // A request under way ends before the program does.
    sandbox.reply('SendSimpleByApikey', { delayMs: 200 });
    const last = post();
    while (sandbox.requests.filter(({ operation }) => operation === 'SendSimpleByApikey').length < 7) await pause();
    program.kill('SIGTERM');
    expect((await last)[0]).toBe(201);
    const { code, stdout, stderr } = await outcome;
    expect([code, stderr]).toEqual([0, '']);
    const logged = stdout.trimEnd().split('\n').slice(1);
    expect(logged.map((line) => JSON.parse(line).outcome)).toEqual(
      expect.arrayContaining(['done', 'not-sent', 'rejected', 'unknown']),
    );
    expect(stdout).not.toContain(sandbox.apiKey);
    const unknown = readFileSync(project.path('examples/unknown.ndjson'), 'utf8').trimEnd().split('\n');
    expect(unknown.map((line) => JSON.parse(line).body.receptor)).toEqual([
      ['09120000001'],
      ['09120000001'],
      ['09120000001'],
    ]);
  },
);

test.each(servers)(
  '%s answers 503 while the service cannot be reached, and ends without a configuration',
  async (name) => {
    environment.PORT = String(await freePort());
    environment.MESSAGING_BASE_URL = `http://127.0.0.1:${await freePort()}`;
    const program = start(name);
    await waitForLine(program, 'ready');
    expect(await post()).toEqual([503, { error: 'not sent' }, '5']);
    program.kill('SIGINT');
    expect(await once(program, 'exit')).toEqual([0, null]);
    environment.MESSAGING_BASE_URL = '';
    expect(await run(name)).toMatchObject({ code: 1, stderr: expect.stringContaining('MESSAGING_BASE_URL') });
  },
);

test('order.test.mts passes', async () => {
  expect(await run('order.test.mts')).toMatchObject({ code: 0, stdout: expect.stringContaining('pass 2') });
});

test('opentelemetry.mts makes its call', async () => {
  expect(await run('opentelemetry.mts')).toMatchObject({ code: 0, stdout: '9007199254740995n\n' });
});
