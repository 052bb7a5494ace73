import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { gzipSync } from 'node:zlib';
import { MessagingClient } from '../../src';
import { createMasker } from '../../src/internal/mask';
import { cleanUp } from '../support/clean-up';
import { clientOf } from '../support/client';
import { turns } from '../support/clock';
import { SAMPLES } from '../support/contract';
import { cpuTime } from '../support/cost';
import { credit, envelope, faultOf, NAMESPACE, responseOf } from '../support/envelopes';
import { makeFolder } from '../support/folder';
import { type HttpResponse, httpResponse } from '../support/http-response';
import { loopSize, testInFull, testRows } from '../support/loops';
import { collect, failureOf } from '../support/outcomes';
import { outcomeOf, programPath, startNode } from '../support/process';
import { Random } from '../support/random';
import { RawServer, serve } from '../support/raw-server';

const simple = SAMPLES.SendSimpleByApikey;

/** The messages that the client published in the tests of this file. */
const published: unknown[] = [];
const channels = [
  'messaging-soap:wire',
  ...['start', 'error', 'asyncEnd'].map((event) => `tracing:messaging-soap:call:${event}`),
];
beforeAll(() => {
  for (const name of channels) subscribe(name, note);
});
afterAll(() => {
  for (const name of channels) unsubscribe(name, note);
});
afterEach(() => {
  const printed = published.splice(0).map(print).join('\n');
  expectNoKey(printed, ...keys.map(({ key }) => key));
});

function note(message: unknown): void {
  published.push(message);
}

/** Keys with every kind of character that text goes through on its way into an error. */
const keys = [
  { kind: 'without special characters', key: 'canary0123456789' },
  { kind: 'a UUID', key: '3f2b8c1e-9a4d-4e57-8b60-c4n4ry5e7a11' },
  { kind: 'with characters of XML', key: `k&<"'>ey-канарейка` },
  { kind: 'with characters of patterns and JSON', key: 'c^a$n\\a.r*y+?()[]{}|/"q"' },
  { kind: 'beyond the basic plane', key: '🐤canary🐤bird🐤' },
  {
    kind: 'of 120 characters',
    key: Array.from({ length: 40 }, (_, index) => `${index % 10}Ab${index}`)
      .join('')
      .slice(0, 120),
  },
  { kind: 'in capital and small letters', key: 'SecretKey42' },
  { kind: 'with a colon', key: 'user:Pass-Word42' },
];

const named: Readonly<Record<string, string>> = { '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot', "'": 'apos' };

const codePoint = (character: string): number => character.codePointAt(0) as number;

function escapeWith(key: string, reference: (character: string) => string): string {
  return Array.from(key, reference).join('');
}

const escapeNames = (key: string) => escapeWith(key, (c) => (named[c] ? `&${named[c]};` : c));

/** The spellings in which a hostile service can send back the key in XML. */
const spellings: { spelling: string; write: (key: string) => string }[] = [
  { spelling: 'by names', write: escapeNames },
  {
    spelling: 'with & and < only',
    write: (key) => escapeWith(key, (c) => (c === '&' || c === '<' ? `&${named[c]};` : c)),
  },
  { spelling: 'in decimal', write: (key) => escapeWith(key, (c) => `&#${codePoint(c)};`) },
  { spelling: 'in hex', write: (key) => escapeWith(key, (c) => `&#x${codePoint(c).toString(16)};`) },
  {
    spelling: 'in hex in capitals with zeros',
    write: (key) => escapeWith(key, (c) => `&#x000${codePoint(c).toString(16).toUpperCase()};`),
  },
  {
    spelling: 'mixed',
    write: (key) =>
      Array.from(key, (c, index) => (index % 2 ? `&#${codePoint(c)};` : named[c] ? `&${named[c]};` : c)).join(''),
  },
  { spelling: 'escaped twice', write: (key) => escapeNames(escapeNames(key)) },
  { spelling: 'escaped three times', write: (key) => escapeNames(escapeNames(escapeNames(key))) },
  {
    spelling: 'in hex, each half of a surrogate pair for itself',
    write: (key) => key.replace(/[\s\S]/g, (unit) => `&#x${unit.charCodeAt(0).toString(16)};`),
  },
  { spelling: 'in CDATA', write: (key) => `<![CDATA[${key.replaceAll(']]>', ']]]]><![CDATA[>')}]]>` },
];

/** The spellings in JSON and in forms. */
const otherSpellings: { spelling: string; write: (key: string) => string }[] = [
  { spelling: 'in JSON', write: (key) => JSON.stringify(key) },
  { spelling: 'in JSON with slashes escaped', write: (key) => JSON.stringify(key).replaceAll('/', '\\/') },
  { spelling: 'in JSON by code points', write: (key) => escapeUnits(key, /[\s\S]/g) },
  {
    spelling: 'in JSON by code points in capitals',
    write: (key) => escapeUnits(key, /[\s\S]/g, (hex) => hex.toUpperCase()),
  },
  { spelling: 'in JSON as .NET writes it', write: (key) => escapeUnits(key, /[^a-z0-9 .,;:=_/-]/gi) },
  { spelling: 'in JSON in JSON', write: (key) => JSON.stringify(JSON.stringify(key)) },
  { spelling: 'in a URL in a URL', write: (key) => encodeURIComponent(encodeURIComponent(key)) },
  { spelling: 'in a form', write: (key) => new URLSearchParams({ key }).toString() },
];

/** The spellings of bytes, which no decoder of text undoes. */
const encodings = ['base64', 'base64url', 'hex'] as const;

function escapeUnits(text: string, units: RegExp, write = (hex: string) => hex): string {
  return text.replace(units, (unit) => `\\u${write(unit.charCodeAt(0).toString(16).padStart(4, '0'))}`);
}

/** The places of a response that can contain the key. */
const places: { where: string; response: (text: string) => HttpResponse }[] = [
  { where: 'an HTML page', response: (text) => ({ status: 502, body: `<html><pre>${text}</pre></html>` }) },
  { where: 'the middle of a long page', response: (text) => ({ status: 404, body: `${text} `.repeat(3000) }) },
  { where: 'a page cut at 1,000 characters', response: (text) => ({ status: 500, body: `${'x'.repeat(985)}${text}` }) },
  { where: 'a status message', response: (text) => ({ body: refusal(responseOf('SendSimpleByApikey', ''), text) }) },
  {
    where: 'the reason and detail of a 1.1 fault',
    response: (text) => ({ status: 500, body: faultOf('Server', text, `<a b="1">${text}</a>`, '1.1') }),
  },
  {
    where: 'the reason and detail of a 1.2 fault',
    response: (text) => ({ status: 500, body: faultOf('Receiver', text, `<a>${text}</a>`, '1.2') }),
  },
  { where: 'the code of a fault', response: (text) => ({ status: 500, body: faultOf(text, 'no', '', '1.1') }) },
  {
    where: 'a number',
    response: (text) => ({
      body: responseOf('SendSimpleByApikey', `<long>${text}</long>`),
    }),
  },
  {
    where: 'a number behind other text',
    response: (text) => ({ body: responseOf('SendSimpleByApikey', `<long>${'x'.repeat(30)}${text}</long>`) }),
  },
  { where: 'broken XML', response: (text) => ({ body: `<a>${text}</b>` }) },
  {
    where: 'XML that is cut off',
    response: (text) => ({ body: responseOf('SendSimpleByApikey', `<long>${text}`).slice(0, -120) }),
  },
  { where: 'text that is no XML', response: (text) => ({ body: text }) },
  { where: 'an unknown element', response: (text) => ({ body: envelope(`<a xmlns="urn:x">${text}</a>`) }) },
  {
    where: 'compressed HTML',
    response: (text) => ({
      status: 500,
      headers: { 'Content-Encoding': 'gzip' },
      body: gzipSync(`<html>${text}</html>`),
    }),
  },
];

function refusal(xml: string, text: string): string {
  return xml.replace('<status>200<', '<status>418<').replace('<statusmessage>ok<', `<statusmessage>${text}<`);
}

/** Everything that a program could print about a value. */
function print(value: unknown): string {
  const parts: unknown[] = [
    inspect(value, { depth: Number.POSITIVE_INFINITY, showHidden: true, getters: true, maxStringLength: null }),
    JSON.stringify(value),
  ];
  for (let error = value; error instanceof Error; error = error.cause) {
    parts.push(error.message, error.stack, String(error), error.name);
    for (const field of Object.values(error)) parts.push(String(field));
  }
  return parts.join('\n');
}

/** The length of a part of the key that must not show. Shorter parts are everywhere. */
const CLUE = 10;

function expectNoKey(printed: string, ...keys: readonly string[]): void {
  const decoded = [
    printed,
    decode(printed),
    decode(decode(printed)),
    withoutBackslashes(printed),
    decode(withoutBackslashes(printed)),
    decode(withoutUnits(printed)),
    decode(withoutBackslashes(withoutUnits(printed))),
    decode(printed.replaceAll('+', ' ')),
  ];
  const lower = printed.toLowerCase();
  for (const key of keys) {
    // The key in lower case is as good as the key. Most decodings change nothing, so a text is searched once.
    for (const text of new Set([...decoded, lower.replaceAll(key.toLowerCase(), key)])) {
      if (!blocksOf(key).some((block) => text.includes(block))) continue;
      for (let start = 0; start + CLUE <= key.length; start++) {
        const index = text.indexOf(key.slice(start, start + CLUE));
        // The text around the part says where it comes from.
        if (index >= 0) expect(text.slice(Math.max(0, index - 200), index + 200)).toBe('text without the key');
      }
    }
  }
}

/** The blocks of a key of which each clue contains one. Most texts contain none, so they are searched for few blocks. */
function blocksOf(key: string): readonly string[] {
  const size = CLUE / 2;
  return Array.from({ length: Math.floor(key.length / size) }, (_, index) =>
    key.slice(index * size, (index + 1) * size),
  );
}

function decode(text: string): string {
  return text
    .replace(/&#(\d+);/g, (_, digits: string) => String.fromCodePoint(Number(digits)))
    .replace(/&#[xX]([0-9a-fA-F]+);/g, (_, digits: string) => String.fromCodePoint(Number.parseInt(digits, 16)))
    .replace(/%[0-9a-fA-F]{2}(?:%[0-9a-fA-F]{2})*/g, (bytes) =>
      Buffer.from(bytes.replaceAll('%', ''), 'hex').toString(),
    )
    .replace(/&(lt|gt|quot|apos);/g, (_, name: string) => ({ lt: '<', gt: '>', quot: '"', apos: "'" })[name] as string)
    .replaceAll('&amp;', '&');
}

/** Undoes JSON's escapes by code points. */
function withoutUnits(text: string): string {
  return text.replace(/\\+u([0-9a-fA-F]{4})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}

/** Undoes the escapes of quotation marks and backslashes in JSON and in util.inspect. */
function withoutBackslashes(text: string): string {
  return text.replace(/\\(["'\\])/g, '$1').replace(/\\(["'\\])/g, '$1');
}

let checks = 0;

/** Tests each key. Each check begins with another key, so that a push, which tests every fifth, tests all of them. */
function testKeys(title: string, check: (key: string) => unknown): void {
  const start = checks++ % keys.length;
  const rows = [...keys.slice(start), ...keys.slice(0, start)].map(({ kind, key }) => [kind, key] as const);
  testRows(rows, title, (_, key) => check(key));
}

for (const { spelling, write } of spellings) {
  testKeys(`a key %s is masked in a text that spells it ${spelling}`, (key) => {
    const { mask } = createMasker(key);
    // CDATA is text as it is.
    for (const spelled of [write(key), key]) expectNoKey(mask(`before ${spelled} after ${spelled}`), key);
  });
}

for (const { spelling, write } of otherSpellings) {
  testKeys(`a key %s is masked in a text that has it ${spelling}`, async (key) => {
    const { mask } = createMasker(key);
    expectNoKey(mask(`before ${write(key)} after ${write(key)}`), key);
    const body = `{"error":"bad","request":${write(`<apikey>${key}</apikey>`)}}`;
    const service = await serve({ status: 400, headers: { 'Content-Type': 'application/json' }, body });
    expectNoKey(print(await failureOf(clientOf(service, { apiKey: key }).remainCredit())), key);
  });
}

for (const encoding of encodings) {
  testKeys(`a key %s is masked in ${encoding}, whatever precedes it`, (key) => {
    for (const before of ['', 'u', 'u:', 'user:']) {
      const encoded = Buffer.from(`${before}${key}:1`).toString(encoding);
      for (const text of [encoded, ...(encoding === 'hex' ? [encoded.toUpperCase()] : [])]) {
        const masked = createMasker(key).mask(`Basic ${text}`);
        expect(masked).toMatch(/^Basic .*\*{3}/);
        // No more than the bytes around the key, and a part of a byte at both of its ends.
        expect(masked.length).toBeLessThan('Basic '.length + Buffer.from(`${before}:1`).length * 2 + 10);
      }
    }
  });
}

testKeys('a key %s that comes back is in no error, wherever the response contains it', async (key) => {
  for (const { response } of places) {
    const error = await failureOf(
      clientOf(await serve(response(escapeNames(key))), { apiKey: key }).sendSimple(simple),
    );
    expect(error).toMatchObject({ operation: 'SendSimpleByApikey' });
    expectNoKey(print(error), key);
  }
});

testKeys('a key %s that comes back in a record is in no StatusError', async (key) => {
  const record =
    `<ApiReceive><messageid>1</messageid><message>${escapeNames(key)}</message>` +
    `<sender>${escapeNames(key)}</sender><receptor>1</receptor><date>1</date></ApiReceive>`;
  const service = await serve(refusal(responseOf('ReceiveByApikey', record), escapeNames(key)));
  const client = clientOf(service, { apiKey: key });
  const error = await failureOf(client.receive({ lineNumber: '3000', isread: 0 }));
  expect(error).toMatchObject({ name: 'StatusError', result: [{ messageid: 1n, message: '***' }] });
  expectNoKey(print(error), key);
});

testKeys('a key %s that comes back outside the body is in no error', async (key) => {
  const header = Buffer.from(key).toString('latin1');
  const hostile = [
    httpResponse({ status: 307, headers: { Location: `http://127.0.0.1:1/${encodeURIComponent(key)}` } }),
    httpResponse({
      status: 302,
      headers: {
        Location: `http://127.0.0.1:1/?key=${encodeURIComponent(key).replace(/%../g, (triple) => triple.toLowerCase())}`,
      },
    }),
    httpResponse({ status: 302, headers: { Location: header } }),
    httpResponse({
      status: 500,
      reason: 'Oh',
      headers: { 'X-Echo': header, 'Content-Type': `text/xml; charset=${header}` },
    }),
    httpResponse({ headers: { 'Content-Type': `text/xml; charset="${header}"` }, body: 'x' }),
    httpResponse({ headers: { 'Content-Encoding': header }, body: 'x' }),
    httpResponse({ headers: { 'Content-Type': 'text/xml' }, body: `<?xml version="1.0" encoding="${header}"?><a/>` }),
    Buffer.from(`HTTP/1.1 200 ${key}\r\nContent-Length: 0\r\n\r\n`),
    Buffer.from(`HTTP/1.1 ${key}\r\n\r\n`),
    Buffer.from(`${key}\r\n\r\n`),
    // HTTP takes a line with a colon for the name and the value of a header.
    ...(key.includes(':') ? [] : [Buffer.from(`HTTP/1.1 200 OK\r\n${key}\r\n\r\n`)]),
    Buffer.from(`HTTP/1.1 200 OK\r\nContent-Length: ${key}\r\n\r\n`),
    Buffer.from(`HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${key}\r\n`),
  ];
  for (const bytes of hostile) {
    const service = await RawServer.start(({ socket }) => socket.end(bytes));
    const client = clientOf(service, { apiKey: key });
    const error = await failureOf(client.sendSimple(simple));
    expect(error).toMatchObject({ operation: 'SendSimpleByApikey' });
    expectNoKey(print(error), key);
  }
});

testKeys('a key %s that comes back in UTF-16 is in no error', async (key) => {
  for (const type of ['text/html; charset=utf-16le', 'text/html']) {
    const body = Buffer.from(`\ufeff<html>${key}</html>`, 'utf16le');
    const service = await serve({ status: 502, headers: { 'Content-Type': type }, body });
    const error = await failureOf(clientOf(service, { apiKey: key }).remainCredit());
    // Read as another encoding, each second character would be a zero.
    expectNoKey(print(error).replaceAll('\0', '').replaceAll('\\x00', '').replaceAll('\\u0000', ''), key);
  }
});

/** Calls that fail without a response, each in its own way. */
const early = (key: string): ((baseUrl: string, options: { apiKey: string }) => Promise<unknown>)[] => [
  (_, options) => clientOf({ baseUrl: 'http://127.0.0.1:1' }, options).sendSimple(simple),
  (baseUrl, options) => clientOf({ baseUrl }, { ...options, timeoutMs: 20 }).sendSimple(simple),
  (baseUrl, options) =>
    clientOf({ baseUrl: baseUrl.replace('http', 'https') }, { ...options, timeoutMs: 20 }).sendSimple(simple),
  (baseUrl, options) => clientOf({ baseUrl }, options).sendSimple({ ...simple, message: `${key}\x01` }),
  (baseUrl, options) => clientOf({ baseUrl }, options).sendSimple({ ...simple, msgmode: key as never }),
  (baseUrl, options) => clientOf({ baseUrl }, options).getStatus({ messageid: [key as never] }),
  (baseUrl, options) => clientOf({ baseUrl }, options).sendSimple({ ...simple, [key]: 1 } as never),
  (baseUrl, options) => clientOf({ baseUrl }, options).call(key as never, {} as never),
  (baseUrl, options) => clientOf({ baseUrl }, options).remainCredit({}, { timeoutMs: key as never }),
  (baseUrl, options) => clientOf({ baseUrl }, options).sendSimple(simple, { signal: AbortSignal.timeout(20) }),
  (baseUrl, options) =>
    collect(clientOf({ baseUrl }, { ...options, timeoutMs: 20 }).selectLatestStream({ pagesize: 1 })),
];

testKeys('a key %s is in no error of a call that gets no response', async (key) => {
  const { baseUrl } = await RawServer.start({});
  for (const fail of early(key)) expectNoKey(print(await failureOf(fail(baseUrl, { apiKey: key }))), key);
});

testKeys('a key %s is visible neither on the client nor on a stream', async (key) => {
  const service = await serve(responseOf('RemainCreditByApiKey', '1'));
  const client = clientOf(service, { apiKey: key });
  await client.remainCredit();
  const stream = client.selectLatestStream({ pagesize: 1 });
  for (const value of [client, stream, Object.getPrototypeOf(client), [client], { client }]) {
    expectNoKey(print(value), key);
  }
  expect(Reflect.ownKeys(client)).toEqual([]);
});

testKeys('a key %s is not in the message about a wrong option', (key) => {
  for (const options of [
    { apiKey: `${key}\x01` },
    { apiKey: key, baseUrl: 'nonsense' },
    { apiKey: key, soapVersion: '1.3' as never },
  ]) {
    const create = () =>
      new MessagingClient({ baseUrl: 'http://x.example', namespace: NAMESPACE, successStatuses: [200], ...options });
    let thrown: unknown;
    try {
      create();
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toMatchObject({ name: 'ConfigurationError' });
    expectNoKey(print(thrown), key);
  }
});

describe('a service that sends back', () => {
  const hard = keys[2] as (typeof keys)[number];

  const rows = spellings.flatMap(({ spelling, write }) =>
    places.map(({ where, response }) => [where, spelling, response, write] as const),
  );
  testRows(rows, 'no error shows the key that a service sends back in %s, spelled %s', async (...row) => {
    const [, , response, write] = row;
    const { key } = hard;
    const error = await failureOf(clientOf(await serve(response(write(key))), { apiKey: key }).sendSimple(simple));
    expect(error).toMatchObject({ operation: 'SendSimpleByApikey' });
    expectNoKey(print(error), key);
  });

  test.each([hard, keys[5] as (typeof keys)[number]])(
    'a key $kind that a service repeats is in no error, not even in part',
    async ({ key }) => {
      for (const { write } of spellings.slice(0, 5)) {
        // The part of a body that is kept for an error ends somewhere within one of them.
        for (const offset of [0, 3, 7, 11]) {
          const echo = write(key);
          const body = '-'.repeat(offset) + echo.repeat(40_000 / echo.length);
          const service = await serve({ status: 502, body });
          expectNoKey(print(await failureOf(clientOf(service, { apiKey: key }).remainCredit())), key);
        }
      }
    },
  );
});

/** A program that calls the service, well and badly, and prints what it catches. */
const program = `
  const { MessagingClient } = require('${programPath('client')}');
  (async () => {
    for (const soapVersion of ['1.1', '1.2']) {
      const client = MessagingClient.fromEnv({ soapVersion });
      console.log(await client.call('RemainCreditByApiKey', {}));
      await client.sendSimple({ sender: '1', message: 'm', receptor: ['2'], unixdate: 0, msgmode: 1 }).catch(console.log);
      await client.close();
    }
  })();
`;

test('the debug output of Node and of every dependency holds no key', async () => {
  const key = `k&<"'>ey-канарейка`;
  const service = await RawServer.start(({ socket, body }) =>
    socket.write(
      body.includes('RemainCreditByApiKey')
        ? httpResponse(credit(1))
        : httpResponse({ status: 500, body: faultOf('Server', escapeNames(key), escapeNames(key), '1.1') }),
    ),
  );
  const folder = makeFolder();
  writeFileSync(join(folder, 'program.js'), program);
  const { stdout, stderr } = await outcomeOf(
    startNode([join(folder, 'program.js')], {
      DEBUG: '*',
      NODE_DEBUG: 'http,https,net,tls,stream,timer,fetch,undici',
      MESSAGING_BASE_URL: service.baseUrl,
      MESSAGING_NAMESPACE: NAMESPACE,
      MESSAGING_API_KEY: key,
      MESSAGING_SUCCESS_STATUSES: '200',
    }),
  );
  // The program made its calls and printed debug output.
  expect(service.requests).toHaveLength(4);
  expect(stdout).toContain('FaultError');
  expect(stderr).toMatch(/NET \d+/);
  expectNoKey(stdout + stderr, key);
});

test('the user and password of a proxy are in no error', async () => {
  const proxy = await RawServer.start(({ socket }) => socket.write(httpResponse({ status: 407 })));
  for (const port of [proxy.port, 1]) {
    const client = clientOf(
      { baseUrl: 'http://127.0.0.1:1' },
      { proxy: `http://canaryuser:canarypassword@127.0.0.1:${port}` },
    );
    const printed = print(await failureOf(client.remainCredit())) + print(client);
    expect(printed).not.toMatch(/canary/);
    expect(printed).not.toContain(Buffer.from('canaryuser:canarypassword').toString('base64'));
  }
});

/** Bodies that end in the middle of the key, each for another reason. */
const cutKey = 'canary0123456789';
/** @param size the number of characters before the key: a tag, which no error shows */
const page = (size: number) => `<p><p${' '.repeat(size - 6)}>${cutKey.slice(0, 14)}`;
const cutResponses: [string, { response: Buffer; maxResponseBytes?: number }][] = [
  [
    'in compressed bytes that are broken',
    {
      response: httpResponse({
        status: 502,
        headers: { 'Content-Encoding': 'gzip' },
        body: gzipSync(page(100)).subarray(0, -4),
      }),
    },
  ],
  [
    'at maxResponseBytes',
    { response: httpResponse({ status: 502, body: `${page(100)}${cutKey.slice(14)}` }), maxResponseBytes: 113 },
  ],
  [
    'at the last byte that is kept',
    { response: httpResponse({ status: 502, body: `${page(16_384 - 14)}${cutKey.slice(14)}` }) },
  ],
  [
    'by the end of the connection',
    { response: httpResponse({ status: 502, headers: { Connection: 'close' }, body: page(100) }) },
  ],
  [
    'by the end of the connection, in a number',
    {
      response: httpResponse({
        headers: { Connection: 'close' },
        body: responseOf('RemainCreditByApiKey', cutKey.slice(0, 14)).replace(/<\/RemainCreditByApiKeyResult>.*/, ''),
      }),
    },
  ],
];

test.each(cutResponses)(
  'a response that is cut off in the middle of the key %s shows no part of the key',
  async (_, cut) => {
    const { response, ...options } = cut;
    const service = await RawServer.start(async ({ socket }) => {
      // Sent in three packets: the error is known before the packet with the cut, and this packet is the last that is
      // read.
      const start = response.indexOf('canary');
      const end = start < 0 ? response.length : start + 14;
      socket.write(response.subarray(0, end - 50));
      await turns(20);
      socket.write(response.subarray(end - 50, end));
      await turns(20);
      socket.end(response.subarray(end));
    });
    const error = await failureOf(clientOf(service, { apiKey: cutKey, ...options }).remainCredit());
    expect(error).toMatchObject({ body: expect.stringMatching(/^<p><p|^<\?xml/) });
    expectNoKey(print(error), cutKey);
  },
);

test('a key of 8,000 characters is in no error, neither whole nor cut', async () => {
  const key = Array.from({ length: 1600 }, (_, index) => String(index).padStart(5, 'k')).join('');
  const { mask, maskTruncated } = createMasker(key);
  expect(mask(`a ${key} b ${encodeURIComponent(key)} c`)).toBe('a *** b *** c');
  expect(maskTruncated(`a ${key} b ${key.slice(0, 100)}`)).toBe('a *** b ');
  expect(maskTruncated(`a ${key} b ${key.slice(0, 5_100)}`)).toBe('a *** b ***');
  const error = await failureOf(clientOf(await serve({ status: 502, body: key }), { apiKey: key }).remainCredit());
  expect(error).toMatchObject({ name: 'HttpError', body: '***' });
});

test.each(['1.1', '1.2'] as const)(
  'a key with a colon shows no part of itself in the code of a SOAP %s fault',
  async (version) => {
    const key = 'canaryuser:pass-secret-42';
    const service = await serve({ status: 500, body: faultOf(key, 'no', '', version) });
    const error = await failureOf(clientOf(service, { apiKey: key, soapVersion: version }).remainCredit());
    expect(error).toMatchObject({ name: 'FaultError', code: '***' });
    expectNoKey(print(error), key);
  },
);

test('a key of more than 64 characters that overlaps itself is masked', () => {
  const key = `${'0'.repeat(70)}12345`;
  const { mask } = createMasker(key);
  expect(mask(`no key 0${key}, no key ${key}`)).toBe('no key 0***, no key ***');
  const bird = `${'🐤'.repeat(70)}12345`;
  expect(createMasker(bird).mask(`no key 🐤${bird}`)).toBe('no key 🐤***');
});

test('a text with 100,000 characters that may begin a long key is masked in time', () => {
  const { mask } = createMasker(`${'a'.repeat(70)}12345`);
  const text = 'a'.repeat(100_000);
  expect(cpuTime(() => expect(mask(text)).toBe(text))).toBeLessThan(5000);
});

test('a text of millions of backslashes before a key that begins with a quotation mark is masked in time', () => {
  const { mask } = createMasker('"key"');
  const text = '\\'.repeat(1_000_000);
  expect(cpuTime(() => expect(mask(text)).toBe(text))).toBeLessThan(5000);
});

test('a text that is nearly a key of backslashes and quotation marks is masked in time', () => {
  const text = `${'\\\\\\\\"'.repeat(20)}\\u0061\\\\\\u0061`.repeat(100);
  const { mask } = createMasker(`${'\\"'.repeat(20)}\\a\\\\ab`);
  expect(cpuTime(() => expect(mask(text)).toBe(text))).toBeLessThan(5000);
});

test('a key in a random mixture of spellings is masked', () => {
  const random = new Random(41);
  const ways = [...spellings.slice(0, 5), ...otherSpellings.slice(2, 4), { write: encodeURIComponent }];
  for (let count = 0; count < loopSize(3000); count++) {
    const { key } = keys[count % keys.length] as (typeof keys)[number];
    const way = () => (ways[random.below(ways.length)] as (typeof ways)[number]).write;
    const text = Array.from(key, (character) => way()(character)).join('');
    expect(createMasker(key).mask(`before ${text}, after`)).toBe('before ***, after');
  }
});

test('a key with blanks is masked as a form writes it', () => {
  const { mask } = createMasker('my secret key');
  expect(mask('key=my+secret+key&a=my%20secret+key')).toBe('key=***&a=***');
});

testInFull('a text with millions of signs that may begin the key is masked', () => {
  const { mask } = createMasker(cutKey);
  expect(mask(`&${'amp;'.repeat(10_000_000)}`).length).toBe(40_000_001);
});

test('a response that is cut off in the middle of the key shows no part of the key on the wire channel', async () => {
  const key = 'canary0123456789';
  const service = await RawServer.start(({ socket }) => {
    const body = `${'-'.repeat(1000)}${key.slice(0, 14)}`;
    socket.end(httpResponse({ headers: { 'Content-Length': '5000' }, body }));
  });
  await failureOf(clientOf(service, { apiKey: key }).remainCredit());
  expect(print(published)).toContain('-----');
});

test('a warning of the process holds no key', async () => {
  const seen: unknown[] = [];
  const note = (warning: unknown) => seen.push(warning);
  process.on('warning', note);
  cleanUp(() => process.off('warning', note));
  const service = await serve({ status: 500, body: 'canary0123456789' });
  const client = clientOf(service, { apiKey: 'canary0123456789' });
  await Promise.all(Array.from({ length: 30 }, () => failureOf(client.remainCredit())));
  expectNoKey(print(seen), 'canary0123456789');
});
