import { join } from 'node:path';
import type { Sandbox } from '../../../src/sandbox';
import { makeFolder } from '../../support/folder';
import { call, KEY, type RawResponse, send } from '../../support/raw-client';
import { openSandbox } from '../../support/sandbox';

const FIRST = 9007199254740993n;
const JSON_TYPE = { 'Content-Type': 'application/json' };

const ask = (sandbox: Sandbox, method: string, path: string, body?: object): Promise<RawResponse> =>
  send(`${sandbox.baseUrl}/sandbox/${path}`, {
    method,
    headers: JSON_TYPE,
    ...(body && { body: JSON.stringify(body) }),
  });

/** Makes a change, and gives a function that undoes it and gives the status of the response. */
async function change(sandbox: Sandbox, method: string, path: string, body?: object): Promise<() => Promise<number>> {
  const { headers } = await ask(sandbox, method, path, body);
  expect(headers.undo).toMatch(/^\/sandbox\/undo\/\d+$/);
  return async () => (await ask(sandbox, 'POST', String(headers.undo).replace('/sandbox/', ''), {})).status;
}

const sendText = (sandbox: Sandbox, message: string, receptor = '0912'): Promise<RawResponse> =>
  call(
    sandbox,
    '1.1',
    'SendAdvance',
    `<apikey>${KEY}</apikey><message>${message}</message><receptor>${receptor}</receptor>`,
  );

const textsOf = ({ messages }: Sandbox): unknown[] => messages.map(({ message }) => message);

test('a removal can be undone once, and the messages are in their old places', async () => {
  const sandbox = await openSandbox();
  for (const text of ['a', 'b', 'c', 'd']) await sendText(sandbox, text);
  const before = sandbox.messages;
  const undoOne = await change(sandbox, 'DELETE', `messages/${FIRST + 1n}`);
  expect(textsOf(sandbox)).toEqual(['a', 'c', 'd']);
  expect([await undoOne(), sandbox.messages]).toEqual([204, before]);
  expect([await undoOne(), sandbox.messages]).toEqual([404, before]);
  const undoAll = await change(sandbox, 'DELETE', 'messages?search=0912');
  await sendText(sandbox, 'e');
  expect(textsOf(sandbox)).toEqual(['e']);
  expect([await undoAll(), textsOf(sandbox)]).toEqual([204, ['a', 'b', 'c', 'd', 'e']]);
});

test('only the last change can be undone, and none after a reset', async () => {
  const sandbox = await openSandbox();
  for (const text of ['a', 'b']) await sendText(sandbox, text);
  const undoFirst = await change(sandbox, 'DELETE', `messages/${FIRST}`);
  const undoSecond = await change(sandbox, 'DELETE', `messages/${FIRST + 1n}`);
  expect([await undoFirst(), await undoSecond(), textsOf(sandbox)]).toEqual([404, 204, ['b']]);
  const undo = await change(sandbox, 'DELETE', 'messages?search=b');
  sandbox.reset();
  await sendText(sandbox, 'new');
  expect([await undo(), textsOf(sandbox)]).toEqual([404, ['new']]);
});

test('a status that was changed by hand gets back its text and its simulation, unless a program has changed it since', async () => {
  const sandbox = await openSandbox({ delivery: true });
  await sendText(sandbox, 'a');
  const path = `messages/${FIRST}/status`;
  const undo = await change(sandbox, 'PUT', path, { status: 77, statustext: 'odd' });
  expect([await undo(), sandbox.messages]).toMatchObject([204, [{ status: 1, statustext: 'queued' }]]);
  sandbox.advance(3_000);
  expect(sandbox.messages).toMatchObject([{ status: 10 }]);
  const undoLate = await change(sandbox, 'PUT', path, { status: 77 });
  sandbox.setStatus(FIRST, 13);
  expect([await undoLate(), sandbox.messages]).toMatchObject([404, [{ status: 13 }]]);
});

test('a removed message goes on with the simulated delivery when its removal is undone', async () => {
  const sandbox = await openSandbox({ delivery: true });
  await sendText(sandbox, 'a');
  const undo = await change(sandbox, 'DELETE', `messages/${FIRST}`);
  sandbox.advance(1_000);
  expect(await undo()).toBe(204);
  sandbox.advance(3_000);
  expect(sandbox.messages).toMatchObject([{ status: 10 }]);
});

test('a disarmed reply is armed again in its place, and an armed one is disarmed', async () => {
  const sandbox = await openSandbox();
  const first = sandbox.reply('SendAdvance', { status: 1 });
  sandbox.reply('*', { status: 2 }, { times: 5 });
  const { replies } = sandbox;
  const undo = await change(sandbox, 'DELETE', `replies/${first.id}`);
  expect(sandbox.replies).toMatchObject([{ operation: '*' }]);
  expect([await undo(), sandbox.replies]).toEqual([204, replies]);
  const undoArmed = await change(sandbox, 'POST', 'replies', { operation: '*', reply: { status: 3 } });
  expect([await undoArmed(), sandbox.replies]).toEqual([204, replies]);
});

test('restored messages are in the data file, and those that the sandbox would have dropped since are not restored', async () => {
  const data = join(makeFolder(), 'data.jsonl');
  const sandbox = await openSandbox({ data, keep: 3 });
  for (const text of ['a', 'b', 'c']) await sendText(sandbox, text);
  const undo = await change(sandbox, 'DELETE', 'messages?search=0912');
  await sendText(sandbox, 'd');
  expect([await undo(), textsOf(sandbox)]).toEqual([204, ['b', 'c', 'd']]);
  const { messages } = sandbox;
  await sandbox.close();
  const again = await openSandbox({ data, keep: 3 });
  expect(again.messages).toEqual(messages);
  await sendText(again, 'e');
  expect(textsOf(again)).toEqual(['c', 'd', 'e']);
});

test('a program that waits for a message gets one whose removal is undone', async () => {
  const sandbox = await openSandbox();
  await sendText(sandbox, 'a');
  const undo = await change(sandbox, 'DELETE', `messages/${FIRST}`);
  const waiting = ask(sandbox, 'GET', 'messages?search=a&wait=600000');
  await undo();
  expect(JSON.parse((await waiting).body)).toMatchObject({ messages: [{ message: 'a' }] });
});

test('a change that was refused cannot be undone, and an unknown id gets 404', async () => {
  const sandbox = await openSandbox();
  expect((await ask(sandbox, 'DELETE', `messages/${FIRST}`)).headers.undo).toBeUndefined();
  expect((await ask(sandbox, 'DELETE', 'messages?search=a')).headers.undo).toBeUndefined();
  for (const id of ['0', '1', 'x']) expect((await ask(sandbox, 'POST', `undo/${id}`, {})).status).toBe(404);
  expect((await ask(sandbox, 'GET', 'undo/1')).status).toBe(405);
});
