import './skip-settling';

import fs, { readFileSync, rmSync, writeFileSync } from 'node:fs';
import files from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { CliCommand, type Context } from '../../src/cli/commander/command';
import { defineBulk } from '../../src/cli/commands/bulk/bulk';
import { ownBulkOptions } from '../../src/cli/commands/bulk/command';
import { optionNames } from '../../src/cli/fields/option-names';
import { messaging } from '../cli/support';
import { cleanUp } from '../support/clean-up';
import { commandsIn, given, prepare } from './cli-support';
import { damageOf, holdDate } from './support';

const baseline = ['--baseline-pagesize', '1000'];
const once = [...given, '--once', '--baseline-pagesize', '0', '--concurrency', '1'];

test('from a CSV file to "all rows are sent", following what each command says', async () => {
  holdDate();
  const { sandbox, input, environment, bulk } = await prepare(10);
  sandbox.reply('SendSimpleByApikey', { delayMs: 1 });
  sandbox.reply('SendSimpleByApikey', { drop: 'after' });
  sandbox.reply('SendSimpleByApikey', { drop: 'before' });
  sandbox.reply('SendSimpleByApikey', { status: 418 });
  const run = ['run', input, ...given, ...baseline, '--stop-after-failures', '0', '--concurrency', '1'];

  const first = await bulk(...run, '--once');
  expect(first.code).toBe(6);
  expect(first.stderr).toMatch(/^rows? 2: .*\nrow 3: .*\nrow 4: .*418/m);
  expect(first.stderr).toMatch(
    /7 of 10 rows sent, 2 unknown, 1 rejected\n2 unknown: `messaging bulk run \S+` goes on\n {2}a shell without .*\n1 row rejected \(status 418\): .*makes it pending\n {2}to correct /,
  );

  const reconciled = await bulk('reconcile', input);
  expect(reconciled.code).toBe(3);
  expect(reconciled.stderr).toMatch(
    /1 row found, 1 not found: it is pending again\nrow 4 to 09120000004 is rejected: .*\n8 of 10 rows sent, 1 rejected, 1 pending\n/,
  );

  const retry = commandsIn(reconciled.stderr).find(([, name]) => name === 'retry') as string[];
  const retried = await messaging(retry, { environment });
  expect(retried).toMatchObject({ code: 0, stderr: expect.stringMatching(/^1 row is pending again\n/) });

  const last = await bulk(...run);
  expect(last).toMatchObject({ code: 0, stdout: '', stderr: '10 of 10 rows sent\nall rows are sent\n' });
  expect(damageOf(sandbox, 10)).toEqual({ twice: 0, lost: 0 });
});

test('status shows counts and rows in every format', async () => {
  const { sandbox, input, bulk } = await prepare(2);
  sandbox.reply('SendSimpleByApikey', { delayMs: 1 });
  sandbox.reply('SendSimpleByApikey', { status: 418 });
  await bulk('run', input, ...given);
  expect(await bulk('status', input)).toMatchObject({ code: 0, stdout: '1 of 2 rows sent, 1 rejected\n' });
  const counts = { total: 2, pending: 0, 'under-way': 0, unknown: 0, sent: 1, rejected: 1, 'left-out': 0 };
  expect(JSON.parse((await bulk('status', input, '--output', 'json')).stdout)).toEqual(counts);
  expect((await bulk('status', input, '--output', 'csv')).stdout).toBe(
    'state,rows\r\npending,0\r\nunder-way,0\r\nunknown,0\r\nsent,1\r\nrejected,1\r\nleft-out,0\r\n',
  );
  const rejected = ['status', input, '--state', 'rejected'];
  expect((await bulk(...rejected)).stdout).toBe('row,state,batch,ids,error\r\n2,rejected,2,"",status 418\r\n');
  expect((await bulk(...rejected, '--output', 'table')).stdout).toMatch(/^row {2}state .*\n2 +rejected/);
  const row = { row: 2, state: 'rejected', batch: 2, ids: [], error: 'status 418', refusal: '418' };
  expect(JSON.parse((await bulk(...rejected, '--output', 'json')).stdout)).toEqual([row]);
  expect((await bulk(...rejected, '--columns', 'error,row')).stdout).toBe('error,row\r\nstatus 418,2\r\n');
  expect((await bulk(...rejected, '--columns', 'row', '--output', 'json')).stdout).toBe('[{"row":2}]\n');
  expect(await bulk(...rejected, '--columns', 'phone')).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(
      /^error: --columns: there is no field "phone" \(fields: row, state, batch, ids, error\)/,
    ),
  });
  expect(await bulk('status', input, '--columns', 'row')).toMatchObject({
    code: 2,
    stderr: 'error: --columns needs --state\n',
  });
  const { stdout } = await bulk('status', input, '--state', 'sent', '--output', 'ndjson');
  expect(JSON.parse(stdout)).toMatchObject({ row: 1, ids: [String(sandbox.messages[0]?.messageid)] });
});

type Row = [string, (input: string) => string[], RegExp];

test.each<Row>([
  [
    'an unknown column',
    (input) => ['run', input, ...given.slice(0, 2)],
    /^message is missing: give it as a column or for all rows\n(.*\n)*error: the file or its fields are wrong; this command has sent nothing\n$/,
  ],
  [
    'a wrong number',
    (input) => ['run', input, ...given, '--batch-size', 'x'],
    /^error: --batch-size: "x" is not a whole number from 1\n$/,
  ],
  [
    'a number that is too small',
    (input) => ['run', input, ...given, '--batch-size', '0'],
    /^error: --batch-size: 0 is not a whole number from 1/,
  ],
  ...(
    [
      ['--concurrency', '0', '0 is not a whole number from 1 to 65535'],
      ['--concurrency', '100000', '100000 is not a whole number from 1 to 65535'],
      ['--rows-per-second', '0', '0 is neither a number above 0 nor "off"'],
      ['--rows-per-second', 'x', '"x" is neither a number above 0 nor "off"'],
    ] as const
  ).map(
    ([option, value, problem]): Row => [
      `${option} ${value}`,
      (input) => ['run', input, ...given, option, value],
      new RegExp(`^error: ${option}: ${problem}\n$`),
    ],
  ),
  [
    'a field of another type',
    (input) => ['run', input, ...given.slice(0, 6), '--msgmode', 'x'],
    /^error: --msgmode: "x" is not a whole number\n$/,
  ],
  [
    'another operation',
    (input) => ['run', input, ...given, '--operation', 'select'],
    /^error: option '--operation <name>' argument 'select' is invalid. Allowed choices are send-simple, send-array, send-advance; see messaging bulk run --help\n$/,
  ],
  [
    'a baseline that is no number',
    (input) => ['run', input, ...given, '--baseline-pagesize', 'x'],
    /^error: --baseline-pagesize: "x" is not a whole number from 0 to/,
  ],
  ['no list', (input) => ['reconcile', input], /^error: there is no journal/],
  ...(
    [
      [['run', '--output', 'json'], "unknown option '--output'"],
      [['run', '--columns', 'row'], "unknown option '--columns'"],
      [['reconcile', '--spreadsheet'], "unknown option '--spreadsheet'"],
      [['status', '--take-over'], "unknown option '--take-over'"],
      [['status', '--base-url', 'http://127.0.0.1'], "unknown option '--base-url'"],
      [['retry', '--verbose'], "unknown option '--verbose'"],
    ] as const
  ).map(
    ([[command, ...options], problem]): Row => [
      `an option without effect on ${command}, ${options[0]},`,
      () => [command, ...options],
      new RegExp(`^error: ${problem}`),
    ],
  ),
  [
    'the name of a queue for collect',
    (input) => ['collect', input, '--queue', 'q2'],
    /^error: --queue: the journal knows the queue: leave it out\n/,
  ],
  ['no journal', (input) => ['status', input], /^error: there is no journal .*list\.csv\.journal/],
  ...['0', '3-1', 'x'].map(
    (rows): Row => [
      `--row ${rows}`,
      (input) => ['resolve', input, '--row', rows, '--as', 'sent'],
      new RegExp(`^error: --row: "${rows}" is not a list of rows such as 3,7-9\n$`),
    ],
  ),
  [
    'a second way to name rejected rows',
    (input) => ['retry', input, '--status', '412', '--all'],
    /^error: give one of --status, --row and --all\n$/,
  ],
])('%s is refused with exit code 2, and nothing is sent', async (_, args, stderr) => {
  const { sandbox, input, bulk } = await prepare(1);
  expect(await bulk(...args(input))).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(stderr) });
  expect(sandbox.requests).toHaveLength(0);
});

test('an option about the output before the name of a command that prints no records is refused', async () => {
  const { input, environment } = await prepare(1);
  const run = await messaging(['--output', 'json', '--columns', 'x', 'bulk', 'run', input], { environment });
  const stderr = 'error: --output: messaging bulk run has no such option\n';
  expect(run).toMatchObject({ code: 2, stdout: '', stderr });
});

describe('fields are given as with a single send:', () => {
  const texts = ['--sender', '3000', '--message', 'Hello {{name}}'];

  test('defaults of the settings fill what is neither given nor a column', async () => {
    const { sandbox, input, environment } = await prepare(1);
    const defaults = ['--defaults', '{"unixdate":"9007199254740993","msgmode":1,"message":"unused"}'];
    const run = await messaging(['bulk', 'run', input, '--yes', ...texts, ...defaults], { environment });
    expect(run.code).toBe(0);
    const body = sandbox.requests.find(({ operation }) => operation === 'SendSimpleByApikey')?.body;
    expect(body).toContain('>9007199254740993<');
    expect(body).toContain('Hello name 1');
  });

  test('a text comes from a file or stdin, and later commands need neither', async () => {
    const { sandbox, input, environment } = await prepare(2);
    const text = join(dirname(input), 'text');
    writeFileSync(text, 'Hello\n{{name}}\n');
    sandbox.reply('SendSimpleByApikey', { drop: 'after' });
    const others = [
      '--yes',
      '--once',
      '--sender-file',
      '-',
      '--unixdate',
      '0',
      '--defaults',
      '{"msgmode":1}',
      ...baseline,
    ];
    const args = ['bulk', 'run', input, '--message-file', text, ...others];
    const { code, stderr } = await messaging(args, { environment, stdin: '3000\n' });
    expect(code).toBe(6);
    expect(stderr).toContain('2 rows sent, 1 unknown, 1 pending');
    rmSync(text);
    expect(await messaging(['bulk', 'run', input, '--once'], { environment })).toMatchObject({ code: 6 });
    expect(sandbox.messages[1]).toMatchObject({ sender: '3000', message: 'Hello\nname 2' });
    expect(sandbox.messages[0]).toMatchObject({ sender: '3000', message: 'Hello\nname 1' });
  });

  test('an element that may be absent is left out', async () => {
    const { sandbox, input, bulk } = await prepare(1);
    const args = ['--message', '{{name}}', '--omit', 'sender', '--unixdate', '0', '--msgmode', '1'];
    expect(await bulk('run', input, '--yes', ...args)).toMatchObject({ code: 0 });
    expect(sandbox.requests.at(-1)?.body).not.toMatch(/<(\w+:)?sender[ />]/);
  });

  test('a date is ISO 8601 where the unit is known, and only there', async () => {
    const { sandbox, input, bulk } = await prepare(1);
    const dates = ['--unixdate', '2026-01-31T00:00:00Z', '--msgmode', '1'];
    expect(await bulk('run', input, ...texts, ...dates)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(
        '--unixdate: "2026-01-31T00:00:00Z" is not a date: write a whole number; --dates',
      ),
    });
    const run = ['run', input, '--yes', '--once', ...texts, ...dates, '--dates', 'seconds'];
    expect(await bulk(...run)).toMatchObject({ code: 0 });
    expect(sandbox.requests.some(({ body }) => body.includes('>1769817600<'))).toBe(true);
  });

  test.each([
    [['--message', 'x', '--message-file', 'y'], '--message: give its value or --message-file, not both'],
    [['--message', 'x', 'y'], /unexpected argument "y"/],
    [
      ['--omit', 'receptor'],
      /'receptor' is invalid. Allowed choices are sender, message, fallbackurl, clientmessageid;/,
    ],
    [['--sender-file', '-', '--message-file', '-'], '--sender-file and --message-file: only one can read stdin'],
  ])('%j is refused', async (args, message) => {
    const { bulk, input } = await prepare(1);
    const { code, stderr } = await bulk('run', input, ...args);
    expect(code).toBe(2);
    expect(stderr).toMatch(message);
  });
});

test.each(['run', 'enqueue'])('the options of %s are known, so that no field can take one', (name) => {
  const program = new CliCommand('messaging');
  defineBulk(program, {} as Context);
  const options = program.findSubcommand(name)?.options ?? [];
  const others = options.filter((option) => !option.attributeName().startsWith('--'));
  expect(others.length).toBeGreaterThan(20);
  expect(ownBulkOptions).toEqual(expect.arrayContaining(others.map(({ long }) => long?.slice(2))));
  const names = optionNames(['once', 'redis', 'sender'], ownBulkOptions);
  expect([...names.values()]).toEqual(['field-once', 'field-redis', 'sender']);
});

test('a run whose journal is deleted says so and gives 6, and does not say what another journal at its place holds', async () => {
  const { sandbox, input, journal, environment } = await prepare(30);
  sandbox.reply('*', { delayMs: 20 }, { times: Number.POSITIVE_INFINITY });
  const args = [...given, '--baseline-pagesize', '0', '--concurrency', '1'];
  const run = messaging(['bulk', 'run', input, ...args], { environment });
  while (sandbox.messages.length < 2) await new Promise((resolve) => setTimeout(resolve, 1));
  const text = readFileSync(journal);
  rmSync(journal);
  writeFileSync(journal, text);
  const { code, stderr } = await run;
  expect([code, stderr]).toEqual([
    6,
    expect.stringMatching(/^30 rows .*\nerror: the journal was moved or deleted, .*\n$/),
  ]);
  expect(sandbox.messages.length).toBeLessThan(30);
});

test('--verbose prints what crosses the wire, without the key, and only for that command', async () => {
  const { sandbox, input, bulk } = await prepare(2);
  sandbox.reply('SendSimpleByApikey', { delayMs: 1 });
  sandbox.reply('SendSimpleByApikey', { drop: 'after' });
  const { stderr } = await bulk('run', input, ...given, ...baseline, '--concurrency', '1', '--verbose', '--once');
  for (const word of ['SelectlatestByApikey', 'SendSimpleByApikey'])
    expect(stderr).toMatch(new RegExp(`^> .*${word}`, 'm'));
  expect(stderr).toMatch(/^< HTTP\/1.1 200/m);
  expect(stderr).not.toContain(sandbox.apiKey);
  const reconcile = ['reconcile', input];
  expect((await bulk(...reconcile, '--verbose')).stderr).toMatch(/^> .*SelectlatestByApikey/m);
  expect((await bulk('run', input, ...given)).stderr).not.toMatch(/^[<>]/m);
});

test('the help lists the commands, and no other', async () => {
  const { stdout } = await messaging(['bulk', '--help']);
  const commands = stdout.slice(stdout.indexOf('\nCommands:\n')).split('\n\n')[0] as string;
  expect([...commands.matchAll(/^ {2}(\S+)/gm)].map(([, name]) => name)).toEqual(
    'prepare run status results reconcile resolve retry track enqueue work collect'.split(' '),
  );
});

test('a dry run checks everything, and leaves nothing behind', async () => {
  const { sandbox, input, journal, bulk } = await prepare(5);
  const { code, stderr } = await bulk('run', input, ...given, '--batch-size', '2', '--dry-run');
  expect([code, stderr.split('\n')]).toEqual([
    0,
    [
      '5 rows in 5 requests; nothing was sent',
      'first request: {"sender":"3000","message":"Hello name 1","receptor":["09120000001"],"unixdate":"0","msgmode":1}',
      '5 parts in all messages, as networks commonly count',
      'the longest text has 12 characters in 1 part (row 1)',
      'a baseline is listed first: a row whose response is lost can be looked up',
      '',
    ],
  ]);
  expect(() => readFileSync(journal)).toThrow('ENOENT');
  expect(sandbox.requests).toHaveLength(0);
});

test('a reconciliation that concludes nothing gives 6, and prints the row with its receptor and the reason', async () => {
  const { sandbox, input, bulk } = await prepare(2);
  sandbox.reply('SendSimpleByApikey', { delayMs: 1 });
  sandbox.reply('SendSimpleByApikey', { drop: 'after' });
  await bulk('run', input, ...given, '--baseline-pagesize', '0', '--once');
  const reconciled = await bulk('reconcile', input);
  expect(reconciled).toMatchObject({
    code: 6,
    stderr: expect.stringMatching(/0 rows found, 0 not found\nrow 2 to 09120000002 is undecided: /),
  });
  const { stdout } = await bulk('status', input, '--state', 'unknown');
  expect(stdout).toContain(/undecided: (.*)/.exec(reconciled.stderr)?.[1]?.slice(0, 30));
});

test('a baseline that is asked for after rows were sent is not listed, and that is said', async () => {
  const { sandbox, input, bulk } = await prepare(2);
  sandbox.reply('SendSimpleByApikey', { drop: 'before' });
  await bulk('run', input, ...given, '--baseline-pagesize', '0', '--once');
  const { stderr } = await bulk('run', input, ...given, '--once', ...baseline);
  expect(stderr).toMatch(/^warning: rows may have been sent already, so no other baseline is listed/);
  expect(sandbox.requests.some(({ body }) => /Select(latest|outbox)/.test(body))).toBe(false);
});

test('a run whose baseline cannot be listed exits as that call does, and says that nothing was sent', async () => {
  const { sandbox, input, bulk } = await prepare(2);
  sandbox.reply('SelectlatestByApikey', { status: 418 });
  sandbox.reply('SelectlatestByApikey', { http: { status: 401 } });
  const run = ['run', input, ...given, ...baseline];
  for (const [code, error] of [
    [3, 'returned status 418.*; ask your provider what status 418 means'],
    [4, '401.*'],
  ] as const) {
    const stderr = new RegExp(
      `^2 rows .*\nerror: SelectlatestByApikey: .*${error}; nothing was sent, because the baseline could not be listed \\(--baseline-pagesize 0 sends without a baseline\\)\n$`,
    );
    expect(await bulk(...run)).toMatchObject({ code, stderr: expect.stringMatching(stderr) });
  }
  expect(sandbox.messages).toHaveLength(0);
  expect(await bulk(...run)).toMatchObject({ code: 0 });
});

test('no output, and no file, holds the API key', async () => {
  const { sandbox, input, journal, bulk } = await prepare(3);
  const quote = `${sandbox.apiKey} was used`;
  sandbox.reply('SendSimpleByApikey', { status: 418, statusmessage: quote });
  sandbox.reply('SendSimpleByApikey', { http: { status: 500, body: quote } });
  const { stderr } = await bulk('run', input, ...given, '--stop-after-failures', '0');
  expect(stderr).toMatch(/418/);
  expect(stderr).not.toContain(sandbox.apiKey);
  expect(readFileSync(journal, 'utf8')).not.toContain(sandbox.apiKey);
});

test('a dry run says what the journal knows and what the next run does', async () => {
  const { sandbox, input, bulk } = await prepare(3);
  sandbox.reply('SendSimpleByApikey', { delayMs: 0 });
  sandbox.reply('SendSimpleByApikey', { status: 418 });
  await bulk('run', input, ...once, '--stop-after-failures', '1');
  const { length } = sandbox.requests;
  const { code, stderr } = await bulk('run', input, '--dry-run');
  expect(code).toBe(0);
  expect(stderr).toContain('the journal says: 1 of 3 rows sent, 1 rejected, 1 pending\n');
  expect(stderr).toContain('the next run goes on with 1 row\n');
  expect(sandbox.requests).toHaveLength(length);
});

test.each([
  [['resolve', '--row', '1', '--as', 'sent'], /^error: --row: row 1 is sent: resolve is for unknown rows\n$/],
  [['retry', '--row', '1'], /^error: --row: row 1 is sent: retry is for rejected and left-out rows\n$/],
])('%j is refused by the name of the option', async ([command = '', ...options], message) => {
  const { input, bulk } = await prepare(1);
  await bulk('run', input, ...once);
  expect(await bulk(command, input, ...options)).toMatchObject({ code: 2, stderr: expect.stringMatching(message) });
});

test('a run shows ten of the rows that are left, and names the command that lists all of them', async () => {
  const { sandbox, input, bulk } = await prepare(12);
  for (let n = 1; n <= 12; n++) sandbox.reply('SendSimpleByApikey', { status: 412, statusmessage: `no ${n}` });
  const { stderr } = await bulk('run', input, ...once, '--stop-after-failures', '0', '--concurrency', '12');
  expect(stderr.match(/^row \d+ to 0912\d+ is rejected: .*$/gm)).toHaveLength(10);
  const [, command = ''] = /^and 2 more: `messaging bulk (.*)` lists all of them$/m.exec(stderr) ?? [];
  const { stdout } = await bulk(...command.split(' '), '--columns', 'receptor,result_state');
  expect(stdout.match(/,rejected\r\n/g)).toHaveLength(12);
});

test('rows that were refused in one request are counted by its status, and each is sent alone after retry', async () => {
  const { sandbox, input, bulk } = await prepare(3);
  sandbox.reply('SendSimpleByApikey', { status: 412 });
  const batches = ['--batch-size', '3', '--message', 'Hello', ...given.slice(4)];
  const first = await bulk(
    'run',
    input,
    '--sender',
    '3000',
    ...batches,
    ...['--baseline-pagesize', '0', '--stop-after-failures', '0'],
  );
  expect(first.stderr).toMatch(
    /^3 rows rejected \(status 412\): `messaging bulk retry \S+ --status 412` makes them pending$/m,
  );
  await bulk('retry', input, '--status', '412');
  expect(await bulk('run', input)).toMatchObject({ code: 0 });
  const sent = sandbox.requests.filter(({ operation }) => operation === 'SendSimpleByApikey');
  expect(sent.map(({ body }) => body.match(/0912\d+/g)?.length)).toEqual([3, 1, 1, 1]);
});

test('rejected rows are counted by their reason, and sent again by status', async () => {
  const { sandbox, input, bulk } = await prepare(5);
  for (const reply of [
    { delayMs: 0 },
    { status: 412 },
    { status: 412 },
    { http: { status: 404 } },
    { fault: { code: 'Client', reason: 'no' } },
  ])
    sandbox.reply('SendSimpleByApikey', reply as Parameters<typeof sandbox.reply>[1]);
  await bulk('run', input, ...once, '--stop-after-failures', '0');
  expect(await bulk('retry', input)).toMatchObject({
    code: 0,
    stdout: '2\tstatus 412\n1\tHTTP status 404\n1\tfault\n',
    stderr: expect.stringMatching(
      /^1 of 5 rows sent, 4 rejected\n2 rows rejected \(status 412\): .*\n1 row rejected \(HTTP status 404\): .*\n1 row rejected \(fault\): /,
    ),
  });
  expect(await bulk('retry', input, '--status', '412')).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(/^2 rows are pending again\n1 of 5 rows sent, 2 rejected, 2 pending\n/),
  });
  expect(await bulk('retry', input, '--all')).toMatchObject({ stderr: expect.stringMatching(/^2 rows are pending/) });
});

test('each command reads the journal and the statuses of a list once', async () => {
  const { input, bulk } = await prepare(5);
  await bulk('run', input, ...once);
  const track = ['track', input, '--within', '50ms', '--final-statuses', '9'];
  await bulk(...track);
  const read = jest.spyOn(fs, 'createReadStream');
  cleanUp(() => read.mockRestore());
  const commands = [
    ['status', input],
    track,
    ['results', input],
    ['reconcile', input],
    ['run', input],
    ['retry', input, '--all'],
  ];
  for (const command of commands) {
    read.mockClear();
    await bulk(...command);
    const paths = read.mock.calls.map(([path]) => String(path)).filter((path) => /journal$|statuses$/.test(path));
    expect(paths).toEqual([...new Set(paths)]);
    expect(paths).toContain(`${input}.journal`);
  }
});

test('a run of a list that is sent says so in a folder that cannot be written', async () => {
  const { input, bulk } = await prepare(3);
  await bulk('run', input, ...once);
  const { open } = files;
  const spy = jest.spyOn(files, 'open').mockImplementation(async (path, flags, mode) => {
    if (flags === 'r') return open(path, flags, mode);
    throw Object.assign(new Error(`EACCES: permission denied, open '${path}'`), { code: 'EACCES' });
  });
  cleanUp(() => spy.mockRestore());
  expect(await bulk('run', input)).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(/^3 rows sent: all of them$|all rows are sent/m),
  });
});
