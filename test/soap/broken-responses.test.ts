import type { MessagingClient, OperationName } from '../../src';
import { API_KEY, clientOf } from '../support/client';
import { cpuTime } from '../support/cost';
import { ENVELOPE_NAMESPACES, envelope, NAMESPACE, responseEnvelope } from '../support/envelopes';
import { responseFixture } from '../support/fixtures';
import { httpResponse } from '../support/http-response';
import { failureOf } from '../support/outcomes';
import { type RawServer, serve } from '../support/raw-server';
import { readResponse, readWithSax } from '../support/reading';

const STATUS = '<status>200</status><statusmessage>ok</statusmessage>';
const RECORD =
  '<ApiSelect><messageid>1</messageid><message>m</message><status>2</status><date>3</date><cost>4</cost></ApiSelect>';
const select = (content: string) => responseEnvelope('SelectByApikey', content);
const listOf = (...records: string[]) =>
  select(`<SelectByApikeyResult>${records.join('')}</SelectByApikeyResult>${STATUS}`);
const credit = (content: string) => responseEnvelope('RemainCreditByApiKey', content);
const ids = (content: string) =>
  responseEnvelope('SendSimpleByApikey', `<SendSimpleByApikeyResult>${content}</SendSimpleByApikeyResult>${STATUS}`);
const nested = (depth: number) => select(`${'<a>'.repeat(depth)}${'</a>'.repeat(depth)}${STATUS}`);
const LIST_PATH = 'in Envelope/Body/SelectByApikeyResponse/SelectByApikeyResult';

const BROKEN: readonly (readonly [string, OperationName, string | Buffer, string])[] = [
  ['an empty body', 'SelectByApikey', '', 'the body is empty'],
  ['only a byte order mark', 'SelectByApikey', '\ufeff', 'must contain a root element'],
  ['only white space', 'SelectByApikey', ' \n', 'must contain a root element'],
  [
    'an HTML page',
    'SelectByApikey',
    '<html><body>Sign in</body></html>',
    'the root element is html in namespace "", not a SOAP envelope',
  ],
  [
    'an HTML page with a document type',
    'SelectByApikey',
    '<!DOCTYPE html><html></html>',
    'a document type declaration is not allowed',
  ],
  ['JSON', 'SelectByApikey', '{"status":200}', 'not well-formed XML'],
  ['plain text', 'SelectByApikey', 'OK', 'not well-formed XML'],
  [
    'an envelope of another namespace',
    'SelectByApikey',
    listOf().replace(ENVELOPE_NAMESPACES['1.1'], 'urn:soap'),
    'the root element is Envelope in namespace "urn:soap", not a SOAP envelope',
  ],
  [
    'an envelope without a namespace',
    'SelectByApikey',
    '<Envelope><Body/></Envelope>',
    'the root element is Envelope in namespace ""',
  ],
  ['an empty Body', 'SelectByApikey', envelope(''), 'the envelope contains no SelectByApikeyResponse'],
  [
    'no Body',
    'SelectByApikey',
    envelope('').replace('<soap:Body></soap:Body>', ''),
    'the envelope contains no SelectByApikeyResponse',
  ],
  [
    'the response in a Header',
    'SelectByApikey',
    listOf().replaceAll('soap:Body', 'soap:Header'),
    'the envelope contains no SelectByApikeyResponse',
  ],
  [
    "another operation's response",
    'SelectByApikey',
    credit(STATUS),
    `the body contains RemainCreditByApiKeyResponse in namespace "${NAMESPACE}", not SelectByApikeyResponse in namespace "${NAMESPACE}" (in Envelope/Body)`,
  ],
  [
    'the request echoed',
    'SelectByApikey',
    envelope(`<SelectByApikey xmlns="${NAMESPACE}"/>`),
    'the body contains SelectByApikey in namespace',
  ],
  [
    'a response in another namespace',
    'SelectByApikey',
    listOf().replace(`xmlns="${NAMESPACE}"`, 'xmlns="http://messaging.example"'),
    'the body contains SelectByApikeyResponse in namespace "http://messaging.example", not',
  ],
  [
    'a response without a namespace',
    'SelectByApikey',
    listOf().replace(` xmlns="${NAMESPACE}"`, ''),
    'the body contains SelectByApikeyResponse in namespace "", not',
  ],
  [
    'no status',
    'SelectByApikey',
    select('<SelectByApikeyResult/><statusmessage/>'),
    'status is missing (in Envelope/Body/SelectByApikeyResponse)',
  ],
  ['a status in another namespace only', 'SelectByApikey', select('<status xmlns="">200</status>'), 'status'],
  [
    'a status in another namespace beside the right one',
    'SelectByApikey',
    select(`<status xmlns="urn:other">500</status>${STATUS}`),
    'urn:other',
  ],
  [
    'a result in another namespace, which would be an empty list',
    'SelectByApikey',
    select(`<SelectByApikeyResult xmlns="urn:other">${RECORD}</SelectByApikeyResult>${STATUS}`),
    'urn:other',
  ],
  [
    'a record in another namespace, which would vanish',
    'SelectByApikey',
    listOf(RECORD, RECORD.replace('<ApiSelect>', '<ApiSelect xmlns="urn:other">')),
    'urn:other',
  ],
  [
    'a record without a namespace',
    'SelectByApikey',
    listOf(RECORD.replace('<ApiSelect>', '<ApiSelect xmlns="">'), RECORD),
    'ApiSelect',
  ],
  [
    'a field of a record in another namespace, which would vanish',
    'SelectByApikey',
    listOf(RECORD.replace('<message>', '<message xmlns="urn:other">')),
    'urn:other',
  ],
  [
    'a record of another kind in a list',
    'SelectByApikey',
    listOf(RECORD, RECORD.replaceAll('ApiSelect', 'ApiReceive')),
    'ApiReceive',
  ],
  ['an element in a list that is no item', 'SelectByApikey', listOf('<more/>', RECORD), 'more'],
  ['an item of another type in a list of longs', 'SendSimpleByApikey', ids('<long>1</long><int>2</int>'), 'int'],
  [
    'an empty status',
    'SelectByApikey',
    select('<status/>'),
    '"" is not an xsd:int (in Envelope/Body/SelectByApikeyResponse/status)',
  ],
  ['a nil status', 'SelectByApikey', select('<status xsi:nil="true"/>'), 'status is missing'],
  [
    'a status that is no number',
    'SelectByApikey',
    select('<status>OK</status>'),
    '"OK" is not an xsd:int (in Envelope/Body/SelectByApikeyResponse/status)',
  ],
  ['a status beyond int', 'SelectByApikey', select('<status>2147483648</status>'), '"2147483648" is not an xsd:int'],
  ['a status below int', 'SelectByApikey', select('<status>-2147483649</status>'), '"-2147483649" is not an xsd:int'],
  [
    'a status of a thousand digits',
    'SelectByApikey',
    select(`<status>${'9'.repeat(1000)}</status>`),
    `"${'9'.repeat(40)}…" is not an xsd:int`,
  ],
  [
    'a record without its messageid',
    'SelectByApikey',
    listOf(RECORD, RECORD.replace(/<messageid>.*<\/messageid>/, '')),
    `messageid is missing (${LIST_PATH}/ApiSelect[1])`,
  ],
  [
    'a record without its cost',
    'SelectByApikey',
    listOf(RECORD.replace('<cost>4</cost>', '')),
    `cost is missing (${LIST_PATH}/ApiSelect[0])`,
  ],
  [
    'a record with a nil number',
    'SelectByApikey',
    listOf(RECORD.replace('<cost>4</cost>', '<cost xsi:nil="true"/>')),
    `cost is missing (${LIST_PATH}/ApiSelect[0])`,
  ],
  ['an empty record', 'SelectByApikey', listOf('<ApiSelect/>'), `messageid is missing (${LIST_PATH}/ApiSelect[0])`],
  [
    'a record that has the letter y for its numbers',
    'SelectByApikey',
    listOf(RECORD, '<ApiSelect>y<message>m</message>yyy</ApiSelect>'),
    `messageid is missing (${LIST_PATH}/ApiSelect[1])`,
  ],
  [
    'a record that has the letter y for one number',
    'SelectByApikey',
    listOf(RECORD.replace('<cost>4</cost>', 'y')),
    `cost is missing (${LIST_PATH}/ApiSelect[0])`,
  ],
  [
    'a messageid that is no number',
    'SelectByApikey',
    listOf(RECORD.repeat(3), RECORD.replace('>1<', '>1a<')),
    `"1a" is not an xsd:long (${LIST_PATH}/ApiSelect[3]/messageid)`,
  ],
  [
    'an empty date',
    'SelectByApikey',
    listOf(RECORD.replace('>3<', '><')),
    `"" is not an xsd:long (${LIST_PATH}/ApiSelect[0]/date)`,
  ],
  [
    'a cost with a fraction',
    'SelectByApikey',
    listOf(RECORD.replace('>4<', '>4.0<')),
    `"4.0" is not an xsd:int (${LIST_PATH}/ApiSelect[0]/cost)`,
  ],
  [
    'a cost beyond int',
    'SelectByApikey',
    listOf(RECORD.replace('>4<', '>2147483648<')),
    '"2147483648" is not an xsd:int',
  ],
  ['a nil long', 'SendSimpleByApikey', ids('<long>1</long><long xsi:nil="true"/>'), 'long[1] is nil, not an xsd:long'],
  [
    'an empty long',
    'SendSimpleByApikey',
    ids('<long>1</long><long/>'),
    '"" is not an xsd:long (in Envelope/Body/SendSimpleByApikeyResponse/SendSimpleByApikeyResult/long[1])',
  ],
  [
    'an element inside a long, without which the long would be another',
    'SendSimpleByApikey',
    ids('<long>1</long><long>90071<b>9925</b>4740993</long>'),
    `unexpected element b in namespace "${NAMESPACE}" (in Envelope/Body/SendSimpleByApikeyResponse/SendSimpleByApikeyResult/long[1])`,
  ],
  [
    'an empty element inside the single long',
    'RemainCreditByApiKey',
    credit(`<RemainCreditByApiKeyResult>12<b/>34</RemainCreditByApiKeyResult>${STATUS}`),
    'unexpected element "b" in namespace "http://messaging.example/" (in Envelope/Body/RemainCreditByApiKeyResponse/RemainCreditByApiKeyResult)',
  ],
  [
    'an element inside a text',
    'SelectByApikey',
    listOf(RECORD.replace('>m<', '>your code is <b>1234</b><')),
    `unexpected element "b" in namespace "http://messaging.example/" (${LIST_PATH}/ApiSelect[0]/message)`,
  ],
  [
    'an element inside the statusmessage',
    'SelectByApikey',
    select('<status>200</status><statusmessage><status>1</status></statusmessage>'),
    'unexpected element',
  ],
  [
    'a list that holds its items as text',
    'SendSimpleByApikey',
    ids('9007199254740993 9007199254740994'),
    'unexpected text "9007199254740993 9007199254740994" (in Envelope/Body/SendSimpleByApikeyResponse/SendSimpleByApikeyResult)',
  ],
  [
    'a list that holds its items as CDATA',
    'SendSimpleByApikey',
    ids('<![CDATA[<long>9007199254740993</long>]]>'),
    'unexpected text',
  ],
  [
    'text between the items of a list',
    'SendSimpleByApikey',
    ids('<long>1</long>x<long>2</long>'),
    'unexpected text "x" (in Envelope/Body/SendSimpleByApikeyResponse/SendSimpleByApikeyResult/after long[0])',
  ],
  ...['<long>7</long>', '7', '<![CDATA[7]]>'].map(
    (content) =>
      [
        `a nil list that holds ${content}`,
        'SendSimpleByApikey',
        responseEnvelope(
          'SendSimpleByApikey',
          `<SendSimpleByApikeyResult xsi:nil="true">${content}</SendSimpleByApikeyResult>${STATUS}`,
        ),
        'unexpected ',
      ] as const,
  ),
  [
    'a nil record that holds its fields',
    'SelectByApikey',
    listOf(RECORD, RECORD.replace('<ApiSelect>', '<ApiSelect xsi:nil="true">')),
    `unexpected element messageid in namespace "${NAMESPACE}" (${LIST_PATH}/ApiSelect[1])`,
  ],
  [
    'a nil text that is not empty',
    'SelectByApikey',
    listOf(RECORD.replace('<message>', '<message xsi:nil="true">')),
    `unexpected text "m" (${LIST_PATH}/ApiSelect[0]/message)`,
  ],
  [
    'a nil status before the right one, of which the first counts',
    'SelectByApikey',
    select(`<status xsi:nil="true"/>${STATUS}`),
    'status is missing',
  ],
  [
    'a list that is somewhere else',
    'SendSimpleByApikey',
    responseEnvelope('SendSimpleByApikey', `<SendSimpleByApikeyResult href="#id1"/>${STATUS}`),
    'SendSimpleByApikeyResult refers to its content by href, which is not supported (in Envelope/Body/SendSimpleByApikeyResponse)',
  ],
  [
    'an item that is somewhere else',
    'SelectByApikey',
    listOf(RECORD, '<ApiSelect href="#id1" xsi:nil="true"/>'),
    'ApiSelect refers to its content by href, which is not supported',
  ],
  [
    'a text that is somewhere else',
    'SelectByApikey',
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
        'SendSimpleByApikey',
        ids(`<long>${digits}</long>`),
        `${JSON.stringify(digits)} is not an xsd:long`,
      ] as const,
  ),
  [
    'the single long beyond its range',
    'RemainCreditByApiKey',
    credit(`<RemainCreditByApiKeyResult>9223372036854775808</RemainCreditByApiKeyResult>${STATUS}`),
    '"9223372036854775808" is not an xsd:long (in Envelope/Body/RemainCreditByApiKeyResponse/RemainCreditByApiKeyResult)',
  ],
  [
    'a document type',
    'SelectByApikey',
    listOf().replace('?>', '?><!DOCTYPE x>'),
    'a document type declaration is not allowed',
  ],
  [
    'entities that blow up',
    'SelectByApikey',
    listOf(RECORD.replace('>m<', '>&b;<')).replace(
      '?>',
      '?><!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;">]>',
    ),
    'a document type declaration is not allowed',
  ],
  [
    'an external entity',
    'SelectByApikey',
    listOf(RECORD.replace('>m<', '>&b;<')).replace('?>', '?><!DOCTYPE x [<!ENTITY b SYSTEM "file:///etc/hostname">]>'),
    'a document type declaration is not allowed',
  ],
  [
    'an unknown entity',
    'SelectByApikey',
    listOf(RECORD.replace('>m<', '>&nbsp;<')),
    `&nbsp; is not a known reference (${LIST_PATH}/ApiSelect[0]/message)`,
  ],
  [
    'an unknown entity in statusmessage',
    'SelectByApikey',
    select('<status>1</status><statusmessage>a &b; c</statusmessage>'),
    '&b; is not a known reference',
  ],
  [
    'a name that every object has as an entity',
    'SelectByApikey',
    listOf(RECORD.replace('>m<', '>&constructor;<')),
    '&constructor; is not a known reference',
  ],
  ['a bare &', 'SelectByApikey', listOf(RECORD.replace('>m<', '>a & b<')), 'not well-formed XML'],
  ['an & at the end of a text', 'SelectByApikey', listOf(RECORD.replace('>m<', '>a&<')), 'not well-formed XML'],
  ['a reference without its end', 'SelectByApikey', listOf(RECORD.replace('>m<', '>&#65<')), 'not well-formed XML'],
  ['an empty reference', 'SelectByApikey', listOf(RECORD.replace('>m<', '>&;<')), 'not well-formed XML'],
  [
    'a number reference without digits',
    'SelectByApikey',
    listOf(RECORD.replace('>m<', '>&#;<')),
    '&#; is not a known reference',
  ],
  [
    'a reference beyond Unicode',
    'SelectByApikey',
    listOf(RECORD.replace('>m<', '>&#x110000;<')),
    '&#x110000; is not a known reference',
  ],
  [
    'a reference of a thousand digits',
    'SelectByApikey',
    listOf(RECORD.replace('>m<', `>&#${'9'.repeat(1000)};<`)),
    'not well-formed XML: &#9999',
  ],
  [
    'a reference with a capital X',
    'SelectByApikey',
    listOf(RECORD.replace('>m<', '>&#X41;<')),
    '&#X41; is not a known reference',
  ],
  ['a raw ]]>', 'SelectByApikey', listOf(RECORD.replace('>m<', '>]]><')), 'not well-formed XML'],
  ['a raw <', 'SelectByApikey', listOf(RECORD.replace('>m<', '>1 < 2<')), 'not well-formed XML'],
  [
    'a text with a tag that closes another',
    'SelectByApikey',
    listOf(RECORD.replace('>m<', '>a</b><')),
    'not well-formed XML',
  ],
  [
    'elements that overlap',
    'SelectByApikey',
    listOf(RECORD.replace('</date><cost>', '<cost></date>')),
    'unexpected element',
  ],
  ['a prefix that is not declared', 'SelectByApikey', listOf('<x:ApiSelect/>'), 'unbound namespace prefix'],
  ['end tags of another prefix', 'SelectByApikey', listOf(RECORD).replace(/<\/soap:/g, '</s:'), 'not well-formed XML'],
  [
    'end tags of another declared prefix',
    'SelectByApikey',
    listOf(RECORD)
      .replace(/<\/soap:/g, '</s:')
      .replace('<soap:Envelope ', `<soap:Envelope xmlns:s="${ENVELOPE_NAMESPACES['1.1']}" `),
    'not well-formed XML',
  ],
  [
    'a list that is not closed',
    'SelectByApikey',
    listOf(RECORD).replace('</SelectByApikeyResult>', ''),
    'the list contains',
  ],
  [
    'a list that is closed twice',
    'SelectByApikey',
    listOf(RECORD).replace('<status>200', '</SelectByApikeyResult><status>200'),
    'SelectByApikeyResponse',
  ],
  [
    'a list that is closed and was not opened',
    'SelectByApikey',
    select(`</SelectByApikeyResult>${STATUS}`),
    'SelectByApikeyResponse',
  ],
  [
    'a list that is closed as an empty one',
    'SelectByApikey',
    listOf(RECORD).replace('</SelectByApikeyResult>', '<SelectByApikeyResult />'),
    'the list contains',
  ],
  [
    'an end tag of another prefix',
    'SelectByApikey',
    listOf().replace('</soap:Envelope>', '</s:Envelope>'),
    'not well-formed XML',
  ],
  [
    'the same attribute twice',
    'SelectByApikey',
    listOf(RECORD.replace('<ApiSelect>', '<ApiSelect a="1" a="2">')),
    'not well-formed XML',
  ],
  [
    'the same declaration twice',
    'SelectByApikey',
    listOf(RECORD).replace('<soap:Envelope ', '<soap:Envelope xmlns:a="urn:a" xmlns:a="urn:a" '),
    'not well-formed XML',
  ],
  [
    'the namespace of xml under another prefix',
    'SelectByApikey',
    listOf(RECORD).replace('<soap:Envelope ', '<soap:Envelope xmlns:a="http://www.w3.org/XML/1998/namespace" '),
    'not well-formed XML',
  ],
  [
    'the namespace of xmlns under another prefix',
    'SelectByApikey',
    listOf(RECORD).replace('<soap:Envelope ', '<soap:Envelope xmlns:a="http://www.w3.org/2000/xmlns/" '),
    'not well-formed XML',
  ],
  [
    'the namespace of xml as the default',
    'SelectByApikey',
    listOf(RECORD).replace('<soap:Envelope ', '<soap:Envelope xmlns="http://www.w3.org/XML/1998/namespace" '),
    'not well-formed XML',
  ],
  ['two envelopes', 'SelectByApikey', listOf(RECORD) + listOf(RECORD).replace(/<\?.*?\?>/, ''), 'not well-formed XML'],
  ['text after the envelope', 'SelectByApikey', `${listOf(RECORD)}x`, 'not well-formed XML'],
  ['a zero byte after the envelope', 'SelectByApikey', `${listOf(RECORD)}\0`, 'not well-formed XML'],
  ['a form feed after the envelope', 'SelectByApikey', `${listOf(RECORD)}\f`, 'not well-formed XML'],
  ['a vertical tab after the envelope', 'SelectByApikey', `${listOf(RECORD)}\n\v`, 'not well-formed XML'],
  ['a no-break space after the envelope', 'SelectByApikey', `${listOf(RECORD)}\u00a0`, 'not well-formed XML'],
  [
    'half a no-break space after the envelope',
    'SelectByApikey',
    Buffer.from(`${listOf(RECORD)}\u00a0`, 'latin1'),
    'not valid utf-8',
  ],
  ['white space before the declaration', 'SelectByApikey', ` ${listOf(RECORD)}`, 'not well-formed XML'],
  ['a comment with --', 'SelectByApikey', listOf('<!-- a -- b -->'), 'not well-formed XML'],
  [
    'elements nested beyond the limit in what is passed over',
    'SelectByApikey',
    nested(200),
    'elements are nested more than 100 deep',
  ],
  ['a million nested elements', 'SelectByApikey', nested(1_000_000), 'elements are nested more than 100 deep'],
  [
    'elements nested beyond the limit in a fault',
    'SelectByApikey',
    envelope(`<soap:Fault><detail>${'<a>'.repeat(200)}${'</a>'.repeat(200)}</detail></soap:Fault>`),
    'elements are nested more than 100 deep',
  ],
  [
    'elements nested beyond the limit in a header',
    'SelectByApikey',
    listOf(RECORD).replace(
      '<soap:Body>',
      `<soap:Header>${'<a>'.repeat(200)}${'</a>'.repeat(200)}</soap:Header><soap:Body>`,
    ),
    'elements are nested more than 100 deep',
  ],
  ...[0x00, 0x01, 0x08, 0x0b, 0x0c, 0x0e, 0x1f].map(
    (code) =>
      [
        `the raw control character ${code}`,
        'SelectByApikey',
        listOf(RECORD, RECORD.replace('>m<', `>a${String.fromCharCode(code)}<`)),
        `not well-formed XML: disallowed character. (${LIST_PATH}/ApiSelect[1]/message)`,
      ] as const,
  ),
  ['raw U+FFFE', 'SelectByApikey', listOf(RECORD.replace('>m<', '>a\ufffe<')), 'disallowed character'],
  [
    'raw U+FFFF in statusmessage',
    'SelectByApikey',
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
    return [`${title} in UTF-8`, 'SelectByApikey', body, 'the body is not valid utf-8'] as const;
  }),
];

/** Which words of a message stand in quotes is no promise. */
function unquoted(message: string): string {
  return message.replaceAll('"', '');
}

describe('a broken response is an error that says where', () => {
  test.each(BROKEN)(
    'the error for a broken response names the problem and its place: %s',
    (_title, operation, body, message) => {
      const read = readResponse(operation, body);
      expect(read).toEqual({ error: expect.any(String) });
      expect(unquoted((read as { error: string }).error)).toContain(unquoted(message));
      expect(readWithSax(operation, body)).toEqual({ error: expect.any(String) });
    },
  );

  test.each(BROKEN.filter(([, , body]) => body.length < 10_000))(
    'a broken response that arrives one byte at a time is an error: %s',
    (_title, operation, body) => {
      const cuts = Array.from(Buffer.from(body).keys());
      expect(readResponse(operation, body, { cuts })).toHaveProperty('error');
    },
  );
});

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

describe('over a socket', () => {
  let server: RawServer;
  let client: MessagingClient;
  let body: string | Buffer;
  let contentType: string;
  beforeAll(async () => {
    server = await serve(() => httpResponse({ headers: { 'Content-Type': contentType }, body: body }));
    client = clientOf(server);
  });
  beforeEach(() => {
    contentType = 'text/xml; charset=utf-8';
  });

  const titles = [
    'an empty body',
    'an HTML page',
    'no status',
    'a million nested elements',
    'a lone continuation byte in UTF-8',
  ];

  test.each(BROKEN.filter(([title]) => titles.includes(title)))(
    'a response with %s rejects with a ResponseError',
    async (_title, _operation, bytes, message) => {
      body = bytes;
      const error = await failureOf(client.select({ messageid: [1] }));
      expect(error).toMatchObject({
        name: 'ResponseError',
        outcome: 'unknown',
        operation: 'SelectByApikey',
        message: expect.stringContaining(`SelectByApikey: `),
      });
      expect(unquoted((error as Error).message)).toContain(unquoted(message));
      expect((error as { body: string }).body.length).toBeLessThanOrEqual(1000);
    },
  );

  test('a truncated response rejects with a ResponseError, and never gives a result', async () => {
    const whole = responseFixture('SendSimpleByApikey.11').body;
    for (let length = 0; length < whole.length; length += 50) {
      body = whole.subarray(0, length);
      const error = await failureOf(
        client.sendSimple({ sender: '1', message: 'm', receptor: ['1'], unixdate: 0, msgmode: 0 }),
      );
      expect(error).toMatchObject({ name: 'ResponseError', outcome: 'unknown' });
    }
    body = whole;
    expect(await client.sendSimple({ sender: '1', message: 'm', receptor: ['1'], unixdate: 0, msgmode: 0 })).toEqual([
      9007199254740993n,
      9007199254740994n,
    ]);
  });

  test.each(['x-unknown', 'utf-7', 'none'])(
    'a response with the unknown charset %s rejects with a ResponseError',
    async (charset) => {
      contentType = `text/xml; charset=${charset}`;
      body = listOf(RECORD);
      expect(await failureOf(client.select({ messageid: [1] }))).toMatchObject({
        name: 'ResponseError',
        message: expect.stringMatching(/^SelectByApikey: the encoding .* is not known/),
      });
    },
  );

  test('a response whose bytes are not in the charset of its header rejects with a ResponseError', async () => {
    contentType = 'text/xml; charset=utf-8';
    body = Buffer.from(select('<status>1</status><statusmessage>d\xe9j\xe0</statusmessage>'), 'latin1');
    expect(await failureOf(client.select({ messageid: [1] }))).toMatchObject({
      name: 'ResponseError',
      message: 'SelectByApikey: the body is not valid utf-8',
    });
  });

  test.each([
    ['RemainCreditByApiKey', (client: MessagingClient) => client.remainCredit()],
    [
      'SendAdvance',
      (client: MessagingClient) =>
        client.sendAdvance({
          sender: '',
          message: '',
          encoding: 0,
          receptor: '',
          unixdate: 0,
          messagemode: 0,
          fallbackurl: '',
          clientmessageid: '',
        }),
    ],
  ] as const)('%s rejects with a ResponseError when it succeeds without its result', async (operation, call) => {
    for (const result of ['', `<${operation}Result xsi:nil="true"/>`]) {
      body = responseEnvelope(operation, result + STATUS);
      expect(await failureOf(call(client))).toMatchObject({
        name: 'ResponseError',
        message: `${operation}: ${operation}Result is missing`,
      });
    }
  });

  test.each([
    ['a closing tag', `</${'x'.repeat(1_000_000)}>`],
    ['an undeclared prefix', `<${'x'.repeat(1_000_000)}:a/>`],
    ['an attribute that comes twice', `<a ${'x'.repeat(1_000_000)}="" ${'x'.repeat(1_000_000)}=""/>`],
    ['an entity', `&${'x'.repeat(1_000_000)};`],
    ['an element', `<${'x'.repeat(1_000_000)}/>`],
    ['a number', `<status>${'x'.repeat(1_000_000)}</status>`],
  ])('the message stays short when %s is a megabyte long', async (_title, content) => {
    body = select(content);
    const error = (await failureOf(client.select({ messageid: [1] }))) as Error;
    expect(error).toMatchObject({ name: 'ResponseError' });
    expect(error.message.length).toBeLessThan(1000);
  });

  test('a refusing status takes precedence over a missing result', async () => {
    body = credit('<status>418</status><statusmessage>no</statusmessage>');
    expect(await failureOf(client.remainCredit())).toMatchObject({
      name: 'StatusError',
      status: 418,
      result: undefined,
    });
  });

  test('the error for a response that repeats the request shows no API key', async () => {
    body = envelope(`<SelectByApikey xmlns="${NAMESPACE}"><apikey>key &amp; &lt;secret&gt;</apikey></SelectByApikey>`);
    const error = (await failureOf(client.select({ messageid: [1] }))) as { body: string };
    expect(error.body).toContain('<apikey>***</apikey>');
    expect(error.body).not.toContain(API_KEY);
  });

  test.each<[string, (text: string) => Buffer]>([
    ['little-endian', (text) => Buffer.from(`\ufeff${text}`, 'utf16le')],
    ['big-endian', (text) => Buffer.from(`\ufeff${text}`, 'utf16le').swap16()],
  ])('the body of an error in %s UTF-16 that only its byte order mark shows has no API key', async (_title, encode) => {
    contentType = 'text/xml';
    const caller = clientOf(server, { apiKey: 'canary-0123456789' });
    body = encode(envelope(`<SelectByApikey xmlns="${NAMESPACE}"><apikey>canary-0123456789</apikey></SelectByApikey>`));
    const error = (await failureOf(caller.select({ messageid: [1] }))) as { body: string };
    expect(error).toMatchObject({ name: 'ResponseError' });
    expect(error.body.replaceAll('\0', '')).not.toContain('canary');
  });

  const inNumber = (text: string) => select(`<status>${text}</status>`);
  const inNamespace = (text: string) => envelope(`<a xmlns="${text}"/>`);

  test.each<[string, string, (text: string) => string]>([
    ['in a number', 'canary-0123456789', inNumber],
    ['in a namespace', 'canary-0123456789', inNamespace],
    [
      'in an entity',
      'canary-0123456789',
      (text) => select(`<status>1</status><statusmessage>&${text};</statusmessage>`),
    ],
    ['in the name of an element', 'canary-0123456789', (text) => envelope(`<${'x'.repeat(40)}${text}/>`)],
    ['with quotes and a backslash in a number', '"canary"\\0123456789', inNumber],
    ['with quotes and a backslash in a namespace', '"canary"\\0123456789', inNamespace],
    ['with a line end in a number', 'canary\n0123456789', inNumber],
  ])('an API key %s is shown neither whole nor in part', async (_title, apiKey, write) => {
    const caller = clientOf(server, { apiKey });
    // The key stands at every place where a message may be cut.
    for (let padding = 0; padding < 60; padding++) {
      body = write(`${'x'.repeat(padding)}${apiKey.replaceAll('"', '&quot;')}`);
      const error = (await failureOf(caller.select({ messageid: [1] }))) as Error;
      expect(error).toMatchObject({ name: 'ResponseError' });
      expect(error.message).not.toContain('canary');
    }
  });
});

describe.each<[string, OperationName]>([
  ['SelectByApikey.11', 'SelectByApikey'],
  ['ReceiveByApikey.12', 'ReceiveByApikey'],
  ['SendSimpleByApikey.11', 'SendSimpleByApikey'],
  ['GetStatusByApikey.12', 'GetStatusByApikey'],
  ['RemainCreditByApiKey.11', 'RemainCreditByApiKey'],
  ['SendAdvance.12', 'SendAdvance'],
  ['result-control-characters.11', 'SelectByApikey'],
  ['result-null-record-null-fields-extremes.11', 'SelectByApikey'],
  ['throw-soapexception.12', 'SelectByApikey'],
])('the response %s of a real service', (name, operation) => {
  const { body } = responseFixture(name);

  test(`the response ${name} of a real service is an error when it is cut off at any byte`, () => {
    expect(readResponse(operation, body)).not.toHaveProperty('error');
    for (let length = 0; length < body.length; length++) {
      // Each expectation costs more than a reading.
      if (!('error' in readResponse(operation, body.subarray(0, length)))) expect(length).toBe(body.length);
    }
  });
});
