import { type Sandbox, startSandbox } from '../../../src/sandbox';
import { call, KEY, textOf, textsOf } from '../../support/raw-client';

const FIRST = 9007199254740993n;

async function sendMany(sandbox: Sandbox, count: number, receptor = '0912'): Promise<string[]> {
  const receptors = `<receptor>${`<string>${receptor}</string>`.repeat(count)}</receptor>`;
  const { body } = await call(sandbox, '1.1', 'SendSimpleByApikey', `<apikey>${KEY}</apikey>${receptors}`);
  return textsOf(body, 'long');
}

const latest = async (sandbox: Sandbox, pagesize: number): Promise<string[]> => {
  const { body } = await call(
    sandbox,
    '1.1',
    'SelectlatestByApikey',
    `<apikey>${KEY}</apikey><pagesize>${pagesize}</pagesize>`,
  );
  return textsOf(body, 'messageid');
};

describe('kept messages', () => {
  let sandbox: Sandbox;
  beforeEach(async () => {
    sandbox = await startSandbox({ keep: 3, credit: 1000n });
  });
  afterEach(() => sandbox.close());

  test('The sandbox drops the oldest messages and never gives their ids again', async () => {
    await sendMany(sandbox, 2);
    await sendMany(sandbox, 3);
    expect(sandbox.messages.map(({ messageid }) => messageid)).toEqual([FIRST + 2n, FIRST + 3n, FIRST + 4n]);
    expect(await latest(sandbox, 9)).toEqual([`${FIRST + 4n}`, `${FIRST + 3n}`, `${FIRST + 2n}`]);
    expect(() => sandbox.setStatus(FIRST + 1n, 5)).toThrow(RangeError);
    sandbox.setStatus(FIRST + 2n, 5);
    expect(sandbox.messages[0]).toMatchObject({ messageid: FIRST + 2n, status: 5 });
    expect(await sendMany(sandbox, 1)).toEqual([`${FIRST + 5n}`]);
  });

  test('The sandbox drops the oldest received messages, read or unread', async () => {
    for (const message of ['a', 'b', 'c', 'd']) sandbox.receive({ sender: '1', receptor: '3000', message });
    const receive = async (): Promise<string[]> => {
      const children = `<apikey>${KEY}</apikey><lineNumber>3000</lineNumber><isread>0</isread>`;
      return textsOf((await call(sandbox, '1.1', 'ReceiveByApikey', children)).body, 'message');
    };
    expect(await receive()).toEqual(['b', 'c', 'd']);
    expect(await receive()).toEqual([]);
  });

  test('reset sets messages, ids, credit, replies and requests back to the start', async () => {
    await sendMany(sandbox, 2);
    sandbox.receive({ sender: '1', receptor: '3000', message: 'm' });
    const old = sandbox.reply('*', { status: 1 });
    const before = sandbox.messages;
    sandbox.reset();
    expect(before).toHaveLength(2);
    expect([sandbox.messages, sandbox.requests, sandbox.replies]).toEqual([[], [], []]);
    const credit = await call(sandbox, '1.1', 'RemainCreditByApiKey', `<apikey>${KEY}</apikey>`);
    expect(textOf(credit.body, 'RemainCreditByApiKeyResult')).toBe('1000');
    expect(await sendMany(sandbox, 1)).toEqual([`${FIRST}`]);
    expect(sandbox.receive({ sender: '1', receptor: '3000', message: 'n' }).messageid).toBe(FIRST);
    // The handle of a reply from before the reset must not disarm a reply from after it.
    sandbox.reply('*', { status: 2 });
    old.clear();
    expect(sandbox.replies).toHaveLength(1);
  });
});

test.each<[unknown, string]>([
  [null, 'an object is needed'],
  [{ sender: '1', receptor: '2' }, 'message: missing'],
  [{ sender: '1', receptor: 2, message: '3' }, 'receptor: 2 is not a string'],
  [{ sender: '1', receptor: '2', message: '3', data: 4 }, 'data: no such field'],
  [{ sender: '1', receptor: '2', message: '3', date: 1.5 }, 'date: 1.5 is not a whole number'],
  [{ sender: '1', receptor: '2', message: '3', date: 2n ** 63n }, 'date: 9223372036854775808 is not a whole number'],
])('receive refuses %p, and a list that holds it', async (message, error) => {
  const sandbox = await startSandbox();
  try {
    expect(() => sandbox.receive(message as never)).toThrow(error);
    const list = [{ sender: '1', receptor: '2', message: '3' }, message] as never;
    expect(() => sandbox.receive(list)).toThrow(
      `[1]${error.includes(':') && !error.startsWith('an object') ? '.' : ': '}${error}`,
    );
    const { body } = await call(sandbox, '1.1', 'ReceiveByApikey', `<apikey>${KEY}</apikey><lineNumber>2</lineNumber>`);
    expect(textsOf(body, 'message')).toEqual([]);
  } finally {
    await sandbox.close();
  }
});
