import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startSandbox } from '../../src/sandbox';
import { environmentOf, messaging } from '../cli/support';
import { cleanUp } from '../support/clean-up';
import { makeFolder } from '../support/folder';

const given = ['--sender', '3000', '--message', 'Hello {{name}}', '--unixdate', '0', '--msgmode', '1', '--yes'];

/** A file as a spreadsheet program exports it. */
const exported = [
  'receptor,name,city,note',
  '09120000001,علی,تهران,first',
  '9.12E+09,Sara,Shiraz,',
  '+98 912 000 0001,Reza,,same number as row 1',
  '۰۹۱۲۰۰۰۰۰۰۲,Mina,,Persian digits',
  '09120000003,Nima,,',
  '09120000003,Nima,,twice',
  '00989120000004,Omid,,asked not to get messages',
];

async function prepare(lines: readonly string[] = exported) {
  const sandbox = await startSandbox();
  cleanUp(() => sandbox.close());
  const folder = makeFolder();
  const input = join(folder, 'list.csv');
  writeFileSync(input, `\ufeff${lines.join('\r\n')}\r\n`);
  const environment = environmentOf(sandbox);
  const bulk = (...args: string[]) => messaging(['bulk', ...args], { environment });
  return { sandbox, folder, input, bulk };
}

test('a column that no text uses is refused with the option that ignores it, and is ignored from then on', async () => {
  const { input, bulk, sandbox } = await prepare();
  const refused = await bulk('run', input, ...given);
  expect(refused).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/^column city is neither .*; --ignore-columns .*\ncolumn note/),
  });
  sandbox.reply('SendSimpleByApikey', { status: 418 });
  expect(await bulk('run', input, ...given, '--ignore-columns')).toMatchObject({ code: 3 });
  expect(await bulk('run', input)).toMatchObject({ code: 0 });
  expect(sandbox.messages).toHaveLength(7);
});

test.each([
  ['Receptor', 'column Receptor is neither .*; is receptor meant?'],
  ['receptor ', 'column receptor  is neither .*; is receptor meant?'],
  ['recepter', 'column recepter is neither .*; is receptor meant?'],
  ['phone', 'column phone is neither .*; --ignore-columns'],
])('the column %j is refused, and the field that may be meant is named', async (column, message) => {
  const { input, bulk } = await prepare([`${column},name`, '1,a']);
  expect((await bulk('run', input, ...given)).stderr).toMatch(new RegExp(`^${message}`));
});

test('with --ignore-columns, a field that is missing names the ignored column that may be meant', async () => {
  const { input, bulk } = await prepare(['Receptor,name', '1,a']);
  const { stderr } = await bulk('run', input, ...given, '--ignore-columns');
  expect(stderr).toMatch(/^receptor is missing: .*; is column Receptor meant\?/);
});

test('a dry run shows the first request, duplicates, strange receptors and what is left out, and sends nothing', async () => {
  const { folder, input, bulk, sandbox } = await prepare();
  const exclude = join(folder, 'stop.txt');
  writeFileSync(exclude, '09120000004\n');
  const { code, stderr } = await bulk('run', input, ...given, '--ignore-columns', '--exclude', exclude, '--dry-run');
  expect([code, stderr.split('\n')]).toEqual([
    0,
    [
      '7 rows in 6 requests; nothing was sent',
      'first request: {"sender":"3000","message":"Hello علی","receptor":["09120000001"],"unixdate":"0","msgmode":1}',
      '6 parts in all messages, as networks commonly count',
      'the longest text has 10 characters in 1 part (row 2)',
      '1 row is left out (row 7)',
      '1 row repeats the sender, receptor and text of an earlier row (row 6): --skip-duplicates leaves them out',
      '2 rows have the receptor and text of another row: if a response is lost, the program cannot tell them apart (rows 5, 6)',
      '3 rows have a receptor that is not digits (rows 2, 3, 4)',
      '1 row has the receptor of an earlier row in another writing (row 3)',
      'a baseline is listed first: a row whose response is lost can be looked up',
      '',
    ],
  ]);
  expect(sandbox.requests).toHaveLength(0);
});

test('duplicates and rows of an exclusion list are left out, however their receptors are written, and stay so', async () => {
  const { folder, input, bulk, sandbox } = await prepare();
  const exclude = join(folder, 'stop.txt');
  writeFileSync(exclude, 'receptor\n\n09120000004\n+989120000002\n');
  const options = ['--ignore-columns', '--skip-duplicates', '--exclude', exclude];
  expect(await bulk('run', input, ...given, ...options)).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(/\n4 of 7 rows sent, 3 excluded\nall other rows are sent\n$/),
  });
  expect(await bulk('run', input)).toMatchObject({ code: 0, stderr: expect.stringContaining('3 excluded') });
  const { stdout } = await bulk('status', input, '--state', 'excluded', '--output', 'csv', '--columns', 'row,error');
  expect(stdout.split('\r\n')).toEqual([
    'row,error',
    '4,the receptor is in the file of --exclude',
    '6,a duplicate of an earlier row',
    '7,the receptor is in the file of --exclude',
    '',
  ]);
  expect(sandbox.messages.map(({ receptor }) => receptor)).toEqual([
    '09120000001',
    '9.12E+09',
    '+98 912 000 0001',
    '09120000003',
  ]);
});

test('an exclusion list that cannot be read is refused', async () => {
  const { input, bulk } = await prepare();
  const { code, stderr } = await bulk('run', input, ...given, '--ignore-columns', '--exclude', '/none');
  expect([code, stderr]).toEqual([2, expect.stringMatching(/^error: --exclude: ENOENT.*\n$/)]);
});

test('a workbook, a folder and a pipe are told from a CSV file', async () => {
  const { folder, bulk } = await prepare();
  const [workbook, pipe] = [join(folder, 'list.xlsx'), join(folder, 'pipe')];
  writeFileSync(workbook, Buffer.from('504b0304140006', 'hex'));
  mkdirSync(join(folder, 'rows'));
  execFileSync('mkfifo', [pipe]);
  for (const [path, problem] of [
    [workbook, 'is a workbook of a spreadsheet program: save it there as "CSV UTF-8"'],
    [join(folder, 'rows'), 'is a folder'],
    [pipe, 'is a pipe or a device, which can be read only once'],
  ] as const) {
    const { code, stderr } = await bulk('run', path, ...given);
    expect([code, stderr]).toEqual([2, expect.stringContaining(`${path} ${problem}`)]);
  }
  expect(() => readFileSync(`${workbook}.journal`)).toThrow('ENOENT');
});
