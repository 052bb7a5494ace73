import { version } from '../../../src/internal/version';
import { type Sandbox, startSandbox } from '../../../src/sandbox';
import { operationElement, requestEnvelope, requestHeaders } from '../../support/envelopes';
import { call, exchange, KEY, type RawResponse, send, textOf } from '../../support/raw-client';

const FIRST = '9007199254740993';
const JSON_TYPE = { 'Content-Type': 'application/json' };

describe('control interface', () => {
  let sandbox: Sandbox;
  beforeEach(async () => {
    sandbox = await startSandbox();
  });
  afterEach(() => sandbox.close());

  const ask = (method: string, path: string, body?: unknown, headers: Record<string, string> = JSON_TYPE) =>
    send(`${sandbox.baseUrl}${path}`, { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) });
  /** Checks the status of a response and gives its JSON. */
  const json = async (status: number, method: string, path: string, body?: unknown): Promise<unknown> => {
    const response = await ask(method, path, body);
    expect([response.status, response.headers['content-type'], response.body]).toEqual([
      status,
      'application/json',
      expect.any(String),
    ]);
    return JSON.parse(response.body);
  };
  const advance = (children: string): Promise<RawResponse> =>
    call(sandbox, '1.1', 'SendAdvance', `<apikey>${KEY}</apikey>${children}`);
  const sendText = (message: string, sender = '3000', receptor = '0912'): Promise<RawResponse> =>
    advance(`<sender>${sender}</sender><message>${message}</message><receptor>${receptor}</receptor>`);
  const idAt = (index: number): string => String(BigInt(FIRST) + BigInt(index));

  test('GET /sandbox gives the version, the namespace, the endpoint, the counts by status and the credit', async () => {
    for (const text of ['a', 'b', 'c']) await sendText(text);
    sandbox.setStatus(BigInt(idAt(1)), 10);
    sandbox.receive({ sender: '1', receptor: '3000', message: 'm' });
    expect(await json(200, 'GET', '/sandbox')).toEqual({
      version,
      namespace: 'http://messaging.example/',
      endpoint: `${sandbox.baseUrl}/soap/v1.asmx`,
      started: expect.any(String),
      messages: 3,
      statuses: { 1: 2, 10: 1 },
      received: 1,
      requests: 3,
      credit: '9007199254740635',
    });
  });

  test('`started` stays the same while the sandbox runs, and changes with each reset and each start', async () => {
    const started = async (): Promise<unknown> =>
      ((await json(200, 'GET', '/sandbox')) as { started: unknown }).started;
    const first = await started();
    await sendText('a');
    expect(await started()).toBe(first);
    sandbox.reset();
    const second = await started();
    await sandbox.close();
    sandbox = await startSandbox();
    expect(new Set([first, second, await started()]).size).toBe(3);
  });

  describe('messages', () => {
    test('GET /sandbox/messages lists messages newest first, with the fields in the order of the contract and the id as a string', async () => {
      await advance('<message>سلام</message><unixdate>1700000000</unixdate>');
      await sendText('second');
      const { messages, next } = (await json(200, 'GET', '/sandbox/messages')) as { messages: object[]; next: unknown };
      expect(messages).toMatchObject([{ messageid: idAt(1), message: 'second', sender: '3000', receptor: '0912' }, {}]);
      expect(messages[1]).toEqual({
        messageid: FIRST,
        message: 'سلام',
        status: 1,
        statustext: 'queued',
        date: 1_700_000_000,
        cost: 120,
        call: FIRST,
      });
      expect(Object.keys(messages[0] ?? {}).join()).toBe(
        'messageid,message,status,statustext,sender,receptor,date,cost,call',
      );
      expect(next).toBeNull();
    });

    test('Messages of one call have the same `call`, and messages of two calls have different ones', async () => {
      await sendText('a');
      const receptors = '<receptor><string>1</string><string>2</string></receptor>';
      await call(sandbox, '1.1', 'SendSimpleByApikey', `<apikey>${KEY}</apikey>${receptors}`);
      const { messages } = (await json(200, 'GET', '/sandbox/messages')) as { messages: { call: unknown }[] };
      expect(messages.map((message) => message.call)).toEqual([idAt(1), idAt(1), FIRST]);
      expect(await json(200, 'GET', `/sandbox/messages/${idAt(2)}`)).toMatchObject({ call: idAt(1) });
    });

    test('`status` finds messages in a status, together with `search`', async () => {
      for (const text of ['one', 'two', 'another one']) await sendText(text);
      sandbox.setStatus(BigInt(idAt(1)), 10);
      sandbox.setStatus(BigInt(idAt(2)), -3);
      for (const [query, indexes] of [
        ['status=10', [1]],
        ['status=-3', [2]],
        ['status=1&search=one', [0]],
        ['status=10&search=one', []],
        ['status=&search=one', [2, 0]],
        ['status=99', []],
      ] as const) {
        const page = await json(200, 'GET', `/sandbox/messages?${query}`);
        expect([query, page]).toMatchObject([
          query,
          { messages: indexes.map((index) => ({ messageid: idAt(index) })), next: null },
        ]);
      }
    });

    test('A date that a JSON number cannot hold is a string', async () => {
      await advance('<unixdate>9223372036854775807</unixdate>');
      expect(await json(200, 'GET', '/sandbox/messages')).toMatchObject({
        messages: [{ date: '9223372036854775807' }],
      });
    });

    test('GET /sandbox/messages gives pages of 100 messages, or of `limit` messages', async () => {
      const receptors = `<receptor>${'<string>1</string>'.repeat(205)}</receptor>`;
      await call(sandbox, '1.1', 'SendSimpleByApikey', `<apikey>${KEY}</apikey>${receptors}`);
      let path = '/sandbox/messages';
      const sizes: number[] = [];
      const ids = new Set<string>();
      for (;;) {
        const page = (await json(200, 'GET', path)) as { messages: { messageid: string }[]; next: string | null };
        sizes.push(page.messages.length);
        for (const { messageid } of page.messages) ids.add(messageid);
        if (page.next === null) break;
        path = `/sandbox/messages?before=${page.next}`;
      }
      expect(sizes).toEqual([100, 100, 5]);
      expect(ids.size).toBe(205);
      expect(await json(200, 'GET', '/sandbox/messages?limit=205')).toMatchObject({ next: null });
      expect(await json(200, 'GET', '/sandbox/messages?limit=204')).toMatchObject({ next: idAt(1) });
    });

    test('A page of messages ends early when its texts grow too long', async () => {
      // Each of the three texts is needed to reach the limit.
      const text = 'x'.repeat(2_000_000);
      const children = `<sender>${text}</sender><message>${text}</message><receptor>${`<string>${text}</string>`.repeat(4)}</receptor>`;
      await call(sandbox, '1.1', 'SendSimpleByApikey', `<apikey>${KEY}</apikey>${children}`);
      sandbox.receive(Array.from({ length: 4 }, () => ({ sender: text, receptor: text, message: text })));
      expect(await json(200, 'GET', '/sandbox/messages')).toMatchObject({ next: idAt(1) });
      expect(await json(200, 'GET', '/sandbox/received')).toMatchObject({ next: idAt(1) });
    });

    test('A page of messages ends early when its status texts grow too long', async () => {
      for (let index = 0; index < 4; index += 1) {
        await sendText('a');
        sandbox.setStatus(BigInt(idAt(index)), 5, 'x'.repeat(6_000_000));
      }
      expect(await json(200, 'GET', '/sandbox/messages')).toMatchObject({ next: idAt(1) });
    });

    test('`search` finds messages by a part of the sender, the receptor or the text, and ignores case', async () => {
      await sendText('Hello World', 'AbC', '0911');
      await sendText('سلام دنیا', '3000', '0912');
      for (const [search, indexes] of [
        ['WORLD', [0]],
        ['abc', [0]],
        ['091', [1, 0]],
        ['دنی', [1]],
        ['%', []],
        ['', [1, 0]],
      ] as const) {
        const page = await json(200, 'GET', `/sandbox/messages?search=${encodeURIComponent(search)}`);
        expect(page).toMatchObject({ messages: indexes.map((index) => ({ messageid: idAt(index) })), next: null });
      }
      expect(await json(200, 'GET', '/sandbox/messages?search=0&limit=1')).toMatchObject({ next: idAt(1) });
    });

    test('PUT /sandbox/messages/ID/status changes a status, with its own text or a given text', async () => {
      await sendText('a');
      const path = `/sandbox/messages/${FIRST}/status`;
      expect(await json(200, 'PUT', path, { status: 13 })).toMatchObject({ status: 13, statustext: 'canceled' });
      expect(await json(200, 'PUT', path, { status: 10, statustext: 'delivered' })).toMatchObject({ messageid: FIRST });
      expect(sandbox.messages).toMatchObject([{ status: 10, statustext: 'delivered' }]);
    });
  });

  describe('received messages', () => {
    test('POST /sandbox/received adds one message or a list, and GET lists them newest first with their read state', async () => {
      const one = { sender: '1', receptor: '3000', message: 'first', date: 1_600_000_000 };
      expect(await json(201, 'POST', '/sandbox/received', one)).toEqual({
        received: [
          { messageid: FIRST, message: 'first', sender: '1', receptor: '3000', date: 1_600_000_000, isread: 0 },
        ],
      });
      const list = [
        { sender: null, receptor: '3001', message: null, date: '9223372036854775807' },
        { sender: '2', receptor: '3001', message: '' },
      ];
      expect(await json(201, 'POST', '/sandbox/received', list)).toMatchObject({
        received: [
          { messageid: idAt(1), date: '9223372036854775807' },
          { messageid: idAt(2), message: '' },
        ],
      });
      await call(sandbox, '1.1', 'ReceiveByApikey', `<apikey>${KEY}</apikey><lineNumber>3000</lineNumber>`);
      expect(await json(200, 'GET', '/sandbox/received')).toMatchObject({
        received: [
          { messageid: idAt(2), isread: 0 },
          { messageid: idAt(1), isread: 0 },
          { messageid: FIRST, isread: 1 },
        ],
        next: null,
      });
      expect(await json(200, 'GET', '/sandbox/received?search=FIRS')).toMatchObject({
        received: [{ messageid: FIRST }],
        next: null,
      });
      expect(await json(200, 'GET', '/sandbox/received?search=300')).toMatchObject({ received: { length: 3 } });
      expect(await json(200, 'GET', '/sandbox/received?search=first&line=3001')).toMatchObject({ received: [] });
      const page = await json(200, 'GET', `/sandbox/received?line=3001&limit=1&before=${idAt(2)}`);
      expect(page).toMatchObject({ received: [{ messageid: idAt(1) }], next: null });
    });

    test('POST /sandbox/received accepts a list as a whole or refuses it as a whole', async () => {
      const good = { sender: '1', receptor: '3000', message: 'm' };
      expect(await json(400, 'POST', '/sandbox/received', [good, { ...good, date: 'x' }])).toEqual({
        error: '[1].date: "x" is not a whole number of 64 bits (beyond 2^53, give a bigint or a string of digits)',
      });
      expect(await json(200, 'GET', '/sandbox/received')).toEqual({ received: [], next: null });
    });
  });

  describe('replies', () => {
    test('Tests arm, list, use up and disarm replies through /sandbox/replies', async () => {
      const fault = { code: 'Server', reason: 'out of order' };
      const body = { operation: 'SendAdvance', reply: { fault } };
      expect(await json(201, 'POST', '/sandbox/replies', body)).toEqual({ id: '1' });
      await json(201, 'POST', '/sandbox/replies', { operation: '*', times: null, reply: { status: 418 } });
      await json(201, 'POST', '/sandbox/replies', { operation: '*', times: 3, reply: { delayMs: 5 } });
      sandbox.reply('*', { http: { status: 200, body: Buffer.from('bytes') } });
      expect(await json(200, 'GET', '/sandbox/replies')).toEqual({
        replies: [
          { id: '1', operation: 'SendAdvance', times: 1, reply: { fault } },
          { id: '2', operation: '*', times: null, reply: { status: 418 } },
          { id: '3', operation: '*', times: 3, reply: { delayMs: 5 } },
          { id: '4', operation: '*', times: 1, reply: { http: { status: 200, body: 'bytes' } } },
        ],
      });
      expect((await sendText('a')).body).toContain('out of order');
      expect(textOf((await sendText('a')).body, 'status')).toBe('418');
      expect(textOf((await sendText('a')).body, 'status')).toBe('418');
      expect(await ask('DELETE', '/sandbox/replies/2')).toMatchObject({ status: 204, body: '' });
      expect(textOf((await sendText('a')).body, 'status')).toBe('200');
      expect(await ask('DELETE', '/sandbox/replies')).toMatchObject({ status: 204, body: '' });
      expect(await json(200, 'GET', '/sandbox/replies')).toEqual({ replies: [] });
    });

    test.each<[string, unknown, string]>([
      ['a status', { status: 7, statusmessage: null }, '<status>7</status></SendAdvanceResponse>'],
      ['a result', { result: '9223372036854775807' }, '<SendAdvanceResult>9223372036854775807</SendAdvanceResult>'],
      ['no result', { result: null }, '"><status>200</status>'],
      ['raw HTTP', { http: { status: 200, headers: { 'X-A': 'b' }, body: 'سلام' } }, 'سلام'],
    ])('A reply with %s gives the same response as a reply that TypeScript armed', async (_, reply, expected) => {
      await json(201, 'POST', '/sandbox/replies', { operation: 'SendAdvance', reply });
      expect((await sendText('a')).body).toContain(expected);
    });

    test('A reply may drop the connection after the operation took effect', async () => {
      await json(201, 'POST', '/sandbox/replies', { operation: '*', reply: { drop: 'after' } });
      await expect(sendText('a')).rejects.toMatchObject({ code: 'ECONNRESET' });
      expect(sandbox.messages).toHaveLength(1);
    });
  });

  describe('requests', () => {
    test('GET /sandbox/requests lists requests newest first with their responses, and without the key in any spelling', async () => {
      const own = await startSandbox({ apiKeys: ['secret', 'secret & more'] });
      try {
        const url = `${own.baseUrl}/soap/v1.asmx`;
        await send(`${url}?secret`, { method: 'GET', headers: { 'X-Key': 'secret', 'X-Two': ['a', 'secret'] } });
        const text = '<message>secret</message><sender>secret &amp; m&#111;re</sender>';
        const body = requestEnvelope(
          '1.2',
          `<SendAdvance xmlns="http://messaging.example/"><apikey>secret</apikey>${text}</SendAdvance>`,
        );
        await send(url, { headers: requestHeaders('1.2', 'SendAdvance'), body });
        await send(url, { headers: requestHeaders('1.1', 'secret'), body });
        const response = await send(`${own.baseUrl}/sandbox/requests?limit=3`, { method: 'GET' });
        expect(response.body).not.toContain('secret');
        const { requests } = JSON.parse(response.body) as { requests: Record<string, unknown>[] };
        expect(requests).toMatchObject([
          { method: 'POST', summary: 'fault Client', response: { status: 500 } },
          {
            operation: 'SendAdvance',
            soapVersion: '1.2',
            method: 'POST',
            url: '/soap/v1.asmx',
            body: body.replace(text, '<message>***</message><sender>***</sender>').replace('>secret<', '>***<'),
            response: { status: 200, body: expect.stringContaining('<status>200</status>') },
            summary: 'status 200',
            date: expect.any(Number),
            durationMs: expect.any(Number),
          },
          { method: 'GET', url: '/soap/v1.asmx?***', headers: { 'x-key': '***', 'x-two': 'a, ***' } },
        ]);
        expect(own.requests.at(-2)?.body).toBe(body);
      } finally {
        await own.close();
      }
    });

    test.each([
      ['utf-8', 'utf8', ''],
      ['utf-16', 'utf16le', '\ufeff'],
    ] as const)(
      'GET /sandbox/requests masks a key that is split into CDATA sections or in another encoding (%s)',
      async (charset, encoding, mark) => {
        const spellings = [KEY, KEY.replace('-', '<![CDATA[-]]>'), `<![CDATA[${KEY.slice(0, 5)}]]>${KEY.slice(5)}`];
        for (const key of spellings) {
          const body = requestEnvelope('1.1', operationElement('RemainCreditByApiKey', `<apikey >${key}</apikey >`));
          const headers = {
            ...requestHeaders('1.1', 'RemainCreditByApiKey'),
            'Content-Type': `text/xml; charset=${charset}`,
          };
          const bytes = Buffer.from(mark + body.replace('utf-8', charset), encoding);
          const response = await send(`${sandbox.baseUrl}/soap/v1.asmx`, { headers, body: bytes });
          expect(textOf(response.body, 'status')).toBe('200');
        }
        const { requests } = (await json(200, 'GET', '/sandbox/requests')) as { requests: { body: string }[] };
        for (const { body } of requests) expect(textOf(body.replaceAll('apikey >', 'apikey>'), 'apikey')).toBe('***');
        expect(requests).toHaveLength(spellings.length);
      },
    );

    test.each([
      ['<apikey/><status>0</status>', '<apikey/><status>0</status>'],
      ['<apikey /><status>0</status>', '<apikey /><status>0</status>'],
      ['<apikey></apikey>', '<apikey></apikey>'],
      ['<a:apikey b=">">k</a:apikey><status>0</status>', '<a:apikey ***>***</a:apikey><status>0</status>'],
      ['<apikey>k</apikey>x<apikey>k</apikey>', '<apikey>***</apikey>***<apikey>***</apikey>'],
      ['<apikey>k<status>0', '<apikey>***'],
      ['<apikey>k<apikey k', '<apikey>***'],
      ['<a:apikey>k<apikey />k</a:apikey>x', '<a:apikey>***</a:apikey>***'],
      ['<apikey', '<apikey'],
      ['<ApiKey>k</ApiKey><status>0</status>', '<ApiKey>***</ApiKey><status>0</status>'],
      ['<s:api_key>k</s:api_key>', '<s:api_key>***</s:api_key>'],
      ['<api-key>k</api-key>', '<api-key>***</api-key>'],
      ['<key>k</key>', '<key>***</key>'],
      ["<apikey value='k'/>", '<apikey ***/>'],
      ['<apikey value="k', '<apikey ***'],
      ['<apikey a=">k</apikey><x>1</x>', '<apikey ***>***</apikey><x>1</x>'],
      ['<apikey xmlns="urn:a" xsi:type="b">k</apikey>', '<apikey xmlns="urn:a" xsi:type="b">***</apikey>'],
      ['<apikey/>k <x>1</x>', '<apikey/>***<x>1</x>'],
      ['<apikey></apikey>k<x>1</x>', '<apikey></apikey>***<x>1</x>'],
      ['<apikey><!-- </apikey> -->k</apikey> <x>1</x>', '<apikey>***</apikey> <x>1</x>'],
      ['<apikey><![CDATA[</apikey>]]>k</apikey>', '<apikey>***</apikey>'],
      ['<!-- <apikey>k</apikey> -->', '<!-- <apikey>***</apikey>***'],
      ['<SendByApikey apikey="k" b="1"><x/></SendByApikey>', '<SendByApikey apikey="***" b="1"><x/></SendByApikey>'],
      ['{"sender":"1","ApiKey" : "a\\"k", "message":"m"}', '{"sender":"1","ApiKey" : "***", "message":"m"}'],
      ['sender=1&apikey=k&message=m', 'sender=1&apikey=***&message=m'],
      ['name="apikey"\r\n\r\nk\r\n--x', 'name="apikey"\r\n\r\n***\r\n--x'],
      ['<SendSimpleByApikey xmlns="urn:a"><x>1</x>', '<SendSimpleByApikey xmlns="urn:a"><x>1</x>'],
    ])('GET /sandbox/requests shows the body %s as %s', async (body, shown) => {
      await send(`${sandbox.baseUrl}/soap/v1.asmx`, { headers: requestHeaders('1.1', 'SendAdvance'), body });
      expect(await json(200, 'GET', '/sandbox/requests')).toMatchObject({ requests: [{ body: shown }] });
    });

    test('Headers and parameters with the name of a key are masked, whatever the key is', async () => {
      const headers = {
        Authorization: 'Basic cmVhbA==',
        'Proxy-Authorization': 'Bearer real',
        ApiKey: 'real',
        'X-Api-Key': ['real', 'real'],
        Referer: 'http://a.example/?api_key=real',
        'X-Trace': '7',
      };
      await send(`${sandbox.baseUrl}/soap/v1.asmx?x=1&ApiKey=real&key=real&y=2`, { method: 'GET', headers });
      const response = await ask('GET', '/sandbox/requests');
      expect(response.body).not.toMatch(/real|cmVhbA/);
      expect(JSON.parse(response.body)).toMatchObject({
        requests: [{ url: '/soap/v1.asmx?x=1&ApiKey=***&key=***&y=2', headers: { 'x-trace': '7', apikey: '***' } }],
      });
      expect(await json(200, 'GET', '/sandbox/requests?search=cmVhbA')).toMatchObject({ found: 0 });
    });

    test('A key that a strict service finds beside its element is in no reason', async () => {
      const own = await startSandbox({ strict: true });
      try {
        const response = await call(own, '1.1', 'SendAdvance', '<apikey/>real<message>m</message>');
        expect(response.body).toContain('text of 4 characters is between elements');
        const { body } = await send(`${own.baseUrl}/sandbox/requests`, { method: 'GET' });
        expect(body).not.toContain('real');
      } finally {
        await own.close();
      }
    });

    test('Masking takes linear time for a body of repeated beginnings', async () => {
      const beginnings = ['<apikey ', '<!--', '<apikey><!--', '<a:', '<apikey="', 'apikey="', 'apikey :', '</apikey'];
      for (const beginning of beginnings) {
        const body = beginning.repeat(200_000);
        await send(`${sandbox.baseUrl}/soap/v1.asmx`, { headers: requestHeaders('1.1', 'SendAdvance'), body });
      }
      expect(await json(200, 'GET', '/sandbox/requests?limit=100&search=none')).toMatchObject({ found: 0 });
      expect(await json(200, 'GET', '/sandbox/requests')).toMatchObject({ found: beginnings.length });
    });

    test('GET /sandbox/messages/ID gives the request that sent a message', async () => {
      await sendText('first');
      const receptors = '<receptor><string>1</string><string>2</string></receptor>';
      await call(sandbox, '1.2', 'SendSimpleByApikey', `<apikey>${KEY}</apikey>${receptors}`);
      for (const [index, operation] of [
        [0, 'SendAdvance'],
        [1, 'SendSimpleByApikey'],
        [2, 'SendSimpleByApikey'],
      ] as const) {
        const found = await json(200, 'GET', `/sandbox/messages/${idAt(index)}`);
        expect(found).toMatchObject({ request: { operation } });
      }
    });

    test('`before` and `next` of GET /sandbox/requests reach every request that is kept', async () => {
      for (let count = 0; count < 120; count += 1) await send(`${sandbox.baseUrl}/${count}`, { method: 'GET' });
      let path = '/sandbox/requests?search=/';
      const urls: string[] = [];
      for (;;) {
        const page = (await json(200, 'GET', path)) as { requests: { url: string }[]; next: string | null };
        urls.push(...page.requests.map(({ url }) => url));
        if (page.next === null) break;
        path = `/sandbox/requests?search=/&before=${page.next}`;
      }
      expect(urls).toEqual(Array.from({ length: 120 }, (_, index) => `/${119 - index}`));
    });

    test('GET /sandbox/requests gives a long body as a whole', async () => {
      const length = 2 ** 24 + 1000;
      sandbox.reply('*', { http: { status: 200, body: Buffer.alloc(length, 'x') } });
      await call(sandbox, '1.1', 'SendAdvance', '');
      const page = (await json(200, 'GET', '/sandbox/requests')) as { requests: { response: { body: string } }[] };
      expect(page.requests[0]?.response.body).toHaveLength(length);
    });

    test('GET /sandbox/requests leaves out requests to the control interface, and gives a waiting request without a response', async () => {
      sandbox.reply('*', { delayMs: 60_000 });
      const waiting = expect(sendText('a')).rejects.toThrow();
      while (sandbox.requests.length === 0) await ask('GET', '/sandbox');
      expect(await json(200, 'GET', '/sandbox/requests')).toMatchObject({ requests: [{ response: null }] });
      await sandbox.close();
      await waiting;
    });
  });

  test('DELETE /sandbox sets everything back to the start', async () => {
    const { credit } = (await json(200, 'GET', '/sandbox')) as { credit: string };
    await sendText('a');
    sandbox.receive({ sender: '1', receptor: '3000', message: 'm' });
    sandbox.reply('*', { status: 1 });
    expect(await ask('DELETE', '/sandbox')).toMatchObject({ status: 204, body: '' });
    expect(await json(200, 'GET', '/sandbox')).toMatchObject({ messages: 0, received: 0, credit });
    expect(await json(200, 'GET', '/sandbox/requests')).toMatchObject({ requests: [], found: 0 });
    expect(await json(200, 'GET', '/sandbox/replies')).toEqual({ replies: [] });
    await sendText('b');
    expect(sandbox.messages).toMatchObject([{ messageid: BigInt(FIRST) }]);
  });

  describe('refusals', () => {
    const good = { sender: '1', receptor: '2', message: '3' };
    const status = `/sandbox/messages/${FIRST}/status`;
    const rows: [string, string, unknown, string][] = [
      ['GET', '/sandbox?x=1', undefined, 'x: no such parameter'],
      ['GET', '/sandbox/messages?limit=0', undefined, 'limit: 0 is not a whole number from 1'],
      ['GET', '/sandbox/messages?limit=1e3', undefined, 'limit: "1e3" is not'],
      ['GET', '/sandbox/messages?limit=1&limit=2', undefined, 'limit: given twice'],
      ['GET', '/sandbox/messages?before=x', undefined, 'before: "x" is not an id'],
      [
        'GET',
        '/sandbox/messages?serach=x',
        undefined,
        'serach: no such parameter (parameters: search, sender, receptor, message, startUnixdate, ',
      ],
      ['GET', '/sandbox/messages?__proto__=x', undefined, '__proto__: no such parameter'],
      ['PUT', status, { status: '1' }, 'status: "1" is not a whole number from -2147483648 to 2147483647'],
      ['PUT', status, { status: 2 ** 31 }, 'status: 2147483648 is not a whole number from -2147483648 to 2147483647'],
      ['PUT', status, { statustext: 'a' }, 'status: missing'],
      ['PUT', status, { status: 1, statustext: null }, 'statustext: null is not a string'],
      ['PUT', status, { status: 1, text: 'a' }, 'text: no such field (fields: status, statustext)'],
      ['PUT', status, [], 'an object is needed'],
      ['POST', '/sandbox/received', { ...good, sender: 1 }, 'sender: 1 is not a string'],
      ['POST', '/sandbox/received', { sender: '1', receptor: '2' }, 'message: missing'],
      ['POST', '/sandbox/received', { ...good, date: 2 ** 53 }, 'date: 9007199254740992 is not'],
      [
        'POST',
        '/sandbox/received',
        { ...good, date: '9223372036854775808' },
        'date: "9223372036854775808" is not a whole number of 64 bits',
      ],
      ['POST', '/sandbox/received', { ...good, isread: 1 }, 'isread: no such field'],
      ['POST', '/sandbox/received', [good, 5], '[1]: an object is needed'],
      [
        'POST',
        '/sandbox/received',
        [good, { ...good, sender: 'a\ud800' }],
        '[1].sender: the text has half a surrogate pair',
      ],
      [
        'POST',
        '/sandbox/received',
        { ...good, receptor: '\udc00\ud800' },
        'receptor: the text has half a surrogate pair',
      ],
      ['POST', '/sandbox/received', { ...good, message: '\ud800😀' }, 'message: the text has half a surrogate pair'],
      ['PUT', status, { status: 1, statustext: '\ud800' }, 'statustext: the text has half a surrogate pair'],
      [
        'PUT',
        '/sandbox/delivery',
        { steps: [{ afterMs: 1, status: 4, statustext: '\ud800' }] },
        'steps[0].statustext: the text has half a surrogate pair',
      ],
      ['POST', '/sandbox/received', null, 'an object is needed'],
      ['GET', '/sandbox/received?limit=-1', undefined, 'limit: -1 is not'],
      ['GET', '/sandbox/received?before=', undefined, 'before: "" is not an id'],
      ['GET', '/sandbox/received?status=1', undefined, 'status: no such parameter (parameters: line, search, '],
      ['POST', '/sandbox/replies', { operation: '*' }, 'reply: missing'],
      ['POST', '/sandbox/replies', { reply: { status: 1 } }, 'operation: missing'],
      ['POST', '/sandbox/replies', { operation: 'Send', reply: { status: 1 } }, 'operation: "Send" is not'],
      ['POST', '/sandbox/replies', { operation: '*', times: 0, reply: { status: 1 } }, 'times: 0 is not'],
      ['POST', '/sandbox/replies', { operation: '*', times: '1', reply: { status: 1 } }, 'times: "1" is not'],
      ['POST', '/sandbox/replies', { operation: '*', reply: { fault: { code: 1 } } }, 'reply.fault.code: 1 is not'],
      [
        'POST',
        '/sandbox/replies',
        { operation: 'SendAdvance', reply: { result: 2 ** 60 } },
        'reply.result: a number beyond',
      ],
      ['DELETE', '/sandbox?x=1', undefined, 'x: no such parameter'],
      ['PUT', `${status}?status=1`, { status: 1 }, 'status: no such parameter'],
      ['POST', '/sandbox/received?line=2', good, 'line: no such parameter'],
      ['POST', '/sandbox/replies?times=2', { operation: '*', reply: { status: 1 } }, 'times: no such parameter'],
      ['DELETE', '/sandbox/replies/1?x=1', undefined, 'x: no such parameter'],
      ['GET', '/sandbox/replies?limit=1', undefined, 'limit: no such parameter'],
      ['GET', '/sandbox/requests?limit=x', undefined, 'limit: "x" is not'],
      ['GET', '/sandbox/requests?before=x', undefined, 'before: "x" is not an id'],
      ['GET', '/sandbox/messages?startUnixdate=1.5', undefined, 'startUnixdate: "1.5" is not a unixdate'],
      ['DELETE', '/sandbox/messages?sender=', undefined, 'sender: missing or empty'],
      ['GET', '/sandbox/messages?status=x', undefined, 'status: "x" is not a whole number'],
      ['GET', '/sandbox/events?since=1', undefined, 'since: no such parameter'],
    ];
    test.each(rows)('%s %s %j gets 400 with the name of the field', async (method, path, body, error) => {
      expect(await json(400, method, path, body)).toEqual({ error: expect.stringContaining(error) });
      expect(await json(200, 'GET', '/sandbox')).toMatchObject({ received: 0 });
      expect(sandbox.replies).toEqual([]);
    });

    test('DELETE /sandbox/replies with a parameter gets 400 and disarms no reply', async () => {
      sandbox.reply('*', { status: 1 });
      const error = 'operation: no such parameter';
      expect(await json(400, 'DELETE', '/sandbox/replies?operation=SendAdvance')).toEqual({ error });
      expect(sandbox.replies).toHaveLength(1);
    });

    test.each(['', '{', '{"a":1}x', '\xff', 'undefined'])('A body that is not JSON gets 400 (%j)', async (body) => {
      for (const [method, path] of [
        ['POST', '/sandbox/received'],
        ['POST', '/sandbox/replies'],
        ['PUT', status],
      ] as const) {
        const bytes = Buffer.from(body, 'latin1');
        const response = await send(`${sandbox.baseUrl}${path}`, { method, headers: JSON_TYPE, body: bytes });
        expect([response.status, JSON.parse(response.body)]).toEqual([
          400,
          { error: expect.stringMatching(/^the body is not JSON in UTF-8: /) },
        ]);
      }
    });

    test('A field __proto__ gets 400 in every object', async () => {
      const bodies: [string, string][] = [
        ['/sandbox/received', '{"__proto__":{"sender":"1"},"sender":"1","receptor":"2","message":"3"}'],
        ['/sandbox/replies', '{"operation":"*","reply":{"__proto__":{"status":1}}}'],
        ['/sandbox/replies', '{"operation":"*","reply":{"fault":{"__proto__":{},"code":"a","reason":"b"}}}'],
        ['/sandbox/replies', '{"operation":"__proto__","reply":{"status":1}}'],
        ['/sandbox/replies', '{"operation":"SelectByApikey","reply":{"result":[{"__proto__":1}]}}'],
      ];
      for (const [path, body] of bodies) {
        const response = await send(`${sandbox.baseUrl}${path}`, { headers: JSON_TYPE, body });
        expect([response.status, response.body]).toEqual([400, expect.stringContaining('__proto__')]);
      }
      expect(({} as { sender?: unknown }).sender).toBeUndefined();
    });

    test.each([
      ['PUT', `/sandbox/messages/5/status`, { status: 1 }],
      ['PUT', '/sandbox/messages/x/status', { status: 1 }],
      ['PUT', '/sandbox/messages/99999999999999999999/status', { status: 1 }],
      ['DELETE', '/sandbox/replies/1', undefined],
      ['DELETE', '/sandbox/replies/__proto__', undefined],
      ['GET', '/sandbox/', undefined],
      ['GET', '/sandbox/message', undefined],
      ['GET', `/sandbox/messages/${FIRST}`, undefined],
      ['GET', '/sandbox/page/../options.ts', undefined],
      ['GET', '/sandbox/page/index.html', undefined],
    ])('%s %s gets 404', async (method, path, body) => {
      expect(await json(404, method, path, body)).toEqual({ error: expect.any(String) });
    });

    test.each([
      ['/sandbox', 'GET, HEAD, DELETE'],
      ['/sandbox/messages', 'GET, HEAD, DELETE'],
      ['/sandbox/messages/1', 'GET, HEAD, DELETE'],
      ['/sandbox/messages/1/status', 'PUT'],
      ['/sandbox/delivery', 'GET, HEAD, PUT'],
      ['/sandbox/delivery/advance', 'POST'],
      ['/sandbox/received', 'GET, HEAD, POST'],
      ['/sandbox/replies', 'GET, HEAD, POST, DELETE'],
      ['/sandbox/replies/1', 'DELETE'],
      ['/sandbox/requests', 'GET, HEAD'],
      ['/sandbox/events', 'GET, HEAD'],
      ['/', 'GET, HEAD'],
    ])('Another method of %s gets 405 with the allowed methods', async (path, allow) => {
      for (const method of ['GET', 'PUT', 'POST', 'DELETE', 'PATCH', 'OPTIONS', 'HEAD']) {
        if (allow.split(', ').includes(method)) continue;
        const response = await ask(method, path);
        expect([method, response.status, response.headers.allow]).toEqual([method, 405, allow]);
        // A response to HEAD has no body.
        const error = `use ${allow.replace(', HEAD', '').replaceAll(',', ' or')} here`;
        if (method !== 'HEAD') expect(JSON.parse(response.body)).toEqual({ error });
      }
    });

    test.each([
      '/',
      '/sandbox/page/base.css',
      '/sandbox',
      '/sandbox/messages?limit=1',
      '/sandbox/received',
      '/sandbox/replies',
      '/sandbox/requests',
      '/sandbox/delivery',
      '/sandbox/events',
      '/soap/v1.asmx',
      '/soap/v1.asmx?wsdl',
    ])('HEAD %s gets the status and the headers of GET, and no body', async (path) => {
      const response = await ask('HEAD', path);
      expect([response.status, response.body]).toEqual([200, '']);
      if (path === '/sandbox/events') expect(response.headers['content-type']).toBe('text/event-stream');
      else expect(response.headers).toMatchObject({ ...(await ask('GET', path)).headers, date: expect.any(String) });
    });

    test('A body that is too long gets 413', async () => {
      const body = Buffer.alloc(17_000_000, ' ');
      const response = await send(`${sandbox.baseUrl}/sandbox/received`, { headers: JSON_TYPE, body });
      expect([response.status, JSON.parse(response.body)]).toEqual([413, { error: expect.any(String) }]);
    });

    test.each([
      [undefined],
      ['text/plain'],
      ['text/plain; application/json'],
      ['application/x-www-form-urlencoded'],
      ['multipart/form-data; boundary=x'],
    ])('A change with the Content-Type %s, which a form of another page can send, gets 415', async (type) => {
      await sendText('a');
      const changes: [string, string, unknown][] = [
        ['DELETE', '/sandbox', undefined],
        ['PUT', status, { status: 5 }],
        ['POST', '/sandbox/received', good],
        ['POST', '/sandbox/replies', { operation: '*', reply: { status: 5 } }],
        ['DELETE', '/sandbox/replies', undefined],
        ['DELETE', '/sandbox/replies/1', undefined],
        ['DELETE', '/sandbox/messages?search=a', undefined],
        ['DELETE', `/sandbox/messages/${FIRST}`, undefined],
        ['PUT', '/sandbox/delivery', {}],
        ['POST', '/sandbox/delivery/advance', { ms: 1 }],
      ];
      for (const [method, path, body] of changes) {
        const response = await ask(method, path, body, type === undefined ? {} : { 'Content-Type': type });
        expect([method, path, response.status]).toEqual([method, path, 415]);
      }
      expect(await json(200, 'GET', '/sandbox')).toMatchObject({ messages: 1, received: 0 });
      expect(sandbox.messages).toMatchObject([{ status: 1 }]);
      expect(sandbox.replies).toEqual([]);
    });

    test('A foreign Host header gets 403 from the control interface and the page', async () => {
      const port = new URL(sandbox.baseUrl).port;
      const statusFor = async (host: string, path = '/sandbox'): Promise<number> =>
        (await ask('GET', path, undefined, { Host: host })).status;
      for (const host of [
        'evil.example',
        `evil.example:${port}`,
        'localhost.evil.example',
        '10.0.0.1',
        'a@localhost',
      ]) {
        expect([host, await statusFor(host)]).toEqual([host, 403]);
        expect([host, await statusFor(host, '/')]).toEqual([host, 403]);
        expect([host, await statusFor(host, '/sandbox/events')]).toEqual([host, 403]);
      }
      for (const host of ['localhost', `LocalHost:${port}`, '127.0.0.1', `127.0.0.1:${port}`, '[::1]:1']) {
        expect([host, await statusFor(host)]).toEqual([host, 200]);
      }
      expect(await exchange(sandbox.baseUrl, 'GET /sandbox HTTP/1.0\r\n\r\n')).toMatch(/^HTTP\/1.1 403 /);
      const change = await ask('DELETE', '/sandbox', undefined, { ...JSON_TYPE, Host: 'evil.example' });
      expect(change.status).toBe(403);
    });

    test('A Host header of `allowHosts` is accepted', async () => {
      const own = await startSandbox({ allowHosts: ['sandbox.internal'] });
      try {
        const statusFor = async (host: string): Promise<number> =>
          (await send(`${own.baseUrl}/sandbox`, { method: 'GET', headers: { Host: host } })).status;
        expect(await statusFor('Sandbox.internal:8080')).toBe(200);
        expect(await statusFor('internal')).toBe(403);
      } finally {
        await own.close();
      }
    });

    test('No response has a CORS header, so that no page of another origin reads or changes anything', async () => {
      const foreign = { Origin: 'http://evil.example', 'Access-Control-Request-Method': 'DELETE' };
      for (const [method, path] of [
        ['GET', '/sandbox/messages'],
        ['OPTIONS', '/sandbox'],
        ['OPTIONS', '/sandbox/received'],
      ] as const) {
        const response = await ask(method, path, undefined, foreign);
        expect(Object.keys(response.headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
        expect(response.headers).toMatchObject({
          'x-content-type-options': 'nosniff',
          'cross-origin-resource-policy': 'same-origin',
          'cache-control': 'no-store',
        });
      }
    });
  });
});
