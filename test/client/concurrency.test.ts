import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type MessagingClient, type SoapVersion, StatusError } from '../../src';
import { clientOf, respondWithSuccess } from '../support/client';
import { delay, gate } from '../support/clock';
import { SAMPLES } from '../support/contract';
import { usedHeap } from '../support/cost';
import { credit, ENVELOPE_NAMESPACES, responseOf, VERSIONS } from '../support/envelopes';
import { makeFolder } from '../support/folder';
import { httpResponse } from '../support/http-response';
import { errorOf, failureOf } from '../support/outcomes';
import { outcomeOf, programPath, startNode } from '../support/process';
import { RawServer, serve } from '../support/raw-server';
import { parseXml } from '../support/xml';

function versionOf(body: string): SoapVersion | undefined {
  const { uri } = parseXml(body);
  return VERSIONS.find((version) => ENVELOPE_NAMESPACES[version] === uri);
}

/**
 * Responds to each request for one message id with this id, or with its negative for Cancel, in an order of its own.
 */
function echoService(): Promise<RawServer> {
  return RawServer.start(async ({ socket, body }) => {
    const operation = body.includes('<CancelByApikey ') ? 'CancelByApikey' : 'GetStatusByApikey';
    const [, digits] = /<long>(\d+)<\/long>/.exec(body) ?? [];
    const id = Number(digits);
    await delay((id * 7) % 13);
    const result = `<int>${operation === 'CancelByApikey' ? -id : id}</int>`;
    const status = id % 10 === 0 ? 418 : 200;
    socket.write(
      httpResponse(
        responseOf(operation, result, { status, statusmessage: `m${id}`, version: versionOf(body) ?? '1.1' }),
      ),
    );
  });
}

async function ask(client: MessagingClient, id: number): Promise<void> {
  const [call, result] =
    id % 3 ? [client.getStatus({ messageid: [id] }), id] : [client.cancel({ messageid: [id] }), -id];
  if (id % 10 === 0) {
    expect(await errorOf(StatusError, call)).toMatchObject({ statusmessage: `m${id}`, result: [result] });
  } else {
    expect(await call).toEqual([result]);
  }
}

const ids = Array.from({ length: 100 }, (_, index) => index + 1);
const askedId = (body: string) => Number(/<long>(\d+)</.exec(body)?.[1]);

test('each of 100 calls at once, of clients of both versions, gets its own response', async () => {
  const service = await echoService();
  const clients = VERSIONS.map((soapVersion) => clientOf(service, { soapVersion, maxConnections: 4 }));
  await Promise.all(ids.map((id) => ask(clients[id % 2] as MessagingClient, id)));
  expect(service.requests.map(({ body }) => askedId(body)).sort((a, b) => a - b)).toEqual(ids);
  for (const { body } of service.requests) expect(versionOf(body)).toBe(VERSIONS[askedId(body) % 2]);
});

describe('maxConnections', () => {
  test('a client never has more connections than maxConnections', async () => {
    const service = await echoService();
    const client = clientOf(service, { maxConnections: 4 });
    await Promise.all(ids.map((id) => ask(client, id)));
    expect(service.connections).toBe(4);
    // Again, on the same connections.
    await Promise.all(ids.map((id) => ask(client, id)));
    expect(service.connections).toBe(4);
  });

  test.each([true, false])(
    'the service works on at most maxConnections calls at a time (keepAlive %s)',
    async (keepAlive) => {
      let most = 0;
      let underWay = 0;
      const full = gate();
      const service = await RawServer.start(async ({ socket }) => {
        most = Math.max(most, ++underWay);
        if (underWay === 4) full.open();
        await full.opened;
        await delay(1);
        underWay--;
        socket.write(httpResponse(credit(5)));
      });
      const client = clientOf(service, { maxConnections: 4, keepAlive });
      await Promise.all(ids.map(() => client.remainCredit()));
      expect(service.requests).toHaveLength(ids.length);
      expect(most).toBe(4);
    },
  );

  test('waiting calls are sent in the order in which they were made', async () => {
    const service = await echoService();
    const client = clientOf(service, { maxConnections: 1 });
    await Promise.all(ids.slice(0, 30).map((id) => ask(client, id)));
    expect(service.requests.map(({ body }) => askedId(body))).toEqual(ids.slice(0, 30));
  });

  test('a client has 64 connections at most when maxConnections is left out', async () => {
    const service = await RawServer.start({});
    const client = clientOf(service);
    const calls = ids.map(() => client.remainCredit());
    await service.until(() => service.requests.length === 64);
    expect(service.connections).toBe(64);
    let responded = 0;
    while (responded < ids.length) {
      await service.until(() => service.requests.length > responded);
      for (const { socket } of service.requests.slice(responded)) {
        responded++;
        socket.write(httpResponse(credit(responded)));
      }
    }
    expect((await Promise.all(calls)).sort((a, b) => Number(a - b))).toEqual(ids.map(BigInt));
    expect(service.connections).toBe(64);
  });
});

describe('clients side by side', () => {
  test('clients with other versions, keys and namespaces never influence each other', async () => {
    const service = await RawServer.start(({ socket, body, headers }) => {
      const version = headers.soapaction === undefined ? '1.2' : '1.1';
      const own = /<RemainCreditByApiKey xmlns="([^"]*)"/.exec(body)?.[1] as string;
      const response = credit(version === '1.1' ? 11 : 12, version);
      socket.write(httpResponse(response.replaceAll('http://messaging.example/', own)));
    });
    const one = clientOf(service, { soapVersion: '1.1', apiKey: 'first', namespace: 'urn:one/' });
    const two = clientOf(service, { soapVersion: '1.2', apiKey: 'second', namespace: 'urn:two/' });
    const results = await Promise.all(ids.slice(0, 60).map((id) => (id % 2 ? one : two).remainCredit()));
    expect(results).toEqual(ids.slice(0, 60).map((id) => (id % 2 ? 11n : 12n)));
    for (const { headers, body } of service.requests) {
      const first = body.includes('<apikey>first</apikey>');
      expect(headers['content-type']).toBe(first ? 'text/xml; charset=utf-8' : 'application/soap+xml; charset=utf-8');
      expect(headers.soapaction).toBe(first ? '"urn:one/RemainCreditByApiKey"' : undefined);
      expect(body).toContain(first ? '<soap:Envelope' : '<soap12:Envelope');
      expect(body).toContain(first ? 'xmlns="urn:one/"' : 'xmlns="urn:two/"');
      expect(body).not.toContain(first ? 'second' : 'first');
    }
  });

  test('a client that fails does not affect another client', async () => {
    const good = await echoService();
    const bad = await RawServer.start(({ socket }) => socket.resetAndDestroy());
    const [client, unlucky] = [clientOf(good), clientOf(bad)];
    await Promise.all(
      ids
        .slice(0, 40)
        .map((id) =>
          id % 2
            ? ask(client, id)
            : expect(unlucky.getStatus({ messageid: [id] })).rejects.toMatchObject({ outcome: 'unknown' }),
        ),
    );
    await unlucky.close();
    await ask(client, 1);
  });
});

test('a request that timed out while it waited is released, although an earlier request still waits', async () => {
  const service = await RawServer.start({});
  const client = clientOf(service, { maxConnections: 1, timeoutMs: 0 });
  const memory = () => usedHeap() + process.memoryUsage().arrayBuffers;
  const withoutResponse = failureOf(client.remainCredit());
  const waiting = failureOf(client.remainCredit());
  const message = 'x'.repeat(2 ** 20);
  const giveUp = () => failureOf(client.sendSimple({ ...SAMPLES.SendSimpleByApikey, message }, { timeoutMs: 1 }));
  await giveUp();
  const before = memory();
  const errors = await Promise.all(Array.from({ length: 100 }, giveUp));
  expect(errors[99]).toMatchObject({ name: 'TimeoutError', outcome: 'not-sent' });
  errors.splice(0);
  // V8 gives the memory of buffers back some time after it has collected them.
  for (let tries = 0; tries < 40 && memory() - before > 10_000_000; tries++) await delay(100);
  expect(memory() - before).toBeLessThan(10_000_000);
  await client.close({ withinMs: 0 });
  expect([await withoutResponse, await waiting]).toMatchObject([{ outcome: 'unknown' }, { outcome: 'not-sent' }]);
});

test('a request that had to wait is released once it is sent', async () => {
  const service = await RawServer.start((request) => {
    // The credit call gets no response.
    if (!request.body.includes('RemainCredit')) request.socket.write(respondWithSuccess(request));
  });
  const client = clientOf(service, { maxConnections: 1 });
  const memory = () => usedHeap() + process.memoryUsage().arrayBuffers;
  const message = 'x'.repeat(200_000);
  const send = () => client.sendSimple({ ...SAMPLES.SendSimpleByApikey, message });
  // What the first calls compile is no part of what is measured.
  for (let count = 0; count < 3; count++) await send();
  const before = memory();
  const sent = Promise.all(Array.from({ length: 100 }, send));
  const withoutResponse = failureOf(client.remainCredit());
  const waiting = failureOf(client.remainCredit());
  await sent;
  await service.until(() => service.requests.length === 104);
  service.requests.splice(0);
  // V8 gives the memory of buffers back some time after it has collected them.
  for (let tries = 0; tries < 40 && memory() - before > 5_000_000; tries++) await delay(100);
  expect(memory() - before).toBeLessThan(5_000_000);
  await client.close({ withinMs: 0 });
  expect([await withoutResponse, await waiting]).toMatchObject([{ outcome: 'unknown' }, { outcome: 'not-sent' }]);
});

test('20 calls with retries and 200 calls with one signal cause no warning, and leave no listener behind', async () => {
  const service = await serve(credit(5));
  const folder = makeFolder();
  writeFileSync(
    join(folder, 'program.js'),
    `const { getEventListeners } = require('node:events');
    const { MessagingClient } = require('${programPath('client')}');
    const { signal } = new AbortController();
    const times = (count, call) => Promise.allSettled(Array.from({ length: count }, call));
    const options = { namespace: 'http://provider.example/', apiKey: 'key', successStatuses: [200] };
    const clientOf = (baseUrl, more) => new MessagingClient({ ...options, baseUrl, ...more });
    (async () => {
      const failing = clientOf('http://127.0.0.1:1', { retries: 1 });
      await times(20, () => failing.remainCredit());
      const client = clientOf('${service.baseUrl}', { retries: 1 });
      await times(200, () => client.remainCredit({}, { signal }));
      await times(20, () => failing.remainCredit({}, { signal }));
      await times(20, async () => { for await (const _ of failing.selectLatestStream({ pagesize: 1 }, { signal })); });
      console.log(getEventListeners(signal, 'abort').length);
      await client.close();
    })();`,
  );
  const outcome = await outcomeOf(startNode([join(folder, 'program.js')]));
  expect(outcome).toEqual({ code: 0, stdout: '0\n', stderr: '' });
  expect(service.requests).toHaveLength(200);
});
