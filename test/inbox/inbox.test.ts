import { appendFileSync, readFileSync } from 'node:fs';
import { type ApiReceive, ConfigurationError, StatusError } from '../../src';
import { type Inbox, openInbox } from '../../src/inbox';
import { readInbox } from '../../src/inbox/inbox';
import { cleanUp } from '../support/clean-up';
import { receive, runUntil, type Setup, setUp } from './support';

let setup: Setup;
beforeEach(async () => {
  setup = await setUp();
});

const texts = (count: number, name = 'text') => Array.from({ length: count }, (_, index) => `${name} ${index + 1}`);

test('an inbox calls its handler once with each message that the service has and that arrives later', async () => {
  const inbox = await setup.open();
  receive(setup.sandbox, texts(3));
  const running = runUntil(inbox, 5);
  setTimeout(() => receive(setup.sandbox, ['later 1', 'later 2']), 30);
  expect(await running).toEqual([...texts(3), 'later 1', 'later 2']);
  expect(setup.failures).toEqual([]);
  expect(setup.warnings).toEqual([]);
});

test('a handler gets the message as receive gives it, and its line', async () => {
  receive(setup.sandbox, ['سلام \u{1f44b}']);
  const [expected] = await setup.client.receive({ lineNumber: '3000', isread: 0 });
  const inbox = await setup.open({ includeRead: true });
  const controller = new AbortController();
  const given: unknown[] = [];
  await inbox.run(
    (...values) => {
      given.push(values);
      controller.abort();
    },
    { signal: controller.signal },
  );
  expect(given).toEqual([[expected, { redelivered: false, lineNumber: '3000' }]]);
});

test('a message that was handled is not handled again after a restart', async () => {
  receive(setup.sandbox, texts(2));
  const first = await setup.open();
  expect(await runUntil(first, 2)).toEqual(texts(2));
  await first.close();
  receive(setup.sandbox, ['new']);
  expect(await runUntil(await setup.open(), 1)).toEqual(['new']);
});

test('a message that waits is handled at the next start, also while the service does not respond', async () => {
  receive(setup.sandbox, ['waits']);
  const first = await setup.open();
  await runUntil(first, 1, { waits: 1 });
  await first.close();
  setup.sandbox.reply('*', { drop: 'before' }, { times: Number.POSITIVE_INFINITY });
  expect(await runUntil(await setup.open(), 1)).toEqual(['waits!']);
});

test('messages that are listed as read at the first start are known, and are not handled', async () => {
  receive(setup.sandbox, texts(1500, 'old'));
  await setup.client.receive({ lineNumber: '3000', isread: 0 });
  receive(setup.sandbox, ['new']);
  expect(await runUntil(await setup.open(), 1)).toEqual(['new']);
  const lines = readFileSync(setup.journal, 'utf8');
  // The baseline is on the disk before the service is asked for unread messages.
  expect(lines.match(/"t":"(service|baseline|call|handled)"/g)).toEqual(
    ['service', 'baseline', 'call', 'handled'].map((t) => `"t":"${t}"`),
  );
  expect(setup.sandbox.requests.map(({ body }) => /isread>(\d)/.exec(body)?.[1]).slice(1, 4)).toEqual(['1', '1', '0']);
});

test('includeRead also handles the messages that are listed as read at the first start', async () => {
  receive(setup.sandbox, ['old']);
  await setup.client.receive({ lineNumber: '3000', isread: 0 });
  receive(setup.sandbox, ['new']);
  expect(await runUntil(await setup.open({ includeRead: true }), 2)).toEqual(['old', 'new']);
});

test('a line that is added to an inbox has its own known messages and its own ids', async () => {
  const first = await setup.open();
  receive(setup.sandbox, ['of 3000']);
  await runUntil(first, 1);
  await first.close();
  receive(setup.sandbox, ['old of 4000'], '4000');
  await setup.client.receive({ lineNumber: '4000', isread: 0 });
  receive(setup.sandbox, ['new of 4000'], '4000');
  expect(await runUntil(await setup.open({ lineNumbers: ['3000', '4000'] }), 1)).toEqual(['new of 4000']);
});

test('messages of two lines that have the same id are both handled', async () => {
  // Each line: the read messages, the unread ones, and the unread ones again.
  for (const message of ['', 'of 3000', '', '', 'of 4000', '']) {
    const row = { messageid: '7', message, date: '1' };
    setup.sandbox.reply('ReceiveByApikey', { result: message === '' ? [] : [row] });
  }
  const inbox = await setup.open({ lineNumbers: ['3000', '4000'] });
  expect((await runUntil(inbox, 2)).sort()).toEqual(['of 3000', 'of 4000']);
});

test.each([
  ['is lost', { drop: 'after' }],
  ['is a gateway error', { http: { status: 504, body: 'late' } }],
  ['is cut off', { http: { status: 200, headers: { 'content-type': 'text/xml' }, body: '<soap:Envelope' } }],
] as const)('a response that %s costs no message', async (_, reply) => {
  receive(setup.sandbox, ['first']);
  const controller = new AbortController();
  const handled: unknown[] = [];
  const inbox = await setup.open();
  await inbox.run(
    async ({ message }) => {
      if (handled.push(message) === 3) controller.abort();
      if (message !== 'first') return;
      // The service marks them as read, and the inbox gets this response instead.
      receive(setup.sandbox, texts(2));
      await setup.client.receive({ lineNumber: '3000', isread: 0 });
      setup.sandbox.reply('ReceiveByApikey', reply);
    },
    { signal: controller.signal },
  );
  expect(handled).toEqual(['first', ...texts(2)]);
  expect(setup.failures).toHaveLength(1);
});

test('a message that the service lists twice is handled once', async () => {
  const row = { messageid: '7', message: 'twice', date: '1' };
  for (const result of [[], [row, row], [], [row]]) setup.sandbox.reply('ReceiveByApikey', { result });
  receive(setup.sandbox, ['other']);
  expect(await runUntil(await setup.open(), 2)).toEqual(['twice', 'other']);
});

test('a message whose handler fails is handled later with redelivered, and does not keep others waiting', async () => {
  receive(setup.sandbox, ['a', 'b', 'c']);
  expect(await runUntil(await setup.open(), 5, { b: 2 })).toEqual(['a', 'b', 'c', 'b!', 'b!']);
  expect(setup.failures).toEqual(['cannot handle b', 'cannot handle b']);
});

test('messages whose handler fails take turns, also when the handler takes longer than everyMs', async () => {
  receive(setup.sandbox, ['a', 'b']);
  const inbox = await setup.open();
  const controller = new AbortController();
  const calls: unknown[] = [];
  await inbox.run(
    async ({ message }) => {
      if (calls.push(message) === 6) controller.abort();
      await new Promise((resolve) => setTimeout(resolve, 30));
      throw new Error('not now');
    },
    { signal: controller.signal },
  );
  expect(calls).toEqual(['a', 'b', 'a', 'b', 'a', 'b']);
});

/** Runs an inbox whose handler fails until a message was set aside. */
async function runUntilSetAside(inbox: Inbox, handler: () => unknown, setAside: unknown[]): Promise<void> {
  const controller = new AbortController();
  const timer = setInterval(() => {
    if (setAside.length > 0) controller.abort();
  }, 5);
  cleanUp(() => clearInterval(timer));
  await inbox.run(handler, { signal: controller.signal });
}

const fail = () => {
  throw new Error('cannot handle it');
};

test('a message whose handler fails maxAttempts times is set aside, with its text, also after a restart', async () => {
  const setAside: unknown[] = [];
  const onSetAside = (message: ApiReceive, error: unknown) => setAside.push([message.message, String(error)]);
  const first = await setup.open({ maxAttempts: 3, onSetAside });
  const [id] = receive(setup.sandbox, ['poison']);
  await runUntilSetAside(first, fail, setAside);
  expect(setAside).toEqual([['poison', 'Error: cannot handle it']]);
  expect(setup.failures).toEqual(Array(2).fill('cannot handle it'));
  expect(first.counts).toEqual({ known: 1, waiting: 0, setAside: 1 });
  await first.close();
  const second = await setup.open({ maxAttempts: 3, onSetAside });
  receive(setup.sandbox, ['good']);
  expect(await runUntil(second, 1)).toEqual(['good']);
  expect(await second.retry([id as bigint])).toBe(1);
  expect(second.counts).toEqual({ known: 2, waiting: 1, setAside: 0 });
  expect(await runUntil(second, 1)).toEqual(['poison!']);
  await second.close();
  expect((await readInbox(setup.journal)).counts).toEqual({ known: 2, waiting: 0, setAside: 0 });
});

test('a message waits again with all its attempts while the inbox runs', async () => {
  const setAside: unknown[] = [];
  const inbox = await setup.open({ maxAttempts: 2, onSetAside: ({ message }) => setAside.push(message) });
  receive(setup.sandbox, ['a', 'b']);
  const controller = new AbortController();
  const calls: unknown[] = [];
  const run = inbox.run(
    ({ message }) => {
      if (calls.push(message) === 8) controller.abort();
      throw new Error('not now');
    },
    { signal: controller.signal },
  );
  while (setAside.length < 2) await new Promise((resolve) => setTimeout(resolve, 5));
  expect(await inbox.retry()).toBe(2);
  await run;
  expect(calls).toHaveLength(8);
  expect(setAside.slice(0, 2)).toEqual(['a', 'b']);
});

test('a call in which the process ended counts as an attempt', async () => {
  receive(setup.sandbox, ['deadly']);
  const first = await setup.open();
  await runUntil(first, 1, { deadly: 1 });
  await first.close();
  const setAside: unknown[] = [];
  const options = { maxAttempts: 1, onSetAside: (_: unknown, error: unknown) => setAside.push(String(error)) };
  const handler = jest.fn();
  await runUntilSetAside(await setup.open(options), handler, setAside);
  expect(handler).not.toHaveBeenCalled();
  expect(setAside).toEqual(['Error: the handler was called 1 time, and did not succeed']);
});

test('retry refuses ids that were not set aside, and changes nothing', async () => {
  const setAside: unknown[] = [];
  const inbox = await setup.open({ maxAttempts: 1, onSetAside: ({ messageid }) => setAside.push(messageid) });
  const [id = 0n] = receive(setup.sandbox, ['a']);
  await runUntilSetAside(inbox, fail, setAside);
  const failure = await inbox.retry([id, 5, 7n]).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(ConfigurationError);
  expect(String(failure)).toMatch(/ids: no message 5, 7 was set aside/);
  expect(inbox.counts.setAside).toBe(1);
  await inbox.close();
  await expect(inbox.retry()).rejects.toThrow('the inbox is closed');
});

test('a closed client ends the run of an inbox', async () => {
  const inbox = await setup.open();
  await setup.client.close();
  await expect(inbox.run(() => undefined)).rejects.toMatchObject({ code: 'CLOSED' });
});

test('the first signal waits for the handler that is running, and the next handler is not called', async () => {
  receive(setup.sandbox, ['a', 'b']);
  const inbox = await setup.open();
  const controller = new AbortController();
  const steps: string[] = [];
  await inbox.run(
    async ({ message }) => {
      steps.push(`begin ${message}`);
      controller.abort();
      await new Promise((resolve) => setTimeout(resolve, 20));
      steps.push(`end ${message}`);
    },
    { signal: controller.signal },
  );
  expect(steps).toEqual(['begin a', 'end a']);
  await inbox.close();
  expect(await runUntil(await setup.open(), 1)).toEqual(['b']);
});

test('a refusal of the service ends the run with its error', async () => {
  const inbox = await setup.open();
  setup.sandbox.reply('*', { status: 403, statusmessage: 'invalid apikey' }, { times: 2 });
  await expect(inbox.run(() => undefined)).rejects.toThrow(StatusError);
});

test('HTTP status 429 is given to onFailure, and the inbox goes on', async () => {
  setup.sandbox.reply('*', { http: { status: 429, body: 'slowly' } });
  receive(setup.sandbox, ['a']);
  expect(await runUntil(await setup.open(), 1)).toEqual(['a']);
  expect(setup.failures).toEqual([expect.stringContaining('429')]);
});

test('without read, an inbox warns once that a lost response loses its messages', async () => {
  await setup.open({ read: undefined });
  expect(setup.warnings).toEqual(['without read, messages are lost when a response is lost']);
});

test('an inbox warns of an end of its journal that a crash has torn', async () => {
  await (await setup.open()).close();
  appendFileSync(setup.journal, '{"t":"message","line":"3000","mess');
  await setup.open();
  expect(setup.warnings).toEqual([expect.stringContaining('is skipped')]);
});

test('wrong options of an inbox are refused together', async () => {
  const wrong = { client: setup.client, lineNumbers: ['3000', '3000'], unread: 1, read: 1, everyMS: 3 };
  const failure = openInbox(wrong as never);
  await expect(failure).rejects.toThrow(ConfigurationError);
  await expect(failure).rejects.toThrow(
    /^lineNumbers: "3000" is not a line number, or is given twice; journal: missing; everyMS: no such option/,
  );
  await expect(setup.open({ read: 0 })).rejects.toThrow('read: 0 is also the value of unread');
  await expect(setup.open({ unread: 40_000 })).rejects.toThrow(/^unread: 40000 is not /);
});

test('an inbox runs once at a time, and not after it was closed', async () => {
  const inbox = await setup.open();
  const run = inbox.run(() => undefined);
  await expect(inbox.run(() => undefined)).rejects.toThrow('the inbox is running already');
  await inbox.close();
  await run;
  await expect(inbox.run(() => undefined)).rejects.toThrow('the inbox is closed');
});

test('a lost request that reaches the service late costs no message', async () => {
  const now = performance.now.bind(performance);
  let ahead = 0;
  const clock = jest.spyOn(performance, 'now').mockImplementation(() => now() + ahead);
  cleanUp(() => clock.mockRestore());
  receive(setup.sandbox, ['first']);
  const controller = new AbortController();
  const handled: unknown[] = [];
  const inbox = await setup.open();
  await inbox.run(
    async ({ message }) => {
      if (handled.push(message) === 2) controller.abort();
      if (message !== 'first') return;
      // The request of a process that was killed: the read messages were listed before the service handles it.
      receive(setup.sandbox, ['late']);
      await setup.client.receive({ lineNumber: '3000', isread: 0 });
      ahead = 60_000;
    },
    { signal: controller.signal },
  );
  expect(handled).toEqual(['first', 'late']);
});
