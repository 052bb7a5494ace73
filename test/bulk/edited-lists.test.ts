import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { arm, commandsIn, given, prepare as prepareList } from './cli-support';

// Lists as people edit them: with editors and tools that end lines in different ways.

/** A list of these lines, a sandbox, and the command of this program that works on both. */
async function prepare(lines: readonly string[] = []) {
  const { input, bulk, sandbox } = await prepareList(1);
  writeFileSync(input, `${lines.join('\n')}\n`);
  return { input, bulk, sandbox, folder: dirname(input) };
}

const TWO_LINES = '"سلام\nدوست"';

/** Each kind of edit, which appends or changes a row. */
const edits: readonly (readonly [string, (path: string) => void])[] = [
  ['sed -i', (path) => execFileSync('sed', ['-i', '2s/^[0-9]*/09125550000/', path])],
  ['echo >>', (path) => execFileSync('sh', ['-c', `echo 09125550000,end >> "$0"`, path])],
  [
    'an editor that writes CRLF',
    (path) =>
      writeFileSync(
        path,
        readFileSync(path, 'utf8')
          .replaceAll('\n', '\r\n')
          .replace(/^(receptor.*\r\n)\d+/, '$109125550000'),
      ),
  ],
  [
    'a spreadsheet program, which writes a byte order mark, CRLF, and LF inside a cell',
    (path) => {
      const text = readFileSync(path, 'utf8').replaceAll('\n', '\r\n').replace('سلام\r\n', 'سلام\n');
      writeFileSync(path, `\ufeff${text.replace(/^(receptor.*\r\n)\d+/, '$109125550000')}`);
    },
  ],
];

describe.each(edits)('%s', (_what, edit) => {
  test('a list that bulk prepare wrote keeps its rows and its texts', async () => {
    const { input, bulk, sandbox, folder } = await prepare([
      'receptor,name',
      '09120000001,Ali',
      `09120000002,${TWO_LINES}`,
    ]);
    const list = join(folder, 'clean.csv');
    expect(await bulk('prepare', input, '--to', list)).toMatchObject({ code: 0 });
    edit(list);
    expect(await bulk('run', list, ...given)).toMatchObject({ code: 0 });
    const sent = sandbox.messages.map(({ receptor, message }) => `${receptor}: ${message}`);
    expect(sent).toContain('09120000002: Hello سلام\nدوست');
    expect(sent.filter((message) => /^09125550000: Hello (Ali|end)$/.test(message))).toHaveLength(1);
    expect(sandbox.messages.every(({ receptor }) => /^\d+$/.test(receptor ?? ''))).toBe(true);
  });
});

test('a locked list is the same list after an editor has written other line ends', async () => {
  const { input, bulk, sandbox } = await prepare(['receptor,name', `911,${TWO_LINES}`, '912,b', '913,c']);
  await bulk('run', input, ...given);
  writeFileSync(input, readFileSync(input, 'utf8').replaceAll(/\r?\n/g, '\r\n'));
  expect(await bulk('run', input)).toMatchObject({ code: 0 });
  expect(sandbox.messages).toHaveLength(3);
});

test.each([
  ['rows that end with CRLF below a header that ends with LF', 'receptor,name\n911,a\r\n912,b\r\n'],
  ['rows that end with LF below a header that ends with CRLF', 'receptor,name\r\n911,a\n912,b\n'],
  ['rows that end with CR', 'receptor,name\r911,a\r912,b'],
  ['the end mark of DOS', 'receptor,name\r\n911,a\r\n912,b\r\n\x1a'],
])('%s are read as rows', async (_what, text) => {
  const { input, bulk, sandbox } = await prepare();
  writeFileSync(input, text);
  expect(await bulk('run', input, ...given)).toMatchObject({ code: 0 });
  expect(sandbox.messages.map(({ receptor, message }) => `${receptor} ${message}`)).toEqual([
    '911 Hello a',
    '912 Hello b',
  ]);
});

test.each([
  [
    'rows that a stray quote merges',
    'receptor,name\n09110000001,"Ali\n09110000002,Sara\n09110000003,x"\n09110000004,y\n',
    'row 1: name has a line that looks like a row of its own: "09110000002,Sara"; a quote is missing or too many',
  ],
  [
    'merged rows whose receptor has blanks',
    'receptor,name\n09110000001,"Ali\n+98 911 000 0002,Sara"\n',
    'row 1: name has a line that looks like a row of its own: "+98 911 000 0002,Sara"; a quote is missing or too many',
  ],
  ['a receptor of two lines', 'receptor,name\n"0911\n0912",a\n', 'row 1: receptor: it has a line end'],
  ['a tab in a receptor', 'receptor,name\n0911\t,a\n', 'row 1: receptor: it has the control character U+0009'],
  ['U+0085 in a text', 'receptor,name\n0911,a\u0085\n', 'row 1: message: it has the control character U+0085'],
  [
    'a wrong value below a text of several lines',
    `receptor,name\n0911,${TWO_LINES}\n,b\n`,
    'row 2 (line 4): receptor: it is empty',
  ],
  [
    'a quote that never ends',
    'receptor,name\n911,a\n912,"b\n913,c\n',
    'row 2: a quote is out of place; a quote inside a value is doubled: "a ""b"" c"; no later row was read',
  ],
])('%s is refused before anything is sent', async (_what, text, problem) => {
  const { input, bulk, sandbox } = await prepare();
  writeFileSync(input, text);
  for (const flags of [[], ['--dry-run']]) {
    const { code, stderr } = await bulk('run', input, ...given, ...flags);
    expect([code, stderr.split('\n')]).toEqual([2, expect.arrayContaining([problem])]);
  }
  expect(sandbox.messages).toEqual([]);
});

test('--as-is sends a text with a line that looks like a row, and texts of several lines are counted', async () => {
  const { input, bulk, sandbox } = await prepare();
  writeFileSync(input, 'receptor,name\n911,"Call\n09110000002,now"\n912,b\n');
  const { code, stderr } = await bulk('run', input, ...given, '--as-is');
  expect(code).toBe(0);
  expect(stderr).toContain('1 row has a text of several lines (first: row 1)\n');
  expect(sandbox.messages[0]?.message).toBe('Hello Call\n09110000002,now');
});

test.each([
  ['utf-16le', (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le')],
  ['utf-16be', (text: string) => Buffer.from(text, 'utf16le').swap16()],
])('a list in %s is refused with the command that makes a clean list of it', async (encoding, bytesOf) => {
  const { input, bulk, sandbox, folder } = await prepare();
  writeFileSync(input, bytesOf('receptor,name\r\n09120000001,علی\r\n'));
  const { code, stderr } = await bulk('run', input, ...given);
  expect([code, stderr]).toEqual([2, expect.stringContaining(`${input} is in UTF-16: a list is in UTF-8\n`)]);
  const [, to = ''] = new RegExp(`bulk prepare ${input} --to (\\S+) --encoding ${encoding}`).exec(stderr) ?? [];
  // Its columns are not known before it is read in this encoding.
  expect(stderr).toContain('if the column of the numbers is not named receptor, add --receptor-column with its name\n');
  expect(await bulk('prepare', input, '--to', to, '--encoding', encoding)).toMatchObject({ code: 0 });
  expect(await bulk('run', to, ...given)).toMatchObject({ code: 0 });
  expect(sandbox.messages[0]?.message).toBe('Hello علی');
  expect(folder).not.toBe('');
});

test.each([
  ['the option of this call, with blanks inside the braces', ['--receptor', '{{ Mobile }}'], []],
  ['the fields of a list that was begun', ['--receptor', '{{Mobile}}', '--yes'], ['0912,a,b']],
])('a wrong number is refused with a `bulk prepare` that names its column, from %s', async (_, options, begun) => {
  const { input, bulk, sandbox } = await prepare(['Mobile,name,note', ...begun]);
  if (begun.length > 0) {
    arm(sandbox, 1, () => ({ status: 412, statusmessage: 'no' }) as never);
    expect(await bulk('run', input, ...given, ...options)).toMatchObject({ code: 5 });
  }
  writeFileSync(input, 'Mobile,name,note\n0912 000 0001,a,b\nmany,c,d\n');
  const { code, stderr } = await bulk('run', input, ...(begun.length > 0 ? [] : [...given, ...options]));
  expect(code).toBe(2);
  const [command = []] = commandsIn(stderr);
  expect(command).toEqual(expect.arrayContaining(['prepare', input, '--receptor-column', 'Mobile']));
  expect((await bulk(...command.slice(1))).stderr).not.toContain('has no column');
});

test('a receptor that has lost its zero is said before anything is sent', async () => {
  const lines = Array.from({ length: 20 }, (_, row) => `0912000${1000 + row},name ${row}`);
  const { input, bulk, sandbox, folder } = await prepare(['receptor,name', ...lines]);
  expect(await bulk('run', input, ...given)).toMatchObject({ code: 0 });
  const copy = join(folder, 'copy.csv');
  writeFileSync(copy, ['receptor,name', ...lines.slice(1), `9120001000,name 0`, '09350000001,x', ''].join('\n'));
  for (const flags of [['--dry-run'], []]) {
    const { stderr } = await bulk('run', copy, ...given, ...flags);
    expect(stderr).toContain(
      '1 receptor has another number of digits than most others: row 20: "9120001000"; a spreadsheet program may have taken a zero\n',
    );
    expect(stderr).toContain('1 receptor has lost the zero at the beginning, which an earlier list has: row 20\n');
    expect(stderr).toContain('20 of 21 rows were sent already (list.csv');
  }
  expect(sandbox.messages).toHaveLength(20);
});

test('a list with bytes that are not UTF-8 is refused, and --as-is sends it', async () => {
  const { input, bulk, sandbox } = await prepare();
  writeFileSync(input, Buffer.from('receptor,name\n911,caf\xe9\n', 'latin1'));
  const { code, stderr } = await bulk('run', input, ...given);
  const problem = 'row 1: message: it has U+FFFD, which replaces bytes that are not UTF-8\n';
  expect([code, stderr]).toEqual([2, expect.stringContaining(problem)]);
  expect(await bulk('run', input, ...given, '--as-is')).toMatchObject({ code: 0 });
  expect(sandbox.messages[0]?.message).toBe('Hello caf\ufffd');
});
