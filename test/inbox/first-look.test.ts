import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigurationError, MessagingClient } from '../../src';
import type { InboxClient, InboxOptions, MessageHandler } from '../../src/inbox';
import { readInbox } from '../../src/inbox/inbox';
import type { Sandbox } from '../../src/sandbox';
import { makeFolder } from '../support/folder';
import { openSandbox } from '../support/sandbox';
import { type Calls, receive, runUntil, type Setup, setUp } from './support';

let setup: Setup;
beforeEach(async () => {
  setup = await setUp();
});

const texts = (count: number, name: string) => Array.from({ length: count }, (_, index) => `${name} ${index + 1}`);

/** Lets the service have messages that were listed, and messages that were not. */
async function haveMessages(read: number, unread: number): Promise<void> {
  receive(setup.sandbox, texts(read, 'old'));
  await setup.client.receive({ lineNumber: '3000', isread: 0 });
  receive(setup.sandbox, texts(unread, 'new'));
}

/** Opens an inbox and runs it until it ends by an error. */
async function fail(options: Partial<InboxOptions>): Promise<Error & { readonly calls: Calls }> {
  const inbox = await setup.open(options);
  const calls: Calls = [];
  try {
    await inbox.run(({ message = '' }) => calls.push(message));
  } catch (error) {
    return Object.assign(error as Error, { calls });
  } finally {
    await inbox.close();
  }
  throw new Error('no error');
}

const swapped = { unread: 1, read: 0 };

test.each([
  ['with waiting messages', 3],
  ['without waiting messages', 0],
])(
  'swapped values end the first run before a handler is called, %s, and the right values hand out what is new',
  async (_, count) => {
    await haveMessages(200, count);
    const error = await fail(swapped);
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(error.message).toMatch(
      count > 0 ? /^unread: give 0: line 3000 .*; read: give 1$/ : /^unread: .* then give 0, and 1 /,
    );
    expect(error.calls).toEqual([]);
    receive(setup.sandbox, ['later']);
    expect((await runUntil(await setup.open(), count + 1)).sort()).toEqual(['later', ...texts(count, 'new')]);
  },
);

/** Lets an inbox handle a message, and the service have a later one. */
async function handleOne(): Promise<void> {
  await haveMessages(2, 1);
  const first = await setup.open();
  expect(await runUntil(first, 1)).toEqual(['new 1']);
  await first.close();
  receive(setup.sandbox, ['later']);
}

test('swapped values in a later run of a journal lose no message', async () => {
  await handleOne();
  expect(await fail(swapped)).toMatchObject({ message: expect.stringMatching(/^unread: give 0/), calls: [] });
  expect(await runUntil(await setup.open(), 1)).toEqual(['later']);
});

test('a message that only swapped values have listed is handled without read, although the service has lost it', async () => {
  await handleOne();
  await setup.client.receive({ lineNumber: '3000', isread: 0 });
  await fail(swapped);
  setup.sandbox.reset();
  expect(await runUntil(await setup.open({ read: undefined }), 1)).toEqual(['later']);
});

/**
 * A service that does not mark what it lists: its lists never change by being asked for.
 *
 * @param list gives the texts of the messages that a value of isread lists, and the id of the first one
 */
function unmarking(
  list: (isread: number) => { readonly messages: readonly string[]; readonly id: number },
): InboxClient {
  const { baseUrl, namespace, idleTimeoutMs } = setup.client;
  return {
    ...{ baseUrl, namespace, idleTimeoutMs },
    async *receiveStream({ isread }) {
      const { messages, id } = list(Number(isread));
      for (const [index, message] of messages.entries())
        yield { messageid: BigInt(id + index), message, sender: '0912', receptor: '3000', date: 1n };
    },
  };
}

test('at a service that does not mark what it lists, the first run says so, and includeRead without read handles each message once', async () => {
  const client = unmarking((isread) => {
    return isread === 0 ? { messages: texts(3, 'new'), id: 0 } : { messages: texts(200, 'old'), id: 1000 };
  });
  for (const values of [{}, swapped]) {
    const error = await fail({ client, ...values });
    expect(error.message).toMatch(/^unread: line 3000 lists the same .*; includeRead: or this service does not mark/);
    expect(error.calls).toEqual([]);
  }
  const inbox = await setup.open({ client, read: undefined, includeRead: true });
  expect(await runUntil(inbox, 3)).toEqual(texts(3, 'new'));
  await inbox.close();
  const again = await setup.open({ client, read: undefined, includeRead: true });
  const controller = new AbortController();
  setTimeout(() => controller.abort(), 50);
  const calls: unknown[] = [];
  await again.run((message) => calls.push(message), { signal: controller.signal });
  expect(calls).toEqual([]);
});

test('a message that came after all values were listed is handled, although the service does not mark and has moved', async () => {
  const messages = ['old'];
  const lists: number[] = [];
  const client = unmarking((isread) => {
    lists.push(isread);
    if (lists.filter((value) => value === 1).length === 4) messages.push('new');
    return { messages, id: 0 };
  });
  for (const values of [{}, swapped]) await fail({ client, ...values });
  expect(lists).toEqual([1, 1, 0, 0, 0, 0, 1, 1]);
  const moved = new MessagingClient((await openSandbox()).clientOptions);
  const inbox = await setup.open({ client: moved, serviceMoved: true, read: undefined, includeRead: true });
  expect(await runUntil(inbox, 1)).toEqual(['new']);
  await inbox.close();
  // A journal of version 1.0.0 may list the message again.
  const lines = readFileSync(setup.journal, 'utf8').split('\n');
  const listed = lines.find((line) => line.includes('"t":"listed"') && line.includes('"new"')) as string;
  appendFileSync(setup.journal, `${listed.replace('"isread":1', '"isread":0')}\n`);
  expect(await readInbox(setup.journal)).toMatchObject({ counts: { known: 2, waiting: 0 }, undecided: 1 });
  await moved.close();
});

test('an inbox that was tried with a sandbox is refused at a provider, and a moved provider has a way in', async () => {
  receive(setup.sandbox, ['a']);
  const first = await setup.open();
  await runUntil(first, 1);
  await first.close();
  const provider = await openSandbox();
  const client = new MessagingClient(provider.clientOptions);
  await expect(setup.open({ client })).rejects.toThrow(
    `journal: holds messages of ${setup.sandbox.baseUrl} (namespace http://messaging.example/), and not of ${provider.baseUrl}`,
  );
  const record = (message: string) => ({ message, sender: '0912', receptor: '3000' });
  // The message with the id of the first one is another one.
  provider.receive(texts(2, 'old').map(record));
  await client.receive({ lineNumber: '3000', isread: 0 });
  provider.receive(texts(2, 'new').map(record));
  const moved = await setup.open({ client, serviceMoved: true });
  expect(await runUntil(moved, 2)).toEqual(texts(2, 'new'));
  await moved.close();
  provider.receive(record('later'));
  expect(await runUntil(await setup.open({ client }), 1)).toEqual(['later']);
  await client.close();
});

test('a journal without a message is bound anew, and its new service has a first look of its own', async () => {
  const provider = await openSandbox();
  const client = new MessagingClient(provider.clientOptions);
  const first = await setup.open();
  const controller = new AbortController();
  setTimeout(() => controller.abort(), 30);
  await first.run(() => undefined, { signal: controller.signal });
  await first.close();
  provider.receive({ message: 'old', sender: '0912', receptor: '3000' });
  await client.receive({ lineNumber: '3000', isread: 0 });
  provider.receive({ message: 'new', sender: '0912', receptor: '3000' });
  expect(await runUntil(await setup.open({ client }), 1)).toEqual(['new']);
  await client.close();
});

test('a list of read messages that fails does not keep an inbox from asking for new ones, and a record that cannot be read is reported once', async () => {
  const { client } = setup;
  const inbox = await setup.open({
    client: {
      ...{ baseUrl: client.baseUrl, namespace: client.namespace, idleTimeoutMs: 0 },
      receiveStream: (request, options) => {
        expect(options).toMatchObject({ timeoutMs: 0, idleTimeoutMs: 60_000 });
        return client.receiveStream(request, options);
      },
    },
  });
  receive(setup.sandbox, ['first']);
  const calls: unknown[] = [];
  const controller = new AbortController();
  const row = { messageid: '7', message: 'good', sender: '0912', receptor: '3000', date: '1' };
  await inbox.run(
    ({ message }) => {
      calls.push(message);
      if (message === 'good') controller.abort();
      if (message !== 'first') return;
      // The unread messages fail once, then the look at the read ones.
      for (const drop of ['before', 'before'] as const) setup.sandbox.reply('ReceiveByApikey', { drop });
      for (let time = 0; time < 2; time++)
        setup.sandbox.reply('ReceiveByApikey', { result: [{ ...row, messageid: 'x' }, ...(time === 0 ? [] : [row])] });
    },
    { signal: controller.signal },
  );
  expect(calls).toEqual(['first', 'good']);
  expect(setup.failures.filter((text) => text.includes('connection'))).toHaveLength(2);
  expect(setup.failures.filter((text) => text.includes('messageid'))).toHaveLength(1);
});

test('a handler gets the messages of the lines of its run only', async () => {
  receive(setup.sandbox, ['of 4000'], '4000');
  const first = await setup.open({ lineNumbers: ['4000'] });
  await runUntil(first, 1, { 'of 4000': 1 });
  await first.close();
  receive(setup.sandbox, ['of 3000']);
  const other = await setup.open();
  expect(await runUntil(other, 1)).toEqual(['of 3000']);
  expect(other.counts).toEqual({ known: 2, waiting: 1, setAside: 0 });
});

test('an auto-responder is tried with a sandbox, goes live with swapped values first, and writes to each new sender once', async () => {
  const { port } = new URL(setup.sandbox.baseUrl);
  const written: unknown[] = [];
  const answer: MessageHandler = ({ sender }) => void written.push(sender);
  /** Runs the auto-responder, and returns the words of its end. */
  const run = async (options: Partial<InboxOptions>): Promise<string> => {
    const { client = setup.client } = options;
    const stop = new AbortController();
    let requests = 0;
    // The first look takes four requests at most.
    const receiveStream: InboxClient['receiveStream'] = (request, callOptions) => {
      requests += 1;
      if (requests > 6) stop.abort();
      return client.receiveStream(request, callOptions);
    };
    const { baseUrl, namespace, idleTimeoutMs } = client;
    const counting = { baseUrl, namespace, idleTimeoutMs, receiveStream };
    const inbox = await setup.open({ ...options, client: counting }).catch((error: Error) => error);
    if (inbox instanceof Error) return inbox.message;
    const end = await inbox.run(answer, { signal: stop.signal }).catch((error: Error) => error);
    await inbox.close();
    return end instanceof Error ? end.message : 'stopped';
  };
  const arrive = (sandbox: Sandbox, senders: readonly string[]) =>
    sandbox.receive(senders.map((sender) => ({ sender, message: 'hello', receptor: '3000' })));
  arrive(setup.sandbox, ['tester']);
  expect(await run({})).toBe('stopped');
  expect(written.splice(0)).toEqual(['tester']);
  await setup.sandbox.close();
  const restarted = await openSandbox({ port: Number(port) });
  arrive(restarted, ['other tester']);
  expect(await run({})).toBe('stopped');
  expect(written.splice(0)).toEqual(['other tester']);

  const live = await openSandbox();
  const client = new MessagingClient(live.clientOptions);
  arrive(live, texts(200, 'customer'));
  await client.receive({ lineNumber: '3000', isread: 0 });
  arrive(live, texts(3, 'new'));
  const journal = join(makeFolder(), 'live.journal');
  expect(await run({ client })).toContain('holds messages of');
  expect(await run({ client, journal, ...swapped })).toMatch(/^unread: give 0/);
  expect(await run({ client, journal })).toBe('stopped');
  expect(await run({ client, journal })).toBe('stopped');
  expect(written).toEqual(texts(3, 'new'));
  await client.close();
});
