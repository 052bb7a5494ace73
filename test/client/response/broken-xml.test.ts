import {
  LIST_PATH,
  listOf,
  RECORD,
  STATUS,
  select,
  testBrokenResponses,
  withText,
} from '../../support/broken-responses';
import { cpuTime } from '../../support/cost';
import { ENVELOPE_NAMESPACES } from '../../support/envelopes';
import { readResponse } from '../../support/reading';

// Responses that are not well-formed XML, or that have a document type.

testBrokenResponses([
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
  ['white space before the declaration', ` ${listOf(RECORD)}`, 'not well-formed XML'],
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
]);

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
