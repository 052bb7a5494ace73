import { fork } from 'node:child_process';
import { once } from 'node:events';
import fs, {
  appendFileSync,
  existsSync,
  lstatSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { Sandbox, SandboxOptions } from '../../../src/sandbox';
import { makeFolder } from '../../support/folder';
import { loopSize } from '../../support/loops';
import { programPath } from '../../support/process';
import { call, KEY, textOf, textsOf } from '../../support/raw-client';
import { openSandbox } from '../../support/sandbox';

const FIRST = 9007199254740993n;
const KILLS = loopSize(200);

/** The id in the first line, which changes with each rewriting. */
function openingOf(path: string): unknown {
  const text = readFileSync(path, 'utf8');
  return JSON.parse(text.slice(0, text.indexOf('\n'))).opening;
}

describe('data file', () => {
  let folder: string;
  let path: string;

  beforeEach(() => {
    folder = makeFolder();
    path = join(folder, 'data.jsonl');
  });
  afterEach(() => jest.restoreAllMocks());

  const start = (options: SandboxOptions = {}) => openSandbox({ data: path, ...options });
  const restart = async (sandbox: Sandbox, options: SandboxOptions = {}): Promise<Sandbox> => {
    await sandbox.close();
    return start(options);
  };
  const sendText = async (sandbox: Sandbox, message = 'm'): Promise<string | null> => {
    const children = `<apikey>${KEY}</apikey><message>${message}</message>`;
    return textOf((await call(sandbox, '1.1', 'SendAdvance', children)).body, 'SendAdvanceResult');
  };
  const receive = async (sandbox: Sandbox, isread: number): Promise<string[]> => {
    const children = `<apikey>${KEY}</apikey><lineNumber>3000</lineNumber><isread>${isread}</isread>`;
    return textsOf((await call(sandbox, '1.1', 'ReceiveByApikey', children)).body, 'message');
  };

  test('A data file keeps messages, statuses, received messages, their read state and the credit over a restart', async () => {
    let sandbox = await start({ credit: 1000n });
    await sendText(sandbox, ' سلام &#xD;&lt;😀\u2028\u0085 ');
    await sendText(sandbox);
    sandbox.setStatus(FIRST, 10, 'delivered "now"\n');
    sandbox.receive([
      { sender: null, receptor: '3000', message: 'read', date: 2n ** 63n - 1n },
      { sender: '1', receptor: '3000', message: 'whole 😀' },
    ]);
    const { messages } = sandbox;
    sandbox = await restart(sandbox, { credit: 1000n });
    expect(sandbox.messages).toEqual(messages);
    expect(await sendText(sandbox)).toBe(`${FIRST + 2n}`);
    const credit = await call(sandbox, '1.1', 'RemainCreditByApiKey', `<apikey>${KEY}</apikey>`);
    expect(textOf(credit.body, 'RemainCreditByApiKeyResult')).toBe('640');
    sandbox.receive({ sender: '1', receptor: '3001', message: 'other' });
    const list = await fetch(`${sandbox.baseUrl}/sandbox/received?line=3000`);
    expect(await list.json()).toMatchObject({
      received: [{ message: 'whole 😀', isread: 0 }, { date: '9223372036854775807' }],
    });
    await sandbox.close();
    sandbox = await start();
    sandbox.reset();
    sandbox.receive({ sender: '1', receptor: '3000', message: 'a' });
    expect(await receive(sandbox, 0)).toEqual(['a']);
    sandbox.receive({ sender: '1', receptor: '3000', message: 'b' });
    sandbox = await restart(sandbox);
    expect(await receive(sandbox, 1)).toEqual(['a']);
    expect(await receive(sandbox, 0)).toEqual(['b']);
  });

  test('A data file keeps a long text, whose characters lie across the parts in which the file is read', async () => {
    let sandbox = await start();
    const message = `${'x'.repeat(7)}${'سلام😀'.repeat(150_000)}`;
    sandbox.receive({ sender: '1', receptor: '3000', message });
    sandbox = await restart(sandbox);
    expect((await receive(sandbox, 0))[0] === message).toBe(true);
  });

  test('A data file brings back no messages from before a reset, and none that `keep` dropped', async () => {
    let sandbox = await start({ keep: 2 });
    await sendText(sandbox);
    sandbox.reset();
    for (const message of ['a', 'b', 'c']) await sendText(sandbox, message);
    sandbox = await restart(sandbox, { keep: 2 });
    expect(sandbox.messages).toMatchObject([{ messageid: FIRST + 1n }, { messageid: FIRST + 2n, message: 'c' }]);
    expect(await sendText(sandbox)).toBe(`${FIRST + 3n}`);
  });

  test('A data file brings back no removed message, and keeps operation and mode', async () => {
    let sandbox = await start();
    for (const message of ['a', 'b']) await sendText(sandbox, message);
    await fetch(`${sandbox.baseUrl}/sandbox/messages/${FIRST}`, {
      method: 'DELETE',
      headers: { 'Content-Type': 'application/json' },
    });
    sandbox = await restart(sandbox);
    expect(sandbox.messages).toMatchObject([{ message: 'b' }]);
    const kept = await fetch(`${sandbox.baseUrl}/sandbox/messages/${FIRST + 1n}`);
    expect(await kept.json()).toMatchObject({ operation: 'SendAdvance', mode: 0, parts: 1, request: null });
    expect(await sendText(sandbox)).toBe(`${FIRST + 2n}`);
  });

  test('A device is refused unread', async () => {
    const read = jest.spyOn(fs.promises, 'open');
    await expect(start({ data: '/dev/null' })).rejects.toThrow('/dev/null is not a data file of a sandbox');
    expect(read).not.toHaveBeenCalled();
  });

  test.each([
    ['{"t":"sent","record":{"messageid":"9007199254740993","status":1,"date":"1","cost":1},"call":"9007199254740993"}'],
    ['{"t":"sent","record":{"messageid":"1"},"call":"9007199254740993","operation":"SendAdvance","mode":1}'],
    [
      '{"t":"sent","record":{"messageid":1,"status":1,"date":"1","cost":1},"call":"9007199254740993","operation":"SendAdvance","mode":1}',
    ],
    ['{"t":"status","messageid":"1","status":"1","statustext":""}'],
    ['{"t":"read"}'],
    ['{"t":"status","messageid":"9223372036854775808","status":1,"statustext":""}'],
    ['{"t":"status","messageid":"1","status":1e300,"statustext":""}'],
    [
      '{"t":"sent","record":{"messageid":"9007199254740993","status":1,"date":"1","cost":1.5},"call":"9007199254740993","operation":"SendAdvance","mode":1}',
    ],
    [
      '{"t":"sent","record":{"messageid":"9007199254740993","status":1,"date":"9223372036854775808","cost":1},"call":"9007199254740993","operation":"SendAdvance","mode":1}',
    ],
    [
      '{"t":"sent","record":{"messageid":"9007199254740993","status":1,"date":"1","cost":1},"call":"9007199254740993","operation":"SendAdvance","mode":"1"}',
    ],
    [
      '{"t":"sent","record":{"messageid":"9007199254740993","status":1,"date":"1","cost":1},"call":"9007199254740993","operation":"Other","mode":1}',
    ],
    [
      '{"t":"sent","record":{"messageid":"9007199254740993","status":1,"date":"1","cost":1},"operation":"SendAdvance","mode":1}',
    ],
    ['{"t":"used","list":"sent","next":"1"}'],
    ['{"t":"used","list":"other","next":"9007199254740999"}'],
    ['{"t":"received","record":{"messageid":"9007199254740993","date":"1"},"isread":2}'],
    ['{"t":"removed"}'],
    ['{"t":"advanced","ms":"1"}'],
    ['{"t":"delivery","delivery":{"enabled":true,"steps":[{}],"receptors":[]}}'],
    // This id is not the next id.
    [
      '{"t":"sent","record":{"messageid":"9007199254740995","status":1,"date":"1","cost":1},"call":"9007199254740993","operation":"SendAdvance","mode":1}',
    ],
  ])('A data file with a damaged line is refused and left as it is (%s)', async (line) => {
    await (await start()).close();
    appendFileSync(path, `{"t":"reset"}\n${line}\n{"t":"reset"}\n`);
    const text = readFileSync(path, 'utf8');
    await expect(start()).rejects.toThrow(`${path} is damaged: something else has changed it`);
    expect(readFileSync(path, 'utf8')).toBe(text);
  });

  test('A second sandbox cannot open a data file until the first sandbox closes', async () => {
    const first = await start();
    await sendText(first);
    await expect(start()).rejects.toThrow(`${path} is in use by another sandbox`);
    expect(await sendText(first)).toBe(`${FIRST + 1n}`);
    await first.close();
    expect((await start()).messages).toHaveLength(2);
  });

  test('A data file is free again when the sandbox could not listen', async () => {
    const other = await openSandbox();
    const port = Number(new URL(other.baseUrl).port);
    await expect(start({ port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
    await start();
  });

  test('A data file that another program changed takes no further change', async () => {
    const sandbox = await start();
    await sendText(sandbox, 'before');
    // The lock does not keep out a sandbox in another network namespace.
    appendFileSync(path, '{"t":"reset"}\n');
    const text = readFileSync(path, 'utf8');
    const refused = `${path} was changed or moved by another program`;
    expect(() => sandbox.setStatus(FIRST, 5)).toThrow(refused);
    expect(() => sandbox.reset()).toThrow(refused);
    expect(readFileSync(path, 'utf8')).toBe(text);
    expect(sandbox.messages).toMatchObject([{ message: 'before', status: 1 }]);
  });

  test('A data file that was moved takes no further change', async () => {
    const sandbox = await start();
    await sendText(sandbox, 'before');
    renameSync(path, `${path}.old`);
    expect(() => sandbox.setStatus(FIRST, 5)).toThrow(`${path} was changed or moved by another program`);
    writeFileSync(path, readFileSync(`${path}.old`));
    expect(() => sandbox.setStatus(FIRST, 5)).toThrow(`${path} was changed or moved by another program`);
    expect(sandbox.messages).toMatchObject([{ status: 1 }]);
  });

  /** Makes the file grow by about 3 MB, and its content by 100 kB. */
  const growFile = (sandbox: Sandbox, id = FIRST): void => {
    for (let status = 20; status < 50; status += 1) sandbox.setStatus(id, status, 'x'.repeat(100_000));
  };

  test('A data file is rewritten when it has grown to twice its content, and nothing is lost', async () => {
    let sandbox = await start({ keep: 5, credit: 10_000n, delivery: true });
    for (const message of ['a', 'b', 'c', 'd', 'e', 'f', 'g']) await sendText(sandbox, message);
    for (const path of [`messages/${FIRST + 4n}`, `messages/${FIRST + 6n}`]) {
      const headers = { 'Content-Type': 'application/json' };
      await fetch(`${sandbox.baseUrl}/sandbox/${path}`, { method: 'DELETE', headers });
    }
    sandbox.receive({ sender: '1', receptor: '3000', message: 'read' });
    await receive(sandbox, 0);
    sandbox.receive({ sender: null, receptor: '3000', message: 'whole 😀', date: 2n ** 63n - 1n });
    sandbox.advance(1_000);
    const opening = openingOf(path);
    growFile(sandbox, FIRST + 5n);
    expect(statSync(path).size).toBeLessThan(1_300_000);
    expect([openingOf(path) === opening, statSync(path).mode & 0o777]).toEqual([false, 0o600]);
    expect(existsSync(`${path}.new`)).toBe(false);
    const { messages } = sandbox;
    expect(messages.map(({ message, status }) => `${message} ${status}`)).toEqual(['c 4', 'd 4', 'f 49']);
    sandbox = await restart(sandbox, { keep: 5, credit: 10_000n });
    expect(sandbox.messages).toEqual(messages);
    // The setting of the delivery, the steps taken and the clock are kept too.
    sandbox.advance(2_000);
    expect(sandbox.messages.map(({ status }) => status)).toEqual([10, 10, 49]);
    expect(await sendText(sandbox)).toBe(`${FIRST + 7n}`);
    const credit = await call(sandbox, '1.1', 'RemainCreditByApiKey', `<apikey>${KEY}</apikey>`);
    expect(textOf(credit.body, 'RemainCreditByApiKeyResult')).toBe(String(10_000 - 8 * 120));
    expect(await receive(sandbox, 1)).toEqual(['read']);
    expect(sandbox.receive({ sender: '1', receptor: '3000', message: 'b' }).messageid).toBe(FIRST + 2n);
    expect(await (await fetch(`${sandbox.baseUrl}/sandbox/received`)).json()).toMatchObject({
      received: [{}, { message: 'whole 😀', date: '9223372036854775807', isread: 0 }, { isread: 1 }],
    });
  });

  test('A data file that has grown before is rewritten when a sandbox starts', async () => {
    const sandbox = await start();
    await sendText(sandbox);
    await sandbox.close();
    appendFileSync(path, `${JSON.stringify({ t: 'delivery', delivery: { enabled: false } })}\n`.repeat(30_000));
    expect(statSync(path).size).toBeGreaterThan(1_300_000);
    expect((await start()).messages).toHaveLength(1);
    expect(statSync(path).size).toBeLessThan(2_000);
  });

  test('A clock that was moved far ahead survives the rewriting of its data file', async () => {
    let sandbox = await start({ delivery: true });
    for (let count = 0; count < 3; count += 1) sandbox.advance(2_147_483_647);
    await sendText(sandbox);
    sandbox.setStatus(FIRST, 10);
    growFile(sandbox);
    sandbox = await restart(sandbox);
    expect(sandbox.messages).toMatchObject([{ status: 49 }]);
  });

  test('A data file that cannot be rewritten stays in use, and the failure is shown', async () => {
    let sandbox = await start();
    await sendText(sandbox);
    const shown = jest.spyOn(console, 'error').mockImplementation(() => undefined);
    jest.spyOn(fs, 'renameSync').mockImplementation(() => {
      throw new Error('EACCES: permission denied');
    });
    growFile(sandbox);
    expect(shown.mock.calls.flat().join()).toContain('EACCES');
    expect(existsSync(`${path}.new`)).toBe(false);
    expect(await sendText(sandbox)).toBe(`${FIRST + 1n}`);
    jest.restoreAllMocks();
    sandbox = await restart(sandbox);
    expect(sandbox.messages).toMatchObject([{ status: 49 }, { status: 1 }]);
  });

  test('A symbolic link to a data file keeps its target and its lock when the file is rewritten', async () => {
    const link = join(folder, 'link');
    writeFileSync(path, '');
    symlinkSync(path, link);
    const sandbox = await start({ data: link });
    await sendText(sandbox);
    growFile(sandbox);
    expect([lstatSync(link).isSymbolicLink(), statSync(path).size < 1_300_000]).toEqual([true, true]);
    await expect(start()).rejects.toThrow(`${path} is in use by another sandbox`);
    await expect(start({ data: link })).rejects.toThrow(`${path} is in use by another sandbox`);
  });

  test('A data file that a killed process left open, in this container or another, can be opened', async () => {
    for (const host of ['elsewhere', hostname()]) {
      const opening = {
        t: 'open',
        v: 1,
        kind: 'sandbox',
        opening: host,
        pid: 1,
        host,
        start: null,
        space: 'pid:[1] b',
      };
      appendFileSync(path, `${JSON.stringify(opening)}\n`);
      await (await start()).close();
    }
  });

  test('A closed sandbox writes to no file, not even to a file that is opened after its data file was closed', async () => {
    const sandbox = await start();
    await sendText(sandbox);
    await sandbox.close();
    const text = readFileSync(path, 'utf8');
    const other = join(folder, 'other');
    // These files get the numbers of the closed descriptors.
    const descriptors = Array.from({ length: 8 }, () => fs.openSync(other, 'a+'));
    try {
      const refused = 'the sandbox is closed';
      expect(() => sandbox.receive({ sender: '1', receptor: '2', message: 'm' })).toThrow(refused);
      expect(() => sandbox.setStatus(FIRST, 5)).toThrow(refused);
      expect(() => sandbox.reset()).toThrow(refused);
      expect([readFileSync(path, 'utf8'), readFileSync(other, 'utf8')]).toEqual([text, '']);
      expect(sandbox.messages).toMatchObject([{ status: 1 }]);
    } finally {
      for (const descriptor of descriptors) fs.closeSync(descriptor);
    }
  });

  test('startSandbox rejects with the code of the system when it cannot open the data file', async () => {
    await expect(start({ data: folder })).rejects.toMatchObject({ code: 'EISDIR' });
    await expect(start({ data: join(folder, 'a/b') })).rejects.toMatchObject({ code: 'ENOENT' });
  });

  test('On a full disk an operation is a fault and has no effect, also after a restart', async () => {
    let sandbox = await start();
    await sendText(sandbox, 'before');
    const shown = jest.spyOn(console, 'error').mockImplementation(() => undefined);
    const { writeSync } = fs;
    // One write takes a part of the bytes, and the next write fails.
    jest
      .spyOn(fs, 'writeSync')
      .mockImplementationOnce(((descriptor: number, bytes: Buffer) => writeSync(descriptor, bytes, 0, 10)) as never)
      .mockImplementationOnce(() => {
        throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
      });
    const children = `<apikey>${KEY}</apikey><receptor><string>1</string><string>2</string></receptor>`;
    for (const [version, code] of [
      ['1.1', 'soap:Server'],
      ['1.2', 'soap12:Receiver'],
    ] as const) {
      if (version === '1.2') {
        jest.spyOn(fs, 'writeSync').mockImplementationOnce(() => {
          throw new Error('ENOSPC: no space left on device');
        });
      }
      const response = await call(sandbox, version, 'SendSimpleByApikey', children);
      expect([response.status, response.body]).toEqual([500, expect.stringContaining(code)]);
      expect(response.body).toContain('ENOSPC');
    }
    expect(shown).toHaveBeenCalledTimes(2);
    expect(sandbox.messages).toHaveLength(1);
    expect(await sendText(sandbox, 'after')).toBe(`${FIRST + 1n}`);
    sandbox = await restart(sandbox);
    expect(sandbox.messages.map(({ message }) => message)).toEqual(['before', 'after']);
  });

  test(`After a kill -9 under load the data file holds everything that was acknowledged (${KILLS} times)`, async () => {
    const confirmed = new Set<string>();
    const headers = { 'Content-Type': 'application/json' };
    let status = 0;
    let confirmedStatus = 0;
    let acknowledged = 0;
    let rewrites = 0;
    let opening: unknown;
    for (let round = 0; round < KILLS; round += 1) {
      // A file of many rounds would take long to read.
      if (round % 20 === 0) {
        rmSync(path, { force: true });
        confirmed.clear();
        confirmedStatus = 0;
      }
      const child = fork(programPath('sandbox'), [path], { execArgv: [], stdio: 'inherit' });
      const [baseUrl] = (await once(child, 'message')) as [string];
      const ended = once(child, 'exit');
      let count = 0;
      const acknowledge = (): void => {
        count += 1;
        // Each round ends after another number of changes.
        acknowledged += 1;
        if (count === 10 + ((round * 7) % 40)) child.kill('SIGKILL');
      };
      const load = Array.from({ length: 4 }, async (_, lane) => {
        for (let turn = 0; ; turn += 1) {
          const receptors = `<string>${round}-${lane}-${turn}</string>`.repeat(1 + ((lane + turn) % 4));
          const children = `<apikey>${KEY}</apikey><receptor>${receptors}</receptor>`;
          const response = await call({ baseUrl }, '1.2', 'SendSimpleByApikey', children).catch(() => undefined);
          if (response === undefined) return;
          for (const id of textsOf(response.body, 'long')) {
            if (confirmed.has(id)) throw new Error(`${id} was given twice`);
            confirmed.add(id);
          }
          acknowledge();
        }
      });
      // The file grows by long texts of one message, so that it is rewritten about once in a round.
      const change = async (): Promise<void> => {
        for (;;) {
          status += 1;
          const own = status;
          const body = JSON.stringify({ status: own, statustext: 'x'.repeat(100_000) });
          const url = `${baseUrl}/sandbox/messages/${FIRST}/status`;
          const response = await fetch(url, { method: 'PUT', headers, body }).catch(() => undefined);
          if (response === undefined) return;
          if (response.status === 200) confirmedStatus = own;
          acknowledge();
        }
      };
      await Promise.all([...load, change(), ended]);
      if (openingOf(path) !== opening) rewrites += 1;
      opening = openingOf(path);
      const sandbox = await start();
      const kept = new Set(sandbox.messages.map(({ messageid }) => String(messageid)));
      expect(kept.size).toBe(sandbox.messages.length);
      expect([...confirmed].filter((id) => !kept.has(id))).toEqual([]);
      expect(sandbox.messages[0]?.status).toBeGreaterThanOrEqual(confirmedStatus);
      await sandbox.close();
    }
    expect([acknowledged > KILLS * 10, status > KILLS, rewrites > KILLS / 5]).toEqual([true, true, true]);
  }, 1_800_000);
});
