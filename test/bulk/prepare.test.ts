import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PrepareOptions } from '../../src/bulk/prepare/options';
import { prepareList } from '../../src/bulk/prepare/prepare';
import { makeFolder } from '../support/folder';

const exportsFolder = join(__dirname, '../fixtures/exports');
const iran = { country: 'IR', receptorFormat: 'national' } as const;

/** Prepares a list in a new folder, and reads the files that were made. */
async function prepare(options: Omit<PrepareOptions, 'to'>) {
  const folder = makeFolder();
  const summary = await prepareList({ ...options, to: join(folder, 'list.csv') });
  const textOf = (name: string) =>
    existsSync(join(folder, name)) ? linesOf(readFileSync(join(folder, name), 'utf8')) : undefined;
  expect(readdirSync(folder).filter((name) => name.endsWith('.new'))).toEqual([]);
  return { summary, list: textOf('list.csv'), leftOut: textOf('list.left-out.csv'), folder };
}

/** The lines of a CSV file. A value of several lines stays together. */
function linesOf(text: string): string[] {
  return text.match(/(?:[^"\n]|"[^"]*")+/g) ?? [];
}

/** Prepares these lines, or these bytes. */
function prepareLines(lines: readonly string[] | Buffer, options: Partial<PrepareOptions> = {}) {
  const input = join(makeFolder(), 'export.csv');
  writeFileSync(input, lines instanceof Buffer ? lines : `${lines.join('\n')}\n`);
  return prepare({ input, ...options });
}

describe('files as programs write them', () => {
  test('Excel in German: windows-1252, semicolons, a missing zero, a shortened number, cells with line ends, empty rows', async () => {
    const { list, leftOut, summary } = await prepare({
      input: join(exportsFolder, 'excel-german.csv'),
      encoding: 'windows-1252',
      receptorColumn: 'Mobil',
      country: 'DE',
      receptorFormat: 'international',
    });
    expect(list).toEqual([
      'receptor,Kunde,Preis,Bemerkung',
      '+491711234567,Müller,"9,99 €","zahlt ""bar""; bald"',
      '+491711234568,Straßer,12 €,"zwei\nZeilen"',
      '+491711234569,Schön,7 €,',
      '+492111234567,„König“,3 €,',
    ]);
    expect(leftOut).toEqual([
      '\ufeffKunde,Mobil,Preis,Bemerkung,left_out_line,left_out_reason',
      'Jäger,"1,71E+09",5 €,,6,the receptor is a number that a spreadsheet has shortened',
    ]);
    expect(summary).toMatchObject({
      written: 4,
      doubtful: { count: 1, first: [{ line: 7, text: '+492111234567 (not a mobile number)' }] },
    });
  });

  test('Excel in German as "CSV UTF-8": a byte order mark and semicolons', async () => {
    const { list, leftOut } = await prepare({ input: join(exportsFolder, 'excel-german-utf8.csv') });
    expect(list).toEqual(['receptor,Name', '01711234567,Müller €']);
    expect(leftOut).toBeUndefined();
  });

  test('Excel in Persian: windows-1256', async () => {
    const { list, leftOut } = await prepare({
      input: join(exportsFolder, 'excel-persian-1256.csv'),
      encoding: 'windows-1256',
      receptorColumn: 'موبايل',
      ...iran,
    });
    expect(list).toEqual(['receptor,نام', '09121234567,علي', '09121234568,سارا; پر']);
    expect(leftOut?.slice(1)).toEqual(['گل,9.12E+09,4,the receptor is a number that a spreadsheet has shortened']);
  });

  test('Excel as "Unicode Text": UTF-16 with tabs, Persian digits, invisible marks, two columns of one name', async () => {
    const { list } = await prepare({
      input: join(exportsFolder, 'excel-unicode-text.txt'),
      receptorColumn: 'موبایل',
      ...iran,
    });
    expect(list).toEqual([
      'receptor,نام,نام_2',
      '09121234567,علی,قدیمی',
      '09121234568,"زهرا\nکریمی",',
      '09121234569,رضا,به\u200cروز',
    ]);
  });

  test('LibreOffice: quoted texts, Arabic digits, line feeds', async () => {
    const { list } = await prepare({
      input: join(exportsFolder, 'libreoffice.csv'),
      receptorColumn: 'Mobile',
      country: 'ir',
      receptorFormat: 'as-written',
    });
    expect(list).toEqual([
      'receptor,Name,City',
      '09121234567,علی,تهران',
      '9121234568,"Sara, the ""boss""",',
      '09121234569,"دو\nخط",Ω',
    ]);
  });

  test('Google Sheets: a column receptor beside the named one, a column without a name, no line end at the end', async () => {
    const { list } = await prepare({
      input: join(exportsFolder, 'google-sheets.csv'),
      receptorColumn: 'Mobile',
      ...iran,
    });
    expect(list).toEqual([
      'receptor,Timestamp,receptor_original,Mobile_2,column_5',
      '09121234567,12/1/2026 9:00:00,a,,x',
      '09121234568,12/1/2026 9:00:01,b,021,',
    ]);
  });
});

describe('encodings', () => {
  test.each([
    ['windows-1252', '80', '€'],
    ['latin1', '93 fc 94', '“ü”'],
    ['windows-1255', 'e0 ca', 'אֺ'],
    ['euc-kr', '81 41', '갂'],
    ['big5', '87 40', '䏰'],
    ['koi8-u', 'ae', 'ў'],
    ['gbk', 'a2 e3', '€'],
    ['shift_jis', '83 7e', 'ミ'],
    ['utf-16be', '06 39', 'ع'],
  ])('%s reads %s as the Encoding Standard does', async (encoding, hex, text) => {
    const wide = (ascii: string) => Buffer.from(encoding === 'utf-16be' ? ascii.replace(/./gs, '\0$&') : ascii);
    const bytes = Buffer.concat([
      wide('receptor,name\n0912,'),
      Buffer.from(hex.replaceAll(' ', ''), 'hex'),
      wide('\n'),
    ]);
    const { list } = await prepareLines(bytes, { encoding });
    expect(list?.[1]).toBe(`0912,${text}`);
  });

  test('a byte order mark goes before the encoding that was given', async () => {
    const { list } = await prepareLines(Buffer.from('\ufeffreceptor,name\n0912,é\n', 'utf16le'), {
      encoding: 'latin1',
    });
    expect(list).toEqual(['receptor,name', '0912,é']);
  });

  test('a character at the border of two pieces of the file is read whole', async () => {
    const lines = Array.from({ length: 5_000 }, (_, index) => `0912${index},یک دو`);
    const { list } = await prepareLines(['receptor,name', ...lines]);
    expect(list?.slice(1)).toEqual(lines);
  });

  test.each([
    [
      'text in another encoding',
      Buffer.from('receptor,name\n0912,a\n0913,M\xfcller\n', 'latin1'),
      /^encoding: line 3, column "name": these bytes are not text in this encoding; name the right one/,
    ],
    [
      'a header in another encoding',
      Buffer.from('receptor,\xfc\n0912,a\n', 'latin1'),
      /^encoding: the header, ".": these bytes are not text in this encoding; name the right one, such as windows-1256/,
    ],
    ['a workbook', Buffer.from('PK\x03\x04'), /is a workbook of a spreadsheet program/],
    ['an open quote', Buffer.from('receptor,name\n0912,"a\n'), /no row is left: a quote is out of place \(1\)/],
    [
      'a web page',
      Buffer.from('<html><table><tr><td>receptor'),
      /is a web page or XML, which some programs save as \.xls/,
    ],
    ['a vCard', Buffer.from('BEGIN:VCARD\r\nTEL:0912'), /is a vCard/],
    ['JSON', Buffer.from('[{"receptor": "0912"}]'), /is JSON/],
    ['an empty file', Buffer.from(''), /has no header/],
    ['a header alone', Buffer.from('receptor,name\n'), /the file has no rows/],
  ])('%s is refused, and no file is written', async (_, bytes, message) => {
    const folder = makeFolder();
    const input = join(folder, 'export.csv');
    writeFileSync(input, bytes);
    await expect(prepareList({ input, to: join(folder, 'list.csv') })).rejects.toMatchObject({
      name: expect.stringMatching(/^(?:Input|Configuration)Error$/),
      message: expect.stringMatching(message),
    });
    expect(readdirSync(folder)).toEqual(['export.csv']);
  });
});

describe('receptors', () => {
  /** The receptors of a list, or the reasons why they were left out. */
  async function readEach(cells: readonly string[], options: Partial<PrepareOptions> = {}) {
    const quoted = cells.map((cell) => `"${cell.replaceAll('"', '""')}",x`);
    const { list = [], leftOut = [] } = await prepareLines(['receptor,name', ...quoted, '4444444444,end'], options);
    const byLine = new Map(leftOut.slice(1).map((row) => row.split(',x,')[1]?.split(/,(.*)/s) as [string, string]));
    const kept = list.slice(1).values();
    return cells.map((_, index) => byLine.get(`${index + 2}`) ?? kept.next().value?.replace(/,x$/, ''));
  }

  test('without a country, a receptor has 3 to 15 digits of any script, and an optional plus sign', async () => {
    const cells = [
      '123',
      ' +98 (912) 345-67\u201189 ',
      '۰۹۱۲٣٤',
      '1'.repeat(15),
      '="0912"',
      "'0912",
      '\u200e0912\u200f',
    ];
    expect(await readEach(cells)).toEqual(['123', '+989123456789', '091234', '1'.repeat(15), '0912', '0912', '0912']);
  });

  test.each([
    ['', 'the receptor is empty'],
    ['12', 'the receptor has fewer than 3 or more than 15 digits'],
    ['1'.repeat(16), 'the receptor has fewer than 3 or more than 15 digits'],
    ['9.12E+09', 'the receptor is a number that a spreadsheet has shortened'],
    ['9,12e+09', 'the receptor is a number that a spreadsheet has shortened'],
    ['9121234567.0', 'the receptor is a decimal number of a table program'],
    ['9121234567.00', 'the receptor is a decimal number of a table program'],
    ['9,121,234,567', 'the receptor has thousands separators: prepare with a country'],
    ['9,121,234,567.00', 'the receptor is a decimal number of a table program'],
    ['912,000', 'the receptor has other characters than digits'],
    ['#N/A', 'the receptor is an error of the spreadsheet'],
    ['#REF!', 'the receptor is an error of the spreadsheet'],
    ['#NAME?', 'the receptor is an error of the spreadsheet'],
    ['#DIV/0!', 'the receptor is an error of the spreadsheet'],
    ['0912/0913', 'the receptor has other characters than digits'],
    ['09120000001/09350000002', 'the receptor has two numbers: give each a row of its own'],
    ['09120000001 ::: 09350000002', 'the receptor has two numbers: give each a row of its own'],
    ['0912 000 0001; 0935 000 0002', 'the receptor has two numbers: give each a row of its own'],
    ['021 8800 1234 ext 7', 'the receptor has an extension'],
    ['+98 (0) 912 000 0001', 'the receptor has (0) after a country code: prepare with a country'],
    ['+44 (0)7700 900123', 'the receptor has (0) after a country code: prepare with a country'],
    ['1.5', 'the receptor has other characters than digits'],
    ['09+12', 'the receptor has other characters than digits'],
    ['n/a', 'the receptor has other characters than digits'],
  ])('without a country, %j is left out', async (cell, reason) => {
    expect(await readEach([cell])).toEqual([reason]);
  });

  const written = [
    '9121234567.0',
    'tel:+989121234567',
    '0912.123.4567',
    '0912 123 4567',
    '+98 912 123 4567',
    '00989121234567',
    '9121234567',
    '۰۹۱۲۱۲۳۴۵۶۷',
    '989121234567',
  ];

  test.each([
    '9121234567.00',
    '9121234567,000',
    '9,121,234,567',
    '9,121,234,567.00',
    "9'121'234'567",
    '9\u202f121\u202f234\u202f567',
    '۹٬۱۲۱٬۲۳۴٬۵۶۷',
  ])('the number %s of a country has the format of a spreadsheet program, and is read', async (cell) => {
    expect(await readEach([cell], iran)).toEqual(['09121234567']);
  });

  test('a number of a country is written in one form, however it was written', async () => {
    expect(await readEach(written, iran)).toEqual(written.map(() => '09121234567'));
    const international = { country: 'IR', receptorFormat: 'international' } as const;
    expect(await readEach([...written, '+49 171/1234567'], international)).toEqual([
      ...written.map(() => '+989121234567'),
      '+491711234567',
    ]);
    const asWritten = { country: 'IR', receptorFormat: 'as-written' } as const;
    expect(await readEach(written, asWritten)).toEqual(
      written
        .map((cell, index) => (index === 0 ? '9121234567' : index === 1 ? '+989121234567' : cell))
        .with(7, '09121234567'),
    );
  });

  test.each([
    ['0912', /^the receptor is not a valid phone number \(too short\)$/],
    ['0912123', /^the receptor is not a valid phone number \(too short\)$/],
    ['091212345678', /^the receptor is not a valid phone number \(too long\)$/],
    ['+999 1234567', /^the receptor is not a valid phone number \(invalid country code\)$/],
    ['9.12E+09', /^the receptor is a number that a spreadsheet has shortened$/],
    ['0912-CALL-ME', /^the receptor has other characters than digits$/],
    [
      '09120000001, 09350000002',
      /^"the receptor has two numbers: give each a row of its own"$|^the receptor has two numbers: give each a row of its own$/,
    ],
    ['+49 171 1234567', /^"the receptor is a number of another country, and has no national form in IR"$/],
  ])('with a country, %j is left out', async (cell, reason) => {
    expect(await readEach([cell], iran)).toEqual([expect.stringMatching(reason)]);
  });

  test('possible numbers that are not known to be valid, or are not a mobile numbers, stay; the first ten are named', async () => {
    const numbers = Array.from({ length: 12 }, (_, index) => `021123456${10 + index}`);
    const { summary, leftOut } = await prepareLines(['receptor', '09121234567', '3000123456', ...numbers], iran);
    expect(leftOut).toBeUndefined();
    expect(summary.doubtful.count).toBe(13);
    expect(summary.doubtful.first.slice(0, 2)).toEqual([
      { line: 3, text: '03000123456 (not known to be valid)' },
      { line: 4, text: '02112345610 (not a mobile number)' },
    ]);
    expect(summary.doubtful.first).toHaveLength(10);
  });
});

describe('rows that repeat others', () => {
  const rows = ['receptor,name', '09121234567,Ali', '+98 912 123 4567,Ali', '09121234567,Ali', '9121234567,Reza'];

  test('--unique row compares the columns that are written', async () => {
    const { list, leftOut } = await prepareLines(rows, { unique: 'row' });
    expect(list).toEqual(['receptor,name', '09121234567,Ali', '+989121234567,Ali', '9121234567,Reza']);
    expect(leftOut?.slice(1)).toEqual(['09121234567,Ali,4,an earlier row is equal (line 2)']);
    const country = await prepareLines(rows, { ...iran, unique: 'row' });
    expect(country.list).toEqual(['receptor,name', '09121234567,Ali', '09121234567,Reza']);
    const picked = await prepareLines(rows, { ...iran, unique: 'row', columns: 'receptor' });
    expect(picked.list).toEqual(['receptor', '09121234567']);
  });

  test('--unique receptor compares digits, and with a country international numbers', async () => {
    const { list, summary } = await prepareLines(rows, { unique: 'receptor' });
    expect(list?.slice(1)).toEqual(['09121234567,Ali', '+989121234567,Ali', '9121234567,Reza']);
    expect(summary.similar).toMatchObject({ count: 2, first: [{ line: 3, text: '+989121234567' }, { line: 5 }] });
    const country = await prepareLines(rows, { ...iran, unique: 'receptor' });
    expect(country.list?.slice(1)).toEqual(['09121234567,Ali']);
    expect(country.leftOut?.slice(1).map((row) => row.split(',').at(-1))).toEqual(
      Array(3).fill('an earlier row has the same receptor (line 2)'),
    );
    expect(country.summary.similar.count).toBe(0);
  });

  test('without --unique they stay and are counted', async () => {
    const { list, summary } = await prepareLines(rows, iran);
    expect(list).toHaveLength(5);
    expect(summary.repeated).toMatchObject({ count: 3, first: [{ line: 3 }, { line: 4 }, { line: 5 }] });
  });
});

describe('receptors of other files', () => {
  const rows = ['Mobile,name', '09121234567,a', '09121234568,b', '09121234569,c'];
  const options = { receptorColumn: 'Mobile', ...iran };

  async function exclude(files: readonly (string | Buffer)[], given: Partial<PrepareOptions> = options) {
    const folder = makeFolder();
    const paths = files.map((content, index) => {
      writeFileSync(join(folder, `out${index}.csv`), content);
      return join(folder, `out${index}.csv`);
    });
    return { paths, ...(await prepareLines(rows, { ...given, exclude: paths })) };
  }

  test.each([
    ['a column receptor', 'name,receptor\nx,+989121234568\n'],
    ['the named column', 'Mobile;name\n9121234568;x\n'],
    ['one column with a header', 'Number\n0912 123 4568\n\n'],
    ['one column without a header', '0912 123 4568\n'],
    ['UTF-16', Buffer.from('\ufeff۰۹۱۲۱۲۳۴۵۶۸\r\n', 'utf16le')],
  ])('are left out: %s', async (_, content) => {
    const { list, leftOut, summary, paths } = await exclude([content]);
    expect(list?.slice(1)).toEqual(['09121234567,a', '09121234569,c']);
    expect(leftOut?.slice(1)).toEqual([`09121234568,b,3,the receptor is in ${paths[0]}`]);
    expect([...summary.excluded]).toEqual([['989121234568', paths[0]]]);
  });

  test('several files can be given', async () => {
    const { list, summary, paths } = await exclude(['09121234568\n02112345678\n', '09121234569\n']);
    expect(list?.slice(1)).toEqual(['09121234567,a']);
    expect([...summary.excluded.values()]).toEqual([paths[0], paths[0], paths[1]]);
  });

  test('without a country, a receptor in another form is not left out, and is named', async () => {
    const { list, summary } = await exclude(['+989121234568\n'], { receptorColumn: 'Mobile' });
    expect(list).toHaveLength(4);
    expect(summary.similar).toEqual({ count: 1, first: [{ line: 3, text: '09121234568' }] });
  });

  test.each([
    ['two receptors on a line', '09121234568\n09121234569/09121234560\n', /line 2: .*"09121234569\/09121234560"/],
    ['a wrong first line', '9.12E+09\n09121234568\n', /line 1: .*shortened.*"9\.12E\+09"/],
    ['several columns without a name', '09121234568;09121234569\n', /several columns, and none is named receptor/],
    ['an empty cell', 'receptor,name\n,x\n', /line 2: the receptor is empty/],
  ])('a file with %s is refused', async (_, content, message) => {
    await expect(exclude([content])).rejects.toThrow(message);
  });

  test('a missing file is refused', async () => {
    await expect(prepareLines(rows, { ...options, exclude: ['/no/file.csv'] })).rejects.toThrow(/no such file/);
  });
});

describe('columns', () => {
  const rows = ['receptor,name,sender,message', '0912,a,3000,hi'];

  test('all columns are kept', async () => {
    const { list } = await prepareLines(rows);
    expect(list).toEqual(rows);
  });

  test('--columns picks columns in its order', async () => {
    const { list } = await prepareLines(rows, { columns: 'message, receptor,name,name' });
    expect(list).toEqual(['receptor,message,name', '0912,hi,a']);
  });

  test('a row with more cells than the header, or with a character that no message can carry, is left out', async () => {
    const { list, leftOut } = await prepareLines(['receptor,name', '0912,a,,', '0913,b,c,"d"', '0914,\x0b', '0915']);
    expect(list).toEqual(['receptor,name', '0912,a', '0915,']);
    expect(leftOut?.slice(1)).toEqual([
      '0913,b,3,"the row has more cells than the header (c, d)"',
      '0914,"\x0b",4,"column ""name"" has a character that no message can carry"',
    ]);
  });

  test('a text that a program wrote as a formula for spreadsheets is the text', async () => {
    const cells = '"=""09120000001""","=""=1+1 """"x"""""""';
    const { list } = await prepareLines(['receptor,name', cells, '0912,=1+1']);
    expect(list?.slice(1)).toEqual(['09120000001,"=1+1 ""x"""', '0912,=1+1']);
  });

  test.each([
    ['|', ['receptor|name', '0912|a;b']],
    ['tab', ['receptor\tname', '0912\ta;b']],
    ['::', ['receptor::name', '0912::a;b']],
    [undefined, ['"receptor";"a, b"', '0912;a']],
    [undefined, ['sep=|', 'receptor|name', '0912|a;b']],
  ])('the delimiter %j reads %j', async (delimiter, lines) => {
    const { list } = await prepareLines(lines, { delimiter });
    expect(list?.[1]).toMatch(/^0912,a/);
  });
});

describe('refusals', () => {
  test.each<[Partial<PrepareOptions>, string]>([
    [{ receptorColumn: 'mobil' }, 'receptorColumn: the file has no column "mobil" (columns: receptor, Mobile)'],
    [{ columns: 'Mobil' }, 'columns: the file has no column "Mobil" (columns: receptor, Mobile)'],
    [{ country: 'IR' }, 'receptorFormat: a country needs national, international or as-written, and only a country'],
    [
      { receptorFormat: 'national' },
      'receptorFormat: a country needs national, international or as-written, and only a country',
    ],
    [
      { country: 'Iran', receptorFormat: 'national' },
      'country: "Iran" is not a country code: give two letters, such as IR',
    ],
    [{ country: 'XX', receptorFormat: 'national' }, 'country: XX is not a country code: give two letters, such as IR'],
    [{ encoding: 'windows-9' }, 'encoding: "windows-9" is no encoding: give a name such as windows-1256'],
    [{ delimiter: '"' }, 'delimiter: "\\"" cannot be between cells'],
    [{ unique: 'rows' }, 'unique: "rows" is neither "row" nor "receptor"'],
  ])('%j is refused, and no file is written', async (options, message) => {
    const folder = makeFolder();
    const input = join(folder, 'export.csv');
    writeFileSync(input, 'receptor,Mobile\n0912,0913\n');
    const given = prepareList({ input, to: join(folder, 'list.csv'), ...options });
    await expect(given).rejects.toMatchObject({ name: 'ConfigurationError', message });
    expect(readdirSync(folder)).toEqual(['export.csv']);
  });

  test('a header with as many commas as semicolons needs a delimiter', async () => {
    await expect(prepareLines(['receptor;a,b', '0912;1'])).rejects.toThrow(/several kinds of delimiters/);
  });

  test.each(['list.csv', 'list.left-out.csv', 'list.csv.journal'])('nothing is written beside %s', async (name) => {
    const folder = makeFolder();
    const input = join(folder, 'export.csv');
    writeFileSync(input, 'receptor\n0912\n');
    writeFileSync(join(folder, name), 'kept');
    const message = `to: ${join(folder, name)} exists: name a new file, or move that file away`;
    await expect(prepareList({ input, to: join(folder, 'list.csv') })).rejects.toMatchObject({ message });
    expect(readdirSync(folder).sort()).toEqual(['export.csv', name].sort());
    expect(readFileSync(join(folder, name), 'utf8')).toBe('kept');
  });

  test('an export of which no row is left is refused with the reasons', async () => {
    await expect(prepareLines(['receptor', 'a', '1', 'b'])).rejects.toThrow(
      /no row is left: the receptor has other characters than digits \(2\); the receptor has fewer than 3 .* \(1\)$/,
    );
  });

  test('a folder that does not exist is a wrong --to', async () => {
    const input = join(exportsFolder, 'excel-german-utf8.csv');
    await expect(prepareList({ input, to: '/no/folder/list.csv' })).rejects.toMatchObject({
      name: 'ConfigurationError',
      message: expect.stringMatching(/^to: ENOENT/),
    });
  });

  test('a signal stops the work, and no file is written', async () => {
    const folder = makeFolder();
    const input = join(folder, 'export.csv');
    writeFileSync(input, 'receptor\n0912\n');
    const signal = AbortSignal.abort(new Error('stopped'));
    await expect(prepareList({ input, to: join(folder, 'list.csv'), signal })).rejects.toThrow('stopped');
    expect(readdirSync(folder)).toEqual(['export.csv']);
  });
});

test('the rows that were left out can be corrected and prepared again', async () => {
  const lines = ['Name;Mobile', 'علی;09121234567', 'Sara;9.12E+09', '"a""b;c";', 'Reza;x'];
  const first = await prepareLines(lines, { receptorColumn: 'Mobile', ...iran });
  const path = join(first.folder, 'list.left-out.csv');
  const text = readFileSync(path, 'utf8');
  expect(text.split('\n')[0]).toBe('\ufeffName,Mobile,left_out_line,left_out_reason');
  writeFileSync(path, text.replace('9.12E+09', '09121234568').replace('"a""b;c",', '"a""b;c",09121234569'));
  const second = await prepare({ input: path, receptorColumn: 'Mobile', ...iran });
  expect(second.list).toEqual(['receptor,Name', '09121234568,Sara', '09121234569,"a""b;c"']);
  expect(second.leftOut).toEqual([
    '\ufeffName,Mobile,left_out_line,left_out_reason',
    'Reza,x,4,the receptor has other characters than digits',
  ]);
});

describe('exports of other programs', () => {
  test('a row with a quote out of place is left out with its line, and the other rows stay', async () => {
    const lines = [
      'receptor,name',
      '09120000001,12" pizza',
      '09120000002,b',
      '09120000003,"x"y',
      '09120000004   , "Sara, B"   ',
      '09120000005,"two',
      'lines"',
      '09120000006,"open',
      '09120000007,end',
    ];
    const { summary, list, leftOut } = await prepareLines(lines);
    expect(list).toEqual([
      'receptor,name',
      '09120000002,b',
      '09120000004,"Sara, B"',
      '09120000005,"two\nlines"',
      '09120000007,end',
    ]);
    expect(leftOut?.slice(1).map((row) => row.split(',').slice(-2)[0])).toHaveLength(3);
    expect([...summary.leftOut]).toEqual([['a quote is out of place', 3]]);
    expect(summary.hasBackslashes).toBe(false);
  });

  test('quotes after a backslash are left out and named, and read with escape', async () => {
    const lines = ['receptor,name', '09120000001,"He said \\"hi\\""', '09120000002,b'];
    const { summary, list } = await prepareLines(lines);
    expect([list, summary.hasBackslashes]).toEqual([['receptor,name', '09120000002,b'], true]);
    const { list: whole } = await prepareLines(lines, { escape: 'backslash' });
    expect(whole).toEqual(['receptor,name', '09120000001,"He said ""hi"""', '09120000002,b']);
  });

  test('rows that a stray quote merges are left out as one', async () => {
    const { list, summary } = await prepareLines([
      'receptor,name',
      '09120000001,"Ali',
      '09120000002,Sara',
      '09120000003,x"',
      '09120000004,y',
    ]);
    expect(list).toEqual(['receptor,name', '09120000004,y']);
    expect([...summary.leftOut]).toEqual([['a value has a line that looks like a row of its own', 1]]);
  });

  test('lines above the header are named, and headerLine reads from there', async () => {
    const lines = ['Customer report', '2026-01-01', '', 'receptor,name', '09120000001,a'];
    await expect(prepareLines(lines)).rejects.toThrow(
      /^headerLine: the file has no column "receptor" .*, but line 4 has a cell of this name: give this line$/,
    );
    expect((await prepareLines(lines, { headerLine: 4 })).list).toEqual(['receptor,name', '09120000001,a']);
  });

  test('a column without a name is dropped when it has no value', async () => {
    const { list } = await prepareLines(['receptor,name,,', '09120000001,a,,', '09120000002,b,,x']);
    expect(list).toEqual(['receptor,name,column_4', '09120000001,a,', '09120000002,b,x']);
  });

  test('mobileOnly leaves out numbers that are not mobile numbers', async () => {
    const options = { ...iran, mobileOnly: true };
    const { list, summary } = await prepareLines(['receptor', '09121234567', '02112345678'], options);
    expect(list).toEqual(['receptor', '09121234567']);
    expect([...summary.leftOut]).toEqual([['the receptor is not a mobile number', 1]]);
    await expect(prepareLines(['receptor', '1'], { mobileOnly: true })).rejects.toThrow(
      'mobileOnly: it needs a country',
    );
  });
});
