import type { Sandbox } from '../../src/sandbox';
import { openSandbox } from '../support/sandbox';
import { environmentOf, messaging } from './support';

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await openSandbox();
});
beforeEach(() => sandbox.reset());

const run = (args: readonly string[]) => messaging(args, { environment: environmentOf(sandbox) });

const simple = ['send-simple', '--sender', '3000', '--unixdate', '0', '--msgmode', '1'];
const array = ['send-array', '--sender', '3000', '3000', '--unixdate', '0', '--msgmode', '1', '1'];
const advance = ['send-advance', '--sender', '3000', '--encoding', '0', '--unixdate', '0', '--messagemode', '1'];

describe('--dry-run', () => {
  test('a dry run of send-simple prints encoding, characters, units and parts, sums the parts of all receptors, and sends nothing', async () => {
    const text = 'س'.repeat(71);
    const { code, stdout, stderr } = await run([
      ...simple,
      '--message',
      text,
      '--receptor',
      '1',
      '2',
      '3',
      '--dry-run',
    ]);
    expect(code).toBe(0);
    expect(stdout).toBe('encoding,characters,units,parts,unitsPerPart,receptors\r\nUCS-2,71,71,2,67,3\r\n');
    expect(stderr).toBe('nothing was sent; 6 parts for all receptors, as networks commonly count\n');
    expect(sandbox.requests).toEqual([]);
  });

  test('a dry run of send-array prints a row for each text', async () => {
    const texts = ['--message', 'hello', '€', '--receptor', '1', '2'];
    const line = (text: string, units: number) =>
      `{"encoding":"GSM-7","characters":${text.length},"units":${units},"parts":1,"unitsPerPart":160,"receptors":1}\n`;
    const { stdout } = await run([...array, ...texts, '--dry-run', '--output', 'ndjson']);
    expect(stdout).toBe([line('hello', 5), line('€', 2)].join(''));
    expect(sandbox.requests).toEqual([]);
  });

  test('a dry run of send-advance prints one row', async () => {
    const others = ['--message', 'hello', '--receptor', '1', '--omit', 'fallbackurl', 'clientmessageid'];
    const { stdout } = await run([...advance, ...others, '--dry-run']);
    expect(stdout).toBe('encoding,characters,units,parts,unitsPerPart,receptors\r\nGSM-7,5,5,1,160,1\r\n');
    expect(sandbox.requests).toEqual([]);
  });

  test('a dry run counts a text that is a default', async () => {
    const defaults = JSON.stringify({ message: 'hello', unixdate: 0, msgmode: 1 });
    const { stdout } = await run([
      'send-simple',
      '--sender',
      '3',
      '--receptor',
      '1',
      '--defaults',
      defaults,
      '--dry-run',
    ]);
    expect(stdout).toContain('GSM-7,5,5,1,160,1');
  });

  test.each<[string, readonly string[], string]>([
    ['a field that is missing', ['--message', 'a'], 'error: missing: --receptor\n'],
    ['a text that XML cannot carry', ['--message', '\u0001', '--receptor', '1'], 'error: --message: '],
  ])('a dry run refuses what a call refuses: %s', async (_, fields, message) => {
    const { code, stdout, stderr } = await run([...simple, ...fields, '--dry-run']);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(message);
  });
});

describe('a receptor that looks like several', () => {
  test.each([',', ';', '، ', '؛'])('a receptor with %j is refused, with how to give two', async (separator) => {
    const receptor = `09120000001${separator}09120000002`;
    const { code, stdout, stderr } = await run([...simple, '--message', 'a', '--receptor', receptor]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(
      'send-simple takes --receptor 09120000001 09120000002, or one receptor per line in a --receptor-file',
    );
    expect(stderr).toContain('--as-is sends it as it is');
    expect(sandbox.requests).toEqual([]);
  });

  test('send-array, send-advance and a dry run refuse such a receptor too', async () => {
    const texts = ['--message', 'a', 'b', '--receptor', '1', '2,3'];
    expect((await run([...array, ...texts])).stderr).toContain('"2,3" looks like several receptors');
    const others = ['--message', 'a', '--receptor', '1,2', '--omit', 'fallbackurl', 'clientmessageid'];
    expect((await run([...advance, ...others])).code).toBe(2);
    expect((await run([...simple, '--message', 'a', '--receptor', '2,3', '--dry-run'])).code).toBe(2);
  });

  test('--as-is sends such a receptor as it is', async () => {
    const { code } = await run([...simple, '--message', 'a', '--receptor', '1,2', '--as-is']);
    expect(code).toBe(0);
    expect(sandbox.messages).toMatchObject([{ receptor: '1,2' }]);
  });
});

describe('a message that nobody means to send', () => {
  const mistakes: readonly (readonly [string, readonly string[], string])[] = [
    ['an empty text', ['--message', '', '--receptor', '1'], '--message: it is empty'],
    ['an empty receptor', ['--message', 'a', '--receptor', ' '], '--receptor: it is empty'],
    ['a receptor without a digit', ['--message', 'a', '--receptor', 'Ali'], '--receptor: "Ali" has no digit'],
  ];
  const omitted = ['--omit', 'fallbackurl', 'clientmessageid'];
  const commands: readonly (readonly [string, readonly string[]])[] = [
    ['send-simple', simple],
    ['send-array', array],
    ['send-advance', [...advance, ...omitted]],
    ['call SendSimpleByApikey', ['call', 'SendSimpleByApikey', ...simple.slice(1)]],
    ['call SendArrayByApikey', ['call', 'SendArrayByApikey', ...array.slice(1)]],
    ['call SendAdvance', ['call', 'SendAdvance', ...advance.slice(1), ...omitted]],
  ];
  const cases = commands.flatMap(([name, words]) => mistakes.map((mistake) => [name, ...mistake, words] as const));

  test.each(cases)('%s refuses %s, and --as-is sends it', async (_name, _mistake, fields, message, words) => {
    expect(await run([...words, ...fields])).toEqual({
      ...{ code: 2, stdout: '', stderr: `error: ${message}; --as-is sends it as it is\n` },
    });
    expect(sandbox.requests).toEqual([]);
    await run([...words, ...fields, '--as-is']);
    expect(sandbox.requests).toHaveLength(1);
  });

  test('a text that is a default is checked too, and digits of every script are digits', async () => {
    const receptor = ['--receptor', '۰۹۱۲'];
    expect(await run([...simple, ...receptor, '--defaults', '{"message":""}'])).toMatchObject({ code: 2 });
    expect(await run([...simple, ...receptor, '--message', 'a'])).toMatchObject({ code: 0 });
  });

  test.each([['--dry-run'], ['--as-is'], ['--output']])(
    'the option %s in the place of a text is refused, and --message= sends it as a text',
    async (text) => {
      const { code, stderr } = await run([...simple, '--receptor', '1', '--message', text]);
      expect(code).toBe(2);
      expect(stderr).toMatch(/^error: .*(a value is missing before|argument missing)/);
      expect(sandbox.requests).toEqual([]);
      expect(await run([...simple, '--receptor', '1', `--message=${text}`])).toMatchObject({ code: 0 });
      expect(sandbox.messages).toMatchObject([{ message: text }]);
    },
  );
});
