import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { operations } from '../../../generated/operations';
import type { OperationName } from '../../../src';
import { planOperation } from '../../../src/client/plan';
import { FastReader } from '../../../src/client/response/fast-reader';
import { noMasker } from '../../../src/internal/mask';
import type { Element } from '../../../src/soap/element';
import { fieldsOf } from '../../../src/soap/record-fields';
import { OPERATIONS } from '../../support/contract';
import { ENVELOPE_NAMESPACES, NAMESPACE, responseEnvelope, XSI } from '../../support/envelopes';
import { responseFixture } from '../../support/fixtures';
import { FUZZ_RUNS, isFull, placeStep } from '../../support/loops';
import { type Reading, readResponse, readWithSax, typeErrors } from '../../support/reading';

/** Mostly the spelling of a real service, now and then anything else, legal or not. */
function mostly<T>(plain: fc.Arbitrary<T>, ...others: fc.Arbitrary<T>[]): fc.Arbitrary<T> {
  return fc.oneof({ weight: 12, arbitrary: plain }, ...others.map((arbitrary) => ({ weight: 1, arbitrary })));
}

const plainText = fc
  .array(
    fc.constantFrom(
      'a',
      'y',
      ' ',
      'سلام',
      '\u200c',
      '😀',
      '\n',
      '\t',
      '\r',
      '\r\n',
      '&amp;',
      '&lt;',
      '&gt;',
      '&quot;',
      '"',
      ']]',
      '\u0085',
      '\ufeff',
      '\u007f',
    ),
    { maxLength: 6 },
  )
  .map((parts) => parts.join(''));
const oddText = fc
  .array(
    fc.oneof(
      plainText,
      fc.constantFrom(
        '&#xD;',
        '&#x1;',
        '&#0;',
        '&#xFFFE;',
        '&#xD83D;',
        '&#x1F600;',
        '&#x110000;',
        '&bad;',
        '&',
        ';',
        '&;',
        '&&amp;',
        '<![CDATA[<&]]>',
        '<![CDATA[\r\n]]>',
        '<!-- c -->',
        '<?p i?>',
        ']]>',
        '>',
        '<',
        '\u0001',
        '\u0000',
        '\ufffe',
        '\uffff',
        '<x/>',
        '<x>y</x>',
        '</x>',
        '<long>1</long>',
        '&toString;',
        '&__proto__;',
      ),
    ),
    { maxLength: 4 },
  )
  .map((parts) => parts.join(''));
const text = mostly(plainText, oddText);

const number = mostly(
  fc.oneof(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String), fc.integer().map(String)),
  fc.constantFrom(
    '',
    '-0',
    '0',
    '-',
    '+1',
    ' 7',
    '7\n',
    '007',
    'x',
    'y',
    '1.0',
    '1e3',
    '9223372036854775807',
    '9223372036854775808',
    '-9223372036854775808',
    '-9223372036854775809',
    '2147483647',
    '2147483648',
    '-2147483648',
    '-2147483649',
    '9999',
    '10000',
    '99999',
    '9999999999999999999',
    '99999999999999999999',
    '0000000000000000001',
    '00000000000000000000000001',
    '&#49;',
    '<![CDATA[1]]>',
    '1<!-- c -->2',
    '1<x/>',
    '۱',
  ),
);

/** An element, in one of the ways to write it. */
function element(name: string, content: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const whole = content.map((inner) => `<${name}>${inner}</${name}>`);
  return mostly(
    whole,
    fc.constantFrom(`<${name} />`, `<${name}/>`, `<${name}></${name}>`),
    fc.constantFrom('', 'y', ' ', '<!-- c -->', '<unknown>1</unknown>'),
    fc.constantFrom(
      `<${name} xsi:nil="true" />`,
      `<${name} xsi:nil="true"></${name}>`,
      `<${name} xsi:nil="false">1</${name}>`,
      `<${name} href="#id1" />`,
    ),
    content.map((inner) => `<${name} xsi:nil="true">${inner}</${name}>`),
    fc.tuple(whole, whole).map(([first, second]) => first + second),
    content.map((inner) => `<${name} >${inner}</${name}\n>`),
    content.map((inner) => `<${name} a="b">${inner}</${name}>`),
    content.map((inner) => `<m:${name} xmlns:m="${NAMESPACE}">${inner}</m:${name}>`),
    content.map((inner) => `<${name} xmlns="urn:other">${inner}</${name}>`),
    content.map((inner) => `<${name}>${inner}</${name}x>`),
    content.map((inner) => `<${name}>${inner}`),
    whole.map((xml) => `y${xml}`),
    whole.map((xml) => `${xml}y`),
    whole.map((xml) => ` ${xml}\r\n`),
  );
}

function sequence(parts: fc.Arbitrary<string>[]): fc.Arbitrary<string> {
  const inOrder = fc.tuple(...parts);
  return mostly(
    inOrder,
    inOrder.chain((written) => fc.shuffledSubarray(written, { minLength: written.length })),
    inOrder.chain((written) => fc.subarray(written)),
  ).map((written) => written.join(''));
}

function contentOf(written: Element): fc.Arbitrary<string> {
  switch (written.kind) {
    case 'text':
      return text;
    case 'boolean':
      return fc.constantFrom('true', 'false', '1', '0');
    case 'enumeration':
      return fc.constantFrom(...written.values);
    case 'integer': {
      const small = fc.integer({ min: -99_999, max: 99_999 }).map(String);
      if (written.type === 'long') return number;
      return fc.oneof({ weight: 8, arbitrary: small }, { weight: 1, arbitrary: number });
    }
    case 'record':
      return sequence(fieldsOf(written).map((child) => element(child.name, contentOf(child))));
    case 'list':
      return fc
        .array(element(written.item.name, contentOf(written.item)), { maxLength: 5 })
        .map((items) => items.join(''));
  }
}

function responseContent(operation: OperationName): fc.Arbitrary<string> {
  return sequence(operations[operation].response.map((child) => element(child.name, contentOf(child))));
}

const declaration = mostly(
  fc.constantFrom('<?xml version="1.0" encoding="utf-8"?>', ''),
  fc.constantFrom(
    '<?xml version="1.0"?>\n',
    '<?xml version="1.0" encoding="UTF-8" ?>\r\n',
    '\ufeff',
    '\ufeff\ufeff',
    '\ufeff<?xml version="1.0" encoding="utf-8"?>',
    "<?xml version='1.0'?>",
    '<?xml version="1.1"?>',
    '<?xml version="1.0" standalone="no"?>',
    ' ',
    '<!-- c -->',
    'x',
    '<!DOCTYPE a>',
  ),
);
const prefix = mostly(
  fc.constant('soap'),
  fc.constantFrom('s', 'SOAP-ENV', 'soap12', '_', 'a.b-c', 'xmlfoo', 'xsi', 'سوپ'),
);
const namespaces = mostly(
  fc.constant(` xmlns:xsi="${XSI}"`),
  fc.constantFrom(
    '',
    ' xmlns="urn:x"',
    ` xmlns="${NAMESPACE}"`,
    ' xmlns:a="urn:a" xmlns:a="urn:b"',
    ' xmlns:a="http://www.w3.org/XML/1998/namespace"',
    ' xmlns:xml="http://www.w3.org/XML/1998/namespace"',
    ' xmlns:xmlns="urn:x"',
    ' xmlns="http://www.w3.org/2000/xmlns/"',
    ' xmlns:a=""',
    ' xmlns=""',
    ' a="b"',
    " xmlns:b='urn:b'",
    ' xmlns:b="a&amp;b"',
  ),
);
const ending = mostly(
  fc.constant(''),
  fc.constantFrom('\n', ' \r\n', '<!-- c -->', 'x', '\0', '\f', '\v', '<x/>', '</x>', '\u0085', '\ufeff', '\u00a0'),
);

const response = fc.constantFrom(...OPERATIONS).chain((operation) =>
  fc
    .record({
      content: responseContent(operation),
      declaration,
      prefix,
      ends: mostly(fc.constant(undefined), fc.constantFrom(['t', 't'], ['soap', 't'], ['t', 'soap'])),
      soap: mostly(fc.constantFrom(...Object.values(ENVELOPE_NAMESPACES)), fc.constant('urn:x')),
      namespaces,
      name: mostly(fc.constant(`${operation}Response`), fc.constantFrom('Response', `${operation}response`)),
      namespace: mostly(
        fc.constant(NAMESPACE),
        fc.constantFrom('http://messaging.example', '&#104;ttp://messaging.example/'),
      ),
      ending,
    })
    .map((parts) => {
      const { prefix: p, ends: [bodyEnd, envelopeEnd] = [p, p] } = parts;
      const payload = `<${parts.name} xmlns="${parts.namespace}">${parts.content}</${parts.name}>`;
      const xml =
        `${parts.declaration}<${p}:Envelope xmlns:${p}="${parts.soap}"${parts.namespaces}>` +
        `<${p}:Body>${payload}</${bodyEnd}:Body></${envelopeEnd}:Envelope>${parts.ending}`;
      return { operation, xml };
    }),
);

/** One change of a byte, a cut or a repetition, given as fractions of the length. */
const mutation = fc.record({
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  length: fc.nat(12),
  insert: fc.option(
    fc.constantFrom('y', '<', '>', '&', '/', ' ', '\0', '\u0001', '</long>', '</ApiReceive>', '<status>', '\u00ff'),
  ),
});

function mutate(xml: string, change: { at: number; length: number; insert: string | null }): Buffer {
  const bytes = Buffer.from(xml);
  const start = Math.floor(change.at * bytes.length);
  const inserted = Buffer.from(change.insert ?? '', change.insert === '\u00ff' ? 'latin1' : 'utf8');
  const rest = bytes.subarray(change.insert === null ? start + change.length : start);
  return Buffer.concat([bytes.subarray(0, start), inserted, rest]);
}

/** Both have a response and it is the same, or both have an error. */
function agree(one: Reading, other: Reading): boolean {
  return 'error' in one || 'error' in other ? 'error' in one && 'error' in other : isDeepStrictEqual(one, other);
}

/** Fails with both readings where they differ. */
function expectAgreement(operation: OperationName, bytes: Buffer, cutSets: readonly (readonly number[])[]): void {
  const full = readWithSax(operation, bytes);
  for (const cuts of cutSets) {
    const read = readResponse(operation, bytes, { cuts });
    if (!agree(full, read)) expect({ body: bytes.toString(), cuts, read }).toEqual({ read: full });
    if ('response' in read) expect(typeErrors(operation, read.response)).toEqual([]);
  }
}

/** Where the first item of the list ends: with the head in one piece, the fast reader has begun. */
function headEnd(bytes: Buffer): number {
  const match = /Result><[A-Za-z]+>/.exec(bytes.toString('latin1'));
  return match ? match.index + match[0].length : 0;
}

function everyByte(bytes: Buffer, from = 0): number[] {
  return Array.from({ length: Math.max(bytes.length - from, 0) }, (_, index) => from + index);
}

const someCuts = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 8 });

function cutsOf(bytes: Buffer, fractions: readonly number[]): number[] {
  return fractions.map((fraction) => Math.floor(fraction * bytes.length)).sort((a, b) => a - b);
}

describe('the SAX reader alone, and the fast one with the SAX reader behind it, give the same response', () => {
  test('both readers give the same response for any spelling, in any pieces', () => {
    const property = fc.property(response, someCuts, ({ operation, xml }, fractions) => {
      const bytes = Buffer.from(xml);
      expectAgreement(operation, bytes, [
        [],
        cutsOf(bytes, fractions),
        everyByte(bytes, headEnd(bytes)),
        everyByte(bytes),
      ]);
    });
    fc.assert(property, { numRuns: FUZZ_RUNS / 20 });
  });

  test('both readers give the same response for spellings with an error', () => {
    const property = fc.property(response, mutation, someCuts, ({ operation, xml }, change, fractions) => {
      const bytes = mutate(xml, change);
      expectAgreement(operation, bytes, [[], cutsOf(bytes, fractions), everyByte(bytes, headEnd(bytes))]);
    });
    fc.assert(property, { numRuns: FUZZ_RUNS / 20 });
  });

  test('both readers give the same response for a response that is cut in two at any place', () => {
    const property = fc.property(response, ({ operation, xml }) => {
      const bytes = Buffer.from(xml);
      expectAgreement(
        operation,
        bytes,
        everyByte(bytes).map((cut) => [cut]),
      );
    });
    fc.assert(property, { numRuns: FUZZ_RUNS / 400 });
  });

  test.each<[string, OperationName]>([
    ['SelectByApikey.11', 'SelectByApikey'],
    ['ReceiveByApikey.12', 'ReceiveByApikey'],
    ['SendSimpleByApikey.11', 'SendSimpleByApikey'],
    ['GetStatusByApikey.12', 'GetStatusByApikey'],
    ['RemainCreditByApiKey.11', 'RemainCreditByApiKey'],
    ['result-control-characters.11', 'SelectByApikey'],
    ['result-null-record-null-fields-extremes.11', 'SelectByApikey'],
    ['throw.12', 'SelectByApikey'],
  ])('both readers give the same response for %s of a real service, cut in two or three pieces', (name, operation) => {
    const { body } = responseFixture(name);
    const single = everyByte(body)
      .filter((cut) => cut % placeStep === 0)
      .map((cut) => [cut]);
    const double = everyByte(body)
      .filter((cut) => cut % (3 * placeStep) === 0)
      .map((cut) => [cut, cut + 1 + (cut % 7)]);
    expectAgreement(operation, body, [[], everyByte(body), everyByte(body, headEnd(body)), ...single, ...double]);
  });

  test('both readers give the same response for items that are too large for the fast reader', () => {
    const property = fc.property(
      fc.array(fc.tuple(fc.nat(40_000), plainText), { minLength: 1, maxLength: 3 }),
      fc.integer({ min: 500, max: 20_000 }),
      (messages, size) => {
        const items = messages.map(
          ([length, end], index) =>
            `<ApiReceive><messageid>${index}</messageid><message>${'سلام&amp; '.repeat(length / 12)}${end}</message><date>1</date></ApiReceive>`,
        );
        const content = `<ReceiveByApikeyResult>${items.join('')}</ReceiveByApikeyResult><status>200</status>`;
        const bytes = Buffer.from(responseEnvelope('ReceiveByApikey', content));
        const cuts = everyByte(bytes).filter((index) => index % size === 0);
        expectAgreement('ReceiveByApikey', bytes, [[], cuts]);
      },
    );
    fc.assert(property, { numRuns: FUZZ_RUNS / 400 });
  });

  test('enough of the generated responses are valid, so that the comparison covers more than errors', () => {
    const numRuns = isFull ? 1000 : 200;
    const read = fc
      .sample(response, { numRuns, seed: 1 })
      .map(({ operation, xml }) => !('error' in readWithSax(operation, xml)));
    expect(read.filter((good) => good).length).toBeGreaterThan(0.15 * numRuns);
  });
});

describe('the fast reader', () => {
  const status = '<status>200</status><statusmessage />';
  const item = '<ApiReceive><messageid>1</messageid><message>m</message><date>1</date></ApiReceive>';
  const list = (content: string) => `<ReceiveByApikeyResult>${content}</ReceiveByApikeyResult>${status}`;
  const responses = [
    ['a refusal', '<status>418</status>', undefined],
    ['a list', list(item.repeat(3)), 3],
    ['an empty list', list(''), 0],
    ['an empty element', `<ReceiveByApikeyResult />${status}`, 0],
    ['a list in pieces', list(item.repeat(1000)), 1000],
  ] as const;
  const pairs = responses.flatMap((before) => responses.map((after) => [before[0], after[0], before, after] as const));

  test.each(pairs)('the fast reader reads, after %s, %s', (_before, _after, ...both) => {
    const settings = { namespace: NAMESPACE, apiKey: '', defaults: {} };
    const { patterns } = planOperation('ReceiveByApikey', settings, noMasker);
    if (!patterns) throw new Error('a list has a plain spelling');
    for (const [, content, count] of both) {
      const bytes = Buffer.from(responseEnvelope('ReceiveByApikey', content));
      const reader = new FastReader(patterns, []);
      for (let start = 0; start < bytes.length; start += 1000) {
        expect(reader.tryRead(bytes.subarray(start, start + 1000))).toBe(true);
      }
      const result = reader.end()?.ReceiveByApikeyResult as { ApiReceive: unknown[] } | undefined;
      expect(result?.ApiReceive.length).toBe(count);
    }
  });
});
