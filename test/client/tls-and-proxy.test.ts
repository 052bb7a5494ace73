import { connect } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { ConnectionError, HttpError, type MessagingOptions, TimeoutError } from '../../src';
import { cleanUp } from '../support/clean-up';
import { clientOf } from '../support/client';
import { holdClock } from '../support/clock';
import { SAMPLES } from '../support/contract';
import { credit } from '../support/envelopes';
import { pem } from '../support/fixtures';
import { httpResponse } from '../support/http-response';
import { errorOf, expectAbort } from '../support/outcomes';
import { startProxy } from '../support/proxy';
import { type RawRequest, RawServer, serve } from '../support/raw-server';

const simple = SAMPLES.SendSimpleByApikey;

const serverTls = { cert: pem('server.pem'), key: pem('server.key') };
const ca = pem('authority.pem');
const response = httpResponse(credit(5));

const serveTls = (tls: object = {}, onRequest?: (request: RawRequest) => void) =>
  RawServer.start({
    tls: { ...serverTls, ...tls },
    onRequest: (request) => {
      onRequest?.(request);
      request.socket.write(response);
    },
  });

describe('https', () => {
  test.each([
    ['a text', ca],
    ['a buffer', Buffer.from(ca)],
    ['a list', [pem('client.pem'), Buffer.from(ca)]],
  ])('a client trusts its own authority, given as %s', async (_, authority) => {
    const service = await serveTls();
    const client = clientOf(service, { tls: { ca: authority } });
    expect(await client.remainCredit()).toBe(5n);
    expect(await client.remainCredit()).toBe(5n);
  });

  test('a client with its own authority trusts no other authority', async () => {
    const service = await serveTls();
    const client = clientOf(service, { tls: { ca: pem('client.pem') } });
    expect(await errorOf(ConnectionError, client.sendSimple(simple))).toMatchObject({ outcome: 'not-sent' });
    expect(service.bytes).toBe(0);
  });

  test('a client shows its client certificate', async () => {
    const subjects: unknown[] = [];
    const service = await serveTls({ ca, requestCert: true, rejectUnauthorized: true }, ({ socket }) =>
      subjects.push((socket as TLSSocket).getPeerCertificate().subject.CN),
    );
    const plain = clientOf(service, { tls: { ca, cert: pem('client.pem'), key: pem('client.key') } });
    expect(await plain.remainCredit()).toBe(5n);
    const tls = { ca, cert: pem('client.pem'), key: pem('client-encrypted.key'), passphrase: 'test-passphrase' };
    expect(await clientOf(service, { tls }).remainCredit()).toBe(5n);
    expect(subjects).toEqual(['messaging-soap test client', 'messaging-soap test client']);
  });

  test('a call without the client certificate that the service requires is a ConnectionError, and no request arrives', async () => {
    const service = await serveTls({ ca, requestCert: true, rejectUnauthorized: true });
    await errorOf(ConnectionError, clientOf(service, { tls: { ca } }).sendSimple(simple));
    expect(service.requests).toHaveLength(0);
  });

  test('a client asks for servername and checks the certificate against it', async () => {
    const names: unknown[] = [];
    const service = await serveTls({ cert: pem('provider.pem'), key: pem('provider.key') }, ({ socket }) =>
      names.push((socket as TLSSocket & { servername: unknown }).servername),
    );
    const client = clientOf(service, { tls: { ca, servername: 'provider.example' } });
    expect(await client.remainCredit()).toBe(5n);
    expect(names).toEqual(['provider.example']);
    const wrong = clientOf(service, { tls: { ca, servername: 'other.example' } });
    expect(await errorOf(ConnectionError, wrong.remainCredit())).toMatchObject({
      outcome: 'not-sent',
      code: 'ERR_TLS_CERT_ALTNAME_INVALID',
    });
  });

  test.each(['TLSv1.2', 'TLSv1.3'] as const)(
    'a client resumes its TLS session on the next connection, with %s',
    async (version) => {
      const resumed: boolean[] = [];
      const service = await serveTls({ minVersion: version, maxVersion: version }, ({ socket }) => {
        resumed.push((socket as TLSSocket).isSessionReused());
        socket.end(httpResponse({ body: credit(5), headers: { Connection: 'close' } }));
      });
      const client = clientOf(service, { tls: { ca } });
      for (let count = 0; count < 3; count++) expect(await client.remainCredit()).toBe(5n);
      expect(resumed).toEqual([false, true, true]);
      expect(await clientOf(service, { tls: { ca } }).remainCredit()).toBe(5n);
      expect(resumed).toEqual([false, true, true, false]);
    },
  );

  test.each(['TLSv1.2', 'TLSv1.3'] as const)(
    'a client refuses the certificate of another host each time, with %s',
    async (version) => {
      const versions = { minVersion: version, maxVersion: version };
      const service = await serveTls({ cert: pem('provider.pem'), key: pem('provider.key'), ...versions });
      const client = clientOf(service, { tls: { ca } });
      for (let count = 0; count < 3; count++) {
        expect(await errorOf(ConnectionError, client.remainCredit())).toMatchObject({
          outcome: 'not-sent',
          code: 'ERR_TLS_CERT_ALTNAME_INVALID',
        });
      }
      expect(service.bytes).toBe(0);
    },
  );

  test('a client accepts any certificate only with rejectUnauthorized: false', async () => {
    const service = await serveTls();
    const client = clientOf(service, { tls: { rejectUnauthorized: false } });
    expect(await client.remainCredit()).toBe(5n);
    await errorOf(ConnectionError, clientOf(service, { tls: {} }).remainCredit());
  });

  test.each([
    ['a certificate that is no PEM', { cert: 'nonsense', key: pem('client.key') }],
    ['a key that does not belong to the certificate', { cert: pem('client.pem'), key: pem('server.key') }],
    ['a wrong passphrase', { cert: pem('client.pem'), key: pem('client-encrypted.key'), passphrase: 'wrong' }],
  ])(
    'a call with %s rejects with a MessagingError whose outcome is not-sent, and leaves no listener',
    async (_, tls) => {
      const service = await serveTls();
      const abort = new AbortController();
      const added = jest.spyOn(abort.signal, 'addEventListener');
      const removed = jest.spyOn(abort.signal, 'removeEventListener');
      const client = clientOf(service, { tls: { ca, ...tls } });
      await expect(client.sendSimple(simple, { signal: abort.signal })).rejects.toMatchObject({
        outcome: 'not-sent',
        operation: 'SendSimpleByApikey',
      });
      expect(removed).toHaveBeenCalledTimes(added.mock.calls.length);
      expect(service.requests).toHaveLength(0);
      await client.close();
    },
  );
});

describe('the environment', () => {
  test('environment variables cannot set a proxy', async () => {
    const proxy = await RawServer.start({});
    const before = { ...process.env };
    cleanUp(() => {
      process.env = before;
    });
    for (const name of ['HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY', 'https_proxy', 'ALL_PROXY', 'all_proxy']) {
      process.env[name] = proxy.baseUrl;
    }
    process.env.NODE_USE_ENV_PROXY = '1';
    for (const service of [await serve(credit(5)), await serveTls()]) {
      expect(await clientOf(service, { tls: { ca } }).remainCredit()).toBe(5n);
    }
    expect(proxy.connections).toBe(0);
  });
});

describe('a proxy', () => {
  const through = (target: { baseUrl: string }, proxy: string, options: Partial<MessagingOptions<never>> = {}) =>
    clientOf(target, { proxy, ...(options as object) });

  test.each(['http', 'https'])('a proxy carries calls to an %s service through CONNECT', async (protocol) => {
    const proxy = await startProxy();
    const service = protocol === 'http' ? await serve(credit(5)) : await serveTls();
    const client = through(service, proxy.service.baseUrl, { tls: { ca } });
    expect(await client.remainCredit()).toBe(5n);
    expect(await client.remainCredit()).toBe(5n);
    expect(proxy.asked[0]?.requestLine).toBe(`CONNECT 127.0.0.1:${service.port} HTTP/1.1`);
    expect(proxy.asked[0]?.headers['proxy-authorization']).toBeUndefined();
    expect(service.requests).toHaveLength(2);
    expect(service.requests[0]?.requestLine).toBe('POST /soap/v1.asmx HTTP/1.1');
    expect(JSON.stringify(service.requests[0]?.headers)).not.toMatch(/proxy/i);
  });

  test('a proxy that responds to CONNECT with another 2xx status than 200 carries the call', async () => {
    const proxy = await startProxy({ status: '201 Created' });
    const service = await serve(credit(5));
    expect(await through(service, proxy.service.baseUrl).remainCredit()).toBe(5n);
  });

  test('a proxy gets its user and password, and the service does not', async () => {
    const proxy = await startProxy();
    const service = await serve(credit(5));
    const url = proxy.service.baseUrl.replace('://', '://me%40home:p%3Aw@');
    expect(await through(service, url).remainCredit()).toBe(5n);
    const credentials = Buffer.from('me@home:p:w').toString('base64');
    expect(proxy.asked[0]?.headers['proxy-authorization']).toBe(`Basic ${credentials}`);
    expect(JSON.stringify(service.requests[0]?.headers)).not.toContain(credentials);
  });

  test('a proxy gets a user without a password', async () => {
    const proxy = await startProxy();
    const service = await serve(credit(5));
    expect(await through(service, proxy.service.baseUrl.replace('://', '://token@')).remainCredit()).toBe(5n);
    expect(proxy.asked[0]?.headers['proxy-authorization']).toBe(`Basic ${Buffer.from('token:').toString('base64')}`);
  });

  test.each([403, 407, 502])(
    'a proxy that refuses with %i is a ConnectionError with the outcome not-sent',
    async (status) => {
      const proxy = await serve({ status });
      const service = await serve(credit(5));
      const error = await errorOf(ConnectionError, through(service, proxy.baseUrl).sendSimple(simple));
      expect(error.outcome).toBe('not-sent');
      expect(error.message).toContain(String(status));
      expect(service.connections).toBe(0);
      expect(proxy.requests).toHaveLength(1);
    },
  );

  test.each(['end', 'resetAndDestroy'] as const)(
    'a proxy that closes the connection (%s) instead of a response is a ConnectionError with the outcome not-sent, after one try',
    async (how) => {
      const proxy = await RawServer.start(({ socket }) => socket[how]());
      const service = await serve(credit(5));
      const client = through(service, proxy.baseUrl);
      const error = await errorOf(ConnectionError, client.sendSimple(simple));
      expect(error.outcome).toBe('not-sent');
      expect(proxy.requests).toHaveLength(1);
      expect(service.connections).toBe(0);
    },
  );

  test('a proxy that does not speak HTTP is a ConnectionError with the outcome not-sent, after one try', async () => {
    const proxy = await RawServer.start(({ socket }) => socket.end('SSH-2.0-OpenSSH\r\n\r\n'));
    const service = await serve(credit(5));
    const error = await errorOf(ConnectionError, through(service, proxy.baseUrl).remainCredit());
    expect(error.outcome).toBe('not-sent');
    expect(proxy.requests).toHaveLength(1);
  });

  test('a proxy that does not run is a ConnectionError with the outcome not-sent', async () => {
    const service = await serve(credit(5));
    const error = await errorOf(ConnectionError, through(service, 'http://127.0.0.1:1').sendSimple(simple));
    expect(error).toMatchObject({ outcome: 'not-sent', code: 'ECONNREFUSED' });
    expect(service.connections).toBe(0);
  });

  test('connectTimeoutMs ends a call through a proxy that never responds, with the outcome not-sent', async () => {
    const proxy = await RawServer.start({});
    const service = await serve(credit(5));
    const clock = holdClock();
    const client = through(service, proxy.baseUrl, { connectTimeoutMs: 100, timeoutMs: 3000 });
    const failure = errorOf(TimeoutError, client.sendSimple(simple));
    await proxy.until(() => proxy.requests.length === 1);
    await clock.advance(100);
    expect(await failure).toMatchObject({ outcome: 'not-sent', timeoutMs: 100 });
    expect(service.connections).toBe(0);
  });

  test('timeoutMs and an abort end a call through a proxy that never responds, with the outcome not-sent', async () => {
    const proxy = await RawServer.start({});
    const clock = holdClock();
    const client = through({ baseUrl: 'http://127.0.0.1:1' }, proxy.baseUrl);
    const failure = errorOf(TimeoutError, client.sendSimple(simple, { timeoutMs: 100 }));
    await proxy.until(() => proxy.requests.length === 1);
    await clock.advance(100);
    expect(await failure).toMatchObject({ outcome: 'not-sent', timeoutMs: 100 });
    const abort = new AbortController();
    const call = client.sendSimple(simple, { signal: abort.signal });
    await proxy.until(() => proxy.requests.length === 2);
    abort.abort(new Error('enough'));
    await expectAbort(call, abort.signal, 'not-sent');
  });

  test('a wrong certificate of the service is refused through a proxy too', async () => {
    const proxy = await startProxy();
    const service = await serveTls();
    const error = await errorOf(ConnectionError, through(service, proxy.service.baseUrl).sendSimple(simple));
    expect(error).toMatchObject({ outcome: 'not-sent', code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE' });
    expect(service.bytes).toBe(0);
  });

  test('a proxy that breaks the connection after the request leaves an unknown outcome', async () => {
    const proxy = await startProxy();
    const service = await RawServer.start(() => {
      for (const socket of proxy.service.sockets) socket.resetAndDestroy();
    });
    const client = through(service, proxy.service.baseUrl);
    expect((await errorOf(ConnectionError, client.sendSimple(simple))).outcome).toBe('unknown');
    expect(service.requests).toHaveLength(1);
  });

  test('a proxy hands on an error of the service unchanged', async () => {
    const proxy = await startProxy();
    const service = await serve({ status: 407, body: 'not you' });
    const error = await errorOf(HttpError, through(service, proxy.service.baseUrl).sendSimple(simple));
    expect(error).toMatchObject({ httpStatus: 407, outcome: 'rejected', body: 'not you' });
  });

  test.each([
    ['localhost', 'http://provider.example', 'localhost'],
    ['localhost', 'https://provider.example', 'localhost'],
    ['127.0.0.1', 'https://provider.example', undefined],
  ])('an https proxy at %s is checked by its own name, and %s by its name', async (host, baseUrl, asked) => {
    const names: unknown[] = [];
    const secured = baseUrl.startsWith('https');
    const service = secured
      ? await serveTls({ cert: pem('provider.pem'), key: pem('provider.key') })
      : await serve(credit(5));
    const proxy = await startProxy({
      resolvesTo: service.port,
      tls: {
        ...serverTls,
        SNICallback(name, callback) {
          names.push(name);
          callback(null);
        },
      },
    });
    const url = proxy.service.baseUrl.replace('127.0.0.1', host);
    const client = through({ baseUrl }, url, { tls: { ca } });
    expect(await client.remainCredit()).toBe(5n);
    expect(proxy.asked[0]?.requestLine).toBe(`CONNECT provider.example:${secured ? 443 : 80} HTTP/1.1`);
    expect(proxy.asked[0]?.headers.host).toBe(`provider.example:${secured ? 443 : 80}`);
    expect(names).toEqual(asked === undefined ? [] : [asked]);
  });

  test('an https proxy with a certificate for another name is a ConnectionError, and gets no request', async () => {
    const proxy = await startProxy({ tls: { cert: pem('provider.pem'), key: pem('provider.key') } });
    const client = through({ baseUrl: 'http://provider.example' }, proxy.service.baseUrl, { tls: { ca } });
    const error = await errorOf(ConnectionError, client.sendSimple(simple));
    expect(error).toMatchObject({ outcome: 'not-sent', code: 'ERR_TLS_CERT_ALTNAME_INVALID' });
    expect(proxy.asked).toHaveLength(0);
  });

  test('a proxy with an untrusted certificate is a ConnectionError with the outcome not-sent, and gets no request', async () => {
    const proxy = await startProxy({ tls: serverTls });
    const service = await serve(credit(5));
    const error = await errorOf(ConnectionError, through(service, proxy.service.baseUrl).sendSimple(simple));
    expect(error).toMatchObject({ outcome: 'not-sent', code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE' });
    expect(proxy.asked).toHaveLength(0);
  });

  test('a proxy that sends bytes of the service before any request is a ConnectionError with the outcome not-sent', async () => {
    const proxy = await RawServer.start(({ socket }) =>
      socket.write(Buffer.concat([Buffer.from('HTTP/1.1 200 OK\r\n\r\n'), response])),
    );
    const service = await serve(credit(6));
    const error = await errorOf(ConnectionError, through(service, proxy.baseUrl).sendSimple(simple));
    expect(error).toMatchObject({ outcome: 'not-sent', code: 'ERR_PROXY_TUNNEL' });
  });

  test('a proxy may respond byte by byte', async () => {
    const service = await serve(credit(5));
    const proxy = await RawServer.start(async ({ socket }) => {
      socket.removeAllListeners('data');
      const upstream = connect(service.port, '127.0.0.1', async () => {
        for (const byte of Buffer.from('HTTP/1.1 200 Connection established\r\nVia: x\r\n\r\n')) {
          await new Promise((resolve) => socket.write(Buffer.of(byte), resolve));
        }
        socket.pipe(upstream).pipe(socket);
      });
      cleanUp(() => upstream.destroy());
    });
    expect(await through(service, proxy.baseUrl).remainCredit()).toBe(5n);
  });
});
