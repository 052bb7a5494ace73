import { type OperationName, operations } from '../../generated/operations';
import { CliCommand } from '../../src/cli/command';
import { addFields, argumentOf, fieldsOf, readRequest } from '../../src/cli/fields';
import { kebabCase } from '../../src/cli/option-names';

const names = Object.keys(operations) as OperationName[];

/** The request that a command line asks for. */
function request(operation: OperationName, ...args: string[]): unknown {
  const command = new CliCommand('test').exitOverride().configureOutput({ outputError: () => undefined });
  addFields(command, operation);
  let result: unknown;
  command.action(() => {
    result = readRequest(operation, command.opts(), command.args);
  });
  command.parse(args, { from: 'user' });
  return result;
}

describe.each(names)('%s', (operation) => {
  test('each field of the operation table has an option or is the argument, and reaches the request', () => {
    const fields = fieldsOf(operation);
    const sample = (type: string): string => (type === 'string' ? 'text' : '7');
    const args = argumentOf(operation)
      ? ['7', '8']
      : fields.flatMap(({ name, type, item }) => [`--${kebabCase(name)}`, ...Array(item ? 2 : 1).fill(sample(type))]);
    expect(Object.keys(request(operation, ...args) as object)).toEqual(fields.map(({ name }) => name));
    expect(fields.map(({ name }) => name)).toEqual(
      operations[operation].request
        .map(({ name }) => name)
        .filter((name) => !/^(apikey|status|statusmessage)$/.test(name)),
    );
  });
});

test('ids are arguments where a list is the only field', () => {
  expect(names.filter((operation) => argumentOf(operation))).toEqual([
    'SelectByApikey',
    'GetStatusByApikey',
    'CancelByApikey',
  ]);
});

test('a long is exact to its ends, an int and a short are numbers', () => {
  expect(request('SelectByApikey', '9223372036854775807', '-9223372036854775808', '+007')).toEqual({
    messageid: [9223372036854775807n, -9223372036854775808n, 7n],
  });
  expect(request('ReceiveByApikey', '--isread', '-32768')).toEqual({ isread: -32768 });
  expect(request('SelectlatestByApikey', '--pagesize=2147483647')).toEqual({ pagesize: 2147483647 });
});

test('negative numbers are values, also several in a list', () => {
  expect(request('SendArrayByApikey', '--msgmode', '-1', '-2', '3', '--unixdate', '-5', '--msgmode=-4')).toEqual({
    msgmode: [-1, -2, 3, -4],
    unixdate: -5n,
  });
});

test.each([
  ['SendSimpleByApikey', ['--unixdate', '12x'], '--unixdate: "12x" is not a whole number'],
  ['SendSimpleByApikey', ['--unixdate', ''], '--unixdate: "" is not a whole number'],
  ['SendSimpleByApikey', ['--unixdate', '-1.5'], '--unixdate: "-1.5" is not a whole number'],
  ['ReceiveByApikey', ['--isread', '40000'], '--isread: "40000" is not within xsd:short (-32768 to 32767)'],
  ['SelectlatestByApikey', ['--pagesize', '2147483648'], '--pagesize: "2147483648" is not within xsd:int'],
  ['GetStatusByApikey', ['1', '9223372036854775808'], 'messageid: "9223372036854775808" is not within xsd:long'],
  ['SendAdvance', ['--receptor', '1', '--receptor', '2'], '--receptor: takes one value, 2 are given'],
  ['SendAdvance', ['--omit', 'sender', '--sender', '1'], '--sender: give its value or --omit, not both'],
  ['SendArrayByApikey', ['--omit', 'sender', '--empty', 'sender'], '--sender: give --omit or --empty, not both'],
] as const)('%s %j is refused in one line', (operation, args, message) => {
  expect(() => request(operation, ...args)).toThrow(message);
});

test('texts are taken to the letter', () => {
  for (const text of ['', ' ', '-', '--hi', '-5', 'a=b', '--message', '--output', 'سلام\n', '\\n']) {
    expect(request('SendAdvance', `--message=${text}`)).toEqual({ message: text });
    expect(request('SendAdvance', '--message', text)).toEqual({ message: text });
  }
});

test('lists repeat or take several values', () => {
  const receptor = ['1', '2', '3', '4'];
  expect(request('SendSimpleByApikey', '--receptor', '1', '2', '--receptor', '3', '--receptor=4')).toEqual({
    receptor,
  });
});

test('--omit leaves an element out, --empty sends a list without entries', () => {
  expect(request('SendArrayByApikey', '--omit', 'sender', 'message', '--empty', 'msgmode')).toEqual({
    sender: null,
    message: null,
    msgmode: [],
  });
  expect(() => request('SendAdvance', '--omit', 'encoding')).toThrow(/Allowed choices are sender, message, receptor/);
  expect(() => request('SendAdvance', '--empty', 'receptor')).toThrow(/unknown option/);
});
