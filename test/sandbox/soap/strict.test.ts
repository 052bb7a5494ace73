import { type OperationName, operations } from '../../../generated/operations';
import { type Sandbox, startSandbox } from '../../../src/sandbox';
import {
  ENVELOPE_NAMESPACES,
  NAMESPACE,
  operationElement,
  PREFIXES,
  requestChildren,
  requestEnvelope,
  requestHeaders,
  VERSIONS,
  XSI,
} from '../../support/envelopes';
import { call, faultIn, KEY, post, type RawResponse, textOf, textsOf } from '../../support/raw-client';
import { openSandbox } from '../../support/sandbox';

const names = Object.keys(operations) as OperationName[];

/** The children of an operation as the contract lists them. */
function childrenOf(operation: OperationName): string[] {
  return requestChildren(operation, { key: KEY, text: 'x', number: '1' });
}

const CREDIT = childrenOf('RemainCreditByApiKey').join('');
const SIMPLE = childrenOf('SendSimpleByApikey').join('');

describe('strict', () => {
  let sandbox: Sandbox;

  beforeAll(async () => {
    sandbox = await openSandbox({ strict: true });
  });

  test.each(VERSIONS.flatMap((version) => names.map((name) => [name, version] as const)))(
    'The strict sandbox carries out a request of the contract (%s, %s)',
    async (operation, version) => {
      const response = await call(sandbox, version, operation, childrenOf(operation).join(''));
      expect(textsOf(response.body, 'status').at(-1)).toBe('200');
    },
  );

  function expectRefusal(response: RawResponse, code: string, reason: string): void {
    expect(response.status).toBe(500);
    expect(faultIn(response)).toEqual({ code, reason });
  }

  const [apikey = '', sender = '', message = '', receptor = ''] = childrenOf('SendSimpleByApikey');
  const wrongChildren: [string, string, string][] = [
    [
      'children in another order',
      SIMPLE.replace(sender + message, message + sender),
      'message is in the place of sender',
    ],
    [
      'an unknown child',
      SIMPLE.replace(message, `${message}<mesage/>`),
      `the contract has no mesage (namespace ${NAMESPACE}) in this place`,
    ],
    [
      'an unqualified child',
      SIMPLE.replace('<message>', '<message xmlns="">'),
      'the contract has no message (no namespace) in this place',
    ],
    ['a missing child', SIMPLE.replace(message, ''), 'message is missing'],
    ['a missing key', SIMPLE.replace(apikey, ''), 'apikey is missing'],
    ['a missing end', SIMPLE.replace(/<statusmessage>.*$/, ''), 'statusmessage is missing'],
    ['a repeated child', SIMPLE.replace(message, message + message), 'message occurs twice'],
    [
      'a nil list',
      SIMPLE.replace(receptor, '<receptor xsi:nil="true"/>'),
      'receptor is nil, which the WSDL does not allow',
    ],
    [
      'a wrong item',
      SIMPLE.replace(receptor, '<receptor><long>1</long></receptor>'),
      `the contract has no long (namespace ${NAMESPACE}) in this place`,
    ],
    [
      'an attribute of a child',
      SIMPLE.replace('<message>', '<message lang="fa">'),
      'message has the attribute lang, but the contract has no attributes',
    ],
    [
      'an attribute of an item',
      SIMPLE.replace('<string>', '<string xmlns:a="urn:a" a:b="1">'),
      'string has the attribute a:b, but the contract has no attributes',
    ],
    [
      'bare text in a list',
      SIMPLE.replace(receptor, '<receptor>1</receptor>'),
      'text of 1 characters is between elements',
    ],
    ['text between children', SIMPLE.replace(message, `${message} x `), 'text of 1 characters is between elements'],
  ];

  test.each(VERSIONS.flatMap((version) => wrongChildren.map(([what, ...rest]) => [what, version, ...rest] as const)))(
    'The strict sandbox refuses %s (%s)',
    async (_, version, children, reason) => {
      const response = await call(sandbox, version, 'SendSimpleByApikey', children);
      expectRefusal(response, version === '1.1' ? 'Client' : 'Sender', `SendSimpleByApikey: ${reason}.`);
    },
  );

  test.each(VERSIONS)('The strict sandbox refuses a body that is not exactly one operation (%s)', async (version) => {
    const code = version === '1.1' ? 'Client' : 'Sender';
    const operation = operationElement('RemainCreditByApiKey', CREDIT);
    // Without an action, SOAP 1.2 is routed by the body, and the lenient sandbox refuses these too.
    const headers =
      version === '1.1'
        ? requestHeaders('1.1', 'RemainCreditByApiKey')
        : { 'Content-Type': `application/soap+xml; charset=utf-8; action="${NAMESPACE}RemainCreditByApiKey"` };
    const send = (body: string): Promise<RawResponse> => post(sandbox, headers, requestEnvelope(version, body));
    expectRefusal(
      await send(operationElement('SendSimpleByApikey', SIMPLE)),
      code,
      `RemainCreditByApiKey: the contract has no SendSimpleByApikey (namespace ${NAMESPACE}) in this place.`,
    );
    expectRefusal(
      await send(operationElement('RemainCreditByApiKey', CREDIT, 'urn:x')),
      code,
      'RemainCreditByApiKey: the contract has no RemainCreditByApiKey (namespace urn:x) in this place.',
    );
    expectRefusal(await send(''), code, 'RemainCreditByApiKey: apikey is missing.');
    expectRefusal(await send(operation + operation), code, 'RemainCreditByApiKey: RemainCreditByApiKey occurs twice.');
  });

  test.each(VERSIONS)('The strict sandbox refuses other content in the envelope (%s)', async (version) => {
    const code = version === '1.1' ? 'Client' : 'Sender';
    const prefix = PREFIXES[version];
    // Without an action, SOAP 1.2 is routed by the body.
    const routed = version === '1.1' ? 'RemainCreditByApiKey: ' : '';
    const whole = requestEnvelope(version, operationElement('RemainCreditByApiKey', CREDIT));
    const send = (body: string): Promise<RawResponse> =>
      post(sandbox, requestHeaders(version, 'RemainCreditByApiKey'), body);
    expectRefusal(
      await send(
        whole.replace(`<${prefix}:Body>`, `<${prefix}:Header><a xmlns="urn:a"/></${prefix}:Header><${prefix}:Body>`),
      ),
      code,
      `${routed}the contract has no a (namespace urn:a) in this place.`,
    );
    expectRefusal(
      await send(whole.replace(`<${prefix}:Body>`, `<${prefix}:Header/><${prefix}:Header/><${prefix}:Body>`)),
      code,
      `${routed}Header occurs twice.`,
    );
    expectRefusal(
      await send(whole.replace(`</${prefix}:Envelope>`, `<extra/></${prefix}:Envelope>`)),
      code,
      'RemainCreditByApiKey: the contract has no extra (no namespace) in this place.',
    );
  });

  test('The strict sandbox accepts an empty Header, other prefixes and declarations, blanks and comments', async () => {
    const body =
      `<E:Envelope xmlns:E="${ENVELOPE_NAMESPACES['1.1']}" xmlns:m="${NAMESPACE}">\n <E:Header/> <!-- x -->\n <E:Body>\n` +
      `<m:RemainCreditByApiKey xmlns:unused="urn:x"> <m:apikey xmlns:i="${XSI}" i:nil="false">${KEY}</m:apikey>\n<m:status>0</m:status><m:statusmessage/></m:RemainCreditByApiKey>` +
      '</E:Body></E:Envelope>';
    const response = await post(sandbox, requestHeaders('1.1', 'RemainCreditByApiKey'), body);
    expect(textOf(response.body, 'status')).toBe('200');
  });

  const action = `"${NAMESPACE}RemainCreditByApiKey"`;
  test.each([
    ['1.1', 'text/xml; charset=utf-8', undefined, 'the SOAPAction header is missing'],
    [
      '1.1',
      'text/xml; charset=utf-8',
      action.slice(1, -1),
      `the SOAPAction header ${action.slice(1, -1)} is not a quoted string`,
    ],
    ['1.1', 'text/xml', action, 'the charset of the Content-Type is none instead of utf-8'],
    ['1.1', 'text/xml; charset=latin1', action, 'the charset of the Content-Type is latin1 instead of utf-8'],
    ['1.2', 'text/xml; charset=utf-8', action, 'an envelope of SOAP 1.2 has Content-Type text/xml'],
    ['1.2', 'application/soap+xml', undefined, 'the charset of the Content-Type is none instead of utf-8'],
    ['1.2', 'application/soap+xml; charset=utf-8', action, 'SOAP 1.2 has no SOAPAction header'],
    [
      '1.2',
      'application/soap+xml; charset=utf-8; action="x"',
      undefined,
      `the action parameter x is not ${action.slice(1, -1)}`,
    ],
  ] as const)(
    'The strict sandbox refuses headers that do not fit (%s, %s, %s)',
    async (version, type, soapAction, reason) => {
      const headers: Record<string, string> = { 'Content-Type': type };
      if (soapAction !== undefined) headers.SOAPAction = soapAction;
      const response = await post(
        sandbox,
        headers,
        requestEnvelope(version, operationElement('RemainCreditByApiKey', CREDIT)),
      );
      expectRefusal(response, version === '1.1' ? 'Client' : 'Sender', `RemainCreditByApiKey: ${reason}.`);
    },
  );

  test.each(['application/soap+xml; charset=UTF-8', `application/soap+xml; charset="utf-8"; action=${action}`])(
    'The strict sandbox accepts the Content-Type %s for SOAP 1.2',
    async (type) => {
      const response = await post(
        sandbox,
        { 'Content-Type': type },
        requestEnvelope('1.2', operationElement('RemainCreditByApiKey', CREDIT)),
      );
      expect(textOf(response.body, 'status')).toBe('200');
    },
  );

  test('A request that the strict sandbox refuses takes no effect', async () => {
    const own = await startSandbox({ strict: true });
    try {
      await call(own, '1.1', 'SendSimpleByApikey', SIMPLE.replace('<status>1</status>', ''));
      expect(own.messages).toEqual([]);
    } finally {
      await own.close();
    }
  });
});
