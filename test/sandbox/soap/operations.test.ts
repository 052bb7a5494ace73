import { operations } from '../../../generated/operations';
import { type Sandbox, startSandbox } from '../../../src/sandbox';
import type { Element } from '../../../src/soap/element';
import { VERSIONS } from '../../support/envelopes';
import { call, KEY, type RawResponse, textOf, textsOf } from '../../support/raw-client';

const FIRST = 9007199254740993n;

describe.each(VERSIONS)('operations in SOAP %s', (version) => {
  let sandbox: Sandbox;

  beforeEach(async () => {
    sandbox = await startSandbox({ apiKeys: [KEY, 'second-key'], credit: 1000n });
  });
  afterEach(() => sandbox.close());

  function ask(operation: string, children: string, key = KEY): Promise<RawResponse> {
    return call(sandbox, version, operation, `<apikey>${key}</apikey>${children}<status>0</status><statusmessage/>`);
  }

  const list = (name: string, item: string, values: readonly unknown[]): string =>
    `<${name}>${values.map((value) => `<${item}>${value}</${item}>`).join('')}</${name}>`;
  const sendSimple = (receptors: string[], rest = ''): Promise<RawResponse> =>
    ask(
      'SendSimpleByApikey',
      `<sender>3000</sender><message>hi</message>${list('receptor', 'string', receptors)}${rest}`,
    );
  const nowSeconds = (): bigint => BigInt(Math.floor(Date.now() / 1000));

  test('SendSimple stores a message for each receptor and gives their ids in order', async () => {
    const before = nowSeconds();
    const response = await sendSimple(['a', 'b'], '<unixdate>0</unixdate><msgmode>1</msgmode>');
    expect(textsOf(response.body, 'long')).toEqual([`${FIRST}`, `${FIRST + 1n}`]);
    expect([textOf(response.body, 'status'), textOf(response.body, 'statusmessage')]).toEqual(['200', 'ok']);
    expect(sandbox.messages).toEqual(
      ['a', 'b'].map((receptor, index) => ({
        messageid: FIRST + BigInt(index),
        message: 'hi',
        status: 1,
        statustext: 'queued',
        sender: '3000',
        receptor,
        date: expect.any(BigInt),
        cost: 120,
      })),
    );
    const [{ date } = { date: 0n }] = sandbox.messages;
    expect(date >= before && date <= nowSeconds()).toBe(true);
  });

  test('SendArray stores a message for each index and gives their ids in order', async () => {
    const response = await ask(
      'SendArrayByApikey',
      list('sender', 'string', ['1', '2']) +
        list('message', 'string', ['x', 'y']) +
        list('receptor', 'string', ['a', 'b']) +
        '<unixdate>1700000000</unixdate>' +
        list('msgmode', 'int', [0, 1]),
    );
    expect(textsOf(response.body, 'long')).toEqual([`${FIRST}`, `${FIRST + 1n}`]);
    expect(sandbox.messages).toMatchObject([
      { sender: '1', message: 'x', receptor: 'a', date: 1700000000n, status: 1 },
      { sender: '2', message: 'y', receptor: 'b', date: 1700000000n, status: 1 },
    ]);
  });

  test('SendArray refuses lists of unequal length and sends nothing', async () => {
    const receptor = list('receptor', 'string', ['a', 'b']);
    const shorter = list('sender', 'string', ['1']) + list('message', 'string', ['x', 'y']) + receptor;
    for (const lists of [shorter + list('msgmode', 'int', [0, 1]), receptor]) {
      const { status, body } = await ask('SendArrayByApikey', lists);
      expect(status).toBe(200);
      expect([textOf(body, 'SendArrayByApikeyResult'), textOf(body, 'status')]).toEqual(['', '400']);
      expect(textOf(body, 'statusmessage')).toMatch(
        /^lists of unequal length: sender \d, message \d, receptor 2, msgmode \d$/,
      );
    }
    expect(sandbox.messages).toEqual([]);
    expect(textOf((await ask('RemainCreditByApiKey', '')).body, 'RemainCreditByApiKeyResult')).toBe('1000');
  });

  test('SendAdvance stores one message and gives its id', async () => {
    const { body } = await ask(
      'SendAdvance',
      '<sender>1</sender><message>m</message><encoding>2</encoding><receptor>a</receptor><unixdate>0</unixdate>' +
        '<messagemode>1</messagemode><fallbackurl>http://x.example/</fallbackurl><clientmessageid>c</clientmessageid>',
    );
    expect(textOf(body, 'SendAdvanceResult')).toBe(`${FIRST}`);
    expect(sandbox.messages).toMatchObject([{ sender: '1', message: 'm', receptor: 'a' }]);
  });

  test('A message with a date in the future is scheduled', async () => {
    await sendSimple(['a'], '<unixdate>4102444800</unixdate>');
    await sendSimple(['b'], '<unixdate>-5</unixdate>');
    expect(sandbox.messages).toMatchObject([
      { status: 2, statustext: 'scheduled', date: 4102444800n },
      { status: 1, statustext: 'queued', date: -5n },
    ]);
  });

  test('Each message takes 120 from the credit, and a request that costs more than is left is refused', async () => {
    await sendSimple(Array.from({ length: 8 }, () => 'a'));
    const refused = await sendSimple(['a']);
    expect([textOf(refused.body, 'status'), textOf(refused.body, 'statusmessage')]).toEqual([
      '418',
      'insufficient credit',
    ]);
    const { body } = await ask('RemainCreditByApiKey', '');
    expect(textOf(body, 'RemainCreditByApiKeyResult')).toBe('40');
  });

  test('Select gives the records of known ids, in the order of the request', async () => {
    await sendSimple(['a', 'b', 'c']);
    const ids = list('messageid', 'long', [FIRST + 2n, 5, FIRST, FIRST, FIRST + 3n, FIRST - 1n]);
    const { body } = await ask('SelectByApikey', ids);
    expect(textsOf(body, 'receptor')).toEqual(['c', 'a', 'a']);
    expect(body).toContain(
      `<ApiSelect><messageid>${FIRST}</messageid><message>hi</message><status>1</status><statustext>queued</statustext>` +
        `<sender>3000</sender><receptor>a</receptor><date>`,
    );
    expect(body).toContain('</date><cost>120</cost></ApiSelect>');
  });

  test('Selectlatest gives the newest messages first, at most pagesize of them', async () => {
    await sendSimple(['a', 'b', 'c']);
    for (const [pagesize, receptors] of [
      [2, ['c', 'b']],
      [9, ['c', 'b', 'a']],
      [0, []],
      [-1, []],
    ] as const) {
      const { body } = await ask('SelectlatestByApikey', `<pagesize>${pagesize}</pagesize>`);
      expect(textsOf(body, 'receptor')).toEqual(receptors);
    }
  });

  test('Selectoutbox gives the messages from the start date to the end date, both included', async () => {
    for (const date of [10, 11, 12, 13]) await sendSimple([`r${date}`], `<unixdate>${date}</unixdate>`);
    const between = async (start: number, end: number): Promise<string[]> => {
      const dates = `<startUnixdate>${start}</startUnixdate><endUnixdate>${end}</endUnixdate>`;
      return textsOf((await ask('SelectoutboxByApikey', dates)).body, 'receptor');
    };
    expect(await between(11, 12)).toEqual(['r11', 'r12']);
    expect(await between(12, 11)).toEqual([]);
  });

  test('GetStatus gives one int for each id, and 100 for an unknown id', async () => {
    await sendSimple(['a', 'b'], '<unixdate>4102444800</unixdate>');
    sandbox.setStatus(FIRST, 10, 'delivered');
    const { body } = await ask('GetStatusByApikey', list('messageid', 'long', [5, FIRST + 1n, FIRST, FIRST]));
    expect(textsOf(body, 'int')).toEqual(['100', '2', '10', '10']);
    expect(sandbox.messages[0]).toMatchObject({ status: 10, statustext: 'delivered' });
  });

  test('Cancel cancels messages and gives 13, and gives 100 for an unknown id', async () => {
    await sendSimple(['a', 'b']);
    const ids = list('messageid', 'long', [FIRST, 5, FIRST]);
    expect(textsOf((await ask('CancelByApikey', ids)).body, 'int')).toEqual(['13', '100', '13']);
    expect(sandbox.messages).toMatchObject([
      { status: 13, statustext: 'canceled' },
      { status: 1, statustext: 'queued' },
    ]);
  });

  test('Receive gives the unread messages of a line and marks them as read', async () => {
    const first = sandbox.receive({ sender: '1', receptor: '3000', message: 'm1', date: 1_600_000_000 });
    expect(first).toEqual({ messageid: FIRST, message: 'm1', sender: '1', receptor: '3000', date: 1600000000n });
    const receive = async (line: string, isread: number): Promise<string[]> => {
      const { body } = await ask('ReceiveByApikey', `<lineNumber>${line}</lineNumber><isread>${isread}</isread>`);
      return textsOf(body, 'message');
    };
    expect(await receive('3000', 1)).toEqual([]);
    expect(await receive('3001', 0)).toEqual([]);
    expect(await receive('3000', 0)).toEqual(['m1']);
    expect(await receive('3000', 0)).toEqual([]);
    const more = sandbox.receive([
      { sender: '1', receptor: '3000', message: 'm2' },
      { sender: null, receptor: '3001', message: null, date: 5n },
    ]);
    expect(more.map(({ messageid }) => messageid)).toEqual([FIRST + 1n, FIRST + 2n]);
    expect(await receive('3000', 1)).toEqual(['m1']);
    expect(await receive('3000', 0)).toEqual(['m2']);
    expect(await receive('3000', 1)).toEqual(['m1', 'm2']);
    expect(await receive('3000', 2)).toEqual(['m1', 'm2']);
    const { body } = await ask('ReceiveByApikey', '<lineNumber>3001</lineNumber><isread>0</isread>');
    expect(body).toContain(
      `<ApiReceive><messageid>${FIRST + 2n}</messageid><receptor>3001</receptor><date>5</date></ApiReceive>`,
    );
  });

  test.each(Object.keys(operations) as (keyof typeof operations)[])(
    '%s with an unknown key or without a key has status 403, an empty result and no effect',
    async (operation) => {
      const [result] = operations[operation].response;
      sandbox.receive({ sender: '1', receptor: '3000', message: 'm' });
      await sendSimple(['a']);
      const rest =
        list('messageid', 'long', [FIRST]) +
        '<lineNumber>3000</lineNumber><pagesize>9</pagesize><endUnixdate>9999999999</endUnixdate>' +
        list('receptor', 'string', ['a']);
      for (const key of ['wrong', '', 'SANDBOX-KEY', 'constructor']) {
        const { status, body } = await ask(operation, operation === 'SendAdvance' ? '' : rest, key);
        expect(status).toBe(200);
        const empty: Partial<Record<Element['kind'], string>> = { list: '', boolean: 'false' };
        expect(textOf(body, result.name)).toBe(empty[(result as Element).kind] ?? '0');
        expect([textOf(body, 'status'), textOf(body, 'statusmessage')]).toEqual(['403', 'invalid apikey']);
      }
      expect(sandbox.messages).toMatchObject([{ status: 1 }]);
      const unread = await ask('ReceiveByApikey', '<lineNumber>3000</lineNumber><isread>0</isread>');
      expect(textsOf(unread.body, 'message')).toEqual(['m']);
      const credit = await ask('RemainCreditByApiKey', '', 'second-key');
      expect(textOf(credit.body, 'RemainCreditByApiKeyResult')).toBe('880');
    },
  );

  test('A record that was returned does not change when its message changes', async () => {
    await sendSimple(['a']);
    const before = sandbox.messages;
    await ask('CancelByApikey', list('messageid', 'long', [FIRST]));
    await sendSimple(['b']);
    expect(before).toMatchObject([{ status: 1 }]);
    expect(sandbox.messages).toHaveLength(2);
  });
});

test('setStatus adds the text of a known status and refuses wrong arguments', async () => {
  const sandbox = await startSandbox();
  try {
    await call(sandbox, '1.1', 'SendAdvance', `<apikey>${KEY}</apikey>`);
    sandbox.setStatus(FIRST, 13);
    expect(sandbox.messages[0]?.statustext).toBe('canceled');
    sandbox.setStatus(FIRST, 77);
    expect(sandbox.messages[0]).toMatchObject({ status: 77, statustext: '' });
    expect(() => sandbox.setStatus(5, 1)).toThrow(new RangeError('unknown message 5'));
    expect(() => sandbox.setStatus(2 ** 53, 1)).toThrow('messageid: 9007199254740992 is not a whole number of 64 bits');
    expect(() => sandbox.setStatus(FIRST, 1.5)).toThrow(
      'status: 1.5 is not a whole number from -2147483648 to 2147483647',
    );
  } finally {
    await sandbox.close();
  }
});
