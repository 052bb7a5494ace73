import './skip-settling';

import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { readBulk } from '../../src/bulk';
import type { Sandbox } from '../../src/sandbox';
import { environmentOf, messaging, type Outcome } from '../cli/support';
import { pem } from '../support/fixtures';
import { freePort } from '../support/free-port';
import { ROOT } from '../support/process';
import { openSandbox } from '../support/sandbox';
import { commandsIn } from './cli-support';
import { csvOf, widen } from './support';

// A list can be put right until something of it may have been sent. Each test goes on to the last command.

const fields = ['--sender', '3000', '--unixdate', '0', '--msgmode', '1', '--concurrency', '1'];
const given = [...fields, '--message', 'Hello {{name}}'];

async function prepare(rows = 5) {
  const sandbox = await openSandbox();
  const { input, journal } = csvOf(rows);
  const environment = environmentOf(sandbox);
  const { baseUrl } = sandbox;
  const { MESSAGING_BASE_URL: _, ...withoutUrl } = environment;
  const bulk = (...args: string[]) =>
    messaging(['bulk', ...args], { environment: args.includes('--base-url') ? withoutUrl : environment });
  return { sandbox, input, journal, baseUrl, environment, bulk };
}

/** Follows the printed commands, without those of an operator's decision, until all rows are sent. */
async function follow(last: Outcome, environment: NodeJS.ProcessEnv): Promise<Outcome> {
  let outcome = last;
  for (let round = 0; round < 6 && !outcome.stderr.includes('all rows are sent'); round++) {
    const lines = commandsIn(outcome.stderr);
    for (const words of lines.filter(([, name = '']) => !['resolve', 'split'].includes(name)))
      outcome = await messaging(words, { environment });
  }
  return outcome;
}

/** Each row was sent once, with this text. */
function expectAll(sandbox: Sandbox, rows: number, text = 'Hello name'): void {
  const sent = sandbox.messages.map(({ receptor, message }) => `${receptor} ${message}`);
  const expected = Array.from(
    { length: rows },
    (_, row) => `0912${String(row + 1).padStart(7, '0')} ${text} ${row + 1}`,
  );
  expect(sent.sort()).toEqual(expected.sort());
}

test('a wrong service that nobody serves is put right, and all later commands use the right one', async () => {
  const { sandbox, input, baseUrl, environment, bulk } = await prepare();
  const port = await freePort();
  const wrong = `http://127.0.0.1:${port}`;
  const none = ['--baseline-pagesize', '0'];
  expect(await bulk('run', input, ...given, ...none, '--yes', '--base-url', wrong)).toMatchObject({ code: 5 });
  // A row is refused, so that something is left when the wrong service comes up.
  sandbox.reply('SendSimpleByApikey', { delayMs: 0 }, { times: 2 });
  sandbox.reply('SendSimpleByApikey', { status: 418 });
  const right = await bulk('run', input, '--base-url', baseUrl, '--yes');
  expect(right).toMatchObject({ code: 3, stderr: expect.stringContaining(` to ${baseUrl}\n`) });
  const other = await openSandbox({ port });
  expect(await follow(right, environment)).toMatchObject({ code: 0 });
  expectAll(sandbox, 5);
  expect(other.requests).toHaveLength(0);
  // Now it stays, and a flag that differs is refused with both values.
  expect(await bulk('run', input, '--base-url', wrong)).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(new RegExp(`--base-url: this list has "${baseUrl}", and "${wrong}" was given`)),
  });
});

test('a wrong namespace is put right after the first request was refused', async () => {
  const { sandbox, input, environment, bulk, baseUrl } = await prepare();
  const options = ['--base-url', baseUrl, '--baseline-pagesize', '0'];
  const wrong = await bulk('run', input, ...given, ...options, '--yes', '--namespace', 'urn:wrong');
  expect(wrong.stderr).toContain('stopped: the first request failed and no row is sent, so a setting may be wrong');
  sandbox.reply('SendSimpleByApikey', { delayMs: 0 }, { times: 2 });
  sandbox.reply('SendSimpleByApikey', { status: 418 });
  const right = await bulk('run', input, '--namespace', sandbox.namespace, '--yes');
  expect(right).toMatchObject({ code: 3 });
  const { MESSAGING_NAMESPACE: _, ...without } = environment;
  expect(await follow(right, without)).toMatchObject({ code: 0 });
  expectAll(sandbox, 5);
});

test.each([
  ['text', ['--message', 'Hello {{name}}'], undefined],
  ['row', [], 'receptor,name\n09120000001,name 1\n09120000002,name 2\n'],
  ['batch size', ['--batch-size', '2'], undefined],
])('a wrong %s is put right after a first request that was not sent', async (what, options, csv) => {
  const { sandbox, input, baseUrl, environment, bulk } = await prepare(4);
  const wrong = `http://127.0.0.1:${await freePort()}`;
  const message = what === 'text' ? 'Helo {{name}}' : 'Hello {{name}}';
  const first = [...fields, '--message', message, '--yes', '--baseline-pagesize', '0', '--base-url', wrong];
  expect(await bulk('run', input, ...first)).toMatchObject({ code: 5 });
  if (csv) writeFileSync(input, csv);
  const right = await bulk('run', input, ...options, '--base-url', baseUrl, '--once', '--yes');
  expect(await follow(right, environment)).toMatchObject({ code: 0 });
  expectAll(sandbox, csv ? 2 : 4);
});

test('a new key file is taken at any time, and later commands read it', async () => {
  const { sandbox, input, baseUrl, environment, bulk } = await prepare();
  const [old, next] = ['old', 'next'].map((name) => join(dirname(input), name)) as [string, string];
  for (const [path, key] of [
    [old, sandbox.apiKey],
    [next, sandbox.apiKey],
  ] as const) {
    writeFileSync(path, key);
    chmodSync(path, 0o600);
  }
  const { MESSAGING_API_KEY: _, ...without } = environment;
  const run = (...args: string[]) => messaging(['bulk', ...args], { environment: without });
  sandbox.reply('SendSimpleByApikey', { delayMs: 0 }, { times: 2 });
  sandbox.reply('SendSimpleByApikey', { status: 418 }, { times: 2 });
  const first = await run('run', input, ...given, '--yes', '--base-url', baseUrl, '--api-key-file', old);
  expect(first).toMatchObject({ code: 3 });
  // The key is rotated: the old file has a key that the service refuses.
  writeFileSync(old, 'revoked');
  await run('retry', input, '--all');
  expect(await run('run', input, '--api-key-file', next)).toMatchObject({ code: 0 });
  expect(await bulk('status', input)).toMatchObject({ stdout: '5 of 5 rows sent\n' });
  expect(readFileSync(`${input}.journal`, 'utf8')).toContain(`"apiKeyFile":"${next}"`);
  expectAll(sandbox, 5);
  const tracked = await run('track', input, '--final-statuses', '1');
  expect(tracked).toMatchObject({ code: 0 });
});

test('a refused baseline leaves no file, and can be left out', async () => {
  const { sandbox, input, journal, baseUrl, environment, bulk } = await prepare();
  sandbox.reply('SelectlatestByApikey', { status: 418 });
  const first = await bulk('run', input, ...given, '--yes', '--base-url', baseUrl);
  expect(first).toMatchObject({ code: 3, stderr: expect.stringContaining('--baseline-pagesize 0 sends without') });
  expect(existsSync(journal)).toBe(false);
  const right = await bulk('run', input, ...given, '--yes', '--base-url', baseUrl, '--baseline-pagesize', '0');
  expect(await follow(right, environment)).toMatchObject({ code: 0 });
  expectAll(sandbox, 5);
});

test.each([
  ['a settling time that is too short', ['--settle-ms', '10']],
  ['a new list without --yes', []],
])('%s is refused, and leaves no file', async (_, options) => {
  const { sandbox, input, journal, baseUrl, bulk } = await prepare();
  const yes = options.length > 0 ? ['--yes'] : [];
  expect(await bulk('run', input, ...given, ...yes, '--base-url', baseUrl, ...options)).toMatchObject({ code: 2 });
  expect(existsSync(journal)).toBe(false);
  expect(sandbox.requests).toHaveLength(0);
});

test('a variable of another shell changes nothing, and one line says so', async () => {
  const { sandbox, input, baseUrl, environment, bulk } = await prepare();
  const key = join(dirname(input), 'key');
  writeFileSync(key, sandbox.apiKey);
  chmodSync(key, 0o600);
  sandbox.reply('SendSimpleByApikey', { delayMs: 0 }, { times: 2 });
  sandbox.reply('SendSimpleByApikey', { status: 418 });
  await bulk('run', input, ...given, '--yes', '--base-url', baseUrl, '--api-key-file', key);
  const other = { ...environment, MESSAGING_BASE_URL: 'http://127.0.0.1:1?k=secret' };
  await messaging(['bulk', 'retry', input, '--all'], { environment: other });
  expect(await messaging(['bulk', 'run', input], { environment: other })).toMatchObject({
    code: 0,
    stderr: expect.stringContaining(
      `this list stays with ${baseUrl}: MESSAGING_BASE_URL (http://127.0.0.1:1?k=***) is not used\n`,
    ),
  });
  expectAll(sandbox, 5);
});

test('a key of variables that name another service is never sent to the list’s own service', async () => {
  const { sandbox, input, baseUrl, environment, bulk } = await prepare();
  sandbox.reply('SendSimpleByApikey', { delayMs: 0 }, { times: 2 });
  sandbox.reply('SendSimpleByApikey', { status: 418 });
  await bulk('run', input, ...given, '--yes', '--base-url', baseUrl);
  const other = { ...environment, MESSAGING_BASE_URL: 'http://127.0.0.1:1', MESSAGING_API_KEY: 'another-key' };
  expect(await messaging(['bulk', 'run', input], { environment: other })).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/error: missing: --api-key-file \(or MESSAGING_API_KEY\)\n$/),
  });
  expect(sandbox.requests.some(({ body }) => body.includes('another-key'))).toBe(false);
});

test('a proxy is kept without its password', async () => {
  const { input, journal, bulk } = await prepare();
  const proxy = `http://user:secret@127.0.0.1:${await freePort()}`;
  const options = ['--base-url', 'http://service.example', '--proxy', proxy, '--baseline-pagesize', '0'];
  expect(await bulk('run', input, ...given, '--yes', ...options)).toMatchObject({ code: 5 });
  const text = readFileSync(journal, 'utf8');
  expect(text).toContain(`"proxy":"${proxy.replace('user:secret@', '')}/"`);
  expect(text).not.toContain('secret');
});

test('a file that changes while it is sent ends the run, which says what was sent and how to go on', async () => {
  const { sandbox, input, baseUrl, bulk } = await prepare(2000);
  const text = widen(input);
  const changing = messaging(
    [
      'bulk',
      'run',
      input,
      ...given,
      '--yes',
      '--base-url',
      baseUrl,
      '--operation',
      'send-array',
      '--batch-size',
      '100',
      '--rows-per-second',
      '2000',
    ],
    { environment: environmentOf(sandbox) },
  );
  while (sandbox.requests.length < 3) await new Promise((resolve) => setTimeout(resolve, 20));
  writeFileSync(input, text.replace('name 1991,', 'name five,'));
  const { code, stderr } = await changing;
  expect(code).toBe(5);
  expect(stderr).toMatch(
    /stopped: row 1991: the file has changed since it was checked; the next run begins a new list with the file\n1,900 of 2,000 rows sent, 100 pending\n100 pending: `messaging bulk run \S+` goes on\n {2}a shell without the API key needs .*\n$/,
  );
  expect(stderr).not.toContain('nothing was sent');
  writeFileSync(input, text);
  expect(await bulk('run', input)).toMatchObject({ code: 0 });
  expect(sandbox.messages).toHaveLength(2000);
});

test('a list without rows is refused', async () => {
  const { input, baseUrl, bulk } = await prepare(0);
  const run = await bulk('run', input, ...given, '--yes', '--base-url', baseUrl);
  expect(run).toMatchObject({ code: 2, stderr: expect.stringMatching(/^the list has no rows\n/) });
});

test('the journal of an inbox is told from that of a list', async () => {
  const { input, journal, bulk } = await prepare();
  writeFileSync(journal, '{"t":"open","v":1,"kind":"inbox","opening":"x","pid":1,"host":"h"}\n');
  expect(await bulk('status', input)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('is a journal of the kind "inbox", not "bulk"'),
  });
});

test('a list keeps the certificate authority and the unit of dates of its service', async () => {
  const secure = await openSandbox({ tls: { cert: pem('server.pem'), key: pem('server.key') } });
  const { input, journal } = csvOf(3);
  const environment = environmentOf(secure);
  const authority = join(ROOT, 'test/fixtures/tls/authority.pem');
  const first = ['--yes', '--ca-file', authority, '--dates', 'seconds', '--unixdate', '2026-01-31'];
  const text = ['--sender', '3000', '--message', 'hi {{name}}', '--msgmode', '1', '--baseline-pagesize', '0'];
  secure.reply('SendSimpleByApikey', { delayMs: 0 }, { times: 1 });
  secure.reply('SendSimpleByApikey', { drop: 'before' }, { times: 1 });
  const begun = await messaging(['bulk', 'run', input, ...text, ...first, '--once', '--concurrency', '1'], {
    environment,
  });
  expect(begun).toMatchObject({ code: 6 });
  expect((await readBulk(journal)).settings).toMatchObject({ caFile: authority, dates: 'seconds', concurrency: '1' });
  const wrong = { ...environment, MESSAGING_CA_FILE: join(ROOT, 'test/fixtures/tls/client.pem') };
  const { stderr } = await messaging(['bulk', 'reconcile', input, '--settle-ms', '5001'], { environment: wrong });
  expect(stderr).not.toContain('certificate');
  expect(secure.requests.at(-1)?.operation).toBe('SelectlatestByApikey');
});
