import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { Agent, Server, ServerResponse } from 'node:http';
import { connect, Server as NetServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Sandbox, startSandbox } from '../../src/sandbox';
import { operationElement, requestEnvelope, requestHeaders } from '../support/envelopes';
import { loopSize } from '../support/loops';
import { call, faultIn, KEY, post, type RawResponse, send, textOf, textsOf } from '../support/raw-client';

/** In bytes. Work that grows with the square of a body's length would not end with so many. */
const HALF_A_MEGABYTE = 500_000;
const MANY = loopSize(100_000);
const MALFORMED = loopSize(5000);

describe('survival', () => {
  let sandbox: Sandbox;
  const open: Socket[] = [];

  beforeEach(async () => {
    sandbox = await startSandbox();
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await sandbox.close();
    for (const socket of open.splice(0)) socket.destroy();
  });

  function dial(bytes = ''): Promise<Socket> {
    return new Promise((resolve, reject) => {
      const socket = connect(Number(new URL(sandbox.baseUrl).port), '127.0.0.1', () => {
        if (bytes !== '') socket.write(bytes);
        resolve(socket);
      });
      open.push(socket);
      socket.on('error', reject);
    });
  }

  const works = async (): Promise<void> => {
    const response = await call(sandbox, '1.1', 'RemainCreditByApiKey', `<apikey>${KEY}</apikey>`);
    expect(textOf(response.body, 'status')).toBe('200');
  };
  const HEAD = 'POST /soap/v1.asmx HTTP/1.1\r\nHost: a\r\nContent-Type: text/xml\r\n';

  test('The sandbox survives idle and half-open connections and slow bodies, and close ends all of them at once', async () => {
    const beginnings = [
      '',
      'POST',
      HEAD,
      `${HEAD}Content-Length: 1000\r\n\r\n<soap`,
      `${HEAD}Transfer-Encoding: chunked\r\n\r\n5\r\nab`,
    ];
    const sockets = await Promise.all(
      Array.from({ length: 200 }, (_, index) => dial(beginnings[index % beginnings.length])),
    );
    await works();
    const ends = sockets.map((socket) => new Promise((resolve) => socket.once('close', resolve)));
    await sandbox.close();
    await Promise.all(ends);
  });

  test('A second close does nothing, and the port is closed', async () => {
    const agent = new Agent({ keepAlive: true });
    await send(`${sandbox.baseUrl}/soap/v1.asmx`, { method: 'GET', agent });
    await Promise.all([sandbox.close(), sandbox.close()]);
    await expect(works()).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    agent.destroy();
  });

  test('The sandbox survives a body that arrives byte by byte', async () => {
    const body = requestEnvelope('1.1', operationElement('RemainCreditByApiKey', `<apikey>${KEY}</apikey>`));
    const socket = await dial(`${HEAD}Content-Length: ${body.length}\r\n\r\n`);
    const response = new Promise<string>((resolve) => socket.once('data', (data) => resolve(data.toString())));
    for (const one of body) socket.write(one);
    expect(await response).toContain('<status>200</status>');
  });

  test('The sandbox survives callers that leave in the middle of a request', async () => {
    for (let count = 0; count < 100; count += 1) {
      const socket = await dial(`${HEAD}Content-Length: 1000\r\n\r\n<soap:Envelope`);
      if (count % 2 === 0) socket.destroy();
      else socket.resetAndDestroy();
    }
    await works();
    expect(sandbox.messages).toEqual([]);
  });

  test('The sandbox survives requests of 5 MB', async () => {
    const message = `${'سلام '.repeat(600_000)}end`;
    const response = await call(sandbox, '1.2', 'SendAdvance', `<apikey>${KEY}</apikey><message>${message}</message>`);
    expect(textOf(response.body, 'status')).toBe('200');
    expect(sandbox.messages[0]?.message).toBe(message);
  });

  /** The outcome of a request in one line. */
  const summaryOf = (response: RawResponse): string =>
    `${response.status} ${faultIn(response)?.reason.replace(/^.*---> /, '') ?? textOf(response.body, 'status') ?? 'empty'}`;

  test.each([
    ['elements that are skipped', '200 200', `<x>${'<a/>'.repeat(125_000)}</x>`],
    ['elements in a skipped list', '200 200', `<messageid>${'<string>1</string>'.repeat(30_000)}</messageid>`],
    ['depth', '400 empty', '<a>'.repeat(165_000)],
    ['attributes', '200 200', `<a ${Array.from({ length: 80_000 }, (_, index) => `a${index}=""`).join(' ')}/>`],
    ['namespaces', '200 200', `<a ${Array.from({ length: 40_000 }, (_, index) => `xmlns:a${index}="u"`).join(' ')}/>`],
    ['white space', '200 200', ' '.repeat(HALF_A_MEGABYTE)],
    ['an entity reference without an end', '400 empty', `&${'a'.repeat(HALF_A_MEGABYTE)}`],
    ['a tag without an end', '400 empty', `<${'a'.repeat(HALF_A_MEGABYTE)}`],
    ['brackets', '200 200', ']'.repeat(HALF_A_MEGABYTE)],
    [
      'digits',
      '500 Value was either too large or too small for an Int64.',
      `<messageid><long>${'9'.repeat(HALF_A_MEGABYTE)}</long></messageid>`,
    ],
    [
      'white space before a letter in a number',
      '500 Input string was not in a correct format.',
      `<status>${' '.repeat(HALF_A_MEGABYTE)}x</status>`,
    ],
    ['references', '200 200', `<statusmessage>${'&amp;'.repeat(HALF_A_MEGABYTE / 5)}</statusmessage>`],
  ])(
    'The sandbox survives half a megabyte of %s and responds with %s',
    async (_, expected, children) => {
      // The sandbox reports its own defects there.
      const reported = jest.spyOn(console, 'error');
      const response = await call(sandbox, '1.1', 'GetStatusByApikey', `<apikey>${KEY}</apikey>${children}`);
      expect(summaryOf(response)).toBe(expected);
      expect(reported).not.toHaveBeenCalled();
      await works();
    },
    60_000,
  );

  test(`The sandbox survives a list of ${MANY} receptors and a response of ${MANY} records`, async () => {
    const listOf = (name: string, item: string, value: string): string =>
      `<${name}>${`<${item}>${value}</${item}>`.repeat(MANY)}</${name}>`;
    const children =
      `<apikey>${KEY}</apikey>${listOf('sender', 'string', '3000')}${listOf('message', 'string', 'سلام')}` +
      `${listOf('receptor', 'string', '0912')}${listOf('msgmode', 'int', '1')}`;
    const sent = await call(sandbox, '1.1', 'SendArrayByApikey', children);
    expect(textsOf(sent.body, 'long')).toHaveLength(MANY);
    const latest = await call(
      sandbox,
      '1.1',
      'SelectlatestByApikey',
      `<apikey>${KEY}</apikey><pagesize>${MANY}</pagesize>`,
    );
    expect(latest.body.split('<ApiSelect>')).toHaveLength(MANY + 1);
    const ids = `<messageid>${sandbox.messages.map(({ messageid }) => `<long>${messageid}</long>`).join('')}</messageid>`;
    const canceled = await call(sandbox, '1.1', 'CancelByApikey', `<apikey>${KEY}</apikey>${ids}`);
    expect(textsOf(canceled.body, 'int')).toHaveLength(MANY);
  });

  test('A response that is too long for the memory becomes a fault', async () => {
    const message = 'x'.repeat(1_000_000);
    const receptors = '<string/>'.repeat(2000);
    const children = `<apikey>${KEY}</apikey><message>${message}</message><receptor>${receptors}</receptor>`;
    await call(sandbox, '1.1', 'SendSimpleByApikey', children);
    const latest = await call(
      sandbox,
      '1.1',
      'SelectlatestByApikey',
      `<apikey>${KEY}</apikey><pagesize>2000</pagesize>`,
    );
    expect(latest.status).toBe(500);
    expect(latest.body).toContain('The response is too long.');
    await works();
  });

  test.each([0, 1])('The sandbox survives a response that cannot be sent, after a delay of %i ms', async (delayMs) => {
    const shown = jest.spyOn(console, 'error').mockImplementation(() => undefined);
    sandbox.reply('*', { http: { status: 200, body: 'whole' }, delayMs }, { times: 2 });
    const send = (): Promise<RawResponse> => call(sandbox, '1.1', 'SendAdvance', '');
    const fail = (): never => {
      throw new Error(`cannot send ${KEY}`);
    };
    jest.spyOn(ServerResponse.prototype, 'writeHead').mockImplementationOnce(fail);
    expect((await send()).status).toBe(500);
    // This time the head is already sent.
    jest.spyOn(ServerResponse.prototype, 'end').mockImplementationOnce(function (this: ServerResponse) {
      this.flushHeaders();
      return fail();
    });
    await expect(send()).rejects.toMatchObject({ code: 'ECONNRESET' });
    expect(shown.mock.calls).toEqual(
      Array.from({ length: 2 }, () => [expect.stringContaining('Error: cannot send ***')]),
    );
    await works();
  });

  test.each([
    ['throws', () => fail()],
    ['rejects', async () => fail()],
  ])('The sandbox shows the error of an onRequest that %s, and sends the response', async (_, onRequest) => {
    const shown = jest.spyOn(console, 'error').mockImplementation(() => undefined);
    const own = await startSandbox({ onRequest });
    // A connection does not take so many bytes at once, so they would be lost with the connection.
    const body = 'x'.repeat(20_000_000);
    for (const delayMs of [0, 1]) {
      own.reply('*', { http: { status: 200, body }, delayMs });
      expect((await call(own, '1.1', 'SendAdvance', '')).body.length).toBe(body.length);
    }
    await own.close();
    expect(shown.mock.calls).toEqual(
      Array.from({ length: 2 }, () => [expect.stringContaining('Error: failed with ***')]),
    );
  });

  test('Every failure is shown without the API key, on stderr and in the response', async () => {
    const folder = mkdtempSync(join(tmpdir(), `messaging-${KEY}-`));
    const listen = jest.spyOn(NetServer.prototype, 'listen');
    const shown = jest.spyOn(console, 'error').mockImplementation(() => undefined);
    const path = join(folder, 'data');
    const own = await startSandbox({ data: path });
    try {
      appendFileSync(path, 'x');
      const message = JSON.stringify({ sender: '1', receptor: '2', message: '3' });
      const headers = { 'Content-Type': 'application/json' };
      const responses = [
        await call(own, '1.1', 'SendAdvance', `<apikey>${KEY}</apikey>`),
        await send(`${own.baseUrl}/sandbox/received`, { headers, body: message }),
      ];
      for (const { status, body } of responses) {
        expect([status, body]).toEqual([500, expect.stringContaining('***')]);
        expect(body).not.toContain(KEY);
      }
      // The listening server fails, as it does without free file descriptors.
      listen.mock.contexts.find((server) => server instanceof Server)?.emit('error', new Error(`failed with ${KEY}`));
      expect(shown).toHaveBeenCalledTimes(3);
      expect(shown.mock.calls.flat().join()).not.toContain(KEY);
    } finally {
      await own.close();
      rmSync(folder, { recursive: true });
    }
  });

  test(`The sandbox survives ${MALFORMED} malformed requests`, async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 20 });
    const whole = requestEnvelope('1.1', operationElement('SendAdvance', `<apikey>${KEY}</apikey>`));
    const bodies = [
      '',
      'x',
      whole.slice(0, 200),
      whole.replace('apikey', 'a:b'),
      whole.replace('<?xml', '<!DOCTYPE'),
      '\0',
    ];
    const url = `${sandbox.baseUrl}/soap/v1.asmx`;
    const sendOne = (index: number): Promise<RawResponse> =>
      send(url, { headers: requestHeaders('1.1', 'SendAdvance'), body: bodies[index % bodies.length] ?? '', agent });
    for (let count = 0; count < MALFORMED; count += 100) {
      const responses = await Promise.all(Array.from({ length: 100 }, (_, index) => sendOne(index)));
      for (const { status } of responses) expect(status).toBe(400);
    }
    agent.destroy();
    await works();
    expect(sandbox.messages).toEqual([]);
  });

  test('Elements may be named like properties that every object has', async () => {
    const names = ['__proto__', 'constructor', 'toString', 'hasOwnProperty'];
    for (const name of names) {
      const children = `<apikey>${KEY}</apikey><${name}>x</${name}><messageid><${name} ${name}="1">x</${name}></messageid>`;
      const inside = await call(sandbox, '1.1', 'GetStatusByApikey', children);
      expect(textOf(inside.body, 'status')).toBe('200');
      const outside = await post(
        sandbox,
        { 'Content-Type': 'text/xml' },
        requestEnvelope('1.1', operationElement(name, '')),
      );
      expect(outside.status).toBe(500);
    }
  });
});

function fail(): never {
  throw new Error(`failed with ${KEY}`);
}
