import type { OperationName } from '../../../src';
import { createMasker } from '../../../src/internal/mask';
import { cpuTime } from '../../support/cost';
import { ENVELOPE_NAMESPACES, envelope, NAMESPACE, responseEnvelope } from '../../support/envelopes';
import { responseFixture } from '../../support/fixtures';
import { placeStep } from '../../support/loops';
import { readResponse, readWithSax } from '../../support/reading';

// Responses with one mistake each, which both readers refuse.

/** The title, the body of the response, words of the error, and the operation unless it is SelectByApikey. */
type Unreadable = readonly [string, string | Buffer, string, OperationName?];

const STATUS = '<status>200</status><statusmessage>ok</statusmessage>';
const RECORD =
  '<ApiSelect><messageid>1</messageid><message>m</message><status>2</status><date>3</date><cost>4</cost></ApiSelect>';
const select = (content: string) => responseEnvelope('SelectByApikey', content);
const listOf = (...records: string[]) =>
  select(`<SelectByApikeyResult>${records.join('')}</SelectByApikeyResult>${STATUS}`);
/** A record whose message has this XML. */
const withText = (xml: string) => listOf(RECORD.replace('>m<', () => `>${xml}<`));
const credit = (content: string) => responseEnvelope('RemainCreditByApiKey', content);
const ids = (content: string) =>
  responseEnvelope('SendSimpleByApikey', `<SendSimpleByApikeyResult>${content}</SendSimpleByApikeyResult>${STATUS}`);
const nested = (depth: number) => select(`${'<a>'.repeat(depth)}${'</a>'.repeat(depth)}${STATUS}`);
const LIST_PATH = 'in Envelope/Body/SelectByApikeyResponse/SelectByApikeyResult';

/** Message texts do not promise which words are in quotes. */
function unquoted(message: string): string {
  return message.replaceAll('"', '');
}

/** An element is missing, unexpected, in another namespace or too deep. */
const wrongElements: readonly Unreadable[] = [
  ['an empty body', '', 'the body is empty'],
  ['only a byte order mark', '\ufeff', 'must contain a root element'],
  ['only white space', ' \n', 'must contain a root element'],
  [
    'an HTML page',
    '<html><body>Sign in</body></html>',
    'the root element is html in namespace "", not a SOAP envelope',
  ],
  ['an HTML page with a document type', '<!DOCTYPE html><html></html>', 'an HTML page, not a SOAP envelope'],
  ['JSON', '{"status":200}', 'not well-formed XML'],
  ['plain text', 'OK', 'not well-formed XML'],
  [
    'an envelope of another namespace',
    listOf().replace(ENVELOPE_NAMESPACES['1.1'], 'urn:soap'),
    'the root element is Envelope in namespace "urn:soap", not a SOAP envelope',
  ],
  ['an envelope without a namespace', '<Envelope><Body/></Envelope>', 'the root element is Envelope in namespace ""'],
  ['an empty Body', envelope(''), 'the envelope contains no SelectByApikeyResponse'],
  ['no Body', envelope('').replace('<soap:Body></soap:Body>', ''), 'the envelope contains no SelectByApikeyResponse'],
  [
    'the response in a Header',
    listOf().replaceAll('soap:Body', 'soap:Header'),
    'the envelope contains no SelectByApikeyResponse',
  ],
  [
    "another operation's response",
    credit(STATUS),
    `the body contains RemainCreditByApiKeyResponse in namespace "${NAMESPACE}", not SelectByApikeyResponse in namespace "${NAMESPACE}" (in Envelope/Body)`,
  ],
  [
    'the request echoed',
    envelope(`<SelectByApikey xmlns="${NAMESPACE}"/>`),
    'the body contains SelectByApikey in namespace',
  ],
  [
    'a response in another namespace',
    listOf().replace(`xmlns="${NAMESPACE}"`, 'xmlns="http://messaging.example"'),
    'the body contains SelectByApikeyResponse in namespace "http://messaging.example", not',
  ],
  [
    'a response without a namespace',
    listOf().replace(` xmlns="${NAMESPACE}"`, ''),
    'the body contains SelectByApikeyResponse in namespace "", not',
  ],
  [
    'no status',
    select('<SelectByApikeyResult/><statusmessage/>'),
    'status is missing (in Envelope/Body/SelectByApikeyResponse)',
  ],
  ['a status in another namespace only', select('<status xmlns="">200</status>'), 'status'],
  [
    'a status in another namespace beside the right one',
    select(`<status xmlns="urn:other">500</status>${STATUS}`),
    'urn:other',
  ],
  [
    'a result in another namespace, which would be an empty list',
    select(`<SelectByApikeyResult xmlns="urn:other">${RECORD}</SelectByApikeyResult>${STATUS}`),
    'urn:other',
  ],
  [
    'a record in another namespace, which would vanish',
    listOf(RECORD, RECORD.replace('<ApiSelect>', '<ApiSelect xmlns="urn:other">')),
    'urn:other',
  ],
  ['a record without a namespace', listOf(RECORD.replace('<ApiSelect>', '<ApiSelect xmlns="">'), RECORD), 'ApiSelect'],
  [
    'a field of a record in another namespace, which would vanish',
    listOf(RECORD.replace('<message>', '<message xmlns="urn:other">')),
    'urn:other',
  ],
  ['a record of another kind in a list', listOf(RECORD, RECORD.replaceAll('ApiSelect', 'ApiReceive')), 'ApiReceive'],
  ['an element in a list that is no item', listOf('<more/>', RECORD), 'more'],
  ['an item of another type in a list of longs', ids('<long>1</long><int>2</int>'), 'int', 'SendSimpleByApikey'],
  ['elements nested beyond the limit in what is passed over', nested(200), 'elements are nested more than 100 deep'],
  ['a million nested elements', nested(1_000_000), 'elements are nested more than 100 deep'],
  [
    'elements nested beyond the limit in a fault',
    envelope(`<soap:Fault><detail>${'<a>'.repeat(200)}${'</a>'.repeat(200)}</detail></soap:Fault>`),
    'elements are nested more than 100 deep',
  ],
  [
    'elements nested beyond the limit in a header',
    listOf(RECORD).replace(
      '<soap:Body>',
      `<soap:Header>${'<a>'.repeat(200)}${'</a>'.repeat(200)}</soap:Header><soap:Body>`,
    ),
    'elements are nested more than 100 deep',
  ],
  ...[
    ['a second response', listOf(RECORD).replace(/.*<soap:Body>|<\/soap:Body>.*/g, '')],
    ['another element', '<x xmlns="urn:x"/>'],
  ].map(
    ([title, xml]): Unreadable => [
      `${title} after the response`,
      listOf(RECORD).replace('</soap:Body>', `${xml}</soap:Body>`),
      'after the response (in Envelope/Body)',
    ],
  ),
  [
    'a text after the response',
    listOf(RECORD).replace('</soap:Body>', 'x</soap:Body>'),
    'unexpected text "x" (in Envelope/Body)',
  ],
];

/** An element has a value that its type does not allow. */
const wrongValues: readonly Unreadable[] = [
  ['an empty status', select('<status/>'), '"" is not an xsd:int (in Envelope/Body/SelectByApikeyResponse/status)'],
  ['a nil status', select('<status xsi:nil="true"/>'), 'status is missing'],
  [
    'a status that is no number',
    select('<status>OK</status>'),
    '"OK" is not an xsd:int (in Envelope/Body/SelectByApikeyResponse/status)',
  ],
  ['a status beyond int', select('<status>2147483648</status>'), '"2147483648" is not an xsd:int'],
  ['a status below int', select('<status>-2147483649</status>'), '"-2147483649" is not an xsd:int'],
  [
    'a status of a thousand digits',
    select(`<status>${'9'.repeat(1000)}</status>`),
    `"${'9'.repeat(40)}…" is not an xsd:int`,
  ],
  [
    'a record without its messageid',
    listOf(RECORD, RECORD.replace(/<messageid>.*<\/messageid>/, '')),
    `messageid is missing (${LIST_PATH}/ApiSelect[1])`,
  ],
  [
    'a record without its cost',
    listOf(RECORD.replace('<cost>4</cost>', '')),
    `cost is missing (${LIST_PATH}/ApiSelect[0])`,
  ],
  [
    'a record with a nil number',
    listOf(RECORD.replace('<cost>4</cost>', '<cost xsi:nil="true"/>')),
    `cost is missing (${LIST_PATH}/ApiSelect[0])`,
  ],
  ['an empty record', listOf('<ApiSelect/>'), `messageid is missing (${LIST_PATH}/ApiSelect[0])`],
  [
    'a record that has the letter y for its numbers',
    listOf(RECORD, '<ApiSelect>y<message>m</message>yyy</ApiSelect>'),
    `messageid is missing (${LIST_PATH}/ApiSelect[1])`,
  ],
  [
    'a record that has the letter y for one number',
    listOf(RECORD.replace('<cost>4</cost>', 'y')),
    `cost is missing (${LIST_PATH}/ApiSelect[0])`,
  ],
  [
    'a messageid that is no number',
    listOf(RECORD.repeat(3), RECORD.replace('>1<', '>1a<')),
    `"1a" is not an xsd:long (${LIST_PATH}/ApiSelect[3]/messageid)`,
  ],
  ['an empty date', listOf(RECORD.replace('>3<', '><')), `"" is not an xsd:long (${LIST_PATH}/ApiSelect[0]/date)`],
  [
    'a cost with a fraction',
    listOf(RECORD.replace('>4<', '>4.0<')),
    `"4.0" is not an xsd:int (${LIST_PATH}/ApiSelect[0]/cost)`,
  ],
  ['a cost beyond int', listOf(RECORD.replace('>4<', '>2147483648<')), '"2147483648" is not an xsd:int'],
  ['a nil long', ids('<long>1</long><long xsi:nil="true"/>'), 'long[1] is nil, not an xsd:long', 'SendSimpleByApikey'],
  [
    'an empty long',
    ids('<long>1</long><long/>'),
    '"" is not an xsd:long (in Envelope/Body/SendSimpleByApikeyResponse/SendSimpleByApikeyResult/long[1])',
    'SendSimpleByApikey',
  ],
  [
    'an element inside a long, without which the long would be another',
    ids('<long>1</long><long>90071<b>9925</b>4740993</long>'),
    `unexpected element b in namespace "${NAMESPACE}" (in Envelope/Body/SendSimpleByApikeyResponse/SendSimpleByApikeyResult/long[1])`,
    'SendSimpleByApikey',
  ],
  [
    'an empty element inside the single long',
    credit(`<RemainCreditByApiKeyResult>12<b/>34</RemainCreditByApiKeyResult>${STATUS}`),
    'unexpected element "b" in namespace "http://messaging.example/" (in Envelope/Body/RemainCreditByApiKeyResponse/RemainCreditByApiKeyResult)',
    'RemainCreditByApiKey',
  ],
  [
    'an element inside a text',
    withText('your code is <b>1234</b>'),
    `unexpected element "b" in namespace "http://messaging.example/" (${LIST_PATH}/ApiSelect[0]/message)`,
  ],
  [
    'an element inside the statusmessage',
    select('<status>200</status><statusmessage><status>1</status></statusmessage>'),
    'unexpected element',
  ],
  [
    'a list that holds its items as text',
    ids('9007199254740993 9007199254740994'),
    'unexpected text "9007199254740993 9007199254740994" (in Envelope/Body/SendSimpleByApikeyResponse/SendSimpleByApikeyResult)',
    'SendSimpleByApikey',
  ],
  [
    'a list that holds its items as CDATA',
    ids('<![CDATA[<long>9007199254740993</long>]]>'),
    'unexpected text',
    'SendSimpleByApikey',
  ],
  [
    'text between the items of a list',
    ids('<long>1</long>x<long>2</long>'),
    'unexpected text "x" (in Envelope/Body/SendSimpleByApikeyResponse/SendSimpleByApikeyResult/after long[0])',
    'SendSimpleByApikey',
  ],
  ...['<long>7</long>', '7', '<![CDATA[7]]>'].map(
    (content) =>
      [
        `a nil list that holds ${content}`,
        responseEnvelope(
          'SendSimpleByApikey',
          `<SendSimpleByApikeyResult xsi:nil="true">${content}</SendSimpleByApikeyResult>${STATUS}`,
        ),
        'unexpected ',
        'SendSimpleByApikey',
      ] as const,
  ),
  [
    'a nil record that holds its fields',
    listOf(RECORD, RECORD.replace('<ApiSelect>', '<ApiSelect xsi:nil="true">')),
    `unexpected element messageid in namespace "${NAMESPACE}" (${LIST_PATH}/ApiSelect[1])`,
  ],
  [
    'a nil text that is not empty',
    listOf(RECORD.replace('<message>', '<message xsi:nil="true">')),
    `unexpected text "m" (${LIST_PATH}/ApiSelect[0]/message)`,
  ],
  [
    'a nil status before the right one, of which the first counts',
    select(`<status xsi:nil="true"/>${STATUS}`),
    'status is missing',
  ],
  [
    'a list that is somewhere else',
    responseEnvelope('SendSimpleByApikey', `<SendSimpleByApikeyResult href="#id1"/>${STATUS}`),
    'SendSimpleByApikeyResult refers to its content by href, which is not supported (in Envelope/Body/SendSimpleByApikeyResponse)',
    'SendSimpleByApikey',
  ],
  [
    'an item that is somewhere else',
    listOf(RECORD, '<ApiSelect href="#id1" xsi:nil="true"/>'),
    'ApiSelect refers to its content by href, which is not supported',
  ],
  [
    'a text that is somewhere else',
    listOf(RECORD.replace('<message>m</message>', '<message href="#id1"/>')),
    `message refers to its content by href, which is not supported (${LIST_PATH}/ApiSelect[0])`,
  ],
  ...[
    '9223372036854775808',
    '-9223372036854775809',
    '99999999999999999999',
    '1e3',
    '0x10',
    '1,000',
    '1_0',
    '1n',
    '1 2',
    '--1',
    '+',
    '-',
    '+-1',
    '۱۲',
    '１',
    'NaN',
    'INF',
    '1\u00a0',
    '1\u0085',
  ].map(
    (digits) =>
      [
        `the long ${JSON.stringify(digits)}`,
        ids(`<long>${digits}</long>`),
        `${JSON.stringify(digits)} is not an xsd:long`,
        'SendSimpleByApikey',
      ] as const,
  ),
  [
    'the single long beyond its range',
    credit(`<RemainCreditByApiKeyResult>9223372036854775808</RemainCreditByApiKeyResult>${STATUS}`),
    '"9223372036854775808" is not an xsd:long (in Envelope/Body/RemainCreditByApiKeyResponse/RemainCreditByApiKeyResult)',
    'RemainCreditByApiKey',
  ],
  ...[
    [
      'a list',
      responseEnvelope('SendSimpleByApikey', `<SendSimpleByApikeyResult REF/>${STATUS}`),
      'SendSimpleByApikeyResult',
    ],
    ['an item', ids('<long REF/>'), 'long'],
  ].map(
    ([title = '', xml = '', name]): Unreadable => [
      `${title} that is somewhere else, as SOAP 1.2 refers to it`,
      xml.replace('REF', 'xmlns:enc="http://www.w3.org/2003/05/soap-encoding" enc:ref="r1"'),
      `${name} refers to its content by ref, which is not supported`,
      'SendSimpleByApikey',
    ],
  ),
];

/** The body is not well-formed XML, or has a document type. */
const wrongXml: readonly Unreadable[] = [
  ['a document type', listOf().replace('?>', '?><!DOCTYPE x>'), 'a document type declaration is not allowed'],
  [
    'entities that blow up',
    withText('&b;').replace('?>', '?><!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;">]>'),
    'a document type declaration is not allowed',
  ],
  [
    'an external entity',
    withText('&b;').replace('?>', '?><!DOCTYPE x [<!ENTITY b SYSTEM "file:///etc/hostname">]>'),
    'a document type declaration is not allowed',
  ],
  ['an unknown entity', withText('&nbsp;'), `&nbsp; is not a known reference (${LIST_PATH}/ApiSelect[0]/message)`],
  [
    'an unknown entity in statusmessage',
    select('<status>1</status><statusmessage>a &b; c</statusmessage>'),
    '&b; is not a known reference',
  ],
  ['a name that every object has as an entity', withText('&constructor;'), '&constructor; is not a known reference'],
  ['a bare &', withText('a & b'), 'not well-formed XML'],
  ['an & at the end of a text', withText('a&'), 'not well-formed XML'],
  ['a reference without its end', withText('&#65'), 'not well-formed XML'],
  ['an empty reference', withText('&;'), 'not well-formed XML'],
  ['a number reference without digits', withText('&#;'), '&#; is not a known reference'],
  ['a reference beyond Unicode', withText('&#x110000;'), '&#x110000; is not a known reference'],
  ['a reference of a thousand digits', withText(`&#${'9'.repeat(1000)};`), 'not well-formed XML: &#9999'],
  ['a reference with a capital X', withText('&#X41;'), '&#X41; is not a known reference'],
  ['a raw ]]>', withText(']]>'), 'not well-formed XML'],
  ['a raw <', withText('1 < 2'), 'not well-formed XML'],
  ['a text with a tag that closes another', withText('a</b>'), 'not well-formed XML'],
  ['elements that overlap', listOf(RECORD.replace('</date><cost>', '<cost></date>')), 'unexpected element'],
  ['a prefix that is not declared', listOf('<x:ApiSelect/>'), 'unbound namespace prefix'],
  ['end tags of another prefix', listOf(RECORD).replace(/<\/soap:/g, '</s:'), 'not well-formed XML'],
  [
    'end tags of another declared prefix',
    listOf(RECORD)
      .replace(/<\/soap:/g, '</s:')
      .replace('<soap:Envelope ', `<soap:Envelope xmlns:s="${ENVELOPE_NAMESPACES['1.1']}" `),
    'not well-formed XML',
  ],
  ['a list that is not closed', listOf(RECORD).replace('</SelectByApikeyResult>', ''), 'the list contains'],
  [
    'a list that is closed twice',
    listOf(RECORD).replace('<status>200', '</SelectByApikeyResult><status>200'),
    'SelectByApikeyResponse',
  ],
  ['a list that is closed and was not opened', select(`</SelectByApikeyResult>${STATUS}`), 'SelectByApikeyResponse'],
  [
    'a list that is closed as an empty one',
    listOf(RECORD).replace('</SelectByApikeyResult>', '<SelectByApikeyResult />'),
    'the list contains',
  ],
  ['an end tag of another prefix', listOf().replace('</soap:Envelope>', '</s:Envelope>'), 'not well-formed XML'],
  ['the same attribute twice', listOf(RECORD.replace('<ApiSelect>', '<ApiSelect a="1" a="2">')), 'not well-formed XML'],
  [
    'the same declaration twice',
    listOf(RECORD).replace('<soap:Envelope ', '<soap:Envelope xmlns:a="urn:a" xmlns:a="urn:a" '),
    'not well-formed XML',
  ],
  [
    'the namespace of xml under another prefix',
    listOf(RECORD).replace('<soap:Envelope ', '<soap:Envelope xmlns:a="http://www.w3.org/XML/1998/namespace" '),
    'not well-formed XML',
  ],
  [
    'the namespace of xmlns under another prefix',
    listOf(RECORD).replace('<soap:Envelope ', '<soap:Envelope xmlns:a="http://www.w3.org/2000/xmlns/" '),
    'not well-formed XML',
  ],
  [
    'the namespace of xml as the default',
    listOf(RECORD).replace('<soap:Envelope ', '<soap:Envelope xmlns="http://www.w3.org/XML/1998/namespace" '),
    'not well-formed XML',
  ],
  ['two envelopes', listOf(RECORD) + listOf(RECORD).replace(/<\?.*?\?>/, ''), 'not well-formed XML'],
  ['text after the envelope', `${listOf(RECORD)}x`, 'not well-formed XML'],
  ['a zero byte after the envelope', `${listOf(RECORD)}\0`, 'not well-formed XML'],
  ['a form feed after the envelope', `${listOf(RECORD)}\f`, 'not well-formed XML'],
  ['a vertical tab after the envelope', `${listOf(RECORD)}\n\v`, 'not well-formed XML'],
  ['a no-break space after the envelope', `${listOf(RECORD)}\u00a0`, 'not well-formed XML'],
  ['half a no-break space after the envelope', Buffer.from(`${listOf(RECORD)}\u00a0`, 'latin1'), 'not valid utf-8'],
  ['a comment with --', listOf('<!-- a -- b -->'), 'not well-formed XML'],
  ...[0x00, 0x01, 0x08, 0x0b, 0x0c, 0x0e, 0x1f].map(
    (code) =>
      [
        `the raw control character ${code}`,
        listOf(RECORD, RECORD.replace('>m<', `>a${String.fromCharCode(code)}<`)),
        `not well-formed XML: disallowed character. (${LIST_PATH}/ApiSelect[1]/message)`,
      ] as const,
  ),
  ['raw U+FFFE', withText('a\ufffe'), 'disallowed character'],
  [
    'raw U+FFFF in statusmessage',
    select('<status>1</status><statusmessage>\uffff</statusmessage>'),
    'disallowed character',
  ],
  ...[
    ['a lone continuation byte', [0x80]],
    ['a cut-off character', [0xd8]],
    ['an overlong slash', [0xc0, 0xaf]],
    ['a surrogate', [0xed, 0xa0, 0x80]],
    ['a code point beyond Unicode', [0xf4, 0x90, 0x80, 0x80]],
    ['the byte FF', [0xff]],
  ].map(([title, bytes]) => {
    const [before = '', after = ''] = listOf(RECORD, RECORD.replace('>m<', '>|<')).split('|');
    const body = Buffer.concat([Buffer.from(before), Buffer.from(bytes as number[]), Buffer.from(after)]);
    return [`${title} in UTF-8`, body, 'the body is not valid utf-8'] as const;
  }),
];

const rows = [...wrongElements, ...wrongValues, ...wrongXml].map(
  ([title, body, message, operation = 'SelectByApikey']) => [title, operation, body, message] as const,
);

test.each(rows)(
  'the error for an unreadable response names the problem and its place, in any pieces: %s',
  (_title, operation, body, message) => {
    const read = readResponse(operation, body);
    expect(read).toEqual({ error: expect.any(String) });
    expect(unquoted((read as { error: string }).error)).toContain(unquoted(message));
    expect(readWithSax(operation, body)).toEqual({ error: expect.any(String) });
    if (body.length > 10_000) return;
    expect(readResponse(operation, body, { cuts: Array.from(Buffer.from(body).keys()) })).toHaveProperty('error');
  },
);

test('a start tag with a million attributes is refused without delay', () => {
  const attributes = Array.from({ length: 1_000_000 }, (_, index) => ` a${index}="1"`).join('');
  const body = Buffer.from(select(`<a${attributes}/>${STATUS}`));
  const cuts = Array.from({ length: body.length >> 16 }, (_, index) => (index + 1) << 16);
  let read: unknown;
  const cost = cpuTime(() => {
    read = readResponse('SelectByApikey', body, { cuts });
  });
  expect(read).toEqual({ error: expect.stringContaining('attributes') });
  // Reading all of them takes five seconds.
  expect(cost).toBeLessThan(1000);
});

test('an attribute ref of another namespace is ignored, as any attribute', () => {
  expect(
    readResponse('SendSimpleByApikey', ids('<long ref="r1" xmlns:a="urn:a" a:href="#r1">5</long>')),
  ).toHaveProperty('response');
});

test.each(['x-unknown', 'utf-7', 'none'])(
  'a response whose XML declaration names the encoding %s is unreadable',
  (encoding) => {
    const body = listOf(RECORD).replace('encoding="utf-8"', `encoding="${encoding}"`);
    const error = `unknown encoding in the XML declaration: "${encoding}"`;
    expect(readResponse('SelectByApikey', body, { charset: 'UTF_8' })).toEqual({ error });
  },
);

test.each([
  ['a closing tag', `</${'x'.repeat(1_000_000)}>`],
  ['an undeclared prefix', `<${'x'.repeat(1_000_000)}:a/>`],
  ['an attribute that comes twice', `<a ${'x'.repeat(1_000_000)}="" ${'x'.repeat(1_000_000)}=""/>`],
  ['an entity', `&${'x'.repeat(1_000_000)};`],
  ['an element', `<${'x'.repeat(1_000_000)}/>`],
  ['a number', `<status>${'x'.repeat(1_000_000)}</status>`],
])('the message stays short when %s is a megabyte long', (_title, content) => {
  const read = readResponse('SelectByApikey', select(content));
  expect((read as { error: string }).error.length).toBeLessThan(1000);
});

const inNumber = (text: string) => select(`<status>${text}</status>`);
const inNamespace = (text: string) => envelope(`<a xmlns="${text}"/>`);

test.each<[string, string, (text: string) => string]>([
  ['in a number', 'canary-0123456789', inNumber],
  ['in a namespace', 'canary-0123456789', inNamespace],
  ['in an entity', 'canary-0123456789', (text) => select(`<status>1</status><statusmessage>&${text};</statusmessage>`)],
  ['in the name of an element', 'canary-0123456789', (text) => envelope(`<${'x'.repeat(40)}${text}/>`)],
  ['with quotes and a backslash in a number', '"canary"\\0123456789', inNumber],
  ['with quotes and a backslash in a namespace', '"canary"\\0123456789', inNamespace],
  ['with a line end in a number', 'canary\n0123456789', inNumber],
])('an API key %s of an unreadable response is shown neither whole nor in part', (_title, apiKey, write) => {
  const masker = createMasker(apiKey);
  // The key stands at every place where a message may be cut.
  for (let padding = 0; padding < 60; padding++) {
    const body = write(`${'x'.repeat(padding)}${apiKey.replaceAll('"', '&quot;')}`);
    const read = readResponse('SelectByApikey', body, { masker });
    expect(read).toEqual({ error: expect.not.stringContaining('canary') });
  }
});

test.each<[string, OperationName]>([
  ['SelectByApikey.11', 'SelectByApikey'],
  ['ReceiveByApikey.12', 'ReceiveByApikey'],
  ['SendSimpleByApikey.11', 'SendSimpleByApikey'],
  ['GetStatusByApikey.12', 'GetStatusByApikey'],
  ['RemainCreditByApiKey.11', 'RemainCreditByApiKey'],
  ['SendAdvance.12', 'SendAdvance'],
  ['result-control-characters.11', 'SelectByApikey'],
  ['result-null-record-null-fields-extremes.11', 'SelectByApikey'],
  ['throw-soapexception.12', 'SelectByApikey'],
])('the response %s of a real service is an error when it is cut off at any byte', (name, operation) => {
  const { body } = responseFixture(name);
  expect(readResponse(operation, body)).not.toHaveProperty('error');
  for (let length = 0; length < body.length; length += placeStep) {
    // Each expectation costs more than a reading.
    if (!('error' in readResponse(operation, body.subarray(0, length)))) expect(length).toBe(body.length);
  }
});
