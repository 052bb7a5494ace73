import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { ConfigurationError, ResponseError, TimeoutError } from '../../src';
import * as timersModule from '../../src/internal/timers';
import { cleanUp } from '../support/clean-up';
import { clientOf } from '../support/client';
import { delay, gate, holdClock, turns } from '../support/clock';
import { SAMPLES } from '../support/contract';
import { credit, NAMESPACE } from '../support/envelopes';
import { pem } from '../support/fixtures';
import { makeFolder } from '../support/folder';
import { httpResponse } from '../support/http-response';
import { errorOf } from '../support/outcomes';
import { outcomeOf, programPath, startNode } from '../support/process';
import { RawServer } from '../support/raw-server';

const simple = SAMPLES.SendSimpleByApikey;
const tls = { cert: pem('server.pem'), key: pem('server.key') };
const response = httpResponse(credit(5));

/** A service with TLS whose handshake goes no further until `letIn` is called. */
async function heldService(): Promise<{ service: RawServer; baseUrl: string; reached: Promise<void>; letIn(): void }> {
  const service = await RawServer.start({ tls, onRequest: ({ socket }) => socket.write(response) });
  const hello = gate();
  const release = gate();
  const sockets: Socket[] = [];
  const front = createServer(async (socket) => {
    sockets.push(socket.on('error', () => {}));
    socket.once('readable', hello.open);
    await release.opened;
    const back = connect(service.port, '127.0.0.1').on('error', () => {});
    sockets.push(back);
    socket.pipe(back).pipe(socket);
  }).listen(0, '127.0.0.1');
  await once(front, 'listening');
  cleanUp(() => {
    for (const socket of sockets) socket.destroy();
    front.close();
  });
  const { port } = front.address() as { port: number };
  return { service, baseUrl: `https://127.0.0.1:${port}`, reached: hello.opened, letIn: release.open };
}

const CLOCK = '../../src/internal/timers';

describe('startWithinMs', () => {
  test('startWithinMs ends a call that waits for a connection, and the call is never sent', async () => {
    const service = await RawServer.start({});
    const client = clientOf(service, { maxConnections: 1, timeoutMs: 0 });
    const first = client.remainCredit();
    await service.until(() => service.requests.length === 1);
    const clock = holdClock();
    const failure = errorOf(TimeoutError, client.sendSimple(simple, { startWithinMs: 80 }));
    await turns();
    await clock.advance(79);
    expect(jest.getTimerCount()).toBe(1);
    await clock.advance(1);
    const error = await failure;
    expect(error).toMatchObject({ outcome: 'not-sent', timeoutMs: 80 });
    expect(error.message).toBe('SendSimpleByApikey: timed out: the request had not begun after 80 ms');
    for (const { socket } of service.requests) socket.write(response);
    expect(await first).toBe(5n);
    await client.close();
    expect(service.requests.map(({ body }) => body.includes('SendSimpleByApikey'))).toEqual([false]);
  });

  test('startWithinMs does not limit a request that has begun', async () => {
    const service = await RawServer.start({});
    const clock = holdClock();
    const call = clientOf(service, { timeoutMs: 0 }).remainCredit({}, { startWithinMs: 80 });
    await service.until(() => service.requests.length === 1);
    await clock.advance(10_000);
    service.requests[0]?.socket.write(response);
    expect(await call).toBe(5n);
  });

  test('startWithinMs holds after the machine was suspended, when timers and the monotonic clock stood still', async () => {
    const { service, baseUrl, reached, letIn } = await heldService();
    holdClock();
    const client = clientOf({ baseUrl }, { tls: { ca: pem('authority.pem') } });
    const failure = errorOf(TimeoutError, client.sendSimple(simple, { startWithinMs: 900 }));
    await reached;
    jest.setSystemTime(Date.now() + 60_000);
    letIn();
    expect(await failure).toMatchObject({ outcome: 'not-sent', timeoutMs: 900 });
    expect(service.requests).toHaveLength(0);
  });

  test('startWithinMs holds after the process was stopped', async () => {
    const { service, baseUrl, reached, letIn } = await heldService();
    const folder = makeFolder();
    writeFileSync(join(folder, 'authority.pem'), pem('authority.pem'));
    writeFileSync(
      join(folder, 'program.js'),
      `const { MessagingClient } = require('${programPath('client')}');
      const client = MessagingClient.fromEnv({ timeoutMs: 0, connectTimeoutMs: 0,
        tls: { ca: require('node:fs').readFileSync(__dirname + '/authority.pem', 'utf8') } });
      const late = client.remainCredit({}, { startWithinMs: 1000 });
      console.log('called');
      late.catch((error) => console.log(error.name, error.outcome)).then(() => client.close());`,
    );
    const child = startNode([join(folder, 'program.js')], {
      MESSAGING_BASE_URL: baseUrl,
      MESSAGING_NAMESPACE: NAMESPACE,
      MESSAGING_API_KEY: 'key',
      MESSAGING_SUCCESS_STATUSES: '200',
    });
    const outcome = outcomeOf(child);
    await Promise.all([once(createInterface(child.stdout as NodeJS.ReadableStream), 'line'), reached]);
    child.kill('SIGSTOP');
    letIn();
    // Longer than the limit. If the child was so slow that its timer fired before, the outcome is the same.
    await delay(1500);
    child.kill('SIGCONT');
    expect(await outcome).toEqual({ code: 0, stdout: 'called\nTimeoutError not-sent\n', stderr: '' });
    expect(service.requests).toHaveLength(0);
    expect(service.bytes).toBe(0);
  });

  test.each([[0], [-1], [Number.NaN]])(
    'a limit that began before the call is asked when the request begins: %p',
    async (last) => {
      const service = await RawServer.start({ onRequest: ({ socket }) => socket.write(response) });
      const times = [900, last];
      const call = clientOf(service).sendSimple(simple, { startWithinMs: () => times.shift() as number });
      if (last === 0) await expect(call).rejects.toThrow(ResponseError);
      else expect(await errorOf(TimeoutError, call)).toMatchObject({ outcome: 'not-sent', timeoutMs: 900 });
      expect(service.requests).toHaveLength(last === 0 ? 1 : 0);
      expect(times).toEqual([]);
    },
  );

  test('a startWithinMs of 0 means no limit', async () => {
    const service = await RawServer.start(({ socket }) => socket.write(response));
    expect(await clientOf(service).remainCredit({}, { startWithinMs: 0 })).toBe(5n);
  });

  test.each([-1, 1.5, 2 ** 31, '50'])(
    'a startWithinMs of %p rejects with a ConfigurationError, and nothing is sent',
    async (startWithinMs) => {
      const service = await RawServer.start({});
      const call = clientOf(service).remainCredit({}, { startWithinMs: startWithinMs as number });
      expect((await errorOf(ConfigurationError, call)).message).toMatch(/^startWithinMs: .* is not a whole number/);
      expect(service.connections).toBe(0);
    },
  );

  test.each([
    ['startWithinMs', 'timed out: the request had not begun after 150 ms'],
    ['timeoutMs', 'timed out after 150 ms waiting for a connection'],
  ])(
    '%s begins with the call: the first call is not sent when loading the libraries takes longer',
    async (name, words) => {
      const service = await RawServer.start({});
      holdClock();
      await jest.isolateModulesAsync(async () => {
        const path = '../../src/client/node-soap/transport';
        jest.doMock(path, () => {
          jest.advanceTimersByTime(200);
          return jest.requireActual(path);
        });
        // The clock that is held.
        jest.doMock(CLOCK, () => timersModule);
        cleanUp(() => void jest.dontMock(path).dontMock(CLOCK));
        const { MessagingClient } = require('../../src') as typeof import('../../src');
        const options = { baseUrl: service.baseUrl, namespace: NAMESPACE, apiKey: '9e0c', successStatuses: [200] };
        const client = new MessagingClient(options);
        const call = client.remainCredit({}, { [name]: 150 });
        await expect(call).rejects.toMatchObject({
          name: 'TimeoutError',
          outcome: 'not-sent',
          message: `RemainCreditByApiKey: ${words}`,
        });
        await client.close();
      });
      expect(service.bytes).toBe(0);
    },
  );
});
