import { readFileSync } from 'node:fs';
import type { InboxClient } from '../../src/inbox';
import { readInbox } from '../../src/inbox/inbox';
import { receive, runUntil, type Setup, setUp } from './support';

let setup: Setup;
beforeEach(async () => {
  setup = await setUp();
});

const AGAIN =
  /^the journal knows another message 9007199254740993 of line 3000: .* each of them is a message of its own$/;

/** Lets the service begin its ids again, as a sandbox without a data file does after a restart. */
const restart = (): void => setup.sandbox.reset();

/** Runs an inbox from its opening to its close, until its handler was called so many times. */
async function runOnce(count: number, fails: Record<string, number> = {}): Promise<string[]> {
  const inbox = await setup.open();
  const calls = await runUntil(inbox, count, fails);
  await inbox.close();
  return calls;
}

test('a known id with another text or sender is a new message, and one warning says so', async () => {
  receive(setup.sandbox, ['one', 'two']);
  expect(await runOnce(2)).toEqual(['one', 'two']);
  restart();
  receive(setup.sandbox, ['three', 'two', 'five']);
  setup.sandbox.receive({ message: 'one', sender: '09350000001', receptor: '3000' });
  expect((await runOnce(3)).sort()).toEqual(['five', 'one', 'three']);
  expect(setup.warnings).toEqual([expect.stringMatching(AGAIN)]);
});

test('messages that wait in the journal are handled before those of a service that gives its ids again', async () => {
  receive(setup.sandbox, ['one', 'waits']);
  expect(await runOnce(2, { waits: 1 })).toEqual(['one', 'waits']);
  restart();
  receive(setup.sandbox, ['new 1', 'new 2']);
  expect(await runOnce(3)).toEqual(['waits!', 'new 1', 'new 2']);
  expect((await readInbox(setup.journal)).counts).toEqual({ known: 4, waiting: 0, setAside: 0 });
});

test('two messages with one id wait, are set aside and wait again each on its own', async () => {
  receive(setup.sandbox, ['one']);
  const setAside: unknown[] = [];
  const options = { maxAttempts: 1, onSetAside: ({ message }: { message?: string }) => setAside.push(message) };
  const first = await setup.open(options);
  await runUntil(first, 1, { one: 1 });
  await first.close();
  restart();
  receive(setup.sandbox, ['other']);
  const second = await setup.open(options);
  expect(await runUntil(second, 1)).toEqual(['other']);
  expect(setAside).toEqual(['one']);
  expect(second.counts).toMatchObject({ known: 2, waiting: 0, setAside: 1 });
  expect(await second.retry([9007199254740993n])).toBe(1);
  expect(await runUntil(second, 1)).toEqual(['one!']);
});

/** A message of a service that is made by hand. */
interface Held {
  readonly id: bigint;
  readonly date: number;
  isRead: boolean;
}

/** A service of one text of one sender. It marks what it lists, and read messages may have another date. */
function service({ marks = true, shift = 0 } = {}) {
  const { baseUrl, namespace } = setup.client;
  let messages: Held[] = [];
  const client: InboxClient = {
    ...{ baseUrl, namespace, idleTimeoutMs: 0 },
    async *receiveStream({ isread }) {
      const listed = messages.filter(({ isRead }) => isRead === (isread === 1));
      for (const message of listed) {
        const date = BigInt(message.date + (message.isRead ? shift : 0));
        if (marks) message.isRead = true;
        yield {
          messageid: message.id,
          message: 'STOP',
          sender: '0912',
          receptor: '3000',
          date,
        };
      }
    },
  };
  return {
    client,
    arrive: (id: bigint, date: number) => messages.push({ id, date, isRead: false }),
    restart: () => {
      messages = [];
    },
    /** Runs an inbox until the service was asked so many times, and returns the number of calls of its handler. */
    async run(requests: number): Promise<number> {
      const stop = new AbortController();
      const calls: unknown[] = [];
      const counting: InboxClient = {
        ...client,
        receiveStream(request, options) {
          requests -= 1;
          if (requests < 0) stop.abort();
          return client.receiveStream(request, options);
        },
      };
      const inbox = await setup.open({ client: counting, everyMs: 1 });
      await inbox.run((message) => calls.push(message), { signal: stop.signal });
      await inbox.close();
      return calls.length;
    },
  };
}

test('a message that differs in its date only is new where a service lists it as unread that was seen to mark', async () => {
  const { arrive, restart: begin, run } = service();
  arrive(1n, 100);
  expect(await run(10)).toBe(1);
  expect(readFileSync(setup.journal, 'utf8')).toContain('"t":"marked"');
  begin();
  arrive(1n, 200);
  expect(await run(10)).toBe(1);
  expect(await run(10)).toBe(0);
  expect(setup.warnings).toHaveLength(1);
});

test('a message that differs in its date only is the same in the list of read messages', async () => {
  const { arrive, run } = service({ shift: 5 });
  arrive(1n, 100);
  expect(await run(10)).toBe(1);
  arrive(2n, 100);
  expect(await run(10)).toBe(1);
  expect(await run(10)).toBe(0);
  expect(setup.warnings).toEqual([]);
});

test('a message that differs in its date only is the same at a service that was not seen to mark', async () => {
  const { arrive, restart: begin, run } = service({ marks: false });
  expect(await run(4)).toBe(0);
  arrive(1n, 100);
  expect(await run(10)).toBe(1);
  begin();
  arrive(1n, 200);
  expect(await run(10)).toBe(0);
});

test('a message with the same id, sender, text and date is the known one', async () => {
  const { arrive, restart: begin, run } = service();
  arrive(1n, 100);
  expect(await run(10)).toBe(1);
  begin();
  arrive(1n, 100);
  expect(await run(10)).toBe(0);
});
