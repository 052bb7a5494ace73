import fc from 'fast-check';
import { records } from '../../generated/operations';
import { formatJson } from '../../src/cli/output/json';
import { Table, type TableOptions } from '../../src/cli/output/table';
import { StatusLine } from '../../src/cli/terminal/status-line';
import { displayWidth, visible, visibleExactly, wrap } from '../../src/cli/terminal/text';
import { formatCsvRow } from '../../src/internal/csv';
import type { Element } from '../../src/soap/element';
import { loopSize, testInFull } from '../support/loops';
import { Capture } from './support';

const received = {
  messageid: 9007199254740993n,
  message: 'hello',
  sender: '09120000001',
  receptor: '3000',
  date: 1760000000n,
};
/** Clears the screen, sets the title, as one byte C1 codes, rings, and reorders what follows. */
const HOSTILE = 'a\x1b[2J\x1b]0;pwned\x07b\x9b31mc\u202egpj.exe\r\nd\u0085e\u2028f\0';

const formatTable = (
  elements: readonly Element[],
  rows: readonly Record<string, unknown>[],
  options?: TableOptions,
): string => new Table(elements, rows, options).format(rows);

/** What a terminal would obey, apart from the line ends of the table itself. */
const ACTIVE = /[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]/;

test('in visible text, controls, line separators and reordering characters become escapes', () => {
  expect(visible(HOSTILE)).toBe('a\\x1b[2J\\x1b]0;pwned\\x07b\\x9b31mc\\u202egpj.exe\\r\\nd\\x85e\\u2028f\\x00');
});

test('in visible text, Persian with ZWNJ, direction marks and emoji stay unchanged', () => {
  const text = 'می‌روم\u200f؟ 😀👨‍👩‍👧';
  expect(visible(text)).toBe(text);
});

test('in exact visible text, a backslash that was written differs from an escaped character', () => {
  expect(visibleExactly('a\\nb')).toBe('a\\\\nb');
  expect(visibleExactly('a\nb')).toBe('a\\nb');
});

test.each([
  ['', 0],
  ['hello', 5],
  ['سلام', 4],
  ['می‌روم', 5],
  ['مُحَمَّد', 4],
  ['你好', 4],
  ['한국', 4],
  ['ｱ', 1],
  ['😀', 2],
  ['👨‍👩‍👧', 2],
  ['🇮🇷', 2],
  ['❤️', 2],
  ['e\u0301', 1],
  ['a😀\u0301b', 4],
  ['𝒳', 1],
])('the text %j takes %d columns of a terminal', (text, width) => {
  expect(displayWidth(text)).toBe(width);
});

test('wrapped text breaks after blanks, and inside a word that is wider than the line', () => {
  expect(wrap('the quick brown fox', 10)).toEqual(['the quick', 'brown fox']);
  expect(wrap('abcdefghijklmnop qr', 6)).toEqual(['abcdef', 'ghijkl', 'mnop', 'qr']);
  expect(wrap('你好你好你好', 5)).toEqual(['你好', '你好', '你好']);
  expect(wrap('', 5)).toEqual(['']);
});

test('a table aligns numbers to the right and texts to the left', () => {
  const rows = [received, { ...received, messageid: 7n, message: 'a longer text', sender: undefined }];
  expect(formatTable(records.ApiReceive, rows)).toBe(
    [
      '       messageid  message        sender       receptor        date',
      '9007199254740993  hello          09120000001  3000      1760000000',
      '               7  a longer text               3000      1760000000',
      '',
    ].join('\n'),
  );
});

test('in a table, a hostile text takes one line, and nothing in it reaches the terminal as a command', () => {
  const table = formatTable(records.ApiReceive, [{ ...received, message: HOSTILE, sender: HOSTILE }]);
  expect(table.split('\n')).toHaveLength(3);
  expect(table).not.toMatch(ACTIVE);
});

test('the columns of a table stay aligned around Persian, wide characters and emoji', () => {
  const texts = ['hello', 'سلام، خوبی؟', '你好', '👨‍👩‍👧 خانواده', 'می‌روم'];
  const lines = formatTable(
    records.ApiReceive,
    texts.map((message) => ({ ...received, message })),
  ).split('\n');
  const ends = lines.slice(1, -1).map((line) => displayWidth(line));
  expect(new Set(ends).size).toBe(1);
});

test('in a table, right-to-left text ends with a mark that keeps the next column on its side', () => {
  expect(formatTable(records.ApiReceive, [{ ...received, message: 'سلام' }])).toContain('سلام\u200e ');
});

test('a table that is too wide wraps its longest text', () => {
  const message = 'one two three four five six seven eight nine ten';
  const table = formatTable(records.ApiReceive, [{ ...received, message }], { width: 72 });
  const lines = table.split('\n').slice(0, -1);
  expect(lines.length).toBeGreaterThan(2);
  for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(72);
  expect(table.replace(/\s+/g, ' ')).toContain('nine ten');
  expect(lines[1]).toContain('09120000001');
});

const sent = {
  messageid: 9007199254740993n,
  message: 'سلام، این یک پیام آزمایشی است',
  status: 1,
  statustext: 'queued',
  sender: '30001234',
  receptor: '09120000001',
  date: 1795291880n,
  cost: 120,
};

test('at 80 columns, each sent message is a block, because no text can be narrow enough', () => {
  const table = formatTable(records.ApiSelect, [sent, { ...sent, message: undefined }], { width: 80 });
  const firsts = table.split('\n\n').map((block) => block.split('\n')[0]);
  expect(firsts).toEqual(Array(2).fill(`messageid   ${sent.messageid}`));
  expect(table).toContain('\nmessage     سلام، این یک پیام آزمایشی است\n');
});

test('at 84 columns, the table of sent messages has a short message in its column', () => {
  const table = formatTable(records.ApiSelect, [{ ...sent, message: 'hi', sender: '3000' }], { width: 84 });
  expect(table.split('\n')).toHaveLength(3);
});

test('a table shows dates in ISO 8601 when their unit is known', () => {
  const table = formatTable(records.ApiSelect, [sent], { width: 120, dates: 'seconds' });
  expect(table.split('\n')[1]).toContain(' 2026-11-21T20:11:20Z ');
  for (const line of table.split('\n')) expect(displayWidth(line)).toBeLessThanOrEqual(120);
});

test('a table shows a number that is outside the range of dates as a number', () => {
  const table = formatTable(records.ApiSelect, [{ ...sent, date: 2n ** 63n - 1n }], { dates: 'milliseconds' });
  expect(table).toContain(' 9223372036854775807 ');
});

test('on a terminal that is too narrow for a table, each record is a block', () => {
  expect(formatTable(records.ApiReceive, [received, { ...received, message: 'سلام\n' }], { width: 40 })).toBe(
    [
      'messageid  9007199254740993',
      'message    hello',
      'sender     09120000001',
      'receptor   3000',
      'date       1760000000',
      '',
      'messageid  9007199254740993',
      'message    سلام\\n',
      'sender     09120000001',
      'receptor   3000',
      'date       1760000000',
      '',
    ].join('\n'),
  );
});

test('in a block, a long text is wrapped beside its name', () => {
  const table = formatTable(records.ApiReceive, [{ ...received, message: 'one two three four five six' }], {
    width: 30,
  });
  expect(table).toContain('\nmessage    one two three four\n           five six\nsender     ');
});

test('a table of any texts at any width has lines that fit and nothing that a terminal would obey', () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 60 }),
    fc.string({ unit: 'grapheme', maxLength: 60 }),
    fc.string({
      unit: fc.constantFrom('س', '\u200c', ' ', 'a', '你', '👨‍👩‍👧', '\u0301', 'क्षि', '\x1b', '\n'),
      maxLength: 60,
    }),
  );
  fc.assert(
    fc.property(text, text, fc.integer({ min: 30, max: 160 }), (message, sender, width) => {
      const table = formatTable(records.ApiReceive, [received, { ...received, message, sender }], { width });
      expect(table).not.toMatch(ACTIVE);
      for (const line of table.split('\n')) expect(displayWidth(line)).toBeLessThanOrEqual(width);
    }),
    { numRuns: loopSize(5000) },
  );
});

testInFull('a table of 150,000 records that fits has a line for each record', () => {
  const rows = Array.from({ length: 150_000 }, (_, index) => ({
    ...received,
    messageid: BigInt(index),
    message: 'hello',
  }));
  expect(formatTable(records.ApiReceive, rows, { width: 100 }).split('\n')).toHaveLength(150_002);
});

test('in JSON, a long is a string and a terminal command is an escape, with the same value', () => {
  const record = { ...received, message: HOSTILE };
  const text = formatJson(record);
  expect(text).not.toMatch(ACTIVE);
  expect(JSON.parse(text)).toEqual({ ...record, messageid: '9007199254740993', date: '1760000000' });
});

test('in JSON, an absent text is absent', () => {
  expect(formatJson({ message: undefined, sender: '' })).toBe('{"sender":""}');
});

test('a line of progress replaces the line before it, twice a second, and leaves nothing behind', () => {
  jest.useFakeTimers();
  const terminal = new Capture(20);
  const texts = ['1,000 records', '3 records', 'a text that is wider than the terminal'];
  const progress = new StatusLine(terminal, () => undefined);
  progress.start(() => texts.shift() as string);
  progress.start(() => 'another text');
  jest.advanceTimersByTime(1000);
  progress.end();
  progress.end();
  jest.advanceTimersByTime(1000);
  jest.useRealTimers();
  expect(terminal.text).toBe(`\r1,000 records\r3 records    \ra text that is wide\r${' '.repeat(19)}\r`);
});

const row = (record: Readonly<Record<string, unknown>>): string =>
  formatCsvRow(
    records.ApiReceive.map(({ name }) => record[name]),
    '\r\n',
  );

test('in CSV, texts with quotation marks, commas, line ends or blanks at the edges are quoted, and other texts are exact', () => {
  expect(row({ ...received, message: 'a "b", c' })).toBe(
    '9007199254740993,"a ""b"", c",09120000001,3000,1760000000\r\n',
  );
  expect(row({ ...received, message: 'a\nb\rc' })).toContain(',"a\nb\rc",');
  expect(row({ ...received, message: ' a' })).toContain('," a",');
  expect(row({ ...received, message: 'سلام\x1b' })).toContain(',سلام\x1b,');
});

test('in CSV, an absent text is empty and an empty text is a pair of quotation marks', () => {
  expect(row({ ...received, message: undefined, sender: '' })).toBe('9007199254740993,,"",3000,1760000000\r\n');
});
