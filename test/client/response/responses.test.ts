import type { MessagingClient } from '../../../src';
import { clientOf, respondWithSuccess } from '../../support/client';
import { SAMPLES } from '../../support/contract';
import { usedHeap } from '../../support/cost';
import { ENVELOPE_NAMESPACES, envelope, NAMESPACE, responseEnvelope, XSI } from '../../support/envelopes';
import { responseFixture } from '../../support/fixtures';
import { httpResponse } from '../../support/http-response';
import { type RawServer, serve } from '../../support/raw-server';
import { readResponse, readWithSax, responseIn } from '../../support/reading';

const STATUS = '<status>200</status><statusmessage>ok</statusmessage>';
const RECORDS =
  '<ReceiveByApikeyResult>' +
  '<ApiReceive><messageid>9007199254740993</messageid><message>سلام &lt;b&gt;&amp; 😀</message><sender>0912</sender>' +
  '<receptor>3000</receptor><date>1600000000</date></ApiReceive>' +
  '<ApiReceive><messageid>-1</messageid><message /><date>0</date></ApiReceive>' +
  '</ReceiveByApikeyResult>';
const RECORDS_READ = {
  result: [
    { messageid: 9007199254740993n, message: 'سلام <b>& 😀', sender: '0912', receptor: '3000', date: 1600000000n },
    { messageid: -1n, message: '', date: 0n },
  ],
  status: 200,
  statusmessage: 'ok',
};
const PLAIN = responseEnvelope('ReceiveByApikey', RECORDS + STATUS);

describe('over a socket', () => {
  let server: RawServer;
  let client: MessagingClient;
  let response: Buffer;
  beforeAll(async () => {
    server = await serve(() => response);
    client = clientOf(server);
  });

  const text = '  سلام دنیا\u200c 😀 <b>&"\'</b> ]]> \n line2\ttab  ';
  const sent = { status: 1, statustext: 'queued', sender: '3000', date: 1795194098n, cost: 120 };
  const received = (index: bigint, message: string) => ({
    messageid: 9007199254750101n + 2n * index,
    message,
    sender: `0912000000${index}`,
    receptor: '3000',
    date: 1600000000n + index,
  });

  test.each<[string, (client: MessagingClient) => Promise<unknown>, unknown]>([
    [
      'SendSimpleByApikey.11',
      (client) => client.call('SendSimpleByApikey', SAMPLES.SendSimpleByApikey),
      { result: [9007199254740993n, 9007199254740994n], status: 200, statusmessage: 'ok' },
    ],
    [
      'SelectByApikey.11',
      (client) => client.select({ messageid: [] }),
      [
        { messageid: 9007199254740993n, message: text, ...sent, receptor: '09120000001' },
        { messageid: 9007199254740994n, message: text, ...sent, receptor: '09120000002' },
      ],
    ],
    [
      'ReceiveByApikey.12',
      (client) => client.receive({ lineNumber: '', isread: 0 }),
      [
        received(0n, 'hello'),
        received(1n, 'سلام دنیا\u200cی من'),
        received(2n, 'emoji 😀👨\u200d👩\u200d👧'),
        received(3n, '<b>&amp; "q" \'a\' ]]></b>'),
        received(4n, '  spaces  '),
        received(5n, 'l1\nl2\nl3\nl4\tt'),
        received(6n, ''),
      ],
    ],
    ['GetStatusByApikey.12', (client) => client.getStatus({ messageid: [] }), [13, 1, 100]],
    ['RemainCreditByApiKey.11', (client) => client.remainCredit(), 9007199254740995n],
    [
      'SendAdvance.12',
      (client) => client.call('SendAdvance', SAMPLES.SendAdvance),
      {
        result: 9007199254741002n,
        status: 200,
        statusmessage: '3000|2|09120000005|4102444800|1|http://x.example/?a=1&b=2|c-1',
      },
    ],
    ['result-null-longs.11', (client) => client.sendSimple(SAMPLES.SendSimpleByApikey), []],
    ['result-empty-longs.12', (client) => client.sendSimple(SAMPLES.SendSimpleByApikey), []],
    [
      'result-null-record-null-fields-extremes.11',
      (client) => client.select({ messageid: [] }),
      [
        { messageid: 0n, status: 0, date: 0n, cost: 0 },
        {
          messageid: -9223372036854775808n,
          message: '',
          status: -2147483648,
          statustext: '',
          sender: '',
          receptor: '',
          date: 9223372036854775807n,
          cost: 2147483647,
        },
      ],
    ],
    [
      'result-control-characters.11',
      (client) => client.select({ messageid: [] }),
      [{ messageid: -4n, message: 'a\u0001b\u000bc\u001fd\u007fe\u0085f\ufffeg', status: 0, date: 0n, cost: 0 }],
    ],
  ])('the response %s of a real service is read', async (name, call, expected) => {
    response = responseFixture(name).raw;
    expect(await call(client)).toEqual(expected);
  });

  test.each<[string, string, Buffer]>([
    ['charset=utf-8', 'text/xml; charset=utf-8', Buffer.from(PLAIN)],
    ['charset="UTF-8" in quotes', 'text/xml; charset="UTF-8"', Buffer.from(PLAIN)],
    ['no charset', 'text/xml', Buffer.from(PLAIN)],
    ['utf-8 with a byte order mark', 'text/xml; charset=utf-8', Buffer.from(`\ufeff${PLAIN}`)],
    ['charset=utf-16 with a little-endian mark', 'text/xml; charset=utf-16', Buffer.from(`\ufeff${PLAIN}`, 'utf16le')],
    [
      'charset=utf-16 with a big-endian mark',
      'text/xml; charset=utf-16',
      Buffer.from(`\ufeff${PLAIN}`, 'utf16le').swap16(),
    ],
    ['charset=utf-16le without a mark', 'text/xml; charset=utf-16le', Buffer.from(PLAIN, 'utf16le')],
    ['charset=utf-16be without a mark', 'text/xml; charset=utf-16be', Buffer.from(PLAIN, 'utf16le').swap16()],
    ...["'utf-8'", 'UTF_8', 'utf8mb4', 'none'].flatMap((label): [string, string, Buffer][] => {
      const contentType = `text/xml; charset=${label}`;
      return [
        [`the unknown charset ${label}`, contentType, Buffer.from(PLAIN)],
        [`the unknown charset ${label} and a byte order mark`, contentType, Buffer.from(`\ufeff${PLAIN}`, 'utf16le')],
      ];
    }),
    [
      'a charset and another one in the declaration, which counts less',
      'text/xml; charset=utf-8',
      Buffer.from(PLAIN.replace('encoding="utf-8"', 'encoding="iso-8859-1"')),
    ],
    [
      'a byte order mark and another charset, which counts less',
      'text/xml; charset=iso-8859-1',
      Buffer.from(`\ufeff${PLAIN}`),
    ],
  ])('a response with %s is read', async (_title, contentType, body) => {
    response = httpResponse({ headers: { 'Content-Type': contentType }, body: body });
    expect(await client.receive({ lineNumber: '', isread: 0 })).toEqual(RECORDS_READ.result);
  });

  test('an envelope of the other SOAP version is read', async () => {
    response = httpResponse({
      headers: { 'Content-Type': 'application/soap+xml' },
      body: responseEnvelope('ReceiveByApikey', RECORDS + STATUS, '1.2'),
    });
    expect(await client.receive({ lineNumber: '', isread: 0 })).toEqual(RECORDS_READ.result);
  });

  test('a response in a namespace with characters that XML must escape is read', async () => {
    const namespace = "http://provider.example/?a=1&b=<'2'>";
    const other = await serve(respondWithSuccess);
    const caller = clientOf(other, { namespace });
    expect(await caller.remainCredit()).toBe(9007199254740993n);
  });
});

describe('another spelling of the same response is read the same', () => {
  const unprefixed = RECORDS + STATUS;
  const prefixed = unprefixed.replace(/<(\/?)([A-Za-z])/g, '<$1m:$2');
  const pretty = (xml: string) => xml.replace(/></g, '>\r\n  <');

  test.each<[string, string]>([
    ['as an ASP.NET service writes it', PLAIN],
    ['without a declaration', PLAIN.replace(/<\?.*?\?>/, '')],
    ['with a standalone declaration', PLAIN.replace('"utf-8"?>', '"utf-8" standalone="yes" ?>\n')],
    [
      'with a declaration in single quotes',
      PLAIN.replace('version="1.0" encoding="utf-8"', "version='1.0' encoding='UTF-8'"),
    ],
    ['with a byte order mark', `\ufeff${PLAIN}`],
    ['after line breaks, as of a script', `\r\n\n \t${PLAIN}`],
    ['after a byte order mark and a line break', `\ufeff\n${PLAIN}`],
    ['after line breaks and two byte order marks', `\n\ufeff\n\ufeff${PLAIN}`],
    ['after many blanks', `${'\n'.repeat(1000)}${PLAIN}`],
    ['with other prefixes', PLAIN.replaceAll('soap:', 'SOAP-ENV:').replace('xmlns:soap', 'xmlns:SOAP-ENV')],
    ['with the envelope in the default namespace', PLAIN.replaceAll('soap:', '').replace('xmlns:soap', 'xmlns')],
    [
      'with a prefix on the payload',
      envelope(`<m:ReceiveByApikeyResponse xmlns:m="${NAMESPACE}">${prefixed}</m:ReceiveByApikeyResponse>`),
    ],
    [
      'with the prefix declared on the envelope',
      envelope(`<m:ReceiveByApikeyResponse>${prefixed}</m:ReceiveByApikeyResponse>`).replace(
        'xmlns:xsi',
        `xmlns:m="${NAMESPACE}" xmlns:xsi`,
      ),
    ],
    [
      'with a prefix declared again for something else',
      PLAIN.replace(
        '<ReceiveByApikeyResult>',
        '<soap:x xmlns:soap="urn:other"/><ReceiveByApikeyResult xmlns:soap="urn:other">',
      ),
    ],
    [
      'with the namespace on every element',
      PLAIN.replace(/<(messageid|message|sender|receptor|date)([ >])/g, `<$1 xmlns="${NAMESPACE}"$2`),
    ],
    [
      'with the namespace in references',
      PLAIN.replace(`xmlns="${NAMESPACE}"`, 'xmlns="&#104;ttp://messaging.example&#x2F;"'),
    ],
    ['indented', pretty(PLAIN)],
    ['with blanks inside tags', PLAIN.replace(/<(\/?[A-Za-z:]+)>/g, '<$1 \n\t>')],
    ['with white space at the end', `${PLAIN}\r\n \t\n`],
    ['with comments', PLAIN.replace(/></g, '><!-- <status>1</status> & --><')],
    ['with processing instructions', PLAIN.replace(/></g, '><?pi <status>1</status>?><')],
    [
      'with a comment and an instruction before and after the envelope',
      `${PLAIN.replace('?>', '?><!-- a --><?b?>')}<!-- c --><?d?>\n`,
    ],
    [
      'with comments inside texts and numbers',
      PLAIN.replace('سلام', 'سل<!-- x -->ام').replace('1600000000', '16<?x?>00000000'),
    ],
    ['with CDATA', PLAIN.replace('سلام &lt;b&gt;&amp; 😀', '<![CDATA[سلام <b>]]><![CDATA[& 😀]]>')],
    ['with CDATA between texts', PLAIN.replace('&lt;b&gt;&amp;', '<![CDATA[<b]]>&gt;<![CDATA[&]]>')],
    [
      'with CDATA around numbers',
      PLAIN.replace('9007199254740993', '<![CDATA[9007199254740993]]>').replace(
        '<status>200',
        '<status><![CDATA[200]]>',
      ),
    ],
    [
      'with references throughout',
      PLAIN.replace('سلام', '&#x633;&#1604;&#x0000627;&#1605;')
        .replace('😀', '&#x1F600;')
        .replace('0912', '&#48;&#x39;12')
        .replace('>200<', '>&#50;0&#x30;<'),
    ],
    ['with &gt; written as >', PLAIN.replace('&gt;', '>')],
    ['with a start and an end tag for an empty text', PLAIN.replace('<message />', '<message></message>')],
    ['with an empty element without a blank', PLAIN.replace('<message />', '<message/>')],
    [
      'with attributes',
      PLAIN.replaceAll('<ApiReceive>', '<ApiReceive xsi:type="ApiReceive" id="1">').replace(
        '<status>',
        `<status xsi:nil="false" xmlns:a='urn:a' a:b="c">`,
      ),
    ],
    [
      'with a Header',
      PLAIN.replace('<soap:Body>', '<soap:Header><soap:Body/><status xmlns="">1</status></soap:Header><soap:Body>'),
    ],
    ['with something after the Body', PLAIN.replace('</soap:Body>', '</soap:Body><soap:Body/><x/>')],
    ['with the parts of the response in another order', PLAIN.replace(RECORDS + STATUS, STATUS + RECORDS)],
    [
      'with the fields of a record in another order',
      PLAIN.replace(/(<messageid>9.*?<\/messageid>)(.*?)(<\/ApiReceive>)/, '$2$1$3'),
    ],
    [
      'with unknown elements',
      PLAIN.replaceAll('<date>', '<extra><message>no</message><messageid>x</messageid></extra><date>').replace(
        '<status>',
        '<other/><status>',
      ),
    ],
    [
      'with repeated elements, of which the first counts',
      PLAIN.replaceAll('</date>', '</date><date>7</date><message>second</message>')
        .replace('</statusmessage>', '</statusmessage><status>500</status><statusmessage>no</statusmessage>')
        .replace(
          '</ReceiveByApikeyResult>',
          '</ReceiveByApikeyResult><ReceiveByApikeyResult><ApiReceive/></ReceiveByApikeyResult>',
        ),
    ],
    ['with a nil record', PLAIN.replace('<ApiReceive>', '<ApiReceive xsi:nil="true" /><ApiReceive>')],
    [
      'with a nil record that has another prefix for xsi and the value 1',
      PLAIN.replace('<ApiReceive>', `<ApiReceive xmlns:i="${XSI}" i:nil=" 1 "></ApiReceive><ApiReceive>`),
    ],
    [
      'with text between the elements of a record, and of the response',
      PLAIN.replace(/></g, '>x<')
        .replace('?>x<', '?><')
        .replace('<message />x', '<message />')
        .replaceAll('x<ApiReceive>', '<ApiReceive>')
        .replace('x</ReceiveByApikeyResult>', '</ReceiveByApikeyResult>')
        .replace('x</soap:Body>', '</soap:Body>'),
    ],
    [
      'with blanks, plus signs and leading zeros around numbers',
      PLAIN.replace('>9007199254740993<', '>\r\n\t +0000000000000000009007199254740993 <')
        .replace('>-1<', '> -01<')
        .replace('>0<', '>-0<')
        .replace('>200<', '>+00200\n<'),
    ],
  ])('a response %s is read', (_title, xml) => {
    expect(responseIn('ReceiveByApikey', readResponse('ReceiveByApikey', xml))).toEqual(RECORDS_READ);
    expect(responseIn('ReceiveByApikey', readWithSax('ReceiveByApikey', xml))).toEqual(RECORDS_READ);
  });

  test.each([
    [
      'text that is the letter y, between elements',
      PLAIN.replace('<ReceiveByApikeyResult>', 'y<ReceiveByApikeyResult>'),
    ],
    ['text that is the letter y, after the list', PLAIN.replace('<status>', 'y<status>')],
  ])('a response with %s is read', (_title, xml) => {
    expect(responseIn('ReceiveByApikey', readResponse('ReceiveByApikey', xml))).toEqual(RECORDS_READ);
  });
});

test('a response is recognized by its namespaces, not by its prefixes', () => {
  const xml = `<?xml version="1.0"?><a:Envelope xmlns:a="${ENVELOPE_NAMESPACES['1.2']}" xmlns:b="${NAMESPACE}"><a:Body><b:GetStatusByApikeyResponse><b:GetStatusByApikeyResult><int xmlns="${NAMESPACE}">9</int><b:int>1</b:int></b:GetStatusByApikeyResult><b:status>200</b:status></b:GetStatusByApikeyResponse></a:Body></a:Envelope>`;
  const read = responseIn('GetStatusByApikey', readResponse('GetStatusByApikey', xml));
  expect(read).toEqual({ result: [9, 1], status: 200 });
});

test('a record that the program keeps does not keep the other records of its response in memory', () => {
  const record = (id: number) =>
    `<ApiReceive ><messageid>${id}</messageid><message>${`the message ${id}, a part of its chunk `.repeat(15)}</message><date>1</date></ApiReceive>`;
  const records = Array.from({ length: 5_000 }, (_, id) => record(id)).join('');
  const body = Buffer.from(
    responseEnvelope('ReceiveByApikey', `<ReceiveByApikeyResult>${records}</ReceiveByApikeyResult>${STATUS}`),
  );
  const cuts = Array.from({ length: body.length >> 16 }, (_, index) => (index + 1) << 16);
  const keep = (): unknown[] => {
    const { result } = responseIn('ReceiveByApikey', readResponse('ReceiveByApikey', body, { cuts }));
    return (result as unknown[]).filter((_, index) => index % 50 === 0);
  };
  // What one reading compiles is no part of what is measured.
  keep();
  const before = usedHeap();
  const kept = keep();
  expect(usedHeap() - before).toBeLessThan(2 ** 20);
  expect(kept).toHaveLength(100);
});

describe('what may be absent', () => {
  test.each<[string, string, unknown]>([
    ['an absent list', STATUS, undefined],
    ['an empty list', `<SelectByApikeyResult />${STATUS}`, []],
    ['an empty list in two tags', `<SelectByApikeyResult></SelectByApikeyResult>${STATUS}`, []],
    ['an empty list with white space', `<SelectByApikeyResult>\n </SelectByApikeyResult>${STATUS}`, []],
    ['a nil list', `<SelectByApikeyResult xsi:nil="true" />${STATUS}`, undefined],
    [
      'a nil list with white space and a comment',
      `<SelectByApikeyResult xsi:nil="true">\n<!-- none --></SelectByApikeyResult>${STATUS}`,
      undefined,
    ],
    [
      'a nil list before another one, of which the first counts',
      `<SelectByApikeyResult xsi:nil="true"/><SelectByApikeyResult><ApiSelect/></SelectByApikeyResult>${STATUS}`,
      undefined,
    ],
    [
      'a list of nil records',
      `<SelectByApikeyResult><ApiSelect xsi:nil="true"/><ApiSelect xsi:nil="1"/></SelectByApikeyResult>${STATUS}`,
      [],
    ],
    [
      'a record of numbers only',
      `<SelectByApikeyResult><ApiSelect><messageid>1</messageid><status>2</status><date>3</date><cost>4</cost></ApiSelect></SelectByApikeyResult>${STATUS}`,
      [{ messageid: 1n, status: 2, date: 3n, cost: 4 }],
    ],
    [
      'a record with nil texts',
      `<SelectByApikeyResult><ApiSelect><messageid>1</messageid><message xsi:nil="true"/><status>2</status><statustext xsi:nil="true"></statustext><date>3</date><cost>4</cost></ApiSelect></SelectByApikeyResult>${STATUS}`,
      [{ messageid: 1n, status: 2, date: 3n, cost: 4 }],
    ],
  ])('a response with %s is read as the contract defines it', (_title, content, result) => {
    const read = responseIn(
      'SelectByApikey',
      readResponse('SelectByApikey', responseEnvelope('SelectByApikey', content)),
    );
    expect(read).toEqual({ ...(result === undefined ? {} : { result }), status: 200, statusmessage: 'ok' });
  });

  test.each([
    ['absent', ''],
    ['nil', '<statusmessage xsi:nil="true"/>'],
  ])('a statusmessage that is %s is read as empty', async (_title, statusmessage) => {
    const body = responseEnvelope(
      'SendAdvance',
      `<SendAdvanceResult>5</SendAdvanceResult><status>200</status>${statusmessage}`,
    );
    const server = await serve(() => httpResponse(body));
    const client = clientOf(server);
    expect(await client.call('SendAdvance', SAMPLES.SendAdvance)).toEqual({
      result: 5n,
      status: 200,
      statusmessage: '',
    });
  });
});

describe('the text of a response', () => {
  test.each<[string, string, string]>([
    ['blanks at both ends', '  a  ', '  a  '],
    ['only blanks', ' \t ', ' \t '],
    ['a raw CR as LF', 'a\rb\r\rc', 'a\nb\n\nc'],
    ['a raw CRLF as one LF', 'a\r\nb\r\r\nc', 'a\nb\n\nc'],
    ['a CR in a reference as CR', 'a&#xD;b&#13;\nc&#xD;&#xA;', 'a\rb\r\nc\r\n'],
    ['CDATA with CRLF as LF', '<![CDATA[a\r\nb\r]]>', 'a\nb\n'],
    ['markup in CDATA as text', '<![CDATA[<a>&amp;&#x41;</a>]]>', '<a>&amp;&#x41;</a>'],
    ['references to references once', '&amp;lt;&amp;#65;', '&lt;&#65;'],
    ['all five names', '&lt;&gt;&amp;&quot;&apos;', '<>&"\''],
    [']]> with its last character escaped', ']]&gt; ]]&#62; ]]&#x3e;', ']]> ]]> ]]>'],
    [
      'control characters in references as those characters',
      '&#x1;&#xB;&#x1F;&#8;&#0;',
      '\u0001\u000b\u001f\u0008\u0000',
    ],
    ['U+FFFE and U+FFFF in references as those characters', '&#xFFFE;&#65535;', '\ufffe\uffff'],
    ['a lone surrogate in a reference as U+FFFD', 'a&#xD83D;b&#56832;c', 'a\ufffdb\ufffdc'],
    ['a pair of surrogates in references as one character', 'a&#xD83D;&#xDE00;b&#55357;&#56832;', 'a😀b😀'],
    ['surrogates in the wrong order as two U+FFFD', '&#xDE00;&#xD83D;', '\ufffd\ufffd'],
    ['a surrogate before a pair as U+FFFD', '&#xD83D;&#xD83D;&#xDE00;', '\ufffd😀'],
    ['a surrogate beside a character as U+FFFD', '&#xD83D;😀&#xDE00;', '\ufffd😀\ufffd'],
    ['the last code point', '&#x10FFFF;&#1114111;', '\u{10ffff}\u{10ffff}'],
    ['U+0085, U+2028, DEL and C1 as they are', '\u0085\u2028\u007f\u0080', '\u0085\u2028\u007f\u0080'],
    ['a byte order mark inside as it is', '\ufeffa\ufeff', '\ufeffa\ufeff'],
    ['Persian with ZWNJ', 'می\u200cخواهم', 'می\u200cخواهم'],
    ['emoji', '😀👨\u200d👩\u200d👧', '😀👨\u200d👩\u200d👧'],
    ['the letter y', 'y', 'y'],
    ['200,000 characters', 'سلام &amp; '.repeat(20_000), 'سلام & '.repeat(20_000)],
  ])('a text of a response is read exactly: %s', (_title, written, expected) => {
    const record = `<ApiReceive><messageid>1</messageid><message>${written}</message><date>2</date></ApiReceive>`;
    const content = `<ReceiveByApikeyResult>${record}${record}</ReceiveByApikeyResult><status>200</status><statusmessage>${written}</statusmessage>`;
    const read = { messageid: 1n, message: expected, date: 2n };
    for (const xml of [
      responseEnvelope('ReceiveByApikey', content),
      responseEnvelope('ReceiveByApikey', ` ${content}`),
    ]) {
      const everyByte = xml.length > 10_000 ? [] : Array.from(Buffer.from(xml).keys());
      for (const cuts of [[], everyByte]) {
        const reading = responseIn('ReceiveByApikey', readResponse('ReceiveByApikey', xml, { cuts }));
        expect(reading).toEqual({ result: [read, read], status: 200, statusmessage: expected });
      }
    }
  });
});

describe('numbers of a response', () => {
  test.each<[string, unknown]>([
    ['0', 0n],
    ['-0', 0n],
    ['+1', 1n],
    ['007', 7n],
    [' \t\r\n7\n', 7n],
    ['9007199254740993', 9007199254740993n],
    ['9223372036854775807', 9223372036854775807n],
    ['-9223372036854775808', -9223372036854775808n],
    ['+00009223372036854775807', 9223372036854775807n],
    ['00000000000000000000000000000000000000000000000000000000000005', 5n],
  ])('the long %j of a response is read exactly', (written, expected) => {
    const xml = responseEnvelope('SendAdvance', `<SendAdvanceResult>${written}</SendAdvanceResult>${STATUS}`);
    expect(responseIn('SendAdvance', readResponse('SendAdvance', xml))).toMatchObject({ result: expected });
    const list = responseEnvelope(
      'SendSimpleByApikey',
      `<SendSimpleByApikeyResult><long>${written}</long></SendSimpleByApikeyResult>${STATUS}`,
    );
    expect(responseIn('SendSimpleByApikey', readResponse('SendSimpleByApikey', list))).toMatchObject({
      result: [expected],
    });
  });

  test.each([
    ['-2147483648', -2147483648],
    ['2147483647', 2147483647],
    ['-0', 0],
    ['0', 0],
    ['+0200', 200],
    ['-0005', -5],
  ])('the int %j of a response is read exactly', (written, expected) => {
    const xml = responseEnvelope(
      'GetStatusByApikey',
      `<GetStatusByApikeyResult><int>${written}</int></GetStatusByApikeyResult><status>${written}</status>`,
    );
    expect(responseIn('GetStatusByApikey', readResponse('GetStatusByApikey', xml))).toEqual({
      result: [expected],
      status: expected,
    });
  });
});

describe('the encoding that the XML declaration declares', () => {
  const declared = (encoding: string, statusmessage: string) =>
    responseEnvelope(
      'RemainCreditByApiKey',
      `<RemainCreditByApiKeyResult>1</RemainCreditByApiKeyResult><status>200</status><statusmessage>${statusmessage}</statusmessage>`,
    ).replace('encoding="utf-8"', `encoding="${encoding}"`);
  const persian = Buffer.from(declared('windows-1256', '\xd3\xe1\xc7\xe3'), 'latin1');
  const everyByte = Array.from(persian.keys());

  test.each<[string, Buffer, string]>([
    ['windows-1256', persian, 'سلام'],
    ['ISO-8859-1', Buffer.from(declared('ISO-8859-1', 'd\xe9j\xe0'), 'latin1'), 'déjà'],
    ['utf-16, without a byte order mark', Buffer.from(declared('utf-16', 'سلام'), 'utf16le'), 'سلام'],
    ['utf-16, which it cannot be where it can be read', Buffer.from(declared('utf-16', 'سلام')), 'سلام'],
    ['UTF-8 in capitals', Buffer.from(declared('UTF-8', 'سلام')), 'سلام'],
  ])('a response whose XML declaration names its encoding is read: %s', (_title, bytes, statusmessage) => {
    // An unknown charset in the header counts as absent.
    for (const options of [{}, { charset: 'UTF_8' }]) {
      const read = responseIn('RemainCreditByApiKey', readResponse('RemainCreditByApiKey', bytes, options));
      expect(read).toEqual({ result: 1n, status: 200, statusmessage });
    }
  });

  test.each([
    ['one byte at a time', everyByte],
    ['in pieces of 30 bytes', everyByte.filter((index) => index % 30 === 0)],
    ['cut in the middle of the declaration', [25]],
    ['cut after the first byte', [1]],
  ])('the encoding in the XML declaration is found when the response arrives %s', (_title, cuts) => {
    const read = responseIn('RemainCreditByApiKey', readResponse('RemainCreditByApiKey', persian, { cuts }));
    expect(read).toEqual({ result: 1n, status: 200, statusmessage: 'سلام' });
  });
});
