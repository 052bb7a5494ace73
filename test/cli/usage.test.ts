import { EventEmitter } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { methods } from '../../generated/operations';
import { version } from '../../package.json';
import { kebabCase } from '../../src/cli/fields/option-names';
import { run } from '../../src/cli/program';
import { invocationOf } from '../../src/cli/terminal/io';
import { makeFolder } from '../support/folder';
import { Capture, messaging } from './support';

const commands = Object.values(methods).map(kebabCase);
const environment = {
  MESSAGING_BASE_URL: 'http://127.0.0.1:1',
  MESSAGING_NAMESPACE: 'http://provider.example/',
  MESSAGING_API_KEY: 'canary-key',
  MESSAGING_SUCCESS_STATUSES: '200',
};

describe('help', () => {
  test('--help lists every command on stdout', async () => {
    const { code, stdout, stderr } = await messaging(['--help']);
    expect(code).toBe(0);
    expect(stderr).toBe('');
    for (const name of [...commands, 'sandbox', 'wsdl']) expect(stdout).toMatch(new RegExp(`^  ${name} `, 'm'));
    expect(stdout).not.toContain('Exit codes:');
    // The commands come before all options.
    expect(stdout.lastIndexOf('\n  help ')).toBeLessThan(stdout.indexOf('--version'));
  });

  test('help settings describes each global option with its variable, and help exit-codes lists the exit codes', async () => {
    const { stdout } = await messaging(['help', 'settings']);
    for (const text of ['--base-url <url>', '[MESSAGING_SUCCESS_STATUSES]', '[MESSAGING_PROXY]', '--output <format>']) {
      expect(stdout).toContain(text);
    }
    const codes = await messaging(['help', 'exit-codes']);
    expect(codes).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Exit codes:\n {2}0 {4}done\n/) });
  });

  test.each([
    ...['send-simple', 'select-outbox', 'select-latest', 'select', 'receive', 'get-status', 'cancel', 'remain-credit'],
    ...['track', 'call', 'wsdl', 'contract diff', 'setup', 'config', 'doctor', 'completion', 'help'],
    ...['bulk', 'inbox', 'inbox run', 'inbox status', 'inbox retry'],
    // `run` and `enqueue` have groups of options in place of it.
    ...['prepare', 'status', 'results', 'track', 'reconcile', 'resolve', 'retry', 'split', 'work', 'collect'].map(
      (name) => `bulk ${name}`,
    ),
  ])('the help of %s fits a screen of 24 lines', async (command) => {
    const { stdout } = await messaging([...command.split(' '), '--help'], { columns: 80 });
    expect(stdout.trimEnd().split('\n').length).toBeLessThanOrEqual(24);
  });

  test('the help of each command has its examples first, and that of a group its commands', async () => {
    const sections = async (...words: string[]) => {
      const { stdout } = await messaging([...words, '--help'], { columns: 80 });
      expect(stdout.match(/The contract does not define/g)?.length ?? 0).toBeLessThanOrEqual(1);
      // A command of a list is a name with two blanks before and after it.
      const groups = stdout.split('\n\n').filter((section) => /:\n {2}[a-z-]+ {2}/i.test(section));
      const names = groups.flatMap((section) => [...section.matchAll(/^ {2}([A-Za-z][A-Za-z-]+) {2}/gm)]);
      return { stdout, names: names.map(([, name = '']) => name) };
    };
    const { names } = await sections();
    expect(names).toEqual(expect.arrayContaining([...commands, 'track', 'setup', 'bulk']));
    for (const name of names) {
      const isGroup = ['call', 'bulk', 'inbox', 'contract'].includes(name);
      const { stdout, names: inner } = await sections(name);
      if (!isGroup) expect(stdout).toMatch(/^Usage: .*\n\n.*\n(.+\n)*\nExamples:\n/);
      for (const word of isGroup ? inner : []) {
        expect((await sections(name, word)).stdout).toMatch(/^Usage: .*\n\n.*\n(.+\n)*\nExamples:\n/);
      }
      if (isGroup) expect(stdout.indexOf(`  ${inner[0]} `)).toBeLessThan(stdout.indexOf('\nExamples:\n'));
    }
  });

  test('help names the program as the user called it', async () => {
    const stdout = new Capture();
    const io = {
      stdin: Readable.from([]),
      stdout,
      stderr: new Capture(),
      environment: {},
      signals: new EventEmitter(),
    };
    await run(['receive', '--help'], { ...io, invocation: 'npx messaging-soap' });
    expect(stdout.text).toMatch(/^Usage: npx messaging-soap receive /);
    expect(stdout.text).toContain('\n  npx messaging-soap receive --line-number 3000 --isread 0 --follow');
    expect(stdout.text).toContain('npx messaging-soap help settings');
    expect(stdout.text.replaceAll('npx messaging-soap', '')).not.toContain('messaging ');
  });

  test.each([40, 60, 80])(
    'the help fits a terminal of %d columns, except for long words and examples',
    async (columns) => {
      for (const command of ['send-advance', 'receive', 'sandbox']) {
        const { stdout } = await messaging([command, '--help'], { columns });
        const options = stdout.split('\n').filter((line) => /^ {2,}(-| {8})/.test(line));
        expect(options.length).toBeGreaterThan(7);
        for (const line of options) if (line.length > columns) expect(line).toMatch(/^ +(-.* {2})?\S+$/);
      }
    },
  );

  test('without arguments, the program prints its help on stderr, as a mistake', async () => {
    const { stdout: help } = await messaging(['--help']);
    expect(await messaging([])).toEqual({ code: 2, stdout: '', stderr: help });
  });

  test.each([...commands, 'sandbox', 'wsdl'])('%s --help and help %s are the same, and have examples', async (name) => {
    const help = await messaging([name, '--help']);
    expect(help).toMatchObject({ code: 0, stderr: '' });
    expect(help.stdout).toMatch(new RegExp(`^Usage: messaging ${name} `));
    expect(help.stdout).toMatch(new RegExp(`\\nExamples:\\n(?:  messaging ${name}.*\\n)+\\n`));
    expect(await messaging(['help', name])).toEqual(help);
  });

  test('no example has a character that a shell would expand', async () => {
    for (const command of [...commands, 'sandbox', 'wsdl', 'call', 'config', 'doctor', 'contract diff', 'bulk']) {
      const { stdout } = await messaging([...command.split(' '), '--help']);
      const examples = stdout
        .split('\nExamples:\n')[1]
        ?.split('\n\n')[0]
        ?.replace(/'[^']*'/g, '');
      expect(examples).toMatch(/^ {2}messaging /);
      expect(examples).not.toMatch(/[?*[\]{}$`!;&#()]/);
    }
  });

  test('--version prints the version of the package', async () => {
    expect(await messaging(['--version'])).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
  });
});

test('a program that npx has fetched is started again by npx, and not from its cache', () => {
  const argv = ['/usr/bin/node', '/root/.npm/_npx/90fd62/node_modules/.bin/messaging'];
  expect(invocationOf({ argv, argv0: 'node', execArgv: [], execPath: '/usr/bin/node' })).toBe('npx messaging-soap');
});

describe('a mistake is one line on stderr, and exit code 2', () => {
  test.each([
    [['send-simpel'], "error: unknown command 'send-simpel' (Did you mean send-simple?)"],
    [['send'], "error: unknown command 'send' (Did you mean one of send-simple, send-array, send-advance?)"],
    [['status'], "error: unknown command 'status' (Did you mean get-status?)"],
    [['help', 'nope'], "error: unknown command 'nope'; see messaging --help"],
    [['help', 'send'], "error: unknown command 'send' (Did you mean one of send-simple, send-array, send-advance?)"],
    [['help', 'call', 'Nope'], "error: unknown command 'Nope'; see messaging call --help"],
    [['contract', 'diff', '--nope'], "error: unknown option '--nope'; see messaging contract diff --help"],
    [['call', 'SendAdvance', '--nope'], "error: unknown option '--nope'; see messaging call SendAdvance --help"],
    [['nonsense'], "error: unknown command 'nonsense'; see messaging --help"],
    [['select-latest', '--pagesiz', '3'], "error: unknown option '--pagesiz' (Did you mean --pagesize?)"],
    [['select-latest', '--pagesiz=3'], "error: unknown option '--pagesiz' (Did you mean --pagesize?)"],
    [['select-latest', '--api-kay=canary-key'], "error: unknown option '--api-kay' (Did you mean --api-key?)"],
    [
      ['remain-credit', '--nothing-like-it'],
      "error: unknown option '--nothing-like-it'; see messaging remain-credit --help",
    ],
    [['get-status'], 'error: missing: messageid (as arguments, or --messageid-file)\n'],
    [['call', 'GetStatusByApikey'], 'error: missing: messageid (as arguments, or --messageid-file)\n'],
    [
      ['call', 'getstatusbyapikey', '1'],
      "error: unknown command 'getstatusbyapikey' (Did you mean GetStatusByApikey?)\n",
    ],
    [
      ['call', 'SelectlatestByApikey', '1'],
      'error: unexpected argument "1": each field is an option, such as --pagesize; a value with blanks needs quotes\n',
    ],
    [
      ['send-simple', '--unixdate', '1.5', '--msgmode', 'x', '--sender', 'a', '--sender-file', 'b'],
      'error: --sender: give its value or --sender-file, not both; --unixdate: "1.5" is not a date: write a whole number; --dates seconds or milliseconds lets it be an ISO 8601 date; ' +
        '--msgmode: "x" is not a whole number\n',
    ],
    [
      ['get-status', 'abc', '5', '12x'],
      'error: messageid: "abc" is not a whole number; messageid: "12x" is not a whole number\n',
    ],
    [['get-status', '12x'], 'error: messageid: "12x" is not a whole number'],
    [
      ['send-simple', '--unixdate', '12x'],
      'error: --unixdate: "12x" is not a date: write a whole number; --dates seconds',
    ],
    [
      ['send-simple', '--unixdate'],
      "error: option '--unixdate <long>' argument missing; see messaging send-simple --help",
    ],
    [
      ['send-advance', '--message', 'hello', 'world'],
      'error: unexpected argument "world": each field is an option, such as --sender; a value with blanks needs quotes',
    ],
    [['setup', 'foo'], 'error: unexpected argument "foo": a URL such as https://provider.example is needed\n'],
    [['remain-credit', 'please'], 'error: unexpected argument "please": a value with blanks needs quotes'],
    [['send-simple', '--message', 'hi', '--omit', 'receptor'], 'error: missing: --sender, --unixdate, --msgmode'],
    [['send-advance', '--message=\x01'], 'error: missing: --sender, --encoding, --receptor, --unixdate'],
    [['select', '1', '--soap-version', '1.3'], 'error: --soap-version: "1.3" is neither'],
    [['select', '1', '--timeout-ms', 'soon'], 'error: --timeout-ms: "soon" is not a whole number'],
    [['select', '1', '--success-statuses', 'ok'], 'error: --success-statuses: "ok" is not'],
    [['wsdl', '--base-url', 'ftp://x'], '--base-url: neither an http nor an https URL'],
    [['select', '1', '--output', 'xml'], 'Allowed choices are table, json, ndjson, csv; see messaging'],
    [['--output', 'xml', 'select', '1'], 'Allowed choices are table, json, ndjson, csv; see messaging'],
    [
      ['select', '1', '--api-key', 'canary-key', '--api-key-file', 'b'],
      'error: --api-key: --api-key-file gives a key too: use one of them',
    ],
    [
      ['--api-key', 'canary-key', 'select', '1', '--api-key-file', 'b'],
      'error: --api-key: --api-key-file gives a key too: use one of them',
    ],
    [['select', '1', '--api-key-file', '/nonexistent'], 'error: --api-key-file: ENOENT: no such file\n'],
    [['receive', '--every', '1s'], 'error: --every: it needs --follow\n'],
    [['receive', '--follow', '--every', '0s'], 'error: --every: "0s" is not a time above 0, such as 500ms, 5s or 1m\n'],
    [['sandbox', '--port', '65536'], 'error: --port: 65536 is not a whole number from 0 to 65535'],
    [
      ['sandbox', '--port', '0', '--namespace', 'not a uri'],
      'error: --namespace: a URI of visible ASCII characters is needed',
    ],
    [['sandbox', '--port', '0', '--api-key', ''], 'error: --api-key: a key that is not empty is needed'],
    [['wsdl', '--namespace', ''], 'error: --namespace: empty\n'],
    [['remain-credit', '--api-key', ''], 'error: --api-key: empty\n'],
    [['--api-key-file', '', 'remain-credit', '--timeout-ms='], 'error: --api-key-file: empty; --timeout-ms: empty\n'],
    [['wsdl', '--base-url', 'x'], '--base-url: not a URL'],
  ])('the command line %j is refused in one line, with exit code 2', async (args, message) => {
    const { code, stdout, stderr } = await messaging(args, { environment });
    expect(stderr).toContain(message);
    expect(stderr).toMatch(/^error: .*\n$/);
    expect(stderr).not.toContain('canary-key');
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  });

  test.each([
    [['inbox', 'run', '--line-number', '3000', 'inbox.journal'], '--line-number'],
    [['inbox', 'retry', '--id', '5', 'inbox.journal'], '--id'],
  ])('the error about the missing argument of %j names the option that took it', async (args, option) => {
    expect(await messaging(args)).toEqual({
      code: 2,
      stdout: '',
      stderr: `error: missing: journal; ${option} took "inbox.journal": write the journal before the options\n`,
    });
  });

  test('one error names all missing settings, and an empty variable counts as missing', async () => {
    const outcome = await messaging(['remain-credit'], { environment: { MESSAGING_BASE_URL: '' } });
    expect(outcome).toEqual({
      code: 2,
      stdout: '',
      stderr:
        'error: missing: --base-url (or MESSAGING_BASE_URL), --namespace (or MESSAGING_NAMESPACE), ' +
        '--api-key-file (or MESSAGING_API_KEY), --success-statuses (or MESSAGING_SUCCESS_STATUSES)\n' +
        '`messaging setup` asks for the settings of your provider; `messaging sandbox` runs the service on this machine\n',
    });
  });

  test('one error names the missing and the wrong settings', async () => {
    const args = ['remain-credit', '--soap-version', '3', '--timeout-ms', 'soon'];
    const { code, stderr } = await messaging(args, { environment: { ...environment, MESSAGING_NAMESPACE: '' } });
    expect(stderr).toBe(
      'error: missing: --namespace (or MESSAGING_NAMESPACE); --soap-version: "3" is neither "1.1" nor "1.2"; ' +
        '--timeout-ms: "soon" is not a whole number from 0 to 2147483647\n',
    );
    expect(code).toBe(2);
  });

  test('the error about a text that XML cannot carry names its option and position', async () => {
    const fields = ['--sender', '3000', '--unixdate', '0', '--msgmode', '1', '--receptor', '911', '2\x01b'];
    const { code, stderr } = await messaging(['send-simple', '--message', 'hi', ...fields], { environment });
    expect(stderr).toBe('error: --receptor (value 2): XML 1.0 cannot carry U+0001, at index 1\n');
    const both = await messaging(['send-simple', '--message', 'h\x02', ...fields], { environment });
    expect(both.stderr).toBe(
      'error: --message: XML 1.0 cannot carry U+0002, at index 1; --receptor (value 2): XML 1.0 cannot carry U+0001, at index 1\n',
    );
    expect(code).toBe(2);
  });

  test('the error about many wrong values names the first ten', async () => {
    const fields = ['--sender', '3000', '--unixdate', '0', '--msgmode', '1', '--message', 'hi'];
    const receptors = Array.from({ length: 1000 }, () => '2\x01');
    const { stderr } = await messaging(['send-simple', ...fields, '--receptor', ...receptors], { environment });
    expect(stderr).toMatch(
      /^error: --receptor \(value 1\): .*; --receptor \(value 10\): .* at index 1; and 990 more\n$/,
    );
  });
});

describe('an API key file', () => {
  let folder: string;
  beforeAll(() => {
    folder = makeFolder();
  });

  test('an empty API key file is a mistake', async () => {
    const path = join(folder, 'empty');
    writeFileSync(path, '\n');
    const { code, stderr } = await messaging(['remain-credit', '--api-key-file', path], { environment });
    expect(stderr).toBe(`error: --api-key-file: ${path} is empty\n`);
    expect(code).toBe(2);
  });
});
