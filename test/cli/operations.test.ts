import diagnostics from 'node:diagnostics_channel';
import { EventEmitter } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { methods, type OperationName } from '../../generated/operations';
import { examples } from '../../src/cli/commands/operations/examples';
import { OperationFields } from '../../src/cli/fields/fields';
import { kebabCase } from '../../src/cli/fields/option-names';
import { MessagingClient } from '../../src/client/client';
import { ConnectionError } from '../../src/errors';
import type { Sandbox } from '../../src/sandbox';
import { makeFolder } from '../support/folder';
import { openSandbox } from '../support/sandbox';
import { Capture, environmentOf, messaging, type Outcome, type RunOptions, shellWords } from './support';

const ID = 9007199254740993n;
const PERSIAN = 'سلام، می‌روم 😀';
const SEND = '--sender 3000 --unixdate 0 --msgmode 1 --message hello';
const names = Object.keys(methods) as OperationName[];

let sandbox: Sandbox;
beforeEach(async () => {
  sandbox = await openSandbox({ apiKeys: ['canary-key'], namespace: 'http://provider.example/' });
});

/** Runs a command line against the sandbox. */
function run(line: string, options: RunOptions = {}): Promise<Outcome> {
  return messaging(shellWords(line), { environment: environmentOf(sandbox), ...options });
}

async function stdoutOf(line: string, options?: RunOptions): Promise<string> {
  const { code, stdout, stderr } = await run(line, options);
  if (code !== 0) throw new Error(`exit code ${code}: ${stderr}`);
  return stdout;
}

describe.each(['1.1', '1.2'])('SOAP %s', (soapVersion) => {
  const json = async (line: string): Promise<unknown> =>
    JSON.parse(await stdoutOf(`--soap-version ${soapVersion} ${line} --output json`));

  test('the commands of the ten operations work, with exact ids and texts', async () => {
    expect(
      await json(`send-simple --sender 3000 --message '${PERSIAN}' --receptor 911 912 --unixdate 0 --msgmode 1`),
    ).toEqual([`${ID}`, `${ID + 1n}`]);
    expect(await json('send-array --sender a b --message c d --receptor 915 916 --unixdate 0 --msgmode -1 -2')).toEqual(
      [`${ID + 2n}`, `${ID + 3n}`],
    );
    expect(
      await json(
        "send-advance --sender a --message=--hi --encoding 0 --receptor 917 --unixdate 0 --messagemode 1 --fallbackurl '' --clientmessageid x",
      ),
    ).toBe(`${ID + 4n}`);
    expect(sandbox.messages.map(({ message }) => message)).toEqual([PERSIAN, PERSIAN, 'c', 'd', '--hi']);

    expect(await json(`select ${ID} ${ID + 4n}`)).toMatchObject([
      { messageid: `${ID}`, message: PERSIAN, receptor: '911' },
      { messageid: `${ID + 4n}`, message: '--hi', receptor: '917' },
    ]);
    expect(await json('select-latest --pagesize 2')).toHaveLength(2);
    expect(await json('select-outbox --start-unixdate 0 --end-unixdate 9223372036854775807')).toHaveLength(5);
    expect(await json('select-outbox --start-unixdate -2 --end-unixdate -1')).toEqual([]);
    sandbox.receive({ message: PERSIAN, sender: '0912', receptor: '3000' });
    expect(await json('receive --line-number 3000 --isread 0')).toMatchObject([{ message: PERSIAN, sender: '0912' }]);
    expect(await json(`cancel ${ID}`)).toEqual([13]);
    expect(await json(`get-status ${ID} -5`)).toEqual([13, 100]);
    expect(await json('remain-credit')).toMatch(/^[0-9]+$/);

    expect(sandbox.requests).toHaveLength(11);
    const contentType = soapVersion === '1.1' ? 'text/xml; charset=utf-8' : 'application/soap+xml; charset=utf-8';
    for (const { headers } of sandbox.requests) expect(headers['content-type']).toBe(contentType);
  });

  test('a field of --omit is not in the request', async () => {
    await json('send-array --omit sender --receptor 911 --msgmode 1 --message hi --unixdate 0').catch(() => undefined);
    const body = String(sandbox.requests.at(-1)?.body);
    expect(body).not.toContain('<sender');
    expect(body).toContain('<message><string>hi</string></message>');
  });
});

describe.each(Object.entries(examples))('the examples of %s', (_operation, lines) => {
  test.each(lines)('the example of the help works: %s', async (example) => {
    // Redirection is the shell's.
    const [line = ''] = example.split(' > ');
    const signals = new EventEmitter();
    const outcome = run(line, { signals });
    const follows = line.includes('--follow');
    if (follows) {
      while (sandbox.requests.length === 0) await sleep(5);
      signals.emit('SIGINT', 'SIGINT');
    }
    const { code, stderr } = await outcome;
    expect(stderr).not.toMatch(/error: (?!interrupted)/);
    expect(code).toBe(follows ? 130 : 0);
  });
});

describe('output', () => {
  beforeEach(async () => {
    await run(`send-simple ${SEND} --receptor 0912 0913`);
  });

  test('--output table prints records as a table, and their number on stderr', async () => {
    const { stdout, stderr } = await run('select-latest --pagesize 5 --output table');
    expect(stdout.split('\n')[0]).toMatch(/^ +messageid {2}message {2}status {2}statustext {2}sender {2}receptor/);
    expect(stdout.split('\n')).toHaveLength(4);
    expect(stderr).toBe('2 records\n');
    expect(await run('select 5 --output table')).toEqual({ code: 0, stdout: '', stderr: 'no records\n' });
  });

  test('--output table prints each value of a list on a line, and a single value alone', async () => {
    expect(await run(`get-status ${ID} 5`)).toEqual({ code: 0, stdout: '1\n100\n', stderr: '' });
    expect(await run('remain-credit')).toEqual({ code: 0, stdout: '9007199254740755\n', stderr: '' });
  });

  test('--output table prints a block for each record on a narrow terminal', async () => {
    expect(await stdoutOf(`select ${ID}`, { columns: 40 })).toContain(`messageid   ${ID}\nmessage     hello\n`);
  });

  test('--output json prints the bare result on one line, and nothing else', async () => {
    const { stdout, stderr } = await run('select-latest --pagesize 5 --output json');
    expect(stdout).toMatch(/^\[\{.*\}\]\n$/);
    expect(stderr).toBe('');
    expect(await stdoutOf('remain-credit --output json')).toBe('"9007199254740755"\n');
  });

  test.each([
    ['select-outbox', '--start-unixdate 0 --end-unixdate 9000000000'],
    ['select', `${ID} ${ID + 1n}`],
    ['select-latest', '--pagesize 5'],
    // Messages that were read stay read.
    ['receive', '--line-number 3000 --isread 1'],
  ])('%s prints the same records as ndjson, csv and json', async (command, fields) => {
    for (let index = 0; index < 2; index++) {
      sandbox.receive([
        { message: `first, "${index}"`, sender: '1', receptor: '3000' },
        { message: PERSIAN, sender: '2', receptor: '3000' },
      ]);
    }
    await run('receive --line-number 3000 --isread 0');
    const line = `${command} ${fields}`;
    const expected = JSON.parse(await stdoutOf(`${line} --output json`)) as Record<string, unknown>[];
    expect(expected.length).toBeGreaterThan(1);
    const lines = (await stdoutOf(`${line} --output ndjson`)).trimEnd().split('\n');
    expect(lines.map((text) => JSON.parse(text))).toEqual(expected);
    const rows = readCsv(await stdoutOf(`${line} --output csv`));
    expect(rows[0]).toEqual(Object.keys(expected[0] as object));
    expect(rows.slice(1)).toEqual(expected.map((record) => Object.values(record).map(String)));
  });

  test('ndjson and csv have a line for each value', async () => {
    expect(await stdoutOf(`get-status ${ID} 5 --output ndjson`)).toBe('1\n100\n');
    expect(await stdoutOf(`get-status ${ID} 5 --output csv`)).toBe('GetStatusByApikeyResult\r\n1\r\n100\r\n');
    expect(await stdoutOf('remain-credit --output ndjson')).toBe('"9007199254740755"\n');
    expect(await stdoutOf('remain-credit --output csv')).toBe('RemainCreditByApiKeyResult\r\n9007199254740755\r\n');
  });

  test('without records, csv is the header row and ndjson is empty', async () => {
    expect(await stdoutOf('select 5 --output csv')).toBe(
      'messageid,message,status,statustext,sender,receptor,date,cost\r\n',
    );
    expect(await stdoutOf('select 5 --output ndjson')).toBe('');
  });

  test('no format prints the control characters of a text to a terminal, and csv in a file has the exact text', async () => {
    const hostile = 'a\x1b[2J\x1b]0;pwned\x07\x9b31m\u202eb\nc';
    sandbox.reply(
      'SelectByApikey',
      { result: [{ messageid: 1, message: hostile, status: 1, date: 1, cost: 1 }] },
      { times: 5 },
    );
    for (const format of ['table', 'json', 'ndjson', 'csv']) {
      const stdout = await stdoutOf(`select 1 --output ${format}`, { columns: 200 });
      expect(stdout.replaceAll('\r\n', '')).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]/);
      expect(stdout).toContain('pwned');
    }
    expect(readCsv(await stdoutOf('select 1 --output csv'))[1]?.[1]).toBe(hostile);
  });
});

describe('without --output', () => {
  beforeEach(async () => {
    await run(`send-simple ${SEND} --receptor 0912`);
  });

  test.each([
    ['select-latest --pagesize 5', /^ +messageid {2}message/, /^messageid,message,/],
    [`get-status ${ID}`, /^ +messageid {2}status\n\d+ +1\n$/, /^1\n$/],
    ['remain-credit', /^\d+\n$/, /^\d+\n$/],
    ['call RemainCreditByApiKey', /^\d+\n$/, /^{"result":"\d+","status":200,"statusmessage":"ok"}\n$/],
  ])(
    '%s prints a table on a terminal; in a file, records are CSV, and ids and numbers are lines',
    async (line, table, file) => {
      expect(await stdoutOf(line, { columns: 100 })).toMatch(table);
      expect(await stdoutOf(line)).toMatch(file);
    },
  );
});

describe('--columns', () => {
  beforeEach(async () => {
    await run(`send-simple ${SEND} --receptor 0912`);
  });

  test.each([
    ['csv', `status,messageid\r\n1,${ID}\r\n`],
    ['table', `status         messageid\n     1  ${ID}\n`],
    ['json', `[{"status":1,"messageid":"${ID}"}]\n`],
    ['ndjson', `{"status":1,"messageid":"${ID}"}\n`],
  ])('--columns chooses and orders the fields of records as %s', async (format, expected) => {
    expect(await stdoutOf(`select ${ID} --columns status,messageid --output ${format}`)).toBe(expected);
  });

  test.each([
    ['select 1 --columns status,colour', '--columns: there is no field "colour" (fields: messageid, message,'],
    ['get-status 1 --columns status', "unknown option '--columns'"],
    ['--columns status get-status 1', '--columns: messaging get-status has no such option'],
    ['select 1 --spreadsheet --output json', '--spreadsheet: the output is json, not csv'],
    ['remain-credit --spreadsheet', "unknown option '--spreadsheet'"],
    ['call RemainCreditByApiKey --spreadsheet', "unknown option '--spreadsheet'"],
    ['--output json wsdl', '--output: messaging wsdl has no such option'],
    ['--spreadsheet contract diff', '--spreadsheet: messaging contract diff has no such option'],
    ['--verbose config', '--verbose: messaging config has no such option'],
    ['--verbose completion bash', '--verbose: messaging completion has no such option'],
  ])('%s is refused before anything is sent', async (line, message) => {
    const before = sandbox.requests.length;
    const { code, stderr } = await run(line);
    expect(stderr).toContain(message);
    expect(code).toBe(2);
    expect(sandbox.requests).toHaveLength(before);
  });
});

test('--spreadsheet prints CSV that a spreadsheet program shows unchanged; without it a text is exact', async () => {
  const record = { messageid: ID, message: '=HYPERLINK("http://x")', sender: '+98912', status: -5, date: 1, cost: 1 };
  sandbox.reply('SelectByApikey', { result: [record] }, { times: 2 });
  expect(readCsv(await stdoutOf('select 1 --output csv'))[1]).toEqual([
    ...[String(ID), record.message, '-5', '', '+98912', '', '1', '1'],
  ]);
  const stdout = await stdoutOf('select 1 --spreadsheet');
  expect(stdout.startsWith('\ufeffmessageid,message')).toBe(true);
  expect(readCsv(stdout)[1]).toEqual([
    ...[`="${ID}"`, '="=HYPERLINK(""http://x"")"', '="-5"', '', '="+98912"', '', '1', '1'],
  ]);
});

describe('call', () => {
  test.each(names)('%s has a command of its own below it, with the fields of its other command', async (operation) => {
    const { code, stdout } = await run(`help call ${operation}`);
    expect(code).toBe(0);
    expect(stdout).toContain(`Usage: messaging call ${operation} [options]`);
    for (const { name } of OperationFields.of(operation).fields)
      expect(stdout).toMatch(new RegExp(`--${kebabCase(name)} |\\[${name}\\.\\.\\.\\]`));
  });

  test('messaging call prints result, status and statusmessage', async () => {
    const send = 'call SendSimpleByApikey --sender 1 --message a --receptor 911 912 --unixdate 0 --msgmode 1';
    expect(await stdoutOf(send)).toBe(`{"result":["${ID}","${ID + 1n}"],"status":200,"statusmessage":"ok"}\n`);
    expect(await run(`call GetStatusByApikey ${ID} 5 --output table`)).toEqual({
      code: 0,
      stdout: '1\n100\n',
      stderr: 'status 200 (ok)\n',
    });
    expect(await run(`call SelectByApikey ${ID} --output csv --columns messageid`)).toEqual({
      code: 0,
      stdout: `messageid\r\n${ID}\r\n`,
      stderr: 'status 200 (ok)\n',
    });
  });

  test('messaging call prints a response with another status as well, and then exits with 3', async () => {
    sandbox.reply('RemainCreditByApiKey', { status: 418, statusmessage: 'no' }, { times: 2 });
    expect(await run('call RemainCreditByApiKey')).toEqual({
      code: 3,
      stdout: expect.stringMatching(/^{"result":.*,"status":418,"statusmessage":"no"}\n$/),
      stderr: 'error: RemainCreditByApiKey: status 418 is not in --success-statuses\n',
    });
    // Without the setting nothing is known about a status.
    const { MESSAGING_SUCCESS_STATUSES, ...environment } = environmentOf(sandbox);
    expect(await run('call RemainCreditByApiKey', { environment })).toMatchObject({ code: 0, stderr: '' });
    const fault = { fault: { code: 'Client', reason: 'no' } };
    const page = { http: { status: 403, body: 'no' } };
    for (const reply of [fault, page, { result: null }]) {
      sandbox.reply('RemainCreditByApiKey', reply);
      const outcome = await run('call RemainCreditByApiKey', { environment });
      expect(outcome.stderr).not.toContain('unexpected failure');
      expect(outcome.code).toBe('result' in reply ? 0 : 4);
    }
  });

  test('messaging call words mistakes as the other commands do', async () => {
    expect((await run('call SendAdvance --message x')).stderr).toMatch(/^error: missing: --sender, --encoding, /);
    expect((await run('call select')).stderr).toMatch(
      /^error: unknown command 'select' \(Did you mean one of SelectoutboxByApikey, SelectByApikey, .*\?\)\n$/,
    );
    expect((await run('call Selectlatest')).stderr).toBe(
      "error: unknown command 'Selectlatest' (Did you mean SelectlatestByApikey?)\n",
    );
  });
});

describe('receive --follow', () => {
  /** Runs until the work is done, which ends it with Ctrl-C. */
  async function follow(line: string, work: (stdout: Capture) => Promise<void>): Promise<Outcome & { text: string }> {
    const signals = new EventEmitter();
    const stdout = new Capture();
    const outcome = run(`receive --line-number 3000 --isread 0 --follow --every 20ms ${line}`, { signals, stdout });
    await work(stdout);
    signals.emit('SIGINT', 'SIGINT');
    return { ...(await outcome), text: stdout.text };
  }
  const until = async (condition: () => boolean): Promise<void> => {
    while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5));
  };
  const receive = (message: string): void => {
    sandbox.receive({ message, sender: '0912', receptor: '3000' });
  };

  test('receive --follow prints each message once, first the existing messages and then each new message', async () => {
    receive('first');
    const { code, stderr, text } = await follow('--columns message', async (stdout) => {
      await until(() => stdout.text.includes('first'));
      receive('second');
      await until(() => stdout.text.includes('second'));
      // A service that gives a message again.
      const again = sandbox.requests.length + 2;
      sandbox.reply('ReceiveByApikey', {
        result: [
          { messageid: 5, message: 'third', date: 1 },
          { messageid: 5, message: 'third', date: 1 },
        ],
      });
      sandbox.reply('ReceiveByApikey', { result: [{ messageid: 5, message: 'third', date: 1 }] });
      await until(() => sandbox.requests.length > again && stdout.text.includes('third'));
    });
    expect(text).toBe('message\r\nfirst\r\nsecond\r\nthird\r\n');
    // Ctrl-C while a request is under way is an error: its messages may be lost.
    expect(stderr).toMatch(/^(error: interrupted.*\n)?$/);
    expect(code).toBe(130);
  });

  test('Ctrl-C between two requests ends receive --follow without an error message', async () => {
    const signals = new EventEmitter();
    const outcome = run('receive --line-number 3000 --isread 0 --follow --every 1h', { signals });
    while (sandbox.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    // The response must be read by then.
    await new Promise((resolve) => setTimeout(resolve, 1000));
    signals.emit('SIGINT', 'SIGINT');
    expect(await outcome).toMatchObject({ code: 130, stderr: '' });
  });

  test('receive --follow ends at a failure that may have cost messages', async () => {
    sandbox.reply('ReceiveByApikey', { drop: 'after' });
    const { code, stderr } = await run('receive --line-number 3000 --isread 0 --follow');
    expect(stderr).toMatch(/^error: ReceiveByApikey: /);
    expect(code).toBe(6);
  });

  test('receive --follow asks again after an outage', async () => {
    const signals = new EventEmitter();
    const down = jest.spyOn(MessagingClient.prototype, 'receive');
    const failure = {
      operation: 'ReceiveByApikey',
      outcome: 'not-sent',
      code: 'ECONNREFUSED',
      message: 'refused',
    } as const;
    down.mockRejectedValueOnce(new ConnectionError(failure));
    receive('later');
    const stdout = new Capture();
    const outcome = run('receive --line-number 3000 --isread 0 --follow --every 1ms', { signals, stdout });
    await until(() => stdout.text.includes('later'));
    signals.emit('SIGINT', 'SIGINT');
    expect((await outcome).stderr).toMatch(
      /^warning: ReceiveByApikey: refused.*; retrying\nthe service responds again\n(error: interrupted.*\n)?$/,
    );
    down.mockRestore();
  });

  test.each([
    ['EPIPE', 'the reader of the output closed it'],
    ['ENOSPC', 'the output could not be written (ENOSPC)'],
  ])(
    'receive --follow fails when it cannot print messages (%s), and takes no further messages',
    async (code, words) => {
      const signals = new EventEmitter();
      // A write fails some time after it was begun.
      const stdout = new Writable({
        write: (_chunk, _encoding, done) => {
          receive('second');
          setTimeout(() => done(Object.assign(new Error('broken'), { code })), 50);
          setTimeout(() => signals.emit('SIGINT', 'SIGINT'), 500);
        },
      });
      receive('first');
      const outcome = await run('receive --line-number 3000 --isread 0 --follow --every 1ms', { signals, stdout });
      expect(outcome.stderr).toBe(
        `error: ${words}; the last record may be marked as read at the service, and not printed\n`,
      );
      expect(outcome.code).toBe(1);
      expect(sandbox.requests.map(({ operation }) => operation)).toEqual(['ReceiveByApikey']);
    },
  );

  test.each([
    ['--every 5', '--every: "5" is not a time above 0, such as 500ms, 5s or 1m'],
    ['--output json', '--follow: prints ndjson, csv or a table, not json'],
  ])('receive --follow refuses the option %s', async (line, message) => {
    const { code, stderr } = await run(`receive --line-number 3000 --isread 0 --follow ${line}`);
    expect(stderr).toBe(`error: ${message}\n`);
    expect(code).toBe(2);
  });
});

describe('--verbose', () => {
  test('--verbose prints each request and response on stderr, line by line, without the key and without control characters', async () => {
    const channel = diagnostics.channel('messaging-soap:wire');
    const call = jest.spyOn(MessagingClient.prototype, 'remainCredit').mockImplementation(async () => {
      const operation = 'RemainCreditByApiKey';
      channel.publish({
        operation,
        direction: 'request',
        head: 'POST / HTTP/1.1\r\nHost: x\r\n\r\n',
        body: '<a>canary-key</a>',
      });
      channel.publish({ operation, direction: 'response', head: 'HTTP/1.1 200 OK', body: '<b>\n\x1b[2J</b>\n' });
      return 5n;
    });
    const { code, stdout, stderr } = await run('remain-credit --verbose');
    expect({ code, stdout }).toEqual({ code: 0, stdout: '5\n' });
    expect(stderr).toMatch(
      /^\* \d+ ms\n> POST \/ HTTP\/1\.1\n> Host: x\n>\n> <a>\*\*\*<\/a>\n\* \d+ ms\n< HTTP\/1\.1 200 OK\n<\n< <b>\n< \\x1b\[2J<\/b>\n$/,
    );
    expect(channel.hasSubscribers).toBe(false);
    expect((await run('remain-credit')).stderr).toBe('');
    call.mockRestore();
  });
});

describe('configuration', () => {
  test('global options stand before or after the command, and win over the environment', async () => {
    const environment = {
      MESSAGING_BASE_URL: 'http://127.0.0.1:1',
      MESSAGING_NAMESPACE: 'wrong',
      MESSAGING_API_KEY: 'wrong',
      MESSAGING_SUCCESS_STATUSES: '1',
      MESSAGING_SOAP_VERSION: '9',
      MESSAGING_TIMEOUT_MS: 'x',
    };
    const folder = makeFolder();
    const keyFile = join(folder, 'key');
    writeFileSync(keyFile, 'canary-key\r\n', { mode: 0o600 });
    const options = [
      ['--base-url', `${sandbox.baseUrl}/`, '--namespace', sandbox.namespace, '--success-statuses', '100,200'],
      ['--api-key-file', keyFile, '--soap-version', '1.2', '--timeout-ms', '5000', '--output', 'json'],
    ];
    const before = await messaging([...options.flat(), 'remain-credit'], { environment });
    expect(before).toMatchObject({ code: 0, stderr: expect.stringMatching(/^ignored because of --base-url: .*\n$/) });
    expect(await messaging(['remain-credit', ...options.flat()], { environment })).toEqual(before);
    expect(await messaging([...(options[0] ?? []), 'remain-credit', ...(options[1] ?? [])], { environment })).toEqual(
      before,
    );
    // The one after the command is the last word.
    expect(await messaging(['--output', 'table', 'remain-credit', ...options.flat()], { environment })).toEqual(before);
  });

  test('a key on the command line works, with a warning that does not repeat it', async () => {
    const { code, stderr } = await run('remain-credit --api-key canary-key');
    expect(code).toBe(0);
    expect(stderr).toBe('warning: --api-key is visible in the process list: use --api-key-file or MESSAGING_API_KEY\n');
  });
});

describe('wsdl', () => {
  test('messaging wsdl prints the WSDL that the service gives, from base URL and namespace alone', async () => {
    const environment = { MESSAGING_API_KEY: '\x01', MESSAGING_TIMEOUT_MS: 'x', MESSAGING_SUCCESS_STATUSES: 'x' };
    const args = ['wsdl', '--base-url', `${sandbox.baseUrl}/`, '--namespace', sandbox.namespace];
    const { code, stdout, stderr } = await messaging(args, { environment });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toBe(await (await fetch(`${sandbox.baseUrl}/soap/v1.asmx?wsdl`)).text());
    expect(stdout).toContain(`"${sandbox.baseUrl}/soap/v1.asmx"`);
  });

  test('settings before a command that does not need them do no harm', async () => {
    const { code } = await run('--timeout-ms 5 --api-key-file /nonexistent --profile nonexistent completion bash');
    expect(code).toBe(0);
  });
});

/** A plain reader of RFC 4180, written apart from the writer. */
function readCsv(text: string): string[][] {
  const rows: string[][] = [];
  const cell = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/y;
  let row: string[] = [];
  while (cell.lastIndex < text.length) {
    const match = cell.exec(text);
    if (!match) throw new Error(`not CSV: ${text}`);
    row.push(match[1]?.replaceAll('""', '"') ?? match[2] ?? '');
    if (match[3] === '\r\n') {
      rows.push(row);
      row = [];
    }
  }
  return rows;
}
