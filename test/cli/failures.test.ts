import { EventEmitter } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { PassThrough, Writable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { MessagingClient } from '../../src/client/client';
import type { Reply, Sandbox } from '../../src/sandbox';
import { holdClock, turns } from '../support/clock';
import { openSandbox } from '../support/sandbox';
import { Capture, environmentOf, messaging, type Outcome, type RunOptions, shellWords } from './support';

const KEY = 'canary-key';
const SEND = 'send-simple --sender 3000 --message hello --receptor 0912 --unixdate 0 --msgmode 1';
const LIST = 'select-latest --pagesize 5';

let sandbox: Sandbox;
beforeEach(async () => {
  sandbox = await openSandbox({ apiKeys: [KEY] });
});

function run(line: string, options: RunOptions = {}): Promise<Outcome> {
  return messaging(shellWords(line), { environment: environmentOf(sandbox), ...options });
}

describe('a failed call prints nothing on stdout, one line on stderr, and has its exit code', () => {
  test.each<[string, Reply<'*'>, number, string]>([
    [
      SEND,
      { status: 418, statusmessage: 'no\ncoffee \x1b[31m' },
      3,
      'error: SendSimpleByApikey: service returned status 418 (no coffee [31m); treated as refused, because --success-statuses does not list it; ask your provider what status 418 means\n',
    ],
    [
      LIST,
      { status: 403, statusmessage: `bad ${KEY}` },
      3,
      'service returned status 403 (bad ***); check the API key; ',
    ],
    [SEND, { fault: { code: 'Server', reason: 'boom' } }, 6, 'it may have been sent: check before sending again\n'],
    [
      SEND,
      { fault: { code: 'Client', reason: `bad ${KEY}` } },
      4,
      '(bad ***); the service refused it; check the API key; the command config shows where it comes from\n',
    ],
    [LIST, { fault: { code: 'Server', reason: 'boom' } }, 6, 'er (boom)\n'],
    [
      SEND,
      { http: { status: 404, body: '<html>' } },
      4,
      'HTTP status 404; check the base URL; the service refused it; the command doctor checks --base-url\n',
    ],
    [SEND, { http: { status: 503 } }, 6, 'HTTP status 503; it may have been sent: check before sending again\n'],
    [
      SEND,
      { http: { status: 302, headers: { Location: 'http://x/' } } },
      6,
      'it may have been sent: check before sending',
    ],
    [
      SEND,
      { http: { status: 200, body: `not XML ${KEY}` } },
      6,
      'it may have been sent: check before sending again; is --base-url right?\n',
    ],
    [
      SEND,
      { drop: 'before' },
      6,
      'it may have been sent: check before sending again; check --base-url and the network, or is its base URL https?\n',
    ],
    ['cancel 5', { drop: 'after' }, 6, 'it may have been canceled: check before you try again'],
    [LIST, { drop: 'after' }, 6, 'check --base-url and the network, or is its base URL https?\n'],
  ])('the call %s with the reply %j ends with exit code %d', async (line, reply, exitCode, message) => {
    for (const options of ['--output table', '--output json', '--soap-version 1.2 --output ndjson', '--output csv']) {
      sandbox.reply('*', reply);
      const { code, stdout, stderr } = await run(`${line} ${options}`);
      expect(stderr).toContain(message);
      expect(stderr).toMatch(/^error: [^\n]*\n$/);
      expect(stderr).not.toContain(KEY);
      expect({ code, stdout }).toEqual({ code: exitCode, stdout: '' });
    }
  });

  test('a call whose time is over before the response exits with 6', async () => {
    const clock = holdClock();
    sandbox.reply('*', { delayMs: 5000 });
    const outcome = run(`${SEND} --timeout-ms 100`);
    while (sandbox.requests.length === 0) await turns();
    await clock.advance(100);
    const { code, stdout, stderr } = await outcome;
    expect(stderr).toMatch(
      /^error: SendSimple[^\n]*it may have been sent: check before sending again; --timeout-ms sets[^\n]*\n$/,
    );
    expect({ code, stdout }).toEqual({ code: 6, stdout: '' });
  });

  test.each(['1.1', '1.2'])('a namespace without its final slash is suspected, in SOAP %s', async (version) => {
    const { code, stderr } = await run(`${SEND} --soap-version ${version} --namespace http://messaging.example`);
    expect(stderr).toMatch(/; the service refused it; the command doctor compares --namespace with the service\n$/);
    expect(code).toBe(4);
  });

  test('a wrong key is a status error', async () => {
    const { code, stderr } = await run(LIST, {
      environment: { ...environmentOf(sandbox), MESSAGING_API_KEY: 'wrong' },
    });
    expect(stderr).toMatch(/^error: SelectlatestByApikey: service returned status 403 \(invalid apikey\); /);
    expect(code).toBe(3);
  });

  test('a refused connection gives 5: nothing was sent', async () => {
    const environment = { ...environmentOf(sandbox), MESSAGING_BASE_URL: 'http://127.0.0.1:1' };
    const { code, stdout, stderr } = await run(SEND, { environment });
    expect(stderr).toMatch(
      /^error: SendSimpleByApikey: .*ECONNREFUSED.*; nothing was sent; check --base-url and the network\n$/,
    );
    expect({ code, stdout }).toEqual({ code: 5, stdout: '' });
  });

  test('a proxy that cannot be reached is named', async () => {
    const { code, stderr } = await run(`${SEND} --proxy http://127.0.0.1:1`);
    expect(stderr).toMatch(/; nothing was sent; check --proxy, --base-url and the network\n$/);
    expect(code).toBe(5);
  });

  test('an error about a status names the ids of the send, because the status may mean success', async () => {
    sandbox.reply('SendSimpleByApikey', { status: 100, result: [9007199254740993n, 5] });
    expect(await run(SEND)).toEqual({
      code: 3,
      stdout: '',
      stderr:
        'error: SendSimpleByApikey: service returned status 100 (ok) with result 9007199254740993 5; ' +
        'treated as refused, because --success-statuses does not list it; if your provider says that status 100 means success, add it to --success-statuses\n',
    });
  });

  test('a very long statusmessage is cut in the error', async () => {
    sandbox.reply('*', { status: 1, statusmessage: 'x'.repeat(100_000) });
    expect((await run(SEND)).stderr.length).toBeLessThan(1100);
  });

  test('a failure of the program itself is called unexpected, and the error says that the message may have been sent', async () => {
    const broken = jest
      .spyOn(MessagingClient.prototype, 'sendSimple')
      .mockRejectedValue(new TypeError('x is undefined'));
    const { code, stderr } = await run(SEND);
    broken.mockRestore();
    expect(stderr).toBe(
      'error: unexpected failure: x is undefined; it may have been sent: check before sending again\n',
    );
    expect(code).toBe(6);
  });
});

describe('a stream that breaks', () => {
  const record = '<ApiSelect><messageid>1</messageid><status>1</status><date>1</date><cost>1</cost></ApiSelect>';
  let server: Server;
  let respond: (count: number) => { head: string; tail?: string };

  beforeEach(async () => {
    server = createServer((_request, response) => {
      const { head, tail } = respond(3);
      response.writeHead(200, { 'Content-Type': 'text/xml; charset=utf-8' });
      // The tail comes later, so that the records are read before what is wrong with them.
      response.write(head, () => setTimeout(() => (tail === undefined ? response.destroy() : response.end(tail)), 200));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterEach(() => new Promise((resolve) => server.close(resolve)));

  const head = (): string =>
    `<soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/"><soap:Body><SelectlatestByApikeyResponse xmlns="${sandbox.namespace}"><SelectlatestByApikeyResult>${record.repeat(3)}`;
  const end = (status: number): string =>
    `</SelectlatestByApikeyResult><status>${status}</status></SelectlatestByApikeyResponse></soap:Body></soap:Envelope>`;

  const stream = (line: string, options?: RunOptions): Promise<Outcome> => {
    const { port } = server.address() as AddressInfo;
    const environment = { ...environmentOf(sandbox), MESSAGING_BASE_URL: `http://127.0.0.1:${port}` };
    return run(line, { ...options, environment });
  };

  test.each([
    ['ends early', undefined, 6, /connection.*; the output is incomplete, it ends after 3 records; check --base-url/],
    ['is not XML any more', '<<', 6, /; the output is incomplete, it ends after 3 records; is --base-url right\?/],
    ['turns out refused', 403, 3, /status 403; the output is incomplete, it ends after 3 records; ask your provider/],
  ] as const)(
    'when a response %s in the middle of a list, the error says that the output is incomplete',
    async (_, tail, exitCode, message) => {
      respond = () => ({
        head: head(),
        ...(tail === undefined ? {} : { tail: typeof tail === 'number' ? end(tail) : tail }),
      });
      for (const format of ['ndjson', 'csv']) {
        const { code, stdout, stderr } = await stream(`${LIST} --output ${format}`);
        expect(stderr).toMatch(message);
        expect(stderr).toMatch(/^error: [^\n]*\n$/);
        expect(stdout.trimEnd().split('\n')).toHaveLength(format === 'csv' ? 4 : 3);
        expect(code).toBe(exitCode);
      }
      for (const format of ['table', 'json']) {
        const { code, stdout, stderr } = await stream(`${LIST} --output ${format}`);
        expect(stderr).not.toContain('incomplete');
        expect({ code, stdout }).toEqual({ code: exitCode, stdout: '' });
      }
    },
  );

  test('when Ctrl-C ends a list, the error says that the output is incomplete', async () => {
    respond = () => ({ head: head(), tail: end(200) });
    const signals = new EventEmitter();
    const stdout = new Capture();
    const outcome = stream(`${LIST} --output ndjson`, { signals, stdout });
    while (stdout.text === '') await new Promise((resolve) => setTimeout(resolve, 5));
    signals.emit('SIGINT', 'SIGINT');
    const { code, stderr } = await outcome;
    expect(stderr).toBe('error: interrupted; the output is incomplete, it ends after 3 records\n');
    expect(code).toBe(130);
  });
});

describe('an interruption during a call', () => {
  test.each([
    ['SIGINT', SEND, 130, 'error: interrupted; it may have been sent: check before sending again\n'],
    ['SIGINT', LIST, 130, 'error: interrupted\n'],
    ['SIGTERM', SEND, 143, 'error: interrupted; it may have been sent: check before sending again\n'],
  ])('%s during the command %s gives the exit code %d', async (signal, line, exitCode, stderr) => {
    sandbox.reply('*', { delayMs: 60_000 });
    const signals = new EventEmitter();
    const outcome = run(line, { signals });
    while (sandbox.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
    signals.emit(signal, signal);
    expect(await outcome).toEqual({ code: exitCode, stdout: '', stderr });
    expect(signals.eventNames()).toEqual([]);
  });
});

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 143],
])('the first %s ends a command that reads stdin', async (signal, code) => {
  const signals = new EventEmitter();
  const stdin = new PassThrough();
  const outcome = run(SEND.replace('--message hello', '--message-file -'), { signals, stdin });
  while (signals.listenerCount(signal) === 0 || stdin.listenerCount('readable') === 0) await turn();
  signals.emit(signal, signal);
  expect(await outcome).toEqual({ code, stdout: '', stderr: 'error: interrupted; nothing was sent\n' });
  expect(sandbox.requests).toEqual([]);
});

describe('output that cannot be written', () => {
  const failing = (code: string): Writable =>
    new Writable({ write: (_chunk, _encoding, done) => done(Object.assign(new Error(code), { code })) });

  test.each(['table', 'json', 'ndjson', 'csv'])(
    'a command that prints %s ends quietly when the reader of its output closes it',
    async (format) => {
      await run(SEND);
      const { code, stderr } = await run(`${LIST} --output ${format}`, { stdout: failing('EPIPE') });
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    },
  );

  test('when the disk is full, the command fails, and says that the send was done', async () => {
    const stdout = failing('ENOSPC');
    expect(await run(SEND, { stdout })).toEqual({
      code: 1,
      stdout: '',
      stderr: 'error: SendSimpleByApikey was done, but the output could not be written (ENOSPC)\n',
    });
    expect(sandbox.messages).toHaveLength(1);
    expect(await run(`${LIST} --output csv`, { stdout: failing('ENOSPC') })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('error: the output could not be written (ENOSPC)'),
    });
    expect(await messaging(['--help'], { stdout: failing('ENOSPC') })).toMatchObject({ code: 1 });
  });

  test('a slow reader of the output holds the response back, and Ctrl-C ends the waiting', async () => {
    const result = Array.from({ length: 20_000 }, (_, id) => ({ messageid: id, status: 1, date: 1, cost: 1 }));
    sandbox.reply('SelectlatestByApikey', { result });
    let written = 0;
    const stuck = new Writable({
      decodeStrings: false,
      write(chunk: string) {
        written += chunk.length;
      },
    });
    const signals = new EventEmitter();
    const outcome = run(`${LIST} --output ndjson`, { signals, stdout: stuck });
    while (!stuck.writableNeedDrain) await new Promise((resolve) => setTimeout(resolve, 10));
    await new Promise((resolve) => setTimeout(resolve, 500));
    // One batch is with the reader, and not much more than another one waits.
    expect(written + stuck.writableLength).toBeLessThan(300_000);
    signals.emit('SIGINT', 'SIGINT');
    const { code, stderr } = await outcome;
    expect(stderr).toMatch(/^error: interrupted; the output is incomplete, it ends after \d+ records\n$/);
    expect(code).toBe(130);
  });
});

test('messaging sandbox reports a taken port in one line', async () => {
  const taken = createTcpServer();
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
  const { port } = taken.address() as AddressInfo;
  expect(await messaging(['sandbox', '--port', String(port)])).toEqual({
    code: 2,
    stdout: '',
    stderr: `error: port ${port} on 127.0.0.1 is taken: choose another port with --port, or a free port with --port 0\n`,
  });
  await new Promise((resolve) => taken.close(resolve));
  const { code, stderr } = await messaging(['sandbox', '--host', '192.0.2.1', '--port', '0']);
  expect(stderr).toMatch(/^error: listen EADDRNOTAVAIL: .*192\.0\.2\.1\n$/);
  expect(code).toBe(2);
});
