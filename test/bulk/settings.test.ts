import './skip-settling';

import { chmodSync, existsSync, readFileSync, renameSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { openBulk } from '../../src/bulk';
import { quoteForShell } from '../../src/internal/strings';
import { startSandbox } from '../../src/sandbox';
import { environmentOf, messaging } from '../cli/support';
import { cleanUp } from '../support/clean-up';
import { makeFolder } from '../support/folder';
import { clientOf, csvOf, damageOf, fields } from './support';

const given = ['--sender', '3000', '--message', 'Hello {{name}}', '--unixdate', '0', '--msgmode', '1'];
const first = [...given, '--baseline-pagesize', '1000', '--concurrency', '1', '--stop-after-failures', '1'];

/** A list of three rows, of which the second one was refused and the third one is pending. */
async function begin(...options: string[]) {
  const sandbox = await startSandbox();
  cleanUp(() => sandbox.close());
  const { input, journal } = csvOf(3);
  const environment = environmentOf(sandbox);
  const bulk = (...args: string[]) => messaging(['bulk', ...args], { environment });
  sandbox.reply('SendSimpleByApikey', { delayMs: 1 });
  sandbox.reply('SendSimpleByApikey', { status: 418 });
  expect(await bulk('run', input, ...first, ...options)).toMatchObject({ code: 3 });
  return { sandbox, input, journal, environment, bulk, settings: `${input}.bulk.json` };
}

test('after the first run, every command needs only the name of the file, from any folder', async () => {
  const { sandbox, input, bulk } = await begin();
  const cwd = process.cwd();
  cleanUp(() => process.chdir(cwd));
  process.chdir(dirname(input));
  expect(await bulk('status', basename(input))).toMatchObject({ stdout: '1 of 3 rows sent, 1 rejected, 1 pending\n' });
  expect(await bulk('retry', basename(input), '--state', 'rejected')).toMatchObject({ code: 5 });
  process.chdir('/');
  expect(await bulk('run', input)).toMatchObject({ code: 0, stderr: '3 of 3 rows sent\nall rows are sent\n' });
  expect(damageOf(sandbox, 3)).toEqual({ twice: 0, lost: 0 });
});

test('the settings are a file for its owner that a person can read, without the API key', async () => {
  const { sandbox, settings } = await begin();
  const text = readFileSync(settings, 'utf8');
  expect(JSON.parse(text)).toEqual({
    version: 1,
    journal: 'list.csv.journal',
    operation: 'sendSimple',
    batchSize: 1,
    idsInOrder: false,
    startWithinMs: 5000,
    ignoreColumns: false,
    skipDuplicates: false,
    baseline: { pagesize: 1000 },
    service: { baseUrl: sandbox.baseUrl, namespace: sandbox.namespace, successStatuses: '200' },
    fields: { sender: '3000', message: 'Hello {{name}}', unixdate: '0', msgmode: 1 },
    defaults: {},
  });
  expect(text).toContain('\n  "operation": "sendSimple",\n');
  expect(text).not.toContain(sandbox.apiKey);
  expect(statSync(settings).mode & 0o777).toBe(0o600);
});

test('the service is remembered too: its address, its namespace, its statuses and the path of the key', async () => {
  const { sandbox, input, environment } = await begin();
  const key = join(dirname(input), 'key');
  writeFileSync(key, sandbox.apiKey);
  chmodSync(key, 0o600);
  const other = csvOf(2);
  const { MESSAGING_BASE_URL: url = '', MESSAGING_NAMESPACE: namespace = '' } = environment;
  const service = ['--base-url', url, '--namespace', namespace, '--success-statuses', '200', '--api-key-file', key];
  sandbox.reply('SendSimpleByApikey', { status: 418 });
  expect(await messaging(['bulk', 'run', other.input, ...given, ...service])).toMatchObject({ code: 3 });
  expect(await messaging(['bulk', 'run', other.input])).toMatchObject({ code: 3 });
  expect(sandbox.messages.map(({ message }) => message)).toEqual(['Hello name 1', 'Hello name 2']);
});

test.each([
  ['--sender', ['--sender', '3001'], '--sender: was "3000" and is "3001"'],
  ['--message', ['--message', 'Bye'], '--message: was "Hello {{name}}" and is "Bye"'],
  ['--operation', ['--operation', 'send-array'], '--operation: was "send-simple" and is "send-array"'],
  ['--batch-size', ['--batch-size', '2'], '--batch-size: was "1" and is "2"'],
  ['--baseline-pagesize', ['--baseline-pagesize', '10'], '--baseline-pagesize: was "1000" and is "10"'],
  ['--ids-in-order', ['--ids-in-order'], '--ids-in-order: was not given and is true'],
  ['--start-within-ms', ['--start-within-ms', '10'], '--start-within-ms: was "5000" and is "10"'],
  ['--namespace', ['--namespace', 'urn:other'], '--namespace: was "http://messaging.example/" and is "urn:other"'],
  ['--journal', ['--journal', '/tmp/other'], '--journal: was .*list.csv.journal and is /tmp/other'],
])('%s that is given again and differs is refused by name, and nothing is sent', async (_, options, message) => {
  const { sandbox, input, bulk } = await begin();
  const { length } = sandbox.requests;
  const run = await bulk('run', input, ...options);
  expect(run).toMatchObject({ code: 2, stderr: expect.stringMatching(new RegExp(`^error: ${message}`)) });
  expect(sandbox.requests).toHaveLength(length);
});

test('another service in the environment is refused by name', async () => {
  const { input, environment } = await begin();
  const other = { ...environment, MESSAGING_BASE_URL: 'http://127.0.0.1:1' };
  expect(await messaging(['bulk', 'run', input], { environment: other })).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(
      /^error: --base-url: was "http.*" and is "http:\/\/127.0.0.1:1"; these stay as in the first run/,
    ),
  });
});

test('the settings of the first run may be given again, and limits are free', async () => {
  const { input, bulk } = await begin();
  const free = ['--concurrency', '3', '--rows-per-second', '1000', '--stop-after-failures', '0'];
  expect(await bulk('run', input, ...given, ...free)).toMatchObject({ code: 3 });
});

test('a setting that made the first request fail can be put right', async () => {
  const { sandbox, input, environment } = await begin();
  const other = csvOf(2);
  const wrong = { ...environment, MESSAGING_BASE_URL: 'http://127.0.0.1:1' };
  expect(await messaging(['bulk', 'run', other.input, ...given], { environment: wrong })).toMatchObject({ code: 5 });
  expect(await messaging(['bulk', 'run', other.input], { environment })).toMatchObject({ code: 0 });
  expect(await messaging(['bulk', 'run', input], { environment })).toMatchObject({ code: 3 });
  expect(sandbox.messages).toHaveLength(4);
});

test('a file with two names has one journal and one set of settings', async () => {
  const { sandbox, input, bulk } = await begin();
  const link = join(makeFolder(), 'link.csv');
  symlinkSync(input, link);
  expect(await bulk('run', link)).toMatchObject({
    code: 3,
    stderr: expect.stringMatching(/^2 of 3 rows sent, 1 rejected\n/),
  });
  expect(existsSync(`${link}.journal`)).toBe(false);
  const library = await openBulk({ client: clientOf(sandbox), input: link, fields });
  expect(library.status().counts).toMatchObject({ sent: 2, rejected: 1 });
  await library.close();
});

test('a journal that version 1.0 kept beside a link is used, and two journals of one file are refused', async () => {
  const { sandbox, input, journal, settings, bulk } = await begin();
  const link = join(makeFolder(), 'link.csv');
  symlinkSync(input, link);
  rmSync(settings);
  renameSync(journal, `${link}.journal`);
  expect(await bulk('run', link, ...given)).toMatchObject({ code: 3 });
  expect(sandbox.messages).toHaveLength(2);
  writeFileSync(journal, '');
  rmSync(settings);
  expect(await bulk('run', link, ...given)).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/journals of the same file/),
  });
});

test('a journal that is missing is refused, because it knows what was sent', async () => {
  const { sandbox, input, journal, bulk } = await begin();
  rmSync(journal);
  expect(await bulk('run', input)).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/^error: the journal .*list.csv.journal is missing: put it back/),
  });
  expect(sandbox.messages).toHaveLength(1);
});

test('a journal without settings goes on when the options are given again, and has settings then', async () => {
  const { input, settings, bulk } = await begin();
  rmSync(settings);
  expect(await bulk('status', input)).toMatchObject({
    stderr: expect.stringMatching(/bulk run \S+` \(with the options of the first run\) sends them/),
  });
  expect(await bulk('run', input, ...given)).toMatchObject({ code: 3 });
  expect(existsSync(settings)).toBe(true);
  expect(await bulk('run', input)).toMatchObject({ code: 3 });
});

test('settings that cannot be read are refused', async () => {
  const { input, settings, bulk } = await begin();
  for (const [text, problem] of [
    ['{', 'is not JSON'],
    ['{"version":2}', 'is of version 2, which this program does not know'],
    ['{"version":1}', 'is damaged'],
  ] as const) {
    writeFileSync(settings, text);
    expect(await bulk('run', input)).toMatchObject({ code: 2, stderr: expect.stringContaining(problem) });
  }
});

test('- is refused as a file, with advice', async () => {
  const { bulk } = await begin();
  expect(await bulk('run', '-', ...given)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('save the list to a file'),
  });
});

test('a path with blanks is quoted for the shell of the platform', () => {
  expect(quoteForShell('/my list.csv', 'linux')).toBe("'/my list.csv'");
  expect(quoteForShell('C:\\my list.csv', 'win32')).toBe('"C:\\my list.csv"');
  expect(quoteForShell('C:\\list.csv', 'win32')).toBe('C:\\list.csv');
});
