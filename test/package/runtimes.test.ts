import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Sandbox, startSandbox } from '../../src/sandbox';
import { pem } from '../support/fixtures';
import { makeFolder } from '../support/folder';
import { testInFull } from '../support/loops';
import { npm, Project } from './project';

// A client in other runtimes than Node, with the binaries that npm carries. Like the tests on all versions of Node, they
// run before a release.

let project: Project;
let sandbox: Sandbox;
let secure: Sandbox;

beforeAll(async () => {
  project = new Project();
  sandbox = await startSandbox();
  secure = await startSandbox({ tls: { cert: pem('server.pem'), key: pem('server.key') } });
});
afterAll(() => Promise.all([sandbox.close(), secure.close()]));

const PROGRAM = `
import { createServer } from 'node:net';
import { MessagingClient } from 'messaging-soap';

const { settings, secure, ca } = JSON.parse(process.env.SETTINGS);
const options = { ...settings, successStatuses: [200], defaults: { msgmode: 1, unixdate: 0n } };
const failure = (promise) => promise.then(() => 'done', (error) => error.name + ' ' + error.outcome);

const client = new MessagingClient(options);
const ids = await client.sendSimple({ sender: '3000', message: 'سلام', receptor: ['09120000001', '09120000002'] });
console.log(typeof ids[0], ids.length);
const texts = [];
for await (const { message } of client.selectLatestStream({ pagesize: 2 })) texts.push(message);
console.log(texts.join());

const overTls = new MessagingClient({ ...options, baseUrl: secure, tls: { ca } });
console.log(typeof (await overTls.remainCredit()));
console.log(await failure(new MessagingClient({ ...options, baseUrl: secure }).remainCredit()));

// A service that never responds. Its second request aborts.
const abort = new AbortController();
let requests = 0;
const silent = createServer((socket) => socket.once('data', () => ++requests === 2 && abort.abort()));
silent.listen(0, '127.0.0.1');
await new Promise((resolve) => silent.once('listening', resolve));
const slow = new MessagingClient({ ...options, baseUrl: 'http://127.0.0.1:' + silent.address().port });
console.log(await failure(slow.remainCredit({}, { timeoutMs: 3000 })));
console.log(await failure(slow.remainCredit({}, { signal: abort.signal })));
console.log(await failure(new MessagingClient({ ...options, baseUrl: 'http://127.0.0.1:1' }).remainCredit()));

await Promise.all([client, overTls, slow].map((each) => each.close()));
console.log(await failure(client.remainCredit()));
process.exit(0);
`;

const EXPECTED = [
  'bigint 2',
  'سلام,سلام',
  'bigint',
  'ConnectionError not-sent',
  'TimeoutError unknown',
  'AbortError unknown',
  'ConnectionError not-sent',
  'ConnectionError not-sent',
];

testInFull.each([
  ['Bun', '@oven/bun-linux-x64@1.4.5', 'node_modules/@oven/bun-linux-x64/bin/bun', []],
  ['Deno', '@deno/linux-x64-glibc@2.9.6', 'node_modules/@deno/linux-x64-glibc/deno', ['run', '-A']],
])('in %s, a client sends, streams, uses TLS, times out, aborts and closes', async (_, name, binary, args) => {
  const folder = makeFolder();
  npm(folder, 'install', '--no-audit', '--no-fund', '--prefix', folder, name);
  project.write('runtime.mjs', PROGRAM);
  const { baseUrl, namespace, apiKey } = sandbox;
  const settings = JSON.stringify({
    settings: { baseUrl, namespace, apiKey },
    secure: secure.baseUrl,
    ca: pem('authority.pem'),
  });
  // The sandbox runs in this process, which must not be blocked.
  const { stdout } = await promisify(execFile)(join(folder, binary), [...args, 'runtime.mjs'], {
    cwd: project.folder,
    env: { PATH: process.env.PATH, HOME: folder, SETTINGS: settings },
  });
  expect(stdout.trimEnd().split('\n')).toEqual(EXPECTED);
});
