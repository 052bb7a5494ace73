import {
  credit,
  ids,
  listOf,
  nested,
  RECORD,
  STATUS,
  select,
  testBrokenResponses,
} from '../../support/broken-responses';
import { ENVELOPE_NAMESPACES, envelope, NAMESPACE } from '../../support/envelopes';

// Responses in which an element is missing, unexpected, in another namespace or too deep.

testBrokenResponses([
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
    'an HTML page, not a SOAP envelope',
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
]);
