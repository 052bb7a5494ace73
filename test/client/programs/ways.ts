import type { MessagingClient } from '../../../src';

/** The client of these programs. Its service is the sandbox of service.ts, whose reply goes by the text of a message. */
export type ProgramClient = MessagingClient<{
  readonly sender: string;
  readonly unixdate: bigint;
  readonly msgmode: number;
}>;

/** The defaults of this client. */
export const defaults = { sender: '3000', unixdate: 0n, msgmode: 1 };

/** A way to use a client. A costly one is tried less often. */
type Way = readonly [name: string, use: () => Promise<void>, share?: number];

/** The ways in which a program uses a client. Each one throws when the call ends in another way than it says. */
export function waysOf(client: ProgramClient): readonly Way[] {
  const send = (message: string, options = {}) => client.sendSimple({ message, receptor: ['1'] }, options);
  const stream = (pagesize: number, options = {}) => client.selectLatestStream({ pagesize }, options);
  const outbox = { startUnixdate: 0n, endUnixdate: 1n };
  const shared = new AbortController();
  return [
    ['a send', async () => void (await send('hello'))],
    ['a send with a signal that many calls share', async () => void (await send('hello', { signal: shared.signal }))],
    ['a compressed response', async () => void (await send('packed'))],
    ['a delayed response', async () => void (await send('delayed'))],
    ['a call by its name', async () => void (await client.call('RemainCreditByApiKey', {}))],
    ['a list', async () => void (await client.selectLatest({ pagesize: 20 }))],
    ['a refusal', () => failing('StatusError', send('status'))],
    ['a fault', () => failing('FaultError', send('fault'))],
    ['an HTTP error', () => failing('HttpError', send('page'))],
    ['a wrong response', () => failing('ResponseError', send('wrong'))],
    ['a dropped connection', () => failing('ConnectionError', send('dropped'))],
    ['a lost response', () => failing('ConnectionError', send('lost'))],
    ['a time limit', () => failing('TimeoutError', send('silent', { timeoutMs: 5 }))],
    ['a limit of silence', () => failing('TimeoutError', send('silent', { idleTimeoutMs: 5 }))],
    ['a wrong request', () => failing('RequestError', send('\0'))],
    ['a wrong option', () => failing('ConfigurationError', send('hello', { timeoutMs: -1 }))],
    ['an aborted call', () => aborting((signal) => failing('AbortError', send('silent', { signal })))],
    ['a whole stream', async () => readAll(stream(20))],
    ['a stream whose loop is left', async () => leave(stream(20))],
    ['a paused stream whose loop is left', async () => leave(stream(600)), 0.5],
    ['a stream whose loop throws', () => failing('Error', leave(stream(20), new Error('thrown')))],
    ['a stream that is left before it begins', async () => void (await stream(20).return?.())],
    ['a stream that is left twice', async () => leaveTwice(stream(20))],
    [
      'a stream that is left while a record is awaited',
      async () => {
        const records = stream(20);
        const next = records.next();
        await records.return?.();
        await next;
      },
    ],
    [
      'a stream that its signal ends',
      () => aborting((signal) => failing('AbortError', abortLoop(stream(20, { signal })))),
    ],
    ['a stream of a wrong request', () => failing('RequestError', readAll(stream(0.5)))],
    [
      'a stream with an unreadable record',
      async () => readAll(client.selectOutboxStream(outbox, { onUnreadable: () => {} })),
    ],
    [
      'a stream that an unreadable record ends',
      () => failing('ResponseError', readAll(client.selectOutboxStream(outbox))),
    ],
    ['a tracking', async () => readAll(client.track([1n], { finalStatuses: [100] }))],
    ['a tracking whose loop is left', async () => leave(client.track([1n], { finalStatuses: [1], everyMs: 60_000 }))],
  ];
}

/** Waits for a call that fails with an error of this name. */
async function failing(name: string, call: Promise<unknown>): Promise<void> {
  const error = await call.then(
    () => undefined,
    (reason: Error) => reason,
  );
  if (error?.name !== name) throw new Error(`not a ${name}`, { cause: error });
}

/** Gives a signal that aborts while the call is under way. */
async function aborting(call: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const controller = new AbortController();
  setTimeout(() => controller.abort(), 3);
  await call(controller.signal);
}

async function readAll(records: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of records);
}

/** Leaves the loop at the first record, with an error when one is given. */
async function leave(records: AsyncIterable<unknown>, error?: Error): Promise<void> {
  for await (const _ of records) {
    if (error) throw error;
    break;
  }
}

async function leaveTwice(records: AsyncIterableIterator<unknown>): Promise<void> {
  await records.next();
  await records.return?.();
  await records.return?.();
}

/** Reads on until the signal of the stream has aborted. */
async function abortLoop(records: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of records) await new Promise((resolve) => setTimeout(resolve, 1));
}
