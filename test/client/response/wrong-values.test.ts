import {
  credit,
  ids,
  LIST_PATH,
  listOf,
  RECORD,
  STATUS,
  select,
  testBrokenResponses,
  withText,
} from '../../support/broken-responses';
import { NAMESPACE, responseEnvelope } from '../../support/envelopes';

// Responses in which an element has a value that its type does not allow.

testBrokenResponses([
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
]);
