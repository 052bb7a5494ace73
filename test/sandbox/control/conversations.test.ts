import { startSandbox } from '../../../src/sandbox';
import { cleanUp } from '../../support/clean-up';
import { call, KEY } from '../../support/raw-client';
import { openSandbox } from '../../support/sandbox';

// biome-ignore lint/suspicious/noExplicitAny: each test looks at other parts of the JSON.
const read = async (url: string): Promise<any> => (await fetch(url)).json();

test('a conversation has the messages between a line and a number in both directions, and counts the unread ones', async () => {
  const sandbox = await openSandbox();
  const list = `${sandbox.baseUrl}/sandbox/conversations`;
  const texts = (sender: string, receptor: string) =>
    `<sender>${sender}</sender><message>Hi</message><receptor>${receptor}</receptor>`;
  await call(sandbox, '1.1', 'SendAdvance', `<apikey>${KEY}</apikey>${texts('3000', '0912/1')}`);
  await call(sandbox, '1.1', 'SendAdvance', `<apikey>${KEY}</apikey>${texts('4000', '0912/1')}`);
  sandbox.receive([
    { sender: '0912/1', receptor: '3000', message: 'first' },
    { sender: '0935', receptor: '3000', message: 'other' },
    { sender: '0912/1', receptor: '3000', message: 'second' },
  ]);
  expect(await read(list)).toMatchObject({
    conversations: [
      { line: '3000', number: '0912/1', messages: 3, unread: 2, last: { direction: 'received', message: 'second' } },
      { line: '3000', number: '0935', messages: 1, unread: 1 },
    ],
    found: 2,
    unread: 2,
    next: null,
  });
  expect((await read(`${list}?search=FIRST`)).conversations).toHaveLength(1);
  const path = `${list}/3000/${encodeURIComponent('0912/1')}`;
  const { found, messages } = await read(path);
  expect(found).toBe(3);
  expect(messages.map((one: { direction: string }) => one.direction)).toEqual(['received', 'received', 'sent']);
  const newest = await read(`${path}?limit=1`);
  expect(newest).toMatchObject({ messages: [{ message: 'second' }], next: '2' });
  expect(await read(`${path}?limit=2&before=${newest.next}`)).toMatchObject({
    messages: [{ message: 'first' }, { direction: 'sent' }],
    next: null,
  });
  expect((await fetch(`${path}?search=a`)).status).toBe(400);
  expect(await read(`${list}/5000/%zz`)).toMatchObject({ found: 0, messages: [] });
  await call(sandbox, '1.1', 'SendAdvance', `<apikey>${KEY}</apikey>${texts('3000', '0935')}`);
  sandbox.receive({ sender: '0935', receptor: '3000', message: 'late', date: 9_999_999_999 });
  expect((await read(list)).conversations[0]).toMatchObject({ number: '0935', last: { message: 'late' } });
});

test('a page of conversations leads to the next one', async () => {
  const sandbox = await openSandbox();
  const list = `${sandbox.baseUrl}/sandbox/conversations?limit=2`;
  for (const [index, sender] of ['1', '2', '3'].entries())
    sandbox.receive({ sender, receptor: '3000', message: 'a', date: 1000 + index });
  const first = await read(list);
  expect(first.conversations.map(({ number }: { number: string }) => number)).toEqual(['3', '2']);
  expect((await read(`${list}&before=${first.next}`)).conversations).toMatchObject([{ number: '1' }]);
});

test('a message that is scheduled for later is not the last one of its conversation, and an earlier date is not either', async () => {
  const sandbox = await openSandbox();
  const list = `${sandbox.baseUrl}/sandbox/conversations`;
  const now = Math.floor(Date.now() / 1000);
  sandbox.receive([
    { sender: '1', receptor: '3000', message: 'STOP', date: now - 20 },
    { sender: '2', receptor: '3000', message: 'newer', date: now - 10 },
  ]);
  const sendText = (message: string, unixdate: number) =>
    call(
      sandbox,
      '1.1',
      'SendAdvance',
      `<apikey>${KEY}</apikey><sender>3000</sender><message>${message}</message><receptor>1</receptor><unixdate>${unixdate}</unixdate>`,
    );
  await sendText('later', 4_102_444_800);
  const scheduled = { number: '1', messages: 2, last: { message: 'STOP' } };
  expect(await read(list)).toMatchObject({ conversations: [{ number: '2' }, scheduled] });
  await sendText('due', now - 5);
  await sendText('old', now - 100);
  expect(await read(list)).toMatchObject({
    conversations: [{ number: '1', last: { message: 'due' } }, { number: '2' }],
  });
});

test('a conversation is also found by its line and number in the query, which may be dots', async () => {
  const sandbox = await openSandbox();
  sandbox.receive([
    { sender: '..', receptor: '.', message: 'dots' },
    { sender: null, receptor: null, message: 'nobody' },
  ]);
  const path = `${sandbox.baseUrl}/sandbox/conversation`;
  expect(await read(`${path}?line=.&number=..`)).toMatchObject({
    line: '.',
    number: '..',
    messages: [{ message: 'dots' }],
  });
  expect(await read(path)).toMatchObject({ found: 1, messages: [{ message: 'nobody' }] });
  expect((await fetch(`${path}?lines=3`)).status).toBe(400);
});

test('a request shows the fields that were read, its outcome is counted, and a faked response is marked', async () => {
  const sandbox = await startSandbox();
  cleanUp(() => sandbox.close());
  const strings = '<string>0912</string>'.repeat(12);
  const children = `<apikey>${KEY}</apikey><sender>3000</sender><message>&lt;Hi&gt;</message><receptor>${strings}</receptor><unixdate>9007199254740993</unixdate>`;
  await call(sandbox, '1.1', 'SendSimpleByApikey', children);
  sandbox.reply('*', { fault: { code: 'Server', reason: 'down' } });
  await call(sandbox, '1.1', 'RemainCreditByApiKey', `<apikey>${KEY}</apikey>`);
  const { requests, found, results } = await read(`${sandbox.baseUrl}/sandbox/requests`);
  expect([found, results]).toEqual([2, { done: 1, fault: 1 }]);
  expect(requests[0]).toMatchObject({ reply: '1', result: 'fault', reason: 'down', fields: {} });
  expect(requests[1]).not.toHaveProperty('reply');
  expect(requests[1].fields).toMatchObject({ sender: '3000', message: '<Hi>', unixdate: '9007199254740993' });
  expect(requests[1].fields.receptor).toEqual({ count: 12, first: Array(10).fill('0912') });
  expect(JSON.stringify(requests)).not.toContain(KEY);
  const faults = await read(`${sandbox.baseUrl}/sandbox/requests?result=fault`);
  expect(faults).toMatchObject({ found: 1, requests: [{ operation: 'RemainCreditByApiKey' }] });
});
