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
]);
