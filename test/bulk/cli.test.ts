import './skip-settling';

import { appendFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { readBulk } from '../../src/bulk';
import { CliCommand, type Context } from '../../src/cli/commander/command';
import { defineBulk } from '../../src/cli/commands/bulk/bulk';
import { ownBulkOptions } from '../../src/cli/commands/bulk/command';
import { BulkProgress, PUSHED_BACK, SETTLING } from '../../src/cli/commands/bulk/progress';
import { optionNames } from '../../src/cli/fields/option-names';
import type { Sandbox } from '../../src/sandbox';
import { Capture, messaging, startProcess } from '../cli/support';
import { cleanUp } from '../support/clean-up';
import { commandsIn, given, prepare } from './cli-support';
import { damageOf, endOf, holdDate, printed } from './support';

const baseline = ['--baseline-pagesize', '1000'];

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
    /7 of 10 rows sent, 2 unknown, 1 rejected\n2 unknown: `messaging bulk run \S+ --concurrency 1 --stop-after-failures 0` goes on\n {2}it needs .*\n1 row rejected \(status 418\): .*makes it pending\n {2}to correct /,
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
  const counts = { total: 2, pending: 0, 'under-way': 0, unknown: 0, sent: 1, rejected: 1, moved: 0 };
  expect(JSON.parse((await bulk('status', input, '--output', 'json')).stdout)).toEqual(counts);
  expect((await bulk('status', input, '--output', 'csv')).stdout).toBe(
    'state,rows\r\npending,0\r\nunder-way,0\r\nunknown,0\r\nsent,1\r\nrejected,1\r\nmoved,0\r\n',
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
    /^message is missing: give it as a column or for all rows\n(.*\n)*error: the file or its fields are wrong; nothing was sent\n$/,
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
      ['--rows-per-second', '0', '0 is not a number above 0'],
      ['--rows-per-second', 'x', '"x" is not a number above 0'],
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
    'prepare run status results reconcile resolve retry split track enqueue work collect'.split(' '),
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

describe('a process', () => {
  /** Starts a run at a slow service, once its first requests are under way. */
  async function startRun(rows: number, delayMs: number) {
    const { sandbox, input, environment, bulk } = await prepare(rows);
    sandbox.reply('SendSimpleByApikey', { delayMs: 1 });
    sandbox.reply('*', { delayMs }, { times: Number.POSITIVE_INFINITY });
    const args = [
      'bulk',
      'run',
      input,
      ...given,
      '--concurrency',
      '4',
      '--rows-per-second',
      '200',
      '--baseline-pagesize',
      '0',
    ];
    const child = startProcess(args, environment);
    let stderr = '';
    child.stderr?.on('data', (text) => {
      stderr += text;
    });
    await messagesOf(sandbox, 5);
    return { sandbox, input, bulk, child, stderr: () => stderr };
  }

  async function messagesOf(sandbox: Sandbox, count: number): Promise<void> {
    while (sandbox.messages.length < count) await new Promise((resolve) => setTimeout(resolve, 5));
  }

  test.each([
    ['Ctrl-C', 'SIGINT', 130],
    ['SIGTERM', 'SIGTERM', 143],
    ['a lost terminal', 'SIGHUP', 143],
  ] as const)(
    '%s drains: what is under way ends, nothing is unknown, and the next run goes on',
    async (_, signal, code) => {
      const { sandbox, input, bulk, child, stderr } = await startRun(40, 100);
      child.kill(signal);
      expect(await endOf(child)).toEqual({ code, signal: null });
      expect(stderr()).toMatch(/stopping: no further request starts.*\n.*rows sent, \d+ pending\n/);
      const { stdout } = await bulk('status', input, '--output', 'json');
      expect(JSON.parse(stdout)).toMatchObject({ unknown: 0, 'under-way': 0, sent: sandbox.messages.length });
      sandbox.reply('*', { delayMs: 0 }, { times: Number.POSITIVE_INFINITY });
      expect(await bulk('run', input, ...given)).toMatchObject({ code: 0 });
      expect(damageOf(sandbox, 40)).toEqual({ twice: 0, lost: 0 });
    },
  );

  test('Ctrl-C twice leaves at once: what is under way is unknown', async () => {
    const { input, bulk, child } = await startRun(40, 60_000);
    const stopping = printed(child, /stopping/);
    child.kill('SIGINT');
    await stopping;
    child.kill('SIGINT');
    expect(await endOf(child)).toEqual({ code: null, signal: 'SIGINT' });
    const { code, stdout } = await bulk('status', input, '--output', 'json');
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ unknown: 4, 'under-way': 0, sent: 1, pending: 35 });
  });

  test('a second one on the same journal is refused while the first one lives', async () => {
    const { input, bulk, child } = await startRun(40, 60_000);
    const second = await bulk('run', input, ...given);
    expect(second).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^error: .*list\.csv\.journal is in use by process \d+/),
    });
    const status = await bulk('status', input);
    expect(status).toMatchObject({ code: 0, stdout: '1 of 40 rows sent, 35 pending, 4 under way\n' });
    expect(status.stderr).toBe(`process ${child.pid} works on this list: wait for it to end\n`);
    child.kill('SIGKILL');
    await endOf(child);
    expect(await bulk('status', input)).toMatchObject({ stdout: '1 of 40 rows sent, 4 unknown, 35 pending\n' });
  });
});

test('a process of another host that did not close the journal is named, and how to go on if it has ended', async () => {
  const { input, journal, environment, bulk } = await prepare(2);
  await bulk('run', input, ...given);
  appendFileSync(
    journal,
    `${JSON.stringify({ t: 'open', v: 1, kind: 'bulk', opening: 'x', pid: 77, host: 'other' })}\n`,
  );
  const { stderr } = await bulk('status', input);
  expect(stderr).toBe(
    `process 77 on other opened the journal and did not close it; if that process has ended: \`messaging bulk run ${input} --take-over\`\n`,
  );
  expect(await readBulk(journal)).toMatchObject({
    holder: { pid: 77, host: 'other', isElsewhere: true },
  });
  const [takeOver = []] = commandsIn(stderr);
  expect(await messaging(takeOver, { environment })).toMatchObject({ code: 0 });
  expect(await readBulk(journal)).toMatchObject({ holder: undefined });
});

describe('progress', () => {
  const counts = { total: 100_000, pending: 100_000, 'under-way': 0, unknown: 0, sent: 0, rejected: 0, moved: 0 };

  function progressOn(columns: number) {
    jest.useFakeTimers();
    cleanUp(() => void jest.useRealTimers());
    const stderr = new Capture(columns);
    const log = (message: string) => void stderr.write(`${message}\n`);
    const progress = new BulkProgress({ io: { stderr }, log } as unknown as Context, counts);
    /** Sends rows for some seconds, at the same rate. */
    const send = (seconds: number, rows: number) => {
      for (let second = 1; second <= seconds; second++) {
        jest.advanceTimersByTime(1000);
        sent += rows;
        progress.show({ ...counts, sent, pending: counts.total - sent });
      }
    };
    let sent = 0;
    progress.show(counts);
    return { stderr, progress, send };
  }

  test('on a terminal is one line with rows, rate over 10 s, time left and counts', () => {
    const { stderr, progress, send } = progressOn(120);
    expect(stderr.text).toBe('\r0 of 100,000 rows done (0 %), 0/s, ? left; 100,000 pending');
    send(100, 1);
    send(10, 100);
    jest.advanceTimersByTime(500);
    expect(stderr.text).toMatch(
      /\r1,100 of 100,000 rows done \(1 %\), 100\/s, 16:29 left; 1,100 sent, 98,900 pending *$/,
    );
    expect(stderr.text).not.toContain('\n');
    progress.end();
    expect(stderr.text).toMatch(/\r +\r$/);
  });

  test('anywhere else is a line a minute', () => {
    const { stderr, send } = progressOn(0);
    send(130, 10);
    expect(stderr.text.split('\n')).toEqual([
      '590 of 100,000 rows done (0 %), 10/s, 02:48:30 left; 590 sent, 99,410 pending',
      '1,190 of 100,000 rows done (1 %), 10/s, 02:44:41 left; 1,190 sent, 98,810 pending',
      '',
    ]);
  });

  test('shows a long wait while it lasts, which does not count as work', () => {
    const { stderr, progress, send } = progressOn(120);
    send(10, 100);
    progress.wait(60_000, SETTLING);
    const words = 'waiting 60 s for requests to settle';
    expect(stderr.text).toContain(`${words}\n`);
    jest.advanceTimersByTime(59_000);
    expect(stderr.text.slice(stderr.text.lastIndexOf('\r'))).toContain(
      `${words}; 1,000 of 100,000 rows done (1 %), 0/s`,
    );
    jest.advanceTimersByTime(1000);
    send(5, 100);
    jest.advanceTimersByTime(500);
    expect(stderr.text.slice(stderr.text.lastIndexOf('\r'))).toMatch(
      /^\r1,500 of 100,000 rows done \(1 %\), (9|10)\d\/s/,
    );
  });

  test('shows a service that pushes back each second, and prints it once', () => {
    const { stderr, progress, send } = progressOn(120);
    for (let second = 1; second <= 70; second++) {
      send(1, 40);
      progress.wait(1000, PUSHED_BACK);
    }
    const words = 'waiting 1 s because the service asks for fewer requests (HTTP 429)';
    expect(stderr.text.split(`${words}\n`)).toHaveLength(2);
    expect(stderr.text).toContain('40/s, ');
    expect(stderr.text.split(`\r${words}; `).length).toBeGreaterThan(60);
  });
});

test('a pause that the service asks for is printed, and the run ends with all rows sent', async () => {
  const { sandbox, input, bulk } = await prepare(3);
  sandbox.reply('SendSimpleByApikey', { http: { status: 429, headers: { 'retry-after': '1' } } });
  const { code, stderr } = await bulk('run', input, ...given);
  expect(code).toBe(0);
  expect(stderr).toMatch(
    /\nwaiting 1 s because the service asks for fewer requests \(HTTP 429\)\n3 of 3 rows sent\nall rows are sent\n$/,
  );
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
