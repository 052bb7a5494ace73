import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { MessagingClient } from '../../src';
import { delay, gate } from '../support/clock';
import { credit, NAMESPACE, responseOf, sentRecords } from '../support/envelopes';
import { makeFolder } from '../support/folder';
import { httpResponse } from '../support/http-response';
import { collect } from '../support/outcomes';
import { outcomeOf, programPath, ROOT, startNode } from '../support/process';
import { RawServer } from '../support/raw-server';

// A user's test replaces timers. Calls go on, and so does close. With one connection, no call can take another one.

const list = httpResponse(responseOf('SelectlatestByApikey', sentRecords(1, 3)));

function startService(): Promise<RawServer> {
  return RawServer.start(({ body, socket }) =>
    socket.write(body.includes('Selectlatest') ? list : httpResponse(credit(5))),
  );
}

function clientFor({ baseUrl }: RawServer): MessagingClient {
  const options = { baseUrl, namespace: NAMESPACE, apiKey: 'key', successStatuses: [200] };
  return new MessagingClient({ ...options, maxConnections: 1 });
}

const kinds: [string, () => void][] = [
  ['modern fake timers of Jest', () => jest.useFakeTimers()],
  ['legacy fake timers of Jest', () => jest.useFakeTimers({ legacyFakeTimers: true })],
];

describe.each(kinds)('under %s', (_, replace) => {
  afterEach(() => jest.useRealTimers());

  test('calls and streams are answered on a new connection, and close resolves', async () => {
    const client = clientFor(await startService());
    replace();
    for (let count = 0; count < 3; count++) expect(await client.remainCredit()).toBe(5n);
    expect(await collect(client.selectLatestStream({ pagesize: 3 }))).toHaveLength(3);
    await client.close();
  });

  test('calls are answered by a connection that rested, and again with real timers', async () => {
    const client = clientFor(await startService());
    await client.remainCredit();
    await delay(30);
    replace();
    for (let count = 0; count < 3; count++) expect(await client.remainCredit()).toBe(5n);
    jest.useRealTimers();
    for (let count = 0; count < 3; count++) expect(await client.remainCredit()).toBe(5n);
    await client.close();
  });

  test('a call that is under way when the timers are replaced is answered, and so is the next one', async () => {
    const replaced = gate();
    const service = await RawServer.start(async ({ socket }) => {
      await replaced.opened;
      socket.write(httpResponse(credit(5)));
    });
    const client = clientFor(service);
    const first = client.remainCredit();
    await service.until(() => service.requests.length === 1);
    replace();
    replaced.open();
    expect(await first).toBe(5n);
    jest.useRealTimers();
    expect(await client.remainCredit()).toBe(5n);
    replace();
    await client.close();
  });

  test('a call that gets no response ends after its timeoutMs, by the real clock', async () => {
    const client = clientFor(await RawServer.start({}));
    replace();
    await expect(client.remainCredit({}, { timeoutMs: 20 })).rejects.toMatchObject({ name: 'TimeoutError' });
    await client.close();
  });
});

/** Other programs that replace timers: a kind of test runner, and the code that replaces and restores them. */
const runners: [string, string, string][] = [
  ['node:test', `const { mock } = require('node:test'); mock.timers.enable();`, 'mock.timers.reset();'],
  [
    // As Vitest does by default.
    '@sinonjs/fake-timers',
    `const clock = require('${join(ROOT, 'node_modules/@sinonjs/fake-timers')}').install({
       shouldClearNativeTimers: true,
       toFake: ['setTimeout', 'clearTimeout', 'setImmediate', 'clearImmediate', 'setInterval', 'clearInterval', 'Date', 'performance'],
     });`,
    'clock.uninstall();',
  ],
];

test.each(runners)('calls are answered and close resolves under the fake timers of %s', async (_, replace, restore) => {
  const service = await startService();
  const path = join(makeFolder(), 'program.js');
  writeFileSync(
    path,
    `const { MessagingClient } = require('${programPath('client')}');
    (async () => {
      const client = MessagingClient.fromEnv({ maxConnections: 1 });
      const wait = setTimeout;
      await client.remainCredit();
      await new Promise((resolve) => wait(resolve, 30));
      ${replace}
      for (let count = 0; count < 3; count++) console.log(await client.remainCredit());
      for await (const { messageid } of client.selectLatestStream({ pagesize: 3 })) console.log(messageid);
      const fresh = MessagingClient.fromEnv({ maxConnections: 1 });
      for (let count = 0; count < 2; count++) console.log(await fresh.remainCredit());
      await fresh.close();
      ${restore}
      console.log(await client.remainCredit());
      await client.close();
    })();`,
  );
  const outcome = await outcomeOf(
    startNode([path], {
      MESSAGING_BASE_URL: service.baseUrl,
      MESSAGING_NAMESPACE: NAMESPACE,
      MESSAGING_API_KEY: 'key',
      MESSAGING_SUCCESS_STATUSES: '200',
    }),
  );
  expect(outcome).toMatchObject({ code: 0, stdout: '5n\n5n\n5n\n1n\n2n\n3n\n5n\n5n\n5n\n' });
  expect(outcome.stderr).toMatch(/^(?:.*ExperimentalWarning.*\n.*\n)?$/);
});
