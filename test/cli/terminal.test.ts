import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Sandbox, startSandbox } from '../../src/sandbox';
import { programPath } from '../support/process';
import { describeStack } from '../support/stack';
import { pseudoTerminal, TerminalSession } from '../support/terminal';
import { environmentOf } from './support';

describeStack(pseudoTerminal, () => {
  let sandbox: Sandbox;
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'messaging-'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));
  beforeEach(async () => {
    sandbox = await startSandbox();
  });
  afterEach(() => sandbox.close());

  /** Lets the next list hold one message that was sent. */
  const armRecord = (): void => {
    const record = { messageid: 9007199254740993n, status: 1, statustext: 'queued', date: 1795291880, cost: 120 };
    const texts = { message: 'سلام، این یک پیام است', sender: '30001234', receptor: '09120000001' };
    sandbox.reply('SelectlatestByApikey', { result: [{ ...record, ...texts }] });
  };

  /** A shell's command line, in which `messaging` is the built command. */
  const inShell = (line: string, columns = 80, environment: NodeJS.ProcessEnv = {}): TerminalSession => {
    const script = `messaging() { ${process.execPath} ${programPath('messaging')} "$@"; }; cd ${folder}; ${line}`;
    return new TerminalSession(['sh', '-c', script], columns, { ...environmentOf(sandbox), ...environment });
  };
  const inTerminal = (line: string, columns?: number, environment?: NodeJS.ProcessEnv): TerminalSession =>
    inShell(`exec ${process.execPath} ${programPath('messaging')} ${line}`, columns, environment);

  test.each([
    [120, ['       messageid  message                status  statustext  sender    receptor           date  cost']],
    [
      80,
      [
        '       messageid  status  statustext  sender    receptor           date  cost',
        '9007199254740993       1  queued      30001234  09120000001  1795291880   120',
        '  message  سلام، این یک پیام است',
      ],
    ],
    [40, ['messageid   9007199254740993', 'message     سلام، این یک پیام است', 'status      1']],
  ])('sent messages fit a terminal of %d columns', async (columns, lines) => {
    armRecord();
    const session = inTerminal('select-latest --pagesize 1', columns);
    expect(await session.end()).toBe(0);
    expect(session.output).toContain(`${lines.join('\r\n')}\r\n`);
    expect(session.output).toMatch(/1 record\r\n$/);
  });

  test.each(['select-latest --pagesize 1', 'config', '--help', 'nonsense', 'select-latest --pagesize 1 > list.csv'])(
    'messaging %s prints no colour and no escape sequence, with NO_COLOR and without',
    async (line) => {
      for (const environment of [{}, { NO_COLOR: '1' }, { FORCE_COLOR: '3' }]) {
        armRecord();
        const session = inShell(`messaging ${line}`, 80, environment);
        await session.end();
        expect(session.output).not.toContain('\x1b');
      }
    },
  );

  test('a list that is written to a file shows its progress on the terminal, and removes it at the end', async () => {
    armRecord();
    const session = inShell('messaging select-latest --pagesize 1 > list.csv; echo "exit $?"');
    expect(await session.end()).toBe(0);
    expect(session.output).toBe('\r1 record\r        \rexit 0\r\n');
    expect(readFileSync(join(folder, 'list.csv'), 'utf8')).toMatch(/^messageid,.*\r\n9007199254740993,/);
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
    const words = 'send-simple --sender 1 --message hi --receptor 1 --unixdate 0 --msgmode 1';
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
    const session = inTerminal('send-simple --sender 1 --message-file - --receptor 1 --unixdate 0 --msgmode 1');
    session.type('typed text\n\x04');
    expect(await session.end()).toBe(0);
    expect(sandbox.messages.at(-1)?.message).toBe('typed text');
  });
});
