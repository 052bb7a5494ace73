import { protectCell } from '../../src/cli/output/spreadsheet';

// What LibreOffice and Excel change when they open a CSV file.
test.each([
  ...['.5', '.5e3', ' .5', '(5)', '(1,000)', '( 5)', '$5', '$ 5', '€5', '-5', '($5.00)', '5%', '1,000', '1/2', '12:30'],
  ...[
    '=1+1',
    '+98912',
    '-1',
    '@SUM(A1)',
    '0912',
    '123456789012',
    '1.50',
    '1e5',
    '2 jan',
    'jan 2',
    'MAR-1',
    'TRUE',
    ' false ',
  ],
])('the value %j is written as a formula of itself', (value) => {
  expect(protectCell(value)).toBe(`="${value}"`);
});

test.each([
  'hello',
  '5',
  '12345678901',
  '1.5',
  'a.5',
  '...',
  '(hello)',
  '$',
  'سلام',
  'janet',
  'truely',
  '',
  '.',
  '#N/A',
])('the value %j stays as it is', (value) => {
  expect(protectCell(value)).toBe(value);
});
