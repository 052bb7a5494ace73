import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeReading, readReceptor } from '../../src/messages/receptor';
import { makeFolder } from '../support/folder';
import { testRows } from '../support/loops';
import { openSandbox } from '../support/sandbox';
import { environmentOf, messaging } from './support';

const two = 'has two numbers';
const letters = 'has other characters than digits';
const length = 'has fewer than 3 or more than 15 digits';
const trunk = 'has (0) after a country code';
const decimal = 'is a decimal number of a table program';
const thousands = 'has thousands separators';
const shortened = 'is a number that a spreadsheet has shortened';
const error = 'is an error of the spreadsheet';
const extension = 'has an extension';

/** Cells, and the number or the words that follow "the receptor". */
const verdicts: readonly (readonly [cell: string, verdict: string])[] = [
  ['09121234567', '09121234567'],
  ['+989121234567', '+989121234567'],
  ['123', '123'],
  ['1'.repeat(15), '1'.repeat(15)],
  ['0912 123 4567', '09121234567'],
  ['0912-123-4567', '09121234567'],
  ['0912\u2011123\u20124567', '09121234567'],
  ['0912\u2212123\u22124567', '09121234567'],
  ['0912.123.4567', '09121234567'],
  ['(0912) 123-4567', '09121234567'],
  ['（0912）123-4567', '09121234567'],
  ['﹙0912﹚123-4567', '09121234567'],
  ['[0912] 1234567', '09121234567'],
  ['+98 (912) 123-4567', '+989121234567'],
  ['＋98 912 123 4567', '+989121234567'],
  ['(0) 912 123 4567', '09121234567'],
  ['۰۹۱۲۱۲۳۴۵۶۷', '09121234567'],
  ['٠٩١٢١٢٣٤٥٦٧', '09121234567'],
  ['０９１２１２３４５６７', '09121234567'],
  ['\u200e09121234567\u200f', '09121234567'],
  [' 09121234567 ', '09121234567'],
  ["'09121234567", '09121234567'],
  ['tel:+989121234567', '+989121234567'],
  ['12345678 1234567', '123456781234567'],
  ['+98 (0) 912 123 4567', trunk],
  ['+44 (0)7700 900123', trunk],
  ['0044(0)7700900123', trunk],
  ['+44（0）7700 900123', trunk],
  ['+44﹙0﹚7700 900123', trunk],
  ['+44 （０） 7700 900123', trunk],
  ['(+44) (0) 7700 900123', trunk],
  ['44 ( 0 ) 7700 900123', trunk],
  ['09121234567/09121234568', two],
  ['09121234567|09121234568', two],
  ['09121234567&09121234568', two],
  ['09121234567:09121234568', two],
  ['09121234567-09121234568', two],
  ['09121234567+989121234568', two],
  ['+989121234567 +989121234568', two],
  ['09121234567,09121234568', two],
  ['09121234567 ; 09121234568', two],
  ['۰۹۱۲۱۲۳۴۵۶۷، ۰۹۱۲۱۲۳۴۵۶۸', two],
  ['09121234567 و 09121234568', two],
  ['09121234567 یا 09121234568', two],
  ['09121234567 or 09121234568', two],
  ['09121234567 AND 09121234568', two],
  ['09121234567 ::: 09121234568', two],
  ['12345/67890', two],
  ['0912 123 4567, 0912 123 4568', two],
  ['0912 123 4567 0912 123 4568', two],
  ['09121234567 ext 12', extension],
  ['021 8800 1234 x7', extension],
  ['02188001234#12', extension],
  ['02188001234 داخلی ۱۲', extension],
  ['9.12E+09', shortened],
  ['9,12e+09', shortened],
  ['#N/A', error],
  ['#REF!', error],
  ['#DIV/0!', error],
  ['9121234567.0', decimal],
  ['9121234567,000', decimal],
  ['9,121,234,567.00', decimal],
  ['9,121,234,567', thousands],
  ["9'121'234'567", thousands],
  ['912,000', letters],
  ['1.5', letters],
  ['09+12', letters],
  ['2,3', letters],
  ['0912/0913', letters],
  ['0912-CALL-ME', letters],
  ['0912***4567', letters],
  ['Ali', letters],
  ['n/a', letters],
  ['-', letters],
  ['12', length],
  ['1'.repeat(16), length],
  ['0912123456709121234568', length],
  ['', 'is empty'],
  ['   ', 'is empty'],
];

/** The cells that send-simple takes apart, because a blank is between numbers of 8 digits and more. */
const isTakenApart = (cell: string) => /^\S{11,} \S{11,}$/.test(cell) && !/,|،/.test(cell);

const message = ['--sender', '3000', '--message', 'hi', '--unixdate', '0', '--msgmode', '1', '--dry-run'];
let environment: NodeJS.ProcessEnv;
beforeAll(async () => {
  environment = environmentOf(await openSandbox());
});

test('the table has 60 cells and more, and each of them once', () => {
  expect(new Set(verdicts.map(([cell]) => cell)).size).toBe(verdicts.length);
  expect(verdicts.length).toBeGreaterThanOrEqual(60);
});

const isNumber = (verdict: string) => /^\+?\d+$/.test(verdict);
/** A word or a cell that is empty is refused with these words, and any other one with its verdict. */
const wordsOf = (cell: string, verdict: string) =>
  verdict === 'is empty' ? 'it is empty' : `${JSON.stringify(cell)} ${verdict}`;

test.each(verdicts)('the reading of %j', (cell, verdict) => {
  const reading = readReceptor(cell);
  expect(reading.kind === 'one' ? reading.number : describeReading(reading)).toBe(verdict);
});

testRows(verdicts, 'send-simple reads %j', async (cell, verdict) => {
  const { code, stderr } = await messaging(['send-simple', ...message, '--receptor', cell], { environment });
  const isSent = isNumber(verdict) || isTakenApart(cell);
  expect({ code, stderr }).toEqual({
    code: isSent ? 0 : 2,
    stderr: expect.stringContaining(isSent ? 'nothing was sent' : `--receptor: ${wordsOf(cell, verdict)}`),
  });
});

testRows(verdicts, 'bulk run reads %j', async (cell, verdict) => {
  const list = join(makeFolder(), 'list.csv');
  writeFileSync(list, `receptor,name\n"${cell}",a\n`);
  const { code, stderr } = await messaging(['bulk', 'run', list, ...message], { environment });
  const named = `1 receptor is not plain digits: row 1: ${JSON.stringify(cell)}`;
  const refusal = `row 1: receptor: ${wordsOf(cell, verdict)}`;
  expect({ code, isNamed: stderr.includes(named), isRefused: stderr.includes(refusal) }).toEqual({
    code: isNumber(verdict) ? 0 : 2,
    isNamed: isNumber(verdict) && cell !== verdict,
    isRefused: !isNumber(verdict),
  });
});

testRows(verdicts, 'bulk prepare reads %j', async (cell, verdict) => {
  const folder = makeFolder();
  const [input, list] = [join(folder, 'export.csv'), join(folder, 'list.csv')];
  writeFileSync(input, `receptor,name\n"${cell}",a\n09350000000,b\n`);
  const { code } = await messaging(['bulk', 'prepare', input, '--to', list], { environment });
  const [, first = ''] = readFileSync(list, 'utf8').split('\n');
  expect({ code, first }).toEqual({ code: 0, first: isNumber(verdict) ? `${verdict},a` : '09350000000,b' });
  if (!isNumber(verdict))
    expect(readFileSync(join(folder, 'list.left-out.csv'), 'utf8')).toContain(`the receptor ${verdict}`);
});

test.each(['1/', '1 ', '1-', '1,', '.1', '(', '(0)', '1(', '+', 'x1', '1 x', 'و', '\u200e', '#'])(
  'a receptor of 100,000 characters like %j is read in one go',
  (piece) => {
    const before = process.cpuUsage();
    readReceptor(piece.repeat(100_000 / piece.length));
    readReceptor(`1${piece.repeat(100_000 / piece.length)}!`);
    // A reading that looks again from each character takes minutes.
    expect(process.cpuUsage(before).user).toBeLessThan(10_000_000);
  },
);
