import { EventEmitter } from 'node:events';
import { maxHeaderSize } from 'node:http';
import type { Socket } from 'node:net';
import { brotliCompressSync, constants, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { ConnectionError, FaultError, HttpError, ResponseError, TimeoutError } from '../../src';
import { cleanUp } from '../support/clean-up';
import { clientOf } from '../support/client';
import { credit, envelope, faultOf, NAMESPACE, responseOf, sentRecord, sentRecords } from '../support/envelopes';
import { type HttpResponse, httpResponse } from '../support/http-response';
import { collect, errorOf } from '../support/outcomes';
import { outcomeOf, programPath, startNode } from '../support/process';
import { Random } from '../support/random';
import { RawServer, serve } from '../support/raw-server';

/** More than fits into one piece of a stream. */
const long = responseOf('SelectlatestByApikey', sentRecords(1, 2000));

const raw = deflateRawSync(long);

const random = new Random(23);

/** A text that hardly becomes shorter by compression. */
function randomText(length: number): string {
  return Array.from({ length }, () => random.below(36).toString(36)).join('');
}

const encodings: { encoding: string; compress: (body: string) => Buffer }[] = [
  { encoding: 'gzip', compress: gzipSync },
  { encoding: 'x-gzip', compress: gzipSync },
  { encoding: 'GZIP', compress: gzipSync },
  { encoding: 'deflate', compress: deflateSync },
  { encoding: 'deflate', compress: deflateRawSync },
  { encoding: 'br', compress: compressBrotli },
  { encoding: 'identity', compress: Buffer.from },
  { encoding: 'Identity', compress: Buffer.from },
  { encoding: '', compress: Buffer.from },
  // Some servers mix up two headers.
  { encoding: 'UTF-8', compress: Buffer.from },
  { encoding: 'identity, identity', compress: Buffer.from },
  { encoding: 'Gzip , identity', compress: gzipSync },
];

describe('a compressed response', () => {
  test.each(encodings)('a response with the content encoding "$encoding" is read', async ({ encoding, compress }) => {
    const service = await serve({ headers: { 'Content-Encoding': encoding }, body: compress(long) });
    const records = await clientOf(service).selectLatest({ pagesize: 2000 });
    expect(records).toHaveLength(2000);
    expect(records[1999]).toMatchObject({ messageid: 2000n, message: 'text 2000' });
  });

  test.each(encodings)(
    'a response with the content encoding "$encoding" that arrives byte by byte is read',
    async ({ encoding, compress }) => {
      const service = await RawServer.start(async ({ socket }) => {
        const bytes = httpResponse({ headers: { 'Content-Encoding': encoding }, body: compress(credit(5)) });
        await writeByteByByte(socket, bytes);
      });
      expect(await clientOf(service).remainCredit()).toBe(5n);
    },
  );

  test('a compressed response that arrives in many chunks at once adds no listener for each of them', async () => {
    const texts = Array.from({ length: 150 }, (_, id) => sentRecord(id).replace('text', () => randomText(2000)));
    const body = gzipSync(responseOf('SelectlatestByApikey', texts.join('')));
    const chunks = Array.from({ length: Math.ceil(body.length / 4096) }, (_, index) => {
      const chunk = body.subarray(index * 4096, (index + 1) * 4096);
      return Buffer.concat([Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from('\r\n')]);
    });
    const headers = { 'Content-Encoding': 'gzip', 'Transfer-Encoding': 'chunked' };
    const bytes = httpResponse({ headers, body: Buffer.concat([...chunks, Buffer.from('0\r\n\r\n')]) });
    const counts: number[] = [];
    const { once } = EventEmitter.prototype;
    jest.spyOn(EventEmitter.prototype, 'once').mockImplementation(function (this: EventEmitter, name, listener) {
      if (name === 'drain') counts.push(this.listenerCount(name));
      return once.call(this, name, listener);
    });
    cleanUp(() => jest.restoreAllMocks());
    const client = clientOf(await serve(bytes));
    for (let count = 0; count < 3; count++) expect(await client.selectLatest({ pagesize: 1 })).toHaveLength(150);
    // The buffer was full. Node warns of a leak at the eleventh listener.
    expect(counts.length).toBeGreaterThan(3);
    expect(Math.max(...counts)).toBe(0);
  });

  test('a compressed fault and a compressed HTML page are read', async () => {
    const headers = { 'Content-Encoding': 'gzip' };
    const fault = await serve({ status: 500, headers, body: gzipSync(faultOf('Server', 'no', '', '1.1')) });
    expect(await errorOf(FaultError, clientOf(fault).remainCredit())).toMatchObject({ reason: 'no' });
    const page = await serve({ status: 502, headers, body: gzipSync('<html>bad gateway</html>') });
    expect(await errorOf(HttpError, clientOf(page).remainCredit())).toMatchObject({
      body: '<html>bad gateway</html>',
    });
  });

  test.each([
    ['that is no gzip at all', 'gzip', Buffer.from(credit(5)), /not valid gzip/],
    ['that is damaged inside', 'gzip', damage(gzipSync(long)), /not valid gzip|not well-formed XML|unexpected element/],
    ['with a wrong checksum', 'gzip', damage(gzipSync(credit(5)), 8), /not valid gzip/],
    ['that is cut off in gzip', 'gzip', gzipSync(long).subarray(0, -20), /not valid gzip/],
    ['that is cut off in deflate', 'deflate', deflateSync(long).subarray(0, -20), /not valid deflate/],
    ['that is cut off in raw deflate', 'deflate', raw.subarray(0, -20), /not valid deflate/],
    ['that is cut off in brotli', 'br', compressBrotli(long).subarray(0, -20), /not valid br/],
    ['in an encoding nobody knows', 'zstd', Buffer.from(credit(5)), /unknown Content-Encoding: "zstd"$/],
    [
      'in an encoding with the name of a property',
      'constructor',
      Buffer.from('x'),
      /unknown Content-Encoding: "constructor"$/,
    ],
    ['in two encodings', 'gzip, br', Buffer.from(credit(5)), /unknown Content-Encoding: "gzip, br"$/],
    ['that holds nothing', 'gzip', gzipSync(''), /the body is empty/],
    ['of no bytes', 'gzip', Buffer.alloc(0), /the body is empty/],
  ])('a compressed response %s rejects with a ResponseError', async (_, encoding, body, words) => {
    const service = await serve({ headers: { 'Content-Encoding': encoding }, body });
    const error = await errorOf(ResponseError, clientOf(service).selectLatest({ pagesize: 1 }));
    expect(error.outcome).toBe('unknown');
    expect(error.message).toMatch(words);
  });

  test('an error status with damaged gzip is still an HttpError', async () => {
    const service = await serve({ status: 403, headers: { 'Content-Encoding': 'gzip' }, body: 'oh no' });
    const error = await errorOf(HttpError, clientOf(service).remainCredit());
    expect(error).toMatchObject({ httpStatus: 403, outcome: 'rejected' });
  });

  test('a compressed response with more bytes after its end is read, and leaves the client usable', async () => {
    const service = await RawServer.start(({ socket }) => {
      const body = Buffer.concat([gzipSync(credit(5)), Buffer.alloc(200_000)]);
      const bytes = httpResponse({ headers: { 'Content-Encoding': 'gzip' }, body });
      // In two parts, so that the end of gzip is known before the rest arrives.
      socket.write(bytes.subarray(0, -150_000), () => setImmediate(() => socket.write(bytes.subarray(-150_000))));
    });
    const client = clientOf(service, { maxConnections: 1 });
    for (let count = 0; count < 3; count++) expect(await client.remainCredit()).toBe(5n);
  });
});

describe('a compressed response with bytes after its end, in a body that does not end', () => {
  const chunk = (bytes: Buffer) =>
    Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')]);
  const rows: [string, (body: string) => Buffer, Buffer][] = [
    ['gzip', gzipSync, Buffer.alloc(8)],
    ['deflate', deflateSync, Buffer.from('x')],
    ['br', compressBrotli, Buffer.from('x')],
  ];

  test.each(rows)(
    'a compressed response that ends before its endless HTTP body is read, and its connection is closed: %s',
    async (encoding, compress, rest) => {
      const headers = { 'Content-Encoding': encoding, 'Transfer-Encoding': 'chunked' };
      const service = await serve({ headers, body: chunk(Buffer.concat([compress(credit(5)), rest])) });
      const client = clientOf(service, { maxConnections: 1 });
      for (let count = 0; count < 3; count++) expect(await client.remainCredit()).toBe(5n);
      await client.close();
      await service.until(() => service.open === 0);
      expect(service.requests).toHaveLength(3);
    },
  );
});

describe('the size of a response', () => {
  const body = responseOf('RemainCreditByApiKey', '5', { statusmessage: 'x'.repeat(50_000) });
  const forms: { form: string; response: HttpResponse }[] = [
    { form: 'plain', response: { body } },
    { form: 'compressed', response: { headers: { 'Content-Encoding': 'gzip' }, body: gzipSync(body) } },
    {
      form: 'chunked',
      response: {
        headers: { 'Transfer-Encoding': 'chunked' },
        body: `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`,
      },
    },
  ];

  test.each(forms)('a $form response of exactly maxResponseBytes is read', async ({ response }) => {
    const service = await serve(response);
    expect(await clientOf(service, { maxResponseBytes: body.length }).remainCredit()).toBe(5n);
  });

  test.each(forms)('a $form response of one byte more than maxResponseBytes rejects', async ({ response }) => {
    const service = await serve(response);
    const client = clientOf(service, { maxResponseBytes: body.length - 1 });
    const error = await errorOf(ResponseError, client.remainCredit());
    expect(error.outcome).toBe('unknown');
    expect(error.message).toContain(`larger than maxResponseBytes (${body.length - 1})`);
    expect(error.body).toBe(body.slice(0, 1000));
  });

  test('a response that is too large leaves the client usable', async () => {
    const responses = [httpResponse({ body })];
    const service = await RawServer.start(({ socket }) => socket.write(responses.shift() ?? httpResponse(credit(5))));
    const client = clientOf(service, { maxResponseBytes: 1000, maxConnections: 1 });
    await errorOf(ResponseError, client.remainCredit());
    for (let count = 0; count < 5; count++) expect(await client.remainCredit()).toBe(5n);
  });

  test('maxResponseBytes also limits pages with an error status', async () => {
    const service = await serve({ status: 403, body: `${'<p>'.repeat(100)}${'x'.repeat(100_000)}` });
    const error = await errorOf(HttpError, clientOf(service, { maxResponseBytes: 2000 }).remainCredit());
    expect(error).toMatchObject({ httpStatus: 403, outcome: 'rejected' });
  });
});

/** The most memory that the process had in use during a call, above what it had before, in bytes. */
async function growthDuring(call: () => Promise<unknown>): Promise<number> {
  const before = process.memoryUsage().rss;
  let most = before;
  const timer = setInterval(() => {
    most = Math.max(most, process.memoryUsage().rss);
  }, 5);
  try {
    await call();
  } finally {
    clearInterval(timer);
  }
  return Math.max(most, process.memoryUsage().rss) - before;
}

const MiB = 2 ** 20;

describe('a response without measure', () => {
  /** Writes as fast as the client reads, until it closes the connection. */
  function flood(head: string, piece: Buffer): Promise<RawServer> {
    return RawServer.start(async ({ socket }) => {
      socket.write(head);
      while (!socket.destroyed) {
        if (!socket.write(piece)) {
          await new Promise<void>((resolve) => {
            socket.once('drain', resolve).once('close', resolve);
          });
        }
      }
    });
  }

  const endless = 'HTTP/1.1 200 OK\r\nContent-Type: text/xml\r\nConnection: close\r\n\r\n';
  const open = envelope(`<SelectlatestByApikeyResponse xmlns="${NAMESPACE}"><SelectlatestByApikeyResult>`).replace(
    '</soap:Body></soap:Envelope>',
    '',
  );

  test.each([
    ['of zeros', '', Buffer.alloc(65_536), /not well-formed XML/],
    ['of blanks in an envelope', open, Buffer.alloc(65_536, ' '), /larger than maxResponseBytes/],
    ['of one endless text', `${open}<ApiSelect><message>`, Buffer.alloc(65_536, 'x'), /larger than maxResponseBytes/],
    ['of elements nested ever deeper', `${open}<ApiSelect>`, Buffer.from('<a>'.repeat(20_000)), /more than 100 deep/],
    ['of elements that are not items', open, Buffer.from('<a>b</a>'.repeat(1000)), /the list contains "a"/],
    [
      'of elements that mean nothing',
      `${open}<ApiSelect>`,
      Buffer.from(`<a>${'b'.repeat(100)}</a>`.repeat(1000)),
      /larger than maxResponseBytes/,
    ],
  ])(
    'an endless response %s rejects with a ResponseError and closes the connection',
    async (_, start, piece, words) => {
      const service = await flood(endless + start, piece);
      const client = clientOf(service, { maxResponseBytes: 8 * MiB });
      const growth = await growthDuring(async () => {
        expect((await errorOf(ResponseError, client.selectLatest({ pagesize: 1 }))).message).toMatch(words);
      });
      expect(growth).toBeLessThan(200 * MiB);
      await service.until(() => service.requests.every(({ socket }) => socket.destroyed));
      expect(service.requests).toHaveLength(1);
    },
  );

  test('an endless response of headers rejects and closes the connection', async () => {
    const service = await flood('HTTP/1.1 200 OK\r\n', Buffer.from('X-Header: value\r\n'.repeat(1000)));
    const growth = await growthDuring(async () => {
      await expect(clientOf(service).remainCredit()).rejects.toMatchObject({ outcome: 'unknown' });
    });
    expect(growth).toBeLessThan(100 * MiB);
    await service.until(() => service.requests.every(({ socket }) => socket.destroyed));
  });

  test.each([
    ['zeros', '', '\0', /not well-formed XML/],
    ['blanks in an envelope', open, ' ', /larger than maxResponseBytes/],
    ['text in a field', `${open}<ApiSelect><message>`, 'x', /larger than maxResponseBytes/],
  ])('a gzip response that holds a gigabyte of %s rejects with a ResponseError', async (_, start, character, words) => {
    const piece = gzipSync(Buffer.alloc(16 * MiB, character));
    const body = Buffer.concat([gzipSync(start), ...new Array<Buffer>(64).fill(piece)]);
    expect(body.length).toBeLessThan(2 * MiB);
    const service = await serve({ headers: { 'Content-Encoding': 'gzip' }, body });
    const client = clientOf(service, { maxResponseBytes: 8 * MiB });
    const growth = await growthDuring(async () => {
      expect((await errorOf(ResponseError, client.selectLatest({ pagesize: 1 }))).message).toMatch(words);
    });
    expect(growth).toBeLessThan(250 * MiB);
  });
});

describe('the bytes of HTTP', () => {
  const body = credit(5);

  test.each([
    ['102 Processing', 'HTTP/1.1 102 Processing\r\n\r\n'],
    ['103 Early Hints', 'HTTP/1.1 103 Early Hints\r\nLink: </x>; rel=preload\r\n\r\n'],
    ['a 100 Continue that the client did not ask for', 'HTTP/1.1 100 Continue\r\n\r\n'],
    ['a 100 Continue with headers', 'HTTP/1.1 100 Continue\r\nServer: Microsoft-IIS/5.1\r\n\r\n'],
    ['a 100 Continue with line feeds only', 'HTTP/1.1 100 Continue\n\n'],
    [
      'two of 100 Continue and one of 102 Processing',
      `${'HTTP/1.1 100 Continue\r\n\r\n'.repeat(2)}HTTP/1.1 102 P\r\n\r\n`,
    ],
    [
      'several informational responses',
      'HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n',
    ],
  ])('a response that begins with %s is read', async (_, informational) => {
    const bytes = Buffer.concat([Buffer.from(informational), httpResponse({ body })]);
    for (const write of [(socket: Socket) => socket.write(bytes), (socket: Socket) => writeByteByByte(socket, bytes)]) {
      const service = await RawServer.start(({ socket }) => write(socket));
      const client = clientOf(service, { maxConnections: 1 });
      expect(await client.remainCredit()).toBe(5n);
      expect(await client.remainCredit()).toBe(5n);
      expect(service.connections).toBe(1);
    }
  });

  test.each([
    ['ends', '\r\n\r\n'],
    ['is endless', `\r\n${'X-Header: value\r\n'.repeat(10_000)}`],
  ])('a 100 Continue after which the connection %s is a ConnectionError with an unknown outcome', async (_, rest) => {
    const service = await RawServer.start(({ socket }) => socket.end(`HTTP/1.1 100 Continue${rest}`));
    const error = await errorOf(ConnectionError, clientOf(service).remainCredit());
    expect(error.outcome).toBe('unknown');
    expect(service.requests).toHaveLength(1);
  });

  test('a response in a coding of HTTP beside its chunks names the coding', async () => {
    const bytes = gzipSync(body);
    const service = await serve({
      headers: { 'Transfer-Encoding': 'gzip, chunked' },
      body: Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n0\r\n\r\n')]),
    });
    const error = await errorOf(ResponseError, clientOf(service).remainCredit());
    expect(error.message).toMatch(/unknown Transfer-Encoding: "gzip, chunked"$/);
  });

  test('a response with headers beyond the limit of Node says so', async () => {
    const service = await serve({ headers: { 'Set-Cookie': 'x'.repeat(maxHeaderSize) }, body });
    const error = await errorOf(ConnectionError, clientOf(service).remainCredit());
    expect(error).toMatchObject({ outcome: 'unknown', code: 'UND_ERR_HEADERS_OVERFLOW' });
    expect(error.message).toContain(`larger than ${maxHeaderSize} bytes`);
    expect(error.message).toContain('--max-http-header-size');
  });

  test('the limit for headers is the one of Node', async () => {
    const service = await serve({ headers: { 'Set-Cookie': 'x'.repeat(20_000) }, body });
    const environment = {
      ...{ MESSAGING_BASE_URL: service.baseUrl, MESSAGING_NAMESPACE: NAMESPACE, MESSAGING_SUCCESS_STATUSES: '200' },
      ...{ MESSAGING_API_KEY: 'key', NODE_OPTIONS: '--max-http-header-size=65536' },
    };
    expect(await outcomeOf(startNode([programPath('messaging'), 'remain-credit'], environment))).toEqual({
      ...{ code: 0, stderr: '', stdout: '5\n' },
    });
  });

  test('a response that arrives byte by byte is read', async () => {
    const service = await RawServer.start(({ socket }) => writeByteByByte(socket, httpResponse({ body })));
    expect(await clientOf(service).remainCredit()).toBe(5n);
  });

  test('a response in chunks of one byte each, with extensions and trailers, is read', async () => {
    const chunks = Array.from(body, (character) => `1;name=value\r\n${character}\r\n`).join('');
    const service = await serve({
      headers: { 'Transfer-Encoding': 'chunked' },
      body: `${chunks}0\r\nX-Trailer: late\r\n\r\n`,
    });
    const client = clientOf(service);
    expect(await client.remainCredit()).toBe(5n);
    expect(await client.remainCredit()).toBe(5n);
  });

  test('a response without a length, which ends with the connection, is read', async () => {
    const service = await RawServer.start(({ socket }) =>
      socket.end(httpResponse({ headers: { Connection: 'close' }, body })),
    );
    expect(await clientOf(service).remainCredit()).toBe(5n);
  });

  test('a connection that ends in the middle of the envelope is a ResponseError', async () => {
    const service = await RawServer.start(({ socket }) =>
      socket.end(httpResponse({ headers: { Connection: 'close' }, body: body.slice(0, -20) })),
    );
    const error = await errorOf(ResponseError, clientOf(service).remainCredit());
    expect(error).toMatchObject({ outcome: 'unknown', body: body.slice(0, -20) });
  });

  test('a response in HTTP/1.0 is read', async () => {
    const service = await RawServer.start(({ socket }) =>
      socket.end(`HTTP/1.0 200 OK\r\nContent-Type: text/xml\r\n\r\n${body}`),
    );
    expect(await clientOf(service).remainCredit()).toBe(5n);
  });

  test('a response that splits a character between two packets is read', async () => {
    const records = responseOf('SelectlatestByApikey', sentRecords(1, 1).replace('text 1', 'سلام 👋'));
    const bytes = httpResponse({ body: records });
    for (let cut = bytes.indexOf('س'); cut < bytes.indexOf('</message>'); cut++) {
      const service = await RawServer.start(({ socket }) => {
        socket.write(bytes.subarray(0, cut), () => setImmediate(() => socket.write(bytes.subarray(cut))));
      });
      const [record] = await clientOf(service).selectLatest({ pagesize: 1 });
      expect(record?.message).toBe('سلام 👋');
    }
  });

  test('a switch to another protocol is an error with an unknown outcome', async () => {
    const service = await RawServer.start(({ socket }) =>
      socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n'),
    );
    const client = clientOf(service);
    const call = client.remainCredit();
    await expect(call).rejects.toMatchObject({ outcome: 'unknown', operation: 'RemainCreditByApiKey' });
    await expect(call).rejects.not.toBeInstanceOf(TimeoutError);
  });
});

test('a stream gives the records of a compressed response', async () => {
  const service = await serve({ headers: { 'Content-Encoding': 'gzip' }, body: gzipSync(long) });
  expect(await collect(clientOf(service).selectLatestStream({ pagesize: 2000 }))).toHaveLength(2000);
});

/** One byte per packet, as far as a socket lets a program say so. */
async function writeByteByByte(socket: Socket, bytes: Buffer): Promise<void> {
  for (const byte of bytes) {
    if (socket.destroyed) return;
    await new Promise((resolve) => socket.write(Buffer.of(byte), resolve));
  }
}

/** A copy with one wrong byte. */
function damage(bytes: Buffer, fromEnd = Math.floor(bytes.length / 2)): Buffer {
  const copy = Buffer.from(bytes);
  const index = copy.length - fromEnd;
  copy[index] = (copy[index] as number) ^ 0xff;
  return copy;
}

/** Without its default effort, which takes a second. */
function compressBrotli(body: string): Buffer {
  return brotliCompressSync(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } });
}
