import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Sandbox } from '../../src/sandbox';
import { makeFolder } from '../support/folder';
import { programPath } from '../support/process';
import { openSandbox } from '../support/sandbox';
import { environmentOf, messaging, outcomeOf } from './support';

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
      '911',
      '912',
      '913',
      '--dry-run',
    ]);
    expect(code).toBe(0);
    expect(stdout).toBe('encoding,characters,units,parts,unitsPerPart,receptors\r\nUCS-2,71,71,2,67,3\r\n');
    expect(stderr).toBe('nothing was sent; 6 parts for all receptors, as networks commonly count\n');
    expect(sandbox.requests).toEqual([]);
  });

  test('a dry run of send-array prints a row for each text', async () => {
    const texts = ['--message', 'hello', '€', '--receptor', '911', '912'];
    const line = (text: string, units: number) =>
      `{"encoding":"GSM-7","characters":${text.length},"units":${units},"parts":1,"unitsPerPart":160,"receptors":1}\n`;
    const { stdout } = await run([...array, ...texts, '--dry-run', '--output', 'ndjson']);
    expect(stdout).toBe([line('hello', 5), line('€', 2)].join(''));
    expect(sandbox.requests).toEqual([]);
  });

  test('a dry run of send-advance prints one row', async () => {
    const others = ['--message', 'hello', '--receptor', '911', '--omit', 'fallbackurl', 'clientmessageid'];
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
      '911',
      '--defaults',
      defaults,
      '--dry-run',
    ]);
    expect(stdout).toContain('GSM-7,5,5,1,160,1');
  });

  test.each<[string, readonly string[], string]>([
    ['a field that is missing', ['--message', 'a'], 'error: missing: --receptor\n'],
    ['a text that XML cannot carry', ['--message', '\u0001', '--receptor', '911'], 'error: --message: '],
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
    const texts = ['--message', 'a', 'b', '--receptor', '911', '09120000002,09120000003'];
    expect((await run([...array, ...texts])).stderr).toContain('"09120000002,09120000003" has two numbers');
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

describe('several receptors in one word', () => {
  const send = (receptor: string, ...more: string[]) =>
    run([...simple, '--message', 'a', '--receptor', receptor, ...more]);

  test.each([
    ['two lines', '09120000001\n09120000002', ['09120000001', '09120000002']],
    ['two lines of Windows, and a line end', '09120000001\r\n09120000002\r\n', ['09120000001', '09120000002']],
    ['a blank between parts of 8 digits and more', '09123456789 09123456780', ['09123456789', '09123456780']],
    ['several blanks', '09123456789  09123456780\t12345678', ['09123456789', '09123456780', '12345678']],
    ['blanks within one receptor', '0912 345 6789', ['0912 345 6789']],
    ['blanks within a receptor of another line', '0912 345 6789\n09123456780', ['0912 345 6789', '09123456780']],
    ['a country code before a blank', '+98 9123456789', ['+98 9123456789']],
    ['Persian digits', '۰۹۱۲۳۴۵۶۷۸۹ ۰۹۱۲۳۴۵۶۷۸۰', ['۰۹۱۲۳۴۵۶۷۸۹', '۰۹۱۲۳۴۵۶۷۸۰']],
  ])('%s', async (_, word, receptors) => {
    expect(await send(word)).toMatchObject({ code: 0 });
    expect(sandbox.messages.map(({ receptor }) => receptor)).toEqual(receptors);
  });

  test('an empty line is refused, and so are blanks that may separate receptors of few digits', async () => {
    expect((await send('09120000001\n\n09120000002')).stderr).toContain('--receptor: it is empty');
    expect((await send('0912 345 6789 0912 345 6780')).stderr).toContain(
      'has two numbers: send-simple takes --receptor 09120000001 09120000002, or',
    );
    expect(sandbox.messages).toEqual([]);
    expect(await send('0912 345 6789 0912 345 6780', '--as-is')).toMatchObject({ code: 0 });
  });

  test('send-advance takes one receptor', async () => {
    const fields = [
      '--message',
      'a',
      '--receptor',
      '09120000001\n09120000002',
      '--omit',
      'fallbackurl',
      'clientmessageid',
    ];
    expect((await run([...advance, ...fields])).stderr).toBe('error: --receptor: takes one value, 2 are given\n');
  });
});

describe('bytes that are not UTF-8', () => {
  test.each([
    ['a text', ['--message', 'caf\ufffd', '--receptor', '911'], '--message'],
    ['a receptor', ['--message', 'a', '--receptor', '091\ufffd'], '--receptor'],
    ['a sender', ['--message', 'a', '--receptor', '911', '--sender', '\ufffd'], '--sender'],
    ['a default', ['--receptor', '911', '--defaults', '{"message":"caf\ufffd"}'], '--message'],
  ])('%s with U+FFFD is refused, and --as-is sends it', async (_, fields, option) => {
    const words = option === '--sender' ? simple.filter((word) => !['--sender', '3000'].includes(word)) : simple;
    expect(await run([...words, ...fields])).toEqual({
      code: 2,
      stdout: '',
      stderr: `error: ${option}: it has U+FFFD in place of bytes that are not UTF-8: use a terminal in UTF-8, or ${option}-file; --as-is sends it as it is\n`,
    });
    expect(sandbox.requests).toEqual([]);
    expect(await run([...words, ...fields, '--as-is'])).toMatchObject({ code: 0 });
  });

  test('bytes that a shell gives are refused, and so are bytes of a file and of stdin', async () => {
    const environment = environmentOf(sandbox);
    const line = `"$0" "$1" ${simple.join(' ')} --receptor 911`;
    const sh = (words: string) =>
      outcomeOf(spawn('sh', ['-c', words, process.execPath, programPath('messaging')], { env: environment }));
    expect(await sh(`${line} --message "$(printf 'caf\\351')"`)).toMatchObject({ code: 2 });
    expect(await sh(`printf 'caf\\351' | ${line} --message-file -`)).toMatchObject({ code: 2 });
    expect(sandbox.requests).toEqual([]);
  });
});

describe('a date in another unit than the service’s', () => {
  const send = (unixdate: string, ...more: string[]) =>
    run([
      'send-simple',
      '--sender',
      '1',
      '--message',
      'a',
      '--receptor',
      '911',
      '--msgmode',
      '1',
      '--unixdate',
      unixdate,
      ...more,
    ]);

  test.each([
    [
      'seconds',
      '1795494292974',
      /unixdate: 1795494292974 is \+058866-.* in seconds, and 2026-.* in milliseconds; --dates/,
    ],
    ['milliseconds', '1795494292', /unixdate: 1795494292 is 1970-.* in milliseconds, and 2026-.* in seconds; --dates/],
  ])('with --dates %s, %s is refused, and --as-is sends it', async (unit, date, message) => {
    const { code, stderr } = await send(date, '--dates', unit);
    expect(code).toBe(2);
    expect(stderr).toMatch(message);
    expect(await send(date, '--dates', unit, '--as-is')).toMatchObject({ code: 0 });
    expect(await send('0', '--dates', unit)).toMatchObject({ code: 0 });
  });

  test('a dry run says what a date means in each unit while the unit is not known', async () => {
    expect((await send('1795494292974', '--dry-run')).stderr).toMatch(
      /unixdate 1795494292974 is \+058866-.* if dates count seconds, and 2026-.* if dates count milliseconds; --dates says which\n$/,
    );
  });
});

test('a dry run says what a date means in the unit of dates, and says nothing of 0', async () => {
  const line = (unixdate: string) => [
    ...simple.slice(0, 3),
    '--unixdate',
    unixdate,
    '--msgmode',
    '1',
    '--dates',
    'seconds',
  ];
  const dryRun = (unixdate: string) => run([...line(unixdate), '--message', 'a', '--receptor', '911', '--dry-run']);
  expect((await dryRun('2026-11-21')).stderr).toMatch(/\nunixdate 1795219200 is 2026-11-21T00:00:00Z\n$/);
  expect((await dryRun('-17836761600')).stderr).toMatch(/\nunixdate -17836761600 is 1404-10-11T00:00:00Z\n$/);
  expect((await dryRun('0')).stderr).not.toContain('unixdate');
});

describe('a profile with "confirm"', () => {
  const message = ['--message', 'a', '--receptor', '911', '912'];
  const home = () => {
    const folder = makeFolder();
    mkdirSync(join(folder, 'messaging'));
    const profiles = {
      live: { baseUrl: `${sandbox.baseUrl}/`, confirm: true },
      other: { baseUrl: 'http://127.0.0.1:1' },
    };
    writeFileSync(join(folder, 'messaging/config.json'), JSON.stringify({ profiles }), { mode: 0o600 });
    return { ...environmentOf(sandbox), XDG_CONFIG_HOME: folder };
  };
  const line = () => `2 messages from 3000 to ${sandbox.baseUrl} (profile live)\n`;

  test('asks before a send, whatever source the base URL comes from, and needs --yes where nobody can be asked', async () => {
    const environment = home();
    const commands = [
      [...simple, ...message],
      ['call', 'SendSimpleByApikey', ...simple.slice(1), ...message],
    ];
    for (const words of commands) {
      expect(await messaging(words, { environment })).toEqual({
        code: 2,
        stdout: '',
        stderr: `${line()}error: profile live asks before it sends, and nobody can be asked here: --yes sends\n`,
      });
    }
    expect(sandbox.requests).toEqual([]);
    expect(await messaging([...simple, ...message, '--yes'], { environment })).toMatchObject({
      code: 0,
      stderr: line(),
    });
    expect(sandbox.messages).toHaveLength(2);
  });

  test('asks nothing for a dry run, for a reading command, and for another service', async () => {
    const environment = home();
    expect((await messaging([...simple, ...message, '--dry-run'], { environment })).code).toBe(0);
    expect((await messaging(['remain-credit'], { environment })).code).toBe(0);
    const other = await openSandbox();
    const elsewhere = { ...environment, MESSAGING_BASE_URL: other.baseUrl };
    expect((await messaging([...simple, ...message], { environment: elsewhere })).code).toBe(0);
  });

  test('a wrong request is refused before the question', async () => {
    const { stderr } = await messaging([...simple, '--receptor', '911'], { environment: home() });
    expect(stderr).toBe('error: missing: --message\n');
  });
});

describe('a message that nobody means to send', () => {
  const mistakes: readonly (readonly [string, readonly string[], string])[] = [
    ['an empty text', ['--message', '', '--receptor', '911'], '--message: it is empty'],
    ['an empty receptor', ['--message', 'a', '--receptor', ' '], '--receptor: it is empty'],
    [
      'a receptor without a digit',
      ['--message', 'a', '--receptor', 'Ali'],
      '--receptor: "Ali" has other characters than digits',
    ],
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
      const { code, stderr } = await run([...simple, '--receptor', '911', '--message', text]);
      expect(code).toBe(2);
      expect(stderr).toMatch(/^error: .*(a value is missing before|argument missing)/);
      expect(sandbox.requests).toEqual([]);
      expect(await run([...simple, '--receptor', '911', `--message=${text}`])).toMatchObject({ code: 0 });
      expect(sandbox.messages).toMatchObject([{ message: text }]);
    },
  );
});
