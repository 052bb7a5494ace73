import { EventEmitter } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Sandbox } from '../../src/sandbox';
import { holdClock, turns } from '../support/clock';
import { makeFolder } from '../support/folder';
import { openSandbox } from '../support/sandbox';
import { Capture, environmentOf, messaging, type RunOptions } from './support';

const [FIRST, SECOND] = [9007199254740993n, 9007199254740994n];

let sandbox: Sandbox;
let environment: NodeJS.ProcessEnv;
beforeEach(async () => {
  sandbox = await openSandbox();
  environment = { ...environmentOf(sandbox), MESSAGING_FINAL_STATUSES: '6,10' };
  await messaging(['send-simple', '--sender', '1', '--message', 'a', '--receptor', '912', '913', ...DATE], {
    environment,
  });
});

const DATE = ['--unixdate', '0', '--msgmode', '1'];

/** Runs `track` on the two messages with short pauses. */
const track = (options: readonly string[] = [], more: RunOptions = {}) =>
  messaging(['track', String(FIRST), String(SECOND), '--every', '1ms', ...options], { environment, ...more });

/** Runs `track` for a time that is over as soon as the condition is true. */
async function trackUntil(within: string, isOver: (output: string) => boolean, more: RunOptions = {}) {
  const clock = holdClock();
  const [stdout, stderr] = [new Capture(), new Capture()];
  const outcome = track(['--within', within], { stdout, stderr, ...more });
  while (!isOver(stdout.text + stderr.text)) await turns();
  await clock.advanceUntilSettled(outcome, 100);
  return { code: (await outcome).code, stdout: stdout.text, stderr: stderr.text };
}

const rows = (...lines: readonly string[]) => ['messageid,status,previous,final', ...lines, ''].join('\r\n');

test('track prints each change as CSV to a pipe, and exits with 0 when all are final', async () => {
  sandbox.setStatus(SECOND, 6);
  const stdout = new Capture();
  const outcome = track([], { stdout });
  while (!stdout.text.includes(String(FIRST))) await new Promise((resolve) => setTimeout(resolve, 5));
  sandbox.setStatus(FIRST, 10);
  expect((await outcome).code).toBe(0);
  expect(stdout.text).toBe(rows(`${FIRST},1,,false`, `${SECOND},6,,true`, `${FIRST},10,1,true`));
});

test('track exits with 8 when the time of --within is over after a response, and says how many are not final', async () => {
  sandbox.setStatus(FIRST, 10);
  const { code, stdout, stderr } = await trackUntil('1s', (output) => output.includes(String(SECOND)));
  expect(code).toBe(8);
  expect(stdout).toBe(rows(`${FIRST},10,,true`, `${SECOND},1,,false`));
  expect(stderr).toBe('error: GetStatusByApikey: 1 of 2 messages has no final status after 1000 ms\n');
});

test('track exits with 5 when no request reached the service before the time was over', async () => {
  const nobody = { ...environment, MESSAGING_BASE_URL: 'http://127.0.0.1:1' };
  const isRetrying = (output: string) => output.includes('retrying');
  const { code, stdout, stderr } = await trackUntil('1s', isRetrying, { environment: nobody });
  expect(code).toBe(5);
  expect(stdout).toBe('');
  expect(stderr).toMatch(/^warning: GetStatusByApikey: cannot connect.*; retrying$/m);
  expect(stderr).toMatch(/^error: GetStatusByApikey: cannot connect/m);
});

test('track exits with 6 when every request failed in an unknown way before the time was over', async () => {
  sandbox.reply('*', { http: { status: 503, body: 'busy' } }, { times: Number.POSITIVE_INFINITY });
  const { code, stderr } = await trackUntil('1s', (output) => output.includes('retrying'));
  expect(code).toBe(6);
  expect(stderr).toMatch(/^error: GetStatusByApikey: service returned HTTP status 503/m);
});

test('track exits with 6 when the service did not respond before the time was over', async () => {
  sandbox.reply('*', { delayMs: 60_000 });
  const before = sandbox.requests.length;
  const { code, stderr } = await trackUntil('1s', () => sandbox.requests.length > before);
  expect(code).toBe(6);
  expect(stderr).toMatch(/and the service did not respond$/m);
});

test('track goes on after failures that may pass, and reports an outage once when it begins and once when it ends', async () => {
  sandbox.setStatus(FIRST, 10);
  sandbox.setStatus(SECOND, 6);
  sandbox.reply('GetStatusByApikey', { fault: { code: 'Server', reason: 'out of order' } }, { times: 3 });
  const { code, stdout, stderr } = await track();
  expect(code).toBe(0);
  expect(stdout).toBe(rows(`${FIRST},10,,true`, `${SECOND},6,,true`));
  expect(stderr).toBe(
    'warning: GetStatusByApikey: service returned fault Server (out of order); retrying\nthe service responds again\n',
  );
});

test('track ends at a refusal with the exit code of a call', async () => {
  const { code, stdout, stderr } = await track(['--api-key', 'wrong']);
  expect(code).toBe(3);
  expect(stdout).toBe('');
  expect(stderr).toContain('service returned status 403 (invalid apikey)');
});

test('track takes ids from a file, asks for an id that is there twice once, and prints ndjson when asked to', async () => {
  const folder = makeFolder();
  const path = join(folder, 'ids.txt');
  writeFileSync(path, `${FIRST}\n${FIRST}\n`);
  sandbox.setStatus(FIRST, 10);
  const { code, stdout } = await messaging(['track', '--messageid-file', path, '--output', 'ndjson'], {
    environment,
  });
  expect(code).toBe(0);
  expect(stdout).toBe(`{"messageid":"${FIRST}","status":10,"final":true}\n`);
});

test.each<[string, readonly string[], RegExp]>([
  ['without final statuses', ['--final-statuses', ''], /--final-statuses: empty/],
  ['as JSON, which has no lines', ['--output', 'json'], /track prints ndjson, csv or a table, not json/],
  ['with a time that has no unit', ['--within', '10'], /--within: "10" is not a time above 0, such as 500ms, 5s or 1m/],
  ['with a wrong status', ['--final-statuses', '6,x'], /--final-statuses: "x" is not/],
])('track is refused %s', async (_, options, message) => {
  const { code, stderr } = await track(options);
  expect(code).toBe(2);
  expect(stderr).toMatch(message);
});

test('track without ids or final statuses names what is missing', async () => {
  const none = await messaging(['track'], { environment });
  expect(none).toMatchObject({ code: 2, stderr: 'error: missing: messageid (as arguments, or --messageid-file)\n' });
  const without = await messaging(['track', '1'], { environment: environmentOf(sandbox) });
  expect(without.stderr).toBe('error: missing: --final-statuses (or MESSAGING_FINAL_STATUSES)\n');
});

test('Ctrl-C ends track with 130', async () => {
  const signals = new EventEmitter();
  const stdout = new Capture();
  const outcome = track(['--every', '1h'], { signals, stdout });
  while (!stdout.text.includes(String(SECOND))) await new Promise((resolve) => setTimeout(resolve, 5));
  signals.emit('SIGINT', 'SIGINT');
  expect((await outcome).code).toBe(130);
});
