import { ConfigurationError } from '../../src';
import type { InboxClient, InboxOptions } from '../../src/inbox';
import { readInbox } from '../../src/inbox/inbox';
import { receive, runUntil, type Setup, setUp } from './support';

// Values of isread that are swapped on a line without messages: nothing shows it at the first look.

let setup: Setup;
beforeEach(async () => {
  setup = await setUp();
});

const swapped = { unread: 1, read: 0 };

/** Runs an inbox, lets something happen before a request, and returns the error of its end and the handled messages. */
async function run(options: Partial<InboxOptions>, before: (request: number) => void) {
  const { client } = setup;
  const stop = new AbortController();
  let requests = 0;
  const watching: InboxClient = {
    ...{ baseUrl: client.baseUrl, namespace: client.namespace, idleTimeoutMs: 0 },
    receiveStream(request, callOptions) {
      requests += 1;
      if (requests > 30) stop.abort();
      before(requests);
      return client.receiveStream(request, callOptions);
    },
  };
  const inbox = await setup.open({ client: watching, everyMs: 1, ...options });
  const calls: unknown[] = [];
  const end = await inbox
    .run(({ message }) => calls.push(message), { signal: stop.signal })
    .catch((error: unknown) => error);
  await inbox.close();
  return { end, calls, requests };
}

const arrivesAt = (at: number) => (request: number) => void (request === at && receive(setup.sandbox, ['a']));

test('swapped values are noticed when the first message arrives, before a handler is called, and nothing is lost', async () => {
  const { end, calls } = await run(swapped, arrivesAt(9));
  expect(end).toBeInstanceOf(ConfigurationError);
  expect((end as ConfigurationError).problems).toMatchObject([
    { option: 'unread', message: expect.stringMatching(/^give 0: line 3000 /) },
    { option: 'read', message: 'give 1' },
  ]);
  expect(calls).toEqual([]);
  expect((await readInbox(setup.journal)).counts).toMatchObject({ known: 1, waiting: 1 });
  const again = await run(swapped, () => undefined);
  expect(again).toMatchObject({ calls: [], end: expect.any(ConfigurationError) });
  expect(await runUntil(await setup.open(), 1)).toEqual(['a']);
});

test('swapped values are noticed although the request after the first message fails', async () => {
  const { end, calls } = await run(swapped, (request) => {
    if (request === 9) receive(setup.sandbox, ['a']);
    // The second look at the list.
    if (request === 10) setup.sandbox.reply('ReceiveByApikey', { drop: 'before' });
  });
  expect(end).toBeInstanceOf(ConfigurationError);
  expect(calls).toEqual([]);
  expect(setup.failures).toHaveLength(1);
});

test('a message whose response was lost is not taken for a sign of swapped values', async () => {
  const { end, calls } = await run({}, (request) => {
    if (request !== 8) return;
    receive(setup.sandbox, ['a']);
    setup.sandbox.reply('ReceiveByApikey', { drop: 'after' });
  });
  expect(end).toBeUndefined();
  expect(calls).toEqual(['a']);
});

test('a message that another program has read first is handled', async () => {
  const reading: Promise<unknown>[] = [];
  const { end, calls } = await run({}, (request) => {
    if (request !== 4) return;
    receive(setup.sandbox, ['a']);
    reading.push(setup.client.receive({ lineNumber: '3000', isread: 0 }));
  });
  await Promise.all(reading);
  expect(end).toBeUndefined();
  expect(calls).toEqual(['a']);
});

test('the list of read messages is asked for at every turn until a message went from unread to read', async () => {
  const isread = () => setup.sandbox.requests.map(({ body }) => /isread>(\d)/.exec(body)?.[1]).join('');
  await run({}, arrivesAt(9));
  // The first look, and turns of both lists. The read list with its first message is asked for twice.
  expect(isread()).toMatch(/^(10){5}110(10)?0{10,}$/);
});

test('a long list of read messages is not asked for at every turn', async () => {
  receive(
    setup.sandbox,
    Array.from({ length: 1001 }, (_, index) => `old ${index}`),
  );
  await setup.client.receive({ lineNumber: '3000', isread: 0 });
  const before = setup.sandbox.requests.length;
  await run({}, () => undefined);
  const bodies = setup.sandbox.requests.slice(before).map(({ body }) => body);
  // Twice at the first look, and once at the start of the run.
  expect(bodies.filter((body) => body.includes('isread>1'))).toHaveLength(3);
});
