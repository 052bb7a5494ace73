import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { type OperationName, operations } from '../../generated/operations';
import { CliCommand } from '../../src/cli/commander/command';
import { OperationFields } from '../../src/cli/fields/fields';
import { kebabCase, optionNames, ownOptions } from '../../src/cli/fields/option-names';
import { addGlobalOptions } from '../../src/cli/settings/global-options';
import type { Element, Operation } from '../../src/soap/element';
import { makeFolder } from '../support/folder';
import { testInFull } from '../support/loops';

const names = Object.keys(operations) as OperationName[];

/** What a command line with these fields asks for. */
async function read(fields: OperationFields, args: readonly string[], stdin = ''): Promise<unknown> {
  const command = new CliCommand('test').exitOverride().configureOutput({ outputError: () => undefined });
  fields.addTo(command);
  addGlobalOptions(command);
  let result: unknown;
  command.action(async () => {
    const sources = {
      io: { stdin: Readable.from([Buffer.from(stdin)]) },
      dates: 'seconds' as const,
      signal: undefined,
    };
    result = await fields.read(command.opts(), command.args, sources);
  });
  await command.parseAsync(args, { from: 'user' });
  return result;
}

function request(operation: OperationName, ...args: string[]): Promise<unknown> {
  return read(OperationFields.of(operation), args);
}

const field = (name: string): Element => ({ name, kind: 'text', optional: true });

describe.each(names)('%s', (operation) => {
  test('each field of the operation table has an option or is the argument, and reaches the request', async () => {
    const fields = OperationFields.of(operation);
    const sample = (element: Element): string[] => {
      if (element.kind === 'list') return [...sample(element.item), ...sample(element.item)];
      return [element.kind === 'text' ? 'text' : '7'];
    };
    const args = fields.argument
      ? ['7', '8']
      : fields.fields.flatMap((element) => [`--${kebabCase(element.name)}`, ...sample(element)]);
    const filled = (operations[operation] as Operation).request
      .map(({ name }) => name)
      .filter((name) => !/^(apikey|status|statusmessage)$/.test(name));
    expect(Object.keys((await read(fields, args)) as object)).toEqual(filled);
  });
});

test('ids are arguments when a list is the only field', () => {
  expect(names.filter((operation) => OperationFields.of(operation).argument)).toEqual([
    'SelectByApikey',
    'GetStatusByApikey',
    'CancelByApikey',
  ]);
});

test('a long is exact to its ends, an int and a short are numbers', async () => {
  expect(await request('SelectByApikey', '9223372036854775807', '-9223372036854775808', '+007')).toEqual({
    messageid: [9223372036854775807n, -9223372036854775808n, 7n],
  });
  expect(await request('ReceiveByApikey', '--isread', '-32768')).toEqual({ isread: -32768 });
  expect(await request('SelectlatestByApikey', '--pagesize=2147483647')).toEqual({ pagesize: 2147483647 });
});

test('negative numbers are values, also several in a list', async () => {
  expect(await request('SendArrayByApikey', '--msgmode', '-1', '-2', '3', '--unixdate', '-5', '--msgmode=-4')).toEqual({
    msgmode: [-1, -2, 3, -4],
    unixdate: -5n,
  });
});

test.each([
  ['SendSimpleByApikey', ['--unixdate', '12x'], '--unixdate: "12x" is not a date'],
  ['SendSimpleByApikey', ['--unixdate', ''], '--unixdate: "" is not a date'],
  ['SendSimpleByApikey', ['--unixdate', '-1.5'], '--unixdate: "-1.5" is not a date'],
  ['SendSimpleByApikey', ['--unixdate', '2026-02-29'], '--unixdate: "2026-02-29" is not a date in whole seconds'],
  ['SendSimpleByApikey', ['--unixdate', '2026-02-28T10:00'], 'with Z or an offset'],
  ['SendSimpleByApikey', ['--unixdate', '2026-02-30 10:00'], '"2026-02-30 10:00" is not a date in whole seconds'],
  ['SendSimpleByApikey', ['--unixdate', '2026-02-28 24:01'], '"2026-02-28 24:01" is not a date in whole seconds'],
  ['SendSimpleByApikey', ['--unixdate', '2026-02-28T10:00:00.5Z'], 'is not a date in whole seconds'],
  ['ReceiveByApikey', ['--isread', '40000'], '--isread: "40000" is not within xsd:short (-32768 to 32767)'],
  ['SelectlatestByApikey', ['--pagesize', '2147483648'], '--pagesize: "2147483648" is not within xsd:int'],
  ['SelectlatestByApikey', ['--pagesize', '2026-01-01'], '--pagesize: "2026-01-01" is not a whole number'],
  ['GetStatusByApikey', ['1', '9223372036854775808'], 'messageid: "9223372036854775808" is not within xsd:long'],
  ['GetStatusByApikey', ['1', '--messageid-file', 'x'], 'messageid: give arguments or --messageid-file, not both'],
  ['SendAdvance', ['--receptor', '1', '--receptor', '2'], '--receptor: takes one value, 2 are given'],
  ['SendAdvance', ['--message-file', 'a', '--message-file', 'b'], '--message-file: takes one value, 2 are given'],
  ['SendAdvance', ['--message', 'a', '--message-file', 'b'], '--message: give its value or --message-file, not both'],
  ['SendAdvance', ['--omit', 'sender', '--sender', '1'], '--sender: give its value or --omit, not both'],
  [
    'SendAdvance',
    ['--sender-file', '-', '--message-file', '-'],
    '--sender-file and --message-file: only one can read stdin',
  ],
  ['SendAdvance', ['--message-file', '/nonexistent'], '--message-file: ENOENT'],
] as const)('%s refuses %j in one line', async (operation, args, message) => {
  await expect(request(operation, ...args)).rejects.toThrow(message);
});

test.each([
  ['1970-01-01', 0n],
  ['2026-11-21', 1795219200n],
  ['2026-11-21 09:05', BigInt(new Date(2026, 10, 21, 9, 5).getTime() / 1000)],
  ['2026-11-21 09:05:07', BigInt(new Date(2026, 10, 21, 9, 5, 7).getTime() / 1000)],
  ['2026-11-21T19:40:00Z', 1795290000n],
  ['2026-11-21T19:40+03:30', 1795277400n],
  ['2027-01-01T00:30:00-01:00', 1798767000n],
  ['1795219200', 1795219200n],
])('with the unit of dates set, %s is a date', async (text, expected) => {
  expect(await request('SendSimpleByApikey', '--unixdate', text)).toEqual({ unixdate: expected });
});

describe('a year before 1970 or after 2100 is refused where a date is written as a date', () => {
  const dates = ['1404-10-11', '1404-10-11 09:00', '1404-10-11T09:00:00Z', '0026-01-31', '1969-12-31', '2206-01-31'];
  const options = [
    ['SendSimpleByApikey', '--unixdate'],
    ['SendArrayByApikey', '--unixdate'],
    ['SendAdvance', '--unixdate'],
    ['SelectoutboxByApikey', '--start-unixdate'],
    ['SelectoutboxByApikey', '--end-unixdate'],
  ] as const;
  test.each(dates)('%s', async (date) => {
    for (const [operation, option] of options)
      await expect(request(operation, option, date)).rejects.toThrow(
        date.startsWith('2')
          ? `${option}: "${date}" is after 2100: write an earlier date, or a whole number`
          : `${option}: "${date}" is before 1970: write the Gregorian date, or a whole number`,
      );
  });

  test('the first and the last year, and any number, are dates', async () => {
    for (const [date, expected] of [
      ['2100-12-31', 4133894400n],
      ['-17836761600', -17836761600n],
    ] as const)
      expect(await request('SendSimpleByApikey', '--unixdate', date)).toEqual({ unixdate: expected });
  });
});

test('a text field gets exactly the text that was given', async () => {
  for (const text of ['', ' ', '-', '--hi', '-5', 'a=b', '--message', '--output', '@file', 'سلام\n', '\\n']) {
    expect(await request('SendAdvance', `--message=${text}`)).toEqual({ message: text });
    // The name of an option is taken for a forgotten value.
    if (!['--message', '--output'].includes(text))
      expect(await request('SendAdvance', '--message', text)).toEqual({ message: text });
  }
});

test('a list option may be repeated and takes several values', async () => {
  const receptor = ['1', '2', '3', '4'];
  expect(await request('SendSimpleByApikey', '--receptor', '1', '2', '--receptor', '3', '--receptor=4')).toEqual({
    receptor,
  });
});

test('--omit leaves an element out', async () => {
  expect(await request('SendArrayByApikey', '--omit', 'sender', 'message')).toEqual({ sender: null, message: null });
  await expect(request('SendAdvance', '--omit', 'encoding')).rejects.toThrow(/choices are sender, message, receptor/);
});

describe('a field from a file', () => {
  let folder: string;
  beforeAll(() => {
    folder = makeFolder();
  });

  const file = (content: string | Buffer): string => {
    const path = join(folder, 'file');
    writeFileSync(path, content);
    return path;
  };

  test.each([
    ['سلام', 'سلام'],
    ['two\nlines\n', 'two\nlines'],
    ['an empty line at the end\n\n', 'an empty line at the end\n'],
    ['from Windows\r\n', 'from Windows'],
    ['\ufeffwith a byte order mark', 'with a byte order mark'],
    ['', ''],
  ])('a file with %j gives the text %j', async (content, message) => {
    expect(await request('SendAdvance', '--message-file', file(content))).toEqual({ message });
  });

  test.each(['1\n2\n3\n', '1\r\n2\r\n3', '1\n2\n3'])(
    'a file with %j gives a list with a value for each line',
    async (content) => {
      expect(await request('SendSimpleByApikey', '--receptor-file', file(content))).toEqual({
        receptor: ['1', '2', '3'],
      });
      expect(await request('GetStatusByApikey', '--messageid-file', file(content))).toEqual({
        messageid: [1n, 2n, 3n],
      });
    },
  );

  test('a file in UTF-16 with a byte order mark is read, as Windows PowerShell writes it', async () => {
    const utf16 = (text: string) => file(Buffer.from(`\ufeff${text}\r\n`, 'utf16le'));
    expect(await request('SendAdvance', '--message-file', utf16('سلام'))).toEqual({ message: 'سلام' });
    const ids = { messageid: [9007199254740993n] };
    expect(await request('GetStatusByApikey', '--messageid-file', utf16('9007199254740993'))).toEqual(ids);
  });

  test('the path - reads a field from stdin', async () => {
    const fields = OperationFields.of('SendAdvance');
    expect(await read(fields, ['--message-file', '-'], 'hi\n')).toEqual({ message: 'hi' });
  });

  test.each<[string, string | Buffer, string]>([
    ['an empty line', '1\n\n2\n', '--receptor-file: line 2 is empty'],
    ['nothing', '', '--receptor-file: line 1 is empty'],
    ['bytes that are not UTF-8', Buffer.from([0x31, 0xff]), 'is not UTF-8'],
    ['half a character of UTF-16', Buffer.from([0xff, 0xfe, 0x31]), 'is not UTF-16'],
  ])('a list file with %s is refused', async (_, content, message) => {
    await expect(request('SendSimpleByApikey', '--receptor-file', file(content))).rejects.toThrow(message);
  });

  test('the error about a wrong value in a list file names its line', async () => {
    const args = ['--messageid-file', file('1\nx\n')];
    await expect(request('SelectByApikey', ...args)).rejects.toThrow(
      '--messageid-file: line 2: "x" is not a whole number',
    );
  });

  testInFull('300,000 receptors are read from a file', async () => {
    const receptor = Array.from({ length: 300_000 }, (_, index) => `09${String(index).padStart(9, '0')}`);
    const read = await request('SendSimpleByApikey', '--receptor-file', file(receptor.join('\n')));
    // Jest takes seconds for a list of this length.
    expect(JSON.stringify(read) === JSON.stringify({ receptor })).toBe(true);
  });
});

describe('any legal element name becomes an option', () => {
  const rows = [
    ['startUnixdate', 'start-unixdate'],
    ['LineNumber', 'line-number'],
    ['FallbackUrl', 'fallback-url'],
    ['clientMessageID', 'client-message-id'],
    ['messageIDs', 'message-ids'],
    ['ID', 'id'],
    ['URL', 'url'],
    ['URLField', 'url-field'],
    ['address2Line', 'address2-line'],
    ['local-id', 'local-id'],
    ['local_name', 'local-name'],
    ['local.part', 'local-part'],
    ['_private', 'private'],
    ['noReply', 'no-reply'],
    ['نام', 'نام'],
    ['Größe', 'größe'],
    ['_', 'field-_'],
    ['output', 'field-output'],
    ['Help', 'field-help'],
    ['apiKey', 'field-api-key'],
    ['follow', 'field-follow'],
    ['constructor', 'constructor'],
  ] as const;

  test.each(rows)('the element %s has the option --%s', async (name, option) => {
    expect(optionNames([name]).get(name)).toBe(option);
    const fields = new OperationFields([], [field(name), field('other')]);
    expect(await read(fields, [`--${option}`, 'value', '--other', 'x', '--output', 'csv'])).toEqual({
      [name]: 'value',
      other: 'x',
    });
    expect(await read(fields, ['--omit', option])).toEqual({ [name]: null });
    expect(await read(fields, [`--${option}-file`, '-'], 'from stdin')).toEqual({ [name]: 'from stdin' });
  });

  test('an operation may have all of these element names at once', async () => {
    const all = rows.map(([name]) => field(name));
    const fields = new OperationFields([], all);
    const args = rows.flatMap(([name, option]) => [`--${option}`, name]);
    expect(await read(fields, args)).toEqual(Object.fromEntries(rows.map(([name]) => [name, name])));
  });

  test("a field whose option is that of another field's file gets a prefix", () => {
    expect([...optionNames(['message', 'messageFile'])]).toEqual([
      ['message', 'message'],
      ['messageFile', 'field-message-file'],
    ]);
  });

  test.each([
    [['localId', 'local-id']],
    [['ID', 'id']],
    [['output', 'fieldOutput']],
    [['output', 'fieldOutputFile']],
    [['a_b', 'a.b']],
  ])('the elements %j are refused, because two fields would have the same option', (fields) => {
    expect(() => optionNames(fields)).toThrow(/^the fields .* have the same option --/);
  });

  test('the options of the program are known, so that no field can take one', () => {
    const command = new CliCommand('test');
    addGlobalOptions(command);
    for (const { long } of command.options) expect(ownOptions).toContain(long?.slice(2));
  });
});

describe('types that the contract may get', () => {
  const fields = new OperationFields(
    [],
    [
      { name: 'urgent', kind: 'boolean', optional: true },
      { name: 'level', kind: 'enumeration', values: ['Low', 'High'], optional: true },
      { name: 'limit', kind: 'integer', type: 'int', nillable: true },
    ],
  );

  test('a boolean, an enumeration and a number that may be nil are read', async () => {
    expect(await read(fields, ['--urgent', 'true', '--level', 'High', '--limit', '5'])).toEqual({
      urgent: true,
      level: 'High',
      limit: 5,
    });
    expect(await read(fields, ['--urgent', 'false', '--omit', 'limit'])).toEqual({ urgent: false, limit: null });
  });

  test.each([
    [['--urgent', 'yes'], '--urgent: "yes" is neither true nor false'],
    [['--level', 'Middle'], '--level: "Middle" is not one of Low, High'],
  ])('an option refuses the value in %j', async (args, message) => {
    await expect(read(fields, args)).rejects.toThrow(message);
  });

  test('the help of a field is its documentation, or its type where the contract says nothing of it', () => {
    const documented = OperationFields.of('SendAdvance');
    const command = new CliCommand('test');
    documented.addTo(command);
    expect(command.helpInformation().replace(/\s+/g, ' ')).toContain(
      '--unixdate <long> a date --messagemode <int> a whole number',
    );
    expect(command.helpInformation().replace(/\s+/g, ' ')).toContain(
      'The contract does not define: --encoding (the values), --unixdate (the unit, the time zone or the effect), ',
    );
  });
});
