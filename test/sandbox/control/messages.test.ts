import { Agent, get, type IncomingMessage } from 'node:http';
import { MessagingClient } from '../../../src';
import type { Sandbox } from '../../../src/sandbox';
import { call, KEY, type RawResponse, send, textOf } from '../../support/raw-client';
import { openSandbox } from '../../support/sandbox';

const FIRST = 9007199254740993n;
const JSON_TYPE = { 'Content-Type': 'application/json' };

describe('control interface of messages and delivery', () => {
  let sandbox: Sandbox;
  beforeEach(async () => {
    sandbox = await openSandbox();
  });

  const ask = async (method: string, path: string, body?: unknown): Promise<[number, unknown]> => {
    const options = { method, headers: JSON_TYPE, ...(body !== undefined && { body: JSON.stringify(body) }) };
    const response = await send(`${sandbox.baseUrl}/sandbox/${path}`, options);
    return [response.status, response.body === '' ? null : JSON.parse(response.body)];
  };
  const sendText = (message: string, receptor = '0912'): Promise<RawResponse> =>
    call(
      sandbox,
      '1.1',
      'SendAdvance',
      `<apikey>${KEY}</apikey><message>${message}</message><receptor>${receptor}</receptor><messagemode>3</messagemode>`,
    );

  test('GET /sandbox/messages/ID gives a message with its operation, mode, encoding, characters, units, parts and request', async () => {
    await sendText('سلام'.repeat(20));
    const [status, message] = await ask('GET', `messages/${FIRST}`);
    expect([status, message]).toEqual([
      200,
      {
        messageid: String(FIRST),
        message: 'سلام'.repeat(20),
        status: 1,
        statustext: 'queued',
        receptor: '0912',
        date: expect.any(Number),
        cost: 120,
        call: String(FIRST),
        operation: 'SendAdvance',
        mode: 3,
        encoding: 'UCS-2',
        characters: 80,
        units: 80,
        parts: 2,
        request: expect.objectContaining({ operation: 'SendAdvance', summary: 'status 200' }),
      },
    ]);
    expect(JSON.stringify(message)).not.toContain(KEY);
    const lists = ['sender', 'message', 'receptor'].map(
      (name) => `<${name}><string>a</string><string>b</string></${name}>`,
    );
    const modes = '<msgmode><int>5</int><int>6</int></msgmode>';
    await call(sandbox, '1.1', 'SendArrayByApikey', `<apikey>${KEY}</apikey>${lists.join('')}${modes}`);
    expect((await ask('GET', `messages/${FIRST + 2n}`))[1]).toMatchObject({ operation: 'SendArrayByApikey', mode: 6 });
    sandbox.reset();
    expect(await ask('GET', `messages/${FIRST}`)).toEqual([404, { error: `no message has the id ${FIRST}` }]);
    expect(await ask('GET', 'messages/x')).toEqual([404, { error: 'no message has the id x' }]);
  });

  test('The request of a message is null once the sandbox no longer keeps it', async () => {
    await sendText('a');
    const agent = new Agent({ keepAlive: true });
    for (let count = 0; count < 1_000; count += 1) await send(`${sandbox.baseUrl}/other`, { method: 'GET', agent });
    agent.destroy();
    expect((await ask('GET', `messages/${FIRST}`))[1]).toMatchObject({ message: 'a', request: null });
  });

  test('`search` finds a message by a part of its id, and a request by a part of its exchange without finding the key', async () => {
    await sendText('first');
    await sendText('second');
    const [, found] = await ask('GET', `messages?search=${String(FIRST + 1n).slice(-4)}`);
    expect(found).toMatchObject({ messages: [{ message: 'second' }], next: null });
    const [, requests] = await ask('GET', 'requests?search=SECOND');
    expect(requests).toMatchObject({ requests: [{ body: expect.stringContaining('second') }] });
    expect(await ask('GET', `requests?search=${KEY}`)).toEqual([
      200,
      { requests: [], next: null, found: 0, results: {} },
    ]);
  });

  test('A field is searched by its own parameter, and a time span by its two ends, in every list', async () => {
    for (const [index, text] of ['Alpha', 'beta', 'gamma 0913'].entries()) {
      const fields = `<message>${text}</message><receptor>091${index + 1}</receptor><unixdate>${100 + index}</unixdate>`;
      await call(sandbox, '1.1', 'SendAdvance', `<apikey>${KEY}</apikey>${fields}`);
    }
    sandbox.receive([
      { sender: '0914', receptor: '3000', message: 'Hello', date: 100 },
      { sender: '0915', receptor: '4000', message: 'hello 3000', date: 101 },
    ]);
    const found = async (path: string, list = path): Promise<unknown[]> => {
      const [, body] = (await ask('GET', path)) as [number, Record<string, { message?: string; first?: object }[]>];
      return (body[list.replace(/\?.*/, '')] ?? []).map(
        (one) => (one.first as { message?: string } | undefined)?.message ?? one.message,
      );
    };
    for (const list of ['messages', 'calls']) {
      expect(await found(`${list}?receptor=0913`)).toEqual(['gamma 0913']);
      expect(await found(`${list}?search=0913`)).toEqual(['gamma 0913']);
      expect(await found(`${list}?message=A&startUnixdate=101`)).toEqual(['gamma 0913', 'beta']);
      expect(await found(`${list}?startUnixdate=100&endUnixdate=101&status=1`)).toEqual(['beta', 'Alpha']);
      expect(await found(`${list}?sender=3000`)).toEqual([]);
    }
    expect(await found('received?receptor=3000')).toEqual(['Hello']);
    expect(await found('received?endUnixdate=100&message=hell')).toEqual(['Hello']);
    const [, conversations] = await ask('GET', 'conversations?sender=0915&message=3000');
    expect(conversations).toMatchObject({ conversations: [{ number: '0915' }], found: 1 });
    expect((await ask('GET', 'conversations?receptor=3000&startUnixdate=101'))[1]).toMatchObject({ found: 0 });
    expect(await ask('DELETE', 'messages?receptor=0911&startUnixdate=100&endUnixdate=100')).toEqual([
      200,
      { removed: 1 },
    ]);
    expect(sandbox.messages).toHaveLength(2);
  });

  test('The search of requests looks at the exchange and at all values of the fields, and not at the names of the JSON', async () => {
    const receptors = Array.from({ length: 20 }, (_, index) => `<string>09120${index}&lt;</string>`).join('');
    const children = `<apikey>${KEY}</apikey><sender>3000</sender><message>It's "here" \\</message><receptor>${receptors}</receptor>`;
    await call(sandbox, '1.1', 'SendSimpleByApikey', children);
    await send(`${sandbox.baseUrl}/other`, { method: 'GET', headers: { 'X-Trace': 'seven' } });
    const found = async (query: string): Promise<unknown> => {
      const [, list] = (await ask('GET', `requests?${new URLSearchParams(query)}`)) as [number, { found: number }];
      return list.found;
    };
    for (const own of ['durationms', 'soapversion', 'summary', '"method"', 'first', 'count', KEY]) {
      expect([own, await found(`search=${own}`)]).toEqual([own, 0]);
    }
    for (const part of [
      'xmlns:soap="http',
      '"here" \\<',
      '0912019<',
      'x-trace: SEVEN',
      'GET /other HTTP/1.1',
      'HTTP/1.1 200',
      'apikey>***<',
    ]) {
      expect([part, await found(`search=${encodeURIComponent(part)}`)]).toEqual([part, 1]);
    }
    expect([await found('receptor=0912019'), await found('sender=3000'), await found('message=HERE')]).toEqual([
      1, 1, 1,
    ]);
    expect([await found('receptor=0913'), await found('sender=0912'), await found('endUnixdate=1')]).toEqual([0, 0, 0]);
  });

  test('With `wait`, GET /sandbox/messages responds when a message matches that was sent later, with all messages of its call', async () => {
    await sendText('other');
    const waiting = ask('GET', 'messages?search=0935&wait=600000');
    await sendText('another');
    const receptors = '<receptor><string>09351</string><string>09352</string></receptor>';
    await call(sandbox, '1.1', 'SendSimpleByApikey', `<apikey>${KEY}</apikey>${receptors}`);
    expect(await waiting).toMatchObject([
      200,
      { messages: [{ receptor: '09352' }, { receptor: '09351' }], next: null },
    ]);
    // A message that is there already is given at once.
    expect(await ask('GET', 'messages?search=another&wait=600000')).toMatchObject([200, { messages: [{}] }]);
  });

  test('With `wait`, the list is empty when no message matches in time', async () => {
    await sendText('other');
    expect(await ask('GET', 'messages?search=nothing&wait=20')).toEqual([
      200,
      { messages: [], next: null, found: 0, statuses: {} },
    ]);
    for (const wait of ['-1', '1.5', '', '2147483648']) {
      expect(await ask('GET', `messages?wait=${wait}`)).toEqual([400, { error: expect.stringMatching(/^wait: /) }]);
    }
  });

  test('A program that stops waiting leaves no timer and no listener behind, and neither does closing the sandbox', async () => {
    const set = jest.spyOn(global, 'setTimeout');
    const clear = jest.spyOn(global, 'clearTimeout');
    const cleared = async (ms: number): Promise<void> => {
      const index = set.mock.calls.findIndex(([, delay]) => delay === ms);
      const timer = set.mock.results[index]?.value;
      while (!clear.mock.calls.some(([given]) => given === timer))
        await new Promise((resolve) => setImmediate(resolve));
    };
    const wait = async (ms: number): Promise<void> => {
      const request = get(`${sandbox.baseUrl}/sandbox/messages?wait=${ms}`, (response: IncomingMessage) =>
        response.resume(),
      );
      request.on('error', () => undefined);
      while (!set.mock.calls.some(([, delay]) => delay === ms)) await new Promise((resolve) => setImmediate(resolve));
      if (ms === 600_001) request.destroy();
      else await sandbox.close();
    };
    await wait(600_001);
    await cleared(600_001);
    await wait(600_002);
    await cleared(600_002);
    jest.restoreAllMocks();
  });

  test('DELETE /sandbox/messages/ID removes one message, whose id is not given again', async () => {
    for (const text of ['a', 'b', 'c']) await sendText(text);
    expect(await ask('DELETE', `messages/${FIRST + 1n}`)).toEqual([204, null]);
    expect(await ask('DELETE', `messages/${FIRST + 1n}`)).toEqual([
      404,
      { error: `no message has the id ${FIRST + 1n}` },
    ]);
    expect(sandbox.messages.map(({ message }) => message)).toEqual(['a', 'c']);
    expect((await ask('GET', 'messages'))[1]).toMatchObject({ messages: [{ message: 'c' }, { message: 'a' }] });
    const status = await call(
      sandbox,
      '1.1',
      'GetStatusByApikey',
      `<apikey>${KEY}</apikey><messageid><long>${FIRST + 1n}</long></messageid>`,
    );
    expect(textOf(status.body, 'int')).toBe('100');
    expect(textOf((await sendText('d')).body, 'SendAdvanceResult')).toBe(String(FIRST + 3n));
  });

  test('DELETE /sandbox/messages?search=&status= removes the messages found, and nothing with an empty parameter or without any', async () => {
    for (const text of ['test one', 'other', 'TEST two']) await sendText(text);
    for (const path of ['messages', 'messages?search=']) {
      expect(await ask('DELETE', path)).toEqual([400, { error: expect.stringMatching(/^search: missing or empty/) }]);
    }
    expect(await ask('DELETE', 'messages?search=test&status=')).toEqual([
      400,
      { error: expect.stringMatching(/^status: missing or empty/) },
    ]);
    expect((await ask('DELETE', 'messages?find=a'))[0]).toBe(400);
    expect((await ask('DELETE', `messages/${FIRST}?search=a`))[0]).toBe(400);
    expect(sandbox.messages).toHaveLength(3);
    expect(await ask('DELETE', 'messages?search=test')).toEqual([200, { removed: 2 }]);
    expect(await ask('DELETE', 'messages?search=test')).toEqual([200, { removed: 0 }]);
    await sendText('kept');
    sandbox.setStatus(FIRST + 1n, 6);
    expect(await ask('DELETE', 'messages?status=6&search=kept')).toEqual([200, { removed: 0 }]);
    expect(await ask('DELETE', 'messages?status=6')).toEqual([200, { removed: 1 }]);
    expect(sandbox.messages).toMatchObject([{ message: 'kept' }]);
  });

  test('PUT /sandbox/delivery replaces the setting of the simulated delivery, and GET shows it', async () => {
    expect(await ask('GET', 'delivery')).toMatchObject([200, { enabled: false, steps: [{}, {}] }]);
    const setting = { enabled: true, steps: [{ afterMs: 10, status: 5 }], receptors: [{ endsWith: '7', refuse: 9 }] };
    expect(await ask('PUT', 'delivery', setting)).toEqual([200, setting]);
    expect(await ask('GET', 'delivery')).toEqual([200, setting]);
    expect(textOf((await sendText('a', '0917')).body, 'status')).toBe('9');
    await sendText('a');
    expect(await ask('POST', 'delivery/advance', { ms: 10 })).toEqual([204, null]);
    expect(sandbox.messages).toMatchObject([{ status: 5 }]);
    expect(await ask('POST', 'delivery/advance', { ms: 16.1 * 1000 })).toEqual([204, null]);
    expect(await ask('PUT', 'delivery', { enabled: false })).toMatchObject([200, { steps: [{}, {}] }]);
    await sendText('b');
    await ask('POST', 'delivery/advance', { ms: 3_600_000 });
    expect(sandbox.messages).toMatchObject([{ status: 5 }, { status: 1 }]);
    sandbox.reset();
    expect(await ask('GET', 'delivery')).toMatchObject([200, { enabled: false, receptors: { length: 5 } }]);
    expect(await ask('PUT', 'delivery', { steps: [{ afterMs: '1' }] })).toEqual([
      400,
      { error: expect.stringMatching(/^steps\[0\]\.afterMs: "1" is not a whole number/) },
    ]);
    expect(await ask('POST', 'delivery/advance', { ms: -1 })).toEqual([
      400,
      { error: expect.stringMatching(/^ms: -1/) },
    ]);
  });

  test('Removed messages and a changed delivery give an event', async () => {
    const response = await new Promise<IncomingMessage>((resolve) => get(`${sandbox.baseUrl}/sandbox/events`, resolve));
    const chunks = response.setEncoding('utf8')[Symbol.asyncIterator]();
    let text = '';
    const read = async (kind: string): Promise<void> => {
      while (!text.includes(`"${kind}"`)) text += (await chunks.next()).value;
    };
    await sendText('a');
    await ask('DELETE', `messages/${FIRST}`);
    await read('removed');
    await ask('PUT', 'delivery', { steps: [], receptors: [] });
    await read('delivery');
    response.destroy();
  });

  test('wait is ended by a changed status too', async () => {
    await sendText('a');
    const waiting = ask('GET', 'messages?status=10&wait=20000');
    await ask('PUT', `messages/${FIRST}/status`, { status: 10 });
    expect(await waiting).toEqual([
      200,
      expect.objectContaining({ messages: [expect.objectContaining({ status: 10 })] }),
    ]);
  });
});

test('an API key is masked in the exchange of a message, and never in its sender, receptor or text', async () => {
  const sandbox = await openSandbox({ apiKey: 'test' });
  const client = new MessagingClient({ ...sandbox.clientOptions, defaults: { msgmode: 1, unixdate: 0n } });
  const [id] = await client.sendSimple({ sender: 'test', message: 'this is a test', receptor: ['0912test'] });
  await client.close();
  const response = await fetch(`${sandbox.baseUrl}/sandbox/messages/${id}`);
  const text = await response.text();
  expect(JSON.parse(text)).toMatchObject({ sender: 'test', message: 'this is a test', receptor: '0912test' });
  expect(JSON.stringify(JSON.parse(text).request)).not.toContain('test');
});

test('a list says how many messages are found, by status, whatever its limit is, and a call of 1,000 is one row of calls', async () => {
  const sandbox = await openSandbox();
  const client = new MessagingClient({ ...sandbox.clientOptions, defaults: { msgmode: 1, unixdate: 0n } });
  const ask = async (path: string, method = 'GET'): Promise<unknown> => {
    const headers = { 'Content-Type': 'application/json' };
    return (await fetch(`${sandbox.baseUrl}/sandbox/${path}`, { method, headers })).json();
  };
  const [single] = await client.sendSimple({ sender: '3000', message: 'alone', receptor: ['0935'] });
  const receptor = Array.from({ length: 1000 }, (_, index) => `0912${String(index).padStart(7, '0')}`);
  const ids = await client.sendSimple({ sender: '4000', message: 'سلام', receptor });
  await client.close();
  for (const id of ids.slice(0, 3)) sandbox.setStatus(id, 11);
  expect(await ask('messages?search=0912&limit=2')).toMatchObject({ found: 1000, statuses: { 1: 997, 11: 3 } });
  const call = String(ids[0]);
  expect(await ask(`messages?call=${call}&status=11&limit=1`)).toMatchObject({ found: 3, statuses: { 11: 3 } });
  const row = { id: call, operation: 'SendSimpleByApikey', sender: '4000', messages: 1000, cost: 120_000 };
  expect(await ask('calls?limit=1')).toMatchObject({
    calls: [{ ...row, statuses: { 1: 997, 11: 3 }, found: 1000, first: { messageid: call } }],
    next: call,
  });
  expect(await ask(`calls?before=${call}`)).toMatchObject({ calls: [{ id: String(single), messages: 1 }], next: null });
  expect(await ask('calls?search=0912000099')).toMatchObject({ calls: [{ ...row, found: 10 }], next: null });
  expect(await ask('calls?search=nothing')).toEqual({ calls: [], next: null });
  expect(await ask(`messages?call=${call}`, 'DELETE')).toEqual({ removed: 1000 });
  expect(sandbox.messages).toMatchObject([{ message: 'alone' }]);
});
