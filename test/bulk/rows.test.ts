import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type BulkOptions, InputError, openBulk } from '../../src/bulk';
import { cleanUp } from '../support/clean-up';
import { makeFolder } from '../support/folder';
import { loopSize } from '../support/loops';
import { fields, onePass, startService } from './support';

const noName = { ...fields, message: 'Hello' };
const full = 'sender,message,receptor,unixdate,msgmode\n';

/** Opens a file of this text, and gives what is wrong with it. */
async function problemsOf(csv: string | Buffer, options: Partial<BulkOptions> = {}): Promise<readonly string[]> {
  const { sandbox, client } = await startService();
  const input = join(makeFolder(), 'list.csv');
  writeFileSync(input, csv);
  const error = await openBulk({ client, input, ...options }).then(
    (bulk) => cleanUp(() => bulk.close()),
    (reason: unknown) => reason,
  );
  expect(sandbox.requests).toHaveLength(0);
  if (!(error instanceof InputError)) throw error ?? new Error('nothing is wrong');
  expect(error.problems).toHaveLength(error.count);
  return error.problems.map(({ row, message }) => (row === undefined ? message : `${row}: ${message}`));
}

describe('what is wrong with a file is told with its row before anything is sent', () => {
  test.each<[string, string, Partial<BulkOptions>, readonly (string | RegExp)[]]>([
    ['an empty file', '', {}, ['the file has no header']],
    [
      'a ragged row',
      `${full}3000,hi,911,0,1\n3000,hi,912,0\n3000,hi,913,0,1,1\n`,
      {},
      ['2: 4 values for 5 columns', '3: 6 values for 5 columns'],
    ],
    [
      'a column that is there twice',
      'receptor,receptor\n911,912\n',
      { fields },
      [/^columns 1 and 2 have the same name, receptor/, /\{\{name}}/],
    ],
    ['a column without a name', 'receptor,name,\n911,a,2\n', { fields }, [/^column 3 has no name/]],
    [
      'a field that is missing',
      'receptor,name\n911,a\n',
      { fields: { ...fields, sender: undefined } },
      [/^sender is missing/],
    ],
    ['a field that is given twice', 'receptor,name,sender\n911,a,2\n', { fields }, [/^sender is given both/]],
    [
      'a field that there is not',
      'receptor,name\n911,a\n',
      { fields: { ...fields, encoding: 1 } },
      ['encoding is not a field (sender, message, receptor, unixdate, msgmode)'],
    ],
    [
      'a template without its column',
      'receptor\n911\n',
      { fields },
      ['{{name}}: there is no column name (columns: receptor)'],
    ],
    [
      'a template of a default without its column',
      'receptor\n911\n',
      { fields: { ...fields, message: undefined }, defaults: { message: 'Hello {{name}}' } },
      ['{{name}}: there is no column name (columns: receptor)'],
    ],
    [
      'a number that is none',
      `${full}3000,hi,911,soon,1\n3000,hi,912,0,\n`,
      {},
      [/^1: unixdate: "soon" is not/, /^2: msgmode: "" is not/],
    ],
    ['a number out of range', `${full}3000,hi,911,0,2147483648\n`, {}, [/^1: msgmode: "2147483648" is not/]],
    [
      'a character that XML cannot carry',
      `${full}3000,h\x01i,911,0,1\n`,
      {},
      ['1: message: it has the control character U+0001'],
    ],
    [
      'the same in a filled template',
      'receptor,name\n911,a\n912,\x02\n',
      { fields },
      ['2: message: it has the control character U+0002'],
    ],
    [
      'an open quote, and what came before it',
      'receptor,name\n911,\x03\n912,"open\n913,c\n',
      { fields },
      [/^1: message: it has the control/, /^2: a quote is out of place; .*; no later row was read$/],
    ],
    ['too many values for one column', 'receptor\n911,2\n', { fields: noName }, ['1: 2 values for 1 column']],
    [
      'an empty or blank receptor',
      'receptor,name\n,Ali\n911,Sara\n  ,Mina\n',
      { fields },
      ['1: receptor: it is empty', '3: receptor: it is empty'],
    ],
    [
      'a receptor that is empty for all rows',
      'name\na\n',
      { fields: { ...fields, receptor: '' } },
      ['receptor: it is empty'],
    ],
    [
      'semicolons between values',
      'receptor;name\n1;a\n',
      { fields: noName },
      ['the values are not separated by commas', /^receptor is missing/],
    ],
    ['a quote inside a value', 'receptor,name\n911,a"b"\n', { fields }, [/^1: a quote is out of place; /]],
  ])('%s', async (_, csv, options, expected) => {
    const problems = await problemsOf(csv, options);
    expect(problems).toEqual(expected.map((one) => (typeof one === 'string' ? one : expect.stringMatching(one))));
  });

  test('a file that is not UTF-8', async () => {
    const csv = Buffer.concat([Buffer.from('receptor,name\n911,a\n912,'), Buffer.from([0xe9]), Buffer.from('\n')]);
    expect(await problemsOf(csv, { fields })).toEqual([expect.stringMatching(/^2: message: it has U\+FFFD/)]);
  });

  test('a file that is not there', async () => {
    const { client } = await startService();
    const opening = openBulk({ client, input: join(makeFolder(), 'none.csv'), fields });
    await expect(opening).rejects.toThrow(/cannot be read: ENOENT/);
  });

  test('more than a thousand problems are counted, and the first thousand kept', async () => {
    const { client } = await startService();
    const input = join(makeFolder(), 'list.csv');
    writeFileSync(input, `receptor,name\n${'1\n'.repeat(1500)}`);
    const error: InputError = await openBulk({ client, input, fields }).then(fail, (reason) => reason);
    expect([error.count, error.problems.length]).toEqual([1500, 1000]);
    expect(error.message).toBe('row 1: 1 value for 2 columns (and 1499 more)');
  });
});

test.each<[string, unknown, readonly (string | RegExp)[]]>([
  ['a row that is no object', [null], ['1: the row is not an object']],
  ['a value of another type', [{ receptor: 912, name: 'a' }], ['1: receptor: a string is needed, not a number']],
  [
    'a long that lost digits',
    [{ receptor: '911', name: 'a', unixdate: 2 ** 60 }],
    [/^1: unixdate: \d+ is not a safe integer/],
  ],
  [
    'a column that is missing in one row',
    [{ receptor: '911', name: 'a' }, { receptor: '912' }],
    ['2: {{name}}: there is no column name (columns: receptor)'],
  ],
  ['rows that can be gone through only once', (function* () {})(), [/^give a path, or rows/]],
])('rows as objects: %s', async (_, input, expected) => {
  const { client } = await startService();
  const { unixdate, ...others } = fields;
  const given = Array.isArray(input) && input[0]?.unixdate ? others : { ...others, unixdate };
  const opening = openBulk({ client, input: input as [], fields: given, journal: join(makeFolder(), 'journal') });
  const error: InputError = await opening.then(fail, (reason) => reason);
  const problems = error.problems.map(({ row, message }) => (row === undefined ? message : `${row}: ${message}`));
  expect(problems).toEqual(expected.map((one) => (typeof one === 'string' ? one : expect.stringMatching(one))));
});

test('every row is sent as it stands in the file, with byte order mark, quotes, line ends and Persian text', async () => {
  const { sandbox, client } = await startService();
  const input = join(makeFolder(), 'list.csv');
  const message = 'سلام, "{{name}}"\r\n<&> {{ name }}{{code}}';
  writeFileSync(input, '\ufeffreceptor,name,code\r\n09120000001,"Ali, ""the\nfirst""",1\r\n\r\n09120000002,سارا,\r\n');
  const bulk = await openBulk({ client, input, fields: { sender: '3000', message, unixdate: 5n, msgmode: 1 } });
  await bulk.run(onePass);
  await bulk.close();
  expect(sandbox.messages.map(({ receptor, message, date }) => ({ receptor, message, date }))).toEqual([
    { receptor: '09120000001', message: 'سلام, "Ali, "the\nfirst""\n<&> Ali, "the\nfirst"1', date: 5n },
    { receptor: '09120000002', message: 'سلام, "سارا"\n<&> سارا', date: 5n },
  ]);
});

test('braces after a backslash are sent as they are, and two backslashes as one', async () => {
  const { sandbox, client } = await startService();
  const input = [{ receptor: '911', name: 'Ali' }];
  const texts = [
    ['Use \\{{name}}, {{name}}', 'Use {{name}}, Ali'],
    ['C:\\\\{{name}} \\{{ x }}', 'C:\\Ali {{ x }}'],
    ['\\{{other}} \\n {{name}} {{', '{{other}} \\n Ali {{'],
  ] as const;
  for (const [message] of texts) {
    const journal = join(makeFolder(), 'journal');
    const bulk = await openBulk({ client, input, fields: { ...fields, message }, journal });
    await bulk.run(onePass);
    await bulk.close();
  }
  expect(sandbox.messages.map(({ message }) => message)).toEqual(texts.map(([, sent]) => sent));
});

test('a text may be left out for all rows, where the contract allows that', async () => {
  const { sandbox, client } = await startService();
  const journal = join(makeFolder(), 'journal');
  const given = { sender: '3000', message: null, unixdate: 0n, msgmode: 1 };
  const bulk = await openBulk({ client, input: [{ receptor: '911' }], fields: given, journal });
  await bulk.run(onePass);
  await bulk.close();
  expect(sandbox.messages[0]).not.toHaveProperty('message');
});

// With a pattern that goes back over what it has read, each of these takes hours.
test('very many blank lines, comments and open braces are read in one go', async () => {
  const blank = await problemsOf(`${full}3000,hi,x,0,1\n${'\n'.repeat(loopSize(1 << 22))}`);
  expect(blank).toHaveLength(1);
  expect(await problemsOf(`${'<!-- a -->'.repeat(1000)}x`)).toHaveLength(5);
  const { client } = await startService();
  const message = `${'{{ '.repeat(loopSize(300_000))}{{name}}`;
  const input = [{ receptor: '911', name: 'Ali' }];
  const bulk = await openBulk({
    client,
    input,
    fields: { ...fields, message },
    journal: join(makeFolder(), 'journal'),
  });
  expect(bulk.status().counts.total).toBe(1);
});

function fail(value: unknown): never {
  throw new Error(`it was fulfilled: ${String(value)}`);
}
