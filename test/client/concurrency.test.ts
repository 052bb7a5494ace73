import { type MessagingClient, StatusError } from '../../src';
import { clientOf, credit, delay, errorOf, httpAnswer, responseOf, Service, transports, ways } from './support';

/** Answers each question for one message id with that id, after a while that differs from call to call. */
function echoService(version: '1.1' | '1.2' = '1.1'): Promise<Service & { most?: number }> {
  return Service.start(async ({ socket, body }) => {
    const id = Number(/<long>(\d+)<\/long>/.exec(body)?.[1]);
    await delay((id * 7) % 13);
    const status = id % 10 === 0 ? 418 : 200;
    socket.write(
      httpAnswer({
        body: responseOf('GetStatusByApikey', `<int>${id}</int>`, { status, statusmessage: `m${id}`, version }),
      }),
    );
  });
}

async function ask(client: MessagingClient, id: number): Promise<void> {
  const call = client.getStatus({ messageid: [id] });
  if (id % 10 === 0) {
    expect(await errorOf(StatusError, call)).toMatchObject({ statusmessage: `m${id}`, result: [id] });
  } else {
    expect(await call).toEqual([id]);
  }
}

const ids = Array.from({ length: 200 }, (_, index) => index + 1);

describe.each(ways)('200 calls at once, with $transport and SOAP $soapVersion', ({ keepAlive, soapVersion }) => {
  test('each get their own answer', async () => {
    const service = await echoService(soapVersion);
    const client = clientOf(service, { keepAlive, soapVersion, maxConnections: 4 });
    await Promise.all(ids.map((id) => ask(client, id)));
    expect(service.requests).toHaveLength(200);
    const asked = service.requests.map(({ body }) => Number(/<long>(\d+)</.exec(body)?.[1]));
    expect(asked.sort((a, b) => a - b)).toEqual(ids);
  });
});

describe('maxConnections', () => {
  test('is never exceeded by the pool', async () => {
    const service = await echoService();
    const client = clientOf(service, { maxConnections: 4 });
    await Promise.all(ids.map((id) => ask(client, id)));
    expect(service.connections).toBe(4);
    // Again, on the same connections.
    await Promise.all(ids.map((id) => ask(client, id)));
    expect(service.connections).toBe(4);
  });

  test.each(transports)('bounds the calls that the service works on, with $transport', async ({ keepAlive }) => {
    let most = 0;
    let underWay = 0;
    const service = await Service.start(async ({ socket }) => {
      most = Math.max(most, ++underWay);
      await delay(3);
      underWay--;
      socket.write(httpAnswer({ body: credit(5) }));
    });
    const client = clientOf(service, { maxConnections: 4, keepAlive });
    await Promise.all(ids.map(() => client.remainCredit()));
    expect(service.requests).toHaveLength(200);
    expect(most).toBe(4);
  });

  test('lets calls out in the order in which they were made', async () => {
    const service = await echoService();
    const client = clientOf(service, { maxConnections: 1 });
    await Promise.all(ids.slice(0, 30).map((id) => ask(client, id)));
    expect(service.requests.map(({ body }) => Number(/<long>(\d+)</.exec(body)?.[1]))).toEqual(ids.slice(0, 30));
  });

  test('is 64 when it is left out', async () => {
    const service = await Service.start({});
    const client = clientOf(service);
    const calls = ids.map(() => client.remainCredit());
    await service.until(() => service.requests.length === 64);
    expect(service.connections).toBe(64);
    let answered = 0;
    while (answered < 200) {
      await service.until(() => service.requests.length > answered);
      for (const { socket } of service.requests.slice(answered)) {
        answered++;
        socket.write(httpAnswer({ body: credit(answered) }));
      }
    }
    expect((await Promise.all(calls)).sort((a, b) => Number(a - b))).toEqual(ids.map(BigInt));
    expect(service.connections).toBe(64);
  });
});

describe.each(transports)('clients side by side, with $transport', ({ keepAlive }) => {
  test('of SOAP 1.1 and 1.2 with other keys, namespaces and defaults never influence each other', async () => {
    const service = await Service.start(({ socket, body, headers }) => {
      const version = headers.soapaction === undefined ? '1.2' : '1.1';
      const own = /<RemainCreditByApiKey xmlns="([^"]*)"/.exec(body)?.[1] as string;
      socket.write(
        httpAnswer({ body: credit(version === '1.1' ? 11 : 12, version).replaceAll('http://messaging.example/', own) }),
      );
    });
    const one = clientOf(service, { keepAlive, soapVersion: '1.1', apiKey: 'first', namespace: 'urn:one/' });
    const two = clientOf(service, { keepAlive, soapVersion: '1.2', apiKey: 'second', namespace: 'urn:two/' });
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

  test('one that fails leaves the other alone', async () => {
    const good = await echoService();
    const bad = await Service.start(({ socket }) => socket.resetAndDestroy());
    const [client, unlucky] = [clientOf(good, { keepAlive }), clientOf(bad, { keepAlive })];
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
