import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { environmentOf, messaging, shellWords } from '../cli/support';
import { makeFolder } from '../support/folder';
import { openSandbox } from '../support/sandbox';
import { given } from './cli-support';

/** A file as a spreadsheet program exports it. */
const exported = [
  'receptor,name,city,note',
  '09120000001,علی,تهران,first',
  '0912 000 0006,Sara,Shiraz,',
  '+98 912 000 0001,Reza,,same number as row 1',
  '۰۹۱۲۰۰۰۰۰۰۲,Mina,,Persian digits',
  '09120000003,Nima,,',
  '09120000003,Nima,,twice',
  '00989120000004,Omid,,asked not to get messages',
];

async function prepare(lines: readonly string[] = exported) {
  const sandbox = await openSandbox();
  const folder = makeFolder();
  const input = join(folder, 'list.csv');
  writeFileSync(input, `\ufeff${lines.join('\r\n')}\r\n`);
  const environment = environmentOf(sandbox);
  const bulk = (...args: string[]) => messaging(['bulk', ...args], { environment });
  return { sandbox, folder, input, bulk };
}

test('columns that are no field are allowed', async () => {
  const { input, bulk, sandbox } = await prepare();
  expect(await bulk('run', input, ...given)).toMatchObject({ code: 0 });
  expect(sandbox.messages).toHaveLength(7);
});

test.each(['Receptor', 'receptor ', 'recepter'])('the column %j is named where a field is missing', async (column) => {
  const { input, bulk } = await prepare([`${column},name`, '1,a']);
  const { code, stderr } = await bulk('run', input, ...given);
  expect([code, stderr.split('\n')[0]]).toEqual([
    2,
    `receptor is missing: give it as a column or for all rows; is column ${column} meant?`,
  ]);
});

test('a wrong cell is told with its row, and the command that makes a clean list', async () => {
  const { input, bulk, sandbox } = await prepare(['receptor,name', '0912,a', ',b']);
  const { code, stderr } = await bulk('run', input, ...given);
  const [wrong, advice = '', ...end] = stderr.split('\n');
  expect([code, wrong, end]).toEqual([
    2,
    'row 2: receptor: it is empty',
    ['error: the file or its fields are wrong; this command has sent nothing', ''],
  ]);
  expect(sandbox.requests).toHaveLength(0);
  const [, command = ''] = /^to make a list without the wrong rows: `messaging (.*)`$/.exec(advice) ?? [];
  expect(await messaging(shellWords(command))).toMatchObject({ code: 0 });
  const next = join(dirname(input), 'list-2.csv');
  expect(await bulk('run', next, ...given)).toMatchObject({ code: 0 });
  expect(sandbox.messages).toMatchObject([{ receptor: '0912', message: 'Hello a' }]);
});

test('an empty text and a receptor that is no number are refused in every row, and --as-is sends them, also later', async () => {
  const { input, bulk, sandbox } = await prepare(['receptor,name', 'Ali,', '911,b']);
  const own = [...given.filter((word, index) => word !== '--message' && given[index - 1] !== '--message'), '--yes'];
  const text = ['--message', '{{name}}', '--baseline-pagesize', '0', '--concurrency', '1'];
  const { code, stderr } = await bulk('run', input, ...own, ...text);
  expect([code, stderr]).toEqual([
    2,
    expect.stringContaining('row 1: message: it is empty\nrow 1: receptor: "Ali" has other characters than digits'),
  ]);
  expect(sandbox.requests).toHaveLength(0);
  sandbox.reply('SendSimpleByApikey', { delayMs: 0 }, { times: 1 });
  sandbox.reply('SendSimpleByApikey', { status: 418 });
  expect(await bulk('run', input, ...own, ...text, '--as-is')).toMatchObject({ code: 3 });
  await bulk('retry', input, '--all');
  expect(await bulk('run', input)).toMatchObject({ code: 0 });
  expect(sandbox.messages.map(({ receptor, message }) => `${receptor}:${message}`)).toEqual(['Ali:', '911:b']);
});

test('a dry run shows the first request, the parts, the longest text and the rows that are alike, and sends nothing', async () => {
  const { input, bulk, sandbox } = await prepare();
  const { code, stderr } = await bulk('run', input, ...given, '--dry-run');
  expect([code, stderr.split('\n')]).toEqual([
    0,
    [
      '7 rows in 7 requests; nothing was sent',
      'first request: {"sender":"3000","message":"Hello علی","receptor":["09120000001"],"unixdate":"0","msgmode":1}',
      '7 parts in all messages, as networks commonly count',
      'the longest text has 10 characters in 1 part (row 2)',
      '3 receptors are not plain digits: row 2: "0912 000 0006", row 3: "+98 912 000 0001", row 4: "۰۹۱۲۰۰۰۰۰۰۲"',
      '2 rows have the receptor and text of another row: if a response is lost, the program cannot tell which of them was sent (rows 5, 6)',
      'a baseline is listed first: a row whose response is lost can be looked up',
      '',
    ],
  ]);
  expect(sandbox.requests).toHaveLength(0);
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

test('an export whose column of receptors has another name is refused with the way to name it', async () => {
  const { input, bulk } = await prepare(['Mobile,name', '0912,a']);
  const { code, stderr } = await bulk('run', input, ...given);
  expect([code, stderr]).toEqual([
    2,
    expect.stringMatching(/^receptor is missing: .* for all rows, such as '\{\{Mobile\}\}' for a column Mobile\n/),
  ]);
});
