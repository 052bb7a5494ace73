import { Agent, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SaxesParser } from 'saxes';
import { operations } from '../../generated/operations';
import type { MessagingOptions } from '../../src/client/options/client';
import { ConfigurationError } from '../../src/errors';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../src/sandbox';
import { NAMESPACE, operationElement, requestEnvelope, requestHeaders } from '../support/envelopes';
import { call, exchange, KEY, post, send, textOf } from '../support/raw-client';
import { openSandbox } from '../support/sandbox';

describe('HTTP server', () => {
  let sandbox: Sandbox;

  beforeEach(async () => {
    sandbox = await openSandbox();
  });

  const get = (path: string, headers: Record<string, string> = {}) =>
    send(`${sandbox.baseUrl}${path}`, { method: 'GET', headers });

  test.each(['?wsdl', '?WSDL', '?Wsdl'])('GET %s gives the WSDL with the real namespace and address', async (query) => {
    const own = await startSandbox({ namespace: "urn:a&b'<" });
    try {
      const response = await send(`${own.baseUrl}/soap/v1.asmx${query}`, { method: 'GET' });
      expect([response.status, response.headers['content-type']]).toEqual([200, 'text/xml; charset=utf-8']);
      new SaxesParser({ xmlns: true }).write(response.body).close();
      expect(response.body.split(`location="${own.baseUrl}/soap/v1.asmx"`)).toHaveLength(3);
      expect(response.body).toContain('targetNamespace="urn:a&amp;b\'&lt;"');
      expect(response.body).toContain('soapAction="urn:a&amp;b\'&lt;SendAdvance"');
      expect(response.body).not.toContain('messaging.example/"');
    } finally {
      await own.close();
    }
  });

  test('The WSDL has the address that the caller used, if the Host header is a valid address', async () => {
    const { body } = await get('/soap/v1.asmx?wsdl', { Host: 'sms.internal:8080' });
    expect(body).toContain('location="http://sms.internal:8080/soap/v1.asmx"');
    const odd = await get('/soap/v1.asmx?wsdl', { Host: 'a"><b' });
    expect(odd.body).toContain(`location="${sandbox.baseUrl}/soap/v1.asmx"`);
  });

  test('GET of the endpoint gives a page with the operations and the WSDL', async () => {
    const { status, headers, body } = await get('/soap/v1.asmx');
    expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    for (const name of Object.keys(operations)) expect(body).toContain(`<dt>${name}</dt>`);
    expect(body).toContain(`<a href="${sandbox.baseUrl}/soap/v1.asmx?wsdl">`);
    expect((await get('/soap/v1.asmx?op=SendAdvance')).body).toBe(body);
  });

  test('A strict service carries out the request that the page shows', async () => {
    const own = await startSandbox({ strict: true, namespace: "urn:it's<&>" });
    try {
      const { body } = await send(`${own.baseUrl}/sandbox/page/service.json`, { method: 'GET' });
      const command: string = JSON.parse(body).examples.curl;
      // Splits the command as a shell does: quoted parts are joined where they touch.
      const words = [...command.matchAll(/(?:'[^']*'|\\'|[^\s'\\])+/g)].map(([word]) =>
        word.replaceAll(/'([^']*)'|\\(')/g, (_, quoted = '', bare = '') => quoted + bare),
      );
      const [curl, , , url, , type = '', , soapAction = '', , data = ''] = words;
      expect([curl, url]).toEqual(['curl', `${own.baseUrl}/soap/v1.asmx`]);
      const headers = Object.fromEntries([type, soapAction].map((header) => header.split(/: (.*)/)));
      const response = await post(own, headers, data);
      expect(textOf(response.body, 'status')).toBe('200');
    } finally {
      await own.close();
    }
  });

  test('startSandbox refuses a namespace that would end the SOAPAction header', async () => {
    await expect(startSandbox({ namespace: 'urn:a"' })).rejects.toThrow(
      /^namespace: a URI of visible ASCII characters is needed, without quotation marks/,
    );
  });

  test('No page shows a key that the user chose, and the page of the endpoint escapes the namespace', async () => {
    const own = await startSandbox({ apiKeys: ['chosen-key'], namespace: "urn:<script>'" });
    try {
      const { body } = await send(`${own.baseUrl}/soap/v1.asmx`, { method: 'GET' });
      expect(body).not.toContain('<script>');
      expect(body).toContain("<code>urn:&lt;script&gt;'</code>");
      const service = await send(`${own.baseUrl}/sandbox/page/service.json`, { method: 'GET' });
      expect(service.body).not.toContain('chosen-key');
    } finally {
      await own.close();
    }
  });

  test.each(['PUT', 'DELETE', 'OPTIONS', 'PATCH'])(
    'The endpoint responds to %s with 405 and the allowed methods',
    async (method) => {
      const response = await send(`${sandbox.baseUrl}/soap/v1.asmx`, { method });
      expect([response.status, response.headers.allow]).toEqual([405, 'GET, HEAD, POST']);
      expect(response.headers['content-type']).toBe('text/html; charset=utf-8');
    },
  );

  test.each([
    '/soap',
    '/sandboxes',
    '/soap/',
    '/soap/v1.asmxx',
    '/soap/v1.asmx/SendAdvance',
    '/favicon.ico',
    '//soap/v1.asmx',
    '/%',
  ])('The sandbox responds to the unknown path %s with 404', async (path) => {
    for (const method of ['GET', 'POST']) {
      const response = await send(`${sandbox.baseUrl}${path}`, { method });
      expect([response.status, response.headers['content-type']]).toEqual([404, 'text/html; charset=utf-8']);
    }
  });

  test('The path of the service is read in any case, and in that of the contract alone by a strict service', async () => {
    const strict = await openSandbox({ strict: true });
    const body = requestEnvelope('1.1', operationElement('RemainCreditByApiKey', `<apikey>${KEY}</apikey>`));
    const headers = requestHeaders('1.1', 'RemainCreditByApiKey');
    for (const path of ['/Soap/V1.asmx', '/SOAP/V1.ASMX']) {
      const called = await send(`${sandbox.baseUrl}${path}`, { headers, body });
      expect([path, textOf(called.body, 'status')]).toEqual([path, '200']);
      expect((await get(`${path}?WSDL`)).body).toContain(`location="${sandbox.baseUrl}/soap/v1.asmx"`);
      expect((await send(`${strict.baseUrl}${path}`, { headers, body })).status).toBe(404);
      expect((await send(`${strict.baseUrl}${path}?wsdl`, { method: 'GET' })).status).toBe(404);
    }
    expect((await get('/Sandbox')).status).toBe(404);
  });

  test('A POST with a query or with a whole URL as its target reaches the service', async () => {
    const body = requestEnvelope('1.1', operationElement('RemainCreditByApiKey', `<apikey>${KEY}</apikey>`));
    const headers = requestHeaders('1.1', 'RemainCreditByApiKey');
    const queried = await send(`${sandbox.baseUrl}/soap/v1.asmx?x=1`, { headers, body });
    expect(textOf(queried.body, 'status')).toBe('200');
    const bytes =
      `POST http://elsewhere.example:99/soap/v1.asmx HTTP/1.1\r\nHost: elsewhere.example\r\n` +
      `Content-Type: text/xml; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
    expect(await exchange(sandbox.baseUrl, bytes)).toContain('<status>200</status>');
  });

  test('The service accepts chunked bodies and Expect: 100-continue', async () => {
    const body = requestEnvelope('1.1', operationElement('RemainCreditByApiKey', `<apikey>${KEY}</apikey>`));
    const head = 'POST /soap/v1.asmx HTTP/1.1\r\nHost: a\r\nContent-Type: text/xml; charset=utf-8\r\n';
    const chunks = [body.slice(0, 7), body.slice(7)]
      .map((part) => `${part.length.toString(16)}\r\n${part}\r\n`)
      .join('');
    const chunked = await exchange(sandbox.baseUrl, `${head}Transfer-Encoding: chunked\r\n\r\n${chunks}0\r\n\r\n`);
    expect(chunked).toContain('<status>200</status>');
    const expecting = await exchange(
      sandbox.baseUrl,
      `${head}Expect: 100-continue\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    expect(expecting).toMatch(/^HTTP\/1.1 100 Continue\r\n\r\nHTTP\/1.1 200 OK/);
  });

  test.each(['GET /soap/v1.asmx HTTP/9.9\r\n\r\n', 'not http at all\r\n\r\n', '\x16\x03\x01\x02\x00\x01\x00'])(
    'The server responds to malformed HTTP with 400 and keeps running (%j)',
    async (bytes) => {
      expect(await exchange(sandbox.baseUrl, bytes)).toMatch(/^HTTP\/1.1 400 Bad Request\r\n/);
      expect((await get('/soap/v1.asmx')).status).toBe(200);
    },
  );

  test('A POST with an Origin of another site is refused with 403, and takes no effect', async () => {
    const body = requestEnvelope('1.1', operationElement('SendAdvance', `<apikey>${KEY}</apikey>`));
    const statusFor = async (own: Sandbox, headers: Record<string, string>): Promise<number> =>
      (await post(own, { ...requestHeaders('1.1', 'SendAdvance'), ...headers }, body)).status;
    for (const origin of ['http://evil.example', 'https://localhost.evil.example', 'null', 'evil', '']) {
      expect([origin, await statusFor(sandbox, { Origin: origin, Host: 'evil.example' })]).toEqual([origin, 403]);
    }
    expect(sandbox.messages).toEqual([]);
    expect(sandbox.requests).toMatchObject(Array.from({ length: 5 }, () => ({ summary: 'HTTP 403' })));
    for (const origin of [sandbox.baseUrl, 'http://localhost:3000', 'https://127.0.0.1', 'http://[::1]:1']) {
      expect([origin, await statusFor(sandbox, { Origin: origin })]).toEqual([origin, 200]);
    }
    const own = await startSandbox({ allowHosts: ['tests.internal'] });
    try {
      expect(await statusFor(own, { Origin: 'http://tests.internal:4000' })).toBe(200);
      expect(await statusFor(own, { Origin: 'http://internal' })).toBe(403);
    } finally {
      await own.close();
    }
  });

  describe('sandbox.requests', () => {
    test('sandbox.requests holds each request as it arrived, newest last', async () => {
      const response = await call(sandbox, '1.1', 'SendAdvance', `<apikey>${KEY}</apikey><message>سلام</message>`);
      await call(sandbox, '1.2', 'Unknown', '');
      await get('/soap/v1.asmx?wsdl', { 'X-Trace': '7' });
      const [first, second, third] = sandbox.requests;
      expect([first?.id, second?.id, third?.id]).toEqual(['1', '2', '3']);
      expect(first).toEqual({
        id: '1',
        date: expect.any(BigInt),
        operation: 'SendAdvance',
        soapVersion: '1.1',
        fields: expect.objectContaining({ message: 'سلام', receptor: null, unixdate: 0n }),
        method: 'POST',
        url: '/soap/v1.asmx',
        headers: expect.objectContaining({
          'content-type': 'text/xml; charset=utf-8',
          soapaction: `"${NAMESPACE}SendAdvance"`,
        }),
        body: requestEnvelope('1.1', operationElement('SendAdvance', `<apikey>${KEY}</apikey><message>سلام</message>`)),
        response: {
          status: 200,
          headers: expect.objectContaining({ 'Cache-Control': 'private, max-age=0' }),
          body: response.body,
        },
        summary: 'status 200',
        result: 'done',
        durationMs: expect.any(Number),
      });
      expect(first?.fields).not.toHaveProperty('apikey');
      expect(second).not.toHaveProperty('operation');
      expect(second).toMatchObject({ response: { status: 500 }, summary: 'fault Client' });
      expect(third).toMatchObject({ method: 'GET', url: '/soap/v1.asmx?wsdl', headers: { 'x-trace': '7' }, body: '' });
    });

    test('sandbox.requests holds at most 1,000 requests', async () => {
      const agent = new Agent({ keepAlive: true });
      for (let count = 0; count < 1010; count += 10) {
        const paths = Array.from({ length: 10 }, (_, index) => `/${count + index}`);
        await Promise.all(paths.map((path) => send(`${sandbox.baseUrl}${path}`, { method: 'GET', agent })));
      }
      agent.destroy();
      expect(sandbox.requests).toHaveLength(1000);
      expect(sandbox.requests.at(-1)?.url).toMatch(/^\/100\d$/);
    });
  });

  test('clientOptions are the options of a client that calls the sandbox', () => {
    const options: MessagingOptions = sandbox.clientOptions;
    expect(options).toEqual({
      baseUrl: sandbox.baseUrl,
      namespace: NAMESPACE,
      apiKey: 'sandbox-key',
      successStatuses: [200],
    });
    expect(sandbox.baseUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  });

  test('The sandbox accepts the key of apiKey and the keys of apiKeys', async () => {
    const own = await startSandbox({ apiKey: 'a', apiKeys: ['b'] });
    try {
      expect(own.apiKey).toBe('a');
      for (const [key, status] of [
        ['a', '200'],
        ['b', '200'],
        [KEY, '403'],
      ]) {
        expect(textOf((await call(own, '1.1', 'SendAdvance', `<apikey>${key}</apikey>`)).body, 'status')).toBe(status);
      }
    } finally {
      await own.close();
    }
  });

  test('startSandbox rejects and names the port when the port is taken', async () => {
    const port = Number(new URL(sandbox.baseUrl).port);
    await expect(startSandbox({ port })).rejects.toMatchObject({
      message: expect.stringContaining(`127.0.0.1:${port}`),
      code: 'EADDRINUSE',
    });
  });

  test('startSandbox rejects with the code of the system for an address of another machine', async () => {
    await expect(startSandbox({ host: '192.0.2.1' })).rejects.toMatchObject({ code: 'EADDRNOTAVAIL' });
  });

  test('The sandbox uses the chosen port, and the port is free after close', async () => {
    const free = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => free.once('listening', resolve));
    const { port } = free.address() as AddressInfo;
    await new Promise((resolve) => free.close(resolve));
    for (let round = 0; round < 2; round += 1) {
      const own = await startSandbox({ port });
      expect(own.baseUrl).toBe(`http://127.0.0.1:${port}`);
      expect((await call(own, '1.1', 'SendAdvance', '')).status).toBe(200);
      await own.close();
    }
  });

  test('A sandbox on all addresses of the machine has a base URL of this machine', async () => {
    const own = await startSandbox({ host: '0.0.0.0' });
    try {
      expect(own.baseUrl).toMatch(/^http:\/\/127\.0\.0\.1:/);
    } finally {
      await own.close();
    }
  });

  test.each([
    [null, 'options: an object is needed'],
    [[], 'options: an object is needed'],
    [
      { foo: 1, apikey: undefined },
      'foo: no such option; apikey: no such option (options: port, host, namespace, apiKeys, apiKey, strict, credit, maxRequestBytes, ' +
        'data, keep, delivery, tls, allowHosts, onRequest)',
    ],
    [{ port: 70_000 }, 'port: 70000 is not'],
    [{ port: 1.5 }, 'port: 1.5 is not'],
    [{ host: '' }, 'host: an address or name is needed'],
    [{ namespace: '' }, 'namespace: a URI of visible ASCII characters is needed'],
    [{ namespace: 'http://نمونه/' }, 'namespace: a URI of visible ASCII characters is needed'],
    [{ apiKeys: [] }, 'apiKeys: at least one'],
    [{ apiKeys: ['a', ''] }, 'apiKeys[1]: a key that is not empty is needed'],
    [{ credit: 2n ** 63n }, 'credit: 9223372036854775808 is not'],
    [{ maxRequestBytes: 0 }, 'maxRequestBytes: 0 is not'],
    [{ keep: 0 }, 'keep: 0 is not'],
    [{ data: '' }, 'data: a path is needed'],
    [{ allowHosts: ['a:1'] }, 'allowHosts: "a:1" is not'],
    [{ tls: { cert: 'x', key: 'y' } }, 'tls: the certificate and the key cannot be used'],
  ])('startSandbox rejects wrong options and names them (%#)', async (options, message) => {
    const error = await startSandbox(options as SandboxOptions).catch((reason) => reason);
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(error.message).toContain(message);
  });
});
