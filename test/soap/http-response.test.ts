import { request } from 'node:http';
import { Duplex } from 'node:stream';
import { HttpResponse, HttpSyntaxError } from '../../src/soap/http/http-response';
import { Random } from './support';

/** How many answers are given to both parsers. MESSAGING_FUZZ_RUNS sets it. */
const RUNS = Math.ceil(Number(process.env.MESSAGING_FUZZ_RUNS ?? 20_000) / 5);
const SEED = 20_261_121;

interface Read {
  readonly status: number | undefined;
  readonly contentType: string;
  readonly contentEncoding: string;
  readonly body: string;
  readonly complete: boolean;
  readonly reusable: boolean;
  readonly maxIdleMs: number;
  /** How many of the pieces it took. */
  readonly taken: number;
}

/** Reads bytes in the given pieces, and then the end of the connection. */
function read(pieces: readonly Buffer[], { end = false } = {}): Read {
  let head = { status: undefined as number | undefined, contentType: '', contentEncoding: '' };
  const body: Buffer[] = [];
  const response = new HttpResponse({
    onHeaders({ status, contentType, contentEncoding }) {
      if (head.status !== undefined) throw new Error('a second head');
      head = { status, contentType, contentEncoding };
    },
    onData(chunk) {
      if (chunk.length === 0) throw new Error('no bytes');
      body.push(chunk);
    },
  });
  let taken = 0;
  while (taken < pieces.length && !response.complete) response.read(pieces[taken++] as Buffer);
  const complete = end ? response.end() : response.complete;
  return {
    ...head,
    body: Buffer.concat(body).toString('latin1'),
    complete,
    taken,
    reusable: response.reusable,
    maxIdleMs: response.maxIdleMs,
  };
}

function bytesOf(text: string): Buffer {
  return Buffer.from(text, 'latin1');
}

const ok = 'HTTP/1.1 200 OK\r\n';
const hello = 'Content-Length: 5\r\n\r\nhello';

const whole: { what: string; text: string; expected: Partial<Read> }[] = [
  { what: 'a length', text: `${ok}${hello}`, expected: { status: 200, body: 'hello', reusable: true } },
  { what: 'a length of 0', text: `${ok}Content-Length: 0\r\n\r\n`, expected: { body: '', reusable: true } },
  { what: 'a length with zeros', text: `${ok}Content-Length: 0005\r\n\r\nhello`, expected: { body: 'hello' } },
  { what: 'no reason', text: `HTTP/1.1 404 \r\n${hello}`, expected: { status: 404, body: 'hello' } },
  { what: 'no reason and no space', text: `HTTP/1.1 500\r\n${hello}`, expected: { status: 500, body: 'hello' } },
  { what: 'a reason beyond ASCII', text: `HTTP/1.1 200 d\xe9j\xe0 \t vu\r\n${hello}`, expected: { body: 'hello' } },
  {
    what: 'names in any case, and white space around values',
    text: `${ok}CONTENT-type:\t text/xml \r\ncontent-LENGTH:5  \r\ncontent-encoding: gzip\t\r\n\r\nhello`,
    expected: { body: 'hello', contentType: 'text/xml', contentEncoding: 'gzip' },
  },
  {
    what: 'empty values, and colons in values',
    text: `${ok}X:\r\nY: \r\nDate: 10:11:12\r\nContent-Type:\r\n${hello}`,
    expected: { body: 'hello', contentType: '' },
  },
  {
    what: 'Content-Type twice: the first counts',
    text: `${ok}Content-Type: a/b\r\nContent-Type: c/d\r\n${hello}`,
    expected: { contentType: 'a/b' },
  },
  {
    what: 'Content-Encoding twice: both count',
    text: `${ok}Content-Encoding: gzip\r\nContent-Encoding: br\r\n${hello}`,
    expected: { contentEncoding: 'gzip, br' },
  },
  { what: 'Connection: close', text: `${ok}Connection: close\r\n${hello}`, expected: { reusable: false } },
  {
    what: 'close among other options',
    text: `${ok}Connection: a,\tCLOSE , b\r\n${hello}`,
    expected: { reusable: false },
  },
  {
    what: 'close in a second Connection',
    text: `${ok}Connection: a\r\nConnection: close\r\n${hello}`,
    expected: { reusable: false },
  },
  {
    what: 'an option that only looks like close',
    text: `${ok}Connection: closed, un-close\r\n${hello}`,
    expected: { reusable: true },
  },
  {
    what: 'Keep-Alive',
    text: `${ok}Connection: keep-alive\r\nKeep-Alive: timeout=5, max=100\r\n${hello}`,
    expected: { reusable: true, maxIdleMs: 5000 },
  },
  {
    what: 'Keep-Alive that says nothing of time',
    text: `${ok}Keep-Alive: max=100, timeout=x, mytimeout=5, timeout=-1\r\n${hello}`,
    expected: { reusable: true, maxIdleMs: Number.POSITIVE_INFINITY },
  },
  { what: 'HTTP/1.0', text: `HTTP/1.0 200 OK\r\n${hello}`, expected: { body: 'hello', reusable: false } },
  {
    what: 'HTTP/1.0 that would keep the connection',
    text: `HTTP/1.0 200 OK\r\nConnection: keep-alive\r\n${hello}`,
    expected: { reusable: false },
  },
  { what: 'more bytes than the length', text: `${ok}${hello}!`, expected: { body: 'hello', reusable: false } },
  { what: '204', text: 'HTTP/1.1 204 No Content\r\n\r\n', expected: { status: 204, body: '', reusable: true } },
  {
    what: '304 with the length that the body would have',
    text: 'HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n',
    expected: { status: 304, body: '', reusable: true },
  },
  {
    what: 'chunks',
    text: `${ok}Transfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n2\r\nlo\r\n0\r\n\r\n`,
    expected: { body: 'hello', reusable: true },
  },
  {
    what: 'chunks with zeros, capitals and extensions',
    text: `${ok}transfer-encoding: CHUNKED\r\n\r\n000A;a=b;c\r\n0123456789\r\nb;d="e; \\\\\\" f"\r\n0123456789a\r\n00\r\n\r\n`,
    expected: { body: '01234567890123456789a', reusable: true },
  },
  {
    what: 'a chunk that looks like an end and another answer',
    text: `${ok}Transfer-Encoding: chunked\r\n\r\n1a\r\n\r\n0\r\n\r\nHTTP/1.1 200 OK\r\n\r\n\r\n0\r\n\r\n`,
    expected: { body: '\r\n0\r\n\r\nHTTP/1.1 200 OK\r\n\r\n', reusable: true },
  },
  {
    what: 'trailers',
    text: `${ok}Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\nX: y\r\nContent-Lengths: 7\r\n\r\n`,
    expected: { body: 'hello', reusable: true },
  },
  {
    what: 'more bytes than the chunks',
    text: `${ok}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\nHTTP/1.1 200 OK\r\n\r\n`,
    expected: { body: '', reusable: false },
  },
  {
    what: 'information before',
    text: `HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nContent-Length: 9\r\n\r\n${ok}${hello}`,
    expected: { status: 200, body: 'hello', reusable: true },
  },
];

const untilClosed = [
  { what: 'no length', text: `${ok}\r\nhello`, body: 'hello' },
  { what: 'no length and no bytes', text: `${ok}\r\n`, body: '' },
  {
    what: 'no length, though the connection is to be kept',
    text: `${ok}Connection: keep-alive\r\n\r\nhel`,
    body: 'hel',
  },
  { what: 'HTTP/1.0', text: 'HTTP/1.0 200 OK\r\n\r\nhello', body: 'hello' },
];

const notHttp = /it is not HTTP\/1\.1/;
const header = /a header is malformed/;
const chunk = /a chunk of the body is malformed/;
const chunked = `${ok}Transfer-Encoding: chunked\r\n\r\n`;

const refused: { what: string; text: string; words: RegExp }[] = [
  { what: 'another protocol', text: 'SSH-2.0-OpenSSH_9.2\r\n', words: notHttp },
  { what: 'a body without a head', text: '<html></html>', words: notHttp },
  { what: 'an empty line', text: `\r\n${ok}${hello}`, words: notHttp },
  { what: 'HTTP/2', text: `HTTP/2 200 OK\r\n${hello}`, words: notHttp },
  { what: 'HTTP/1.2', text: `HTTP/1.2 200 OK\r\n${hello}`, words: notHttp },
  { what: 'a small http', text: `http/1.1 200 OK\r\n${hello}`, words: notHttp },
  { what: 'no status', text: `HTTP/1.1 OK\r\n${hello}`, words: notHttp },
  { what: 'a status of two digits', text: `HTTP/1.1 20 OK\r\n${hello}`, words: notHttp },
  { what: 'a status of four digits', text: `HTTP/1.1 2000 OK\r\n${hello}`, words: notHttp },
  { what: 'a status below 100', text: `HTTP/1.1 099 OK\r\n${hello}`, words: notHttp },
  { what: 'two spaces before the status', text: `HTTP/1.1  200 OK\r\n${hello}`, words: notHttp },
  { what: 'a zero in the reason', text: `HTTP/1.1 200 O\0K\r\n${hello}`, words: notHttp },
  { what: 'lines that end in LF', text: 'HTTP/1.1 200 OK\nContent-Length: 0\n\n', words: notHttp },
  {
    what: 'one line that ends in LF',
    text: `${ok}X: y\nZ: z\r\n${hello}`,
    words: /a header is malformed|not HTTP/,
  },
  { what: 'one line that ends in CR', text: `${ok}X: y\rZ: z\r\n${hello}`, words: header },
  { what: 'a zero in a header', text: `${ok}X: \0\r\n${hello}`, words: header },
  { what: 'a header without a colon', text: `${ok}Content-Length\r\n${hello}`, words: header },
  { what: 'a header without a name', text: `${ok}: 5\r\n${hello}`, words: header },
  { what: 'white space before the colon', text: `${ok}Content-Length : 5\r\n\r\nhello`, words: header },
  { what: 'a folded header', text: `${ok}X: y\r\n Z: z\r\n${hello}`, words: header },
  { what: 'white space before the first header', text: `${ok} Content-Length: 5\r\n\r\nhello`, words: header },
  { what: 'a name beyond ASCII', text: `${ok}Content-L\xe9ngth: 5\r\n\r\nhello`, words: header },
  {
    what: 'information after which the connection is closed',
    text: `HTTP/1.1 103 Early Hints\r\nConnection: close\r\n\r\n${ok}${hello}`,
    words: /information/,
  },
  { what: 'information in HTTP/1.0', text: `HTTP/1.0 103 Early Hints\r\n\r\n${ok}${hello}`, words: /information/ },
  { what: 'another protocol from here on', text: 'HTTP/1.1 101 Switching Protocols\r\n\r\n', words: /switched/ },
  ...['', '-5', '+5', '5 5', '5, 5', '5,6', '0x5', '5.0', '1e1', '5a', '9'.repeat(16), '\xb2', '5\t', '\t5'].map(
    (length) => ({
      what: `the length ${JSON.stringify(length)}`,
      text: `${ok}Content-Length: ${length}\r\n\r\nhello`,
      words: /Content-Length is no length/,
    }),
  ),
  { what: 'two lengths', text: `${ok}Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello!`, words: /twice/ },
  { what: 'the same length twice', text: `${ok}Content-Length: 5\r\n${hello}`, words: /twice/ },
  {
    what: 'Transfer-Encoding twice',
    text: `${ok}Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    words: /Transfer-Encoding is not known/,
  },
  {
    what: 'a length and chunks',
    text: `${ok}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    words: /both/,
  },
  ...[
    'gzip, chunked',
    'chunked, gzip',
    'chunked, chunked',
    'identity',
    'x',
    'chunked;a=b',
    'chunke',
    'chunked\t',
    '',
  ].map((coding) => ({
    what: `the transfer encoding ${coding}`,
    text: `${ok}Transfer-Encoding: ${coding}\r\n\r\n0\r\n\r\n`,
    words: /Transfer-Encoding is not known/,
  })),
  ...[
    '',
    ' ',
    'x',
    '-1',
    '0x5',
    '5 5',
    ' 5',
    `1${'0'.repeat(13)}`,
    '5\n',
    '5;\0',
    '5\r',
    '5 ',
    '5;',
    '5;a=',
    '5;a="',
    '5;a b',
    '5; a',
    '5;a,b',
  ].map((size) => ({
    what: `a chunk of the size ${JSON.stringify(size)}`,
    text: `${chunked}${size}\r\nhello\r\n0\r\n\r\n`,
    words: chunk,
  })),
  { what: 'a chunk that is longer than its size', text: `${chunked}4\r\nhello\r\n0\r\n\r\n`, words: chunk },
  { what: 'a chunk that ends in LF', text: `${chunked}5\r\nhello\n0\r\n\r\n`, words: chunk },
  { what: 'a chunk without an end', text: `${chunked}5\r\nhello!!`, words: chunk },
  { what: 'a length behind chunks', text: `${chunked}0\r\nX: y\r\ncontent-Length: 7\r\n\r\n`, words: chunk },
  { what: 'a trailer that is no header', text: `${chunked}0\r\nhello\r\n\r\n`, words: chunk },
  { what: 'a head without end', text: `${ok}${'X: y\r\n'.repeat(3000)}`, words: /too long/ },
  { what: 'a head that is too long', text: `${ok}X: ${'y'.repeat(16_384)}\r\n${hello}`, words: /too long/ },
  { what: 'a size without end', text: `${chunked}1;${'x'.repeat(20_000)}`, words: chunk },
  { what: 'trailers without end', text: `${chunked}0\r\n${'X: y\r\n'.repeat(3000)}`, words: chunk },
];

describe('an answer in HTTP/1.1', () => {
  test.each(whole)('with $what is read', ({ text, expected }) => {
    expect(read([bytesOf(text)])).toMatchObject({ complete: true, ...expected });
  });

  test.each(untilClosed)('with $what ends with the connection', ({ text, body }) => {
    expect(read([bytesOf(text)])).toMatchObject({ complete: false, reusable: false, body });
    expect(read([bytesOf(text)], { end: true })).toMatchObject({ complete: true, reusable: false, body });
  });

  test.each(refused)('with $what is refused', ({ text, words }) => {
    for (const pieces of [[bytesOf(text)], cut(bytesOf(text), 1)]) {
      expect(() => read(pieces)).toThrow(HttpSyntaxError);
      expect(() => read(pieces)).toThrow(words);
    }
  });

  test.each([...whole, ...untilClosed])('with $what is the same however it is cut', ({ text }) => {
    // Bytes after the end count only when they come with it.
    const bytes = bytesOf(text);
    const { reusable, taken, ...expected } = read([bytes], { end: true });
    for (let size = 1; size < bytes.length; size++) {
      expect(read(cut(bytes, size), { end: true })).toMatchObject(expected);
      expect(read([bytes.subarray(0, size), bytes.subarray(size)], { end: true })).toMatchObject(expected);
    }
  });

  const framed = whole.filter(({ expected }) => expected.reusable);

  test.each(framed)('with $what is not complete before its last byte', ({ text }) => {
    const bytes = bytesOf(text);
    for (let length = 0; length < bytes.length; length++) {
      expect(read([bytes.subarray(0, length)], { end: true }).complete).toBe(false);
    }
  });

  test('gives no byte of what it refuses in its error', () => {
    for (const { text } of refused) {
      const canary = text.replaceAll(/hello|[Xy]: y/g, 'canary');
      try {
        read([bytesOf(canary)]);
      } catch (error) {
        expect((error as Error).message).not.toContain('canary');
      }
    }
  });
});

function cut(bytes: Buffer, size: number): Buffer[] {
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
    bytes.subarray(index * size, (index + 1) * size),
  );
}

/** What Node's own parser reads in the bytes and the end of the connection; undefined when it does not take them. */
function readWithNode(pieces: readonly Buffer[]): Promise<Pick<Read, 'status' | 'body' | 'contentType'> | undefined> {
  return new Promise((resolve) => {
    const connection = new Duplex({ read() {}, write: (_chunk, _encoding, done) => done() });
    const call = request({ method: 'POST', createConnection: () => connection });
    call.on('error', () => resolve(undefined));
    call.on('close', () => resolve(undefined));
    call.on('response', (response) => {
      const body: Buffer[] = [];
      response.on('error', () => resolve(undefined));
      response.on('data', (chunk: Buffer) => body.push(chunk));
      response.on('end', () => {
        if (!response.complete) return resolve(undefined);
        const { statusCode: status, headers } = response;
        const contentType = headers['content-type'] ?? '';
        resolve({ status, contentType, body: Buffer.concat(body).toString('latin1') });
      });
    });
    call.end();
    // Once the request is on its way.
    setImmediate(() => {
      for (const piece of pieces) connection.push(piece);
      connection.push(null);
    });
  });
}

/** What may stand anywhere in a hostile answer. */
const TOKENS = [
  ...['\r\n', '\r', '\n', '\0', ' ', '\t', ':', ';', ',', '0', '5', 'a', '-', '+', '"', '\x7f', '\xe9', '\r\n\r\n'],
  ...['Content-Length: 5\r\n', 'Content-Length: 6\r\n', 'Transfer-Encoding: chunked\r\n', 'Connection: close\r\n'],
  ...['HTTP/1.1 200 OK\r\n', 'HTTP/1.1 100 Continue\r\n\r\n', '0\r\n\r\n', '5\r\nhello\r\n', 'X: y\r\n', ' chunked'],
];

/** A good answer, with what must be read of it. */
function randomAnswer(random: Random): { bytes: Buffer; body: string; status: number; contentType: string } {
  const status = random.pick([200, 200, 200, 201, 302, 404, 500]);
  const contentType = random.pick(['text/xml; charset=utf-8', 'application/soap+xml', '']);
  const body = Array.from({ length: random.below(12) }, () => random.pick(TOKENS)).join('');
  const lines = [`Content-Type: ${contentType}`, 'Date: Sat, 21 Nov 2026 12:00:00 GMT', 'X:', 'Connection: keep-alive'];
  const framing = random.pick(['length', 'chunks', 'connection']);
  if (framing === 'length') lines.push(`content-length:${body.length}`);
  if (framing === 'chunks') lines.push('Transfer-Encoding: chunked');
  const before = random.pick(['', '', '', 'HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n']);
  const head = `${before}HTTP/1.1 ${status} ${random.pick(['OK', '', 'Not quite'])}\r\n${lines.join('\r\n')}\r\n\r\n`;
  const chunks = () => {
    let text = '';
    for (let rest = body; rest.length > 0; ) {
      const size = 1 + random.below(rest.length);
      text += `${size.toString(16)}${random.pick(['', ';a=b'])}\r\n${rest.slice(0, size)}\r\n`;
      rest = rest.slice(size);
    }
    return `${text}0\r\n${random.pick(['', 'X: y\r\n'])}\r\n`;
  };
  return { bytes: bytesOf(head + (framing === 'chunks' ? chunks() : body)), body, status, contentType };
}

function mutate(bytes: Buffer, random: Random): Buffer {
  const at = random.below(bytes.length + 1);
  const skipped = random.pick([0, 0, 1, 2, 10]);
  const token = random.pick(['', ...TOKENS]);
  return Buffer.concat([bytes.subarray(0, at), bytesOf(token), bytes.subarray(at + skipped)]);
}

describe("beside Node's own parser", () => {
  test('every good answer is read, and the same', async () => {
    const random = new Random(SEED);
    for (let run = 0; run < RUNS; run++) {
      const { bytes, body, status, contentType } = randomAnswer(random);
      const pieces = cut(bytes, 1 + random.below(bytes.length));
      expect(read(pieces, { end: true })).toMatchObject({ complete: true, status, body, contentType });
      expect(await readWithNode(pieces)).toEqual({ status, body, contentType });
    }
  }, 120_000);

  test('nothing is read of a spoilt answer that Node would refuse or read as something else', async () => {
    const random = new Random(SEED + 1);
    let complete = 0;
    for (let run = 0; run < RUNS; run++) {
      let { bytes } = randomAnswer(random);
      for (let count = 1 + random.below(3); count > 0; count--) bytes = mutate(bytes, random);
      const pieces = cut(bytes, 1);
      let own: Read;
      try {
        own = read(pieces, { end: true });
      } catch (error) {
        expect(error).toBeInstanceOf(HttpSyntaxError);
        continue;
      }
      if (!own.complete) continue;
      complete++;
      const { status, body, contentType, taken } = own;
      // What follows the answer is the connection's affair.
      const node = await readWithNode(pieces.slice(0, taken));
      expect({ bytes: bytes.toString('latin1'), ...node }).toEqual({
        bytes: bytes.toString('latin1'),
        status,
        body,
        contentType,
      });
    }
    expect(complete).toBeGreaterThan(RUNS / 10);
  }, 120_000);
});
