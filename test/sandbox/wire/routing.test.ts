import { type Sandbox, startSandbox } from '../../../src/sandbox';
import { NAMESPACE, operationElement, requestEnvelope, requestHeaders } from '../../support/envelopes';
import { faultIn, KEY, post, textOf } from '../../support/raw-client';

const OLD = 'text/xml; charset=utf-8';
const NEW = 'application/soap+xml; charset=utf-8';
const CREDIT = operationElement('RemainCreditByApiKey', `<apikey>${KEY}</apikey>`);
const ADVANCE = operationElement('SendAdvance', `<apikey>${KEY}</apikey><receptor>1</receptor>`);
const CREDIT_LEFT = '9007199254740995';

describe('routing', () => {
  let sandbox: Sandbox;

  beforeAll(async () => {
    sandbox = await startSandbox();
  });
  afterAll(() => sandbox.close());

  describe('SOAP 1.1 goes by the SOAPAction header', () => {
    test('with quotes and without', async () => {
      for (const SOAPAction of [`"${NAMESPACE}RemainCreditByApiKey"`, `${NAMESPACE}RemainCreditByApiKey`]) {
        const answer = await post(sandbox, { 'Content-Type': OLD, SOAPAction }, requestEnvelope('1.1', CREDIT));
        expect(textOf(answer.body, 'RemainCreditByApiKeyResult')).toBe(CREDIT_LEFT);
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
    ])('an action that is %s is a Client fault', async (_, SOAPAction) => {
      const answer = await post(sandbox, { 'Content-Type': OLD, SOAPAction }, requestEnvelope('1.1', CREDIT));
      expect(answer.status).toBe(500);
      expect(answer.headers['content-type']).toBe(OLD);
      expect(faultIn(answer)).toEqual({
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
    ])('a body element %s leaves every argument null', async (_, body) => {
      const answer = await post(sandbox, requestHeaders('1.1', 'RemainCreditByApiKey'), requestEnvelope('1.1', body));
      expect(answer.status).toBe(200);
      expect(textOf(answer.body, 'RemainCreditByApiKeyResult')).toBe('0');
      expect(textOf(answer.body, 'status')).toBe('403');
    });

    test('without the header it goes by the body element', async () => {
      const answer = await post(sandbox, { 'Content-Type': OLD }, requestEnvelope('1.1', CREDIT));
      expect(textOf(answer.body, 'RemainCreditByApiKeyResult')).toBe(CREDIT_LEFT);
      for (const body of [operationElement('Unknown', ''), operationElement('toString', ''), '']) {
        const refused = await post(sandbox, { 'Content-Type': OLD }, requestEnvelope('1.1', body));
        expect(refused.status).toBe(500);
        expect(faultIn(refused)?.code).toBe('Client');
      }
    });
  });

  describe('SOAP 1.2 goes by the action parameter, else by the body element', () => {
    test('an action that names an operation wins over the body', async () => {
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
      'with "%s" the body element counts',
      async (rest) => {
        const answer = await post(sandbox, { 'Content-Type': NEW + rest }, requestEnvelope('1.2', CREDIT));
        expect(textOf(answer.body, 'RemainCreditByApiKeyResult')).toBe(CREDIT_LEFT);
      },
    );

    test.each([
      ['name', operationElement('Unknown', '')],
      ['namespace', operationElement('RemainCreditByApiKey', '', 'http://other.example/')],
      ['body', ''],
    ])('without an action, a wrong or empty %s is a Sender fault', async (_, body) => {
      const answer = await post(sandbox, { 'Content-Type': NEW }, requestEnvelope('1.2', body));
      expect(answer.status).toBe(500);
      expect(answer.headers['content-type']).toBe(NEW);
      expect(faultIn(answer)).toEqual({
        code: 'Sender',
        reason: 'Unable to handle request without a valid action parameter. Please supply a valid soap action.',
      });
    });

    test.each(['RemainCreditByApiKey', 'Unknown', 'SendAdvance'])(
      'a SOAPAction header is ignored (%s)',
      async (name) => {
        const headers = { 'Content-Type': NEW, SOAPAction: `"${NAMESPACE}${name}"` };
        const answer = await post(sandbox, headers, requestEnvelope('1.2', CREDIT));
        expect(textOf(answer.body, 'RemainCreditByApiKeyResult')).toBe(CREDIT_LEFT);
      },
    );
  });

  describe('the Content-Type must fit the envelope', () => {
    test.each(['text/plain', 'application/xml', 'application/x-www-form-urlencoded', 'application/json', ''])(
      '"%s" is answered with 415 and nothing',
      async (type) => {
        const headers: Record<string, string> = type === '' ? {} : { 'Content-Type': type };
        const answer = await post(sandbox, headers, requestEnvelope('1.1', CREDIT));
        expect([answer.status, answer.body]).toEqual([415, '']);
      },
    );

    test('an envelope of SOAP 1.1 as application/soap+xml is answered with 415 and nothing', async () => {
      const answer = await post(sandbox, { 'Content-Type': NEW }, requestEnvelope('1.1', CREDIT));
      expect([answer.status, answer.body]).toEqual([415, '']);
    });

    test('an envelope of SOAP 1.2 as text/xml is answered in SOAP 1.2, with a SOAPAction and without', async () => {
      for (const headers of [{ 'Content-Type': OLD }, requestHeaders('1.1', 'RemainCreditByApiKey')]) {
        const answer = await post(sandbox, headers, requestEnvelope('1.2', CREDIT));
        expect(answer.status).toBe(200);
        expect(answer.headers['content-type']).toBe(NEW);
        expect(answer.body).toContain('<soap12:Envelope xmlns:soap12="http://www.w3.org/2003/05/soap-envelope"');
        expect(textOf(answer.body, 'RemainCreditByApiKeyResult')).toBe(CREDIT_LEFT);
      }
    });

    test('media type and parameter names are free in case and spacing', async () => {
      const answer = await post(
        sandbox,
        { ...requestHeaders('1.1', 'RemainCreditByApiKey'), 'Content-Type': ' Text/XML ;  Charset = "UTF-8" ' },
        requestEnvelope('1.1', CREDIT),
      );
      expect(textOf(answer.body, 'RemainCreditByApiKeyResult')).toBe(CREDIT_LEFT);
    });
  });

  test('another namespace is taken to the letter, without a slash too', async () => {
    const other = await startSandbox({ namespace: "urn:a&b'c" });
    try {
      const headers = { 'Content-Type': OLD, SOAPAction: '"urn:a&b\'cRemainCreditByApiKey"' };
      const body = operationElement('RemainCreditByApiKey', `<apikey>${KEY}</apikey>`, "urn:a&amp;b'c");
      const answer = await post(other, headers, requestEnvelope('1.1', body));
      expect(answer.body).toContain('<RemainCreditByApiKeyResponse xmlns="urn:a&amp;b\'c">');
      expect(textOf(answer.body, 'status')).toBe('200');
    } finally {
      await other.close();
    }
  });
});
