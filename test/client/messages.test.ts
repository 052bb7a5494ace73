import { ConnectionError, FaultError, HttpError, StatusError } from '../../src';
import { API_KEY, clientOf } from '../support/client';
import { faultOf, responseOf, VERSIONS } from '../support/envelopes';
import { responseFixture } from '../support/fixtures';
import { errorOf } from '../support/outcomes';
import { RawServer, serve } from '../support/raw-server';
import { openSandbox } from '../support/sandbox';

const ESCAPED_KEY = 'key &amp; &lt;secret&gt;';

describe('what the service said, in a message', () => {
  const long = 'word '.repeat(100).trim();
  const cut = long.slice(0, 300);

  test.each([
    ['a status message', responseOf('RemainCreditByApiKey', '5', { status: 418, statusmessage: long }), StatusError],
    ['the reason of a fault', faultOf('Server', long, '', '1.1'), FaultError],
    ['the detail of a fault', faultOf('Server', '', `<a>${long}</a>`, '1.2'), FaultError],
  ])('%s is cut at 300 characters in a message', async (_, body, type) => {
    const error = await errorOf<StatusError | FaultError>(type, clientOf(await serve(body)).remainCredit());
    expect(error.message).toContain(`(${cut}…)`);
    expect(error.message).not.toContain(long);
  });

  test('the text of an error page is cut at 300 characters in a message', async () => {
    const service = await serve({ status: 503, body: `<html><body>${long}</body></html>` });
    const error = await errorOf(HttpError, clientOf(service).remainCredit());
    expect(error.message).toBe(`RemainCreditByApiKey: service returned HTTP status 503 (${cut}…)`);
  });

  test.each([
    [
      'a status message',
      { body: responseOf('RemainCreditByApiKey', '5', { status: 418, statusmessage: ESCAPED_KEY }) },
    ],
    ['a reason', { status: 500, body: faultOf('Server', ESCAPED_KEY, '', '1.1') }],
    ['a detail', { status: 500, body: faultOf('Server', 'no', `<a>${ESCAPED_KEY}</a>`, '1.1') }],
    ['a page', { status: 502, body: `<p>${ESCAPED_KEY}</p>` }],
    ['a page, over two lines', { status: 502, body: `<p>${ESCAPED_KEY.replaceAll(' ', '\n  ')}</p>` }],
    ['a redirect', { status: 302, headers: { Location: `/?k=${encodeURIComponent(API_KEY)}` } }],
  ])('the key in %s is masked in a message before the text is cut', async (_, response) => {
    const error = await errorOf(Error as never, clientOf(await serve(response)).remainCredit());
    expect((error as Error).message).toContain('***');
    expect((error as Error).message).not.toMatch(/secret/);
  });

  test('the message for a redirect names its target, which the client does not follow', async () => {
    const target = await RawServer.start({});
    const headers = { Location: `${target.baseUrl}/login?a=1` };
    const service = await serve({ status: 302, headers, body: '<html>moved</html>' });
    const error = await errorOf(HttpError, clientOf(service).remainCredit());
    expect(error.message).toBe(
      `RemainCreditByApiKey: service returned HTTP status 302 (location: ${target.baseUrl}/login?a=1); check the base URL`,
    );
    expect(error.headers.location).toBe(headers.Location);
    expect(target.connections).toBe(0);
  });

  test.each([
    ['a title', '<HTML><head><title>503 Busy</title></head><body><h1>503 Busy</h1></body></HTML>', '503 Busy'],
    [
      'a title before the text',
      `<html><head><title>Maintenance window</title><style>p {}</style></head><body><p>until 5</p></body></html>`,
      'Maintenance window: until 5',
    ],
    ['a title alone', '<title lang="en">Maintenance\nwindow &amp; more</title>', 'Maintenance window & more'],
    [
      'a title that the text repeats',
      '<title>404 - Not found</title><h1>Error 404 - Not found.</h1>',
      'Error 404 - Not found.',
    ],
    ['a header', '<header>Busy</header>', 'Busy'],
    ['a script', '<script>var a = "<p>no</p>";</script>Sorry', 'Sorry'],
    ['a style sheet', '<STYLE type="text/css">p > a {}</STYLE >Sorry', 'Sorry'],
    ['a tag that is cut off', 'Sorry <a href="x', 'Sorry'],
    ['references', 'a &lt;b&gt; &#x41;&amp;', 'a <b> A&'],
    ['references of HTML', 'a&nbsp;b', 'a&nbsp;b'],
    ['control characters', 'a\x1b[31m\r\n\tb', 'a [31m b'],
  ])('the message for an error page has its text on one line: %s', async (_, body, words) => {
    const error = await errorOf(HttpError, clientOf(await serve({ status: 503, body })).remainCredit());
    expect(error.message).toBe(`RemainCreditByApiKey: service returned HTTP status 503 (${words})`);
  });
});

describe('the headers of an error', () => {
  test("an error has the response's headers by lower-case name, joined when they repeat, and masked", async () => {
    const lines = ['Retry-After: 120', 'X-Request-ID: abc', `X-Echo: ${API_KEY}`, 'Via: a', 'Via: b'];
    const service = await RawServer.start(({ socket }) =>
      socket.write(`HTTP/1.1 503 Busy\r\n${lines.join('\r\n')}\r\nContent-Length: 0\r\n\r\n`),
    );
    const error = await errorOf(HttpError, clientOf(service).remainCredit());
    expect(error.headers).toEqual({
      'retry-after': '120',
      'x-request-id': 'abc',
      'x-echo': '***',
      via: 'a,b',
      'content-length': '0',
    });
  });

  test('a FaultError has the headers of the response', async () => {
    const body = faultOf('Server', 'no', '', '1.1');
    const service = await serve({ status: 500, headers: { 'Retry-After': '7' }, body });
    const error = await errorOf(FaultError, clientOf(service).remainCredit());
    expect(error.headers['retry-after']).toBe('7');
  });
});

describe('a mistake in the configuration', () => {
  test.each(VERSIONS)('the message for a wrong namespace suggests the namespace in SOAP %s', async (soapVersion) => {
    const sandbox = await openSandbox();
    const options = { ...sandbox.clientOptions, soapVersion, namespace: sandbox.namespace.slice(0, -1) };
    const error = await errorOf(FaultError, clientOf(sandbox, options).remainCredit());
    expect(error.outcome).toBe('rejected');
    expect(error.message).toMatch(/; check the namespace and its final slash$/);
  });

  test('the message for a wrong namespace suggests the namespace for the fault of a real service', async () => {
    const service = await serve(responseFixture('wrong-namespace.12').raw);
    const error = await errorOf(FaultError, clientOf(service).remainCredit());
    expect(error.message).toMatch(/without a valid action parameter.*; check the namespace and its final slash$/);
  });

  test('the message for a wrong path suggests the base URL, whether the service responds with 404 or 500', async () => {
    const sandbox = await openSandbox();
    for (const path of ['/api', '/soap/v1.asmx/more']) {
      const client = clientOf({ baseUrl: sandbox.baseUrl + path });
      const error = await errorOf(HttpError, client.remainCredit());
      expect(error.message).toMatch(/; check the base URL$/);
    }
  });

  test('no other fault or response makes the message suspect the configuration', async () => {
    const fault = await errorOf(FaultError, clientOf(await serve(responseFixture('throw.11').raw)).remainCredit());
    expect(fault.message).not.toContain('check the');
    for (const status of [400, 401, 403, 429, 500, 502, 503]) {
      const error = await errorOf(HttpError, clientOf(await serve({ status, body: 'no' })).remainCredit());
      expect(error.message).toBe(`RemainCreditByApiKey: service returned HTTP status ${status} (no)`);
    }
  });
});

test("the message for a failed TLS handshake is one line without OpenSSL's internals", async () => {
  const service = await RawServer.start({ onConnection: (socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n') });
  const client = clientOf({ baseUrl: `https://127.0.0.1:${service.port}` });
  const error = await errorOf(ConnectionError, client.remainCredit());
  expect(error.message).toMatch(/^RemainCreditByApiKey: cannot connect: TLS failed: [a-z ]+ \([A-Z_]+\)$/);
});
