import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Sandbox } from '../../src/sandbox';
import { makeFolder } from '../support/folder';
import { programPath } from '../support/process';
import { openSandbox } from '../support/sandbox';
import { environmentOf, outcomeOf, startProcess } from './support';

const SEND = [
  'send-simple',
  '--sender',
  '3000',
  '--message',
  'hi',
  '--receptor',
  '911',
  '--unixdate',
  '0',
  '--msgmode',
  '1',
];
const LIST = ['select-latest', '--pagesize', '5'];
const HEADER = 'messageid,message,status,statustext,sender,receptor,date,cost\r\n';
/** More than a pipe holds. */
const MANY = 20_000;

describe('calls', () => {
  let sandbox: Sandbox;
  beforeAll(async () => {
    sandbox = await openSandbox();
  });

  const start = (args: readonly string[], environment: NodeJS.ProcessEnv = {}) =>
    startProcess(args, { ...environmentOf(sandbox), ...environment });
  const armMany = (): void => {
    const result = Array.from({ length: MANY }, (_, id) => ({
      messageid: id,
      message: 'hi',
      status: 1,
      date: 1,
      cost: 1,
    }));
    sandbox.reply('SelectlatestByApikey', { result });
  };

  test('a command that is started in a deleted folder works, or names the folder', async () => {
    const start = (words: string) => {
      const line = `cd "$2" && rmdir "$2" && exec "$0" "$1" ${words}`;
      const args = ['-c', line, process.execPath, programPath('messaging'), makeFolder()];
      return outcomeOf(spawn('sh', args, { env: environmentOf(sandbox) }));
    };
    expect(await start('remain-credit')).toMatchObject({ code: 0, stderr: '' });
    expect(await start('bulk status list.csv')).toMatchObject({
      code: 2,
      stderr: 'error: the current folder was deleted: change to another folder\n',
    });
  });

  test.each([
    [0, LIST, {}],
    [2, ['nonsense'], {}],
    [3, LIST, { MESSAGING_SUCCESS_STATUSES: '1' }],
    [5, LIST, { MESSAGING_BASE_URL: 'http://127.0.0.1:1' }],
  ])('the process ends with exit code %d', async (exitCode, args, environment) => {
    const { code, stdout, stderr } = await outcomeOf(start(args, environment));
    expect({ code, stdout }).toEqual({ code: exitCode, stdout: exitCode === 0 ? HEADER : '' });
    expect(stderr).toMatch(exitCode === 0 ? /^$/ : /^error: .*\n$/);
  });

  test('a call without https loads neither TLS, HTTP, compression nor child processes of Node, so that it starts sooner', async () => {
    const hook = join(makeFolder(), 'hook.js');
    // Node lists the internal modules that it has loaded.
    writeFileSync(hook, "process.on('exit', () => console.error(process.moduleLoadList.join('\\n')));");
    const { code, stderr } = await outcomeOf(start(['remain-credit'], { NODE_OPTIONS: `--require ${hook}` }));
    expect(code).toBe(0);
    const loaded = stderr.split('\n').map((line) => line.replace('NativeModule ', ''));
    expect(loaded).toContain('net');
    const late = ['tls', 'https', 'http', 'zlib', 'child_process'];
    expect(loaded.filter((name) => late.includes(name))).toEqual([]);
  });

  test('a slow reader of the output still gets everything', async () => {
    armMany();
    const child = start([...LIST, '--output', 'json']);
    await new Promise((resolve) => setTimeout(resolve, 1000));
    const { code, stdout } = await outcomeOf(child);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toHaveLength(MANY);
  });

  test.each(['table', 'ndjson'])(
    'a command that prints a %s ends quietly when its reader closes the pipe, as head does',
    async (format) => {
      armMany();
      const child = start([...LIST, '--output', format]);
      child.stdout?.once('data', () => child.stdout?.destroy());
      const { code, stderr } = await outcomeOf(child);
      expect(stderr).toBe('');
      expect(code).toBe(0);
    },
  );

  test('Ctrl-C during a send aborts it, says that it may have been sent, and gives 130', async () => {
    sandbox.reply('*', { delayMs: 60_000 });
    const before = sandbox.requests.length;
    const child = start(SEND);
    const outcome = outcomeOf(child);
    while (sandbox.requests.length === before) await new Promise((resolve) => setTimeout(resolve, 20));
    child.kill('SIGINT');
    expect(await outcome).toEqual({
      code: 130,
      stdout: '',
      stderr: 'error: interrupted; it may have been sent: check before sending again\n',
    });
  });

  test('a full disk and a closed stderr end the process with an exit code, not with a crash', async () => {
    const command = `${process.execPath} ${programPath('messaging')}`;
    const shell = promisify(execFile);
    const options = { env: { PATH: process.env.PATH, ...environmentOf(sandbox) } };
    const full = await shell('sh', ['-c', `${command} remain-credit > /dev/full; echo "exit $?"`], options);
    expect(full).toEqual({
      stdout: 'exit 1\n',
      stderr: 'error: the output could not be written (ENOSPC)\n',
    });
    const closed = await shell('sh', ['-c', `${command} nonsense 2>&-; echo "exit $?"`], options);
    expect(closed).toEqual({ stdout: 'exit 2\n', stderr: '' });
  });
});

describe('the sandbox', () => {
  test.each(['SIGINT', 'SIGTERM'] as const)(
    'the process of a sandbox ends by %s, although a connection stays open',
    async (signal) => {
      const child = startProcess(['sandbox', '--port', '0']);
      const outcome = outcomeOf(child);
      const [text] = await once(child.stdout as NodeJS.ReadableStream, 'data');
      const port = Number(/:(\d+)\//.exec(text)?.[1]);
      const halfOpen = connect(port, '127.0.0.1');
      await once(halfOpen, 'connect');
      halfOpen
        .on('error', () => undefined)
        .write('POST /soap/v1.asmx HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n<');
      await new Promise((resolve) => setTimeout(resolve, 100));
      child.kill(signal);
      const { code, stderr } = await outcome;
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    },
  );

  test('messaging sandbox first prints its address, and the commands that it prints work when pasted into a shell', async () => {
    const namespace = "http://it's.example/a b?c=d&e".replace(' ', '%20');
    const child = startProcess([
      'sandbox',
      '--port',
      '0',
      '--namespace',
      namespace,
      '--api-key',
      "it's $HOME",
      '--api-key',
      'other',
    ]);
    const outcome = outcomeOf(child);
    const [text] = (await once(child.stdout as NodeJS.ReadableStream, 'data')) as [string];
    expect(text).toMatch(/^Sandbox ready at http:\/\/127\.0\.0\.1:\d+\/soap\/v1\.asmx\n/);
    expect(text).toContain(namespace);
    expect(text).toContain("it's $HOME");
    const pasted = text.slice(text.indexOf('\nexport '), text.indexOf('\nCtrl-C'));
    try {
      const { stdout, stderr } = await promisify(execFile)('sh', ['-ec', pasted], { env: { PATH: process.env.PATH } });
      expect(stderr).toBe('');
      expect(stdout).toMatch(/^9007199254740993\nmessageid,.*\r\n.*سلام.*\r\n9007199254740875\n$/);
    } finally {
      child.kill('SIGINT');
    }
    expect((await outcome).code).toBe(0);
  });
});
