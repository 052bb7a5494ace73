import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Sandbox } from '../../src/sandbox';
import { formatWsdl } from '../../src/soap/wsdl';
import { makeFolder } from '../support/folder';
import { programPath } from '../support/process';
import { openSandbox } from '../support/sandbox';
import { TerminalSession } from '../support/terminal';
import { environmentOf } from './support';

describe('on a terminal', () => {
  let sandbox: Sandbox;
  let folder: string;
  beforeAll(() => {
    folder = makeFolder();
  });
  beforeEach(async () => {
    sandbox = await openSandbox();
  });

  /** Lets the next list hold one message that was sent. */
  const armRecord = (): void => {
    const record = { messageid: 9007199254740993n, status: 1, statustext: 'queued', date: 1795291880, cost: 120 };
    const texts = { message: 'سلام، این یک پیام است', sender: '30001234', receptor: '09120000001' };
    sandbox.reply('SelectlatestByApikey', { result: [{ ...record, ...texts }] });
  };

  /** A shell's command line, in which `messaging` is the built command. */
  const inShell = (line: string, columns = 80, environment: NodeJS.ProcessEnv = {}): TerminalSession => {
    const script = `messaging() { ${process.execPath} ${programPath('messaging')} "$@"; }; cd ${folder}; ${line}`;
    return new TerminalSession(['sh', '-c', script], columns, {
      ...environmentOf(sandbox),
      NO_COLOR: '1',
      ...environment,
    });
  };
  const inTerminal = (line: string, columns?: number, environment?: NodeJS.ProcessEnv): TerminalSession =>
    inShell(`exec ${process.execPath} ${programPath('messaging')} ${line}`, columns, environment);

  test.each([
    [120, ['       messageid  message                status  statustext  sender    receptor           date  cost']],
    [80, ['messageid   9007199254740993', 'message     سلام، این یک پیام است', 'status      1']],
    [40, ['messageid   9007199254740993', 'message     سلام، این یک پیام است', 'status      1']],
  ])('sent messages fit a terminal of %d columns', async (columns, lines) => {
    armRecord();
    const session = inTerminal('select-latest --pagesize 1', columns);
    expect(await session.end()).toBe(0);
    expect(session.output).toContain(`${lines.join('\r\n')}\r\n`);
    expect(session.output).toMatch(/1 record\r\n$/);
  });

  test.each([
    'select-latest --pagesize 1',
    'config',
    'doctor',
    '--help',
    'nonsense',
    'select-latest --pagesize 1 > list.csv',
    'doctor > doctor.csv',
  ])('messaging %s prints no colour and no escape sequence with NO_COLOR', async (line) => {
    armRecord();
    const session = inShell(`messaging ${line}`, 80, { FORCE_COLOR: '3' });
    await session.end();
    expect(session.output).not.toContain('\x1b');
    for (const file of ['list.csv', 'doctor.csv'])
      if (line.endsWith(file)) expect(readFileSync(join(folder, file), 'utf8')).not.toContain('\x1b');
  });

  test.each([
    ['nonsense', '\x1b[31merror:\x1b[39m unknown command'],
    ['doctor --success-statuses 1 --api-key sandbox-key', '\x1b[33mwarning:\x1b[39m --api-key is visible'],
  ])('messaging %s shows errors and warnings in colour, unless the terminal has no colours', async (line, text) => {
    const session = inTerminal(line, 200, { NO_COLOR: '' });
    await session.end();
    expect(session.output).toContain(text);
    const plain = inTerminal(line, 200, { NO_COLOR: '', TERM: 'dumb' });
    await plain.end();
    expect(plain.output).not.toContain('\x1b');
  });

  test('get-status on a terminal prints each id beside its status', async () => {
    const session = inTerminal('get-status 9007199254740993 5');
    expect(await session.end()).toBe(0);
    expect(session.output).toBe('       messageid  status\r\n9007199254740993     100\r\n               5     100\r\n');
  });

  test('numbers are printed without ids when there are not as many numbers as ids', async () => {
    sandbox.reply('GetStatusByApikey', { result: [1] });
    const session = inTerminal('get-status 7 8');
    expect(await session.end()).toBe(0);
    expect(session.output).toMatch(/^1\r\nwarning: 2 ids, 1 status: [^\n]*\r\n$/);
  });

  test.each([60, 140])(
    'the lines of contract diff fit a terminal of %d columns, and at most 100 columns',
    async (columns) => {
      const changed = formatWsdl('http://messaging.example/', 'http://127.0.0.1/soap/v1.asmx')
        .replace(/(name="pagesize" type=")[^"]*"/, '$1xsd:short"')
        .replaceAll('name="statustext"', 'name="text"');
      writeFileSync(join(folder, 'their.wsdl'), changed);
      const session = inTerminal('contract diff their.wsdl', columns);
      expect(await session.end()).toBe(7);
      const lines = session.output.split('\r\n').filter((line) => !/^ {2}MESSAGING|^their|^error/.test(line));
      expect(lines.join(' ').replace(/ +/g, ' ')).toContain('request of SelectlatestByApikey, element pagesize');
      expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(Math.min(columns, 100));
    },
  );

  test('JSON has several lines on a terminal', async () => {
    const session = inTerminal('get-status 7 --output json');
    expect(await session.end()).toBe(0);
    expect(session.output).toBe('[\r\n  100\r\n]\r\n');
  });

  test('receive --follow prints the headings once, and later rows in the same columns', async () => {
    sandbox.receive({ sender: '09120000001', receptor: '3000', message: 'first message' });
    const session = inTerminal('receive --line-number 3000 --isread 0 --follow --every 100ms');
    while (!session.output.includes('first message')) await sleep(20);
    sandbox.receive({ sender: '09120000002', receptor: '3000', message: 'second' });
    while (!session.output.includes('second')) await sleep(20);
    session.type('\x03');
    expect(await session.end()).toBe(130);
    const [, first = '', second = ''] = session.output.split('\r\n');
    expect(session.output.match(/messageid/g)).toHaveLength(1);
    expect(second.indexOf('second')).toBe(first.indexOf('first message'));
  });

  test('a list that is written to a file shows its progress on the terminal, and removes it at the end', async () => {
    armRecord();
    const session = inShell('messaging select-latest --pagesize 1 > list.csv; echo "exit $?"');
    expect(await session.end()).toBe(0);
    expect(session.output).toBe('\r1 record\r        \rexit 0\r\n');
    expect(readFileSync(join(folder, 'list.csv'), 'utf8')).toMatch(/^messageid,.*\r\n9007199254740993,/);
  });

  test('a warning of receive --follow does not share a line with the progress', async () => {
    sandbox.receive({ sender: '09120000001', receptor: '3000', message: 'first message' });
    const session = inShell('messaging receive --line-number 3000 --isread 0 --follow --every 100ms > inbox.csv');
    while (!session.output.includes('1 record')) await sleep(20);
    await sandbox.close();
    while (!session.output.includes('retrying')) await sleep(20);
    session.type('\x03');
    await session.end();
    expect(session.output).toMatch(/^(\r1 record)+\r {8}\rwarning: .*; retrying\r\n/);
  });

  test.each(['json', 'table'])('a list that is written to a file as %s shows its progress too', async (format) => {
    armRecord();
    const session = inShell(`messaging select-latest --pagesize 1 --output ${format} | cat > list`);
    expect(await session.end()).toBe(0);
    expect(session.output).toMatch(/^\r1 record\r {8}\r(?:1 record\r\n)?$/);
  });

  test('an error is on a line of its own after the progress', async () => {
    const record = '<ApiSelect><messageid>1</messageid><status>1</status><date>1</date><cost>1</cost></ApiSelect>';
    const body = `<soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/"><soap:Body><SelectlatestByApikeyResponse xmlns="${sandbox.namespace}"><SelectlatestByApikeyResult>${record.repeat(3)}<<`;
    sandbox.reply('SelectlatestByApikey', { http: { status: 200, headers: { 'Content-Type': 'text/xml' }, body } });
    const session = inShell('messaging select-latest --pagesize 1 > list.csv; echo "exit $?"');
    await session.end();
    expect(session.output).toMatch(/^\r1 record(?:\r\d records)*\r +\rerror: SelectlatestByApikey: .*\r\nexit 6\r\n$/);
  });

  test('Ctrl-C during a send says that it may have been sent, and gives 130', async () => {
    sandbox.reply('*', { delayMs: 60_000 });
    const before = sandbox.requests.length;
    const words = 'send-simple --sender 1 --message hi --receptor 911 --unixdate 0 --msgmode 1';
    const session = inTerminal(words);
    while (sandbox.requests.length === before) await new Promise((resolve) => setTimeout(resolve, 10));
    session.type('\x03');
    expect(await session.end()).toBe(130);
    expect(session.output).toContain('error: interrupted; it may have been sent: check before sending again\r\n');
  });

  test('a pipe that closes ends the program quietly', async () => {
    const result = Array.from({ length: 20_000 }, (_, id) => ({ messageid: id, status: 1, date: 1, cost: 1 }));
    sandbox.reply('SelectlatestByApikey', { result });
    const session = inShell('messaging select-latest --pagesize 1 --columns messageid | head -n 2; echo "exit $?"');
    await session.end();
    // Progress may be anywhere between.
    expect(session.output.replace(/\r[\d,]+ records? *|\r +(?=\r)/g, '')).toMatch(
      /^[\r]*messageid\r+\n0\r+\n[\r]*exit 0\r\n$/,
    );
  });

  test('a field that reads stdin gets the text that a user types', async () => {
    const session = inTerminal('send-simple --sender 1 --message-file - --receptor 911 --unixdate 0 --msgmode 1');
    session.type('typed text\n\x04');
    expect(await session.end()).toBe(0);
    expect(sandbox.messages.at(-1)?.message).toBe('typed text');
  });
});
