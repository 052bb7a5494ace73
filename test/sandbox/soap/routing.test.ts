import { type Sandbox, startSandbox } from '../../../src/sandbox';
import { NAMESPACE, operationElement, requestEnvelope, requestHeaders } from '../../support/envelopes';
import { faultIn, KEY, post, textOf } from '../../support/raw-client';
import { openSandbox } from '../../support/sandbox';

const OLD = 'text/xml; charset=utf-8';
const NEW = 'application/soap+xml; charset=utf-8';
const CREDIT = operationElement('RemainCreditByApiKey', `<apikey>${KEY}</apikey>`);
const ADVANCE = operationElement('SendAdvance', `<apikey>${KEY}</apikey><receptor>1</receptor>`);
const CREDIT_LEFT = '9007199254740995';

describe('routing', () => {
  let sandbox: Sandbox;

  beforeAll(async () => {
    sandbox = await openSandbox();
  });

  describe('SOAPAction header', () => {
    test('A SOAP 1.1 request is routed by its SOAPAction header, with quotes or without', async () => {
      for (const SOAPAction of [`"${NAMESPACE}RemainCreditByApiKey"`, `${NAMESPACE}RemainCreditByApiKey`]) {
        const response = await post(sandbox, { 'Content-Type': OLD, SOAPAction }, requestEnvelope('1.1', CREDIT));
        expect(textOf(response.body, 'RemainCreditByApiKeyResult')).toBe(CREDIT_LEFT);
      }
    });

    test.each([
      ['unknown', `"${NAMESPACE}Unknown"`],
      ['empty', ''],
      ['empty in quotes', '""'],
      ['the operation alone', '"RemainCreditByApiKey"'],
      ['in single quotes', `'${NAMESPACE}RemainCreditByApiKey'`],
      ['in another case', `"${NAMESPACE}remaincreditbyapikey"`],
      ['with a slash too many', `"${NAMESPACE}/RemainCreditByApiKey"`],
      ['a name that every object has', `"${NAMESPACE}constructor"`],
    ])('A SOAPAction that is %s is a Client fault', async (_, SOAPAction) => {
      const response = await post(sandbox, { 'Content-Type': OLD, SOAPAction }, requestEnvelope('1.1', CREDIT));
      expect(response.status).toBe(500);
      expect(response.headers['content-type']).toBe(OLD);
      expect(faultIn(response)).toEqual({
        code: 'Client',
        reason: `Server did not recognize the value of HTTP Header SOAPAction: ${SOAPAction.replaceAll('"', '')}.`,
      });
    });

    test.each([
      ['of another operation', ADVANCE],
      [
        'of another namespace',
        operationElement('RemainCreditByApiKey', `<apikey>${KEY}</apikey>`, 'http://other.example/'),
      ],
      ['of no namespace', operationElement('RemainCreditByApiKey', `<apikey>${KEY}</apikey>`, '')],
      ['missing', ''],
    ])('With a SOAPAction, a body element %s leaves every argument null', async (_, body) => {
      const response = await post(sandbox, requestHeaders('1.1', 'RemainCreditByApiKey'), requestEnvelope('1.1', body));
      expect(response.status).toBe(200);
      expect(textOf(response.body, 'RemainCreditByApiKeyResult')).toBe('0');
      expect(textOf(response.body, 'status')).toBe('403');
    });

    test('A SOAP 1.1 request without a SOAPAction header is routed by its body element', async () => {
      const response = await post(sandbox, { 'Content-Type': OLD }, requestEnvelope('1.1', CREDIT));
      expect(textOf(response.body, 'RemainCreditByApiKeyResult')).toBe(CREDIT_LEFT);
      for (const body of [operationElement('Unknown', ''), operationElement('toString', ''), '']) {
        const refused = await post(sandbox, { 'Content-Type': OLD }, requestEnvelope('1.1', body));
        expect(refused.status).toBe(500);
        expect(faultIn(refused)?.code).toBe('Client');
      }
    });
  });

  describe('action parameter', () => {
    test('An action parameter that names an operation of the contract wins over the body', async () => {
      const headers = { 'Content-Type': `${NEW}; action="${NAMESPACE}RemainCreditByApiKey"` };
      const right = await post(sandbox, headers, requestEnvelope('1.2', CREDIT));
      expect(textOf(right.body, 'RemainCreditByApiKeyResult')).toBe(CREDIT_LEFT);
      for (const body of [ADVANCE, '']) {
        const other = await post(sandbox, headers, requestEnvelope('1.2', body));
        expect(other.status).toBe(200);
        expect(textOf(other.body, 'RemainCreditByApiKeyResult')).toBe('0');
      }
    });

    test.each(['', '; action=""', `; action="${NAMESPACE}Unknown"`])(
      'A SOAP 1.2 request with the Content-Type parameter "%s" is routed by its body element',
      async (rest) => {
        const response = await post(sandbox, { 'Content-Type': NEW + rest }, requestEnvelope('1.2', CREDIT));
        expect(textOf(response.body, 'RemainCreditByApiKeyResult')).toBe(CREDIT_LEFT);
      },
    );

    test.each([
      ['name', operationElement('Unknown', '')],
      ['namespace', operationElement('RemainCreditByApiKey', '', 'http://other.example/')],
      ['body', ''],
    ])('Without an action parameter, a wrong or empty %s is a Sender fault', async (_, body) => {
      const response = await post(sandbox, { 'Content-Type': NEW }, requestEnvelope('1.2', body));
      expect(response.status).toBe(500);
      expect(response.headers['content-type']).toBe(NEW);
      expect(faultIn(response)).toEqual({
        code: 'Sender',
        reason: 'Unable to handle request without a valid action parameter. Please supply a valid soap action.',
      });
    });

    test.each(['RemainCreditByApiKey', 'Unknown', 'SendAdvance'])(
      'A SOAP 1.2 request is routed without its SOAPAction header (%s)',
      async (name) => {
        const headers = { 'Content-Type': NEW, SOAPAction: `"${NAMESPACE}${name}"` };
        const response = await post(sandbox, headers, requestEnvelope('1.2', CREDIT));
        expect(textOf(response.body, 'RemainCreditByApiKeyResult')).toBe(CREDIT_LEFT);
      },
    );
  });

  describe('Content-Type', () => {
    test.each(['text/plain', 'application/xml', 'application/x-www-form-urlencoded', 'application/json', ''])(
      'A request with the Content-Type "%s" gets 415 with an empty body',
      async (type) => {
        const headers: Record<string, string> = type === '' ? {} : { 'Content-Type': type };
        const response = await post(sandbox, headers, requestEnvelope('1.1', CREDIT));
        expect([response.status, response.body]).toEqual([415, '']);
      },
    );

    test('An envelope of SOAP 1.1 as application/soap+xml gets 415 with an empty body', async () => {
      const response = await post(sandbox, { 'Content-Type': NEW }, requestEnvelope('1.1', CREDIT));
      expect([response.status, response.body]).toEqual([415, '']);
    });

    test('An envelope of SOAP 1.2 as text/xml gets a response in SOAP 1.2, with a SOAPAction or without', async () => {
      for (const headers of [{ 'Content-Type': OLD }, requestHeaders('1.1', 'RemainCreditByApiKey')]) {
        const response = await post(sandbox, headers, requestEnvelope('1.2', CREDIT));
        expect(response.status).toBe(200);
        expect(response.headers['content-type']).toBe(NEW);
        expect(response.body).toContain('<soap12:Envelope xmlns:soap12="http://www.w3.org/2003/05/soap-envelope"');
        expect(textOf(response.body, 'RemainCreditByApiKeyResult')).toBe(CREDIT_LEFT);
      }
    });

    test('The media type and its parameter names may have any case and spacing', async () => {
      const response = await post(
        sandbox,
        { ...requestHeaders('1.1', 'RemainCreditByApiKey'), 'Content-Type': ' Text/XML ;  Charset = "UTF-8" ' },
        requestEnvelope('1.1', CREDIT),
      );
      expect(textOf(response.body, 'RemainCreditByApiKeyResult')).toBe(CREDIT_LEFT);
    });
  });

  test('The sandbox joins its namespace and the operation exactly, also when the namespace ends without a slash', async () => {
    const other = await startSandbox({ namespace: "urn:a&b'c" });
    try {
      const headers = { 'Content-Type': OLD, SOAPAction: '"urn:a&b\'cRemainCreditByApiKey"' };
      const body = operationElement('RemainCreditByApiKey', `<apikey>${KEY}</apikey>`, "urn:a&amp;b'c");
      const response = await post(other, headers, requestEnvelope('1.1', body));
      expect(response.body).toContain('<RemainCreditByApiKeyResponse xmlns="urn:a&amp;b\'c">');
      expect(textOf(response.body, 'status')).toBe('200');
    } finally {
      await other.close();
    }
  });
});
