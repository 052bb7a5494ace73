import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { settingNames, settingRow } from '../../../src/client/options/settings';
import type { SandboxOptions } from '../../../src/sandbox';
import { formatFirstMessage } from '../../../src/sandbox/page/first-message';
import { cleanUp } from '../../support/clean-up';
import { makeFolder } from '../../support/folder';
import { type Outcome, outcomeOf, programPath, startNode } from '../../support/process';
import { openSandbox } from '../../support/sandbox';

const TLS = join(__dirname, '../../fixtures/tls');
const [cert, key] = [join(TLS, 'localhost.pem'), join(TLS, 'localhost.key')];
const tls = { cert: readFileSync(cert), key: readFileSync(key) };
const COMMAND = `${process.execPath} ${programPath('messaging')}`;

/** The variables of somebody who calls a provider through a proxy. */
const PROVIDER = {
  MESSAGING_PROFILE: 'live',
  MESSAGING_API_KEY_FILE: 'live.key',
  MESSAGING_CA_FILE: '/nonexistent',
  MESSAGING_PROXY: 'http://127.0.0.1:9',
};

/** Runs pasted lines in a shell that has the variables of a provider, up to the first line that fails. */
function paste(lines: string, environment: NodeJS.ProcessEnv = PROVIDER): Promise<Outcome> {
  const home = makeFolder();
  const env = { PATH: process.env.PATH, HOME: home, ...environment };
  return outcomeOf(spawn('sh', ['-ec', lines], { cwd: home, env, stdio: ['ignore', 'pipe', 'pipe'] }));
}

/** The lines to paste that a sandbox prints on a terminal. */
async function greetedLines(args: readonly string[]): Promise<string> {
  const child = startNode([programPath('messaging'), 'sandbox', '--port', '0', '--quiet', ...args]);
  cleanUp(() => child.kill('SIGKILL'));
  const stdout = child.stdout as Readable;
  let text = '';
  // A loop over the stream would close it at its end.
  while (!text.includes('Ctrl-C')) text += String((await once(stdout, 'data'))[0]);
  return /another terminal:\n\n(.*)\n\nCtrl-C/s.exec(text)?.[1] ?? '';
}

test.each([
  ['http', []],
  ['https with a certificate for localhost', ['--tls-cert', cert, '--tls-key', key]],
])('the lines that the sandbox prints run as they are in the environment of a provider, over %s', async (_, args) => {
  const { code, stdout, stderr } = await paste(await greetedLines(args));
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toMatch(/^9007199254740993\n.*9007199254740993/s);
});

test.each<[string, SandboxOptions]>([
  ['http', {}],
  ['https with a certificate for localhost', { tls }],
])('the lines of the page run as they are in the environment of a provider, over %s', async (_, options) => {
  const sandbox = await openSandbox(options);
  const { code, stderr } = await paste(await shownLines(sandbox.baseUrl, options));
  expect([code, stderr]).toEqual([0, '']);
  expect(sandbox.messages).toMatchObject([{ sender: '3000', receptor: '09120000001', message: 'سلام' }]);
});

/** The lines of the page, with the built program in place of the package that is not installed. */
async function shownLines(baseUrl: string, { tls }: SandboxOptions): Promise<string> {
  const read = `fetch('${baseUrl}/sandbox/page/service.json').then((response) => response.text()).then(console.log)`;
  const trust = tls && { NODE_EXTRA_CA_CERTS: cert };
  const { stdout } = await outcomeOf(startNode(['-e', read], { ...trust }));
  return JSON.parse(stdout).examples.cli.replace('npx messaging-soap', COMMAND);
}

test('each variable of a setting that could make the lines fail is set or removed', async () => {
  const target = { baseUrl: 'http://127.0.0.1:1', namespace: 'urn:a', apiKey: 'k' };
  const lines = formatFirstMessage('messaging', target, undefined, 'linux');
  const harmless = ['finalStatuses', 'soapVersion', 'timeoutMs', 'retries', 'defaults', 'dates'];
  const variables = settingNames.flatMap((name) => (harmless.includes(name) ? [] : settingRow(name).variable));
  for (const variable of [...variables, 'MESSAGING_PROFILE']) expect(lines).toContain(variable);
});

test('on Windows the lines are those of PowerShell', () => {
  const target = { baseUrl: 'http://127.0.0.1:1', namespace: "urn:it's", apiKey: 'k', certificate: 'PEM' };
  expect(formatFirstMessage('messaging', target, undefined, 'win32').split('\n')).toEqual([
    "@'",
    'PEM',
    "'@ | Set-Content sandbox-certificate.pem",
    expect.stringMatching(/^Remove-Item -ErrorAction Ignore -Path Env:MESSAGING_PROFILE, Env:/),
    "$env:MESSAGING_BASE_URL = 'http://127.0.0.1:1'",
    "$env:MESSAGING_NAMESPACE = 'urn:it''s'",
    "$env:MESSAGING_API_KEY = 'k'",
    "$env:MESSAGING_SUCCESS_STATUSES = '200'",
    "$env:NODE_EXTRA_CA_CERTS = 'sandbox-certificate.pem'",
    "messaging send-simple --sender 3000 --message 'سلام' `",
    '  --receptor 09120000001 --unixdate 0 --msgmode 1',
  ]);
});
