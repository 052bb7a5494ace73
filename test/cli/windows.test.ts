import { invocationOf } from '../../src/cli/terminal/io';
import { isFileName } from '../../src/internal/file-names';
import { quoteForShell } from '../../src/internal/shell';

test.each([
  ['C:\\list.csv', 'C:\\list.csv'],
  ['C:\\my lists\\list.csv', '"C:\\my lists\\list.csv"'],
  ['C:\\my lists\\', '"C:\\my lists\\\\"'],
  ['a&b', '"a&b"'],
  ["it's", '"it\'s"'],
  ['a,b', '"a,b"'],
  ['', '""'],
  // cmd or PowerShell would expand a character of these.
  ['costs $5', "'costs $5'"],
  ['say "hi"', '\'say "hi"\''],
  ['100%', "'100%'"],
  ["it's $5", "'it''s $5'"],
])('the argument %j is quoted for the shells of Windows', (argument, quoted) => {
  expect(quoteForShell(argument, 'win32')).toBe(quoted);
});

const node = 'C:\\Program Files\\nodejs\\node.exe';

test.each([
  ['C:\\Users\\me\\AppData\\Roaming\\npm\\node_modules\\messaging-soap\\dist\\bin\\messaging.js', 'messaging'],
  ['C:\\my project\\node_modules\\messaging-soap\\dist\\bin\\messaging.js', 'npx messaging-soap'],
  [
    'C:\\Users\\me\\AppData\\Local\\npm-cache\\_npx\\90fd\\node_modules\\messaging-soap\\dist\\bin\\messaging.js',
    'npx messaging-soap',
  ],
  ['C:\\clone\\dist\\bin\\messaging.js', '"C:\\Program Files\\nodejs\\node.exe" C:\\clone\\dist\\bin\\messaging.js'],
])('on Windows, the program at %s is started again by a command for cmd and PowerShell', (script, expected) => {
  expect(
    invocationOf({ argv: [node, script], argv0: node, execArgv: [], execPath: node }, 'win32', 'C:\\my project\\src'),
  ).toBe(expected);
});

test.each(['provider', 'my.provider-2', 'console'])('the name %j of a file is one that every system takes', (name) => {
  expect(isFileName(name)).toBe(true);
});

test.each(['con', 'NUL', 'com1', 'aux.key', 'x.', '.x', 'a b', 'a/b', 'a\\b', 'a:b', ''])(
  'the name %j of a file is refused on every system',
  (name) => {
    expect(isFileName(name)).toBe(false);
  },
);
