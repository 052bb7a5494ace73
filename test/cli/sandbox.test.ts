import { EventEmitter, once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { invocationOf } from '../../src/cli/terminal/io';
import { quoteForShell } from '../../src/internal/shell';
import { cleanUp } from '../support/clean-up';
import { makeFolder } from '../support/folder';
import { programPath, startNode } from '../support/process';
import { openSandbox } from '../support/sandbox';
import { Capture, messaging, type Outcome, outcomeOf, shellWords, startProcess } from './support';

const TLS = join(__dirname, '../fixtures/tls');

/** Runs a sandbox while a test uses its printed lines. */
async function withSandbox(args: readonly string[], use: (printed: string) => Promise<void>): Promise<Outcome> {
  const signals = new EventEmitter();
  const stdout = new Capture();
  const environment = { MESSAGING_NAMESPACE: 'http://real.example/', MESSAGING_API_KEY: 'real-key' };
  const outcome = messaging(['sandbox', '--port', '0', ...args], { signals, stdout, environment });
  while (!stdout.text.includes('Ctrl-C')) await new Promise((resolve) => setTimeout(resolve, 5));
  try {
    await use(stdout.text);
  } finally {
    signals.emit('SIGINT');
  }
  return outcome;
}

/** The variables that the printed lines set. */
function exportsIn(printed: string): NodeJS.ProcessEnv {
  const assignments = [...printed.matchAll(/^export (.*)$/gm)].map(
    ([, assignment = '']) => shellWords(assignment)[0] ?? '',
  );
  return Object.fromEntries(assignments.map((text) => text.split(/=(.*)/s)));
}

const addressIn = (printed: string): string => /^Sandbox ready at (\S+)\/soap\/v1\.asmx\n/.exec(printed)?.[1] ?? '';
const credit = (environment: NodeJS.ProcessEnv): Promise<Outcome> => messaging(['remain-credit'], { environment });

test('messaging sandbox prints the variables that a call needs and the address of its page, and ends with 0', async () => {
  const outcome = await withSandbox(['--quiet'], async (printed) => {
    const baseUrl = addressIn(printed);
    expect(baseUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(printed.split('\n').slice(1, 4)).toEqual([
      `Page       ${baseUrl}/`,
      'Namespace  http://messaging.example/',
      'API key    sandbox-key',
    ]);
    expect(exportsIn(printed)).toMatchObject({ MESSAGING_BASE_URL: baseUrl });
    // The sandbox does not use the key and the namespace of a real service.
    expect(printed).not.toContain('real');
    expect(await credit(exportsIn(printed))).toMatchObject({ code: 0 });
  });
  expect(outcome).toMatchObject({ code: 0, stderr: '' });
});

test('messaging sandbox --deliver simulates delivery', async () => {
  for (const [args, enabled] of [
    [[], false],
    [['--deliver'], true],
  ] as const) {
    await withSandbox([...args, '--quiet'], async (printed) => {
      const setting = await (await fetch(`${addressIn(printed)}/sandbox/delivery`)).json();
      expect(setting).toMatchObject({ enabled });
    });
  }
});

test('messaging sandbox writes a line without the key to stderr for each request', async () => {
  const outcome = await withSandbox(['--api-key', 'secret'], async (printed) => {
    await credit(exportsIn(printed));
    await credit({ ...exportsIn(printed), MESSAGING_SOAP_VERSION: '1.2', MESSAGING_API_KEY: 'wrong' });
    const baseUrl = addressIn(printed);
    await fetch(`${baseUrl}/soap/v1.asmx`, { method: 'POST', headers: { 'Content-Type': 'text/xml' }, body: '<a/>' });
    await fetch(`${baseUrl}/secret`);
    await fetch(`${baseUrl}/soap/v1.asmx?ApiKey=other&x=1`);
    await fetch(`${baseUrl}/sandbox`);
  });
  const lines = outcome.stderr.split('\n').map((line) => line.replace(/^\d\d:\d\d:\d\d (.*) \d+ ms$/, '$1'));
  expect(lines).toEqual([
    'RemainCreditByApiKey 1.1 status 200',
    'RemainCreditByApiKey 1.2 status 403',
    'POST /soap/v1.asmx fault VersionMismatch',
    'GET /*** HTTP 404',
    'GET /soap/v1.asmx?ApiKey=***&x=1 HTTP 200',
    '',
  ]);
});

test('A key that begins with another key is masked as a whole', async () => {
  const outcome = await withSandbox(['--api-key', 'secret', '--api-key', 'secret-long'], async (printed) => {
    await fetch(`${addressIn(printed)}/secret-long/secret`);
  });
  expect(outcome.stderr).toContain('GET /***/*** HTTP 404');
});

test('--namespace and --api-key may precede the command, and every given key is accepted', async () => {
  const stdout = new Capture();
  const signals = new EventEmitter();
  const outcome = messaging(['--namespace', 'http://a.example/', '--api-key', 'k', 'sandbox', '--port', '0'], {
    stdout,
    signals,
  });
  while (!stdout.text.includes('Ctrl-C')) await new Promise((resolve) => setTimeout(resolve, 5));
  expect(exportsIn(stdout.text)).toMatchObject({ MESSAGING_NAMESPACE: 'http://a.example/', MESSAGING_API_KEY: 'k' });
  signals.emit('SIGTERM');
  await outcome;
  await withSandbox(['--api-key', 'first', '--api-key', 'second', '--strict'], async (printed) => {
    for (const key of ['first', 'second']) {
      expect(await credit({ ...exportsIn(printed), MESSAGING_API_KEY: key })).toMatchObject({ code: 0 });
    }
  });
});

test('--allow-host and --data may be given, and the file keeps the number of messages of --keep', async () => {
  const folder = makeFolder();
  const args = [
    '--allow-host',
    'a.example',
    '--allow-host',
    'b.example',
    '--data',
    join(folder, 'data'),
    '--keep',
    '2',
  ];
  await withSandbox(args, async (printed) => {
    const environment = exportsIn(printed);
    const send = [
      'send-simple',
      '--sender',
      '1',
      '--message',
      'm',
      '--receptor',
      '911',
      '912',
      '913',
      '--unixdate',
      '0',
    ];
    expect(await messaging([...send, '--msgmode', '1'], { environment })).toMatchObject({ code: 0 });
  });
  await withSandbox(args, async (printed) => {
    const overview = await fetch(`${addressIn(printed)}/sandbox`);
    expect(await overview.json()).toMatchObject({ messages: 2 });
  });
  writeFileSync(join(folder, 'other'), 'text');
  expect(await messaging(['sandbox', '--port', '0', '--data', join(folder, 'other')])).toMatchObject({
    code: 2,
    stderr: `error: ${join(folder, 'other')} is not a journal (line 1)\n`,
  });
});

test('messaging sandbox serves https with a certificate, and the printed variables reach it', async () => {
  const args = ['--tls-cert', join(TLS, 'server.pem'), '--tls-key', join(TLS, 'server.key'), '--host', 'localhost'];
  await withSandbox(args, async (printed) => {
    expect(addressIn(printed)).toMatch(/^https:\/\/localhost:\d+$/);
    const environment = exportsIn(printed);
    expect(environment.NODE_EXTRA_CA_CERTS).toBe(join(TLS, 'server.pem'));
    // An authority of the fixtures signed the certificate, so Node must be given the authority.
    const trusting = { ...environment, NODE_EXTRA_CA_CERTS: join(TLS, 'authority.pem') };
    expect(await outcomeOf(startProcess(['remain-credit'], trusting))).toMatchObject({ code: 0 });
  });
});

test.each([
  [['--keep', '0'], '--keep: 0 is not a whole number from 1 to 8000000'],
  [['--keep', 'many'], '--keep: "many" is not a whole number from 1 to'],
  [['--port', '65536'], '--port: 65536 is not a whole number from 0 to 65535'],
  [['--port', '-1'], '--port: -1 is not a whole number from 0 to 65535'],
  [['--tls-cert', 'x'], '--tls-cert and --tls-key must be given together'],
  [['--tls-cert', '/nonexistent', '--tls-key', '/nonexistent'], '--tls-cert: ENOENT'],
  [['--tls-cert', __filename, '--tls-key', __filename], '--tls-cert: the certificate and the key cannot be used'],
  [['--allow-host', 'a:80'], '--allow-host: "a:80" is not a host name without a port'],
  [['--namespace', 'a b'], '--namespace: a URI of visible ASCII characters is needed'],
])('messaging sandbox with %p is a usage error', async (args, message) => {
  const { code, stderr } = await messaging(['sandbox', '--port', '0', ...args]);
  expect([code, stderr]).toEqual([2, expect.stringContaining(`error: ${message}`)]);
});

test('A second sandbox on a data file ends with an error that names the file', async () => {
  const folder = makeFolder();
  const data = join(folder, 'data');
  await openSandbox({ data });
  const { code, stderr } = await messaging(['sandbox', '--port', '0', '--data', data]);
  expect([code, stderr]).toEqual([2, `error: ${data} is in use by another sandbox\n`]);
});

test('A shell reads a quoted argument back unchanged', () => {
  for (const text of ['', 'plain', "it's", '$HOME `x` "y" \\', 'سلام', 'a b', '*', '~', '\n', '-n', '#', '!']) {
    expect(shellWords(quoteForShell(text))).toEqual([text]);
  }
});

test.each([
  ['messaging', '/usr/local/bin/messaging', '/'],
  ['messaging-soap', '/usr/local/bin/messaging-soap', '/srv/app'],
  ['npx messaging-soap', '/srv/app/node_modules/.bin/messaging', '/srv/app'],
  ['npx messaging-soap', '/srv/app/node_modules/.bin/messaging-soap', '/srv/app/src'],
  ['/srv/app/node_modules/.bin/messaging', '/srv/app/node_modules/.bin/messaging', '/srv/application'],
  ["node -r x '/my app/messaging.js'", '/my app/messaging.js', '/my app'],
])('The printed commands call the program as %s (%s in %s)', (expected, script, folder) => {
  const execPath = '/usr/bin/node';
  const execArgv = script.endsWith('.js') ? ['-r', 'x'] : [];
  const caller = { argv: [execPath, script], argv0: 'node', execArgv, execPath };
  expect(invocationOf(caller, 'linux', folder)).toBe(expected);
  const named = expected.replace(/^node /, '/usr/bin/node ');
  expect(invocationOf({ ...caller, argv0: '/usr/bin/node' }, 'linux', folder)).toBe(named);
});

test.each(['SIGTERM', 'SIGHUP'] as const)('%s ends a sandbox whose stderr nobody reads', async (signal) => {
  const child = startNode([programPath('messaging'), 'sandbox', '--port', '0']);
  cleanUp(() => child.kill('SIGKILL'));
  const [line] = (await once(child.stdout as Readable, 'data')) as [Buffer];
  const url = /http:\/\/[\d.:]+/.exec(String(line))?.[0];
  // Each request is a line of stderr, and a pipe holds 64 kB.
  for (let n = 0; n < 70; n++) await (await fetch(`${url}/${'x'.repeat(1000)}`)).text();
  child.kill(signal);
  expect(await once(child, 'exit')).toEqual([0, null]);
});

test('sandbox --credit begins with this credit, and a wrong one is refused', async () => {
  const { code, stderr } = await messaging(['sandbox', '--credit', 'x']);
  expect([code, stderr]).toEqual([2, expect.stringContaining('--credit: "x" is not a whole number')]);
});
