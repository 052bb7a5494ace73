import { MessagingClient } from '../../../src';
import type { Sandbox } from '../../../src/sandbox';
import { type HeldClock, holdClock, isSettled, turns } from '../../support/clock';
import { operationElement, requestEnvelope, requestHeaders } from '../../support/envelopes';
import { call, exchange, faultIn, KEY, type RawResponse, textOf } from '../../support/raw-client';
import { openSandbox } from '../../support/sandbox';

describe('armed replies', () => {
  let sandbox: Sandbox;

  beforeEach(async () => {
    sandbox = await openSandbox();
  });

  const advance = (version: '1.1' | '1.2' = '1.1'): Promise<RawResponse> =>
    call(sandbox, version, 'SendAdvance', `<apikey>${KEY}</apikey>`);
  const simple = (): Promise<RawResponse> =>
    call(sandbox, '1.1', 'SendSimpleByApikey', `<apikey>${KEY}</apikey><receptor><string>a</string></receptor>`);
  const latest = (): Promise<RawResponse> =>
    call(sandbox, '1.2', 'SelectlatestByApikey', `<apikey>${KEY}</apikey><pagesize>9</pagesize>`);

  test('A fault has the form and the code of the SOAP version', async () => {
    sandbox.reply('SendAdvance', { fault: { code: 'Server', reason: 'a < b' } }, { times: 2 });
    sandbox.reply('SendAdvance', { fault: { code: 'Sender', reason: 'x' } }, { times: 2 });
    sandbox.reply('SendAdvance', { fault: { code: 'Client.Quota', reason: 'x', detail: '<q xmlns="urn:q">1</q>' } });
    const first = await advance('1.1');
    expect([first.status, first.headers['content-type']]).toEqual([500, 'text/xml; charset=utf-8']);
    expect(faultIn(first)).toEqual({ code: 'Server', reason: 'a < b' });
    expect(first.body).toContain('</faultstring><detail /></soap:Fault>');
    expect(faultIn(await advance('1.2'))).toEqual({ code: 'Receiver', reason: 'a < b' });
    expect(faultIn(await advance('1.1'))?.code).toBe('Client');
    expect(faultIn(await advance('1.2'))?.code).toBe('Sender');
    expect((await advance('1.1')).body).toContain(
      '<faultcode>soap:Client.Quota</faultcode><faultstring>x</faultstring><detail><q xmlns="urn:q">1</q></detail>',
    );
    expect(sandbox.messages).toEqual([]);
  });

  test('A status comes with an empty list or 0, and the operation takes no effect', async () => {
    sandbox.reply('*', { status: 418, statusmessage: 'no <credit>' }, { times: 2 });
    const single = await advance();
    expect(single.body).toContain(
      '<SendAdvanceResult>0</SendAdvanceResult><status>418</status><statusmessage>no &lt;credit&gt;</statusmessage>',
    );
    expect((await simple()).body).toContain('<SendSimpleByApikeyResult /><status>418</status>');
    sandbox.reply('*', { status: -1 });
    expect((await advance()).body).toContain('<status>-1</status><statusmessage /></SendAdvanceResponse>');
    sandbox.reply('*', { status: 7, statusmessage: null });
    expect((await advance()).body).toContain('<status>7</status></SendAdvanceResponse>');
    expect(sandbox.messages).toEqual([]);
  });

  test('A result is written without checks', async () => {
    sandbox.reply('SendAdvance', { result: null });
    expect((await advance()).body).toContain('"><status>200</status><statusmessage>ok</statusmessage></SendAdvance');
    sandbox.reply('SendAdvance', { result: 'no <number>', status: 5, statusmessage: null });
    expect((await advance()).body).toContain(
      '<SendAdvanceResult>no &lt;number&gt;</SendAdvanceResult><status>5</status></SendAdvanceResponse>',
    );
    sandbox.reply('SendAdvance', { result: '' });
    expect((await advance()).body).toContain('<SendAdvanceResult />');
    sandbox.reply('SendSimpleByApikey', { result: [1n, '2', 'x', '', null] });
    expect(textOf((await simple()).body, 'SendSimpleByApikeyResult')).toBe(
      '<long>1</long><long>2</long><long>x</long><long /><long xsi:nil="true" />',
    );
    sandbox.reply('SelectlatestByApikey', {
      result: [null, { messageid: 'x', message: null, status: 1, receptor: '' }, 'text'],
    });
    expect(textOf((await latest()).body, 'SelectlatestByApikeyResult')).toBe(
      '<ApiSelect xsi:nil="true" /><ApiSelect><messageid>x</messageid><status>1</status><receptor /></ApiSelect>' +
        '<ApiSelect>text</ApiSelect>',
    );
    sandbox.reply('SelectlatestByApikey', { result: 'bare' });
    expect(textOf((await latest()).body, 'SelectlatestByApikeyResult')).toBe('bare');
    expect(sandbox.messages).toEqual([]);
  });

  test('A raw HTTP response is sent as it is given', async () => {
    sandbox.reply('SendAdvance', {
      http: { status: 302, headers: { Location: 'http://other.example/', 'X-One': '1' }, body: 'سلام' },
    });
    const text = await advance();
    expect([text.status, text.body]).toEqual([302, 'سلام']);
    expect(text.headers).toMatchObject({ location: 'http://other.example/', 'x-one': '1', 'content-length': '8' });
    expect(text.headers['content-type']).toBeUndefined();
    sandbox.reply('SendAdvance', { http: { status: 502 } });
    expect(await advance()).toMatchObject({ status: 502, body: '', headers: { 'content-length': '0' } });
    sandbox.reply('SendAdvance', { http: { status: 200, body: Buffer.from([0x61, 0x62]) } });
    expect((await advance()).body).toBe('ab');
    expect(sandbox.messages).toEqual([]);
  });

  test('A raw HTTP response may promise more bytes than it sends', async () => {
    sandbox.reply('SendAdvance', {
      http: { status: 200, headers: { 'content-length': '50', connection: 'close' }, body: 'cut' },
    });
    await expect(advance()).rejects.toMatchObject({ code: 'ECONNRESET' });
  });

  /** Moves the clock to the time at which a response is due, and checks that it does not come earlier. */
  async function dueAfter(ms: number, response: Promise<unknown>, clock: HeldClock): Promise<void> {
    await clock.advance(ms - 1);
    // A response without a delay takes no longer than this.
    await simple();
    expect(await isSettled(response)).toBe(false);
    await clock.advance(1);
  }

  test.each([0, 1])(
    'A reply that Node refuses to send ends its request with HTTP 500 (after %i ms)',
    async (delayMs) => {
      const reported = jest.spyOn(console, 'error').mockReturnValue();
      const completed: unknown[] = [];
      const own = await openSandbox({ onRequest: ({ result }) => void completed.push(result) });
      own.reply('*', { http: { status: 200, headers: { Trailer: 'x' }, body: 'hello' }, delayMs });
      expect((await call(own, '1.1', 'SendAdvance', '')).status).toBe(500);
      expect(own.requests).toMatchObject([
        { result: 'http', summary: 'HTTP 500', reason: expect.stringMatching(/trailer/i), response: { status: 500 } },
      ]);
      expect(completed).toEqual(['http']);
      expect(reported).toHaveBeenCalledTimes(1);
      reported.mockRestore();
    },
  );

  test('A delay alone delays the response of the service, and the message is stored at once', async () => {
    const clock = holdClock();
    sandbox.reply('SendAdvance', { delayMs: 150 });
    const response = advance();
    while (sandbox.messages.length === 0) await turns(1);
    await dueAfter(150, response, clock);
    expect(textOf((await response).body, 'SendAdvanceResult')).toBe('9007199254740993');
  });

  test('Every reply may have a delay', async () => {
    const clock = holdClock();
    sandbox.reply('*', { fault: { code: 'Server', reason: 'late' }, delayMs: 100 });
    const response = advance();
    while (sandbox.requests.length === 0) await turns(1);
    await dueAfter(100, response, clock);
    expect(faultIn(await response)?.reason).toBe('late');
  });

  test.each([
    ['before', 0],
    ['after', 1],
  ] as const)('A connection that is dropped %s the operation takes effect leaves %i messages', async (drop, count) => {
    sandbox.reply('SendAdvance', { drop });
    await expect(advance()).rejects.toMatchObject({ code: 'ECONNRESET' });
    expect(sandbox.messages).toHaveLength(count);
    expect((await advance()).status).toBe(200);
  });

  test('The connection of a pipelined request is dropped after the responses before it', async () => {
    sandbox.reply('SendAdvance', { http: { status: 200, headers: { 'Transfer-Encoding': 'chunked' } }, delayMs: 20 });
    sandbox.reply('SendAdvance', { drop: 'before' });
    const body = requestEnvelope('1.1', operationElement('SendAdvance', ''));
    const headers = { Host: 'a', 'Content-Length': String(body.length), ...requestHeaders('1.1', 'SendAdvance') };
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    const request = `POST /soap/v1.asmx HTTP/1.1\r\n${lines.join('')}\r\n${body}`;
    // The responses have no length, so only the end of the connection ends this.
    const responses = await exchange(sandbox.baseUrl, request.repeat(3));
    expect(responses.split('HTTP/1.1 200 OK')).toHaveLength(2);
    expect(sandbox.requests.map(({ summary }) => summary)).toEqual(expect.arrayContaining(['HTTP 200', 'dropped']));
  });

  test('A request gets the oldest reply that fits it, as many times as the reply allows', async () => {
    sandbox.reply('SendSimpleByApikey', { status: 1 });
    sandbox.reply('*', { status: 2 }, { times: 2 });
    sandbox.reply('SendAdvance', { status: 3 }, { times: Number.POSITIVE_INFINITY });
    const statuses: (string | null)[] = [];
    for (let count = 0; count < 5; count += 1) statuses.push(textOf((await advance()).body, 'status'));
    expect(statuses).toEqual(['2', '2', '3', '3', '3']);
    expect(textOf((await simple()).body, 'status')).toBe('1');
    expect(textOf((await simple()).body, 'status')).toBe('200');
  });

  test('A request that names no operation uses up no reply', async () => {
    sandbox.reply('*', { status: 9 });
    await call(sandbox, '1.2', 'Unknown', '');
    expect(textOf((await advance()).body, 'status')).toBe('9');
  });

  test('A request without a key gets the armed reply', async () => {
    sandbox.reply('SendAdvance', { result: 5n });
    expect(textOf((await call(sandbox, '1.1', 'SendAdvance', '')).body, 'SendAdvanceResult')).toBe('5');
  });

  test('A caller may leave during a delay, and the sandbox may close during a delay', async () => {
    sandbox.reply('*', { delayMs: 50 });
    sandbox.reply('*', { delayMs: 60_000 });
    const arrived = async (count: number): Promise<void> => {
      while (sandbox.requests.length < count) await new Promise((resolve) => setImmediate(resolve));
    };
    const leaving = new AbortController();
    const request = fetch(`${sandbox.baseUrl}/soap/v1.asmx`, {
      method: 'POST',
      headers: requestHeaders('1.1', 'SendAdvance'),
      body: '<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body/></s:Envelope>',
      signal: leaving.signal,
    });
    await arrived(1);
    leaving.abort();
    await expect(request).rejects.toThrow();
    // Timers fire in order, so the delay is over after this timer.
    await new Promise((resolve) => setTimeout(resolve, 60));
    const waiting = expect(advance()).rejects.toMatchObject({ code: 'ECONNRESET' });
    await arrived(2);
    await sandbox.close();
    await waiting;
  });

  test('After close no timer of a delay keeps the process alive', async () => {
    const set = jest.spyOn(global, 'setTimeout');
    const clear = jest.spyOn(global, 'clearTimeout');
    sandbox.reply('SendAdvance', { delayMs: 60_001 });
    const waiting = expect(advance()).rejects.toMatchObject({ code: 'ECONNRESET' });
    const delays = () => set.mock.results.filter((_, index) => set.mock.calls[index]?.[1] === 60_001);
    while (delays().length === 0) await new Promise((resolve) => setImmediate(resolve));
    await sandbox.close();
    await waiting;
    expect(delays()).toHaveLength(1);
    expect(clear).toHaveBeenCalledWith(delays()[0]?.value);
    jest.restoreAllMocks();
  });

  test.each<[unknown, unknown, unknown, string]>([
    ['Unknown', { status: 1 }, {}, 'operation: "Unknown" is not an operation'],
    ['toString', { status: 1 }, {}, 'operation: "toString" is not'],
    ['*', { status: 1 }, { times: 0 }, 'times: 0 is not'],
    ['*', { status: 1 }, { time: 2 }, 'time: no such field (fields: operation, times, receptor, message, reply)'],
    ['*', null, {}, 'reply: an object is needed'],
    ['*', {}, {}, 'reply: needs fault, status'],
    ['*', { falt: {} }, {}, 'reply.falt: no such field'],
    ['*', { drop: 'before', http: { status: 200 } }, {}, 'reply: http and drop exclude each other'],
    ['*', { drop: 'before', status: 1 }, {}, 'reply: drop and status exclude each other'],
    ['*', { drop: 'later' }, {}, 'reply.drop: "later" is neither "before" nor "after"'],
    ['*', { drop: 'before', statusmessage: 'x' }, {}, 'reply.statusmessage: needs status or result'],
    ['*', { fault: 'Server' }, {}, 'reply.fault: an object is needed'],
    ['*', { fault: { reason: 'x' } }, {}, 'reply.fault.code: missing'],
    ['*', { fault: { code: 'Server', reason: 1 } }, {}, 'reply.fault.reason: 1 is not a string'],
    ['*', { fault: { code: 'Server', reason: 'x', detail: [] } }, {}, 'reply.fault.detail: the object is not a string'],
    ['*', { fault: { code: 'Server', reason: 'x', actor: {} } }, {}, 'reply.fault.actor: the object is not a string'],
    ['*', { status: '1' }, {}, 'reply.status: "1" is not a whole number from -2147483648 to 2147483647'],
    ['*', { status: 2 ** 31 }, {}, 'reply.status: 2147483648 is not a whole number from -2147483648 to 2147483647'],
    ['*', { status: 1, statusmessage: 1 }, {}, 'reply.statusmessage: 1 is not a string'],
    ['*', { result: [] }, {}, 'reply.result: not every operation returns a list'],
    ['SendAdvance', { result: [1] }, {}, 'reply.result: SendAdvance returns no list'],
    ['SendAdvance', { result: 2 ** 53 }, {}, 'reply.result: a number beyond 2^53 loses digits'],
    ['SelectByApikey', { result: [1, { nosuch: 1 }] }, {}, 'reply.result[1].nosuch: no such field'],
    ['SelectByApikey', { result: [{ message: {} }] }, {}, 'reply.result[0].message: the object is not a value'],
    ['GetStatusByApikey', { result: [{}] }, {}, 'reply.result[0]: the object is not a value'],
    ['GetStatusByApikey', { result: [[]] }, {}, 'reply.result[0]: the object is not a value'],
    ['*', { http: { status: 100 } }, {}, 'reply.http.status: 100 is not'],
    ['*', { http: { status: 200, headers: 'a' } }, {}, 'reply.http.headers: an object is needed'],
    ['*', { http: { status: 200, headers: null } }, {}, 'reply.http.headers: an object is needed'],
    ['*', { http: { status: 200, headers: { a: 1 } } }, {}, 'reply.http.headers.a: 1 is not a string'],
    ['*', { http: { status: 200, headers: { 'a b': 'c' } } }, {}, 'reply.http.headers.a b: '],
    ['*', { http: { status: 200, headers: { a: 'b\r\nc: d' } } }, {}, 'reply.http.headers.a: Invalid character'],
    ['*', { http: { status: 200, body: 1 } }, {}, 'reply.http.body: 1 is not a string'],
    ['*', { delayMs: -1 }, {}, 'reply.delayMs: -1 is not'],
    ['*', { delayMs: Number.NaN }, {}, 'reply.delayMs: NaN is not'],
    ['*', { delayMs: '5' }, {}, 'reply.delayMs: "5" is not'],
  ])('A reply for %j that is %j is refused with the name of the wrong field', (operation, reply, options, message) => {
    expect(() => sandbox.reply(operation as '*', reply as { status: 1 }, options as { times: 1 })).toThrow(message);
    expect(sandbox.replies).toEqual([]);
  });

  test('A handle disarms its own reply, and clearReplies disarms every reply', async () => {
    const first = sandbox.reply('*', { status: 1 });
    const second = sandbox.reply('*', { status: 2 }, { times: Number.POSITIVE_INFINITY });
    sandbox.reply('SendAdvance', { status: 3 }, { times: 2 });
    expect(sandbox.replies).toEqual([
      { id: first.id, operation: '*', times: 1, reply: { status: 1 } },
      { id: second.id, operation: '*', times: Number.POSITIVE_INFINITY, reply: { status: 2 } },
      { id: expect.any(String), operation: 'SendAdvance', times: 2, reply: { status: 3 } },
    ]);
    first.clear();
    first.clear();
    expect(textOf((await advance()).body, 'status')).toBe('2');
    second.clear();
    expect(textOf((await advance()).body, 'status')).toBe('3');
    expect(sandbox.replies).toMatchObject([{ times: 1 }]);
    sandbox.clearReplies();
    expect(textOf((await advance()).body, 'status')).toBe('200');
  });
});

test('a reply for a receptor or a text is given to the requests that contain it, and to no other', async () => {
  const sandbox = await openSandbox();
  const client = new MessagingClient({ ...sandbox.clientOptions, defaults: { msgmode: 1, unixdate: 0n } });
  sandbox.reply('*', { status: 418 }, { receptor: '0912', times: Number.POSITIVE_INFINITY });
  sandbox.reply('SendSimpleByApikey', { status: 419 }, { message: 'سلام' });
  const send = async (message: string, ...receptor: string[]) =>
    (await client.call('SendSimpleByApikey', { sender: '3000', message, receptor, unixdate: 0n, msgmode: 1 })).status;
  expect(await send('hi', '0935', '09120000001')).toBe(418);
  expect(await send('hi', '0935')).toBe(200);
  expect(await send('و سلام', '0935')).toBe(419);
  expect(await send('و سلام', '0935')).toBe(200);
  expect((await client.call('GetStatusByApikey', { messageid: [1n] })).status).toBe(200);
  expect(sandbox.replies).toMatchObject([{ receptor: '0912' }]);
  await client.close();
});
