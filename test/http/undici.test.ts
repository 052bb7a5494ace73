import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import { ConnectionError } from '../../src';
import { cleanUp } from '../support/clean-up';
import { clientOf } from '../support/client';
import { delay, turns } from '../support/clock';
import { credit, responseOf, sentRecords } from '../support/envelopes';
import { pem } from '../support/fixtures';
import { httpResponse } from '../support/http-response';
import { collect, errorOf, failureOf } from '../support/outcomes';
import { RawServer, serve } from '../support/raw-server';

// What src/http/connection.ts does because of undici 7. Each title says in which version undici does it itself.

test('a certificate for another name fails each call, and blocks no connection (undici 8.13 does this itself)', async () => {
  const service = await RawServer.start({ tls: { cert: pem('provider.pem'), key: pem('provider.key') } });
  const client = clientOf(service, { maxConnections: 1, tls: { ca: pem('authority.pem') } });
  for (let count = 0; count < 3; count++) {
    expect(await errorOf(ConnectionError, client.remainCredit())).toMatchObject({
      outcome: 'not-sent',
      code: 'ERR_TLS_CERT_ALTNAME_INVALID',
    });
  }
});

describe('a connection that ends while its response is paused (undici 8.13 does this itself)', () => {
  // The last bytes arrive when more records wait than a stream keeps.
  const body = responseOf('SelectlatestByApikey', sentRecords(1, 600));
  const length = Buffer.byteLength(body);
  const closing = { Connection: 'close' };

  test.each([
    ['with its length', httpResponse({ headers: { ...closing, 'Content-Length': String(length) }, body })],
    ['without its length', httpResponse({ headers: closing, body })],
    [
      'in chunks',
      httpResponse({
        headers: { ...closing, 'Transfer-Encoding': 'chunked' },
        body: `${length.toString(16)}\r\n${body}\r\n0\r\n\r\n`,
      }),
    ],
  ])('a slow consumer gets every record of a body %s when the service closes the connection', async (_, response) => {
    const service = await RawServer.start(({ socket }) => socket.end(response));
    const stream = clientOf(service).selectLatestStream({ pagesize: 600 });
    const first = await stream.next();
    await delay(50);
    const ids = [first.value, ...(await collect(stream))].map(({ messageid }) => messageid);
    expect(ids).toEqual(Array.from({ length: 600 }, (_, index) => BigInt(index + 1)));
  });

  test('a slow consumer gets a ConnectionError when the service resets the connection', async () => {
    const service = await RawServer.start(({ socket }) => {
      const headers = { ...closing, 'Content-Length': String(length) };
      socket.write(httpResponse({ headers, body: body.slice(0, -300) }));
    });
    const stream = clientOf(service).selectLatestStream({ pagesize: 600 });
    await stream.next();
    await delay(50);
    service.requests[0]?.socket.resetAndDestroy();
    await delay(50);
    await errorOf(ConnectionError, collect(stream));
  });
});

describe('a response that violates HTTP (undici 8.13 does not do this itself)', () => {
  const contentLength = 'the head of the response is not valid HTTP, such as a repeated Content-Length';

  test.each([
    ['garbage', 'garbage\r\n\r\n'],
    ['a wrong version', 'HTTP/9.9 200 OK\r\n\r\n'],
    ['a status that is no number', 'HTTP/1.1 OK 200\r\n\r\n'],
    ['a header without a colon', 'HTTP/1.1 200 OK\r\nno colon\r\n\r\n'],
    ['a header with a control character', 'HTTP/1.1 200 OK\r\nX: a\x01b\r\n\r\n'],
    ['a line end without its line feed', 'HTTP/1.1 200 OK\rX: y\r\n\r\n'],
    ['a chunk whose size is no number', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n'],
    ['a chunk without its line end', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nabc'],
    [
      'two equal headers Content-Length',
      'HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 5\r\n\r\nhello',
      contentLength,
    ],
    [
      'a wrong header after Content-Length',
      'HTTP/1.1 200 OK\r\nContent-Length: 5\r\nno colon\r\n\r\nhello',
      contentLength,
    ],
  ])('a response with %s is a ConnectionError with a code', async (_, bytes, words = 'protocol') => {
    const service = await RawServer.start(({ socket }) => socket.write(bytes));
    const error = await errorOf(ConnectionError, clientOf(service).remainCredit());
    expect(error).toMatchObject({ code: 'ERR_HTTP_PROTOCOL', outcome: 'unknown' });
    expect(error.message).toContain(words);
    expect(error.message).toMatch(/ \(ERR_HTTP_PROTOCOL\)$/);
  });

  test('a body that is shorter than its Content-Length is not called a wrong head', async () => {
    const service = await RawServer.start(({ socket }) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhi'));
    const error = (await failureOf(clientOf(service).remainCredit())) as ConnectionError;
    expect(error).toMatchObject({ name: 'ConnectionError', outcome: 'unknown' });
    expect(error.code).not.toBe('ERR_HTTP_PROTOCOL');
  });
});

test('a service that responds before it has read the whole request blocks no later call (undici 8.13 does not do this itself)', async () => {
  const service = await RawServer.start({
    onConnection(socket) {
      socket.pause();
      socket.write(httpResponse(credit(5)));
    },
  });
  const client = clientOf(service, { maxConnections: 1 });
  const long = { statusmessage: 'x'.repeat(20_000_000) };
  for (let count = 0; count < 2; count++) expect(await client.remainCredit(long)).toBe(5n);
  expect(await clientOf(await serve(credit(6))).remainCredit()).toBe(6n);
});

test('a connection that is reset just as a call begins costs no call (undici 8.13 does not do this itself)', async () => {
  const service = await serve(credit(5));
  const client = clientOf(service, { maxConnections: 1 });
  const sockets: Socket[] = [];
  const note = (message: unknown) => sockets.push((message as { socket: Socket }).socket);
  subscribe('undici:client:connected', note);
  cleanUp(() => unsubscribe('undici:client:connected', note));
  for (let count = 1; count <= 20; count++) {
    await client.remainCredit();
    // The connection is idle. The error of the socket is known after the next request has been given to undici.
    await turns(2);
    sockets.at(-1)?.destroy(Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET', syscall: 'read' }));
    expect(await client.remainCredit()).toBe(5n);
    expect(service.requests).toHaveLength(2 * count);
  }
});

test('a 100 Continue that the client did not ask for costs no response (undici 8.13 does not do this itself)', async () => {
  const service = await serve(Buffer.concat([Buffer.from('HTTP/1.1 100 Continue\r\n\r\n'), httpResponse(credit(5))]));
  expect(await clientOf(service).remainCredit()).toBe(5n);
});
