import { readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { TrackingTimeout } from '../../src';
import { openBulk, readBulk } from '../../src/bulk';
import { environmentOf, messaging, startProcess } from '../cli/support';
import { cleanUp } from '../support/clean-up';
import { loopSize } from '../support/loops';
import { errorOf } from '../support/outcomes';
import { openSandbox } from '../support/sandbox';
import { given } from './cli-support';
import { clientOf, csvOf, fields } from './support';

const DELIVERED = 10;

/** A file whose rows are sent, and the command of this file. */
async function sendRows(rows: number, options: readonly string[] = []) {
  const sandbox = await openSandbox();
  const { input, journal } = csvOf(rows);
  const environment = { ...environmentOf(sandbox), MESSAGING_FINAL_STATUSES: '6,10' };
  const bulk = (...args: string[]) => messaging(['bulk', ...args], { environment });
  const run = await bulk('run', input, ...given, '--once', '--yes', '--baseline-pagesize', '0', ...options);
  const ids = sandbox.messages.map(({ messageid }) => messageid);
  const deliver = (...rows: number[]) => {
    for (const row of rows) sandbox.setStatus(ids[row - 1] as bigint, DELIVERED);
  };
  const track = (...more: string[]) => bulk('track', input, '--every', '1ms', ...more);
  return { sandbox, input, journal, environment, bulk, run, ids, deliver, track };
}

const inRows = (text: string) => text.trimEnd().split('\r\n').slice(1).sort();
const asked = (sandbox: { readonly requests: readonly { readonly body: string }[] }) =>
  sandbox.requests
    .filter(({ body }) => body.includes('GetStatusByApikey'))
    .map(({ body }) => body.match(/<long>/g)?.length);

test('bulk track prints each change with its row, exits with 0 when all sent rows are final, and counts rows by status last', async () => {
  const { ids, sandbox, deliver, track } = await sendRows(3, ['--concurrency', '1']);
  deliver(1, 3);
  sandbox.setStatus(ids[1] as bigint, 6);
  const { code, stdout, stderr } = await track();
  expect(code).toBe(0);
  expect(stdout).toMatch(/^row,messageid,status,previous,final\r\n/);
  expect(inRows(stdout)).toEqual([`1,${ids[0]},10,,true`, `2,${ids[1]},6,,true`, `3,${ids[2]},10,,true`]);
  expect(stderr).toBe('status 6: 1 row, status 10: 2 rows\n');
});

test('bulk track shows the rows by status on a terminal, in place of a line for each change', async () => {
  const { deliver, sandbox, input, environment } = await sendRows(3, ['--concurrency', '1']);
  const tracking = messaging(['bulk', 'track', input, '--every', '1ms'], { environment, columns: 80 });
  while (asked(sandbox).length < 2) await new Promise((resolve) => setTimeout(resolve, 1));
  deliver(1, 2, 3);
  const { code, stdout, stderr } = await tracking;
  expect([code, stderr]).toEqual([0, 'status 10: 3 rows\n']);
  expect(stdout).toMatch(/^\rno status yet: 3 rows(\r[^\n]+)?\r +\r$/);
  const again = await messaging(['bulk', 'track', input, '--output', 'csv'], { environment, columns: 80 });
  expect(again).toMatchObject({ code: 0, stdout: 'row,messageid,status,previous,final\r\n' });
});

test('bulk track exits with 8 when time runs out, and the next one goes on: it asks only for rows that are not final', async () => {
  const { ids, sandbox, input, bulk, deliver, track } = await sendRows(3, ['--concurrency', '1']);
  deliver(1);
  const first = await track('--within', '500ms', '--every', '1h');
  expect(first.code).toBe(8);
  expect(first.stderr).toBe(
    'status 1: 2 rows, status 10: 1 row\nerror: GetStatusByApikey: 2 of 3 messages have no final status after 500 ms\n',
  );
  deliver(2, 3);
  const second = await track();
  expect(second).toMatchObject({ code: 0, stderr: 'status 10: 3 rows\n' });
  // A status that is known already is no change.
  expect(inRows(second.stdout)).toEqual([`2,${ids[1]},10,1,true`, `3,${ids[2]},10,1,true`]);
  expect(asked(sandbox)).toEqual([3, 2]);
  const status = await bulk('status', input);
  expect(status.stderr).toMatch(/^delivery: status 10: 3 rows\n/);
  const third = await track();
  expect(third).toMatchObject({ code: 0, stdout: 'row,messageid,status,previous,final\r\n' });
  expect(asked(sandbox)).toHaveLength(2);
});

test('bulk track asks again for rows whose status is no longer among the final statuses', async () => {
  const { sandbox, track } = await sendRows(2);
  expect((await track('--final-statuses', '1')).code).toBe(0);
  expect((await track('--final-statuses', '10', '--within', '100ms')).code).toBe(8);
  expect(asked(sandbox).length).toBeGreaterThan(1);
});

test('bulk track knows the final statuses that were given last, whatever variables say', async () => {
  const { input, environment, deliver, track } = await sendRows(2);
  deliver(1, 2);
  expect(await track('--final-statuses', '10,11')).toMatchObject({ code: 0, stderr: 'status 10: 2 rows\n' });
  const { MESSAGING_FINAL_STATUSES: _, ...others } = environment;
  const again = (...args: string[]) =>
    messaging(['bulk', 'track', input, ...args], { environment: { ...others, MESSAGING_FINAL_STATUSES: '1' } });
  expect(await again('--within', '1s')).toMatchObject({ code: 0 });
  expect(await again('--within', '1s', '--final-statuses', '1')).toMatchObject({ code: 8 });
  expect(await again('--within', '1s')).toMatchObject({ code: 8 });
});

test('bulk results shows the status of each row, and says why a row has none', async () => {
  const { ids, bulk, deliver, track, input } = await sendRows(2, ['--concurrency', '1']);
  deliver(1);
  expect((await bulk('results', input)).stdout).toContain(`1,sent,${ids[0]},"",not tracked yet`);
  await track('--within', '300ms');
  const { stdout } = await bulk(
    'results',
    input,
    '--columns',
    'result_row,result_messageid,result_status,result_reason',
  );
  expect(inRows(stdout)).toEqual([`1,${ids[0]},10,""`, `2,${ids[1]},1,""`]);
});

test('rows whose ids are in no known order cannot be tracked: bulk track counts them, and bulk results says why', async () => {
  const { bulk, sandbox, track, input } = await sendRows(3, ['--batch-size', '2', '--operation', 'send-array']);
  const { code, stderr } = await track('--final-statuses', '1');
  expect(code).toBe(0);
  expect(stderr).toBe('status 1: 1 row, no id of their own: 2 rows\n');
  expect(asked(sandbox)).toEqual([1]);
  const { stdout } = await bulk('results', input, '--columns', 'result_row,result_status,result_reason');
  expect(inRows(stdout)).toEqual(['1,"",it has no id of its own', '2,"",it has no id of its own', '3,1,""']);
});

test('with --ids-in-order, bulk track follows each row of a request', async () => {
  const { track } = await sendRows(3, ['--batch-size', '3', '--operation', 'send-array', '--ids-in-order']);
  expect(await track('--final-statuses', '1')).toMatchObject({ code: 0, stderr: 'status 1: 3 rows\n' });
});

test('pending and rejected rows do not change the exit code of bulk track', async () => {
  const sandbox = await openSandbox();
  const { input } = csvOf(3);
  const environment = { ...environmentOf(sandbox), MESSAGING_FINAL_STATUSES: '1' };
  const bulk = (...args: string[]) => messaging(['bulk', ...args], { environment });
  sandbox.reply('SendSimpleByApikey', { delayMs: 1 });
  sandbox.reply('SendSimpleByApikey', { status: 412, statusmessage: 'invalid receptor' });
  const run = await bulk('run', input, ...given, '--concurrency', '1', '--stop-after-failures', '1');
  expect(run.code).toBe(3);
  expect(await bulk('track', input)).toMatchObject({ code: 0, stderr: 'status 1: 1 row\n' });
});

test('bulk track of a file of which nothing is sent says so', async () => {
  const { input, environment } = await sendRows(1);
  const missing = await messaging(['bulk', 'track', `${input}.other`], { environment });
  expect(missing.code).toBe(2);
  expect(missing.stderr).toContain('there is no journal');
});

test('bulk track without a response exits with the code of the last failure', async () => {
  const { sandbox, track } = await sendRows(2);
  sandbox.reply('*', { http: { status: 503, body: 'busy' } }, { times: Number.POSITIVE_INFINITY });
  const { code, stderr } = await track('--within', '300ms');
  expect(code).toBe(6);
  expect(stderr).toMatch(/^warning: GetStatusByApikey: service returned HTTP status 503 \(busy\); retrying$/m);
});

test('bulk track can follow rows while another process has their journal open', async () => {
  const { input, sandbox, track } = await sendRows(2);
  const bulk = await openBulk({ client: clientOf(sandbox), input, fields });
  try {
    expect((await track('--final-statuses', '1')).code).toBe(0);
  } finally {
    await bulk.close();
  }
});

test('bulk track records how the service is reached now, unless another process has the journal open', async () => {
  const { sandbox, input, journal, deliver, track } = await sendRows(2, ['--rows-per-second', '100']);
  deliver(1, 2);
  const keys = ['first', 'second'].map((name) => join(dirname(input), name));
  for (const key of keys) writeFileSync(key, sandbox.apiKey, { mode: 0o600 });
  const recorded = async () => (await readBulk(journal)).settings;
  expect(await track('--api-key-file', keys[0] as string)).toMatchObject({ code: 0 });
  expect(await recorded()).toMatchObject({ apiKeyFile: keys[0], rowsPerSecond: '100', baseUrl: sandbox.baseUrl });
  const size = statSync(journal).size;
  expect(await track()).toMatchObject({ code: 0 });
  expect(statSync(journal).size).toBe(size);
  const bulk = await openBulk({ client: clientOf(sandbox), journal });
  await bulk.resolve({ ranges: [[1, 1]], as: 'sent' }).catch(() => undefined);
  expect(await track('--api-key-file', keys[1] as string)).toMatchObject({ code: 0 });
  expect(await recorded()).toMatchObject({ apiKeyFile: keys[0] });
  await bulk.close();
});

test('bulk.track of the library resolves with the rows by status, and rejects with a TrackingTimeout', async () => {
  const { input, sandbox, ids } = await sendRows(2);
  const bulk = await openBulk({ client: clientOf(sandbox), input, fields });
  cleanUp(() => bulk.close());
  const seen: unknown[] = [];
  const options = { everyMs: 1, onChange: (change: unknown) => void seen.push(change) };
  expect(await bulk.track({ finalStatuses: [1], ...options })).toEqual({
    statuses: new Map([[1, 2]]),
    unasked: 0,
    withoutId: 0,
  });
  expect(seen).toContainEqual({ messageid: ids[0], status: 1, previous: undefined, final: true, row: 1 });
  await errorOf(TrackingTimeout, bulk.track({ finalStatuses: [10], withinMs: 50, ...options }));
});

test('the file of statuses holds no text and no phone number', async () => {
  const { input, track } = await sendRows(2);
  await track('--final-statuses', '1');
  const text = readFileSync(`${input}.statuses`, 'utf8');
  expect(text).toContain('"status":1');
  expect(text).not.toMatch(/0912|Hello|sandbox-key/);
});

test('bulk track that is killed at random instants goes on and reports every final status', async () => {
  const rows = 60;
  const { input, environment, ids, sandbox, bulk } = await sendRows(rows);
  const kills = loopSize(50);
  for (let kill = 0; kill < kills; kill++) {
    const child = startProcess(['bulk', 'track', input, '--every', '1ms'], environment);
    const requests = sandbox.requests.length;
    while (sandbox.requests.length === requests) await new Promise((resolve) => setTimeout(resolve, 5));
    for (let row = kill; row < rows; row += kills) sandbox.setStatus(ids[row] as bigint, DELIVERED);
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 30));
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await ended;
    // A crash may tear the last line.
    if (kill % 2 === 0) truncateSync(`${input}.statuses`, statSync(`${input}.statuses`).size - 3);
  }
  expect(await bulk('track', input, '--every', '1ms', '--within', '1m')).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(/status 10: 60 rows\n$/),
  });
  const { stdout } = await bulk('results', input, '--columns', 'result_status,result_reason');
  expect(inRows(stdout)).toEqual(Array.from({ length: rows }, () => '10,""'));
});
