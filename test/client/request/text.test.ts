import fc from 'fast-check';
import type { MessagingClient } from '../../../src';
import { clientOf, invoke, respondWithSuccess } from '../../support/client';
import { CALLER_FIELDS, type CallerField, requestWith, SAMPLES } from '../../support/contract';
import { VERSIONS } from '../../support/envelopes';
import { loopSize } from '../../support/loops';
import { failureOf } from '../../support/outcomes';
import { type RawServer, serve } from '../../support/raw-server';
import { HOSTILE_TEXTS, isXmlCharacter, payloadOf } from '../../support/xml';

const STRINGS = CALLER_FIELDS.filter(({ type }) => type === 'string');
/** The first of them, alone and in a list. */
const SOME_STRINGS = STRINGS.filter((field, index) => STRINGS.findIndex(({ list }) => list === field.list) === index);

let server: RawServer;
let clients: readonly MessagingClient[];
beforeAll(async () => {
  server = await serve(respondWithSuccess);
  clients = VERSIONS.map((soapVersion) => clientOf(server, { soapVersion }));
});

/** What the service reads in that field, by an XML parser. */
async function textRead(client: MessagingClient, field: CallerField, text: string): Promise<string | undefined> {
  await invoke(client, field.operation, requestWith(field, text));
  const element = payloadOf(server.requests.at(-1)?.body ?? '').children.find(({ local }) => local === field.name);
  return field.list ? element?.children[1]?.text : element?.text;
}

test.each(STRINGS)('$name of $operation carries text that looks like markup', async (field) => {
  const text = `${HOSTILE_TEXTS.markup}${HOSTILE_TEXTS['nested CDATA ends']}${HOSTILE_TEXTS.CRLF}${HOSTILE_TEXTS.emoji}`;
  for (const client of clients) expect(await textRead(client, field, text)).toBe(text);
});

describe.each(SOME_STRINGS)('$name of $operation', (field) => {
  test.each(Object.entries(HOSTILE_TEXTS))(
    `${field.name} of ${field.operation} arrives unchanged: %s`,
    async (_title, text) => {
      for (const client of clients) expect(await textRead(client, field, text)).toBe(text);
    },
  );
});

/** Fragments that mean something to an XML parser or to node-soap, any Unicode, and any UTF-16, lone surrogates too. */
const anyText = fc.oneof(
  { weight: 3, arbitrary: fc.string({ unit: 'binary' }) },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme' }) },
  {
    weight: 2,
    arbitrary: fc
      .array(
        fc.constantFrom('<', '>', '&', ']]>', '<![CDATA[', ']]', '\r', '\n', '\t', ' ', '"', '&#13;', '$&', 'م\u200c'),
      )
      .map((parts) => parts.join('')),
  },
  {
    weight: 1,
    arbitrary: fc
      .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 20 })
      .map((units) => String.fromCharCode(...units)),
  },
);

/** Where the first character stands that XML 1.0 cannot carry, by the production Char. */
function firstForbidden(text: string): { readonly index: number; readonly codePoint: number } | undefined {
  let index = 0;
  for (const character of text) {
    const codePoint = character.codePointAt(0) as number;
    if (!isXmlCharacter(codePoint)) return { index, codePoint };
    index += character.length;
  }
  return undefined;
}

function expectedRefusal(field: CallerField, index: number, codePoint: number) {
  const place = field.list ? `${field.name}[1]` : field.name;
  const character = `U+${codePoint.toString(16).toUpperCase().padStart(4, '0')}`;
  return {
    name: 'RequestError',
    operation: field.operation,
    outcome: 'not-sent',
    field: place,
    message: `${field.operation}: ${place}: XML 1.0 cannot carry ${character}, at index ${index}`,
  };
}

test('any text in any field arrives unchanged, or is refused before a byte is sent', async () => {
  const property = fc.asyncProperty(
    fc.constantFrom(...STRINGS),
    fc.nat(1),
    anyText,
    async (field, clientIndex, text) => {
      const client = clients[clientIndex] as MessagingClient;
      const forbidden = firstForbidden(text);
      if (!forbidden) return expect(await textRead(client, field, text)).toBe(text);
      const before = server.requests.length;
      const error = await failureOf(invoke(client, field.operation, requestWith(field, text)));
      expect(error).toMatchObject(expectedRefusal(field, forbidden.index, forbidden.codePoint));
      expect(server.requests).toHaveLength(before);
    },
  );
  await fc.assert(property, { numRuns: loopSize(5000) });
});

/** Every character that XML 1.0 cannot carry: C0 but tab, LF and CR, the surrogates' ends, U+FFFE and U+FFFF. */
const FORBIDDEN = [
  ...Array.from({ length: 0x20 }, (_, codePoint) => codePoint).filter((codePoint) => !isXmlCharacter(codePoint)),
  0xd800,
  0xdbff,
  0xdc00,
  0xdfff,
  0xfffe,
  0xffff,
];

describe('a character that XML 1.0 cannot carry', () => {
  test.each(SOME_STRINGS)(
    '$name of $operation refuses a character that XML 1.0 cannot carry, names its place, and opens no connection',
    async (field) => {
      const untouched = await serve(respondWithSuccess);
      const client = clientOf(untouched);
      for (const codePoint of FORBIDDEN) {
        const text = `سلام 😀${String.fromCharCode(codePoint)}x`;
        const error = await failureOf(invoke(client, field.operation, requestWith(field, text)));
        expect(error).toMatchObject(expectedRefusal(field, 7, codePoint));
      }
      expect(untouched.connections).toBe(0);
    },
  );

  test('a character that XML 1.0 cannot carry is found at the end of 100,000 characters', async () => {
    const text = `${'سلام 😀 <'.repeat(12_500)}\u0001`;
    const error = await failureOf(
      invoke(clients[0] as MessagingClient, 'SendAdvance', { ...SAMPLES.SendAdvance, message: text }),
    );
    expect(error).toMatchObject({
      field: 'message',
      message: expect.stringContaining(`U+0001, at index ${text.length - 1}`),
    });
  });

  test('a surrogate in the wrong order is found as a character that XML 1.0 cannot carry', async () => {
    const error = await failureOf(
      invoke(clients[0] as MessagingClient, 'SendAdvance', { ...SAMPLES.SendAdvance, message: '😀\ude00\ud83d' }),
    );
    expect(error).toMatchObject({ message: 'SendAdvance: message: XML 1.0 cannot carry U+DE00, at index 2' });
  });
});

/** A list of texts and one of numbers. */
const SOME_LISTS = ['string', 'long'].map(
  (wanted) => CALLER_FIELDS.find(({ type, list }) => list && type === wanted) as CallerField,
);

/** What node-soap would write as markup, or would turn into text in silence. */
const NO_STRINGS: readonly (readonly [string, unknown])[] = [
  ['{ $xml }', { $xml: '<apikey>stolen</apikey>' }],
  ['{ _xml }', { _xml: '<apikey>stolen</apikey>' }],
  ['{ $value }', { $value: 'x' }],
  ['{ attributes }', { attributes: { 'xsi:nil': 'true' } }],
  ['{ toString }', { toString: () => '<apikey/>' }],
  ['{ toJSON }', { toJSON: () => 'x' }],
  ['{ length }', { length: 1, 0: 'x' }],
  ['a String object', Object('x')],
  ['a date', new Date(0)],
  ['a buffer', Buffer.from('x')],
  ['a number', 9120000001],
  ['a bigint', 9120000001n],
  ['true', true],
  ['a symbol', Symbol('x')],
  ['a function', () => 'x'],
];

describe.each(SOME_STRINGS)('where $name of $operation wants a string', (field) => {
  const refusal = {
    name: 'RequestError',
    field: field.list ? `${field.name}[1]` : field.name,
    message: expect.stringContaining('a string is needed, not '),
  };

  test.each([...NO_STRINGS, ['an array', ['x']] as const])(
    `${field.name} of ${field.operation} refuses %s in place of a string`,
    async (_title, value) => {
      const before = server.requests.length;
      const error = await failureOf(invoke(clients[0] as MessagingClient, field.operation, requestWith(field, value)));
      expect(error).toMatchObject(refusal);
      expect(server.requests).toHaveLength(before);
    },
  );
});

describe.each(SOME_LISTS)('where $name of $operation wants a list', (field) => {
  const noLists: readonly (readonly [string, unknown])[] = [
    ...NO_STRINGS,
    ['the list of the wire', { [field.type]: ['1'] }],
    ['a string', '1'],
    ['a set', new Set(['1'])],
    ['a generator', (function* () {})()],
  ];

  const items = field.type === 'string' ? 'strings' : `xsd:${field.type}`;

  test.each(noLists)(`${field.name} of ${field.operation} refuses %s in place of a list`, async (_title, value) => {
    const before = server.requests.length;
    const request = { ...SAMPLES[field.operation], [field.name]: value };
    const error = await failureOf(invoke(clients[0] as MessagingClient, field.operation, request));
    expect(error).toMatchObject({
      name: 'RequestError',
      field: field.name,
      message: expect.stringContaining(`${field.name}: a list of ${items} is needed, not `),
    });
    expect(server.requests).toHaveLength(before);
  });

  test.each([
    ['null', [null]],
    ['undefined', [undefined]],
    ['a hole', new Array(1)],
    ['a list', [[]]],
  ])(`${field.name} of ${field.operation} refuses %s as an item`, async (_title, value) => {
    const request = { ...SAMPLES[field.operation], [field.name]: value };
    const error = await failureOf(invoke(clients[0] as MessagingClient, field.operation, request));
    expect(error).toMatchObject({ name: 'RequestError', field: `${field.name}[0]`, outcome: 'not-sent' });
  });
});
