import { appendFileSync, rmSync, writeFileSync } from 'node:fs';
import { InputError, openBulk } from '../../src/bulk';
import { cleanUp } from '../support/clean-up';
import { prepare } from './cli-support';
import { clientOf, csvOf, fields, onePass } from './support';

const once = ['--once', '--yes', '--baseline-pagesize', '0'];
const given = ['--sender', '3000', '--message', 'Hello {{name}}', '--unixdate', '0', '--msgmode', '1', ...once];
const oneByOne = [...given, '--concurrency', '1'];

test('results has the own columns of each row, its state, its id and the words of the service', async () => {
  const { sandbox, input, bulk } = await prepare(4);
  writeFileSync(input, 'receptor,name,note\n911,"a, ""b""",x\n912,=2+3,\n913,علی,\n914,d,\n');
  sandbox.reply('SendSimpleByApikey', { delayMs: 1 });
  sandbox.reply('SendSimpleByApikey', { status: 412, statusmessage: 'invalid receptor' });
  sandbox.reply('SendSimpleByApikey', { drop: 'before' });
  await bulk('run', input, ...given, '--concurrency', '1', '--stop-after-failures', '2');
  const { code, stdout, stderr } = await bulk('results', input);
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout.split('\r\n')).toEqual([
    'receptor,name,note,result_row,result_state,result_messageid,result_status,result_reason',
    `911,"a, ""b""",x,1,sent,${sandbox.messages[0]?.messageid},"",not tracked yet`,
    '912,=2+3,"",2,rejected,"","",status 412 (invalid receptor)',
    '913,علی,"",3,unknown,"","",ConnectionError ECONNRESET',
    '914,d,"",4,pending,"","",""',
    '',
  ]);
  const json = JSON.parse((await bulk('results', input, '--output', 'json')).stdout);
  const lines = (await bulk('results', input, '--output', 'ndjson')).stdout.trimEnd().split('\n');
  expect(lines.map((line) => JSON.parse(line))).toEqual(json);
  expect(json[1]).toEqual({
    receptor: '912',
    name: '=2+3',
    note: '',
    result_row: 2,
    result_state: 'rejected',
    result_messageid: '',
    result_status: '',
    result_reason: 'status 412 (invalid receptor)',
  });
  const safe = await bulk('results', input, '--spreadsheet', '--columns', 'name,result_row');
  expect(safe.stdout.split('\r\n')[2]).toBe('"=""=2+3""",2');
});

test.each([
  ['has changed', (input: string) => writeFileSync(input, 'receptor,name\n911,a\n912,b\n')],
  ['is no list any more', (input: string) => writeFileSync(input, 'Mobile\n1\n')],
  ['is missing', (input: string) => rmSync(input)],
])('results of a file that %s are those of the journal, without columns', async (_, change) => {
  const { input, bulk } = await prepare(2);
  await bulk('run', input, ...given);
  change(input);
  const { code, stdout, stderr } = await bulk('results', input);
  expect([code, stdout.trim().split('\r\n')]).toEqual([
    0,
    [
      'result_row,result_state,result_messageid,result_status,result_reason',
      '1,sent,9007199254740993,"",not tracked yet',
      '2,sent,9007199254740994,"",not tracked yet',
    ],
  ]);
  expect(stderr).toMatch(/list\.csv (?:has changed|is missing): its columns are left out/);
});

test('the library reads results of a list that it sends, and of one that it only reads', async () => {
  const { sandbox, input } = await prepare(3);
  const bulk = await openBulk({ client: clientOf(sandbox), input, fields });
  cleanUp(() => bulk.close());
  await bulk.run(onePass);
  const reader = await openBulk({ input, fields });
  for (const results of [bulk.results(), reader.results()]) {
    const rows = [];
    for await (const result of results) rows.push(result);
    expect(rows.map(({ row, state }) => [row, state])).toEqual([1, 2, 3].map((row) => [row, 'sent']));
    expect(rows[0]).toMatchObject({
      columns: { receptor: '09120000001', name: 'name 1' },
      messageid: String(sandbox.messages[0]?.messageid),
      status: undefined,
      reason: 'not tracked yet',
    });
  }
});

test('results of a file that has got a row since it was opened are refused as those of a changed file', async () => {
  const { input } = csvOf(2);
  const bulk = await openBulk({ input, fields });
  appendFileSync(input, '09120000003,name 3\n');
  const read = async () => {
    for await (const { row } of bulk.results()) expect(row).toBeLessThanOrEqual(2);
  };
  await expect(read()).rejects.toThrow(InputError);
});

test('a row that an operator says is sent has no message id, and nobody asks for one', async () => {
  const { sandbox, input, bulk } = await prepare(2);
  sandbox.reply('SendSimpleByApikey', { drop: 'after' });
  await bulk('run', input, ...oneByOne, '--stop-after-failures', '0');
  await bulk('resolve', input, '--row', '1', '--as', 'sent');
  const { stdout } = await bulk('results', input, '--columns', 'result_row,result_messageid,result_reason');
  expect(stdout.split('\r\n')[1]).toBe('1,"",it has no id of its own');
  const tracked = await bulk('track', input, '--final-statuses', '1');
  expect(tracked).toMatchObject({ code: 0, stderr: 'status 1: 1 row, no id of their own: 1 row\n' });
  expect(sandbox.requests.some(({ body }) => body.includes('<long>0</long>'))).toBe(false);
});

test('columns of the file that are named as those of the results are left out, and that is said', async () => {
  const { input, bulk } = await prepare(1);
  writeFileSync(input, 'receptor,name,result_state\n911,a,mine\n');
  await bulk('run', input, ...oneByOne);
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
  await bulk('run', input, ...oneByOne, '--stop-after-failures', '0');
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
  writeFileSync(
    input,
    'receptor,name\n911, 0912\n912,9.12E+09\n913,9007199254740993 \n914,12E5\n915,1.5\n916,12 Elm\n',
  );
  await bulk('run', input, ...oneByOne);
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
