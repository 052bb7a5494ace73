import './skip-settling';

import { execFile } from 'node:child_process';
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { openBulk } from '../../src/bulk';
import { bulkKind } from '../../src/bulk/state/bulk-journal';
import type { BulkRecord } from '../../src/bulk/state/records';
import { openJournal } from '../../src/journal/journal';
import { isAlive, ownIdentity } from '../../src/journal/owner';
import { messaging } from '../cli/support';
import { cleanUp } from '../support/clean-up';
import { makeFolder } from '../support/folder';
import { programPath } from '../support/process';
import { given, prepare } from './cli-support';
import { clientOf } from './support';

const once = [...given, '--once', '--baseline-pagesize', '0', '--concurrency', '1'];

test('a row that an operator says is sent has no message id, and nobody asks for one', async () => {
  const { sandbox, input, bulk } = await prepare(2);
  sandbox.reply('SendSimpleByApikey', { drop: 'after' });
  await bulk('run', input, ...once, '--stop-after-failures', '0');
  await bulk('resolve', input, '--row', '1', '--as', 'sent');
  const { stdout } = await bulk('results', input, '--columns', 'result_row,result_messageid,result_reason');
  expect(stdout.split('\r\n')[1]).toBe('1,"",it has no id of its own');
  const tracked = await bulk('track', input, '--final-statuses', '1');
  expect(tracked).toMatchObject({ code: 0, stderr: 'status 1: 1 row, no id of their own: 1 row\n' });
  expect(sandbox.requests.some(({ body }) => body.includes('<long>0</long>'))).toBe(false);
});

test('each of many refused rows shows the words of its own refusal', () => {
  const state = bulkKind.createState();
  const apply = (record: BulkRecord) => expect(state.apply(record)).toBe(true);
  const plan = { operation: 'sendSimple', batchSize: 1, idsInOrder: false, startWithinMs: 5000, asIs: false } as const;
  apply({ t: 'list', id: '1234567890', sha256: '', total: 1500, plan, fields: {}, defaults: {} });
  for (let n = 1; n <= 1500; n++) {
    apply({ t: 'intent', n, range: [n, n], at: 0 });
    apply({ t: 'rejected', n, error: `ticket ${n}`, refusal: '412' });
  }
  expect(state.table.reason(1500).text).toBe('ticket 1500');
  expect(state.table.reason(3).text).toBe('ticket 3');
});

test('a dry run says what the journal knows and what the next run does', async () => {
  const { sandbox, input, bulk } = await prepare(3);
  sandbox.reply('SendSimpleByApikey', { delayMs: 0 });
  sandbox.reply('SendSimpleByApikey', { status: 418 });
  await bulk('run', input, ...once, '--stop-after-failures', '1');
  const { length } = sandbox.requests;
  const { code, stderr } = await bulk('run', input, '--dry-run');
  expect(code).toBe(0);
  expect(stderr).toContain('the journal says: 1 of 3 rows sent, 1 rejected, 1 pending\n');
  expect(stderr).toContain('the next run goes on with 1 row\n');
  expect(sandbox.requests).toHaveLength(length);
});

test('a process in another PID namespace cannot be seen from here', () => {
  const own = ownIdentity();
  if (process.platform === 'linux') expect(own.space).toMatch(/^pid:\[\d+\]/);
  expect(isAlive(own)).toBe(true);
  expect(isAlive({ ...own, space: 'pid:[1]' })).toBeUndefined();
});

test('the journal refuses a record that it could not read again', async () => {
  const path = join(makeFolder(), 'journal');
  const plan = { operation: 'sendSimple', batchSize: 1, idsInOrder: false, startWithinMs: 5000, asIs: false } as const;
  const start = (): readonly BulkRecord[] => [
    { t: 'list', id: '1234567890', sha256: '', total: 1, plan, fields: {}, defaults: {} },
  ];
  const journal = await openJournal({ path, kind: bulkKind, takeOver: false, start });
  cleanUp(() => journal.close());
  const wrong: BulkRecord = { t: 'intent', n: Number.NaN, range: [1, 1], at: 0 };
  expect(() => journal.append(wrong)).toThrow('the record intent could not be read again');
  expect(journal.state.table.counts()).toMatchObject({ pending: 1 });
});

test.each([
  [['resolve', '--row', '1', '--as', 'sent'], /^error: --row: row 1 is sent: resolve is for unknown rows\n$/],
  [['retry', '--row', '1'], /^error: --row: row 1 is sent: retry is for rejected rows\n$/],
])('%j is refused by the name of the option', async ([command = '', ...options], message) => {
  const { input, bulk } = await prepare(1);
  await bulk('run', input, ...once);
  expect(await bulk(command, input, ...options)).toMatchObject({ code: 2, stderr: expect.stringMatching(message) });
});

test('printed commands are whole, and run in a shell as they are printed, with strange paths and fields', async () => {
  const names = [...Array.from({ length: 8 }, () => 'x'.repeat(150)), "my 'lists' $1", 'a\n\u202eb'];
  const folder = join(makeFolder(), ...names);
  mkdirSync(folder, { recursive: true });
  const { sandbox, input, environment, bulk } = await prepare(1, folder);
  sandbox.reply('SendSimpleByApikey', { status: 418 });
  const fields = ['--sender', "it's", '--message', '$HOME {{name}}', ...given.slice(4)];
  const { stderr } = await bulk('run', input, ...fields, '--stop-after-failures', '0');
  expect(stderr).not.toContain('\u202e');
  const printed = (text: string, name: string) => new RegExp(`\`[^\`]*?(bulk ${name} [^\`]*)\``).exec(text)?.[1] ?? '';
  const shell = async (command: string): Promise<string> => {
    const line = `${process.execPath} ${programPath('messaging')} ${command} 2>&1`;
    const options = { cwd: '/', env: { PATH: process.env.PATH, ...environment } };
    return (await promisify(execFile)('sh', ['-c', line], options)).stdout;
  };
  const split = printed(stderr, 'split');
  expect(split.length).toBeGreaterThan(2400);
  await shell(`${printed(await shell(split), 'run')} --yes`);
  expect(sandbox.messages).toMatchObject([{ sender: "it's", message: '$HOME name 1' }]);
});

test('a run shows ten of the rows that are left, and names the command that lists all of them', async () => {
  const { sandbox, input, bulk } = await prepare(12);
  for (let n = 1; n <= 12; n++) sandbox.reply('SendSimpleByApikey', { status: 412, statusmessage: `no ${n}` });
  const { stderr } = await bulk('run', input, ...once, '--stop-after-failures', '0', '--concurrency', '12');
  expect(stderr.match(/^row \d+ to 0912\d+ is rejected: .*$/gm)).toHaveLength(10);
  const [, command = ''] = /^and 2 more: `messaging bulk (.*)` lists all of them$/m.exec(stderr) ?? [];
  const { stdout } = await bulk(...command.split(' '), '--columns', 'receptor,result_state');
  expect(stdout.match(/,rejected\r\n/g)).toHaveLength(12);
});

test('rows that were refused in one request are counted by its status, and each is sent alone after retry', async () => {
  const { sandbox, input, bulk } = await prepare(3);
  sandbox.reply('SendSimpleByApikey', { status: 412 });
  const batches = ['--batch-size', '3', '--message', 'Hello', ...given.slice(4)];
  const first = await bulk(
    'run',
    input,
    '--sender',
    '3000',
    ...batches,
    ...['--baseline-pagesize', '0', '--stop-after-failures', '0'],
  );
  expect(first.stderr).toMatch(
    /^3 rows rejected \(status 412\): `messaging bulk retry \S+ --status 412` makes them pending$/m,
  );
  await bulk('retry', input, '--status', '412');
  expect(await bulk('run', input)).toMatchObject({ code: 0 });
  const sent = sandbox.requests.filter(({ operation }) => operation === 'SendSimpleByApikey');
  expect(sent.map(({ body }) => body.match(/0912\d+/g)?.length)).toEqual([3, 1, 1, 1]);
});

test('an export whose column of receptors has another name is refused with the way to name it', async () => {
  const { input, bulk } = await prepare(1);
  writeFileSync(input, 'Mobile,name\n0912,a\n');
  const { code, stderr } = await bulk('run', input, ...once);
  expect([code, stderr]).toEqual([
    2,
    expect.stringMatching(/^receptor is missing: .* for all rows, such as '\{\{Mobile\}\}' for a column Mobile\n/),
  ]);
});

test('help exit-codes says how the commands of a list exit', async () => {
  const { stdout } = await messaging(['help', 'exit-codes']);
  expect(stdout).toMatch(/bulk run, .* exit by the states of the rows:\n6 when rows are unknown, else 3 .*, else 5/);
});

test('columns of the file that are named as those of the results are left out, and that is said', async () => {
  const { input, bulk } = await prepare(1);
  writeFileSync(input, 'receptor,name,result_state\n1,a,mine\n');
  await bulk('run', input, ...once);
  const { stdout, stderr } = await bulk('results', input);
  expect(stdout.split('\r\n')[0]).toBe(
    'receptor,name,result_row,result_state,result_messageid,result_status,result_reason',
  );
  expect(stderr).toBe('columns of the file that are named result_… are left out\n');
});

test('results filters by state, and writes values for a spreadsheet program so that it changes none', async () => {
  const { sandbox, input, bulk } = await prepare(1);
  writeFileSync(input, 'receptor,name\n09120000001,=1+1\n09120000002,b\n');
  sandbox.reply('SendSimpleByApikey', { status: 418 });
  await bulk('run', input, ...once, '--stop-after-failures', '0');
  const { stdout } = await bulk(
    'results',
    input,
    '--spreadsheet',
    '--state',
    'sent,rejected',
    '--columns',
    'receptor,name',
  );
  expect(stdout).toBe('\ufeffreceptor,name\r\n"=""09120000001""","=""=1+1"""\r\n"=""09120000002""",b\r\n');
  expect((await bulk('results', input, '--state', 'sent', '--columns', 'result_row')).stdout).toBe(
    'result_row\r\n2\r\n',
  );
  expect(await bulk('results', input, '--state', 'lost')).toMatchObject({ code: 2 });
});

test('--spreadsheet keeps the digits of a value with blanks around it, and of a number with an exponent', async () => {
  const { input, bulk } = await prepare(1);
  writeFileSync(input, 'receptor,name\n1, 0912\n2,9.12E+09\n3,9007199254740993 \n4,12E5\n5,1.5\n6,12 Elm\n');
  await bulk('run', input, ...once);
  const { stdout } = await bulk('results', input, '--spreadsheet', '--columns', 'name');
  expect(stdout.split('\r\n').slice(1, -1)).toEqual([
    '"="" 0912"""',
    '"=""9.12E+09"""',
    '"=""9007199254740993 """',
    '"=""12E5"""',
    '1.5',
    '"=""12 Elm"""',
  ]);
});

test('rejected rows are counted by their reason, and sent again by status', async () => {
  const { sandbox, input, bulk } = await prepare(5);
  for (const reply of [
    { delayMs: 0 },
    { status: 412 },
    { status: 412 },
    { http: { status: 404 } },
    { fault: { code: 'Client', reason: 'no' } },
  ])
    sandbox.reply('SendSimpleByApikey', reply as Parameters<typeof sandbox.reply>[1]);
  await bulk('run', input, ...once, '--stop-after-failures', '0');
  expect(await bulk('retry', input)).toMatchObject({
    code: 0,
    stdout: '2\tstatus 412\n1\tHTTP status 404\n1\tfault\n',
    stderr: expect.stringMatching(
      /^1 of 5 rows sent, 4 rejected\n2 rows rejected \(status 412\): .*\n1 row rejected \(HTTP status 404\): .*\n1 row rejected \(fault\): /,
    ),
  });
  expect(await bulk('retry', input, '--status', '412')).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(/^2 rows are pending again\n1 of 5 rows sent, 2 rejected, 2 pending\n/),
  });
  expect(await bulk('retry', input, '--all')).toMatchObject({ stderr: expect.stringMatching(/^2 rows are pending/) });
});

test('openBulk with a journal alone serves what reads no rows, and says what else it needs', async () => {
  const { sandbox, input, journal, bulk } = await prepare(2);
  sandbox.reply('SendSimpleByApikey', { status: 418 });
  await bulk('run', input, ...once, '--stop-after-failures', '0');
  const list = await openBulk({ client: clientOf(sandbox), journal });
  cleanUp(() => list.close());
  expect([...list.rows('rejected')]).toMatchObject([{ row: 1, refusal: '418' }]);
  expect(await list.retry({ status: '418' })).toBe(1);
  await expect(list.run()).rejects.toThrow('input: missing: the rows are needed');
  expect(list.status().counts).toMatchObject({ sent: 1, pending: 1 });
});

test('a row that a process of another kind wrote after the list is told', async () => {
  const { input, journal, bulk } = await prepare(1);
  await bulk('run', input, ...once);
  appendFileSync(journal, '{"t":"open","v":9,"kind":"bulk","opening":"x","pid":1,"host":"h"}\n');
  expect(await bulk('status', input)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('another version of this program'),
  });
});

test('a URL of Redis with a path that is no number is refused by name', async () => {
  const { bulk } = await prepare(1);
  expect(await bulk('work', '--redis', 'redis://127.0.0.1/abc')).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/^error: --redis: a URL such as/m),
  });
});
