import { oneOf, trueOrFalse, wholeNumber } from '../../src/options/checks';
import { listOf, readOptions, WrongValue } from '../../src/options/table';

const inner = { depth: { read: wholeNumber(1, 9) } };
const table = {
  size: { read: wholeNumber(1), required: true, variable: 'SIZE' },
  unit: { read: oneOf(['s', 'ms']), default: 's' },
  isFast: { read: trueOrFalse },
  nested: {
    read: (value: unknown) => readOptions(inner, value),
  },
} as const;

const read = (given: unknown) => readOptions(table, given);

test('options that are not given take their defaults, and null counts as not given', () => {
  expect(read({ size: 5 })).toEqual({ size: 5, unit: 's' });
  expect(read({ size: 5, unit: null, isFast: undefined })).toEqual({ size: 5, unit: 's' });
});

test('options that are given take precedence over their defaults', () => {
  const given = { size: 5, unit: 'ms', isFast: false, nested: { depth: 2 } };
  expect(read(given)).toEqual(given);
});

test('one refusal has a problem for each option that is missing, wrong or unknown', () => {
  expect(() => read({ size: '', unit: 'h', isFast: 1, nested: { depth: 10 }, colour: 1, shape: undefined })).toThrow(
    'size (SIZE): missing; unit: "h" is neither "s" nor "ms"; isFast: 1 is neither true nor false; ' +
      'nested.depth: 10 is not a whole number from 1 to 9; colour: no such option; ' +
      'shape: no such option (options: size, unit, isFast, nested)',
  );
});

test.each([[null], [undefined], [[]], ['text']])('%j in place of the options is refused', (given) => {
  expect(() => read(given)).toThrow(new WrongValue([{ option: '', message: 'an object is needed' }]));
});

test('a failure of a check that is not about the value is thrown as it is', () => {
  const broken = {
    size: {
      read: () => {
        throw new TypeError('a defect');
      },
    },
  };
  expect(() => readOptions(broken, { size: 1 })).toThrow(new TypeError('a defect'));
});

test('null and an empty text are values of a field, and a field that is undefined is missing', () => {
  const fields = { text: { read: (value: unknown) => value, required: true }, size: { read: wholeNumber(1) } } as const;
  const readFields = (given: unknown) => readOptions(fields, given, 'field');
  expect(readFields({ text: '' })).toEqual({ text: '' });
  expect(readFields({ text: null })).toEqual({ text: null });
  expect(() => readFields({ text: undefined, size: null, other: 1 })).toThrow(
    'text: missing; size: null is not a whole number from 1; other: no such field (fields: text, size)',
  );
  expect(() => readOptions({}, { other: 1 }, 'parameter')).toThrow('other: no such parameter');
});

test('a problem in a list is named by the index of its item', () => {
  const steps = { steps: { read: listOf((value) => readOptions(inner, value, 'field')) } };
  expect(readOptions(steps, { steps: [{ depth: 1 }, {}] })).toEqual({ steps: [{ depth: 1 }, {}] });
  expect(() => readOptions(steps, { steps: [{}, { depth: 0 }] })).toThrow('steps[1].depth: 0 is not a whole number');
  expect(() => readOptions(steps, { steps: [{}, 5] })).toThrow('steps[1]: an object is needed');
  expect(() => readOptions(steps, { steps: {} })).toThrow('steps: a list is needed');
});
