import { once } from 'node:events';
import { readFile, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { ConnectionError, HttpError } from '../../src';
import { cleanUp } from '../support/clean-up';
import { API_KEY, clientOf } from '../support/client';
import { delay, holdClock, turns } from '../support/clock';
import { SAMPLES } from '../support/contract';
import { credit, NAMESPACE, responseOf } from '../support/envelopes';
import { makeFolder } from '../support/folder';
import { httpResponse } from '../support/http-response';
import { errorOf, failureOf } from '../support/outcomes';
import { outcomeOf, programPath, startNode } from '../support/process';
import { RawServer } from '../support/raw-server';

const simple = SAMPLES.SendSimpleByApikey;

const creditResponse = httpResponse(credit(5));

/** What an event loop of its own does, so that it goes on while the one of the test stands still. */
interface Neighbour {
  readonly baseUrl: string;
  /** Stands still, as a busy program does, until the neighbour has closed all connections. */
  blockUntilClosed(): void;
  /** Connections and complete requests so far. */
  count(): Promise<{ connections: number; requests: number }>;
}

async function startNeighbour(how: 'end' | 'resetAndDestroy'): Promise<Neighbour> {
  const state = new Int32Array(new SharedArrayBuffer(8));
  const worker = new Worker(
    `const { parentPort, workerData } = require('node:worker_threads');
    const { state, how, response } = workerData;
    const sockets = new Set();
    let connections = 0;
    let requests = 0;
    const server = require('node:net').createServer((socket) => {
      connections++;
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => sockets.delete(socket));
      let text = '';
      socket.on('data', (chunk) => {
        text += chunk.toString('latin1');
        if (text.endsWith('Envelope>')) {
          requests++;
          text = '';
          socket.write(response);
        }
      });
    });
    server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));
    const watch = () => {
      if (Atomics.exchange(state, 0, 0) === 1) {
        for (const socket of sockets) socket[how]();
        setTimeout(() => { Atomics.store(state, 1, 1); Atomics.notify(state, 1); }, 20);
      }
      setTimeout(watch, 2);
    };
    watch();
    parentPort.on('message', () => parentPort.postMessage({ connections, requests }));`,
    { eval: true, workerData: { state, how, response: creditResponse } },
  );
  cleanUp(() => worker.terminate());
  const [port] = (await once(worker, 'message')) as [number];
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    blockUntilClosed() {
      Atomics.store(state, 1, 0);
      Atomics.store(state, 0, 1);
      Atomics.wait(state, 1, 0);
    },
    async count() {
      worker.postMessage('count');
      return ((await once(worker, 'message')) as [{ connections: number; requests: number }])[0];
    },
  };
}

describe('a redirect', () => {
  test.each([301, 302, 303, 307, 308])(
    'a redirect with status %i is not followed, so the key reaches no other service',
    async (status) => {
      const elsewhere = await RawServer.start(({ socket }) => socket.write(creditResponse));
      const response = httpResponse({
        status,
        headers: { Location: `${elsewhere.baseUrl}/soap/v1.asmx` },
        body: '<html>moved</html>',
      });
      const service = await RawServer.start(({ socket }) => socket.write(response));
      const client = clientOf(service);
      const error = await errorOf(HttpError, client.sendSimple(simple));
      expect(error).toMatchObject({ httpStatus: status, outcome: 'unknown', body: '<html>moved</html>' });
      // A second call shows that nothing is under way from the first.
      await errorOf(HttpError, client.sendSimple(simple));
      expect(service.requests).toHaveLength(2);
      expect(elsewhere.connections).toBe(0);
    },
  );

  test('a redirect to another path of the same service is not followed', async () => {
    const service = await RawServer.start(({ socket }) =>
      socket.write(httpResponse({ status: 307, headers: { Location: '/elsewhere' } })),
    );
    await errorOf(HttpError, clientOf(service).remainCredit());
    expect(service.requests.map(({ requestLine }) => requestLine)).toEqual(['POST /soap/v1.asmx HTTP/1.1']);
  });
});

describe('one call is one request', () => {
  test.each([
    ['HTTP 500', httpResponse({ status: 500 })],
    ['HTTP 502', httpResponse({ status: 502, body: '<html>bad gateway</html>' })],
    ['HTTP 503 that names a time to retry', httpResponse({ status: 503, headers: { 'Retry-After': '0' } })],
    ['HTTP 429', httpResponse({ status: 429, headers: { 'Retry-After': '0' } })],
    ['HTTP 408', httpResponse({ status: 408, headers: { Connection: 'close' } })],
    ['HTTP 401 that asks for credentials', httpResponse({ status: 401, headers: { 'WWW-Authenticate': 'Basic' } })],
    ['an empty response', httpResponse({})],
    ['something that is not HTTP', Buffer.from('SSH-2.0-OpenSSH\r\n\r\n')],
    ['a refusing status', httpResponse({ body: responseOf('SendSimpleByApikey', '', { status: 418 }) })],
  ])('a call that gets %s is sent once', async (_, response) => {
    const service = await RawServer.start(({ socket, body }) => {
      const bytes = body.includes('RemainCreditByApiKey') ? creditResponse : response;
      if (bytes === response && response.includes('Connection: close')) socket.end(bytes);
      else socket.write(bytes);
    });
    const client = clientOf(service);
    await expect(client.sendSimple(simple)).rejects.toMatchObject({ operation: 'SendSimpleByApikey' });
    // Whatever were sent again would come before the next call.
    expect(await client.remainCredit()).toBe(5n);
    expect(service.requests.map(({ body }) => body.includes('SendSimpleByApikey'))).toEqual([true, false]);
  });
});

describe('connections', () => {
  test('one connection stays open for one call after the other', async () => {
    const service = await RawServer.start(({ socket }) => socket.write(creditResponse));
    const client = clientOf(service, { keepAlive: true });
    for (let count = 0; count < 20; count++) await client.remainCredit();
    // A call right after another finds its connection not yet free.
    expect(service.connections).toBeLessThanOrEqual(2);
    expect(service.closed).toBe(0);
    expect(service.requests).toHaveLength(20);
  });

  test('each call closes its connection when keepAlive is false', async () => {
    const service = await RawServer.start(({ socket }) => socket.write(creditResponse));
    const client = clientOf(service, { keepAlive: false });
    for (let count = 0; count < 3; count++) await client.remainCredit();
    await service.until(() => service.open === 0);
    expect(service.connections).toBe(3);
    expect(service.requests.map(({ headers }) => headers.connection)).toEqual(['close', 'close', 'close']);
  });

  test('a connection that the service announces to close after a response is not used again', async () => {
    const service = await RawServer.start(({ socket }) =>
      socket.end(httpResponse({ body: credit(5), headers: { Connection: 'close' } })),
    );
    const client = clientOf(service);
    for (let count = 0; count < 20; count++) expect(await client.remainCredit()).toBe(5n);
    expect(service.requests).toHaveLength(20);
  });

  test('a connection that the service closes with a response, without announcing it, is not used again', async () => {
    const service = await RawServer.start(({ socket }) => socket.end(creditResponse));
    const client = clientOf(service);
    for (let count = 0; count < 20; count++) expect(await client.remainCredit()).toBe(5n);
    expect(service.requests).toHaveLength(20);
  });

  test('idle connections that the service closes are replaced', async () => {
    const service = await RawServer.start(({ socket }) => socket.write(creditResponse));
    const client = clientOf(service);
    for (let count = 1; count <= 5; count++) {
      expect(await client.remainCredit()).toBe(5n);
      for (const socket of service.sockets) socket.end();
      await service.until(() => service.closed === count);
    }
    expect(await client.remainCredit()).toBe(5n);
    expect(service.connections).toBe(6);
    expect(service.requests).toHaveLength(6);
  });

  type Run = (run: () => void) => void;
  const moments: { moment: string; at: Run }[] = [
    { moment: 'right after a response', at: (run) => run() },
    { moment: 'in a timer', at: (run) => setTimeout(run, 20) },
    { moment: 'in a setImmediate', at: (run) => setImmediate(run) },
    { moment: 'in a callback of the file system', at: (run) => readFile(__filename, run) },
  ];
  const busy = moments.flatMap((row) => (['end', 'resetAndDestroy'] as const).map((how) => ({ ...row, how })));

  test.each(busy)(
    'connections that the service closes ($how) while the program is busy $moment are replaced, and nothing is sent twice',
    async ({ at, how }) => {
      const neighbour = await startNeighbour(how);
      const client = clientOf(neighbour);
      for (let count = 0; count < 3; count++) {
        // One after the other, so that there are two connections, and one of them has not been used last.
        for (let before = 0; before < 3; before++) expect(await client.remainCredit()).toBe(5n);
        const call = new Promise((resolve, reject) => {
          at(() => {
            neighbour.blockUntilClosed();
            client.remainCredit().then(resolve, reject);
          });
        });
        expect(await call).toBe(5n);
      }
      expect((await neighbour.count()).requests).toBe(12);
    },
  );

  test('several connections that the service closes while the program is busy are all replaced', async () => {
    const neighbour = await startNeighbour('end');
    const client = clientOf(neighbour);
    const calls = () => Promise.all(Array.from({ length: 8 }, () => client.remainCredit()));
    await calls();
    neighbour.blockUntilClosed();
    expect(await calls()).toEqual(new Array(8).fill(5n));
    expect((await neighbour.count()).requests).toBe(16);
  });

  const ipv6 = Object.values(networkInterfaces())
    .flat()
    .some((address) => address?.address === '::1');

  (ipv6 ? test : test.skip)('may go to an address of IPv6', async () => {
    const hosts: unknown[] = [];
    const server = createServer((request, response) => {
      hosts.push(request.headers.host);
      response.end(credit(5));
    }).listen(0, '::1');
    await once(server, 'listening');
    cleanUp(() => server.close());
    const authority = `[::1]:${(server.address() as AddressInfo).port}`;
    expect(await clientOf({ baseUrl: `http://${authority}` }).remainCredit()).toBe(5n);
    expect(hosts).toEqual([authority]);
  });

  test('a connection that the service announces to close soon is not used any more', async () => {
    const service = await RawServer.start(({ socket }) =>
      socket.write(httpResponse({ body: credit(5), headers: { 'Keep-Alive': 'timeout=2' } })),
    );
    const clock = holdClock();
    const client = clientOf(service, { maxConnections: 1 });
    for (const [wait, connections] of [
      [0, 1],
      [200, 1],
      [1300, 2],
    ] as const) {
      await clock.advance(wait);
      expect(await client.remainCredit()).toBe(5n);
      expect(service.connections).toBe(connections);
    }
    expect(service.closed).toBe(1);
  });

  test('a connection that nobody uses is closed after a few seconds', async () => {
    const clock = holdClock();
    const service = await RawServer.start(({ socket }) => socket.write(creditResponse));
    const client = clientOf(service);
    await Promise.all(Array.from({ length: 5 }, () => client.remainCredit()));
    await clock.advance(1000);
    expect(service.open).toBe(5);
    await clock.advance(10_000);
    await service.until(() => service.open === 0);
    expect(await client.remainCredit()).toBe(5n);
    expect(service.connections).toBe(6);
  });

  test('a call that was given up opens no connection', async () => {
    const service = await RawServer.start({});
    const client = clientOf(service, { timeoutMs: 50 });
    const clock = holdClock();
    const call = failureOf(client.remainCredit());
    await service.until(() => service.requests.length === 1);
    await clock.advance(50);
    expect(await call).toMatchObject({ name: 'TimeoutError' });
    clock.release();
    // It waits until the connection is idle.
    await client.close();
    await turns(20);
    expect(service.connections).toBe(1);
  });

  test('a call whose connection breaks is not tried again, and the next call gets a new connection', async () => {
    const service = await RawServer.start(({ socket, body }) => {
      if (body.includes('SendSimpleByApikey')) socket.resetAndDestroy();
      else socket.write(creditResponse);
    });
    const client = clientOf(service);
    expect(await client.remainCredit()).toBe(5n);
    expect((await errorOf(ConnectionError, client.sendSimple(simple))).outcome).toBe('unknown');
    expect(await client.remainCredit()).toBe(5n);
    expect(service.requests.map(({ body }) => body.includes('SendSimpleByApikey'))).toEqual([false, true, false]);
  });

  test.each([
    ['a timeout notice', httpResponse({ status: 408, headers: { Connection: 'close' } })],
    ['a second response', httpResponse({ body: credit(666) })],
    ['bytes that are not HTTP', Buffer.from('hello')],
  ])(
    'a connection on which the service sends %s unasked never gives it as the response to the next call',
    async (_, unasked) => {
      const service = await RawServer.start(({ socket }) => socket.write(creditResponse));
      const client = clientOf(service);
      expect(await client.remainCredit()).toBe(5n);
      const [socket] = service.sockets;
      socket?.write(unasked);
      await service.until(() => service.open === 0);
      expect(await client.remainCredit()).toBe(5n);
      expect(service.requests).toHaveLength(2);
    },
  );

  test('a connection carries a response that comes before the service has read the whole request, and nothing after it', async () => {
    const service = await RawServer.start({
      onConnection: (socket, { connections }) => {
        if (connections > 1) return;
        socket.once('data', () => {
          socket.pause();
          socket.write(httpResponse({ status: 413, body: 'too large', reason: 'Too Large' }));
        });
      },
      onRequest: ({ socket }) => socket.write(creditResponse),
    });
    // A busy machine takes its time for a request of this size.
    const client = clientOf(service, { maxConnections: 1, timeoutMs: 0 });
    const large = errorOf(HttpError, client.sendSimple({ ...simple, message: 'x'.repeat(30_000_000) }));
    const waiting = client.remainCredit();
    expect(await large).toMatchObject({ httpStatus: 413, outcome: 'rejected', body: 'too large' });
    expect(await waiting).toBe(5n);
    for (let count = 0; count < 4; count++) expect(await client.remainCredit()).toBe(5n);
  });

  test('an open connection neither keeps the program from ending nor ends it in the middle of a call', async () => {
    const service = await RawServer.start(async ({ socket }, { requests }) => {
      // The later ones come over connections that were kept.
      await delay(requests.length > 2 ? 300 : 0);
      socket.write(creditResponse);
    });
    const folder = makeFolder();
    const program = join(folder, 'program.js');
    writeFileSync(
      program,
      `const { MessagingClient } = require('${programPath('client')}');
      (async () => {
        const client = MessagingClient.fromEnv();
        for (let count = 0; count < 4; count++) console.log(await client.remainCredit());
        setTimeout(() => console.log('kept alive'), 2000).unref();
      })();`,
    );
    const outcome = await outcomeOf(
      startNode([program], {
        MESSAGING_BASE_URL: service.baseUrl,
        MESSAGING_NAMESPACE: NAMESPACE,
        MESSAGING_API_KEY: API_KEY,
        MESSAGING_SUCCESS_STATUSES: '200',
      }),
    );
    expect(outcome).toEqual({ code: 0, stdout: '5n\n'.repeat(4), stderr: '' });
    expect(service.connections).toBeLessThanOrEqual(2);
  });
});
